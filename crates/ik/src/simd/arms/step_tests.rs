//! The kinematics of the lanes against those of the skeleton, and their step against the scalar one.
#![allow(clippy::unwrap_used)]

use super::arm::{ArmLanes, EXACT, IGNORED, OPEN};
use super::step::{Aim, DAMPING, Scratch, evaluate, step};
use crate::layout::Layout;
use crate::model::{
    Coordinates, Effector, Freedom, Goal, Interval, Isometry, Joint, Kind, Mimic, Problem, Settings, Skeleton, Target,
    angle_between,
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

/// The distance and twice the sine of half the angle between the effector in a pose and its aim.
fn errors<const P: u8, const O: u8>(lanes: &ArmLanes, aim: &Aim<[f64; 2]>, pose: &[Coordinates]) -> [f64; 2] {
    let mut scratch = Scratch::new(&lanes.wide, Double::splat(baseline(), 0.0));
    let variables = variables_of(lanes, pose);
    let errors = evaluate::<Double, 2, P, O>(baseline(), &lanes.wide, aim, &variables, &mut scratch);
    [errors.distance[0].sqrt() * lanes.mount.unit, errors.angle[0].sqrt()]
}

type Measure = fn(&ArmLanes, &Aim<[f64; 2]>, &[Coordinates]) -> [f64; 2];

/// The errors are the distance and the angle from the nearest frame that the goal accepts, also in the pose that the target
/// is from.
#[test]
fn errors_are_those_from_the_nearest_accepted_frame() {
    let mut random = Random::new(7);
    for at in 0..60 {
        let (skeleton, effector) = crooked_arm(&mut random);
        let spin = Freedom::spin(random.direction() * 3.0);
        let slack = [0.0, 2.0, f64::INFINITY].map(|most| most * (0.1 + random.unit()));
        let slack = DVec3::new(slack[at % 3], slack[(at + 1) % 3], slack[at / 3 % 3]);
        let base = Isometry::new(random.direction(), random.rotation());
        let [there, here] = [(); 2].map(|()| skeleton.random_pose(&mut random));
        let wanted = skeleton.frame_of(base, &there, effector.joint);
        let check = |goal: Goal, errors: Measure| {
            let lanes = ArmLanes::new(&skeleton, &goal, Engine::best()).unwrap();
            let demand = lanes.demand;
            let aim = lanes.aim(base, &goal.target).splat();
            for pose in [&there, &here] {
                let frame = skeleton.frame_of(base, pose, effector.joint);
                let [distance, chord] = errors(&lanes, &aim, pose);
                let apart = goal.nearest_position(frame).map_or(0.0, |place| place.distance(frame.point(effector.tip)));
                assert!((distance - apart).abs() < 1e-13, "{demand:?}: {distance} {apart}");
                let angle = goal.nearest_rotation(frame).map_or(0.0, |turn| angle_between(turn, frame.rotation));
                // Up to the angle at which the residual is bounded.
                let is_right =
                    if angle < 2.9 { (chord - 2.0 * (0.5 * angle).sin()).abs() < 1e-13 } else { chord > 1.0 };
                assert!(is_right, "{demand:?}: {chord} {angle}");
            }
        };
        let target = Target::from((wanted.point(effector.tip), wanted.rotation));
        let goal = |freedom| Goal { freedom, ..Goal::new(effector, target) };
        let point = |goal| Goal { rotation_weight: 0.0, ..goal };
        let turn = |goal| Goal { weight: 0.0, ..goal };
        let boxed = Freedom { slack, ..Freedom::default() };
        check(goal(Freedom::default()), errors::<EXACT, EXACT>);
        check(goal(Freedom { slack, ..spin }), errors::<OPEN, OPEN>);
        check(goal(spin), errors::<OPEN, OPEN>);
        check(goal(boxed), errors::<OPEN, EXACT>);
        check(point(goal(boxed)), errors::<OPEN, IGNORED>);
        check(turn(goal(spin)), errors::<IGNORED, OPEN>);
    }
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
    let layout = Layout::new(skeleton, problem, &[0]);
    let settings = Settings::default();
    let objective = &Objective::new(skeleton, problem, &layout, &settings);
    let mut evaluation = Evaluation { frames: skeleton.frames_at(problem.base, pose), ..Evaluation::default() };
    let angle = evaluation.evaluate(objective, pose).angle;
    let mut own = Step::default();
    Derivatives::default().fill(objective, pose, &evaluation, &mut own.jacobian);
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
    let terms = Terms { residuals: &evaluation.residuals, compliance: &compliance, damping, longest: f64::INFINITY };
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
