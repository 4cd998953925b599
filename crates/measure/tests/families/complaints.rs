//! Known complaints about other solvers, one test each.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Interval, Swing};
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Settings, Skeleton, Solver, Stop};
use fabrik3d_measure::families::{FAMILIES, Family};
use fabrik3d_measure::motion::largest_turn;
use glam::{DQuat, DVec3};

fn degrees(tilts: [f64; 4]) -> Option<Swing> {
    Swing::new(tilts.map(f64::to_radians)).ok()
}

fn hinge(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Hinge { axis, range: Interval::new(low.to_radians(), high.to_radians()).ok() }
}

fn family(name: &str) -> Family {
    Family::named(name).unwrap()
}

/// Caliko #17: circular cones instead of the paper's ellipses.
#[test]
fn complaint_2_limits_are_ellipses_not_circles() {
    let ball = Kind::Ball { swing: degrees([80.0, 10.0, 20.0, 40.0]), twist: None };
    let skeleton = Skeleton::new(vec![Joint::new("ball", None, DVec3::ZERO, ball)]).unwrap();
    for (direction, wide) in [(DVec3::X, 80.0), (DVec3::Y, 10.0), (DVec3::NEG_X, 20.0), (DVec3::NEG_Y, 40.0)] {
        let (sin, cos) = f64::to_radians(wide + 3.0).sin_cos();
        let mut pose = skeleton.rest_pose();
        let report =
            Solver::new(&skeleton).goal(Effector::new(0, DVec3::Z), direction * sin + DVec3::Z * cos).solve(&mut pose);
        assert_eq!(report.stop, Stop::Limited);
        let link = skeleton.frames(&pose)[0].point(DVec3::Z);
        assert!((link.angle_between(DVec3::Z).to_degrees() - wide).abs() < 1e-3, "{direction}");
    }
}

/// Caliko #2: local hinges snap from side to side.
#[test]
fn complaint_3_hinges_do_not_snap() {
    let joints = (0..5).map(|i| {
        let axis = if i % 2 == 0 { DVec3::Y } else { DVec3::X };
        let offset = if i == 0 { DVec3::ZERO } else { DVec3::Z };
        Joint::new(format!("{i}"), usize::checked_sub(i, 1), offset, hinge(axis, -100.0, 100.0))
    });
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let mut pose = skeleton.rest_pose();
    let hand = Effector::new(4, DVec3::Z);
    for step in 0..400 {
        let angle = f64::from(step) * 0.02;
        let target = DVec3::new(angle.cos(), angle.sin(), 2.5 + 0.5 * (3.0 * angle).sin());
        let before = pose.clone();
        let report = Solver::new(&skeleton).goal(hand, target).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
        assert!(step == 0 || largest_turn(&skeleton, &before, &pose) < 0.3, "frame {step}");
    }
}

/// Caliko #11: a target reachable within limits is missed unless it is approached slowly.
#[test]
fn complaint_4_reachable_targets_are_reached_from_rest() {
    let mut random = Random::new(4);
    for family in FAMILIES {
        for _ in 0..10 {
            let case = family.case(&mut random);
            let mut pose = case.start.clone();
            let report = Solver::new(&case.skeleton).problem(case.problem.clone()).solve(&mut pose);
            assert_eq!(report.stop, Stop::Reached, "{}", family.name);
        }
    }
}

/// Caliko #3: only one target per chain.
#[test]
fn complaint_5_one_chain_can_have_several_effectors() {
    let ball = Kind::Ball { swing: degrees([70.0; 4]), twist: Interval::new(-0.5, 0.5).ok() };
    let joints = (0..9).map(|i| {
        let offset = if i == 0 { DVec3::ZERO } else { DVec3::Z };
        Joint::new(format!("{i}"), usize::checked_sub(i, 1), offset, ball)
    });
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let mut random = Random::new(5);
    for _ in 0..30 {
        let witness = skeleton.frames(&skeleton.random_pose(&mut random));
        let effectors = [2, 5, 8].map(|joint| Effector::new(joint, DVec3::Z));
        let goals = effectors.map(|effector| Goal::new(effector, witness[effector.joint].point(DVec3::Z)));
        let problem = Problem { goals: goals.to_vec(), ..Problem::default() };
        let mut pose = skeleton.rest_pose();
        let report = Solver::new(&skeleton).problem(problem).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
    }
}

/// THREE.IK #3, #2: positions alone cannot encode a hinge or an elbow's twist.
#[test]
fn complaint_6_hinges_turn_only_about_their_axis() {
    let mut random = Random::new(6);
    for _ in 0..30 {
        let case = family("human arm, pose").case(&mut random);
        let mut pose = case.start.clone();
        let report = Solver::new(&case.skeleton).problem(case.problem.clone()).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
        let frames = case.skeleton.frames(&pose);
        let (upper, fore) = (frames[0].rotation * DVec3::Y, frames[1].rotation * DVec3::Y);
        assert!(upper.abs_diff_eq(fore, 1e-12), "both links of the elbow share its axis");
        assert!((0.0..=145_f64.to_radians()).contains(&pose[1].value()));
    }
}

