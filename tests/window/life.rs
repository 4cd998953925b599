//! Resizing, pictures, films, settings, opening files, and closing the window.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::Desktop;
use fabrik3d_viewer::view::trace::TraceLine;
use glam::DVec3;

#[test]
fn a_window_can_be_resized_captured_recorded_and_closed() {
    let Some(desktop) = Desktop::start() else { return };
    let mut viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    viewer.rest();
    viewer.xdotool(&["windowsize", viewer.window(), "500", "400"]);
    let files = desktop.folder.path();
    let picture = files.join("fabrik3d-0001.png");
    viewer.until("the new size", || (viewer.size() == [500.0, 400.0]).then_some(()));
    viewer.rest();
    viewer.keys(&["F12"]);
    viewer.until("a picture", || picture.exists().then_some(()));
    let image = image::open(&picture).expect("a picture");
    assert_eq!((image.width(), image.height()), (500, 400));

    viewer.keys(&["ctrl+r"]);
    viewer.keys(&["1"]);
    viewer.wait("a blend", |line| line.blend.is_some_and(|blend| blend > 0.3));
    viewer.keys(&["ctrl+r"]);
    let film = ["mp4", "gif"].map(|extension| files.join(format!("fabrik3d-0001.{extension}")));
    viewer.until("a film", || film.iter().any(|film| film.metadata().is_ok_and(|film| film.len() > 500)).then_some(()));

    viewer.keys(&["ctrl+q"]);
    assert!(viewer.ended(), "it exits with success");
    let settings = std::fs::read_to_string(files.join("settings.toml")).expect("the settings were saved");
    assert!(settings.contains("window = [500, 400]"), "{settings}");
    assert!(settings.contains("seed-arm.toml"), "{settings}");
}

#[test]
fn a_signal_closes_the_window_and_stores_the_settings() {
    let Some(desktop) = Desktop::start() else { return };
    let mut viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    viewer.xdotool(&["windowsize", viewer.window(), "500", "400"]);
    viewer.until("the new size", || (viewer.size() == [500.0, 400.0]).then_some(()));
    viewer.rest();
    viewer.terminate();
    assert!(viewer.ended(), "it exits with success");
    let settings = std::fs::read_to_string(desktop.folder.path().join("settings.toml")).expect("stored");
    assert!(settings.contains("window = [500, 400]"), "{settings}");
}

#[test]
fn files_are_opened_and_saved_and_unreadable_files_are_ignored() {
    let Some(desktop) = Desktop::start() else { return };
    let files = desktop.folder.path();
    std::fs::write(files.join("broken.toml"), "joint = 3").expect("can be written");
    std::fs::write(files.join("settings.toml"), "nonsense = [").expect("can be written");
    let plain = "[[chain]]\nname = \"arm\"\npoints = [[0, 0, 0], [0, 1, 0], [0, 2, 0]]\n";
    std::fs::write(files.join("plain.toml"), plain).expect("can be written");
    let rope = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/rope.toml");
    let script = format!(
        "0.5 open broken.toml\n1.0 target.set 0.5 0.25 0.125\n1.2 save saved.toml\n1.3 open plain.toml\n\
         1.5 save other.toml\n1.6 open \"{rope}\"\n2.2 quit\n"
    );
    std::fs::write(files.join("script.txt"), script).expect("can be written");
    let mut viewer = desktop.view("seed-arm.toml", &["--size", "640x480", "--play", "script.txt"]);
    assert!(viewer.ended(), "it exits with success");
    let lines = viewer.lines();
    let joints = |line: &TraceLine| line.solved.len();
    let (first, last) = (&lines[0], lines.last().expect("lines"));
    assert_ne!(joints(first), joints(last), "the rope was opened");
    let saved = fabrik3d_scene::Scene::open(files.join("saved.toml")).expect("reads back");
    assert_eq!(saved.skeleton.len(), joints(first), "the unreadable file changed nothing");
    assert_eq!(saved.effectors[0].target.position, Some(DVec3::new(0.5, 0.25, 0.125)));
    assert_eq!(saved.name, "Seed arm", "it has a name of its own");
    let other = fabrik3d_scene::Scene::open(files.join("other.toml")).expect("reads back");
    assert_eq!(other.name, "other", "what has no name of its own is named after its file");
    assert_eq!(std::fs::read_to_string(files.join("settings.toml")).expect("is there"), "nonsense = [");
}

