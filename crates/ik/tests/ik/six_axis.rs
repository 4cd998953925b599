//! The branches of arms with six hinges: all of them, exact, inside the limits, also in singular poses.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::random_arm;
use crate::six_axis_cases::{LAYOUTS, Layout, Ranges, SPECIAL};
use fabrik3d_ik::arms::{ArmFamily, NoClosedForm};
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::queries::{angle_between, goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Isometry, Joint, Kind, Pose, Problem, Settings, SixAxisArm, Skeleton, Solver,
};
use glam::DQuat;
use std::f64::consts::TAU;

/// An arm, a pose of it, and the problem that the pose solves.
struct Case {
    skeleton: Skeleton,
    arm: SixAxisArm,
    problem: Problem,
    pose: Pose,
}

impl Case {
    fn new(layout: &Layout, ranges: Ranges, random: &mut Random) -> Self {
        loop {
            let (skeleton, effector) = layout.arm(ranges, random);
            let pose = skeleton.random_pose(random);
            // Arms with axes that lie in the same way at random may never be rigid.
            if layout.family.is_some() || smallest_singular_value(&skeleton, &effector, &pose) > 1e-6 {
                return Case::at(skeleton, effector, pose);
            }
        }
    }

    fn at(skeleton: Skeleton, effector: Effector, pose: Pose) -> Self {
        let arm = SixAxisArm::new(&skeleton, &effector).unwrap();
        let frame = skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint);
        let goal = Goal::new(effector, (frame.point(effector.tip), frame.rotation));
        Case { skeleton, arm, problem: Problem { goals: vec![goal], ..Problem::default() }, pose }
    }

    fn angles(&self, pose: &[Coordinates]) -> [f64; 6] {
        std::array::from_fn(|at| pose[self.arm.joints()[at]].value())
    }

    fn solutions(&self, near: &[f64; 6]) -> Vec<[f64; 6]> {
        let target = self.problem.goals[0].target;
        self.arm.solutions(target.position.unwrap(), target.rotation().unwrap(), near)
    }

    fn pose_of(&self, angles: &[f64; 6]) -> Pose {
        let mut pose = self.skeleton.rest_pose();
        for (&joint, &angle) in self.arm.joints().iter().zip(angles) {
            pose[joint] = Coordinates::scalar(angle);
        }
        pose
    }

    /// Distance relative to the arm's size, or angle, whichever is larger; by the kinematics of the skeleton.
    fn error(&self, angles: &[f64; 6]) -> f64 {
        let error = goal_errors(&self.skeleton, &self.problem, &self.pose_of(angles))[0];
        error.position.max(error.angle)
    }
}

/// The smallest singular value of the Jacobian, with positions relative to the arm's size.
fn smallest_singular_value(skeleton: &Skeleton, effector: &Effector, pose: &[Coordinates]) -> f64 {
    let mut jacobian = skeleton.jacobian(pose, effector).unwrap();
    jacobian.columns.iter_mut().for_each(|column| column.velocity /= effector.size(skeleton));
    jacobian.singular_values(&[0, 1, 2, 3, 4, 5])[5]
}

/// The largest difference of two poses on the circle.
fn apart(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let angle = |(a, b): (&f64, &f64)| ((a - b) / TAU - ((a - b) / TAU).round()).abs() * TAU;
    a.iter().zip(b).map(angle).fold(0.0, f64::max)
}

