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

/// Names of all files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8")).collect()
}

/// A fault of the program in the middle of a film: the changed scene is saved beside its file, and the film is whole.
#[cfg(debug_assertions)]
#[test]
fn a_panic_saves_the_scene_and_the_film() {
    let Some(desktop) = Desktop::start() else { return };
    let files = desktop.folder.path();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let fault = files.join("fault");
    let script = "0.3 target.set 0.5 0.25 0.125\n0.5 record film.gif\n";
    std::fs::write(files.join("script.txt"), script).expect("can be written");
    for (source, saved) in
        [("scenes/seed-arm.toml", "figure-rescued.toml"), ("models/tube.glb", "figure-posed-rescued.glb")]
    {
        let source = assets.join(source);
        let figure = files.join("figure").with_extension(source.extension().expect("an extension"));
        std::fs::copy(&source, &figure).expect("a copy");
        // The second time, the name is taken.
        let again = saved.replace("rescued.", "rescued-2.");
        for expected in [saved, &again] {
            let _ = (std::fs::remove_file(&fault), std::fs::remove_file(files.join("film.gif")));
            let arguments = ["--size", "320x240", "--play", "script.txt"];
            let mut viewer = desktop.view_with(
                figure.to_str().expect("UTF-8"),
                &arguments,
                &[("FABRIK3D_PANIC", fault.to_str().expect("UTF-8"))],
            );
            let target =
                viewer.wait("the target", |line| line.targets.values().any(|target| *target == [0.5, 0.25, 0.125]));
            let is_draft = |name: &String| name.starts_with(".fabrik3d-");
            viewer.until("a film", || names(files).iter().any(is_draft).then_some(()));
            std::thread::sleep(std::time::Duration::from_millis(800));
            std::fs::write(&fault, "").expect("can be written");
            let status = viewer.status().expect("the viewer ends");
            assert_eq!(status.code(), Some(2), "{expected}: {}", viewer.errors());
            let path = files.join(expected);
            let note = format!("\nnote: Saved {}: the scene with its changes\n", path.display());
            let errors = viewer.errors();
            assert!(errors.starts_with("error: internal error") && errors.ends_with(&note), "{errors}");
            assert!(!names(files).iter().any(is_draft), "{:?}", names(files));
            let scene = fabrik3d_scene::Scene::open(&path).expect("reads back");
            assert_eq!(scene.skeleton.len(), target.solved.len());
            assert!(std::fs::read(&source).expect("is there") == std::fs::read(&figure).expect("is there"));
            let film = std::io::BufReader::new(std::fs::File::open(files.join("film.gif")).expect("the film"));
            let frames =
                image::AnimationDecoder::into_frames(image::codecs::gif::GifDecoder::new(film).expect("a GIF"));
            assert!(frames.collect_frames().expect("whole frames").len() > 1, "{expected}");
        }
    }
}

/// Where nothing would be lost, nothing is written.
#[cfg(debug_assertions)]
#[test]
fn a_panic_saves_no_scene_without_changes() {
    let Some(desktop) = Desktop::start() else { return };
    let files = desktop.folder.path();
    let fault = files.join("fault");
    let variables = [("FABRIK3D_PANIC", fault.to_str().expect("UTF-8"))];
    let mut viewer = desktop.view_with("seed-arm.toml", &["--size", "320x240"], &variables);
    viewer.rest();
    let before = names(files).len();
    std::fs::write(&fault, "").expect("can be written");
    viewer.keys(&["F2"]);
    assert_eq!(viewer.status().expect("the viewer ends").code(), Some(2));
    let errors = viewer.errors();
    assert!(errors.starts_with("error: internal error") && !errors.contains("note:"), "{errors}");
    assert_eq!(names(files).len(), before + 1, "{:?}", names(files));
}
