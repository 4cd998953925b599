//! The mouse in a real window.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::{Desktop, target};
use glam::DVec3;
use std::time::Duration;

#[test]
fn the_mouse_drags_the_target_orbits_and_zooms() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "800x600", "--no-hud"]);
    let start = viewer.rest();

    // The target follows the pointer.
    let [x, y] = viewer.pixel(target(&start));
    viewer.point([x, y]);
    viewer.xdotool(&["mousedown", "1"]);
    for k in 1..=8 {
        viewer.point([x - 6.0 * f64::from(k), y + 4.0 * f64::from(k)]);
    }
    let dragged = viewer.wait("the target at the pointer", |line| {
        let [px, py] = viewer.pixel(target(line));
        (px - (x - 48.0)).hypot(py - (y + 32.0)) < 2.0
    });

    // Y locks the drag to the vertical axis; Esc reverts the whole drag.
    viewer.keys(&["y"]);
    viewer.wait("the lock", |line| {
        let moved = target(line) - target(&start);
        moved.x.abs() < 1e-9 && moved.z.abs() < 1e-9 && moved.y != 0.0
    });
    viewer.keys(&["Escape"]);
    viewer.xdotool(&["mouseup", "1"]);
    let back = viewer.wait("the undo", |line| line.targets == start.targets);
    assert_ne!(dragged.targets, back.targets);

    // Dragging the floor orbits and keeps the distance.
    let distance = |line: &fabrik3d_viewer::view::trace::TraceLine| {
        DVec3::from(line.camera.position).distance(DVec3::from(line.camera.look_at))
    };
    viewer.point([60.0, 540.0]);
    viewer.xdotool(&["mousedown", "1"]);
    viewer.point([160.0, 540.0]);
    viewer.xdotool(&["mouseup", "1"]);
    let turned = viewer.wait("the orbit", |line| line.camera.position != start.camera.position);
    assert!((distance(&turned) - distance(&start)).abs() < 1e-9 * distance(&start));
    assert_eq!(turned.targets, start.targets);

    // The wheel zooms in.
    viewer.xdotool(&["click", "4"]);
    viewer.wait("the zoom", |line| distance(line) < 0.95 * distance(&start));
}

#[test]
fn a_gizmo_arrow_moves_the_target_along_its_axis() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "800x600", "--no-hud"]);
    let start = viewer.rest();
    let [x, y] = viewer.pixel(target(&start));
    // The tip of the upward arrow is about 8 % of the picture's height above the target.
    viewer.point([x, y - 0.075 * 600.0]);
    viewer.xdotool(&["mousedown", "1"]);
    viewer.point([x + 30.0, y - 0.075 * 600.0 - 40.0]);
    viewer.xdotool(&["mouseup", "1"]);
    let moved = target(&viewer.wait("the drag", |line| line.targets != start.targets)) - target(&start);
    assert!(moved.y > 0.0 && moved.x.abs() < 1e-9 && moved.z.abs() < 1e-9, "{moved}");
}

#[test]
fn tooltips_ask_for_a_picture_although_nothing_moves() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "1000x600"]);
    viewer.rest();
    // The button that closes the side panel.
    viewer.point([1000.0 - 27.0, 33.0]);
    std::thread::sleep(Duration::from_millis(100));
    let at_first = viewer.lines().len();
    viewer.until("the picture with the tooltip", || (viewer.lines().len() > at_first + 1).then_some(()));
}
