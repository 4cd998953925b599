//! Screens with a scale factor above 1.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::{Desktop, Viewer, target};
use glam::DVec3;

/// Drags the target by this number of pixels. Returns its distance from the pointer in the picture afterwards.
fn drag(viewer: &Viewer<'_>, by: [f64; 2]) -> f64 {
    let before = target(&viewer.rest());
    let start = viewer.pixel(before);
    let end = [start[0] + by[0], start[1] + by[1]];
    viewer.point(start);
    viewer.xdotool(&["mousedown", "1"]);
    viewer.point([start[0] + 0.5 * by[0], start[1] + 0.5 * by[1]]);
    viewer.point(end);
    viewer.wait("the drag", |line| (target(line) - before).length() > 1e-3);
    viewer.xdotool(&["mouseup", "1"]);
    let now = viewer.pixel(target(&viewer.rest()));
    (now[0] - end[0]).hypot(now[1] - end[1])
}

#[test]
fn dragging_follows_the_pointer_at_every_scale() {
    let Some(desktop) = Desktop::start() else { return };
    for scale in ["1", "1.5", "2"] {
        let size = ["--size", "480x360", "--no-hud"];
        let viewer = desktop.view_with("seed-arm.toml", &size, &[("WINIT_X11_SCALE_FACTOR", scale)]);
        let factor: f64 = scale.parse().expect("a number");
        assert_eq!(viewer.size(), [480.0 * factor, 360.0 * factor], "logical sizes grow with the scale");
        let off = drag(&viewer, [-40.0 * factor, 25.0 * factor]);
        assert!(off < 3.0, "scale {scale}: the target is {off} pixels from the pointer");
        let place: DVec3 = target(&viewer.now());
        viewer.keys(&["ctrl+z"]);
        viewer.wait("the undo", |line| (target(line) - place).length() > 1e-3);
    }
}

#[test]
fn the_window_follows_changes_of_the_scale_factor() {
    let Some(desktop) = Desktop::start() else { return };
    let settings = desktop.screen_settings(1.0);
    let viewer = desktop.view("seed-arm.toml", &["--size", "480x360"]);
    assert_eq!(viewer.size(), [480.0, 360.0]);
    for scale in [2.0, 1.5, 1.0] {
        settings.set_scale(scale);
        viewer.until("the window's new size", || (viewer.size() == [480.0 * scale, 360.0 * scale]).then_some(()));
        let off = drag(&viewer, [-40.0 * scale, 25.0 * scale]);
        assert!(off < 3.0, "scale {scale}: the target is {off} pixels from the pointer");
        viewer.keys(&["ctrl+z"]);
        viewer.rest();
    }
}
