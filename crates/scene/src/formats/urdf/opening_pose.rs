//! The start pose of a robot arm.
//!
//! URDF does not define one, nor does an MJCF model without a keyframe. With all angles at 0, clamped to the limits, many arms are stretched out: the pose is singular
//! and has joints at their limits, so the first small motion of a target needs a large motion of the arm. Such an arm opens
//! bent instead: where its score is high and no direction of motion of the tip is nearly lost. The rest pose does not change.

use super::tips;
use crate::Scene;
use fabrik3d_ik::collision::{KeepClear, LinkCapsule};
use fabrik3d_ik::maths;
use fabrik3d_ik::queries::{Column, GeometricJacobian, clearance};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Kind, Pose, Problem, Skeleton};
use glam::DVec3;

/// Fewest hinges of an arm. Fewer are a leg, a finger or a head.
const MIN_HINGES: usize = 5;
/// Random poses that tell how far from singular an arm can be.
const SAMPLES: usize = 200;
/// Smallest singular value of the tip's Jacobian, relative to the largest one in the sample, from which a pose counts as far
/// from singular.
const FAR_FROM_SINGULAR: f64 = 0.15;
/// Share of the score that a singular pose keeps.
const SINGULAR_SHARE: f64 = 0.05;
/// Angles that are tried for each joint, degrees.
const ANGLES: [f64; 5] = [0.0, -45.0, 45.0, -90.0, 90.0];
/// Rounds over all joints.
const ROUNDS: usize = 3;
/// Smallest ratio of scores at which a new pose replaces the best one.
const MIN_GAIN: f64 = 1.02;
/// Score of the rest pose, relative to the best pose, from which it is kept.
const KEEP_REST_SCORE: f64 = 0.5;
/// Fraction of a range, from each end, in which a joint is near its limit.
const LIMIT_MARGIN: f64 = 0.15;
/// Added to all squared singular values, so that poses with two lost freedoms score above those with three.
const REGULARIZATION: f64 = 1e-4;
/// Gain in score per mean joint height, both relative; prefers elbows that point up.
const HEIGHT_GAIN: f64 = 0.2;
/// Smallest height of the joints of a bent arm above the ground, relative to the reach.
const CLEARANCE: f64 = 0.05;
/// Smallest distance between the links of two arms, relative to the reach. Links are lines here: their shapes are read later.
///
/// Test: `a_pair_of_arms_opens_apart`.
const ARMS_APART: f64 = 0.15;

/// Opens the robot with bent arms: that of its only effector with a target, or those of its tools and hands.
pub(crate) fn bend_arms(scene: &mut Scene) {
    let ends: Vec<(Effector, bool)> = scene
        .effectors
        .iter()
        .filter(|effector| effector.target.position.is_some())
        .map(|effector| (effector.effector, tips::is_tool_or_hand(&effector.name)))
        .collect();
    let skeleton = &scene.skeleton;
    let mut users = vec![0; skeleton.len()];
    ends.iter().for_each(|(end, _)| skeleton.ancestors(end.joint).for_each(|joint| users[joint] += 1));
    for (end, is_hand) in &ends {
        if ends.len() == 1 || *is_hand {
            bend(skeleton, *end, &|joint| users[joint] == 1, &mut scene.start);
        }
    }
}

/// Puts the targets of the effectors where the opening pose has these.
pub(crate) fn place_targets(scene: &mut Scene) {
    let frames = scene.skeleton.frames(&scene.start);
    for effector in &mut scene.effectors {
        let place = frames[effector.effector.joint].position;
        effector.target.position = effector.target.position.map(|_| place);
    }
}

