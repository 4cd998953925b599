//! Files that another program drops on the window.
#![cfg(target_os = "linux")]

use crate::desktop;

use desktop::{Desktop, End};
use std::fmt::Write;
use std::path::Path;

/// The address of a file as desktops write it: all but plain letters, digits and a few signs as percents.
fn address(path: &Path) -> String {
    path.to_str().expect("is text").bytes().fold("file://".to_owned(), |mut address, byte| {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
        address
    })
}

fn own(scene: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(scene)
}

#[test]
fn dropped_files_are_opened_whatever_their_names_and_what_cannot_be_read_changes_nothing() {
    let Some(desktop) = Desktop::start() else { return };
    let files = desktop.folder.path();
    let rope = files.join("a röpe & 100%.toml");
    std::fs::copy(own("rope.toml"), &rope).expect("can be copied");
    std::fs::write(files.join("broken.toml"), "joint = 3").expect("can be written");
    std::fs::write(files.join("path.csv"), "x,y,z\n0.5,0.5,0.5\n0.6,0.5,0.5\n").expect("can be written");
    let viewer = desktop.view("seed-arm.toml", &["--size", "640x480"]);
    let first = viewer.rest().solved.len();

    // Only held over the window, and what is no file: nothing is opened.
    assert!(viewer.drag(&[address(&rope)], End::Leave));
    assert_eq!(viewer.rest().solved.len(), first);
    viewer.drag(&["https://example.org/arm.toml".to_owned()], End::Drop);
    viewer.drag(&[address(&files.join("is-not-there.toml"))], End::Drop);
    viewer.drag(&[address(&files.join("broken.toml"))], End::Drop);
    viewer.drag(&[address(files)], End::Drop);
    assert_eq!(viewer.rest().solved.len(), first);

    assert!(viewer.drag(&[address(&rope)], End::Drop));
    viewer.wait("the rope", |line| line.solved.len() != first);

    // A scene, a table to be played in it, and one more scene that is left out.
    let together = [files.join("path.csv"), own("seed-arm.toml"), own("tree.toml")];
    assert!(viewer.drag(&together.map(|file| address(&file)), End::Drop));
    let line = viewer.wait("the arm with the table", |line| line.solved.len() == first && line.motion.is_some());
    assert_eq!(line.targets.len(), 1);
}
