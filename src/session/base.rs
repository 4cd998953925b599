//! Bases, fixed and free: an arm becomes a rope, a robot that stands becomes one that floats, and back.

use super::{CommandError, Remark, Session};
use fabrik3d_ik::{Axes, Coordinates, Isometry, Joint, Kind, Skeleton};
use std::sync::Arc;

/// A base that was freed: what it was before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Freed {
    joint: usize,
    kind: Kind,
    at: Coordinates,
}

impl Session {
    /// Frees the base of the selected effector (where there is no effector, of the selected joint), or fixes it where it
    /// is now. What was freed becomes what it was; a base that the file has free is fixed as one that turns.
    pub(super) fn toggle_base(&mut self) -> Result<(), CommandError> {
        let base = self.base()?;
        let mut joints = self.scene.skeleton.joints().to_vec();
        let name = joints[base].name.clone();
        if joints[base].mimic.is_some() || joints.iter().any(|joint| joint.mimic.is_some_and(|it| it.joint == base)) {
            return Err(CommandError::TiedBase(name));
        }
        let before = self.snapshot();
        let kind = joints[base].kind;
        let is_free = kind == Kind::Free;
        let place: Box<dyn Fn(&Coordinates) -> Coordinates> = if is_free {
            let was = self.freed.iter().position(|freed| freed.joint == base).map(|at| self.freed.remove(at));
            let (kind, at) = match was {
                Some(Freed { kind, at, .. }) if !kind.is_unlimited_ball() => (kind, at),
                _ => (Kind::UNLIMITED_BALL, Coordinates::rotation(self.solved[base].free_rotation())),
            };
            let frames = self.scene.skeleton.frames(&self.solved);
            let parent = joints[base].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            rest_so(&mut joints[base], parent, frames[base], kind.frame(Isometry::IDENTITY, &at));
            joints[base].kind = kind;
            let turns = kind.is_unlimited_ball();
            Box::new(move |pose| if turns { Coordinates::rotation(pose.free_rotation()) } else { at })
        } else {
            self.freed.push(Freed { joint: base, kind, at: self.solved[base] });
            joints[base].kind = Kind::Free;
            Box::new(move |pose| {
                let frame = kind.frame(Isometry::IDENTITY, pose);
                Coordinates::free(frame.position, frame.rotation)
            })
        };
        self.history.push(before);
        if let Ok(skeleton) = Skeleton::new(joints) {
            let scene = Arc::make_mut(&mut self.scene);
            scene.skeleton = skeleton;
            for pose in [&mut self.solved, &mut self.displayed, &mut self.from, &mut scene.start] {
                pose[base] = place(&pose[base]);
            }
            self.divide();
            if let Some(playback) = &mut self.playback {
                playback.fit_to(&self.scene);
            }
        }
        self.remark = Some(if is_free { Remark::Fixed(name) } else { Remark::Freed(name) });
        Ok(())
    }

    /// The joint that carries all that moves with the selected effector: one that goes freely, or else the topmost that
    /// may move for it.
    fn base(&self) -> Result<usize, CommandError> {
        let joints = self.scene.skeleton.joints();
        let selected = self.scene.effectors.get(self.selected).map(|effector| effector.effector);
        let length = selected.and_then(|effector| effector.chain_length).unwrap_or(usize::MAX);
        let from = selected.map(|effector| effector.joint).or(self.joint).ok_or(CommandError::NoEffector)?;
        let line = || self.scene.skeleton.ancestors(from).take(length.max(1));
        let free = line().find(|&at| joints[at].kind == Kind::Free);
        Ok(free.or(line().last()).unwrap_or(from))
    }
}

/// Lets a joint rest so that it is in `frame` when its coordinates take it to `own` from there.
fn rest_so(joint: &mut Joint, parent: Isometry, frame: Isometry, own: Isometry) {
    let turn = frame.rotation * own.rotation.conjugate();
    joint.offset = parent.local(frame.position - turn * own.position);
    joint.rest = match joint.axes {
        Axes::Parent => parent.rotation.conjugate() * turn,
        Axes::World => turn,
    };
}
