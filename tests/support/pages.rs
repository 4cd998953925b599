//! The command lines of the documentation.
#![cfg(unix)]

use std::ops::Range;
use std::path::{Path, PathBuf};

/// In a page, the line before commands that need something else than the program, with the reason.
const NOT_RUN: &str = "<!-- not run: ";
/// The subcommands that open no window. Without one of them, `view` is meant.
const WINDOWLESS: [&str; 5] = ["bench", "check", "convert", "render", "solve"];

/// A command line in a page.
#[derive(Clone, Debug)]
pub struct Command {
    /// Page and line.
    pub place: String,
    /// As printed, without the comment.
    pub text: String,
}

impl Command {
    /// Whether it opens a window.
    pub fn opens_a_window(&self) -> bool {
        let after = self.text.split_whitespace().nth(1);
        !after.is_some_and(|word| WINDOWLESS.contains(&word))
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The commands of each page, in its order. Every block of commands is run, or says why not.
pub fn pages() -> Vec<Vec<Command>> {
    let folder = std::fs::read_dir(root().join("docs")).expect("the documentation");
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.expect("a page").path()).collect();
    pages.sort();
    pages.push(root().join("README.md"));
    pages.push(root().join("crates/python/README.md"));
    pages.iter().map(|page| commands(page)).collect()
}

fn commands(page: &Path) -> Vec<Command> {
    let text = std::fs::read_to_string(page).expect("a page");
    let lines: Vec<&str> = text.lines().collect();
    let mut commands = Vec::new();
    for block in blocks(&lines) {
        let before = lines[..block.start - 1].iter().rev().find(|line| !line.trim().is_empty());
        if before.is_some_and(|line| line.trim_start().starts_with(NOT_RUN)) {
            continue;
        }
        for at in block {
            let place = format!("{}:{}", page.display(), at + 1);
            let text = lines[at].split("  #").next().unwrap_or_default().trim().to_owned();
            let is_ours = text.split_whitespace().next() == Some("fabrik3d");
            assert!(is_ours, "{place}: `{text}` needs more than the program; say so: `{NOT_RUN}REASON -->`");
            commands.push(Command { place, text });
        }
    }
    commands
}

/// The lines of the blocks that hold commands.
fn blocks(lines: &[&str]) -> Vec<Range<usize>> {
    let (mut blocks, mut open): (_, Option<usize>) = (Vec::new(), None);
    for (at, line) in lines.iter().enumerate() {
        match (line.trim().strip_prefix("```"), open) {
            (Some("sh"), None) => open = Some(at + 1),
            (Some(""), Some(start)) => {
                blocks.push(start..at);
                open = None;
            }
            _ => {}
        }
    }
    blocks
}

/// A folder with what comes with the program.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root().join("assets"), folder.path().join("assets")).expect("a link");
    folder
}

/// The shell with a command line that finds the built program.
pub fn shell(text: &str, folder: &Path) -> std::process::Command {
    let own = Path::new(env!("CARGO_BIN_EXE_fabrik3d")).parent().expect("a folder");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own.to_owned()].into_iter().chain(std::env::split_paths(&others)));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", text]).current_dir(folder).env("PATH", path.expect("paths"));
    command
}
