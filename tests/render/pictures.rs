//! The pictures of the documentation show what the program draws today.

use crate::golden_support::difference;
use std::path::Path;
use std::process::Command;

/// Pictures with panels and texts: those that go stale.
const PICTURES: [&str; 4] = ["lesson.png", "race.png", "figures.png", "limits.png"];

#[test]
fn pictures_of_the_documentation_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new("sh")
        .arg("tools/pictures.sh")
        .arg(env!("CARGO_BIN_EXE_fabrik3d"))
        .arg(folder.path())
        .args(PICTURES)
        .current_dir(root)
        .output()
        .expect("sh starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let stale = PICTURES.iter().filter_map(|name| {
        let picture = image::open(folder.path().join(name)).expect("a picture").to_rgba8();
        difference(&picture, &root.join("assets/pictures").join(name), name)
    });
    let stale: Vec<String> = stale.collect();
    assert!(stale.is_empty(), "run `make pictures` and look at them: {}", stale.join("; "));
}
