//! Solved poses as the numbers that their joints have, which need a seventh of the memory of poses.

use fabrik3d_ik::{Coordinates, Pose, Skeleton};

/// The values of all joints per frame, in the order of the skeleton ([`Coordinates::values`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    frames: usize,
    /// Values of all frames, frame by frame.
    values: Vec<f64>,
}

impl Values {
    /// Adds the pose of the next frame. All poses are of the same skeleton.
    pub fn push(&mut self, skeleton: &Skeleton, pose: &[Coordinates]) {
        let values = pose.iter().enumerate().flat_map(|(joint, own)| own.values(skeleton.kind(joint)));
        self.values.extend(values);
        self.frames += 1;
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// The pose of a frame. Frames that do not exist give the rest pose.
    pub(crate) fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let mut pose = skeleton.rest_pose();
        let width = self.values.len() / self.frames.max(1);
        let mut rest = self.values.get(frame * width..(frame + 1) * width).unwrap_or_default();
        for (joint, coordinates) in pose.iter_mut().enumerate() {
            let kind = skeleton.kind(joint);
            let Some((own, others)) = rest.split_at_checked(kind.coordinate_count()) else { break };
            rest = others;
            if let Some(own) = Coordinates::from_values(kind, own) {
                *coordinates = own;
            }
        }
        pose
    }

    /// Bytes per frame of this skeleton.
    pub fn frame_bytes(skeleton: &Skeleton) -> usize {
        let numbers: usize = (0..skeleton.len()).map(|joint| skeleton.kind(joint).coordinate_count()).sum();
        numbers * size_of::<f64>()
    }
}
