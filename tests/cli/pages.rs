//! The command lines of the documentation run as printed. Those that open a window: `tests/window/pages.rs`.
#![cfg(unix)]

use crate::page_support::{folder, pages, shell};

#[test]
fn the_commands_of_the_documentation_run_as_printed() {
    let mut failures = Vec::new();
    for page in pages() {
        let folder = folder();
        for command in page.iter().filter(|command| !command.opens_a_window()) {
            let ran = shell(&command.text, folder.path()).env_remove("DISPLAY").output().expect("a shell");
            if !ran.status.success() {
                let error = String::from_utf8_lossy(&ran.stderr).into_owned();
                failures.push(format!("{}: {}\n{:?} {error}", command.place, command.text, ran.status.code()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