#[test]
fn the_pose_that_made_the_target_is_among_the_branches() {
    let mut random = Random::new(21);
    for layout in LAYOUTS.iter().chain([&SPECIAL]) {
        let (mut missing, mut counts) = (0, [0; 17]);
        for _ in 0..1000 {
            let case = Case::new(layout, Ranges::None, &mut random);
            assert!(layout.family.is_none_or(|family| family == case.arm.family()), "{}", layout.name);
            let known = case.angles(&case.pose);
            let found = case.solutions(&[0.0; 6]);
            for angles in &found {
                assert!(case.error(angles) < 1e-9, "{}: {:e}", layout.name, case.error(angles));
                let (position, rotation) = case.arm.forward(angles);
                let target = case.problem.goals[0].target;
                assert!(
                    position.distance(target.position.unwrap())
                        < 1e-9 * case.problem.goals[0].effector.size(&case.skeleton),
                    "{}",
                    layout.name
                );
                assert!(angle_between(rotation, target.rotation().unwrap()) < 1e-7, "{}", layout.name);
            }
            for (at, angles) in found.iter().enumerate() {
                assert!(found[..at].iter().all(|other| apart(angles, other) > 1e-7), "{}", layout.name);
            }
            counts[found.len()] += 1;
            // Next to a singular pose, rounding errors of the target move the angles.
            missing += usize::from(found.iter().all(|angles| apart(angles, &known) > 1e-4));
        }
        assert_eq!(missing, 0, "{}: {counts:?}", layout.name);
    }
}

/// Newton's method from a dense sample of starts finds nothing else.
#[test]
fn a_numeric_search_finds_no_other_branch() {
    let mut random = Random::new(22);
    for layout in LAYOUTS.iter().chain([&SPECIAL]) {
        for _ in 0..6 {
            let case = Case::new(layout, Ranges::None, &mut random);
            let found = case.solutions(&[0.0; 6]);
            let settings = Settings { tolerance: 1e-9, rotation_tolerance: 1e-9, ..Settings::default() };
            let mut solver = Solver::new(&case.skeleton).problem(case.problem.clone()).settings(settings);
            for _ in 0..60 {
                let mut pose = case.skeleton.random_pose(&mut random);
                if solver.solve(&mut pose).stop.is_reached() {
                    let numeric = case.angles(&pose);
                    let nearest = found.iter().map(|angles| apart(angles, &numeric)).fold(f64::INFINITY, f64::min);
                    assert!(nearest < 1e-3, "{}: {nearest} from {numeric:?}", layout.name);
                }
            }
        }
    }
}

#[test]
fn limits_select_branches_and_whole_turns() {
    let mut random = Random::new(23);
    for layout in LAYOUTS.iter().chain([&SPECIAL]) {
        for _ in 0..200 {
            let case = Case::new(layout, Ranges::Mixed, &mut random);
            let (known, near) = (case.angles(&case.pose), case.angles(&case.skeleton.random_pose(&mut random)));
            let found = case.solutions(&near);
            assert!(found.iter().any(|angles| apart(angles, &known) < 1e-4), "{}", layout.name);
            for angles in &found {
                assert_eq!(worst_violation(&case.skeleton, &case.pose_of(angles)), 0.0);
                assert!(case.error(angles) < 1e-9);
                // No whole turn brings a joint nearer to the start.
                for at in 0..6 {
                    for turn in [-TAU, TAU] {
                        let mut other = *angles;
                        other[at] += turn;
                        let allowed = worst_violation(&case.skeleton, &case.pose_of(&other)) == 0.0;
                        assert!(!allowed || (other[at] - near[at]).abs() + 1e-9 >= (angles[at] - near[at]).abs());
                    }
                }
            }
            let moves: Vec<f64> = found.iter().map(|angles| case.arm.largest_move(&near, angles)).collect();
            assert!(moves.is_sorted());
        }
    }
}

/// All hinges at multiples of a quarter turn: arms with right angles are often singular there.
#[test]
fn singular_poses_give_finite_solutions_and_the_pose_itself() {
    let mut random = Random::new(24);
    for layout in LAYOUTS.iter().chain([&SPECIAL]) {
        for _ in 0..100 {
            let Case { skeleton, arm, problem, mut pose } = Case::new(layout, Ranges::None, &mut random);
            for &joint in arm.joints() {
                pose[joint] = Coordinates::scalar(random.index(4) as f64 * TAU / 4.0 - TAU / 4.0);
            }
            let case = Case::at(skeleton, problem.goals[0].effector, pose);
            let near = case.angles(&case.pose);
            let found = case.solutions(&near);
            assert!(!found.is_empty(), "{}", layout.name);
            // Joints that can turn against each other stay. Rounding errors grow to their square root where solutions meet.
            assert!(found.iter().any(|angles| apart(angles, &near) < 1e-3), "{}: {near:?}", layout.name);
            for angles in &found {
                assert!(angles.iter().all(|angle| angle.is_finite()) && case.error(angles) < 1e-9, "{}", layout.name);
            }
        }
    }
}