/// THREE.IK #8-#10: a fixed bone axis is assumed, so that skins distort.
#[test]
fn complaint_7_links_may_point_along_any_axis() {
    let mut random = Random::new(7);
    for _ in 0..30 {
        let ball = Kind::Ball { swing: degrees([120.0; 4]), twist: Interval::new(-1.5, 1.5).ok() };
        let joints = (0..5).map(|i| Joint {
            rest: random.rotation(),
            ..Joint::new(format!("{i}"), usize::checked_sub(i, 1), random.direction(), ball)
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let hand = Effector::new(4, random.direction());
        let target = skeleton.frames(&skeleton.random_pose(&mut random))[4].point(hand.tip);
        let mut pose = skeleton.rest_pose();
        let report = Solver::new(&skeleton).goal(hand, target).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
        let frames = skeleton.frames(&pose);
        for i in 1..5 {
            // Skins follow the frames: the next joint keeps its position in the frame.
            let local = frames[i - 1].local(frames[i].position);
            assert!(local.abs_diff_eq(skeleton.joints()[i].offset, 1e-12));
        }
    }
}

/// Godot #116042: one restricted axis leaves a permanent offset.
#[test]
fn complaint_8_one_restricted_axis_leaves_no_offset() {
    let narrow = Kind::Ball { swing: degrees([90.0, 0.0, 90.0, 0.0]), twist: Interval::new(0.0, 0.0).ok() };
    let wide = Kind::Ball { swing: degrees([90.0; 4]), twist: Interval::new(-1.0, 1.0).ok() };
    let skeleton = Skeleton::new(vec![
        Joint::new("a", None, DVec3::ZERO, wide),
        Joint::new("b", Some(0), DVec3::Z, narrow),
        Joint::new("c", Some(1), DVec3::Z, wide),
    ])
    .unwrap();
    let mut random = Random::new(8);
    for _ in 0..100 {
        let target = skeleton.frames(&skeleton.random_pose(&mut random))[2].point(DVec3::Z);
        let mut pose = skeleton.rest_pose();
        let hand = Effector::new(2, DVec3::Z);
        let tight = Settings { tolerance: 1e-9, ..Settings::default() };
        let report = Solver::new(&skeleton).goal(hand, target).settings(tight).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
        assert_eq!((pose[1].tilt()[1], pose[1].twist()), (0.0, 0.0));
    }
}

/// Godot #54891: 180 degree flips and jitter.
#[test]
fn complaint_9_moving_and_resting_targets_cause_no_flips_or_jitter() {
    let mut random = Random::new(9);
    for name in ["human arm, position", "chain of 10, cones 45", "body pinned, 5 positions"] {
        let case = family(name).case(&mut random);
        let end = case.skeleton.random_pose(&mut random);
        let joints: Vec<usize> = (0..case.skeleton.len()).collect();
        let mut solver = Solver::new(&case.skeleton);
        let (mut pose, mut witness) = (case.witness.clone(), case.witness.clone());
        for frame in 0..200 {
            mix_poses(&case.skeleton, &joints, &case.witness, &end, f64::from(frame) / 200.0, &mut witness);
            solver.problem = case.problem_at(&witness);
            let before = pose.clone();
            let report = solver.solve(&mut pose);
            assert_eq!(report.stop, Stop::Reached, "{name}");
            assert!(largest_turn(&case.skeleton, &before, &pose) < 0.35, "{name}, frame {frame}");
            // With a resting target, nothing moves.
            let resting = pose.clone();
            let _ = solver.solve(&mut pose);
            assert_eq!(pose, resting, "{name}");
        }
    }
}

/// Godot PR #112524: the pose depends on earlier frames, not only on the input.
#[test]
fn complaint_10_the_result_depends_only_on_the_input() {
    let mut random = Random::new(10);
    let case = family("body, 5 positions").case(&mut random);
    let other = family("body, 5 positions").case(&mut random);
    let mut solver = Solver::new(&case.skeleton);
    let mut solve = |problem: &Problem| {
        let mut pose = case.start.clone();
        solver.problem.clone_from(problem);
        let report = solver.solve(&mut pose);
        (report, pose)
    };
    let first = solve(&case.problem);
    let _ = solve(&other.problem);
    assert_eq!(solve(&case.problem), first);
}

/// Other solvers: no pole targets.
#[test]
fn complaint_11_a_pole_controls_the_knee_direction() {
    let hip = Kind::Ball { swing: degrees([120.0; 4]), twist: Interval::new(-3.0, 3.0).ok() };
    let ball = Kind::Ball { swing: degrees([60.0; 4]), twist: Interval::new(-1.0, 1.0).ok() };
    let skeleton = Skeleton::new(vec![
        Joint::new("hip", None, DVec3::ZERO, hip),
        Joint::new("knee", Some(0), DVec3::Z * 0.4, hinge(DVec3::X, 0.0, 150.0)),
        Joint::new("ankle", Some(1), DVec3::Z * 0.4, ball),
    ])
    .unwrap();
    let target = DVec3::Z * 0.6;
    for angle in 0..12 {
        let side = DQuat::from_rotation_z(f64::from(angle) * 30_f64.to_radians()) * DVec3::X;
        let problem = Problem {
            goals: vec![Goal::new(Effector::new(2, DVec3::ZERO), target)],
            poles: vec![Pole { joint: 1, toward: side + DVec3::Z * 0.3 }],
            ..Problem::default()
        };
        let mut pose = skeleton.rest_pose();
        let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
        assert!(worst_violation(&skeleton, &pose) <= 1e-12);
        let knee = skeleton.frames(&pose)[1].position.reject_from_normalized(DVec3::Z);
        let off = knee.angle_between(side).to_degrees();
        // The twist range ends at +-172 degrees, so one direction is out of range.
        assert!(off < 12.0, "pole at {}: off by {off}", angle * 30);
        assert!(goal_errors(&skeleton, &problem, &pose)[0].position < 1e-4);
    }
}

/// mujoco #3527: `<mimic>` is ignored. Panda joint 4: the zero pose is outside the limits.
#[test]
fn complaint_14_mimic_joints_follow_and_rest_poses_respect_limits() {
    let mut random = Random::new(14);
    let panda = family("panda, position").case(&mut random);
    assert_eq!(panda.skeleton.rest_pose()[3].value(), -0.0698);
    let mut zero = panda.skeleton.rest_pose();
    zero[3] = Coordinates::scalar(0.0);
    let report = Solver::new(&panda.skeleton).problem(panda.problem.clone()).solve(&mut zero);
    assert_eq!(report.stop, Stop::Reached);
    assert!(worst_violation(&panda.skeleton, &zero) == 0.0);

    let mut finger = Joint::new("follower", Some(0), DVec3::X, hinge(DVec3::Y, -90.0, 90.0));
    finger.mimic = Some(Mimic { joint: 0, scale: 1.0, offset: 0.0 });
    let mut tip = Joint::new("last", Some(1), DVec3::X, hinge(DVec3::Y, -90.0, 90.0));
    tip.mimic = Some(Mimic { joint: 0, scale: 0.5, offset: 0.1 });
    let finger =
        Skeleton::new(vec![Joint::new("leader", None, DVec3::ZERO, hinge(DVec3::Y, -80.0, 80.0)), finger, tip])
            .unwrap();
    for _ in 0..50 {
        let target = finger.frames(&finger.random_pose(&mut random))[2].point(DVec3::X);
        let mut pose = finger.rest_pose();
        let report = Solver::new(&finger).goal(Effector::new(2, DVec3::X), target).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached, "one coordinate moves the finger");
        assert_eq!(pose[1].value(), pose[0].value());
        assert_eq!(pose[2].value(), 0.5 * pose[0].value() + 0.1);
    }
}

/// An unlimited wheel drives another one at half its speed. A full turn of the first wheel is half a turn of the
/// second, so the number of turns is part of the pose. A solve must keep it, even while the target is dragged through
/// several turns.
#[test]
fn mimic_joints_keep_the_number_of_turns() {
    let wheel =
        |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::Hinge { axis: DVec3::Y, range: None });
    let mut driven = wheel("driven", Some(0), DVec3::X);
    driven.mimic = Some(Mimic { joint: 0, scale: 0.5, offset: 0.2 });
    let gear = Skeleton::new(vec![wheel("leader", None, DVec3::ZERO), driven]).unwrap();
    let tip = Effector::new(1, DVec3::X);
    let pose_at = |angle: f64| {
        let mut pose = vec![Coordinates::scalar(angle), Coordinates::default()];
        gear.follow(&mut pose);
        pose
    };
    let mut pose = pose_at(0.0);
    for step in 1..=200 {
        let turned = f64::from(step) * 0.1;
        let target = gear.frames(&pose_at(turned))[1].point(DVec3::X);
        let report = Solver::new(&gear).goal(tip, target).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached, "after {turned} radians");
        assert!((pose[0].value() - turned).abs() < 0.01, "{} instead of {turned}", pose[0].value());
        assert_eq!(pose[1].value(), 0.5 * pose[0].value() + 0.2);
        let before = pose.clone();
        assert_eq!(Solver::new(&gear).goal(tip, target).solve(&mut pose).stop, Stop::Reached);
        assert_eq!(pose, before, "a solved pose does not change");
    }
}
