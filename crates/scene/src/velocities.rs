//! Velocity limits of joints: slows a motion down where it would exceed them, but at its jumps.

use crate::motion::clip::mixed;
use crate::motion::{Motion, Recording, Values};
use fabrik3d_ik::{Coordinates, Kind, Pose, Skeleton};

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

impl Motion {
    /// The motion with frames added where a hinge or a slide would be faster than its limit: radians or lengths per second,
    /// one entry per joint, `None` for no limit. Every frame of the motion is kept; between two frames the joints move
    /// evenly. No frame is added before those of `jumps`, which ascend. The motion may have up to `most` frames.
    ///
    /// # Errors
    /// [`VelocityError`] if a joint that moves has the limit 0, or one that is so low that there would be more frames than
    /// that.
    pub fn within_velocities(
        &self,
        skeleton: &Skeleton,
        limits: &[Option<f64>],
        jumps: &[JointJump],
        most: usize,
    ) -> Result<Motion, VelocityError> {
        let mut values = Values::default();
        let mut last: Option<Pose> = None;
        for frame in 0..self.len() {
            let next = self.pose(skeleton, frame);
            let is_jump = jumps.binary_search_by_key(&frame, |jump| jump.frame).is_ok();
            if let Some(before) = last.filter(|_| !is_jump) {
                let steps = self.steps(skeleton, limits, [&before, &next], most.saturating_sub(values.len()))?;
                for step in 1..steps {
                    values.push(skeleton, &between(skeleton, &before, &next, step as f64 / steps as f64));
                }
            }
            values.push(skeleton, &next);
            last = Some(next);
        }
        let recording = Recording::Values(values);
        Ok(Motion { name: self.name.clone(), frame_time: self.frame_time, recording })
    }

    /// The number of frames that the way between two poses takes, up to `left`.
    fn steps(
        &self,
        skeleton: &Skeleton,
        limits: &[Option<f64>],
        [from, to]: [&Pose; 2],
        left: usize,
    ) -> Result<usize, VelocityError> {
        let mut most: f64 = 1.0;
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
            most = most.max((change.abs() / (limit * self.frame_time) - ROUNDING).ceil());
            if most > left as f64 {
                return Err(VelocityError { joint, reason: VelocityReason::TooLow });
            }
        }
        Ok(most as usize)
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

/// Largest turn of a hinge from one frame to the next that is no jump, radians.
const MAX_TURN: f64 = std::f64::consts::FRAC_PI_3;

/// A hinge that turns by more than 60 degrees from one frame to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointJump {
    /// The frame after the jump, counted from 0.
    pub frame: usize,
    /// The joint.
    pub joint: usize,
    /// Angle of the turn, radians.
    pub angle: f64,
}

impl Motion {
    /// For each frame with jumps, the hinge with the largest one. A machine that follows such a motion swings round as fast as
    /// it can.
    pub fn jumps(&self, skeleton: &Skeleton) -> Vec<JointJump> {
        let hinges: Vec<usize> =
            (0..skeleton.len()).filter(|&joint| matches!(skeleton.kind(joint), Kind::Hinge { .. })).collect();
        let mut jumps = Vec::new();
        let mut before = self.pose(skeleton, 0);
        for frame in 1..self.len() {
            let now = self.pose(skeleton, frame);
            let turns = hinges.iter().map(|&joint| (joint, (now[joint].value() - before[joint].value()).abs()));
            let farthest = turns.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, angle)| *angle > MAX_TURN);
            jumps.extend(farthest.map(|(joint, angle)| JointJump { frame, joint, angle }));
            before = now;
        }
        jumps
    }
}
