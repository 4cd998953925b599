//! Invariants of every solve on a skeleton, independent of the problem and of the stop reason.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::goals::{Attachment, Orientation};
use fabrik3d_ik::queries::{at_limits, goal_errors, loop_gaps, penetration, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Coordinates, Effector, Goal, Isometry};
use fabrik3d_ik::{Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver, Stop};
use fabrik3d_measure::families::{FAMILIES, Family, FamilyCase};
use glam::{DQuat, DVec3};
use std::num::NonZeroU32;

/// Few attempts: the invariants hold whether or not the goals are reached.
fn quick(method: Method) -> Settings {
    let attempts = NonZeroU32::new(4).unwrap();
    Settings { method, max_attempts: attempts, ..Settings::default() }
}

fn solve(case: &FamilyCase, problem: &Problem, settings: &Settings, start: &[Coordinates]) -> (Report, Pose) {
    let mut pose = start.to_vec();
    let mut solver = Solver::new(&case.skeleton).problem(problem.clone()).settings(*settings);
    (solver.solve(&mut pose), pose)
}

/// The problem of a case; in half of the calls with displaced targets.
fn disturbed(case: &FamilyCase, random: &mut Random) -> Problem {
    let mut problem = case.problem.clone();
    if random.unit() < 0.5 {
        for goal in &mut problem.goals {
            let off = random.direction() * random.range(0.0, 2.0);
            goal.target.position = goal.target.position.map(|position| position + off);
            if let Some(Orientation::Rotation(rotation)) = &mut goal.target.orientation {
                *rotation = random.rotation() * *rotation;
            }
        }
    }
    problem
}

fn each_case(per_family: usize, seed: u64, mut check: impl FnMut(&Family, &FamilyCase, &mut Random)) {
    let mut random = Random::new(seed);
    for family in FAMILIES {
        for _ in 0..per_family {
            let case = family.case(&mut random);
            let case = if random.unit() < 0.5 { case.with_random_start(&mut random) } else { case };
            check(family, &case, &mut random);
        }
    }
}

#[test]
fn witnesses_satisfy_their_goals() {
    each_case(20, 1, |family, case, _| {
        assert!(worst_violation(&case.skeleton, &case.witness) <= 1e-12, "{}", family.name);
        assert!(worst_violation(&case.skeleton, &case.start) <= 1e-12, "{}", family.name);
        let errors = goal_errors(&case.skeleton, &case.problem, &case.witness);
        assert!(errors.iter().all(|error| error.position < 1e-12 && error.angle < 1e-7), "{}", family.name);
        let gaps = loop_gaps(&case.skeleton, &case.problem, &case.witness);
        assert!(gaps.iter().all(|&gap| gap < 1e-9), "{}", family.name);
        assert!(penetration(&case.skeleton, &case.problem, &case.witness) <= 0.0, "{}", family.name);
    });
}

