//! Keys in a real window.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::{Desktop, reach, target};
use glam::DVec3;
use std::time::Duration;

#[test]
fn tapping_a_key_moves_one_step_and_holding_it_moves_continuously() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let before = viewer.rest();
    let tap = 0.01 * reach(&before);

    for (key, axis) in [("Prior", DVec3::Y), ("e", DVec3::Y), ("Next", -DVec3::Y)] {
        let start = viewer.rest();
        viewer.keys(&[key]);
        viewer.wait("the tap", |line| line.targets != start.targets);
        let moved = target(&viewer.rest()) - target(&start);
        assert!((moved - axis * moved.length()).length() < 1e-9, "{key}: {moved}");
        assert!(moved.length() > 0.999 * tap && moved.length() < 3.0 * tap, "{key}: {moved}, not {tap}");
    }

    let start = viewer.rest();
    viewer.xdotool(&["keydown", "Right"]);
    viewer.wait("a glide", |line| (target(line) - target(&start)).length() > 10.0 * tap);
    viewer.xdotool(&["keyup", "Right"]);
    let moved = target(&viewer.rest()) - target(&start);
    assert!(moved.y == 0.0 && moved.x.abs().min(moved.z.abs()) < 1e-9, "along a horizontal axis: {moved}");
}

#[test]
fn losing_the_focus_releases_held_keys() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let start = viewer.rest();
    viewer.xdotool(&["keydown", "Prior"]);
    viewer.wait("a glide", |line| line.targets != start.targets);
    viewer.xdotool(&["windowminimize", viewer.window()]);
    std::thread::sleep(Duration::from_millis(300));
    viewer.activate();
    let back = viewer.rest();
    // Make the viewer draw pictures, so that the trace would show a moving target.
    for x in 0..10 {
        viewer.point([200.0 + f64::from(x), 400.0]);
        std::thread::sleep(Duration::from_millis(40));
    }
    assert_eq!(viewer.now().targets, back.targets, "the key counts as released");
    viewer.xdotool(&["keyup", "Prior"]);
}

#[test]
fn a_preset_during_a_blend_starts_from_the_displayed_pose() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480", "--no-hud"]);
    viewer.rest();
    viewer.keys(&["1"]);
    viewer.wait("a blend", |line| line.blend.is_some_and(|blend| blend > 0.2));
    viewer.keys(&["2"]);
    viewer.rest();
    let lines = viewer.lines();
    let jump = lines.windows(2).rposition(|pair| pair[0].targets != pair[1].targets).expect("a second jump");
    let (before, after) = (&lines[jump], &lines[jump + 1]);
    assert!(before.blend.is_some(), "the first blend was in progress");
    let step = |k: usize| DVec3::from(before.displayed[k]).distance(DVec3::from(after.displayed[k]));
    let longest = (0..before.displayed.len()).map(step).fold(0.0, f64::max);
    // The first frame of a blend covers at most 0.1 s: 2.5 % of a distance of at most two reaches.
    assert!(longest < 0.05 * reach(before), "{longest}");
    let ends = lines.last().expect("lines");
    assert_eq!(ends.solved, ends.displayed, "the blend is complete");
}

#[test]
fn ctrl_arrow_orbits_and_brackets_select_joints() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let start = viewer.rest();
    viewer.keys(&["ctrl+Left"]);
    let turned = viewer.until("a turn", || viewer.lines().pop().filter(|line| line.frame > start.frame));
    assert_eq!(turned.targets, start.targets, "turning moves no target");
    viewer.keys(&["bracketright", "f"]);
    let framed = viewer.wait("the joint framed", |line| line.camera.position != start.camera.position);
    assert!(framed.frame > start.frame);
}

#[test]
fn f10_gives_the_keys_to_the_panels_and_takes_them_back() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let start = viewer.rest();
    // With Esc they come back too.
    for back in ["F10", "Escape"] {
        viewer.keys(&["F10"]);
        std::thread::sleep(Duration::from_millis(300));
        viewer.keys(&["Prior", "Prior"]);
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(viewer.rest().targets, start.targets, "the panels have the keys");
        viewer.keys(&[back]);
        std::thread::sleep(Duration::from_millis(300));
        let before = viewer.rest();
        viewer.keys(&["Prior"]);
        viewer.wait("the tap", |line| line.targets != before.targets);
        viewer.keys(&["ctrl+z"]);
        viewer.wait("the undo", |line| line.targets == start.targets);
        viewer.rest();
    }
}
