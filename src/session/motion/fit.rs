//! How a recorded figure stands for the one that is driven: names matched, sizes scaled, both standing and facing alike.

use fabrik3d_ik::{Effector, Isometry, Kind, Pose, Skeleton};
use fabrik3d_scene::{Retarget, Scene, upright};
use glam::{DQuat, DVec3};

/// A recorded figure beside the driven one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    /// The recorded skeleton.
    pub recorded: Skeleton,
    /// How its world is turned, so that it stands along the up axis of the driven scene and faces as the driven figure does.
    turn: DQuat,
    /// Whether both are one and the same, so that poses carry over as they are.
    same: bool,
    /// The joints matched by name; none where no name is known in both.
    retarget: Option<Retarget>,
    /// Free joints of the driven figure that have a partner, parents first: they go where that one went.
    pub riders: Vec<usize>,
}

/// What an effector's target follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Index of the recorded joint, or of the effector in a table.
    pub track: usize,
    /// Point of the joint, in its frame.
    pub point: DVec3,
}

/// From the recorded figure's world to the driven one's: a similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placing {
    scale: f64,
    turn: DQuat,
    shift: DVec3,
}

impl Placing {
    /// Where a recorded point is in the driven scene.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.turn * (point * self.scale) + self.shift
    }
}

impl Fit {
    /// Matches a recorded figure with the scene that it drives, by names and as is `told`: for a driven joint (the second)
    /// its recorded one, or none.
    pub fn new(figure: &Scene, driven: &Scene, told: &[(Option<usize>, usize)]) -> Self {
        let same = figure.skeleton == driven.skeleton && figure.up == driven.up && told.is_empty();
        let retarget = Retarget::between(figure, driven, told);
        let turn = retarget.as_ref().map_or_else(|| upright(figure.up, driven.up), |retarget| retarget.turn);
        let partner = |joint: usize| retarget.as_ref().and_then(|retarget| retarget.partners[joint]);
        let joints = driven.skeleton.joints();
        let riders = (0..joints.len()).filter(|&at| joints[at].kind == Kind::Free && partner(at).is_some()).collect();
        Fit { recorded: figure.skeleton.clone(), turn, same, riders, retarget }
    }

    /// Where the turned figure begins.
    fn base(&self) -> Isometry {
        Isometry::new(DVec3::ZERO, self.turn)
    }

    /// Frames of the recorded joints in one of its poses, turned to stand and face as the driven figure does.
    pub fn frames(&self, recorded: &Pose) -> Vec<Isometry> {
        self.recorded.frames_at(self.base(), recorded)
    }

    /// The recorded joint that a driven one is matched with.
    pub fn partner(&self, joint: usize) -> Option<usize> {
        if self.same { Some(joint) } else { self.retarget.as_ref()?.partners[joint] }
    }

    /// Whether any joint is matched.
    pub fn has_partners(&self) -> bool {
        self.same || self.retarget.is_some()
    }

    /// The driven skeleton's pose for a recorded one; none where no joint is matched.
    pub fn pose(&self, recorded: Pose, driven: &Skeleton) -> Option<Pose> {
        if self.same {
            return Some(recorded);
        }
        self.retarget.as_ref().map(|retarget| retarget.pose(&self.recorded, &recorded, driven))
    }

    /// What each effector of the driven scene follows by itself: the point on its joint's partner that stands for it.
    pub fn drives(&self, figure: &Scene, driven: &Scene) -> Vec<Option<Drive>> {
        let drive = |effector: &fabrik3d_scene::SceneEffector| {
            let track = self.partner(effector.effector.joint)?;
            Some(Drive { track, point: self.point_of(figure, track, effector.effector.tip) })
        };
        driven.effectors.iter().map(drive).collect()
    }

    /// The point of a recorded joint that stands for a tip: that of the recorded effector on it, for one that is not in
    /// the joint itself.
    pub fn point_of(&self, figure: &Scene, track: usize, tip: DVec3) -> DVec3 {
        if self.same || tip == DVec3::ZERO {
            return tip;
        }
        let effector = figure.effectors.iter().find(|effector| effector.effector.joint == track);
        effector.map_or(DVec3::ZERO, |effector| effector.effector.tip)
    }

    /// The nearest joint above `joint`, or itself, that goes where its partner went.
    pub fn rider_above(&self, driven: &Skeleton, mut joint: usize) -> Option<usize> {
        loop {
            if self.riders.contains(&joint) {
                return Some(joint);
            }
            joint = driven.joints()[joint].parent?;
        }
    }

    /// How the path of a recorded joint is laid into the driven scene, for an effector on `joint`. Under a joint that
    /// goes along, it is the recorded path to scale. A figure that stays where it is gets the path as seen from the
    /// recorded root.
    ///
    /// `moved` are the recorded frames of [`Fit::frames`], `stance` those of the driven figure as it opened (as it is
    /// now it follows the path, which must not follow it), `reach` that of the effector.
    pub fn placing(
        &self,
        driven: &Skeleton,
        (joint, reach): (usize, f64),
        drive: Drive,
        moved: &[Isometry],
        stance: &[Isometry],
    ) -> Placing {
        let by_names = self.retarget.as_ref().filter(|retarget| retarget.partners[joint].is_some());
        let scale = by_names
            .map_or_else(|| reach / reach_of(&self.recorded, drive.track, drive.point), |retarget| retarget.scale);
        if self.rider_above(driven, joint).is_some() {
            return Placing { scale, turn: DQuat::IDENTITY, shift: DVec3::ZERO };
        }
        let (there, here) = (self.recorded.root(drive.track), driven.root(joint));
        let turned = |skeleton: &Skeleton, base: Isometry, root: usize, frames: &[Isometry]| {
            frames[root].rotation * skeleton.rest_frame(root, base).rotation.conjugate()
        };
        let turn = turned(driven, Isometry::IDENTITY, here, stance)
            * turned(&self.recorded, self.base(), there, moved).conjugate();
        let turn = turn.normalize();
        Placing { scale, turn, shift: stance[here].position - turn * (moved[there].position * scale) }
    }
}

/// How far a point of a joint gets from its root; of a root's own, or one that floats, how far any gets. Above 0.
fn reach_of(skeleton: &Skeleton, joint: usize, point: DVec3) -> f64 {
    let own = Effector::new(joint, point).reach(skeleton);
    if own > 0.0 && skeleton.joints()[joint].kind != Kind::Free {
        return own;
    }
    let root = skeleton.root(joint);
    let joints = (0..skeleton.len()).filter(|&at| skeleton.root(at) == root);
    let farthest = joints.map(|at| Effector::new(at, DVec3::ZERO).reach(skeleton)).fold(own, f64::max);
    if farthest > 0.0 { farthest } else { 1.0 }
}
