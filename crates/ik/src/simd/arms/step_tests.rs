//! The step of the lanes against the scalar one.
#![allow(clippy::unwrap_used)]

use super::arm::{ArmLanes, EXACT, IGNORED, OPEN};
use super::step::{Aim, DAMPING, Scratch, evaluate, step};
use crate::layout::Layout;
use crate::model::{
    Coordinates, Effector, Freedom, Goal, Interval, Isometry, Joint, Kind, Mimic, Problem, Settings, Skeleton, Target,
};
use crate::random::Random;
use crate::simd::Engine;
use crate::simd::level::{Baseline, baseline};
use crate::simd::real::Number;
use crate::step::{Step, Terms};
use crate::tasks::evaluation::{Derivatives, Evaluation};
use crate::tasks::objective::Objective;
use crate::tasks::orientation::REACHES_PER_RADIAN;
use crate::tree::refine::limits::{Limits, StartPose};
use fearless_simd::{SimdBase, f64x2};
use glam::DVec3;

/// Hinges and slides with crooked axes, a fixed joint, and one joint that follows another.
fn crooked_arm(random: &mut Random) -> (Skeleton, Effector) {
    let range = Interval::new(-2.0, 2.5).ok();
    let mut joints: Vec<Joint> = Vec::new();
    for at in 0..9_usize {
        let kind = match at {
            3 | 6 => Kind::Slide { axis: random.direction(), range },
            5 => Kind::Fixed,
            _ => Kind::Hinge { axis: random.direction(), range },
        };
        let joint = Joint::new(format!("{at}"), at.checked_sub(1), random.direction() * 2.0, kind);
        joints.push(Joint { rest: random.rotation(), ..joint });
    }
    joints[4].mimic = Some(Mimic { joint: 7, scale: -0.6, offset: 0.2 });
    joints[8].mimic = Some(Mimic { joint: 3, scale: 1.4, offset: -0.1 });
    (Skeleton::new(joints).unwrap(), Effector::new(8, random.direction()))
}

type Double = f64x2<Baseline>;

/// The variables of a pose in the lanes.
fn variables_of(lanes: &ArmLanes, pose: &[Coordinates]) -> Vec<[f64; 2]> {
    let joints = lanes.mount.variables.iter().enumerate();
    joints.map(|(at, &joint)| [lanes.mount.to_lane(at, pose[joint].value()); 2]).collect()
}

/// Moves the variables of `pose` by one step of the lanes. Returns the coordinates of the variables, and the damping.
fn lane_step<const P: u8, const O: u8>(lanes: &ArmLanes, aim: &Aim<[f64; 2]>, pose: &[Coordinates]) -> (Vec<f64>, f64) {
    let (mount, mut variables) = (&lanes.mount, variables_of(lanes, pose));
    let mut scratch = Scratch::new(&lanes.wide, Double::splat(baseline(), 0.0));
    let errors = evaluate::<Double, 2, P, O>(baseline(), &lanes.wide, aim, &variables, &mut scratch);
    step::<Double, 2, P, O>(baseline(), &lanes.wide, &errors, &mut variables, &mut scratch);
    let coordinate =
        |(at, [variable, _]): (usize, &[f64; 2])| mount.to_coordinate(at, *variable, pose[mount.variables[at]].value());
    let moved = variables.iter().enumerate().map(coordinate).collect();
    (moved, DAMPING * (errors.distance[0] + errors.angle[0]) + f64::LEAST_DAMPING)
}

type LaneStep = fn(&ArmLanes, &Aim<[f64; 2]>, &[Coordinates]) -> (Vec<f64>, f64);

