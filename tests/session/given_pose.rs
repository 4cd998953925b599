//! Poses that another program sets: shown at once, never changed by the solver, and targets moved by hand stay.

use crate::session_support;

use fabrik3d_ik::random::Random;
use fabrik3d_scene::joint_values;
use fabrik3d_viewer::session::{Command, Session};
use session_support::{apply, open, try_apply, wait};

/// Random values for all joints that can be set, inside their limits.
fn values(session: &Session, random: &mut Random) -> Vec<f64> {
    let scene = session.scene();
    let own = |joint: usize| joint_values(scene.skeleton.kind(joint), &scene.start[joint]);
    let rest: Vec<_> = scene.settable_joints().flat_map(own).collect();
    let value = |value: &fabrik3d_scene::JointValue| match value.range {
        Some((low, high)) => random.range(low.max(-20.0), high.min(20.0).max(low)),
        None => random.range(-20.0, 20.0),
    };
    rest.iter().map(value).collect()
}

fn glide(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(f64::to_string).collect();
    format!("pose.glide {}", words.join(" "))
}

/// Shows a random pose.
fn glide_anywhere(session: &mut Session, random: &mut Random) {
    let words = glide(&values(session, random));
    apply(session, &words);
}

#[test]
fn a_given_pose_is_shown_at_once_and_stays() {
    let mut random = Random::new(8);
    for name in ["robot-arm", "human-arm", "humanoid", "gripper", "crane", "rope"] {
        let mut session = open(name);
        wait(&mut session, 2.0);
        for _ in 0..5 {
            glide_anywhere(&mut session, &mut random);
            let pose = session.displayed().clone();
            assert_eq!(&pose, session.solved(), "{name}");
            assert_eq!(fabrik3d_ik::queries::worst_violation(&session.scene().skeleton, &pose), 0.0, "{name}");
            wait(&mut session, 0.5);
            assert_eq!(&pose, session.displayed(), "{name}: the solver changed the pose");
            assert!(!session.is_moving(), "{name}");
        }
    }
}

#[test]
fn joints_take_their_values_in_the_order_of_the_file() {
    let mut session = open("robot-arm");
    let given = values(&session, &mut Random::new(3));
    apply(&mut session, &glide(&given));
    let scene = session.scene();
    let taken = scene.settable_joints().flat_map(|joint| scene.joint_values(joint, session.displayed()));
    for (taken, given) in taken.zip(&given) {
        assert!((taken.value - given).abs() < 1e-9, "{taken:?} is not {given}");
    }
}

#[test]
fn targets_follow_unless_they_were_moved_by_hand() {
    let mut session = open("robot-arm");
    wait(&mut session, 2.0);
    let mut random = Random::new(4);
    glide_anywhere(&mut session, &mut random);
    let place = |session: &Session| session.targets().next().and_then(|target| target.position).expect("a target");
    assert!(place(&session).distance(session.tip(0)) < 1e-9, "the target follows");
    let name = session.scene().effectors[0].name.clone();
    let left = place(&session);
    apply(&mut session, &format!("target.glide {name} {} {} {}", left.x, left.y, left.z));
    let pose = session.displayed().clone();
    wait(&mut session, 0.5);
    assert_eq!(&pose, session.displayed(), "the solver leaves the pose to the other program");
    glide_anywhere(&mut session, &mut random);
    assert_eq!(place(&session), left, "the target waits");
    assert!(session.tip(0).distance(left) > 1e-2, "the arm does not");
    apply(&mut session, "pose.release");
    wait(&mut session, 3.0);
    assert!(session.tip(0).distance(place(&session)) < 1e-3, "the solver works again");
}

#[test]
fn given_poses_are_undone_together_and_wrong_ones_change_nothing() {
    let mut session = open("robot-arm");
    wait(&mut session, 2.0);
    let before = session.solved().clone();
    let mut random = Random::new(5);
    for _ in 0..4 {
        glide_anywhere(&mut session, &mut random);
    }
    let now = session.solved().clone();
    let error = try_apply(&mut session, "pose.glide 1 2").expect_err("too few").to_string();
    assert!(error.contains("values are needed, found 2"), "{error}");
    assert_eq!(&now, session.solved());
    apply(&mut session, "undo");
    assert_eq!(&before, session.solved());
}

#[test]
fn undo_gives_the_pose_back_to_the_solver_and_redo_takes_it_again() {
    let mut session = open("robot-arm");
    wait(&mut session, 2.0);
    glide_anywhere(&mut session, &mut Random::new(6));
    let given = session.solved().clone();
    let follows = |session: &mut Session| {
        let tip = session.tip(0);
        apply(session, &format!("target.set {} {} {}", 0.9 * tip.x, 0.9 * tip.y, 0.9 * tip.z));
        wait(session, 3.0);
        session.tip(0).distance(tip) > 1e-2
    };
    apply(&mut session, "undo");
    assert!(follows(&mut session), "the solver works again");
    apply(&mut session, "undo");
    apply(&mut session, "redo");
    assert!(follows(&mut session), "redo of the target");
    let mut session = open("robot-arm");
    wait(&mut session, 2.0);
    glide_anywhere(&mut session, &mut Random::new(6));
    apply(&mut session, "undo");
    apply(&mut session, "redo");
    assert_eq!(&given, session.solved());
    assert!(!follows(&mut session), "the pose is given again");
}

#[test]
fn a_target_that_glides_takes_its_orientation_along() {
    let mut session = open("robot-arm");
    wait(&mut session, 2.0);
    let name = session.scene().effectors[0].name.clone();
    let (tip, turn) = (session.tip(0), session.tool_frame(0).expect("a tool").rotation);
    let (at, turn) = (tip.to_array().map(|side| side * 0.99), turn.to_array());
    let words: Vec<String> = at.iter().chain(&turn).map(f64::to_string).collect();
    apply(&mut session, &format!("target.glide {name} {}", words.join(" ")));
    wait(&mut session, 2.0);
    let target = *session.targets().next().expect("a target");
    assert_eq!(target.position.map(|place| place.to_array()), Some(at));
    let off = fabrik3d_ik::queries::angle_between(target.rotation().expect("set"), glam::DQuat::from_array(turn));
    assert!(off < 1e-9, "{off}");
    assert!(try_apply(&mut session, "target.glide nobody 0 0 0").is_err());
    for turn in ["0 0 0 0", "0 0 0 2", "1e200 0 0 0"] {
        let words = format!("target.glide {name} 0 0 0 {turn}");
        assert!(words.parse::<Command>().is_err(), "{words}");
    }
}
