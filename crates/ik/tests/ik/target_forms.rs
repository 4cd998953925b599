//! A target has several forms: `q` and `-q` are the same orientation, 0.0 and -0.0 the same number. The answer is the same
//! in all bits.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{Lanes, Wanted, random_case, solve};

use fabrik3d_ik::goals::{Orientation, Pole};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::Level;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver, Target,
};
use glam::{DQuat, DVec3};

/// The same target with the other sign of its quaternion and of its zeros.
fn other_form(target: Target) -> Target {
    let flipped = |number: f64| if number == 0.0 { -number } else { number };
    Target {
        position: target.position.map(|position| DVec3::from_array(position.to_array().map(flipped))),
        orientation: target.orientation.map(|orientation| match orientation {
            Orientation::Rotation(rotation) => Orientation::Rotation(-rotation),
            Orientation::LookAt(point) => Orientation::LookAt(DVec3::from_array(point.to_array().map(flipped))),
        }),
    }
}

/// Every second target gets a zero in its position and is turned half around an axis: such rotations have no sign.
fn with_zeros(targets: &[Target]) -> Vec<Target> {
    let half_turns = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0));
    let change = |(at, target): (usize, &Target)| match at % 2 {
        0 => *target,
        _ => Target {
            position: target.position.map(|position| {
                let mut numbers = position.to_array();
                numbers[at / 2 % 3] = 0.0;
                DVec3::from_array(numbers)
            }),
            orientation: target.rotation().map(|_| Orientation::Rotation(half_turns[at / 2 % 3])),
        },
    };
    targets.iter().enumerate().map(change).collect()
}

fn bits(poses: &[Pose]) -> Vec<u64> {
    let numbers = poses.iter().flatten().flat_map(|coordinates: &Coordinates| <[f64; 7]>::from(*coordinates));
    numbers.map(f64::to_bits).collect()
}

/// What all ways to solve give for targets of one effector.
fn answers(skeleton: &Skeleton, goal: impl Fn(Target) -> Goal, targets: &[Target]) -> (Vec<u64>, Vec<Report>) {
    let problem = |target: &Target| Problem { goals: vec![goal(*target)], ..Problem::default() };
    let problems: Vec<Problem> = targets.iter().map(problem).collect();
    let settings = Settings { max_attempts: 8.try_into().unwrap(), ..Settings::default() };
    let start = skeleton.rest_pose();
    let mut poses = vec![start.clone(); targets.len()];
    let mut solver = Solver::new(skeleton).settings(settings);
    let mut reports = solver.solve_many(&problems, &mut poses);
    for planned in solver.solve_path(&problems, &start) {
        poses.push(planned.0);
        reports.push(planned.1);
    }
    let mut pose = start.clone();
    for problem in problems {
        solver.problem = problem;
        reports.push(solver.track(&mut pose));
        poses.push(pose.clone());
        let mut own = start.clone();
        reports.push(solver.solve(&mut own));
        poses.push(own);
        poses.extend(solver.solutions(&start, 4));
    }
    (bits(&poses), reports)
}

#[test]
fn the_form_of_a_target_does_not_change_the_answer_of_an_arm() {
    for seed in 0..24 {
        let case = random_case(2 + seed % 6, Wanted::ALL[seed % 3], 8, seed as u64);
        let targets = with_zeros(&case.targets);
        let others: Vec<Target> = targets.iter().copied().map(other_form).collect();
        let answers = |targets: &[Target]| answers(&case.skeleton, |target| case.goal(target), targets);
        assert!(answers(&targets) == answers(&others), "seed {seed}");
        let mut arm = Lanes::new(&case, Level::best());
        let mut lanes = |targets: &[Target]| {
            let (angles, reports) = solve(&mut arm, targets, &Settings::default());
            (angles.into_iter().map(f64::to_bits).collect::<Vec<_>>(), reports)
        };
        assert!(lanes(&targets) == lanes(&others), "seed {seed}, table");
    }
}

#[test]
fn the_form_of_a_target_does_not_change_the_answer_of_a_limb() {
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let mut joints: Vec<Joint> = Vec::new();
        for at in 0..5_usize {
            let kind = match random.index(3) {
                0 => Kind::Hinge { axis: random.direction(), range: Interval::new(-1.5, 1.0).ok() },
                _ => Kind::UNLIMITED_BALL,
            };
            // The links of every second limb lie along axes, so that its frames have zeros.
            let direction = if seed % 2 == 0 { DVec3::AXES[random.index(3)] } else { random.direction() };
            joints.push(Joint::new(at.to_string(), at.checked_sub(1), direction * random.range(0.3, 1.0), kind));
        }
        let skeleton = Skeleton::new(joints).unwrap();
        let effector = Effector::new(4, DVec3::Z * 0.3);
        let target = |wanted: &Wanted| wanted.target(&skeleton, &effector, &skeleton.random_pose(&mut random));
        let targets = with_zeros(&Wanted::ALL.iter().cycle().take(6).map(target).collect::<Vec<_>>());
        let others: Vec<Target> = targets.iter().copied().map(other_form).collect();
        let answers = |targets: &[Target]| answers(&skeleton, |target| Goal::new(effector, target), targets);
        assert!(answers(&targets) == answers(&others), "seed {seed}");
        let looks = |at: DVec3| Target::from(Orientation::LookAt(at));
        let points = [DVec3::new(0.0, 1.0, 2.0), DVec3::new(-1.0, 0.0, 0.0), DVec3::ZERO].map(looks);
        let goal = |target: Target| Goal { target, ..Goal::looking_at(effector, DVec3::X, DVec3::ONE) };
        let answers = |targets: &[Target]| crate::target_forms::answers(&skeleton, goal, targets);
        assert!(answers(&points) == answers(&points.map(other_form)), "seed {seed}, points");
    }
}

/// A position of weight 0 pulls on no body and leads no pole.
#[test]
fn a_position_of_weight_0_is_as_good_as_none() {
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let parents = [None, Some(0), Some(1), Some(2), Some(1), Some(4)];
        let joint = |(at, parent): (usize, &Option<usize>)| {
            let offset = random.direction() * random.range(0.3, 1.0);
            Joint::new(at.to_string(), *parent, offset, Kind::UNLIMITED_BALL)
        };
        let skeleton = Skeleton::new(parents.iter().enumerate().map(joint).collect()).unwrap();
        let frames = skeleton.frames(&skeleton.random_pose(&mut random));
        let turned = Target::from(frames[3].rotation);
        let placed = Target { position: Some(random.ball() * 9.0), ..turned };
        let other = Goal::new(Effector::new(5, DVec3::Z), frames[5].point(DVec3::Z));
        let poles = [2, 4].map(|joint| Pole { joint, toward: random.direction() * 9.0 });
        let solved = |target: Target| {
            let own = Goal { weight: 0.0, ..Goal::new(Effector::new(3, DVec3::Z), target) };
            let problem = Problem { goals: vec![own, other], poles: poles.to_vec(), ..Problem::default() };
            let mut pose = skeleton.rest_pose();
            let report = Solver::new(&skeleton).problem(problem).solve(&mut pose);
            (bits(&[pose]), report)
        };
        assert!(solved(placed) == solved(turned), "seed {seed}");
    }
}
