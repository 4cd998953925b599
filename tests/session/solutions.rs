//! All poses that meet a target: shown, and taken in turn.

use crate::session_support::*;
use fabrik3d_ik::Pose;
use fabrik3d_ik::arms::Coverage;
use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::queries::{angle_between, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;

/// A robot whose tool asks for position and orientation.
fn robot(file: &str) -> Session {
    let path = format!("{}/assets/models/{file}", env!("CARGO_MANIFEST_DIR"));
    let mut session = Session::new(Scene::open(path).expect("reads"));
    if session.target(session.selected().expect("has a tool")).rotation().is_none() {
        apply(&mut session, "target.rotation toggle");
    }
    session.watch_solutions(true);
    session
}

/// Goes to a pose inside the limits: its targets can be met.
fn go_anywhere(session: &mut Session, random: &mut Random) {
    let skeleton = session.scene().skeleton.clone();
    let pose = skeleton.random_pose(random);
    let hinges: Vec<usize> = session.scene().settable_joints().collect();
    for joint in hinges {
        let (name, value) = (&skeleton.joints()[joint].name, pose[joint].value().to_degrees());
        apply(session, &format!("joint.set \"{name}\" {value}"));
    }
    wait(session, 1.0);
}

#[test]
fn every_shown_pose_meets_the_target_and_they_are_taken_in_turn() {
    let mut random = Random::new(71);
    let mut counts = Vec::new();
    for file in ["robot-arm.urdf", "parallel-axes.urdf"] {
        let mut session = robot(file);
        for case in 0..10 {
            go_anywhere(&mut session, &mut random);
            let skeleton = session.scene().skeleton.clone();
            let joints: Vec<usize> = (0..skeleton.len()).collect();
            // Whole turns are the same pose.
            let apart = |a: &Pose, b: &Pose| {
                let mut turned = b.clone();
                skeleton.turn_near(a, &mut turned);
                pose_distance(&skeleton, &joints, a, &turned, skeleton.extent())
            };
            let selected = session.selected().expect("has a tool");
            let (target, effector) = (session.target(selected), session.scene().effectors[selected].effector);
            let shown = session.solutions().expect("is shown");
            let whole = |own: &Pose| {
                let mut pose = session.solved().clone();
                shown.figure.write(own, &mut pose);
                pose
            };
            let poses: Vec<Pose> = shown.solutions.poses.iter().map(whole).collect();
            assert!(!poses.is_empty() && shown.solutions.coverage == Coverage::All, "{file} {case}");
            for pose in &poses {
                let frame = skeleton.frames(pose)[effector.joint];
                let gap = frame.point(effector.tip).distance(target.position.expect("has a place"));
                let angle = angle_between(frame.rotation, target.rotation().expect("has an orientation"));
                assert!(gap < 1e-6 && angle < 1e-6 && worst_violation(&skeleton, pose) < 1e-9, "{gap} {angle}");
            }
            // The pose that the arm is in is one of them.
            assert!(poses.iter().any(|pose| apart(pose, session.solved()) < 1e-5), "{file} {case}");
            counts.push(poses.len());
            if poses.len() == 1 {
                assert!(try_apply(&mut session, "pose.next").is_err());
                continue;
            }
            let begin = session.solved().clone();
            let mut seen = vec![begin.clone()];
            for _ in 0..poses.len() {
                apply(&mut session, "pose.next");
                wait(&mut session, 2.0);
                assert!(
                    session.target(selected).position.expect("stays").distance(target.position.expect("is")) < 1e-6
                );
                assert!(apart(session.displayed(), session.solved()) < 1e-6, "eased to its end");
                seen.push(session.solved().clone());
            }
            let last = seen.pop().expect("is there");
            assert!(apart(&last, &begin) < 1e-4, "{file} {case}: the last is the first again");
            let differ = |a: usize| (0..a).all(|b| apart(&seen[a], &seen[b]) > 1e-4);
            assert!((0..seen.len()).all(differ), "{file} {case}: a pose came twice");
            apply(&mut session, "undo");
            wait(&mut session, 2.0);
            assert!(apart(session.solved(), &seen[seen.len() - 1]) < 1e-4, "{file} {case}: undone");
        }
    }
    assert!(counts.iter().any(|count| *count >= 4), "{counts:?}");
}

#[test]
fn infinitely_many_poses_are_told_and_those_of_seven_hinges_are_samples() {
    let mut session = robot("seven-axes.urdf");
    go_anywhere(&mut session, &mut Random::new(72));
    let shown = session.solutions().expect("is shown");
    assert!(matches!(shown.solutions.coverage, Coverage::Some(Some(_))) && shown.solutions.poses.len() > 1);
    assert!(session.solutions_in_words().expect("says so").starts_with("Infinitely many poses meet the target: here "));
    apply(&mut session, "pose.next");
    wait(&mut session, 2.0);
    assert!(is_reached(&session));

    for name in ["demo", "humanoid"] {
        let mut figure = open(name);
        figure.watch_solutions(true);
        wait(&mut figure, 1.0);
        let shown = figure.solutions().expect("is shown");
        assert!(shown.solutions.coverage == Coverage::Some(None) && shown.solutions.poses.len() > 1, "{name}");
        let words = figure.solutions_in_words().expect("says so");
        assert!(words.starts_with("Infinitely many poses meet the target: here "), "{name}: {words}");
        let before = figure.solved().clone();
        apply(&mut figure, "pose.next");
        wait(&mut figure, 2.0);
        assert!(is_reached(&figure) && *figure.solved() != before, "{name}");
    }
}

#[test]
fn solutions_follow_a_target_that_moves_and_change_no_pose() {
    let mut random = Random::new(73);
    let mut watched = robot("robot-arm.urdf");
    go_anywhere(&mut watched, &mut random);
    let mut plain = watched.clone();
    plain.watch_solutions(false);
    for _ in 0..60 {
        let way = random.direction() * (0.01 * watched.step_size());
        for session in [&mut watched, &mut plain] {
            apply(session, &format!("target.move {} {} {}", way.x, way.y, way.z));
            session.tick(1.0 / 60.0);
        }
        assert_eq!(watched.displayed(), plain.displayed());
    }
    wait(&mut watched, 0.5);
    let shown = watched.solutions().expect("is shown");
    let (selected, skeleton) = (watched.selected().expect("has a tool"), shown.figure.skeleton());
    let place = watched.target(selected).position.expect("has a place");
    for pose in &shown.solutions.poses {
        let goal = shown.problem.goals[0].effector;
        let tip = skeleton.frames_at(shown.problem.base, pose)[goal.joint].point(goal.tip);
        assert!(tip.distance(place) < 1e-6);
    }
    assert!(plain.solutions().is_none());
}