/// `pose` after one scalar step without further rounds of clamping. `None` for errors of nearly half a turn, which the
/// lanes bound.
fn scalar_step(
    skeleton: &Skeleton,
    problem: &Problem,
    unit: f64,
    damping: f64,
    pose: &[Coordinates],
) -> Option<Vec<Coordinates>> {
    let layout = Layout::new(skeleton, problem, &[0], |_| true);
    let settings = Settings::default();
    let objective = &Objective::new(skeleton, problem, &layout, &settings);
    let mut evaluation = Evaluation { frames: skeleton.frames_at(problem.base, pose), ..Evaluation::default() };
    let angle = evaluation.evaluate(objective, pose).angle;
    let mut own = Step::default();
    Derivatives::default().fill(objective, pose, &evaluation, &[], &mut own.jacobian);
    // The lanes measure lengths in their unit, and angles by the chord.
    let rows = evaluation.residuals.len();
    let turns = if problem.goals[0].requests_orientation() { rows - 3..rows } else { rows..rows };
    for row in 0..rows {
        let is_turn = turns.contains(&row);
        let scale = if is_turn { 1.0 / REACHES_PER_RADIAN } else { layout.goals[0].size / unit };
        let chord = if is_turn && angle > 0.0 { 2.0 * (0.5 * angle).sin() / angle } else { 1.0 };
        evaluation.residuals[row] *= scale * chord;
        own.jacobian.values.iter_mut().skip(row).step_by(rows).for_each(|value| *value *= scale);
    }
    // The lanes measure slides in their unit, too.
    let mut compliance = vec![1.0; layout.columns];
    for active in &layout.active_joints {
        if matches!(skeleton.kind(active.joint), Kind::Slide { .. }) {
            compliance[active.column] = (unit / layout.length).powi(2);
        }
    }
    let start = StartPose { objective, pose, evaluation: &evaluation };
    let terms = Terms {
        residuals: &evaluation.residuals,
        compliance: &compliance,
        damping,
        longest: f64::INFINITY,
        slides: &[],
    };
    let (mut limits, mut moved) = (Limits::default(), pose.to_vec());
    limits.begin(objective, &mut own);
    limits.pin(&start, true, &mut own);
    own.take(&terms, |own| {
        limits.advance(&start, own, &mut moved);
        false
    });
    (angle < 2.9).then_some(moved)
}

/// The lanes take the step of [`crate::step`]: the same residuals and derivatives, the same columns blocked by limits, the
/// same solution, the same clamping.
#[test]
fn a_step_of_the_lanes_is_the_scalar_step() {
    let mut random = Random::new(9);
    let mut compared = 0;
    for at in 0..300 {
        let (skeleton, effector) = crooked_arm(&mut random);
        let base = Isometry::new(random.direction(), random.rotation());
        let [mut here, there] = [(); 2].map(|()| skeleton.random_pose(&mut random));
        // Some joints are at a limit.
        for joint in [0, 1, 2, 6] {
            if random.unit() < 0.3 {
                here[joint] = Coordinates::scalar(if random.unit() < 0.5 { -2.0 } else { 2.5 });
            }
        }
        skeleton.follow(&mut here);
        let there = skeleton.frame_of(base, &there, effector.joint);
        let target = Target::from((there.point(effector.tip), there.rotation));
        let slack = DVec3::new(0.0, random.unit(), f64::INFINITY);
        let boxed = Freedom { slack, ..Freedom::default() };
        let spin = Freedom::spin(random.direction());
        let (freedom, weights, lane_step): (Freedom, [f64; 2], LaneStep) = match at % 6 {
            0 => (Freedom::default(), [1.0, 0.0], lane_step::<EXACT, IGNORED>),
            1 => (Freedom::default(), [0.0, 1.0], lane_step::<IGNORED, EXACT>),
            2 => (Freedom::default(), [1.0, 1.0], lane_step::<EXACT, EXACT>),
            3 => (boxed, [1.0, 0.0], lane_step::<OPEN, IGNORED>),
            4 => (spin, [0.0, 1.0], lane_step::<IGNORED, OPEN>),
            _ => (Freedom { slack, ..spin }, [1.0, 1.0], lane_step::<OPEN, OPEN>),
        };
        let [weight, rotation_weight] = weights;
        let goal = Goal { weight, rotation_weight, freedom, ..Goal::new(effector, target) };
        let problem = Problem { goals: vec![goal], base, ..Problem::default() };
        let lanes = ArmLanes::new(&skeleton, &goal, Engine::best()).unwrap();
        let (moved, damping) = lane_step(&lanes, &lanes.aim(base, &target).splat(), &here);
        let unit = lanes.mount.unit;
        let Some(scalar) = scalar_step(&skeleton, &problem, unit, damping, &here) else { continue };
        compared += 1;
        for (&joint, value) in lanes.mount.variables.iter().zip(moved) {
            let other = scalar[joint].value();
            let demand = lanes.demand;
            assert!((value - other).abs() < 1e-9 * unit.max(1.0), "{demand:?}, joint {joint}: {value} {other}");
        }
    }
    assert!(compared > 200, "{compared}");
}