/// Bends the arm of an effector in `pose`. Only joints for which `is_own` holds may move: those of a single arm.
fn bend(skeleton: &Skeleton, effector: Effector, is_own: &dyn Fn(usize) -> bool, pose: &mut Pose) {
    let rest = pose.clone();
    let mut arm = Arm::new(skeleton, effector, is_own, &rest);
    if arm.joints.len() < MIN_HINGES {
        return;
    }
    arm.keep_apart(is_own, &rest);
    let samples = arm.sample(&rest);
    arm.best_singular = samples.iter().map(|sample| arm.smallest_singular(sample)).fold(0.0, f64::max);
    let mut best = (arm.score(&rest), rest.clone());
    // The first joint rotates the whole arm, which gains nothing.
    let turning: Vec<usize> = arm.joints.iter().rev().skip(1).copied().collect();
    for _ in 0..ROUNDS {
        for &joint in &turning {
            for angle in ANGLES {
                let mut pose = best.1.clone();
                pose[joint] = Coordinates::scalar(inside(skeleton.kind(joint), angle.to_radians()));
                skeleton.follow(&mut pose);
                let score = arm.score(&pose);
                if score > MIN_GAIN * best.0 {
                    best = (score, pose);
                }
            }
        }
    }
    if !arm.is_far_from_singular(&best.1) {
        let scored = samples.into_iter().map(|sample| (arm.score(&sample), sample));
        best = scored.fold(best, |best, other| if other.0 > best.0 { other } else { best });
    }
    if arm.score(&rest) < KEEP_REST_SCORE * best.0 {
        *pose = best.1;
    }
}

/// An angle that a hinge can have. One beyond its limits becomes one that is not near them.
fn inside(kind: &Kind, angle: f64) -> f64 {
    match kind {
        Kind::Hinge { range: Some(range), .. } if !(range.low()..=range.high()).contains(&angle) => {
            let margin = LIMIT_MARGIN * (range.high() - range.low());
            angle.clamp(range.low() + margin, range.high() - margin)
        }
        _ => angle,
    }
}

/// The hinges between a robot's base and a tip.
struct Arm<'a> {
    skeleton: &'a Skeleton,
    effector: Effector,
    /// The hinges, tip to base.
    joints: Vec<usize>,
    reach: f64,
    /// Heights of all joints at first; a joint that is low there may be low.
    low: Vec<f64>,
    /// The links of this arm and those of others from which they are apart at the start.
    apart: Problem,
    /// The largest one in the sample of the smallest singular values of the Jacobian.
    best_singular: f64,
}

impl<'a> Arm<'a> {
    fn new(skeleton: &'a Skeleton, effector: Effector, is_own: &dyn Fn(usize) -> bool, rest: &Pose) -> Self {
        let moves = |&joint: &usize| {
            is_own(joint)
                && matches!(skeleton.kind(joint), Kind::Hinge { .. })
                && skeleton.joints()[joint].mimic.is_none()
        };
        Arm {
            skeleton,
            effector,
            joints: skeleton.ancestors(effector.joint).filter(moves).collect(),
            reach: effector.reach(skeleton),
            low: skeleton.frames(rest).iter().map(|frame| frame.position.z).collect(),
            apart: Problem::default(),
            best_singular: 0.0,
        }
    }

    /// Lets the links of the arm keep apart from those of other arms, if they are apart in `rest`.
    fn keep_apart(&mut self, is_own: &dyn Fn(usize) -> bool, rest: &Pose) {
        let joints = self.skeleton.joints().iter();
        let links = joints.filter_map(|joint| Some((joint.parent?, joint.offset)));
        let (own, others): (Vec<_>, Vec<_>) = links
            .filter(|&(carrier, offset)| is_own(carrier) && offset != DVec3::ZERO)
            .partition(|(carrier, _)| self.skeleton.ancestors(*carrier).any(|joint| self.joints.contains(&joint)));
        let capsule = |&(carrier, end): &(usize, DVec3)| {
            LinkCapsule::new(carrier, [DVec3::ZERO, end], 0.5 * ARMS_APART * self.reach)
        };
        let (first, count) = (own.len(), own.len() + others.len());
        let capsules = own.iter().chain(&others).map(capsule).collect();
        self.apart.keep_clear = KeepClear { capsules, ..KeepClear::default() };
        let pairs = (0..first).flat_map(|a| (first..count).map(move |b| [a, b]));
        let mut apart = Vec::new();
        for pair in pairs {
            self.apart.keep_clear.pairs = vec![pair];
            if self.is_apart(rest) {
                apart.push(pair);
            }
        }
        self.apart.keep_clear.pairs = apart;
    }

