//! How a recorded figure corresponds to the driven one: joints matched by name, size, upright axis and facing.

use fabrik3d_ik::{Effector, Isometry, Kind, Pose, Skeleton};
use fabrik3d_scene::{Misfit, Retarget, Scene, TurnedLimb, upright};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// How a recorded figure corresponds to the driven one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FigureMatch {
    /// The recorded skeleton.
    pub recorded: Arc<Skeleton>,
    /// Rotation of the recorded world that aligns its up axis and its facing with the driven figure.
    turn: DQuat,
    /// Whether the skeletons are the same, so that poses need no conversion and links may get their recorded lengths.
    pub same: bool,
    /// The joints matched by name; none if no name occurs in both.
    retarget: Option<Retarget>,
    /// The limbs of the driven figure that rest in another direction.
    pub turned: Vec<TurnedLimb>,
    /// Free joints of the driven figure that have a partner, parents first. The recording moves them through the world.
    pub moved_bases: Vec<usize>,
}

/// What an effector's target follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Index of the recorded joint, or of the effector in a table.
    pub track: usize,
    /// Point on the joint, in its frame.
    pub point: DVec3,
}

/// A similarity from the world of the recorded figure to that of the driven figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Similarity {
    scale: f64,
    turn: DQuat,
    shift: DVec3,
}

impl Similarity {
    /// The point in the driven scene for a recorded point.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.turn * (point * self.scale) + self.shift
    }
}

impl FigureMatch {
    /// Matches a recorded figure with the driven one by names, and by hand: a recorded joint, or none, for a driven joint.
    pub fn new(figure: &Scene, driven: &Scene, manual: &[(Option<usize>, usize)]) -> Self {
        let same = is_same(figure, driven) && manual.is_empty();
        let retarget = Retarget::between(figure, driven, manual);
        let turn = retarget.as_ref().map_or_else(|| upright(figure.up, driven.up), |retarget| retarget.turn);
        let partner = |joint: usize| retarget.as_ref().and_then(|retarget| retarget.partners[joint]);
        let joints = driven.skeleton.joints();
        let moved_bases =
            (0..joints.len()).filter(|&at| joints[at].kind == Kind::Free && partner(at).is_some()).collect();
        let turned = retarget.as_ref().filter(|_| !same).map(|retarget| retarget.turned_limbs(figure, driven));
        let (recorded, turned) = (figure.skeleton.clone(), turned.unwrap_or_default());
        FigureMatch { recorded, turn, same, moved_bases, retarget, turned }
    }

    /// Base frame of the turned recorded figure.
    fn base(&self) -> Isometry {
        Isometry::new(DVec3::ZERO, self.turn)
    }

    /// Frames of the recorded joints in a recorded pose of this skeleton, aligned with the driven figure.
    pub fn frames(&self, recorded: &Skeleton, pose: &Pose) -> Vec<Isometry> {
        recorded.frames_at(self.base(), pose)
    }

    /// Frames of the recorded joints at rest, aligned with the driven figure.
    pub fn rest_frames(&self) -> Vec<Isometry> {
        self.recorded.frames_at(self.base(), &self.recorded.rest_pose())
    }

    /// Extent of the recorded figure at rest along `up`.
    pub fn height(&self, up: DVec3) -> f64 {
        let frames = self.rest_frames();
        let heights = frames.iter().map(|frame| frame.position.dot(up));
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        high - low
    }

    /// The recorded joint that matches a driven joint.
    pub fn partner(&self, joint: usize) -> Option<usize> {
        if self.same { Some(joint) } else { self.retarget.as_ref()?.partners[joint] }
    }

    /// The names of the recorded joints that match no joint of the driven figure.
    pub fn unmatched(&self) -> Vec<String> {
        let retarget = self.retarget.as_ref().filter(|_| !self.same);
        retarget.map_or(Vec::new(), |retarget| retarget.unmatched(&self.recorded))
    }

    /// What does not fit of a recorded and a driven figure.
    pub fn misfit(&self, figure: &Scene, driven: &Scene) -> Option<Misfit> {
        let retarget = self.retarget.as_ref().filter(|_| !self.same);
        retarget.and_then(|retarget| retarget.misfit(figure, driven))
    }

    /// Whether at least one joint has a match.
    pub fn has_partners(&self) -> bool {
        self.same || self.retarget.is_some()
    }

    /// The pose of the driven skeleton for a recorded pose and the offsets that the recording moves; none if no joint has a match.
    pub fn pose(&self, recorded: Pose, offsets: &[(usize, DVec3)], driven: &Skeleton) -> Option<Pose> {
        if self.same {
            return Some(recorded);
        }
        self.retarget.as_ref().map(|retarget| retarget.pose(&self.recorded, (&recorded, offsets), driven))
    }

