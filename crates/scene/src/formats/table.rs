//! The table of file formats. Everything that depends on the format of a file looks it up here: readers and writers,
//! dialogs, messages and help.

use super::mesh::companions::Companions;
use super::mesh::{collada, obj, stl};
use super::source_file::SourceFile;
use super::{bvh, csv, gltf, motion_json, npy, urdf};
use crate::Scene;
use crate::error::SceneError;
use crate::mesh::MeshFile;
use crate::motion::Motion;
use crate::outcome::{JointNames, Outcome};
use crate::source::extension;
use crate::syntax_tree::parse::Syntax;
use std::io::{self, Write};
use std::path::Path;

/// What a file of some format holds when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A scene: joints, effectors, perhaps surfaces.
    Scene,
    /// Recorded motion of a figure.
    Motion,
    /// A table of targets.
    Targets,
    /// Triangle meshes.
    Mesh,
}

/// One row of the table.
#[derive(Debug)]
pub struct FileFormat {
    /// Extensions in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// Name for people.
    pub name: &'static str,
    /// What a file holds.
    pub holds: &'static [Content],
    read: Reader,
    write_motion: Option<MotionWriter>,
    write_outcome: Option<OutcomeWriter>,
    /// Adds a motion to the file that the scene was read from.
    extend: Option<Extender>,
}

#[derive(Clone, Copy, Debug)]
enum Reader {
    Scene(SceneReader),
    Mesh(MeshReader),
    /// `read_targets` reads the rows, whatever the extension.
    Targets,
    /// No reader: what the file is, and what to do instead.
    Advice(&'static str, &'static str),
}

