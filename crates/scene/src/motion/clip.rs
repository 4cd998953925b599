//! A recorded motion and its poses.

use super::channels::Channels;
use super::keys::Keys;
use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Isometry, Kind, Pose, Skeleton};
use glam::DVec3;
use std::borrow::Cow;

/// Fraction of a frame that rounding errors may add to a duration.
const ROUNDING: f64 = 1e-6;
/// Fraction of a duration that rounding errors may add to it: key times have single precision.
const KEY_ROUNDING: f64 = f32::EPSILON as f64;

/// A recorded motion of one skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Name of the clip or file.
    pub name: String,
    /// Seconds from one frame to the next, above 0.
    pub frame_time: f64,
    /// The recorded data.
    pub recording: Recording,
}

/// The recorded data in the form of the file, which needs the least memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Recording {
    /// One pose per frame.
    Poses(Vec<Pose>),
    /// One pose per frame, of joints that leave their places on their parents.
    Moved(MovedPoses),
    /// The values of all joints per frame.
    Values(Values),
    /// Channels of a BVH file: Euler angles and positions per frame.
    Channels(Channels),
    /// Key frames of a glTF file.
    Keys(Keys),
}

/// Poses, and where joints are that leave their places on their parents.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedPoses {
    /// The pose of each frame, with the joints that are elsewhere in it, each with its offset.
    frames: Vec<(Pose, Vec<(usize, DVec3)>)>,
    /// The joints that are elsewhere in any frame, ascending.
    moved: Vec<usize>,
}

impl MovedPoses {
    /// Where a joint is on its parent in a frame.
    fn offset(&self, skeleton: &Skeleton, frame: usize, joint: usize) -> DVec3 {
        let elsewhere = self.frames[frame].1.iter().find(|(at, _)| *at == joint);
        elsewhere.map_or(skeleton.joints()[joint].offset, |(_, offset)| *offset)
    }
}

impl Motion {
    /// A motion of poses that are `frame_time` seconds apart, each with the joints that are elsewhere on their parents than in the
    /// skeleton, and their offsets.
    pub fn with_offsets(name: impl Into<String>, frame_time: f64, frames: Vec<(Pose, Vec<(usize, DVec3)>)>) -> Self {
        let mut moved: Vec<usize> = frames.iter().flat_map(|(_, own)| own.iter().map(|(joint, _)| *joint)).collect();
        moved.sort_unstable();
        moved.dedup();
        if moved.is_empty() {
            return Motion::new(name, frame_time, frames.into_iter().map(|(pose, _)| pose).collect());
        }
        Motion { name: name.into(), frame_time, recording: Recording::Moved(MovedPoses { frames, moved }) }
    }

