//! Fixes and frees bases: an arm becomes a rope, a standing robot floats, and back.

use super::command_error::CommandError;
use super::poses::{FreedBase, convert};
use super::remark::Remark;
use super::session::Session;
use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::{Coordinates, Isometry, Joint, Kind, Skeleton};
use glam::DVec3;
use std::sync::Arc;

impl Session {
    /// Frees the base of the selected effector, or fixes it where it is now. Without effectors, the selected joint counts.
    ///
    /// A freed base gets its former kind back. A base that the file declares free is fixed as an unlimited ball.
    pub(super) fn toggle_base(&mut self) -> Result<(), CommandError> {
        let base = self.selected_base()?;
        let mut joints = self.scene.skeleton.joints().to_vec();
        let name = joints[base].name.clone();
        if joints[base].mimic.is_some() || joints.iter().any(|joint| joint.mimic.is_some_and(|it| it.joint == base)) {
            return Err(CommandError::CoupledBase(name));
        }
        self.save();
        let kind = joints[base].kind;
        let is_free = kind == Kind::Free;
        if is_free {
            let former = self.freed_bases.iter().position(|freed| freed.joint == base);
            let (kind, at) = match former.map(|at| self.freed_bases.remove(at)) {
                Some(FreedBase { kind, coordinates, .. }) if !kind.is_unlimited_ball() => (kind, coordinates),
                _ => (Kind::UNLIMITED_BALL, Coordinates::rotation(self.poses.solved[base].free_rotation())),
            };
            let frames = self.scene.skeleton.frames(&self.poses.solved);
            let parent = joints[base].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            set_rest_frame(&mut joints[base], parent, frames[base], kind.frame(Isometry::IDENTITY, &at));
            joints[base].kind = kind;
        } else {
            self.freed_bases.push(FreedBase { joint: base, kind, coordinates: self.poses.solved[base] });
            joints[base].kind = Kind::Free;
        }
        if let Ok(skeleton) = Skeleton::new(joints) {
            let scene = Arc::make_mut(&mut self.scene);
            for pose in self.poses.all().into_iter().chain([&mut scene.start]) {
                convert(pose, &scene.skeleton, &skeleton);
            }
            scene.skeleton = skeleton.into();
            let is_easing = self.islands.states.iter().any(|island| !island.eases.is_empty());
            self.rebuild_islands();
            if is_easing {
                self.finish_eases();
            }
            if let Some(playback) = &mut self.playback {
                playback.match_figure(&self.scene);
            }
        }
        let name = self.scene.shown_name(&name).to_owned();
        self.remark = Some(if is_free { Remark::Fixed(name) } else { Remark::Freed(name) });
        Ok(())
    }

    /// The joint that carries everything that moves with the selected effector: a free joint, or else the root. Also if
    /// fewer joints move for that effector: a joint inside a figure cannot float, because it is linked to its parent.
    fn selected_base(&self) -> Result<usize, CommandError> {
        let skeleton = &self.scene.skeleton;
        let selected = self.selected().map(|at| self.scene.effectors[at].effector.joint);
        let from = selected.or(self.selection.joint).ok_or(CommandError::NoEffector)?;
        let free = skeleton.ancestors(from).find(|&at| skeleton.joints()[at].kind == Kind::Free);
        Ok(free.unwrap_or_else(|| skeleton.root(from)))
    }

    /// Position of the root of an effector's tree.
    pub(super) fn base_position(&self, effector: usize) -> DVec3 {
        let root = self.scene.skeleton.root(self.scene.effectors[effector].effector.joint);
        self.scene.skeleton.joints()[root].offset
    }
}

/// Sets the rest frame of a joint so that the joint is at `frame` when its coordinates give `own` in the rest frame.
fn set_rest_frame(joint: &mut Joint, parent: Isometry, frame: Isometry, own: Isometry) {
    let turn = frame.rotation * own.rotation.conjugate();
    joint.offset = parent.local(frame.position - turn * own.position);
    joint.rest = match joint.axes {
        Axes::Parent => parent.rotation.conjugate() * turn,
        Axes::World => turn,
    };
}
