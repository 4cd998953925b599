//! Keys that move the target: everything until they are released is one undo step.

use fabrik3d::solve::examples;
use fabrik3d::view::{Direction, Display, HeldKeys, Modifiers, Viewer};
use glam::DVec3;

const DT: f64 = 1.0 / 60.0;

fn target(viewer: &Viewer) -> DVec3 {
    viewer.session().target(0).position.expect("has a place")
}

/// Holds a key for a second, then waits until everything is at rest.
fn hold(viewer: &mut Viewer, direction: Direction) -> DVec3 {
    let mut held = HeldKeys::default();
    held.press("key", direction);
    (0..60).for_each(|_| viewer.tick(DT, &mut held, Modifiers::default()));
    held.release("key");
    (0..5).for_each(|_| viewer.tick(DT, &mut held, Modifiers::default()));
    target(viewer)
}

#[test]
fn each_hold_of_a_key_is_one_undo_step() {
    let mut viewer = Viewer::new(examples::demo(), Display::default(), 1.6);
    let start = target(&viewer);
    let places: Vec<DVec3> =
        [Direction::Forward, Direction::Left, Direction::Up].into_iter().map(|way| hold(&mut viewer, way)).collect();
    assert!(places[0] != start && places[1] != places[0] && places[2] != places[1], "{places:?}");
    for expected in [places[1], places[0], start] {
        viewer.apply("undo".parse().expect("a command")).expect("can be undone");
        assert_eq!(target(&viewer), expected);
    }
    for expected in &places {
        viewer.apply("redo".parse().expect("a command")).expect("can be redone");
        assert_eq!(target(&viewer), *expected);
    }
}
