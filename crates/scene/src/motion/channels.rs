//! Recorded channels, and the poses they stand for.

use crate::coordinates::nearest_coordinates;
use fabrik3d_ik::{Pose, Skeleton};
use glam::{DQuat, DVec3};

/// Euler angles (degrees) and positions for each frame, as a BVH file holds them.
#[derive(Clone, Debug, PartialEq)]
pub struct Channels {
    joints: Vec<Layout>,
    width: usize,
    /// Frame after frame.
    values: Vec<f64>,
}

/// How the channels of one joint become its coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    /// Rest frame in the file's axes.
    pub frame: DQuat,
    /// Rotations, in the order in which they are multiplied.
    pub rotations: Vec<Turn>,
    /// Moves along the axes.
    pub moves: Vec<Turn>,
    /// What the moves hold besides the way from the joint's offset.
    pub shift: DVec3,
}

/// One channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// Axis that it turns about or moves along.
    pub axis: DVec3,
    /// Column in the frame.
    pub column: usize,
}

impl Channels {
    /// `values` holds whole frames of `width` numbers.
    pub(crate) fn new(joints: Vec<Layout>, width: usize, values: Vec<f64>) -> Self {
        Channels { joints, width, values }
    }

    /// How the channels of each joint become its coordinates, in the skeleton's order.
    pub(crate) fn layouts(&self) -> &[Layout] {
        &self.joints
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The numbers of one frame, in file order.
    pub fn frame(&self, frame: usize) -> &[f64] {
        &self.values[frame * self.width..][..self.width]
    }

    /// The pose of one frame.
    pub(crate) fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let values = self.frame(frame);
        let coordinates = |(layout, joint): (&Layout, &fabrik3d_ik::Joint)| {
            let rotation = layout.rotations.iter().fold(DQuat::IDENTITY, |turned, turn| {
                turned * DQuat::from_axis_angle(turn.axis, values[turn.column].to_radians())
            });
            let place: DVec3 = layout.moves.iter().map(|step| step.axis * values[step.column]).sum();
            // The recorded turn is in the file's axes; the joint's own are turned by the rest frame against those.
            let back = layout.frame.conjugate();
            let place = if layout.moves.is_empty() { DVec3::ZERO } else { back * (place - layout.shift) };
            nearest_coordinates(&joint.kind, place, (back * rotation * layout.frame).normalize())
        };
        self.joints.iter().zip(skeleton.joints()).map(coordinates).collect()
    }
}
