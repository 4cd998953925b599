//! Freeing and fixing bases of every kind.

use crate::gathered::gathered;
use crate::session_support;

use fabrik3d_ik::Kind;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use session_support::{apply, open, wait};

/// Largest distance between corresponding points.
fn farthest(a: &[glam::DVec3], b: &[glam::DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

fn places(session: &Session) -> Vec<glam::DVec3> {
    let frames = session.scene().skeleton.frames(session.solved());
    let tips = (0..session.targets().len()).map(|effector| session.tip(effector));
    frames.iter().map(|frame| frame.position).chain(tips).collect()
}

#[test]
fn a_freed_base_stays_in_place_and_gets_its_former_kind_back() {
    for name in ["robot-arm", "human-arm", "humanoid", "hexapod", "seed-arm", "rope", "gripper", "tree"] {
        let mut session = open(name);
        wait(&mut session, 3.0);
        let before = places(&session);
        let kinds = |session: &Session| -> Vec<Kind> {
            session.scene().skeleton.joints().iter().map(|joint| joint.kind).collect()
        };
        let was = kinds(&session);
        apply(&mut session, "base.toggle");
        let amid = kinds(&session);
        assert!(farthest(&before, &places(&session)) < 1e-9, "{name} has moved");
        let changed: Vec<usize> = (0..was.len()).filter(|&joint| was[joint] != amid[joint]).collect();
        assert_eq!(changed.len(), 1, "{name}: one joint is the base");
        assert!(session.remark().is_some(), "{name}: a remark reports the change");
        if was[changed[0]] == Kind::Free {
            continue;
        }
        assert_eq!(amid[changed[0]], Kind::Free, "{name}");
        // After a move and a turn it is fixed in its new place.
        let base = session.scene().skeleton.joints()[changed[0]].name.clone();
        apply(&mut session, &format!("joint.set \"{base}\" 0.1 0.2 -0.1 20 30 -10"));
        let moved = places(&session);
        assert!(farthest(&before, &moved) > 0.05, "{name} has not moved");
        apply(&mut session, "base.toggle");
        assert_eq!(kinds(&session), was, "{name} has another kind");
        assert!(farthest(&moved, &places(&session)) < 1e-9, "{name} has moved");
        for _ in 0..3 {
            apply(&mut session, "undo");
        }
        assert_eq!(kinds(&session), was, "{name}: undone");
        assert_eq!(places(&session), before, "{name}: undone");
    }
}

/// Places of the displayed joints.
fn displayed(session: &Session) -> Vec<glam::DVec3> {
    session.scene().skeleton.frames(session.displayed()).iter().map(|frame| frame.position).collect()
}

#[test]
fn toggling_the_base_and_undoing_that_moves_nothing() {
    // No scene with poles: a floating base turns toward them.
    for name in ["robot-arm", "humanoid", "hexapod", "seed-arm", "rope", "gripper", "tree"] {
        let mut session = open(name);
        wait(&mut session, 3.0);
        // A pose other than the one that the file opens with.
        apply(&mut session, "target.random");
        wait(&mut session, 3.0);
        let before = displayed(&session);
        for words in ["base.toggle", "undo", "redo", "base.toggle", "undo", "undo"] {
            apply(&mut session, words);
            for _ in 0..70 {
                session.tick(1.0 / 60.0);
                // Solving again within the tolerance may change the last digits.
                let most = 1e-3 * session.step_size();
                assert!(farthest(&before, &displayed(&session)) < most, "{name}: {words} moves the figure");
            }
        }
    }
}

#[test]
fn toggling_the_base_does_not_end_an_ease() {
    for name in ["humanoid", "hexapod", "seed-arm", "robot-arm"] {
        let mut session = open(name);
        wait(&mut session, 3.0);
        let size = session.step_size();
        for (first, second) in [("base.toggle", "undo"), ("base.toggle", "base.toggle")] {
            apply(&mut session, "target.random");
            wait(&mut session, 0.5);
            // Where the base floats, it may be on its way too, and a fixed base is in place at once.
            let turns = |session: &Session| -> Vec<glam::DQuat> {
                let frames = session.scene().skeleton.frames(session.displayed());
                frames.iter().map(|frame| frame.rotation).collect()
            };
            for words in [first, second] {
                let before = turns(&session);
                apply(&mut session, words);
                session.tick(1.0 / 60.0);
                let most = before.iter().zip(turns(&session)).map(|(a, b)| a.angle_between(b)).fold(0.0, f64::max);
                assert!(most < 0.3, "{name}: {words} turns a joint by {most} at once");
            }
            wait(&mut session, 2.0);
            assert!(farthest(&displayed(&session), &places(&session)) < 1e-9 * size, "{name}: the ease ends");
        }
    }
}

#[test]
fn the_base_is_the_root_also_for_an_effector_that_moves_a_part_of_the_figure() {
    for length in [1, 2, 3, 9] {
        let joints = "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [0, 1, 0]\n[[joint]]\n\
                      name = \"c\"\nparent = \"b\"\noffset = [0, 1, 0]\n[[joint]]\nname = \"d\"\nparent = \"c\"\noffset = [0, 1, 0]\n";
        let text = format!("{joints}[[effector]]\nname = \"tip\"\njoint = \"d\"\nchain_length = {length}\n");
        let mut session = Session::new(Scene::parse(&text, fabrik3d_scene::Syntax::Toml, "partial").expect("a scene"));
        apply(&mut session, "base.toggle");
        let kinds: Vec<bool> = session.scene().skeleton.joints().iter().map(|it| it.kind == Kind::Free).collect();
        assert_eq!(kinds, [true, false, false, false], "length {length}");
        for words in ["target.set 5 0 0", "joint.set a 1 2 3 0 0 0", "target.set 0 9 9"] {
            apply(&mut session, words);
            for _ in 0..80 {
                session.tick(1.0 / 60.0);
                for pair in displayed(&session).windows(2) {
                    assert!((pair[0].distance(pair[1]) - 1.0).abs() < 1e-9, "length {length}: a link stretches");
                }
            }
        }
    }
}

#[test]
fn a_robot_with_a_floating_base_moves_its_body_and_keeps_its_feet_in_place() {
    let Some(file) = gathered("robots/solo_description/robots/solo12.urdf") else { return };
    let mut session = Session::new(Scene::open(file).expect("reads"));
    wait(&mut session, 1.0);
    // The body can move because the legs are bent.
    for leg in ["FL", "FR", "HL", "HR"] {
        apply(&mut session, &format!("joint.set {leg}_HFE 40"));
        apply(&mut session, &format!("joint.set {leg}_KFE -80"));
    }
    wait(&mut session, 1.5);
    let feet: Vec<_> = (0..session.targets().len()).map(|effector| session.tip(effector)).collect();
    assert_eq!(feet.len(), 4);
    apply(&mut session, "base.toggle");
    apply(&mut session, "effector.add base_link body");
    let body = session.selected().expect("has effectors");
    let before = session.tip(body);
    apply(&mut session, "target.move 0.03 0.01 -0.04");
    wait(&mut session, 2.0);
    let report = session.report(body).expect("solved");
    assert!(report.stop.is_reached(), "{report}");
    let way = session.tip(body) - before;
    assert!(way.distance(glam::DVec3::new(0.03, 0.01, -0.04)) < 1e-3, "the body moved by {way}");
    for (at, foot) in feet.iter().enumerate() {
        assert!(session.tip(at).distance(*foot) < 1e-3, "foot {at} has moved");
    }
}
