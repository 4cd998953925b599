//! The kinematics of the lanes against those of the skeleton.
#![allow(clippy::unwrap_used)]

use super::demand::{Demand, EXACT, IGNORED, OPEN};
use super::lanes::ArmLanes;
use super::step::{Aim, Scratch, evaluate};
use crate::model::freedom::Freedom;
use crate::model::joint::{Joint, Kind, Mimic};
use crate::model::limits::Interval;
use crate::model::pose::Coordinates;
use crate::model::problem::{Effector, Goal, Target};
use crate::model::skeleton::Skeleton;
use crate::model::transform::{Isometry, angle_between};
use crate::random::Random;
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

/// The distance and twice the sine of half the angle between the effector in a pose and its aim.
fn errors<const P: u8, const O: u8>(lanes: &ArmLanes, aim: &Aim<[f64; 1]>, pose: &[Coordinates]) -> [f64; 2] {
    let mount = &lanes.mount;
    let joints = mount.variables.iter().enumerate();
    let variables: Vec<[f64; 1]> = joints.map(|(at, &joint)| [mount.to_lane(at, pose[joint].value())]).collect();
    let mut scratch = Scratch::new(lanes.wide(), 0.0);
    let errors = evaluate::<f64, 1, P, O>((), lanes.wide(), aim, &variables, &mut scratch);
    [errors.distance.sqrt() * mount.unit, errors.angle.sqrt()]
}

type Measure = fn(&ArmLanes, &Aim<[f64; 1]>, &[Coordinates]) -> [f64; 2];

/// For an aim that leaves something open, the errors are those from the nearest frame that the goal accepts.
#[test]
fn open_errors_are_those_of_the_nearest_accepted_frame() {
    let mut random = Random::new(7);
    for at in 0..60 {
        let (skeleton, effector) = crooked_arm(&mut random);
        let spin = Freedom::spin(random.direction() * 3.0);
        let slack = [0.0, 2.0, f64::INFINITY].map(|most| most * (0.1 + random.unit()));
        let slack = DVec3::new(slack[at % 3], slack[(at + 1) % 3], slack[at / 3 % 3]);
        let base = Isometry::new(random.direction(), random.rotation());
        let target = Target::from((random.ball() * 6.0, random.rotation()));
        let here = skeleton.random_pose(&mut random);
        let frame = skeleton.frame_of(base, &here, effector.joint);
        let check = |goal: Goal, demand: Demand, errors: Measure| {
            let lanes = ArmLanes::new(&skeleton, &effector).unwrap().with_freedom(goal.freedom);
            let [distance, chord] = errors(&lanes, &lanes.aim(base, &goal.target, demand).single(), &here);
            let apart = goal.nearest_position(frame).map_or(0.0, |place| place.distance(frame.point(effector.tip)));
            assert!((distance - apart).abs() < 1e-12, "{demand:?}: {distance} {apart}");
            let angle = goal.nearest_rotation(frame).map_or(0.0, |turn| angle_between(turn, frame.rotation));
            assert!(angle > 2.9 || (chord - 2.0 * (0.5 * angle).sin()).abs() < 1e-12, "{demand:?}: {chord} {angle}");
        };
        let goal = |freedom| Goal { freedom, ..Goal::new(effector, target) };
        let point = |goal| Goal { rotation_weight: 0.0, ..goal };
        let turn = |goal| Goal { weight: 0.0, ..goal };
        let boxed = Freedom { slack, ..Freedom::default() };
        let both = Freedom { slack, ..spin };
        check(goal(both), Demand::Both, errors::<OPEN, OPEN>);
        check(goal(spin), Demand::Both, errors::<OPEN, OPEN>);
        check(goal(boxed), Demand::Both, errors::<OPEN, EXACT>);
        check(point(goal(boxed)), Demand::Position, errors::<OPEN, IGNORED>);
        check(turn(goal(spin)), Demand::Orientation, errors::<IGNORED, OPEN>);
    }
}

/// For an aim that is the effector's frame in another pose, the errors are the distance and the angle between the two.
#[test]
fn errors_are_those_of_the_skeleton() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let (skeleton, effector) = crooked_arm(&mut random);
        let lanes = ArmLanes::new(&skeleton, &effector).unwrap();
        let base = Isometry::new(random.direction(), random.rotation());
        let [there, here] = [(); 2].map(|()| skeleton.random_pose(&mut random));
        let [wanted, found] = [&there, &here].map(|pose| skeleton.frame_of(base, pose, effector.joint));
        let target = Target::from((wanted.point(effector.tip), wanted.rotation));
        let aim = lanes.aim(base, &target, Demand::Both).single();
        let errors = |pose: &[Coordinates]| errors::<EXACT, EXACT>(&lanes, &aim, pose);
        let [distance, angle] = errors(&there);
        assert!(distance < 1e-13 && angle < 1e-14, "{distance} {angle}");
        let [distance, chord] = errors(&here);
        let apart: DVec3 = wanted.point(effector.tip) - found.point(effector.tip);
        assert!((distance - apart.length()).abs() < 1e-13, "{distance}");
        // Up to the angle at which the residual is bounded.
        let angle = angle_between(wanted.rotation, found.rotation);
        if angle < 2.9 {
            assert!((chord - 2.0 * (0.5 * angle).sin()).abs() < 1e-13, "{chord} {angle}");
        } else {
            assert!(chord > 1.0, "{chord} {angle}");
        }
    }
}