    fn is_apart(&self, pose: &Pose) -> bool {
        clearance(self.skeleton, &self.apart, pose).is_none_or(|clearance| clearance.distance > 0.0)
    }

    /// Random poses of the arm.
    fn sample(&self, rest: &Pose) -> Vec<Pose> {
        let mut random = Random::new(1);
        let pose = |_| {
            let (mut pose, random) = (rest.clone(), self.skeleton.random_pose(&mut random));
            self.joints.iter().for_each(|&joint| pose[joint] = random[joint]);
            self.skeleton.follow(&mut pose);
            pose
        };
        (0..SAMPLES).map(pose).collect()
    }

    /// The smallest singular value of the tip's Jacobian, lengths relative to the reach.
    fn smallest_singular(&self, pose: &Pose) -> f64 {
        let values = self.jacobian(pose).map(|jacobian| jacobian.singular_values(&[0, 1, 2, 3, 4, 5]));
        values.and_then(|values| values.last().copied()).unwrap_or(0.0)
    }

    fn is_far_from_singular(&self, pose: &Pose) -> bool {
        self.smallest_singular(pose) >= FAR_FROM_SINGULAR * self.best_singular
    }

    /// How good a start pose is: Yoshikawa's manipulability (1985), reduced near limits and singular poses, 0 below the
    /// ground and at other arms.
    fn score(&self, pose: &Pose) -> f64 {
        let frames = self.skeleton.frames(pose);
        let (mut room, mut height) = (1.0_f64, 0.0);
        for &joint in &self.joints {
            if let Kind::Hinge { range: Some(range), .. } = self.skeleton.kind(joint) {
                let at = pose[joint].value();
                let share = (at - range.low()).min(range.high() - at) / (range.high() - range.low()).max(1e-9);
                room = room.min(share / LIMIT_MARGIN);
            }
            height += frames[joint].position.z / self.reach / self.joints.len() as f64;
        }
        let buried = self.skeleton.ancestors(self.effector.joint).any(|joint| {
            let place: DVec3 = frames[joint].position;
            place.z < self.low[joint].min(CLEARANCE * self.reach) - 1e-9
        });
        let room = REGULARIZATION + room.clamp(0.0, 1.0);
        if buried || !self.is_apart(pose) {
            return 0.0;
        }
        let far = (self.smallest_singular(pose) / (FAR_FROM_SINGULAR * self.best_singular).max(1e-300)).min(1.0);
        let far = SINGULAR_SHARE + (1.0 - SINGULAR_SHARE) * far;
        self.manipulability(pose) * room * far * (1.0 + HEIGHT_GAIN * height)
    }

    /// Manipulability of the tip in position, relative to the reach, and orientation: the geometric mean of the Jacobian's
    /// singular values, with [`REGULARIZATION`].
    fn manipulability(&self, pose: &Pose) -> f64 {
        let Some(mut jacobian) = self.jacobian(pose) else { return 0.0 };
        // The squares of these columns are added to those of the singular values.
        let (none, little) = (DVec3::ZERO, DVec3::AXES.map(|axis| axis * REGULARIZATION.sqrt()));
        let column = |velocity, turn| Column { joint: self.effector.joint, coordinate: 0, velocity, turn };
        jacobian.columns.extend(little.map(|axis| column(axis, none)));
        jacobian.columns.extend(little.map(|axis| column(none, axis)));
        maths::pow(jacobian.manipulability(&[0, 1, 2, 3, 4, 5]), 1.0 / 6.0)
    }

    /// The columns of the arm, lengths relative to the reach.
    fn jacobian(&self, pose: &Pose) -> Option<GeometricJacobian> {
        let mut jacobian = self.skeleton.jacobian(pose, &self.effector)?;
        jacobian.columns.retain(|column| self.joints.contains(&column.joint));
        jacobian.columns.iter_mut().for_each(|column| column.velocity /= self.reach);
        Some(jacobian)
    }
}