/// Independent forward kinematics by matrix multiplication.
fn matrices(skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<glam::DMat4> {
    let mut all: Vec<glam::DMat4> = Vec::new();
    for (joint, now) in skeleton.joints().iter().zip(pose) {
        let parent = joint.parent.map_or(glam::DMat4::IDENTITY, |parent| all[parent]);
        let place = parent * glam::DMat4::from_translation(joint.offset);
        let rest = match joint.axes {
            fabrik3d_ik::joints::Axes::Parent => place * glam::DMat4::from_quat(joint.rest),
            fabrik3d_ik::joints::Axes::World => {
                glam::DMat4::from_translation(place.w_axis.truncate()) * glam::DMat4::from_quat(joint.rest)
            }
        };
        let own = match joint.kind {
            Kind::Fixed => glam::DMat4::IDENTITY,
            Kind::Hinge { axis, .. } => glam::DMat4::from_axis_angle(axis, now.value()),
            Kind::Slide { axis, .. } => glam::DMat4::from_translation(axis * now.value()),
            Kind::Ball { swing: None, twist: None } => glam::DMat4::from_quat(now.ball_rotation()),
            Kind::Ball { .. } => {
                let [a, b] = now.tilt();
                let tilt = a.hypot(b);
                let axis = if tilt > 0.0 { DVec3::new(-b, a, 0.0) / tilt } else { DVec3::X };
                glam::DMat4::from_axis_angle(axis, tilt) * glam::DMat4::from_rotation_z(now.twist())
            }
            Kind::Free => glam::DMat4::from_rotation_translation(now.free_rotation(), now.free_position()),
        };
        all.push(rest * own);
    }
    all
}

#[test]
fn lengths_and_limits_hold_for_every_stop_reason() {
    for method in [Method::Accelerated, Method::Textbook] {
        each_case(12, 2, |family, case, random| {
            let problem = disturbed(case, random);
            let (report, pose) = solve(case, &problem, &quick(method), &case.start);
            let name = family.name;
            assert!(report.error.is_finite() && report.stop != Stop::Refused, "{name}: {report:?}");
            assert!(worst_violation(&case.skeleton, &pose) <= 1e-12, "{name}");
            let frames = case.skeleton.frames(&pose);
            for (frame, matrix) in frames.iter().zip(matrices(&case.skeleton, &pose)) {
                assert!(frame.position.abs_diff_eq(matrix.w_axis.truncate(), 1e-12), "{name}");
                let axis = matrix.transform_vector3(DVec3::X);
                assert!((frame.rotation * DVec3::X).abs_diff_eq(axis, 1e-12), "{name}");
            }
            for (i, joint) in case.skeleton.joints().iter().enumerate() {
                if let (Some(parent), false) = (joint.parent, matches!(joint.kind, Kind::Slide { .. })) {
                    let length = joint.offset.length();
                    let off = frames[i].position.distance(frames[parent].position) - length;
                    assert!(off.abs() <= 1e-12 * length.max(1e-3), "{name}: joint {i} is off by {off}");
                }
                if let Some(mimic) = joint.mimic {
                    let led = mimic.scale * pose[mimic.joint].value() + mimic.offset;
                    assert_eq!(pose[i].value(), led, "{name}: joint {i} does not follow");
                }
            }
        });
    }
}

#[test]
fn the_report_agrees_with_the_pose() {
    each_case(12, 3, |family, case, random| {
        let problem = disturbed(case, random);
        let settings = quick(Method::Accelerated);
        let (report, pose) = solve(case, &problem, &settings, &case.start);
        let errors = goal_errors(&case.skeleton, &problem, &pose);
        let position = errors.iter().map(|error| error.position).fold(0.0, f64::max);
        let angle = errors.iter().map(|error| error.angle).fold(0.0, f64::max);
        let met = position <= settings.tolerance * (1.0 + 1e-6)
            && angle <= settings.rotation_tolerance * (1.0 + 1e-6)
            && loop_gaps(&case.skeleton, &problem, &pose).iter().all(|&gap| gap <= 3e-6)
            && penetration(&case.skeleton, &problem, &pose) <= 2.0 * settings.tolerance;
        assert!(!report.stop.is_reached() || met, "{}: {report:?} {errors:?}", family.name);
        // Effectors on free roots have no reach, and plain chains round differently.
        if problem.loops.is_empty() && family.name != "rope, both ends" {
            assert!((report.error - position).abs() < 1e-9, "{}: {} {position}", family.name, report.error);
        }
    });
}

#[test]
fn results_are_bit_identical_regardless_of_earlier_solves() {
    each_case(4, 4, |family, case, random| {
        let settings = quick(Method::Accelerated);
        let (first, other) = (case.problem.clone(), disturbed(case, random));
        let fresh = solve(case, &first, &settings, &case.start);
        let mut solver = case.solver().settings(settings);
        let mut pose = case.start.clone();
        for _ in 0..2 {
            for problem in [&other, &first] {
                solver.problem = problem.clone();
                pose.copy_from_slice(&case.start);
                let _ = solver.solve(&mut pose);
            }
            assert_eq!(pose, fresh.1, "{}", family.name);
        }
        assert_eq!(solve(case, &first, &settings, &case.start), fresh, "{}", family.name);
    });
}

#[test]
fn goals_and_loops_can_change_between_solves() {
    let arm = |name: &str, at: DVec3| {
        let joints = (0..4).map(|i| {
            let (parent, offset) = if i == 0 { (None, at) } else { (Some(i - 1), DVec3::Y) };
            Joint::new(format!("{name}.{i}"), parent, offset, Kind::UNLIMITED_BALL)
        });
        joints.collect::<Vec<_>>()
    };
    let right = arm("right", DVec3::X).into_iter().map(|joint| Joint { parent: joint.parent.map(|p| p + 4), ..joint });
    let skeleton = Skeleton::new(arm("left", DVec3::NEG_X).into_iter().chain(right).collect()).unwrap();
    let mut pose = skeleton.rest_pose();
    let mut solver = Solver::new(skeleton);
    let hands = [3, 7].map(|joint| Effector::new(joint, DVec3::Y));
    let left = solver.add_goal(Goal::new(hands[0], DVec3::new(-2.0, 2.0, 1.0)));
    assert_eq!(solver.track(&mut pose).stop, Stop::Reached);
    assert_eq!(pose[7], solver.skeleton().rest_pose()[7], "the other arm has no goal");
    // A loop between the hands makes one island of two; without it there are two again.
    solver.problem.loops.push((Attachment { joint: 3, point: DVec3::Y }, Attachment { joint: 7, point: DVec3::Y }));
    for step in 0..50 {
        solver.set_target(left, DVec3::new(-0.5 + 0.02 * f64::from(step), 2.0, 1.0));
        assert_eq!(solver.track(&mut pose).stop, Stop::Reached);
        let tips = hands.map(|hand| solver.frames()[hand.joint].point(hand.tip));
        assert!(tips[0].distance(tips[1]) < 1e-4, "the hands separate at step {step}: {tips:?}");
    }
    solver.problem.loops.clear();
    let other = solver.add_goal(Goal::new(hands[1], DVec3::new(3.0, 1.0, 0.0)));
    assert_eq!(solver.solve(&mut pose).stop, Stop::Reached);
    assert!(solver.frames()[7].point(DVec3::Y).distance(DVec3::new(3.0, 1.0, 0.0)) < 1e-3);
    // Invalid changes are refused and have no effect.
    let (before, frames) = (pose.clone(), solver.frames().to_vec());
    solver.set_target(other, DVec3::NAN);
    assert_eq!(solver.track(&mut pose).stop, Stop::Refused);
    assert!(pose == before && solver.frames() == frames);
    assert_eq!(solver.solve(&mut []).stop, Stop::Refused);
}

#[test]
fn solved_poses_do_not_change() {
    each_case(8, 5, |family, case, _| {
        let (report, pose) = solve(case, &case.problem, &Settings::default(), &case.witness);
        assert_eq!(report.stop, Stop::Reached, "{}", family.name);
        let moved = pose.iter().zip(&case.witness).any(|(a, b)| a != b);
        assert!(!moved || case.skeleton.is_simple_chain(&(0..pose.len()).collect::<Vec<_>>()), "{}", family.name);
    });
}

#[test]
fn the_base_frame_transforms_the_whole_problem() {
    each_case(4, 6, |family, case, random| {
        let keeps_world = case.skeleton.joints().iter().any(|joint| joint.axes == fabrik3d_ik::joints::Axes::World);
        if keeps_world || !case.problem.obstacles.is_empty() {
            return;
        }
        let base = Isometry::new(random.direction() * 3.0, random.rotation());
        let mut problem = Problem { base, ..case.problem.clone() };
        for goal in &mut problem.goals {
            goal.target.position = goal.target.position.map(|position| base.point(position));
            if let Some(Orientation::Rotation(rotation)) = &mut goal.target.orientation {
                *rotation = base.rotation * *rotation;
            }
        }
        let (report, pose) = solve(case, &problem, &Settings::default(), &case.start);
        assert_eq!(report.stop, Stop::Reached, "{}", family.name);
        let frames = case.skeleton.frames_at(base, &pose);
        for goal in &problem.goals {
            if let Some(target) = goal.target.position {
                let frame = frames[goal.effector.joint];
                assert!(frame.point(goal.effector.tip).distance(target) < 1e-3, "{}", family.name);
            }
        }
    });
}

#[test]
fn blended_poses_keep_lengths_and_limits_and_loops_can_be_closed() {
    each_case(8, 7, |family, case, random| {
        let joints: Vec<usize> = (0..case.skeleton.len()).collect();
        let end = if case.problem.loops.is_empty() {
            case.skeleton.random_pose(random)
        } else {
            // Loops are closed in both poses.
            solve(case, &case.problem, &Settings::default(), &case.start).1
        };
        for step in 0..=10 {
            let mut mixed = case.witness.clone();
            mix_poses(&case.skeleton, &joints, &case.witness, &end, f64::from(step) / 10.0, &mut mixed);
            assert!(worst_violation(&case.skeleton, &mixed) <= 1e-12, "{}", family.name);
            let frames = case.skeleton.frames(&mixed);
            for (i, joint) in case.skeleton.joints().iter().enumerate() {
                if let (Some(parent), false) = (joint.parent, matches!(joint.kind, Kind::Slide { .. })) {
                    let off = frames[i].position.distance(frames[parent].position) - joint.offset.length();
                    assert!(off.abs() < 1e-12, "{}", family.name);
                }
                if let (Kind::Hinge { range: Some(_), .. }, Kind::Hinge { .. }) = (joint.kind, joint.kind) {
                    let (a, b) = (case.witness[i].value(), end[i].value());
                    let inside = a.min(b) - 1e-12..=a.max(b) + 1e-12;
                    assert!(
                        inside.contains(&mixed[i].value()),
                        "{}: a limited hinge took the long way round",
                        family.name
                    );
                }
            }
            if !case.problem.loops.is_empty() {
                let gap = case.solver().close_loops(&mut mixed);
                assert!(gap <= 1e-6, "{}: gap {gap}", family.name);
                assert!(worst_violation(&case.skeleton, &mixed) <= 1e-12, "{}", family.name);
            }
        }
    });
}

#[test]
fn the_backward_pass_reaches_targets_and_the_forward_pass_restores_limits() {
    each_case(6, 8, |family, case, _| {
        let mut solver = case.solver();
        let mut pose = case.start.clone();
        let desired = solver.reach_backward(&pose).unwrap().to_vec();
        assert_eq!(solver.frames(), desired);
        let alone = |joint: usize| case.problem.goals.iter().filter(|goal| goal.effector.joint == joint).count() == 1;
        for goal in &case.problem.goals {
            let joint = goal.effector.joint;
            let leaf = case.skeleton.children(joint).is_empty();
            let moves = !matches!(case.skeleton.joints()[joint].kind, Kind::Fixed);
            let tied = case.problem.loops.iter().any(|(a, b)| a.joint == joint || b.joint == joint);
            if let (Some(target), true, true) = (goal.target.position, leaf && moves && alone(joint), !tied) {
                let off = desired[joint].point(goal.effector.tip).distance(target);
                // Obstacles may push the joint itself.
                assert!(off < 1e-9 || !case.problem.obstacles.is_empty(), "{}: {off}", family.name);
            }
        }
        assert!(solver.reach_forward(&mut pose));
        assert!(worst_violation(&case.skeleton, &pose) <= 1e-12, "{}", family.name);
    });
}

#[test]
fn passes_on_a_chain_match_the_paper() {
    let mut random = Random::new(9);
    for _ in 0..50 {
        let case = Family::named("chain of 10, unlimited").unwrap().case(&mut random).with_random_start(&mut random);
        let mut solver = case.solver();
        let mut pose = case.start.clone();
        let points = |pose: &[Coordinates]| {
            let frames = case.skeleton.frames(pose);
            let mut points: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
            points.push(frames[9].point(case.problem.goals[0].effector.tip));
            points
        };
        let mut expected = points(&pose);
        let target = case.problem.goals[0].target.position.unwrap();
        for _ in 0..5 {
            passes::backward(&mut expected, &[0.1; 10], target);
            let desired = solver.reach_backward(&pose).unwrap();
            for (frame, point) in desired.iter().zip(&expected) {
                assert!(frame.position.abs_diff_eq(*point, 1e-10));
            }
            passes::forward(&mut expected, &[0.1; 10], DVec3::ZERO);
            assert!(solver.reach_forward(&mut pose));
            for (point, other) in points(&pose).iter().zip(&expected) {
                assert!(point.abs_diff_eq(*other, 1e-10));
            }
        }
    }
}

#[test]
fn poses_stopped_by_limits_have_joints_at_limits() {
    each_case(4, 10, |family, case, _| {
        // Distant targets: the skeleton is either at a limit or stretched.
        let mut problem = case.problem.clone();
        for goal in &mut problem.goals {
            goal.target.position = goal.target.position.map(|position| position + DVec3::new(30.0, -20.0, 10.0));
        }
        let (report, pose) = solve(case, &problem, &quick(Method::Accelerated), &case.start);
        if report.stop == Stop::Limited && problem.obstacles.is_empty() {
            assert!(!at_limits(&case.skeleton, &pose, 1e-6).is_empty(), "{}", family.name);
        }
    });
}

#[test]
fn invalid_input_is_refused_and_leaves_the_pose_unchanged() {
    each_case(1, 11, |family, case, _| {
        let mut broken: Vec<Problem> = Vec::new();
        let mut with = |change: &dyn Fn(&mut Problem)| {
            let mut problem = case.problem.clone();
            change(&mut problem);
            broken.push(problem);
        };
        with(&|problem| problem.goals[0].target.position = Some(DVec3::new(f64::NAN, 0.0, 0.0)));
        let zero = Orientation::Rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        with(&|problem| problem.goals[0].target.orientation = Some(zero));
        with(&|problem| problem.goals[0].weight = f64::INFINITY);
        with(&|problem| problem.goals[0].weight = -1.0);
        with(&|problem| problem.goals[0].effector.joint = 1000);
        with(&|problem| problem.base.position.x = f64::NAN);
        with(&|problem| problem.link_radius = f64::NAN);
        for problem in &broken {
            let (report, pose) = solve(case, problem, &Settings::default(), &case.start);
            assert_eq!(report.stop, Stop::Refused, "{}", family.name);
            assert_eq!(pose, case.start, "{}", family.name);
        }
        let mut short = case.start[1..].to_vec();
        let report = Solver::new(&case.skeleton).problem(case.problem.clone()).solve(&mut short);
        assert_eq!(report.stop, Stop::Refused, "{}", family.name);
    });
}
