//! The command lines of the documentation that open a window.
#![cfg(target_os = "linux")]

use crate::desktop::Desktop;
use crate::page_support::{folder, pages, shell};

#[test]
fn the_windows_of_the_documentation_open_as_printed() {
    let Some(desktop) = Desktop::start() else { return };
    let mut failures = Vec::new();
    for page in pages() {
        let folder = folder();
        for command in page.iter().filter(|command| command.opens_a_window()) {
            let text = format!("{} --exit-after 0.1", command.text);
            let ran = desktop.output(shell(&text, folder.path()));
            if !ran.status.success() {
                let error = String::from_utf8_lossy(&ran.stderr).into_owned();
                failures.push(format!("{}: {}\n{:?} {error}", command.place, command.text, ran.status.code()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