/// Robot descriptions hold rounded numbers, such as 1.5708: axes are nearly parallel, and nearly meet.
#[test]
fn rounded_models_have_their_branches_too() {
    let mut random = Random::new(29);
    for layout in &LAYOUTS {
        for digits in 4..12 {
            for _ in 0..40 {
                let (exact, effector) = layout.arm(Ranges::None, &mut random);
                let (size, unit) = (effector.size(&exact), 10_f64.powi(-digits));
                let round = |joint: &Joint, random: &mut Random| {
                    let offset = joint.offset + random.direction() * (unit * size);
                    let turn = DQuat::from_scaled_axis(random.direction() * unit);
                    Joint { offset, rest: joint.rest * turn, ..joint.clone() }
                };
                let joints = exact.joints().iter().map(|joint| round(joint, &mut random));
                let skeleton = Skeleton::new(joints.collect()).unwrap();
                let pose = skeleton.random_pose(&mut random);
                let case = Case::at(skeleton, effector, pose);
                let (known, found) = (case.angles(&case.pose), case.solutions(&[0.0; 6]));
                assert!(found.iter().all(|angles| case.error(angles) < 1e-9));
                // With about nine digits, branches that nearly meet can be lost.
                let is_singular = smallest_singular_value(&case.skeleton, &effector, &case.pose) < 1e-3;
                let is_found = found.iter().any(|angles| apart(angles, &known) < 1e-4);
                assert!(is_found || is_singular && digits > 6, "{} {digits}", layout.name);
            }
        }
    }
}

