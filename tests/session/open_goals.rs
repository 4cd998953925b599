//! Goals that leave something open, changed by commands: points to look at, turns about an axis, positions along axes.

use crate::session_support;

use fabrik3d_scene::{Scene, Syntax};
use fabrik3d_viewer::session::Session;
use glam::DVec3;
use session_support::{apply, open, try_apply, wait};

/// The angle between the gripper's y axis and the direction from its tip to a point, in the solved pose.
fn missed(session: &Session, point: DVec3) -> f64 {
    let effector = session.scene().effectors[0].effector;
    let frame = session.scene().skeleton.frames(session.solved())[effector.joint];
    (frame.rotation * DVec3::Y).angle_between(point - frame.point(effector.tip))
}

fn undo_all(session: &mut Session) {
    (0..100).for_each(|_| apply(session, "undo"));
}

#[test]
fn a_gripper_looks_at_a_point_that_moves() {
    let mut session = open("robot-arm");
    let (scene, target) = (session.scene().clone(), session.target(0));
    apply(&mut session, "effector.spin gripper y");
    apply(&mut session, "target.look_at 1 0.4 0.6");
    wait(&mut session, 2.0);
    let mut point = DVec3::new(1.0, 0.4, 0.6);
    assert_eq!((session.target(0).position, session.target(0).rotation()), (None, None));
    assert!(missed(&session, point) < 2e-3, "{}", missed(&session, point));
    for _ in 0..60 {
        // What moves a target moves the point, since the position is open.
        apply(&mut session, "target.move 0 0.01 -0.02");
        point += DVec3::new(0.0, 0.01, -0.02);
        session.tick(1.0 / 60.0);
        assert!(session.target(0).look_at().is_some_and(|at| at.distance(point) < 1e-9));
        assert!(missed(&session, point) < 2e-3, "{}", missed(&session, point));
    }
    let saved = session.scene_now();
    let read = Scene::parse(&saved.to_text(Syntax::Toml), Syntax::Toml, "saved").expect("reads");
    assert_eq!(read.effectors, saved.effectors);
    // An effector that no longer looks at a point has a target where it is.
    apply(&mut session, "target.look_at none");
    let now = session.target(0);
    assert!(now.look_at().is_none() && now.position.is_some_and(|place| place.distance(session.tip(0)) < 1e-12));
    undo_all(&mut session);
    assert!(*session.scene() == scene && session.target(0) == target);
}

#[test]
fn an_orientation_replaces_a_point_to_look_at_and_the_other_way_round() {
    let mut session = open("robot-arm");
    apply(&mut session, "target.look_at 1 0.4 0.6");
    apply(&mut session, "target.turn 0 10 0");
    assert!(session.target(0).look_at().is_none() && session.target(0).rotation().is_some());
    apply(&mut session, "target.look_at 1 0.4 0.6");
    assert!(session.target(0).look_at().is_some() && session.target(0).rotation().is_none());
    assert!(try_apply(&mut session, "effector.spin nobody x").is_err());
}

#[test]
fn a_slack_accepts_targets_far_along_its_axis() {
    let mut session = open("robot-arm");
    let scene = session.scene().clone();
    apply(&mut session, "target.rotation none");
    apply(&mut session, "target.set 0.9 20 0.3");
    wait(&mut session, 1.0);
    assert!(session.report(0).is_some_and(|report| !report.stop.is_reached()));
    apply(&mut session, "effector.slack gripper 0 1e9 0");
    wait(&mut session, 1.0);
    assert!(session.report(0).is_some_and(|report| report.stop.is_reached()));
    let off = session.tip(0) - DVec3::new(0.9, 20.0, 0.3);
    assert!(off.with_y(0.0).length() < 1e-3 && off.y < -15.0, "{off}");
    undo_all(&mut session);
    assert!(*session.scene() == scene);
}
