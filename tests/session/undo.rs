//! Undo of every command in the table, including commands that are added later.

use crate::grammar::examples;
use crate::session_support;

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Scene, Syntax};
use fabrik3d_viewer::session::Session;
use fabrik3d_viewer::session::{Command, SessionCommand};
use glam::DVec3;
use session_support::{open, wait};

/// The examples of the table that a session carries out, with the names of its scene.
fn commands(session: &Session) -> Vec<SessionCommand> {
    let scene = session.scene();
    let quoted = |name: &str| format!("\"{name}\"");
    let joint = quoted(&scene.skeleton.joints()[scene.skeleton.len() / 2].name);
    let effector = quoted(&scene.effectors[0].name);
    let recording = quoted(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/two-joints.bvh"));
    let parsed = examples().filter_map(|example| {
        let words = example.replace("hand", &effector).replace("elbow", &joint);
        let words = words.replace("LeftHand", "elbow").replace("walk.bvh", &recording);
        match words.parse() {
            Ok(Command::Session(command)) => Some(command),
            _ => None,
        }
    });
    parsed.collect()
}

#[test]
fn undoing_everything_restores_the_start_and_refused_commands_change_nothing() {
    let mut carried_out = std::collections::BTreeSet::new();
    for name in ["seed-arm", "human-arm", "tree", "two-arms", "rope", "four-bar", "robot-arm"] {
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let mut session = open(name);
            wait(&mut session, 1.5);
            let commands = commands(&session);
            assert!(commands.len() > 40, "{name}: {}", commands.len());
            let state = |session: &Session| {
                let (targets, scene) = (session.targets().copied().collect::<Vec<_>>(), session.scene().clone());
                (targets, session.solved().clone(), scene, session.motion().cloned())
            };
            let start = state(&session);
            let mut given = Vec::new();
            for _ in 0..50 {
                let command = &commands[random.index(commands.len())];
                let before = state(&session);
                let text = format!("{command:?}");
                given.push(text.clone());
                match session.apply(command) {
                    Ok(()) => drop(carried_out.insert(text)),
                    Err(error) => {
                        assert!(state(&session) == before, "{name} {seed}: {text} refused ({error}): {given:?}")
                    }
                }
                (0..random.index(12)).for_each(|_| session.tick(1.0 / 60.0));
            }
            for words in ["lesson.close", "race off"] {
                let Ok(Command::Session(command)) = words.parse() else { panic!("{words}") };
                session.apply(&command).expect("can always be closed");
            }
            (0..200).for_each(|_| session.apply(&SessionCommand::Undo).expect("undone"));
            let back = state(&session);
            assert!(back.0 == start.0, "{name} {seed}: targets\n{:?}\n{:?}\n{given:?}", start.0, back.0);
            assert!(back.1 == start.1, "{name} {seed}: pose {given:?}");
            assert!(back.2 == start.2, "{name} {seed}: scene {given:?}");
            assert!(back.3 == start.3, "{name} {seed}: motion {given:?}");
        }
    }
    assert!(carried_out.len() > 35, "too few different commands: {carried_out:?}");
}

#[test]
fn in_a_large_scene_fewer_changes_can_be_undone_and_the_newest_ones_can() {
    let points: Vec<String> = (0..50_000).map(|k| format!("[0, {}, 0]", 0.01 * f64::from(k))).collect();
    let text = format!("[[chain]]\npoints = [{}]\n", points.join(", "));
    let mut session = Session::new(Scene::parse(&text, Syntax::Toml, "long").expect("a chain"));
    let place = |session: &Session| session.targets().next().and_then(|target| target.position).expect("a target").x;
    for change in 1..=120 {
        session.apply(&SessionCommand::TargetSet(None, DVec3::new(f64::from(change), 1.0, 0.0))).expect("can be done");
    }
    let mut undone = 0;
    while place(&session) > 0.0 && session.apply(&SessionCommand::Undo).is_ok() {
        let before = 120.0 - f64::from(undone) - 1.0;
        if place(&session) != before {
            break;
        }
        undone += 1;
    }
    assert!((40..=100).contains(&undone), "{undone} of 120 changes, of 50,000 joints each");
}

#[test]
fn a_scene_has_changes_from_the_first_edit_until_it_is_saved_or_everything_is_undone() {
    let mut session = open("robot-arm");
    wait(&mut session, 1.0);
    let apply = |session: &mut Session, words: &str| match words.parse() {
        Ok(Command::Session(command)) => session.apply(&command).expect("can be done"),
        other => panic!("{words}: {other:?}"),
    };
    let changes = |session: &Session| [session.has_changes(false), session.has_changes(true)];
    // What the next key brings back is no change.
    for words in
        ["target.preset 2", "target.random", "target.path circle", "method.next", "pause", "step.next", "reset"]
    {
        apply(&mut session, words);
        wait(&mut session, 0.2);
        assert_eq!(changes(&session), [false; 2], "{words}");
    }
    apply(&mut session, "target.move 0.01 0 0");
    assert_eq!(changes(&session), [false, true], "targets count where the caller says so");
    apply(&mut session, "undo");
    assert_eq!(changes(&session), [false; 2]);
    apply(&mut session, "redo");
    assert_eq!(changes(&session), [false, true]);
    session.mark_saved();
    assert_eq!(changes(&session), [false; 2]);
    // The same drag goes on after it was saved.
    apply(&mut session, "target.move 0.01 0 0");
    assert_eq!(changes(&session), [false, true]);
    apply(&mut session, "joint.set elbow -80");
    assert_eq!(changes(&session), [true, true]);
    apply(&mut session, "target.preset 1");
    assert_eq!(changes(&session), [true, true], "a preset hides no change");
    (0..3).for_each(|_| apply(&mut session, "undo"));
    assert_eq!(changes(&session), [false; 2], "back at the saved state");
    apply(&mut session, "undo");
    assert_eq!(changes(&session), [false, true], "before it");
    // What is saved is the pose after a jump that alone would be no change.
    apply(&mut session, "target.move 0.01 0 0");
    apply(&mut session, "target.preset 2");
    let version = session.version();
    session.mark_saved();
    assert_eq!(session.version(), version, "what is saved is the same state");
    assert_eq!(changes(&session), [false; 2]);
    apply(&mut session, "undo");
    assert_eq!(changes(&session), [false, true], "the move before the jump is nowhere saved");
    apply(&mut session, "redo");
    assert_eq!(changes(&session), [false; 2], "back at the saved state");
}
