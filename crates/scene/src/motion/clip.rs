//! Recorded motion: poses over time, as clips of characters and motion capture give them.

use super::channels::Channels;
use super::keys::Keys;
use fabrik3d_ik::{Pose, Skeleton, mix_poses};
use glam::DVec3;

/// A recorded motion of one skeleton. It is plain data, and independent of what drives the skeleton now.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Name of the clip.
    pub name: String,
    /// Seconds from one frame to the next; above 0.
    pub frame_time: f64,
    /// What was recorded.
    pub recording: Recording,
}

/// The form in which a motion is held: as it came, since that is the smallest.
#[derive(Clone, Debug, PartialEq)]
pub enum Recording {
    /// A pose for each frame.
    Poses(Vec<Pose>),
    /// Euler angles and positions for each frame, of a BVH file.
    Channels(Channels),
    /// Key frames, of a glTF file.
    Keys(Keys),
}

impl Motion {
    /// A motion of these poses, `frame_time` seconds apart.
    pub fn new(name: impl Into<String>, frame_time: f64, poses: Vec<Pose>) -> Self {
        Motion { name: name.into(), frame_time, recording: Recording::Poses(poses) }
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        match &self.recording {
            Recording::Poses(poses) => poses.len(),
            Recording::Channels(channels) => channels.len(),
            // Enough frames to come to the last key; a file that announces an endless clip gets no more than it can count.
            Recording::Keys(keys) => (keys.end() / self.frame_time).ceil().min(1e9) as usize + 1,
        }
    }

    /// Whether there is no frame at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Seconds from the first frame to the last.
    pub fn duration(&self) -> f64 {
        match &self.recording {
            Recording::Keys(keys) => keys.end(),
            _ => self.len().saturating_sub(1) as f64 * self.frame_time,
        }
    }

    /// Pose of a frame, inside the limits of the skeleton that the motion belongs to; beyond the last frame, the last.
    /// The rest pose where there is no frame.
    pub fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let Some(last) = self.len().checked_sub(1) else { return skeleton.rest_pose() };
        let frame = frame.min(last);
        match &self.recording {
            Recording::Poses(poses) => poses[frame].clone(),
            Recording::Channels(channels) => channels.pose(skeleton, frame),
            Recording::Keys(keys) => keys.pose(skeleton, frame as f64 * self.frame_time),
        }
    }

    /// Pose at a time in seconds; between two frames their mixture, outside of the recording its nearest end.
    pub fn pose_at(&self, skeleton: &Skeleton, seconds: f64) -> Pose {
        if let Recording::Keys(keys) = &self.recording {
            return keys.pose(skeleton, seconds);
        }
        let frame = (seconds / self.frame_time).clamp(0.0, self.len().saturating_sub(1) as f64);
        let (before, part) = (frame.floor(), frame.fract());
        let from = self.pose(skeleton, before as usize);
        if part == 0.0 {
            return from;
        }
        let joints: Vec<usize> = (0..skeleton.len()).collect();
        let mut mixed = from.clone();
        mix_poses(skeleton, &joints, &from, &self.pose(skeleton, before as usize + 1), part, &mut mixed);
        mixed
    }

    /// The same motion with so many frames a second, from its first to its last, which stands in the frame that comes next
    /// to its time.
    #[must_use]
    pub fn at_rate(&self, skeleton: &Skeleton, fps: f64) -> Motion {
        if self.is_empty() {
            return self.clone();
        }
        // What goes beyond a whole step by the noise of floats is none more.
        let steps = (self.duration() * fps - 1e-6).ceil().max(0.0) as usize;
        let pose = |step: usize| self.pose_at(skeleton, step as f64 / fps);
        Motion::new(self.name.clone(), 1.0 / fps, (0..=steps).map(pose).collect())
    }

    /// World positions of a joint's point over all frames: a path for a target to follow.
    pub fn positions<'a>(
        &'a self,
        skeleton: &'a Skeleton,
        joint: usize,
        point: DVec3,
    ) -> impl ExactSizeIterator<Item = DVec3> + 'a {
        (0..self.len()).map(move |frame| self.position(skeleton, joint, point, frame))
    }

    /// World position of a joint's point in a frame.
    pub fn position(&self, skeleton: &Skeleton, joint: usize, point: DVec3, frame: usize) -> DVec3 {
        skeleton.frames(&self.pose(skeleton, frame))[joint].point(point)
    }
}
