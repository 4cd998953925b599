//! Files that another program drops on the window.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::{Desktop, End};
use std::fmt::Write;
use std::path::Path;

/// The URI of a file as desktops write it: all characters except letters, digits and a few others percent-encoded.
fn uri(path: &Path) -> String {
    path.to_str().expect("is text").bytes().fold("file://".to_owned(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

fn own(scene: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(scene)
}

#[test]
fn dropped_files_are_opened_and_unreadable_files_are_ignored() {
    let Some(desktop) = Desktop::start() else { return };
    let files = desktop.folder.path();
    let rope = files.join("a röpe & 100%.toml");
    std::fs::copy(own("rope.toml"), &rope).expect("can be copied");
    std::fs::write(files.join("broken.toml"), "joint = 3").expect("can be written");
    std::fs::write(files.join("path.csv"), "x,y,z\n0.5,0.5,0.5\n0.6,0.5,0.5\n").expect("can be written");
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let first = viewer.rest().solved.len();

    // Files that are not dropped, and items that are not files: nothing is opened.
    assert!(viewer.drag(&[uri(&rope)], End::Leave));
    assert_eq!(viewer.rest().solved.len(), first);
    viewer.drag(&["https://example.org/arm.toml".to_owned()], End::Drop);
    viewer.drag(&[uri(&files.join("is-not-there.toml"))], End::Drop);
    viewer.drag(&[uri(&files.join("broken.toml"))], End::Drop);
    // What is no scene opens the dialog, which the next drop closes.
    viewer.drag(&[uri(files)], End::Drop);
    assert_eq!(viewer.rest().solved.len(), first);

    assert!(viewer.drag(&[uri(&rope)], End::Drop));
    viewer.wait("the rope", |line| line.solved.len() != first);

    // A scene, a table of targets to play in it, and a second scene, which is ignored.
    let together = [files.join("path.csv"), own("seed-arm.toml"), own("tree.toml")];
    assert!(viewer.drag(&together.map(|file| uri(&file)), End::Drop));
    let line = viewer.wait("the arm with the table", |line| line.solved.len() == first && line.motion.is_some());
    assert_eq!(line.targets.len(), 1);
}

#[test]
fn a_recording_that_is_dropped_on_a_character_plays_on_it_or_opens() {
    let Some(desktop) = Desktop::start() else { return };
    let walk = desktop.folder.path().join("walk.bvh");
    let puppet = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/puppet.gltf");
    let puppet = puppet.to_str().expect("is text");
    desktop.fabrik3d(&["convert", puppet, "--clip", "Walk", "-o", walk.to_str().expect("is text")]);
    let viewer = desktop.view("../models/mannequin.glb", &["--size", "640x480"]);
    let joints = viewer.rest().solved.len();
    assert!(viewer.drag(&[uri(&walk)], End::Drop));
    viewer.until("the recording on the character", || {
        viewer.keys(&["Return"]);
        viewer.now().motion.map(|_| ())
    });
    assert_eq!(viewer.now().solved.len(), joints);
    assert!(viewer.drag(&[uri(&walk)], End::Drop));
    viewer.until("the recording as a scene", || {
        viewer.keys(&["o"]);
        (viewer.now().solved.len() != joints).then_some(())
    });
}
