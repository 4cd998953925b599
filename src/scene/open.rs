//! From a file to a scene, and back to text.

use super::document::{Change, Fault, Node, parse_json, parse_toml, to_json, to_toml};
use super::{Scene, SceneError, native};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest scene file that is read, bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// The formats of our own scene files: the same keys in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML, for people.
    Toml,
    /// JSON, for programs.
    Json,
}

impl Format {
    /// The format that a file's extension stands for.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "toml" => Some(Format::Toml),
            "json" => Some(Format::Json),
            _ => None,
        }
    }
}

/// What may be said about a file besides its name.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Values that replace those of the file, in order.
    pub changes: Vec<Change>,
    /// Folders of the packages that `package://NAME/...` in a robot's description refers to.
    pub packages: Vec<(String, PathBuf)>,
}

impl Scene {
    /// Reads a scene file; its extension tells the format.
    pub fn open(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        Scene::open_with(path, &OpenOptions::default())
    }

    /// Reads a scene file with changes.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let origin = path.display().to_string();
        let Some(format) = Format::of(path) else {
            return Err(SceneError::new(origin, "the format of this file is not known")
                .with_hint("scenes are read from .toml and .json"));
        };
        let text = read_text(path, &origin)?;
        Scene::parse_with(&text, format, &origin, options)
    }

    /// Reads a scene from text; `origin` stands for the file in messages.
    pub fn parse(text: &str, format: Format, origin: &str) -> Result<Scene, SceneError> {
        Scene::parse_with(text, format, origin, &OpenOptions::default())
    }

    /// Reads a scene from text with changes.
    pub fn parse_with(text: &str, format: Format, origin: &str, options: &OpenOptions) -> Result<Scene, SceneError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = match format {
            Format::Toml => parse_toml(text),
            Format::Json => parse_json(text),
        };
        let document = document.map_err(|fault| fault.in_text(origin, text))?;
        let stem = Path::new(origin).file_stem().and_then(|stem| stem.to_str()).unwrap_or("scene");
        changed(document, stem, &options.changes).map_err(|(from, fault)| fault.in_text(from.unwrap_or(origin), text))
    }

    /// The scene with changes, whatever it was read from.
    pub fn with_changes(&self, changes: &[Change]) -> Result<Scene, SceneError> {
        changed(native::write(self), &self.name, changes)
            .map_err(|(from, fault)| fault.in_text(from.unwrap_or(&self.name), ""))
    }

    /// The scene as TOML; reads back as the same scene.
    pub fn to_toml(&self) -> String {
        to_toml(&native::write(self))
    }

    /// The scene as JSON; reads back as the same scene.
    pub fn to_json(&self) -> String {
        to_json(&native::write(self))
    }

    /// The scene that the viewer opens when it is given none.
    pub fn demo() -> Scene {
        let text = include_str!("../../assets/scenes/demo.toml");
        // The text is part of the program; a test opens it.
        Scene::parse(text, Format::Toml, "demo.toml").unwrap_or_else(|error| unreachable!("{error}"))
    }
}

/// Applies the changes and reads the scene. A fault that is not in the text comes from a change.
fn changed(mut document: Node, name: &str, changes: &[Change]) -> Result<Scene, (Option<&'static str>, Fault)> {
    let blame = |fault: Fault| (fault.place.is_none().then_some("--set"), fault);
    for change in changes {
        change.apply(&mut document).map_err(blame)?;
    }
    native::read(&document, name).map_err(blame)
}

/// The text of a file, if it is of a sensible size and UTF-8.
fn read_text(path: &Path, origin: &str) -> Result<String, SceneError> {
    let failed = |error: std::io::Error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::IsADirectory => "this is a folder, not a file".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        SceneError::new(origin, message)
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(SceneError::new(origin, format!("the file is larger than {} MiB", LARGEST_FILE >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        SceneError::new(origin, "this is not UTF-8 text").at(&text, valid)
    })
}
