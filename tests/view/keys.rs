//! Keys that move the target: what is done until they are let go is undone as one.

use fabrik3d::solve::examples;
use fabrik3d::view::{Direction, Display, HeldKeys, Modifiers, Stage};
use glam::DVec3;

const DT: f64 = 1.0 / 60.0;

fn target(stage: &Stage) -> DVec3 {
    stage.session().target(0).position.expect("has a place")
}

/// Holds a key for a second, then lets everything come to rest.
fn hold(stage: &mut Stage, direction: Direction) -> DVec3 {
    let mut held = HeldKeys::default();
    held.press("key", direction);
    (0..60).for_each(|_| stage.tick(DT, &mut held, Modifiers::default()));
    held.release("key");
    (0..5).for_each(|_| stage.tick(DT, &mut held, Modifiers::default()));
    target(stage)
}

#[test]
fn each_hold_of_a_key_is_undone_by_itself() {
    let mut stage = Stage::new(examples::demo(), Display::default(), 1.6);
    let start = target(&stage);
    let places: Vec<DVec3> =
        [Direction::Forward, Direction::Left, Direction::Up].into_iter().map(|way| hold(&mut stage, way)).collect();
    assert!(places[0] != start && places[1] != places[0] && places[2] != places[1], "{places:?}");
    for expected in [places[1], places[0], start] {
        stage.apply("undo".parse().expect("a command")).expect("can be undone");
        assert_eq!(target(&stage), expected);
    }
    for expected in &places {
        stage.apply("redo".parse().expect("a command")).expect("can be redone");
        assert_eq!(target(&stage), *expected);
    }
}
