//! From a file to a scene, and back to text.

use crate::error::SceneError;
use crate::formats::{bvh, gltf, limits_file, scene_file, urdf, xml};
use crate::source::extension;
use crate::syntax_tree::Node;
use crate::syntax_tree::change::Change;
use crate::syntax_tree::fault::Fault;
use crate::syntax_tree::parse::{parse_json, parse_toml};
use crate::syntax_tree::print::{to_json, to_toml};
use crate::{Scene, source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
        match extension(path).as_str() {
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
    /// Whether meshes are read.
    pub surfaces: Surfaces,
}

/// Whether the meshes of a robot or a character are read: who only solves does without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surfaces {
    /// They are read.
    #[default]
    Load,
    /// They are left out.
    Skip,
}

impl Scene {
    /// Reads a scene file; its extension tells the format: our own `.toml` and `.json`, a robot's `.urdf`, a
    /// character's `.gltf` or `.glb`, recorded motion in `.bvh`.
    ///
    /// What such a file brings along besides joints is in [`Scene::assets`], and so are warnings of what had to be left
    /// out. `example:NAME` stands for a scene that comes with the program ([`fabrik3d_ik::solve::examples`]). Files that hold no limits (glTF, BVH) get those of `NAME.limits.toml`, if it lies beside them: a `[[joint]]`
    /// for each limited joint with its `name` and the scene keys `kind`, `swing`, `twist`, `axis` and `range`, in the
    /// joint's rest frame, whose z axis is the link axis.
    pub fn open(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        Scene::open_with(path, &OpenOptions::default())
    }

    /// Reads a scene file with changes.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let largest = if Format::of(path).is_some() { LARGEST_FILE } else { source::LARGEST_FILE };
        if !is_known(path) {
            // Said before the file is read: it may be large.
            source::check_file(path)?;
            return Scene::from_bytes(Vec::new(), path, options);
        }
        Scene::from_bytes(source::read_bytes(path, largest)?, path, options)
    }

    /// Reads a scene from the bytes of a file. `path` is where they come from: its extension tells the format, and what
    /// the scene refers to (meshes, buffers, limits) is looked for beside it.
    pub fn from_bytes(bytes: Vec<u8>, path: impl AsRef<Path>, options: &OpenOptions) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let origin = path.display().to_string();
        if let Some(format) = Format::of(path) {
            return Scene::parse_with(&source::decode(bytes, &origin)?, format, &origin, options);
        }
        let name = source::stem(&origin);
        let scene = match extension(path).as_str() {
            "bvh" => {
                let text = source::decode(bytes, &origin)?;
                bvh::read(&text, name).map_err(|fault| fault.in_text(&origin, &text))
            }
            "urdf" => {
                let text = xml::without_declaration(source::decode(bytes, &origin)?);
                urdf::read(&text, path, name, options).map_err(|fault| fault.in_text(&origin, &text))
            }
            "gltf" | "glb" => {
                let folder = path.parent().unwrap_or(Path::new("."));
                gltf::read(&bytes, &origin, folder, name, options.surfaces).map(|mut scene| {
                    Arc::make_mut(&mut scene.assets).source = Some(path.to_owned());
                    scene
                })
            }
            "xacro" => Err(SceneError::new(&origin, "this is a xacro file, not URDF")
                .with_hint("turn it into URDF first: xacro robot.xacro > robot.urdf")),
            _ => Err(SceneError::new(&origin, "the format of this file is not known")
                .with_hint("scenes are read from .toml, .json, .urdf, .gltf, .glb and .bvh")),
        }?;
        let scene = limits_file::beside(scene, path)?;
        if options.changes.is_empty() { Ok(scene) } else { scene.with_changes(&options.changes) }
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
        changed(document, source::stem(origin), &options.changes)
            .map_err(|(from, fault)| fault.in_text(from.unwrap_or(origin), text))
    }

    /// The scene with changes, whatever it was read from.
    pub fn with_changes(&self, changes: &[Change]) -> Result<Scene, SceneError> {
        let scene = changed(scene_file::write(self), &self.name, changes)
            .map_err(|(from, fault)| fault.in_text(from.unwrap_or(&self.name), ""))?;
        Ok(Scene { assets: self.assets.clone(), ..scene })
    }

    /// The scene as TOML; reads back as the same scene.
    pub fn to_toml(&self) -> String {
        to_toml(&scene_file::write(self))
    }

    /// The scene as JSON; reads back as the same scene.
    pub fn to_json(&self) -> String {
        to_json(&scene_file::write(self))
    }
}

fn is_known(path: &Path) -> bool {
    ["toml", "json", "bvh", "urdf", "gltf", "glb"].contains(&extension(path).as_str())
}

/// Applies the changes and reads the scene. A fault that is not in the text comes from a change.
fn changed(mut document: Node, name: &str, changes: &[Change]) -> Result<Scene, (Option<&'static str>, Fault)> {
    let blame = |fault: Fault| (fault.place.is_none().then_some("--set"), fault);
    for change in changes {
        change.apply(&mut document).map_err(blame)?;
    }
    scene_file::read(&document, name).map_err(blame)
}