#[test]
fn unsaved_changes_are_asked_about_before_the_window_closes() {
    let Some(desktop) = Desktop::start() else { return };
    let mut viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let tap = |viewer: &desktop::Viewer| {
        let start = viewer.rest();
        // A key that arrives before the question has gone belongs to the question.
        viewer.until("the tap", || {
            viewer.keys(&["Prior"]);
            std::thread::sleep(std::time::Duration::from_millis(500));
            (viewer.now().targets != start.targets).then_some(())
        });
    };
    tap(&viewer);
    viewer.keys(&["ctrl+q"]);
    // The question has the keys; Esc keeps the scene.
    viewer.keys(&["Escape"]);
    tap(&viewer);
    // Changes that may be lost for another file are not, if that cannot be opened.
    let broken = desktop.folder.path().join("broken.toml");
    std::fs::write(&broken, "joint = 3").expect("can be written");
    viewer.keys(&["ctrl+o"]);
    viewer.xdotool(&["type", &broken.display().to_string()]);
    viewer.keys(&["Return"]);
    viewer.keys(&["d"]);
    viewer.rest();
    viewer.keys(&["ctrl+q"]);
    viewer.keys(&["Escape"]);
    tap(&viewer);
    viewer.keys(&["ctrl+q"]);
    viewer.keys(&["d"]);
    assert!(viewer.ended(), "discarding ends the program");
}

/// Limits that change the pose are a step that is undone, with what was changed before.
#[test]
fn a_file_that_is_read_again_with_other_limits_is_undone() {
    let Some(desktop) = Desktop::start() else { return };
    let [figure, limits] = ["figure.glb", "figure.limits.toml"].map(|name| desktop.folder.path().join(name));
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/mannequin.glb"), &figure).expect("copied");
    let viewer = desktop.view(&figure.display().to_string(), &["--size", "320x240"]);
    viewer.keys(&["Tab", "Prior", "Prior", "Prior"]);
    let away = |line: &TraceLine, other: &TraceLine| {
        let moves = line.displayed.iter().zip(&other.displayed).map(|(a, b)| DVec3::from(*a).distance(DVec3::from(*b)));
        moves.fold(0.0, f64::max)
    };
    std::thread::sleep(std::time::Duration::from_millis(700));
    let before = viewer.rest();
    // Arms at 45 degrees at rest that cannot turn, after they were moved or not.
    let reload = |range: &str, before: &TraceLine| {
        let lines = format!("[[joint]]\nname = \"LeftArm\"\nkind = \"hinge\"\naxis = [1, 0, 0]\nrange = {range}\n");
        std::fs::write(&limits, lines).expect("written");
        viewer.keys(&["F5"]);
        viewer.wait("another pose", |line| away(line, before) > 0.05);
        viewer.rest()
    };
    let first = reload("[60, 70]", &before);
    let second = reload("[10, 20]", &first);
    // Each one is undone, and comes again, in turn.
    for (key, shown) in [("ctrl+z", &first), ("ctrl+z", &before), ("ctrl+y", &first), ("ctrl+y", &second)] {
        viewer.keys(&[key]);
        viewer.wait("the pose as it was", |line| away(line, shown) < 1e-6);
        viewer.rest();
    }
    viewer.keys(&["ctrl+z"]);
    viewer.wait("the first reload", |line| away(line, &first) < 1e-6);
    viewer.rest();
    viewer.keys(&["ctrl+z"]);
    viewer.wait("the pose before", |line| away(line, &before) < 1e-6);
    // What was changed before is undone next.
    viewer.rest();
    viewer.keys(&["ctrl+z"]);
    viewer.wait("the target before", |line| line.targets != before.targets);
}

#[test]
fn changes_are_asked_about_before_the_file_is_read_again() {
    let Some(desktop) = Desktop::start() else { return };
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let moves_target = || {
        let start = viewer.rest();
        viewer.keys(&["Prior"]);
        std::thread::sleep(std::time::Duration::from_millis(700));
        viewer.now().targets != start.targets
    };
    // Targets that were moved stay where they are, so there is nothing to ask.
    viewer.until("a target that moves", || moves_target().then_some(()));
    viewer.keys(&["F5"]);
    viewer.until("no question", || moves_target().then_some(()));
    viewer.keys(&["shift+m"]);
    viewer.rest();
    viewer.keys(&["F5"]);
    viewer.until("the question, which has the keys", || (!moves_target()).then_some(()));
    viewer.keys(&["Escape"]);
    viewer.until("the scene as it was", || moves_target().then_some(()));
    viewer.keys(&["F5"]);
    viewer.until("the question again", || (!moves_target()).then_some(()));
    viewer.keys(&["d"]);
    viewer.until("the scene of the file", || moves_target().then_some(()));
    viewer.keys(&["F5"]);
    viewer.until("no question any more", || moves_target().then_some(()));
}

#[test]
fn the_default_window_fits_on_the_screen_with_its_title_bar() {
    let Some(desktop) = Desktop::start() else { return };
    for (arguments, expected) in [(&[][..], [1024.0, 714.0]), (&["--size", "1200x740"], [1200.0, 740.0])] {
        let viewer = desktop.view("seed-arm.toml", arguments);
        assert_eq!(viewer.size(), expected, "on a screen of 1024x768");
    }
}
