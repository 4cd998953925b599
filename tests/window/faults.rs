//! Storms of resizes, keys and clicks, and an X server that dies.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::Desktop;
use fabrik3d_ik::random::Random;
use std::path::Path;

/// Keys that change something in the window only: no dialogs, no files, no end of the program.
const KEYS: [&str; 48] = [
    "1",
    "2",
    "3",
    "0",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "h",
    "i",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "q",
    "r",
    "s",
    "t",
    "u",
    "v",
    "w",
    "x",
    "y",
    "z",
    "Tab",
    "space",
    "Left",
    "Right",
    "Up",
    "Down",
    "Prior",
    "Next",
    "Home",
    "End",
    "Escape",
    "Return",
    "F1",
    "bracketleft",
    "bracketright",
    "comma",
    "period",
    "ctrl+z",
    "ctrl+y",
];

/// Random keys, clicks, drags and turns of the wheel for one call of xdotool.
fn storm(random: &mut Random, actions: usize, [width, height]: [f64; 2], window: &str) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    let mut push = |words: &[&str]| arguments.extend(words.iter().map(|word| (*word).to_owned()));
    for _ in 0..actions {
        match random.index(4) {
            0 => {
                let [x, y] = [width, height].map(|size| (random.range(0.0, size) as u32).to_string());
                push(&["mousemove", "--window", window, &x, &y]);
            }
            1 => push(&["click", &(1 + random.index(5)).to_string()]),
            2 => {
                let button = (1 + random.index(3)).to_string();
                let [x, y] = [random.range(-90.0, 90.0), random.range(-90.0, 90.0)].map(|by| (by as i32).to_string());
                push(&["mousedown", &button, "mousemove_relative", "--", &x, &y, "mouseup", &button]);
            }
            _ => push(&["key", KEYS[random.index(KEYS.len())]]),
        }
    }
    arguments
}

#[test]
fn a_thousand_random_keys_and_clicks_do_no_harm() {
    let Some(desktop) = Desktop::start() else { return };
    let mut random = Random::new(7);
    for scene in ["demo.toml", "humanoid.toml", "stewart.toml", "tree.toml"] {
        // A copy: a click may save the scene.
        let copy = desktop.folder.path().join(scene);
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(scene), &copy).expect("a copy");
        let mut viewer = desktop.view(copy.to_str().expect("UTF-8"), &["--size", "480x360"]);
        for _ in 0..10 {
            let actions = storm(&mut random, 25, [480.0, 360.0], viewer.window());
            viewer.xdotool(&actions.iter().map(String::as_str).collect::<Vec<_>>());
            viewer.activate();
        }
        // Closes whatever is open.
        viewer.keys(&["Escape", "Escape", "Escape", "ctrl+q"]);
        // Discards the changes, if there are any.
        viewer.keys(&["d"]);
        assert!(viewer.ended(), "{scene}: it exits with success");
        assert_eq!(viewer.errors(), "", "{scene}");
    }
}

#[test]
fn a_storm_of_resizes_ends_with_a_picture_of_the_last_size() {
    let Some(desktop) = Desktop::start() else { return };
    let mut viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let mut random = Random::new(3);
    let mut sizes: Vec<String> = Vec::new();
    for _ in 0..60 {
        let [width, height] = [random.range(120.0, 900.0), random.range(90.0, 700.0)].map(|size| size as u32);
        sizes.extend(["windowsize", viewer.window(), &width.to_string(), &height.to_string()].map(str::to_owned));
    }
    viewer.xdotool(&sizes.iter().map(String::as_str).collect::<Vec<_>>());
    viewer.xdotool(&["windowsize", viewer.window(), "420", "300"]);
    viewer.until("the last size", || (viewer.size() == [420.0, 300.0]).then_some(()));
    viewer.rest();
    let picture = desktop.folder.path().join("fabrik3d-0001.png");
    viewer.keys(&["F12"]);
    viewer.until("a picture", || picture.exists().then_some(()));
    assert_eq!(image::image_dimensions(&picture).expect("a picture"), (420, 300));
    viewer.keys(&["ctrl+q"]);
    assert!(viewer.ended(), "it exits with success");
    assert_eq!(viewer.errors(), "");
}

#[test]
fn the_viewer_ends_with_the_x_server() {
    let Some(desktop) = Desktop::start() else { return };
    let mut viewer = desktop.view("seed-arm.toml", &["--size", "320x240"]);
    viewer.rest();
    desktop.end_server();
    let status = viewer.status().expect("the viewer ends");
    assert_eq!(viewer.errors(), "error: the connection to the display was lost\n");
    assert_eq!(status.code(), Some(2), "{status}");
}

/// Of the extensions that the window needs, Xvfb can leave out this one.
#[test]
fn without_randr_the_error_names_the_extension_and_a_way_out() {
    let Some(desktop) = Desktop::start_without(Some("RANDR")) else { return };
    let output = desktop.fabrik3d(&["view", "assets/scenes/seed-arm.toml", "--exit-after", "1"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("error: the X server lacks the extension RANDR"), "{errors}");
    assert!(errors.contains("-extension RANDR") && errors.contains("fabrik3d render FILE"), "{errors}");
}
