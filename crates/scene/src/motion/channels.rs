//! Channels of a BVH file, and the poses that they describe.

use crate::coordinates::nearest_coordinates;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Pose, Skeleton};
use glam::{DQuat, DVec3};

/// Euler angles (degrees) and positions per frame, as in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Channels {
    /// The channels of each joint, in the skeleton's order.
    pub(crate) layouts: Vec<Layout>,
    /// Values per frame.
    pub(crate) width: usize,
    /// Values of all frames, frame by frame.
    pub(crate) values: Vec<f64>,
}

/// The channels of one joint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    /// Rotation of the rest frame in the file's axes of the joint.
    pub frame: DQuat,
    /// Rotation of the rest frame in the file's axes of the parent.
    pub frame_in_parent: DQuat,
    /// Rotation channels in the order of multiplication.
    pub rotations: Vec<Turn>,
    /// Position channels.
    pub moves: Vec<Turn>,
    /// Part of the position channels that is not displacement from the joint's offset.
    pub shift: DVec3,
}

/// One channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// Axis of the rotation or displacement.
    pub axis: DVec3,
    /// Column in the frame.
    pub column: usize,
}

impl Layout {
    /// The rotation in a frame, in the file's axes.
    pub fn rotation(&self, values: &[f64]) -> DQuat {
        self.rotations
            .iter()
            .fold(DQuat::IDENTITY, |turned, turn| turned * maths::turn(turn.axis, values[turn.column].to_radians()))
    }

    /// The position in a frame as recorded; absent channels are 0.
    pub fn place(&self, values: &[f64]) -> DVec3 {
        self.moves.iter().map(|step| step.axis * values[step.column]).sum()
    }
}

impl Channels {
    /// Number of frames.
    pub(crate) fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// The pose of one frame.
    pub(crate) fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let values = &self.values[frame * self.width..][..self.width];
        let coordinates = |(layout, joint): (&Layout, &fabrik3d_ik::Joint)| {
            // Convert from the file's axes to those of the joint's rest frame.
            let back = layout.frame_in_parent.conjugate();
            let moves = !layout.moves.is_empty();
            let place = if moves { back * (layout.place(values) - layout.shift) } else { DVec3::ZERO };
            nearest_coordinates(&joint.kind, place, (back * layout.rotation(values) * layout.frame).normalize())
        };
        self.layouts.iter().zip(skeleton.joints()).map(coordinates).collect()
    }
}
