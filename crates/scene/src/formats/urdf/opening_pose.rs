//! The pose that a robot arm opens in.
//!
//! A description gives none. With all angles at 0, or moved into the limits from there, many arms lie stretched out: in
//! a singular pose, and with joints at their limits, where the first small turn of a target asks for a leap. Where that
//! is so, an arm opens bent instead. The rest pose stays what it is.

use fabrik3d_ik::{Column, Coordinates, Effector, Kind, Pose, Skeleton};
use glam::DVec3;

/// Fewest moving joints of an arm that can place and turn its tip.
const ARM: usize = 6;
/// Angles that are tried for each joint, degrees.
const ANGLES: [f64; 5] = [0.0, -45.0, 45.0, -90.0, 90.0];
/// Rounds over all joints.
const ROUNDS: usize = 3;
/// How much better a pose must be for a joint to be turned.
const BETTER: f64 = 1.02;
/// As good as this, of the best found, the pose with all angles at 0 is kept.
const GOOD: f64 = 0.5;
/// Part of a range, from each end, in which a joint counts as near its limit.
const MARGIN: f64 = 0.15;
/// What is put to the squares of all singular values: lets a pose that has lost two freedoms be better than one that has lost three.
const LEAST: f64 = 1e-4;
/// How much a pose gains by standing up, of reach for reach: elbows are up rather than down.
const UPRIGHT: f64 = 0.2;
/// Height above the ground that the joints of a bent arm keep, of the reach.
const CLEARANCE: f64 = 0.05;

/// The pose in which an arm with this effector opens: the rest pose where that will do.
pub(crate) fn opening_pose(skeleton: &Skeleton, effector: Effector) -> Pose {
    let rest = skeleton.rest_pose();
    let arm = Arm::new(skeleton, effector);
    if arm.joints.len() < ARM {
        return rest;
    }
    let mut best = (arm.worth(&rest), rest.clone());
    // The first joint turns the whole arm: nothing is gained by it.
    let turning: Vec<usize> = arm.joints.iter().rev().skip(1).copied().collect();
    for _ in 0..ROUNDS {
        for &joint in &turning {
            for angle in ANGLES {
                let mut pose = best.1.clone();
                pose[joint] = skeleton.kind(joint).project(Coordinates::scalar(angle.to_radians()));
                skeleton.follow(&mut pose);
                let worth = arm.worth(&pose);
                if worth > BETTER * best.0 {
                    best = (worth, pose);
                }
            }
        }
    }
    if arm.worth(&rest) >= GOOD * best.0 { rest } else { best.1 }
}

/// The hinges between a robot's base and a tip.
struct Arm<'a> {
    skeleton: &'a Skeleton,
    effector: Effector,
    /// Tip to base.
    joints: Vec<usize>,
    reach: f64,
    /// Heights of all joints at rest: what is low there may be low.
    low: Vec<f64>,
}

impl<'a> Arm<'a> {
    fn new(skeleton: &'a Skeleton, effector: Effector) -> Self {
        let moves = |&joint: &usize| {
            matches!(skeleton.kind(joint), Kind::Hinge { .. }) && skeleton.joints()[joint].mimic.is_none()
        };
        Arm {
            skeleton,
            effector,
            joints: skeleton.ancestors(effector.joint).filter(moves).collect(),
            reach: effector.reach(skeleton),
            low: skeleton.frames(&skeleton.rest_pose()).iter().map(|frame| frame.position.z).collect(),
        }
    }

    /// How good a pose is to go on from: how far the tip can be moved and turned in all directions (Yoshikawa's
    /// manipulability, 1985), less near limits, nothing in the ground.
    fn worth(&self, pose: &Pose) -> f64 {
        let frames = self.skeleton.frames(pose);
        let (mut room, mut height) = (1.0_f64, 0.0);
        for &joint in &self.joints {
            if let Kind::Hinge { range: Some(range), .. } = self.skeleton.kind(joint) {
                let at = pose[joint].value();
                let share = (at - range.low()).min(range.high() - at) / (range.high() - range.low()).max(1e-9);
                room = room.min(share / MARGIN);
            }
            height += frames[joint].position.z / self.reach / self.joints.len() as f64;
        }
        let buried = self.skeleton.ancestors(self.effector.joint).any(|joint| {
            let place: DVec3 = frames[joint].position;
            place.z < self.low[joint].min(CLEARANCE * self.reach) - 1e-9
        });
        let room = LEAST + room.clamp(0.0, 1.0);
        if buried { 0.0 } else { self.manipulability(pose) * room * (1.0 + UPRIGHT * height) }
    }

    /// How far the tip can be moved, in parts of the reach, and turned in all directions: the geometric mean of the
    /// Jacobian's singular values, each with [`LEAST`] put to it.
    fn manipulability(&self, pose: &Pose) -> f64 {
        let Some(mut jacobian) = self.skeleton.jacobian(pose, &self.effector) else { return 0.0 };
        jacobian.columns.retain(|column| self.joints.contains(&column.joint));
        jacobian.columns.iter_mut().for_each(|column| column.velocity /= self.reach);
        // The squares of what these columns bring are added to those of all singular values.
        let (none, little) = (DVec3::ZERO, DVec3::AXES.map(|axis| axis * LEAST.sqrt()));
        let column = |velocity, turn| Column { joint: self.effector.joint, coordinate: 0, velocity, turn };
        jacobian.columns.extend(little.map(|axis| column(axis, none)));
        jacobian.columns.extend(little.map(|axis| column(none, axis)));
        jacobian.manipulability(&[0, 1, 2, 3, 4, 5]).powf(1.0 / 6.0)
    }
}