    /// A motion of poses that are `frame_time` seconds apart.
    pub fn new(name: impl Into<String>, frame_time: f64, poses: Vec<Pose>) -> Self {
        Motion { name: name.into(), frame_time, recording: Recording::Poses(poses) }
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        match &self.recording {
            Recording::Poses(poses) => poses.len(),
            Recording::Moved(poses) => poses.frames.len(),
            Recording::Values(values) => values.len(),
            Recording::Channels(channels) => channels.len(),
            // The last frame is at or after the last key. The bound keeps absurd key times countable.
            Recording::Keys(keys) => {
                let frames = keys.end / self.frame_time;
                (frames - ROUNDING.max(KEY_ROUNDING * frames)).ceil().clamp(0.0, 1e9) as usize + 1
            }
        }
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is more than a pose.
    pub fn lasts(&self) -> bool {
        self.duration() > 0.0
    }

    /// Seconds from the first frame to the last.
    pub fn duration(&self) -> f64 {
        match &self.recording {
            Recording::Keys(keys) => keys.end,
            _ => self.len().saturating_sub(1) as f64 * self.frame_time,
        }
    }

    /// Pose of a frame, as recorded: ball joints take it also beyond their limits. Frames after the last one give the last
    /// pose; a motion without frames gives the rest pose.
    pub fn pose(&self, skeleton: &Skeleton, frame: usize) -> Pose {
        let Some(last) = self.len().checked_sub(1) else { return skeleton.rest_pose() };
        let frame = frame.min(last);
        match &self.recording {
            Recording::Poses(poses) => poses[frame].clone(),
            Recording::Moved(poses) => poses.frames[frame].0.clone(),
            Recording::Values(values) => values.pose(skeleton, frame),
            Recording::Channels(channels) => channels.pose(skeleton, frame),
            Recording::Keys(keys) => keys.pose(skeleton, frame as f64 * self.frame_time),
        }
    }

    /// Pose at a time in seconds, interpolated between frames and clamped to the recording.
    pub fn pose_at(&self, skeleton: &Skeleton, seconds: f64) -> Pose {
        if let Recording::Keys(keys) = &self.recording {
            return keys.pose(skeleton, seconds);
        }
        let (before, part) = self.frame_at(seconds);
        let from = self.pose(skeleton, before);
        if part == 0.0 {
            return from;
        }
        let to = self.pose(skeleton, before + 1);
        let mut mixed = mixed(skeleton, &from, &to, part);
        // Limits must not change how a recording is interpolated.
        for at in 0..skeleton.len() {
            let kind = skeleton.kind(at);
            if matches!(kind, Kind::Ball { .. }) && !kind.is_unlimited_ball() {
                let [from, to] = [&from, &to].map(|pose| kind.rotation(&pose[at]));
                mixed[at] = Kind::ball_coordinates(maths::part_way(from, to, part));
            }
        }
        mixed
    }

    /// The frame before a time, clamped to the recording, and how far the time is on the way to the next one, 0 to 1.
    fn frame_at(&self, seconds: f64) -> (usize, f64) {
        let frame = (seconds / self.frame_time).clamp(0.0, self.len().saturating_sub(1) as f64);
        (frame.floor() as usize, frame.fract())
    }

    /// The joints that leave their places on their parents, ascending: clips of glTF files may translate any joint, and
    /// scale it. Free joints are not among them: their poses tell where they are.
    pub fn moved_joints(&self) -> &[usize] {
        match &self.recording {
            Recording::Keys(keys) => &keys.moved,
            Recording::Moved(poses) => &poses.moved,
            _ => &[],
        }
    }

    /// The [moved joints](Motion::moved_joints) at a time in seconds, each with its offset then.
    pub fn offsets_at(&self, skeleton: &Skeleton, seconds: f64) -> Vec<(usize, DVec3)> {
        match &self.recording {
            Recording::Keys(keys) => keys.offsets(skeleton, seconds),
            Recording::Moved(poses) => {
                let (before, part) = self.frame_at(seconds);
                let after = (before + 1).min(self.len() - 1);
                let offset = |joint: usize| {
                    let [from, to] = [before, after].map(|frame| poses.offset(skeleton, frame, joint));
                    (joint, from.lerp(to, part))
                };
                poses.moved.iter().map(|&joint| offset(joint)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The weights of all morphs of the scene at a time in seconds; `rest` are those of the file. None if it changes no weight.
    pub fn morph_weights_at(&self, rest: &[f32], seconds: f64) -> Option<Vec<f32>> {
        let Recording::Keys(keys) = &self.recording else { return None };
        keys.has_weights().then(|| {
            let mut weights = rest.to_vec();
            keys.set_weights(seconds, &mut weights);
            weights
        })
    }

    /// The skeleton with its links as long as the recording has them at a time in seconds.
    pub fn skeleton_at<'a>(&self, skeleton: &'a Skeleton, seconds: f64) -> Cow<'a, Skeleton> {
        let mut moved = Cow::Borrowed(skeleton);
        for (joint, offset) in self.offsets_at(skeleton, seconds) {
            // Offsets are finite.
            let _ = moved.to_mut().set_offset(joint, offset);
        }
        moved
    }

    /// World frames of all joints in a frame, as recorded: joints that the recording moves on their parents are there.
    pub fn frames(&self, skeleton: &Skeleton, frame: usize) -> Vec<Isometry> {
        let moved = self.skeleton_at(skeleton, frame as f64 * self.frame_time);
        moved.frames(&self.pose(skeleton, frame))
    }

    /// The motion resampled at `fps` frames per second. The last frame is the first one at or after the end of the recording.
    #[must_use]
    pub fn at_rate(&self, skeleton: &Skeleton, fps: f64) -> Motion {
        if self.is_empty() {
            return self.clone();
        }
        if let Recording::Keys(_) = self.recording {
            return Motion { frame_time: 1.0 / fps, ..self.clone() };
        }
        let steps = (self.duration() * fps - ROUNDING).ceil().max(0.0) as usize;
        let times = (0..=steps).map(|step| step as f64 / fps);
        let frames = times.map(|time| (self.pose_at(skeleton, time), self.offsets_at(skeleton, time)));
        Motion::with_offsets(self.name.clone(), 1.0 / fps, frames.collect())
    }
}

/// Two poses mixed: a share of 0 gives the first one.
pub(crate) fn mixed(skeleton: &Skeleton, from: &Pose, to: &Pose, share: f64) -> Pose {
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    let mut mixed = from.clone();
    mix_poses(skeleton, &joints, from, to, share, &mut mixed);
    mixed
}

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
