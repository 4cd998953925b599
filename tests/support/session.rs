//! Sessions on the project's own scenes, and commands as text.
#![allow(dead_code, reason = "each test file uses its share")]

use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::{Command, CommandError, Session};

/// A session on one of the project's own scenes.
pub fn open(name: &str) -> Session {
    let path = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Session::new(Scene::open(path).expect("a valid scene"))
}

/// Applies a command that may fail.
pub fn try_apply(session: &mut Session, words: &str) -> Result<(), CommandError> {
    match words.parse().expect("a command") {
        Command::Session(command) => session.apply(&command),
        other => panic!("not a session command: {other:?}"),
    }
}

/// Applies a command that must succeed.
pub fn apply(session: &mut Session, words: &str) {
    try_apply(session, words).expect("the command succeeds");
}

/// Whether all effectors have reports, and all of them say that the targets are reached.
pub fn is_reached(session: &Session) -> bool {
    let mut reports = (0..session.targets().len()).map(|at| session.report(at));
    reports.all(|report| report.is_some_and(|report| report.stop.is_reached()))
}

/// Advances time.
pub fn wait(session: &mut Session, seconds: f64) {
    for _ in 0..(seconds * 60.0) as usize {
        session.tick(1.0 / 60.0);
    }
}
