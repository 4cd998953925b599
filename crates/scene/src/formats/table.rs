//! The table of file formats. Everything that depends on the format of a file looks it up here: readers and writers,
//! dialogs, messages and help.

use super::SourceFile;
use super::gltf::store::Form;
use super::gltf::write::{extended, skeleton_only};
use super::mesh::materials::Companions;
use super::mesh::{collada, obj, stl};
use super::{bvh, csv, gltf, npy, robot, xml};
use crate::Scene;
use crate::error::SceneError;
use crate::files::Files;
use crate::mesh::MeshFile;
use crate::motion::Motion;
use crate::outcome::{JointNames, Outcome};
use crate::source::{LFS_POINTER, extension};
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
    holds: &'static [Content],
    /// What a file of the format begins with, if nothing else does; of XML, its root element. Empty: its name tells it.
    begins: &'static [u8],
    pub(crate) read: Reader,
    /// Writes a motion of a scene's skeleton; a single pose is a motion of one frame. Angles in tables are radians.
    pub write_motion: Option<Writer<Motion>>,
    /// Writes the outcome of a solve. Without it the pose is written as a motion.
    pub write_outcome: Option<Writer<Outcome>>,
    /// Adds a motion to the contents of the file that the scene was read from.
    extend: Option<Extender>,
}

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// As a scene file of this syntax. Scenes are written to it too.
    SceneFile(Syntax),
    /// As a description of robots, which holds the limits of their joints: URDF or MJCF, by the root element.
    Robot(fn(SourceFile<'_>) -> Result<Scene, SceneError>),
    /// As another program's description of a scene.
    Import(fn(SourceFile<'_>) -> Result<Scene, SceneError>),
    /// As a scene, or as the mesh that it shows at rest.
    Character(fn(SourceFile<'_>) -> Result<Scene, SceneError>, MeshReader),
    Mesh(MeshReader),
    /// By [`read_targets`](super::targets::read_targets), row by row.
    Targets(Rows),
    /// Not at all. What the file is, and what to do instead.
    Advice(&'static str, &'static str),
}

/// How the rows of a table are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// As lines of text.
    Lines,
    /// As numbers of an array.
    Array,
}

/// Writes something that belongs to a scene.
pub type Writer<T> = fn(&Scene, &T, &mut dyn Write) -> io::Result<()>;
pub(crate) type Extender = fn(&Scene, &Motion, &Path) -> Result<Vec<u8>, SceneError>;
pub(crate) type MeshReader = fn(Vec<u8>, &str, &mut Companions<'_>) -> Result<MeshFile, SceneError>;

static FORMATS: [FileFormat; 17] = [
    FileFormat::new(&["toml"], "TOML", &[Content::Scene], Reader::SceneFile(Syntax::Toml)),
    FileFormat {
        write_motion: Some(write_motion_json),
        write_outcome: Some(|scene, outcome, out| {
            outcome.write_json(scene, None, JointNames::Listed, out)?;
            writeln!(out)
        }),
        ..FileFormat::new(&["json"], "JSON", &[Content::Scene], Reader::SceneFile(Syntax::Json))
    },
    FileFormat::new(&["urdf"], "URDF", &[Content::Scene], Reader::Robot(robot::read)).beginning(b"<robot"),
    FileFormat::new(&["xacro"], "xacro", &[Content::Scene], Reader::Advice(XACRO.0, XACRO.1)).beginning(b"<robot"),
    FileFormat::new(&["sdf", "world"], "SDF", &[Content::Scene], Reader::Advice(SDF.0, SDF.1)).beginning(b"<sdf"),
    FileFormat::new(&["xml", "mjcf"], "MJCF (MuJoCo)", &[Content::Scene], Reader::Robot(robot::read))
        .beginning(b"<mujoco"),
    FileFormat {
        write_motion: Some(csv::write_motion),
        write_outcome: Some(|scene, outcome, out| {
            let mut table = (csv::csv_header(scene, []) + "\n").into_bytes();
            csv::push_csv_row(&mut table, scene, &csv::Cell::Empty, outcome, &[]);
            out.write_all(&table)
        }),
        ..FileFormat::new(&["csv", "tsv", "txt"], "CSV table", &[Content::Targets], Reader::Targets(Rows::Lines))
    },
    FileFormat {
        write_motion: Some(npy::write_motion),
        ..FileFormat::new(&["npy"], "NumPy array", &[Content::Targets], Reader::Targets(Rows::Array))
            .beginning(npy::MAGIC)
    },
    FileFormat::new(&["npz", "zip", "xlsx"], "ZIP archive", &[Content::Targets], Reader::Advice(ZIP.0, ZIP.1))
        .beginning(b"PK\x03\x04"),
    FileFormat::new(&["parquet"], "Parquet", &[Content::Targets], Reader::Advice(PARQUET.0, PARQUET.1))
        .beginning(b"PAR1"),
    FileFormat {
        write_motion: Some(|scene, motion, out| out.write_all(bvh::write::write(scene, motion).as_bytes())),
        ..FileFormat::new(&["bvh"], "BVH", &[Content::Motion], Reader::Import(bvh::read::read)).beginning(b"HIERARCHY")
    },
    FileFormat {
        write_motion: Some(|scene, motion, out| out.write_all(&skeleton_only(scene, motion, Form::Text)?)),
        extend: Some(|scene, motion, original| extended(scene, motion, original, Form::Text)),
        ..FileFormat::new(
            &["gltf"],
            "glTF, JSON form",
            CHARACTER,
            Reader::Character(gltf::read::read, gltf::mesh::read),
        )
    },
    FileFormat {
        write_motion: Some(|scene, motion, out| out.write_all(&skeleton_only(scene, motion, Form::Binary)?)),
        extend: Some(|scene, motion, original| extended(scene, motion, original, Form::Binary)),
        ..FileFormat::new(
            &["glb"],
            "glTF, binary form",
            CHARACTER,
            Reader::Character(gltf::read::read, gltf::mesh::read),
        )
        .beginning(gltf::container::MAGIC)
    },
    FileFormat::new(&[], "Git LFS pointer", &[], Reader::Advice(LFS.0, LFS.1)).beginning(LFS_POINTER),
    FileFormat::new(&["stl"], "STL", &[Content::Mesh], Reader::Mesh(stl::read)),
    FileFormat::new(&["obj"], "Wavefront OBJ", &[Content::Mesh], Reader::Mesh(obj::read)),
    FileFormat::new(&["dae"], "COLLADA", &[Content::Mesh], Reader::Mesh(collada::read)).beginning(b"<COLLADA"),
];

const CHARACTER: &[Content] = &[Content::Scene, Content::Motion];
const SDF: (&str, &str) = ("this is SDF (Gazebo), not URDF", "convert it to URDF first, for example with sdf2urdf");
const XACRO: (&str, &str) =
    ("this is a xacro file, not URDF", "convert it to URDF first: xacro robot.xacro > robot.urdf");
const ZIP: (&str, &str) = (
    "this is a ZIP archive, as numpy.savez and spreadsheets write it",
    "write a single array with numpy.save, a sheet as CSV, or unpack the file that is meant",
);
const PARQUET: (&str, &str) = (
    "this is Parquet, which is not read",
    "pandas makes a table of it: pandas.read_parquet(\"targets.parquet\").to_csv(\"targets.csv\", index=False)",
);
const LFS: (&str, &str) =
    ("this is a Git LFS pointer, not the file that it stands for", "fetch the file: git lfs pull");

impl FileFormat {
    /// A format that is only read.
    const fn new(
        extensions: &'static [&'static str],
        name: &'static str,
        holds: &'static [Content],
        read: Reader,
    ) -> Self {
        FileFormat { extensions, name, holds, begins: b"", read, write_motion: None, write_outcome: None, extend: None }
    }

    /// The same format, whose files alone begin so.
    const fn beginning(self, begins: &'static [u8]) -> Self {
        FileFormat { begins, ..self }
    }

    /// All formats, in the order in which lists name them.
    pub fn all() -> &'static [FileFormat] {
        &FORMATS
    }

    /// The format of a file that need not be there, by its extension.
    pub fn of(path: &Path) -> Option<&'static FileFormat> {
        FileFormat::with_extension(&extension(path))
    }

    /// The format of a file: what it begins with tells it or, where that may be anything, its extension.
    pub fn of_file(path: &Path, files: &Files) -> Option<&'static FileFormat> {
        FileFormat::of_content(path, &files.head(path))
    }

    /// The format of a file with this start.
    pub(crate) fn of_content(path: &Path, start: &[u8]) -> Option<&'static FileFormat> {
        let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
        let root = if start.starts_with(b"<") { xml::root_element(start) } else { start };
        let tells = |format: &&FileFormat| !format.begins.is_empty() && root.starts_with(format.begins);
        let named = FileFormat::of(path);
        // Several may begin alike.
        named.filter(tells).or_else(|| FORMATS.iter().find(tells)).or(named)
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

    /// Whether files of this format are read, and hold such content.
    pub fn holds(&self, content: Content) -> bool {
        self.holds.contains(&content) && !matches!(self.read, Reader::Advice(..))
    }

    /// Whether [`Scene::open`] reads the format.
    pub fn opens_as_scene(&self) -> bool {
        matches!(self.read, Reader::SceneFile(_) | Reader::Robot(_) | Reader::Import(_) | Reader::Character(..))
    }

    /// Reads files of the format as meshes.
    pub(crate) fn mesh_reader(&self) -> Option<MeshReader> {
        match self.read {
            Reader::Mesh(read) | Reader::Character(_, read) => Some(read),
            Reader::SceneFile(_) | Reader::Robot(_) | Reader::Import(_) | Reader::Targets(_) | Reader::Advice(..) => {
                None
            }
        }
    }

    /// The syntax of a scene file; none for the formats of other programs.
    pub fn scene_syntax(&self) -> Option<Syntax> {
        match self.read {
            Reader::SceneFile(syntax) => Some(syntax),
            _ => None,
        }
    }

    /// Whether a dialog offers the format for opening a scene: also if the reader only answers with advice.
    pub fn is_offered_as_scene(&self) -> bool {
        self.opens_as_scene() || self.holds.contains(&Content::Scene)
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

    /// The contents of the file that a scene was read from with a motion added; none if the format cannot hold them.
    ///
    /// # Errors
    /// The original cannot be read, or the motion cannot be added to it.
    pub fn extended(&self, scene: &Scene, motion: &Motion, original: &Path) -> Result<Option<Vec<u8>>, SceneError> {
        self.extend.map(|extend| extend(scene, motion, original)).transpose()
    }

    /// Whether a motion can be added to the file that a character was read from, so that the character keeps its body.
    pub fn keeps_body(&self) -> bool {
        self.extend.is_some()
    }
}

/// Writes a motion as JSON, `{"name", "frame_time", "joints": [names], "poses": [POSE, ..]}`, one pose per line so that
/// people can read it too.
fn write_motion_json(scene: &Scene, motion: &Motion, mut out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    let (name, joints) = (serde_json::to_string(&motion.name)?, serde_json::to_string(&names)?);
    let frame_time = motion.frame_time;
    write!(out, "{{\"name\":{name},\"frame_time\":{frame_time:?},\"joints\":{joints},\"poses\":[")?;
    for frame in 0..motion.len() {
        let pose = motion.pose(skeleton, frame);
        let kinds = skeleton.joints().iter().map(|joint| &joint.kind);
        let lists: Vec<&[f64]> = pose.iter().zip(kinds).map(|(coordinates, kind)| coordinates.values(kind)).collect();
        out.write_all(if frame == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut out, &lists)?;
    }
    writeln!(out, "\n]}}")
}
