//! Sessions on our own scenes, told what to do in words.
#![allow(dead_code, reason = "each test file uses its share")]

use fabrik3d::session::{Command, CommandError, Session};
use fabrik3d_scene::Scene;

/// A session on one of our scenes.
pub fn open(name: &str) -> Session {
    let path = format!("{}/assets/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Session::new(Scene::open(path).expect("the scene reads"))
}

/// Tells a session something that it may refuse.
pub fn attempt(session: &mut Session, words: &str) -> Result<(), CommandError> {
    match words.parse().expect("a command") {
        Command::Session(command) => session.apply(&command),
        other => panic!("not a session's command: {other}"),
    }
}

/// Tells a session something that it carries out.
pub fn give(session: &mut Session, words: &str) {
    attempt(session, words).expect("carried out");
}

/// Lets time pass.
pub fn wait(session: &mut Session, seconds: f64) {
    for _ in 0..(seconds * 60.0) as usize {
        session.tick(1.0 / 60.0);
    }
}
