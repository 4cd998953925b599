//! Velocity limits of joints: how far they get in a time; slows a motion down where it would exceed them, but at its jumps.

use crate::Scene;
use crate::motion::clip::mixed;
use crate::motion::{Motion, Recording, Values};
use fabrik3d_ik::{Coordinates, Kind, Pose, Skeleton};
use std::iter::once;

/// Why no motion keeps the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityError {
    /// The joint.
    pub joint: usize,
    /// What is wrong with its limit.
    pub reason: VelocityReason,
}

/// What is wrong with a velocity limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VelocityReason {
    /// It is 0, and the joint has to move.
    Zero,
    /// It is so low that the motion would have too many frames.
    TooLow,
}

/// Share of a frame that counts as rounding.
const ROUNDING: f64 = 1e-9;

impl Scene {
    /// How far each joint gets in this number of seconds at its velocity limit: radians, or lengths for slides; infinite for
    /// joints without a limit, and none if no joint has one. A loop that tracks a target gives it to
    /// [`Problem::max_steps`](fabrik3d_ik::Problem::max_steps), with the time between two calls.
    pub fn max_steps(&self, seconds: f64) -> Vec<f64> {
        self.velocity_limits.iter().map(|limit| limit.map_or(f64::INFINITY, |limit| limit * seconds)).collect()
    }
}

impl Motion {
    /// The motion with frames added where a hinge or a slide would be faster than its limit: radians or lengths per second,
    /// one entry per joint, `None` for no limit. Every frame of the motion is kept. `ways` says for each frame but the first how
    /// the joints come to it: evenly from pose to pose through these, or with a jump, where no frame is added, and none after the end
    /// of the list. The motion may have up to `most` frames.
    ///
    /// # Errors
    /// [`VelocityError`] if a joint that moves has the limit 0, or one that is so low that there would be more frames than
    /// that.
    pub fn within_velocities(
        &self,
        skeleton: &Skeleton,
        limits: &[Option<f64>],
        ways: &[Option<Vec<Pose>>],
        most: usize,
    ) -> Result<Motion, VelocityError> {
        let mut values = Values::default();
        let mut last: Option<Pose> = None;
        for frame in 0..self.len() {
            let next = self.pose(skeleton, frame);
            if let (Some(before), Some(Some(way))) = (&last, frame.checked_sub(1).and_then(|before| ways.get(before))) {
                let through: Vec<&Pose> = once(before).chain(way).chain(once(&next)).collect();
                let mut left = most.saturating_sub(values.len()) as f64;
                // Where the even way takes one frame, there is nothing to add.
                if self.time(skeleton, limits, [before, &next], left)? > 1.0 {
                    let mut times = Vec::with_capacity(through.len());
                    for pair in through.windows(2) {
                        times.push(self.time(skeleton, limits, [pair[0], pair[1]], left)?);
                        left -= times[times.len() - 1];
                    }
                    add_evenly(skeleton, &through, &times, &mut values);
                }
            }
            values.push(skeleton, &next);
            last = Some(next);
        }
        let recording = Recording::Values(values);
        Ok(Motion { name: self.name.clone(), frame_time: self.frame_time, recording })
    }

    /// The frames that the even way between two poses takes, up to `most`; parts count.
    fn time(
        &self,
        skeleton: &Skeleton,
        limits: &[Option<f64>],
        [from, to]: [&Pose; 2],
        most: f64,
    ) -> Result<f64, VelocityError> {
        let mut time: f64 = 0.0;
        for (joint, limit) in limits.iter().enumerate().take(skeleton.len()) {
            let (Some(limit), Some(change)) = (limit, change(skeleton.kind(joint), &from[joint], &to[joint])) else {
                continue;
            };
            if change.abs() <= ROUNDING {
                continue;
            }
            if *limit <= 0.0 {
                return Err(VelocityError { joint, reason: VelocityReason::Zero });
            }
            time = time.max(change.abs() / (limit * self.frame_time) - ROUNDING);
            if time > most {
                return Err(VelocityError { joint, reason: VelocityReason::TooLow });
            }
        }
        Ok(time)
    }
}

/// Adds the frames between the first and the last of these poses, which takes so many frames from each to the next.
fn add_evenly(skeleton: &Skeleton, through: &[&Pose], times: &[f64], values: &mut Values) {
    let total: f64 = times.iter().sum();
    let frames = total.ceil();
    let (mut at, mut begun) = (0, 0.0);
    for frame in 1..frames as usize {
        let time = total * frame as f64 / frames;
        while at + 1 < times.len() && begun + times[at] < time {
            begun += times[at];
            at += 1;
        }
        let share = ((time - begun) / times[at].max(f64::MIN_POSITIVE)).min(1.0);
        values.push(skeleton, &between(skeleton, through[at], through[at + 1], share));
    }
}

/// The change of a hinge or a slide, whole turns included: that is what a machine reads from the file.
fn change(kind: &Kind, from: &Coordinates, to: &Coordinates) -> Option<f64> {
    matches!(kind, Kind::Hinge { .. } | Kind::Slide { .. }).then(|| to.value() - from.value())
}

fn between(skeleton: &Skeleton, from: &Pose, to: &Pose, share: f64) -> Pose {
    let mut pose = mixed(skeleton, from, to, share);
    for joint in 0..skeleton.len() {
        if let Some(change) = change(skeleton.kind(joint), &from[joint], &to[joint]) {
            pose[joint] = Coordinates::scalar(from[joint].value() + share * change);
        }
    }
    pose
}
