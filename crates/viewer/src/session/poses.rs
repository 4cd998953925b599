//! The poses of a session.

use fabrik3d_ik::{Coordinates, Isometry, Kind, Pose, Skeleton};
use fabrik3d_scene::{nearest_coordinates, zero_frames};

/// The poses of a session, one entry per joint of the skeleton.
#[derive(Clone, Debug)]
pub(super) struct Poses {
    /// The solver's result.
    pub solved: Pose,
    /// What is drawn: the solved pose, or a pose on the way to it.
    pub displayed: Pose,
    /// The solved pose when the last frame was displayed, and one frame earlier.
    pub shown: [Pose; 2],
    /// The displayed pose before the last jump of the targets.
    pub before_jump: Pose,
    /// Scratch space for an earlier pose.
    pub previous: Pose,
    /// The pose from which stiff joints solve a jump: the one that the figure was last put into, by its file, by a recording or
    /// by joints set by hand.
    pub home: Pose,
    /// The pose in which the present drag began: the home of a drag, so that what was posed before stays.
    pub grabbed: Pose,
}

impl Poses {
    pub fn new(start: &Pose) -> Self {
        let [solved, displayed, before_jump, previous, home, grabbed] = std::array::from_fn(|_| start.clone());
        Poses { solved, displayed, shown: [start.clone(), start.clone()], before_jump, previous, home, grabbed }
    }

    pub fn all(&mut self) -> [&mut Pose; 8] {
        let Poses { solved, displayed, shown: [now, before], before_jump, previous, home, grabbed } = self;
        [solved, displayed, now, before, before_jump, previous, home, grabbed]
    }

    /// The solved pose of these joints was not found by the solver: it is their new home.
    pub fn settle_home(&mut self, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.home[joint] = self.solved[joint]);
        self.grab(joints);
    }

    /// The solved pose of these joints is that in which a drag begins.
    pub fn grab(&mut self, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.grabbed[joint] = self.solved[joint]);
    }

    pub fn display_solved(&mut self, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.displayed[joint] = self.solved[joint]);
    }
}

/// Expresses a pose in joints of other kinds and rest frames. Every joint stays where it is, as far as its new kind allows.
pub(super) fn convert(pose: &mut Pose, from: &Skeleton, to: &Skeleton) {
    let frames = from.frames(pose);
    take_frames(pose, &frames, from, to);
}

/// The same for joints whose axes may lie otherwise in their links, as in files that are read again with other limits.
pub(super) fn convert_links(pose: &mut Pose, from: &Skeleton, to: &Skeleton) {
    let mut frames = from.frames(pose);
    let [before, after] = [from, to].map(|skeleton| zero_frames(skeleton, Isometry::IDENTITY));
    for (frame, (before, after)) in frames.iter_mut().zip(before.iter().zip(&after)) {
        frame.rotation = (frame.rotation * before.rotation.conjugate() * after.rotation).normalize();
    }
    take_frames(pose, &frames, from, to);
}

/// Moves joints that are not the same in two skeletons to these frames, as far as their new kinds allow.
fn take_frames(pose: &mut Pose, frames: &[Isometry], from: &Skeleton, to: &Skeleton) {
    for (at, (old, new)) in from.joints().iter().zip(to.joints()).enumerate() {
        if (old.kind, old.axes, old.rest) == (new.kind, new.axes, new.rest) {
            continue;
        }
        let parent = new.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        let rest = to.rest_frame(at, parent);
        let turn = (rest.rotation.conjugate() * frames[at].rotation).normalize();
        let kind = to.kind(at);
        pose[at] = kind.project(nearest_coordinates(kind, rest.local(frames[at].position), turn));
    }
}

/// A base that a command has freed: what it was before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FreedBase {
    pub joint: usize,
    pub kind: Kind,
    pub coordinates: Coordinates,
}