/// How a scene is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SceneReader {
    /// From a scene file of this syntax, which scenes are also written to.
    SceneFile(Syntax),
    /// From another program's file.
    Import(fn(SourceFile<'_>) -> Result<Scene, SceneError>),
}

pub(crate) type MeshReader = fn(Vec<u8>, &str, &mut Companions<'_>) -> Result<MeshFile, SceneError>;
type MotionWriter = fn(&Scene, &Motion, &mut dyn Write) -> io::Result<()>;
type OutcomeWriter = fn(&Scene, &Outcome, &mut dyn Write) -> io::Result<()>;
type Extender = fn(&Scene, &Motion, &Path) -> Result<Vec<u8>, SceneError>;

/// What most rows have in common.
const NOT_WRITTEN: FileFormat = FileFormat {
    extensions: &[],
    name: "",
    holds: &[],
    read: Reader::Targets,
    write_motion: None,
    write_outcome: None,
    extend: None,
};

static FORMATS: [FileFormat; 12] = [
    FileFormat {
        extensions: &["toml"],
        name: "TOML",
        holds: &[Content::Scene],
        read: Reader::Scene(SceneReader::SceneFile(Syntax::Toml)),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["json"],
        name: "JSON",
        holds: &[Content::Scene],
        read: Reader::Scene(SceneReader::SceneFile(Syntax::Json)),
        write_motion: Some(|scene, motion, out| motion_json::write(motion, &scene.skeleton, out)),
        write_outcome: Some(|scene, outcome, out| {
            outcome.write_json(scene, None, JointNames::Listed, out)?;
            writeln!(out)
        }),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["urdf"],
        name: "URDF",
        holds: &[Content::Scene],
        read: Reader::Scene(SceneReader::Import(urdf::read::read)),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["xacro"],
        name: "xacro",
        holds: &[Content::Scene],
        read: Reader::Advice(
            "this is a xacro file, not URDF",
            "convert it to URDF first: xacro robot.xacro > robot.urdf",
        ),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["csv", "tsv"],
        name: "CSV table",
        holds: &[Content::Targets],
        read: Reader::Targets,
        write_motion: Some(|scene, motion, out| csv::write_motion(motion, &scene.skeleton, out)),
        write_outcome: Some(|scene, outcome, out| {
            writeln!(out, "{}\n{}", csv::csv_header(scene), csv::csv_row(scene, "null", outcome))
        }),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["npy"],
        name: "NumPy array",
        holds: &[Content::Targets],
        read: Reader::Targets,
        write_motion: Some(|scene, motion, out| npy::write_motion(motion, &scene.skeleton, out)),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["bvh"],
        name: "BVH",
        holds: &[Content::Motion],
        read: Reader::Scene(SceneReader::Import(bvh::read::read)),
        write_motion: Some(|scene, motion, out| out.write_all(bvh::write::write(scene, motion).as_bytes())),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["gltf"],
        name: "glTF, JSON form",
        holds: &[Content::Scene, Content::Motion],
        read: Reader::Scene(SceneReader::Import(gltf::read::read)),
        write_motion: Some(|scene, motion, out| {
            out.write_all(&gltf::write::skeleton_only(scene, motion, gltf::store::Form::Text))
        }),
        extend: Some(|scene, motion, original| gltf::write::extended(scene, motion, original, gltf::store::Form::Text)),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["glb"],
        name: "glTF, binary form",
        holds: &[Content::Scene, Content::Motion],
        read: Reader::Scene(SceneReader::Import(gltf::read::read)),
        write_motion: Some(|scene, motion, out| {
            out.write_all(&gltf::write::skeleton_only(scene, motion, gltf::store::Form::Binary))
        }),
        extend: Some(|scene, motion, original| {
            gltf::write::extended(scene, motion, original, gltf::store::Form::Binary)
        }),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["stl"],
        name: "STL",
        holds: &[Content::Mesh],
        read: Reader::Mesh(stl::read),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["obj"],
        name: "Wavefront OBJ",
        holds: &[Content::Mesh],
        read: Reader::Mesh(obj::read),
        ..NOT_WRITTEN
    },
    FileFormat {
        extensions: &["dae"],
        name: "COLLADA",
        holds: &[Content::Mesh],
        read: Reader::Mesh(collada::read),
        ..NOT_WRITTEN
    },
];

impl FileFormat {
    /// All formats, in the order in which lists name them.
    pub fn all() -> &'static [FileFormat] {
        &FORMATS
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<&'static FileFormat> {
        FileFormat::with_extension(&extension(path))
    }

    /// The format that a file of this name is written in. Only the usual extension counts.
    pub fn for_writing(path: &Path) -> Option<&'static FileFormat> {
        let extension = extension(path);
        FORMATS.iter().find(|format| format.is_written() && format.extensions[0] == extension)
    }

    /// The format with an extension, given in lower case.
    pub fn with_extension(extension: &str) -> Option<&'static FileFormat> {
        FORMATS.iter().find(|format| format.extensions.contains(&extension))
    }

    /// The usual extensions of the formats that pass a test, as a list: `.toml, .json and .urdf`. `last` joins the last two.
    pub fn list(test: impl Fn(&FileFormat) -> bool, last: &str) -> String {
        let names: Vec<String> =
            FORMATS.iter().filter(|format| test(format)).map(|format| format!(".{}", format.extensions[0])).collect();
        match names.split_last() {
            Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
            _ => names.concat(),
        }
    }

    /// Whether files of this format hold such content.
    pub fn holds(&self, content: Content) -> bool {
        self.holds.contains(&content)
    }

    /// Whether [`Scene::open`] reads the format.
    pub fn opens_as_scene(&self) -> bool {
        matches!(self.read, Reader::Scene(_))
    }

    /// The syntax of a scene file; none for the formats of other programs.
    pub fn scene_syntax(&self) -> Option<Syntax> {
        match self.read {
            Reader::Scene(SceneReader::SceneFile(syntax)) => Some(syntax),
            _ => None,
        }
    }

    /// Whether a dialog offers the format for opening a scene: also if the reader only answers with advice.
    pub fn is_offered_as_scene(&self) -> bool {
        self.opens_as_scene() || self.advice().is_some()
    }

    /// Whether a saved scene reads back as a scene.
    pub fn saves_scenes(&self) -> bool {
        self.is_written() && self.holds(Content::Scene)
    }

    /// Whether motion and poses are written in the format.
    pub fn writes_motion(&self) -> bool {
        self.write_motion.is_some()
    }

    /// Whether anything is written in the format.
    pub fn is_written(&self) -> bool {
        self.writes_motion() || self.scene_syntax().is_some()
    }

    /// Whether a motion can be added to the file that a character was read from, so that the character keeps its body.
    pub fn keeps_body(&self) -> bool {
        self.extend.is_some()
    }

    /// Writes a motion of a scene's skeleton; a single pose is a motion of one frame. Angles in tables are radians.
    ///
    /// # Errors
    /// Failures of `out`, and [`io::ErrorKind::Unsupported`] for a format that holds no motion.
    pub fn write_motion(&self, scene: &Scene, motion: &Motion, out: &mut dyn Write) -> io::Result<()> {
        let write = self.write_motion.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
        write(scene, motion, out)
    }

    /// Writes the outcome of a solve if the format has a form for it; otherwise none, and the pose is a motion of one frame.
    pub fn outcome_writer(&self) -> Option<impl Fn(&Scene, &Outcome, &mut dyn Write) -> io::Result<()> + use<>> {
        self.write_outcome
    }

    pub(crate) fn scene_reader(&self) -> Option<SceneReader> {
        match self.read {
            Reader::Scene(reader) => Some(reader),
            _ => None,
        }
    }

    pub(crate) fn mesh_reader(&self) -> Option<MeshReader> {
        match self.read {
            Reader::Mesh(reader) => Some(reader),
            _ => None,
        }
    }

    /// What a file without a reader is, and what to do with it.
    pub(crate) fn advice(&self) -> Option<(&'static str, &'static str)> {
        match self.read {
            Reader::Advice(what, remedy) => Some((what, remedy)),
            _ => None,
        }
    }

    pub(crate) fn extender(&self) -> Option<Extender> {
        self.extend
    }
}