/// Axes that nearly lie as a closed form needs them have none, so that their solutions are eigenvalues. Each is next to one of the
/// closed form of the exact axes, and the other way round.
#[test]
fn closed_forms_and_eigenvalues_agree() {
    let mut random = Random::new(30);
    let closed = LAYOUTS.iter().filter(|layout| layout.family != Some(ArmFamily::General));
    let mut compared = 0;
    for layout in closed {
        for _ in 0..40 {
            let exact = Case::new(layout, Ranges::None, &mut random);
            let effector = exact.problem.goals[0].effector;
            let mut tilt = |joint: &Joint| {
                let turn = DQuat::from_scaled_axis(random.direction() * 1e-6);
                Joint { rest: joint.rest * turn, ..joint.clone() }
            };
            let tilted = Skeleton::new(exact.skeleton.joints().iter().map(&mut tilt).collect()).unwrap();
            let tilted = Case::at(tilted, effector, exact.pose.clone());
            compared += usize::from(tilted.arm.family() == ArmFamily::General);
            let near = exact.angles(&exact.pose);
            let target = exact.problem.goals[0].target;
            let (position, rotation) = (target.position.unwrap(), target.rotation().unwrap());
            let [one, other] = [&exact, &tilted].map(|case| case.arm.solutions(position, rotation, &near));
            for (case, own, others) in [(&exact, &one, &other), (&tilted, &other, &one)] {
                for angles in own {
                    let is_singular = smallest_singular_value(&case.skeleton, &effector, &case.pose_of(angles)) < 1e-3;
                    let is_common = others.iter().any(|other| apart(angles, other) < 1e-2);
                    assert!(is_singular || is_common, "{}: {angles:?}", layout.name);
                }
            }
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn solvers_list_the_same_branches() {
    let mut random = Random::new(25);
    for layout in &LAYOUTS {
        for _ in 0..20 {
            let case = Case::new(layout, Ranges::Mixed, &mut random);
            let start = case.skeleton.random_pose(&mut random);
            let mut solver = Solver::new(&case.skeleton).problem(case.problem.clone());
            let poses = solver.solutions(&start, 16);
            let own = case.solutions(&case.angles(&start));
            assert_eq!(poses.len(), own.len());
            for pose in &poses {
                assert!(own.contains(&case.angles(pose)));
                let other = case.skeleton.find("other").unwrap();
                assert_eq!(pose[other], start[other], "joints off the arm keep still");
            }
            assert!(solver.solutions(&start, 2).iter().eq(poses.iter().take(2)));
        }
    }
}

#[test]
fn a_moved_base_moves_the_arm() {
    let mut random = Random::new(26);
    for layout in LAYOUTS.iter().cycle().take(10 * LAYOUTS.len()) {
        let case = Case::new(layout, Ranges::Mixed, &mut random);
        let base = Isometry::new(random.direction(), random.rotation());
        let mut problem = case.problem.clone();
        problem.base = base;
        let target = &mut problem.goals[0].target;
        target.position = target.position.map(|position| base.point(position));
        target.orientation = target.rotation().map(|rotation| Orientation::Rotation(base.rotation * rotation));
        let start = case.skeleton.rest_pose();
        let angles = |problem: Problem| -> Vec<[f64; 6]> {
            let poses = Solver::new(&case.skeleton).problem(problem).solutions(&start, 16);
            poses.iter().map(|pose| case.angles(pose)).collect()
        };
        let (moved, still) = (angles(problem), angles(case.problem.clone()));
        assert_eq!(moved.len(), still.len(), "{}", layout.name);
        // Rounding decides the order of poses that are equally far from the start.
        let from_start = |angles: &[f64; 6]| case.arm.largest_move(&case.angles(&start), angles);
        for (one, other) in moved.iter().zip(&still) {
            assert!((from_start(one) - from_start(other)).abs() < 1e-6, "{}", layout.name);
            assert!(still.iter().any(|other| apart(one, other) < 1e-6), "{}", layout.name);
            assert!(moved.iter().any(|one| apart(one, other) < 1e-6), "{}", layout.name);
        }
    }
}

#[test]
fn targets_out_of_reach_have_no_branch() {
    let mut random = Random::new(27);
    for layout in &LAYOUTS {
        let case = Case::new(layout, Ranges::None, &mut random);
        let target = case.problem.goals[0].target;
        let far = target.position.unwrap() + random.direction() * 1e4;
        assert!(case.arm.solutions(far, target.rotation().unwrap(), &[0.0; 6]).is_empty());
        let nan = glam::DVec3::NAN;
        assert!(case.arm.solutions(nan, target.rotation().unwrap(), &[0.0; 6]).is_empty());
    }
}

#[test]
fn other_arms_say_why_they_have_no_closed_form() {
    let mut random = Random::new(28);
    let (skeleton, effector) = LAYOUTS[0].arm(Ranges::None, &mut random);
    let joints = |count: usize| Effector::new(skeleton.find(&format!("hinge {count}")).unwrap(), effector.tip);
    assert_eq!(SixAxisArm::new(&skeleton, &joints(4)), Err(NoClosedForm::JointCount(5)));
    let mut longer = skeleton.joints().to_vec();
    longer.push(Joint { parent: Some(effector.joint), name: "seventh".into(), ..longer.last().unwrap().clone() });
    let longer = Skeleton::new(longer).unwrap();
    let seventh = Effector::new(longer.len() - 1, effector.tip);
    assert_eq!(SixAxisArm::new(&longer, &seventh), Err(NoClosedForm::JointCount(7)));
    for _ in 0..100 {
        let (skeleton, effector) = random_arm(6, &mut random);
        let slides = (0..skeleton.len()).any(|joint| matches!(skeleton.kind(joint), Kind::Slide { .. }));
        match SixAxisArm::new(&skeleton, &effector) {
            Err(reason) => assert!(
                matches!(reason, NoClosedForm::NotHinges(_))
                    && (slides || skeleton.joints().iter().any(|joint| joint.mimic.is_some())),
                "{reason}"
            ),
            Ok(_) => assert!(!slides),
        }
    }
}
