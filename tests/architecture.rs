//! The folders may depend on each other in one direction only (see ARCHITECTURE.md).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each room, the rooms that it may use besides itself.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let line = ["solve", "session", "view", "render", "hud"];
    let mut rooms: BTreeMap<_, Vec<_>> =
        line.iter().enumerate().map(|(at, room)| (*room, line[..at].to_vec())).collect();
    rooms.insert("app", [&line[..], &["record"]].concat());
    rooms.insert("record", line.to_vec());
    rooms.insert("cli", [&line[..], &["app", "record"]].concat());
    rooms
}

/// Crates that only some rooms may name.
const RESERVED: [(&str, &[&str]); 6] = [
    ("glium", &["render", "app"]),
    ("glutin", &["render", "app"]),
    ("winit", &["app"]),
    ("egui_winit", &["app"]),
    ("cgmath", &["view"]),
    ("clap", &["cli"]),
];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The identifiers that follow `prefix` in `text`.
fn names_after<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let word = |rest: &'a str| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    };
    text.match_indices(prefix).map(|(at, _)| word(&text[at + prefix.len()..])).collect()
}

#[test]
fn rooms_use_only_what_lies_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms = allowed();
    let (mut faults, mut uses) = (Vec::new(), 0);
    for (room, below) in &rooms {
        let mut files = Vec::new();
        sources(&src.join(room), &mut files);
        assert!(!files.is_empty(), "there is no room {room}");
        for file in files {
            let text = std::fs::read_to_string(&file).expect("readable");
            for used in names_after(&text, "crate::") {
                uses += 1;
                if rooms.contains_key(used) && used != *room && !below.contains(&used) {
                    faults.push(format!("{} uses crate::{used}", file.display()));
                }
            }
            for (name, at_home) in RESERVED {
                if text.contains(&format!("{name}::")) && !at_home.contains(room) {
                    faults.push(format!("{} names {name}", file.display()));
                }
            }
        }
    }
    assert!(uses > 50, "found hardly any `crate::`: the test reads the wrong files");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