    /// What each effector of the driven scene follows by default: a point on the partner of its joint.
    pub fn drives(&self, figure: &Scene, driven: &Scene) -> Vec<Option<Drive>> {
        let drive = |effector: &fabrik3d_scene::SceneEffector| {
            let track = self.partner(effector.effector.joint)?;
            Some(Drive { track, point: self.point_of(figure, track, effector.effector.tip) })
        };
        driven.effectors.iter().map(drive).collect()
    }

    /// The point on a recorded joint for the tip of an effector: the joint itself, or the end of the link that it carries.
    pub fn point_of(&self, figure: &Scene, track: usize, tip: DVec3) -> DVec3 {
        if self.same || tip == DVec3::ZERO {
            return tip;
        }
        figure.link_ends().find(|end| end.0 == track).map_or(DVec3::ZERO, |end| end.1)
    }

    /// Distance at rest from a base that the recording moves to an effector on it, relative to the scaled recorded one.
    pub fn trunk_ratio(
        &self,
        driven: &Skeleton,
        (base, end): (usize, Effector),
        drive: Drive,
        scale: Similarity,
    ) -> f64 {
        let Some(partner) = self.partner(base) else { return 1.0 };
        let distance = |skeleton: &Skeleton, from: usize, to: usize, point: DVec3| {
            let frames = skeleton.frames(&skeleton.rest_pose());
            frames[from].position.distance(frames[to].point(point))
        };
        let recorded = scale.scale * distance(&self.recorded, partner, drive.track, drive.point);
        if recorded > 0.0 { distance(driven, base, end.joint, end.tip) / recorded } else { 1.0 }
    }

    /// The joint itself or its nearest ancestor that the recording moves through the world.
    pub fn moved_base_above(&self, driven: &Skeleton, joint: usize) -> Option<usize> {
        driven.ancestors(joint).find(|at| self.moved_bases.contains(at))
    }

    /// Transforms the path of a recorded joint to the driven scene, for an effector on `joint` with this `reach`. Below a
    /// base that the recording moves, it is the recorded path to scale. A figure that stays in its place gets the path
    /// relative to the recorded root.
    ///
    /// `moved` are the recorded frames of [`FigureMatch::frames`]. `stance` are the frames of the driven figure in its
    /// opening pose: the present ones depend on the path.
    pub fn path_transform(
        &self,
        driven: &Skeleton,
        (joint, reach): (usize, f64),
        drive: Drive,
        moved: &[Isometry],
        stance: &[Isometry],
    ) -> Similarity {
        let by_names = self.retarget.as_ref().filter(|retarget| retarget.partners[joint].is_some());
        let scale = by_names
            .map_or_else(|| reach / reach_of(&self.recorded, drive.track, drive.point), |retarget| retarget.scale);
        if self.moved_base_above(driven, joint).is_some() {
            let shift = by_names.map_or(DVec3::ZERO, |retarget| retarget.displacement(joint));
            return Similarity { scale, turn: DQuat::IDENTITY, shift };
        }
        let (there, here) = (self.recorded.root(drive.track), driven.root(joint));
        let turned = |skeleton: &Skeleton, base: Isometry, root: usize, frames: &[Isometry]| {
            frames[root].rotation * skeleton.rest_frame(root, base).rotation.conjugate()
        };
        let turn = turned(driven, Isometry::IDENTITY, here, stance)
            * turned(&self.recorded, self.base(), there, moved).conjugate();
        let turn = turn.normalize();
        Similarity { scale, turn, shift: stance[here].position - turn * (moved[there].position * scale) }
    }
}

/// Whether two figures are the same, wherever the joints are that a clip moves on their parents.
fn is_same(figure: &Scene, driven: &Scene) -> bool {
    let moved: Vec<usize> =
        figure.assets.motions.iter().flat_map(|motion| motion.moved_joints().iter().copied()).collect();
    let [a, b] = [&figure.skeleton, &driven.skeleton];
    let stays = |at: usize| a.joints()[at].offset == b.joints()[at].offset || moved.contains(&at);
    figure.up == driven.up && a.has_joints_of(b) && (0..a.len()).all(stays)
}

/// Largest distance of a point on a joint from its root. For a root or a floating joint, that of its tree's farthest joint,
/// whatever slides add. Above 0.
fn reach_of(skeleton: &Skeleton, joint: usize, point: DVec3) -> f64 {
    let own = Effector::new(joint, point).reach(skeleton);
    if own > 0.0 && skeleton.joints()[joint].kind != Kind::Free {
        return own;
    }
    let (root, roots) = (skeleton.root(joint), skeleton.roots());
    let mut lengths: Vec<f64> = Vec::with_capacity(skeleton.len());
    for at in skeleton.joints() {
        let above = at.parent.filter(|_| at.kind != Kind::Free);
        lengths.push(above.map_or(0.0, |parent| lengths[parent] + at.offset.length()));
    }
    let of_tree = lengths.iter().zip(roots).filter(|(_, of)| *of == root);
    let farthest = of_tree.map(|(length, _)| *length).fold(own, f64::max);
    if farthest > 0.0 { farthest } else { 1.0 }
}
