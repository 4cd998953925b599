//! Keys that move the target: everything until they are released is one undo step, and they lead nowhere out of sight.

use fabrik3d::examples;
use fabrik3d_viewer::hud::free_area;
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::view::{
    Bindings, Camera, Control, DeviceReport, Direction, Display, Gamepads, HeldKeys, Modifiers, Viewer,
};
use glam::DVec3;

const DT: f64 = 1.0 / 60.0;

fn target(viewer: &Viewer) -> DVec3 {
    viewer.session().target(0).position.expect("has a place")
}

fn press(held: &mut HeldKeys, direction: &str) {
    held.press("key", Direction::named(direction).expect("a direction"));
}

/// Holds a key for a second, then waits until everything is at rest.
fn hold(viewer: &mut Viewer, direction: &str) -> DVec3 {
    let mut held = HeldKeys::default();
    press(&mut held, direction);
    (0..60).for_each(|_| viewer.tick(DT, &mut held, Modifiers::default()));
    held.release("key");
    (0..5).for_each(|_| viewer.tick(DT, &mut held, Modifiers::default()));
    target(viewer)
}

#[test]
fn each_hold_of_a_key_is_one_undo_step() {
    let mut viewer = Viewer::new(examples::demo(), Display::default(), 1.6);
    let start = target(&viewer);
    let places: Vec<DVec3> = ["forward", "left", "up"].into_iter().map(|way| hold(&mut viewer, way)).collect();
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

const WAYS: [&str; 6] = ["left", "right", "forward", "back", "up", "down"];

#[test]
fn a_held_key_slows_down_beyond_the_reach_and_stops_in_sight() {
    for (way, shift) in WAYS.into_iter().flat_map(|way| [(way, false), (way, true)]) {
        let display = Display::default().with(Show::Panel, true);
        let mut viewer = Viewer::new(examples::demo(), display, 1.6);
        let mut held = HeldKeys::default();
        press(&mut held, way);
        let (reach, start) = (viewer.session().step_size(), target(&viewer));
        let modifiers = Modifiers { shift, ..Modifiers::default() };
        let (mut places, mut last) = (Vec::new(), target(&viewer));
        for _ in 0..60 * 15 {
            viewer.set_free_area(free_area(&viewer, [1280.0, 720.0]));
            viewer.tick(DT, &mut held, modifiers);
            places.push((target(&viewer).distance(last) / DT / reach, target(&viewer).length() / reach));
            last = target(&viewer);
        }
        let far = places.iter().map(|(_, distance)| *distance).fold(0.0, f64::max);
        assert!(far > 1.2 && far <= 1.5 + 1e-9, "{way:?}: {far}");
        assert!(places[places.len() - 1].0 < 0.02, "{way:?}: it has stopped");
        if !shift {
            // From full speed to rest without a jump: in a frame, no more than a twentieth of the speed of a held key.
            let change = places.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs()).fold(0.0, f64::max);
            assert!(change < 0.16 * 0.5, "{way:?}: {change}");
        }
        let rises = ["up", "down"].contains(&way);
        assert!(rises || (last.y - start.y).abs() < 0.02 * reach, "{way:?}: it went {} up", last.y - start.y);
        let (at, area) = (viewer.camera().project(viewer.space().shown(last), viewer.lens()), viewer.lens().area);
        let at = at.expect("in front of the camera");
        let is_free = (0..2).all(|axis| area.low[axis] - 1e-6 <= at[axis] && at[axis] <= area.high[axis] + 1e-6);
        assert!(is_free, "{way:?}: {at:?} is not in {area:?}");
        // Back again, as if nothing had held it.
        held.release("key");
        let back = WAYS[WAYS.iter().position(|other| *other == way).expect("listed") ^ 1];
        press(&mut held, back);
        (0..120).for_each(|_| viewer.tick(DT, &mut held, Modifiers::default()));
        assert!(target(&viewer).distance(last) > 0.5 * reach, "{way:?}");
    }
}

#[test]
fn the_chart_shows_no_solve_that_is_over() {
    let mut viewer = Viewer::new(examples::demo(), Display::default(), 1.6);
    let mut held = HeldKeys::default();
    let rest = |viewer: &mut Viewer, held: &mut HeldKeys| {
        (0..150).for_each(|_| viewer.tick(DT, held, Modifiers::default()));
        viewer.convergence.rounds.to_vec()
    };
    let before = rest(&mut viewer, &mut held);
    assert!(before.len() > 1);
    press(&mut held, "forward");
    (0..30).for_each(|_| viewer.tick(DT, &mut held, Modifiers::default()));
    assert!(viewer.convergence.rounds.is_empty(), "the target moves");
    held.release("key");
    let after = rest(&mut viewer, &mut held);
    assert!(after.len() > 1 && after != before, "{after:?}");
    // A lesson stops the figure, and is recorded again for each target.
    viewer.apply("step.next".parse().expect("a command")).expect("opens a lesson");
    for way in ["left", "up"] {
        hold(&mut viewer, way);
        let lesson = viewer.session().lesson().expect("is open").recording();
        assert_eq!(viewer.convergence.rounds, lesson.rounds(), "{way}");
    }
}

/// A stick that is pushed for a second moves the camera alone.
#[test]
fn sticks_move_the_camera_and_leave_the_scene_as_it_is() {
    let orbit = |rate: u32, pushes: &[(Control, f64)]| {
        let mut viewer = Viewer::new(examples::demo(), Display::default(), 1.6);
        let (mut held, mut pads) = (HeldKeys::default(), Gamepads::default());
        let mut push = |held: &mut HeldKeys, control, value| {
            pads.hear(DeviceReport::Pushed(0, control, value), Some(&Bindings::default()), held);
            pads.modifiers()
        };
        let run = |viewer: &mut Viewer, held: &mut HeldKeys, modifiers| {
            (0..rate).for_each(|_| viewer.tick(1.0 / f64::from(rate), held, modifiers));
        };
        run(&mut viewer, &mut held, Modifiers::default());
        let (start, before) = (viewer.camera(), target(&viewer));
        let mut modifiers = Modifiers::default();
        for (control, value) in pushes {
            modifiers = push(&mut held, *control, *value);
        }
        run(&mut viewer, &mut held, modifiers);
        for (control, _) in pushes {
            modifiers = push(&mut held, *control, 0.0);
        }
        run(&mut viewer, &mut held, modifiers);
        assert!(held.is_empty() && !viewer.is_moving());
        assert_eq!(target(&viewer), before);
        assert!(!viewer.session().has_changes(true), "nothing to undo");
        (start, viewer.camera())
    };
    for pushes in [
        &[(Control::RightX, 0.7)][..],
        &[(Control::RightX, -0.4), (Control::RightY, 0.8)],
        &[(Control::LeftBumper, 1.0), (Control::RightY, 1.0)],
        &[(Control::LeftBumper, 1.0), (Control::RightY, -0.6)],
    ] {
        let [(start, end), (_, other)] = [60, 144].map(|rate| orbit(rate, pushes));
        assert!(start.eye().distance(end.eye()) > 0.1, "{pushes:?}");
        assert!(end.eye().distance(other.eye()) < 1e-9, "{pushes:?}: the same at every frame rate");
        let zooms = pushes[0].0 == Control::LeftBumper;
        let far = |camera: &Camera| camera.eye().distance(camera.look_at);
        assert_eq!((far(&end) - far(&start)).abs() > 1e-9, zooms, "{pushes:?}");
        assert_eq!(zooms && pushes[1].1 > 0.0, far(&end) < far(&start) - 1e-9, "{pushes:?}");
    }
}
