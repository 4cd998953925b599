//! What a page in a browser holds besides the viewer: a scene, and what happens with it. The program writes it as JSON, and
//! `crates/web` reads it.

use crate::session::command::{DisplayCommand, Theme};
use crate::session::{Command, MotionCommand, MotionMode, SessionCommand};
use crate::view::Display;
use fabrik3d_scene::{OpenOptions, Scene, SceneError, Syntax, Up};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A scene in a page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// The file of the scene, or `example:NAME`.
    pub file: PathBuf,
    /// How the file is read.
    pub options: OpenOptions,
    /// The scene as TOML, where it is another one than the file says; its meshes and clips are those of the file.
    pub text: Option<String>,
    /// The recorded motion to open.
    pub recording: Recording,
    /// Timed commands.
    pub script: String,
    /// Whether the page is light.
    pub is_light: bool,
}

/// The recorded motion that a viewer opens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recording {
    /// Its file; none for the clips of the scene itself.
    pub file: Option<PathBuf>,
    /// Recorded joints, and those that follow them.
    pub matches: Vec<(String, String)>,
    /// The clip to play, by name or number.
    pub clip: Option<String>,
    /// Whether targets follow the recorded joints.
    pub follows: bool,
    /// The axis that points up in it, if that is said.
    pub up: Option<Up>,
}

impl Default for Page {
    fn default() -> Self {
        Page {
            file: PathBuf::from("example:demo"),
            options: OpenOptions::default(),
            text: None,
            recording: Recording::default(),
            script: String::new(),
            is_light: false,
        }
    }
}

impl Page {
    /// Opens the scene.
    ///
    /// # Errors
    /// The file or the text cannot be read.
    pub fn open(&self, open: fn(&Path, &OpenOptions) -> Result<Scene, SceneError>) -> Result<Scene, SceneError> {
        let scene = open(&self.file, &self.options)?;
        let Some(text) = &self.text else { return Ok(scene) };
        let changed = Scene::parse(text, Syntax::Toml, &scene.name)?;
        Ok(Scene { assets: scene.assets, ..changed })
    }

    /// How the scene is shown.
    pub fn display(&self) -> Display {
        let theme = if self.is_light { Theme::Light } else { Theme::Dark };
        Display::default().after(&DisplayCommand::Theme(theme))
    }
}

impl Recording {
    /// The commands that open and play it, in order of execution.
    pub fn commands(&self) -> Vec<Command> {
        let pairs = self.matches.clone();
        // Without a file, they match the joints of the scene's own clips.
        let (opened, own) = match self.file.clone() {
            Some(file) => (Some(MotionCommand::Open(file, pairs, self.up)), Vec::new()),
            None => (None, pairs),
        };
        let clip = self.clip.clone().map(MotionCommand::Clip);
        let mode = self.follows.then_some(MotionCommand::Mode(Some(MotionMode::Follow)));
        // What is opened plays by itself, unless it is a list of rows to be looked at one by one.
        let plays = opened.is_none() && (clip.is_some() || mode.is_some());
        let rest = [clip, mode, plays.then_some(MotionCommand::Play(true))];
        let commands = opened
            .into_iter()
            .chain(own.into_iter().map(|(one, two)| MotionCommand::Match(one, two)))
            .chain(rest.into_iter().flatten());
        commands.map(|command| Command::Session(SessionCommand::Motion(command))).collect()
    }
}
