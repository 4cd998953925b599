//! The poses of a session.

use fabrik3d_ik::{Coordinates, Kind, Pose};

/// The poses of a session, one entry per joint of the skeleton.
#[derive(Clone, Debug)]
pub(super) struct Poses {
    /// The solver's result.
    pub solved: Pose,
    /// What is drawn: the solved pose, or a pose on the way to it.
    pub displayed: Pose,
    /// The pose in which the running blends started.
    pub blend_start: Pose,
    /// Scratch space for an earlier pose.
    pub previous: Pose,
}

impl Poses {
    /// All poses equal to `start`.
    pub fn new(start: &Pose) -> Self {
        let [solved, displayed, blend_start, previous] = std::array::from_fn(|_| start.clone());
        Poses { solved, displayed, blend_start, previous }
    }

    /// Displays the solved pose in these joints.
    pub fn display_solved(&mut self, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.displayed[joint] = self.solved[joint]);
    }
}

/// A base that a command has freed: what it was before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FreedBase {
    pub joint: usize,
    pub kind: Kind,
    pub coordinates: Coordinates,
}
