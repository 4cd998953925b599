//! From files and texts to scenes, and from scenes to text.

use crate::Scene;
use crate::error::SceneError;
use crate::formats::SourceFile;
use crate::formats::limits_file::LimitsFile;
use crate::formats::mesh::materials::Companions;
use crate::formats::scene_file::{read, write};
use crate::formats::table::{FileFormat, MeshReader, Reader};
use crate::mesh::MeshFile;
use crate::options::{BodyLimits, OpenOptions, RobotBase, Surfaces};
use crate::source::{self, HEAD, LARGEST_FILE, extension};
use crate::syntax_tree::Node;
use crate::syntax_tree::parse::Syntax;
use crate::texture::Pictures;
use fabrik3d_ik::{Kind, Swing};
use std::path::Path;
use std::sync::Arc;

/// Largest scene file that is read, bytes.
const LARGEST_SCENE_FILE: u64 = 64 << 20;

impl Scene {
    /// Reads a scene from a file; what it begins with determines the format or, if that may be anything, the extension: a scene file (`.toml`, `.json`), a robot (`.urdf`, `.xml`),
    /// a character (`.gltf`, `.glb`) or recorded motion (`.bvh`).
    ///
    /// [`Scene::assets`] holds the meshes and motion of the file, and warnings about what could not be read. glTF and BVH
    /// files hold no limits: limits are read from `NAME.limits.toml` beside them, if that file exists. It holds a
    /// `[[joint]]` for each limited joint with its `name` and the scene keys `kind`, `swing`, `twist`, `axis` and `range`,
    /// in the joint's rest frame, whose z axis is the link axis. Its table `[names]` says which joints are the parts of a body.
    pub fn open(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        Scene::open_with(path, &OpenOptions::default())
    }

    /// Reads a scene from a file, with options.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let format = FileFormat::of_file(path, &options.files);
        let largest = match format.map(|format| format.read) {
            Some(Reader::SceneFile(_)) => LARGEST_SCENE_FILE,
            Some(Reader::Robot(_) | Reader::Import(_) | Reader::Character(..)) => LARGEST_FILE,
            _ => return Err(options.files.check(path).err().unwrap_or_else(|| not_a_scene(path, format))),
        };
        Scene::from_bytes(options.files.read(path, largest)?, path, options)
    }

    /// Reads a scene from the bytes of a file, as [`Scene::open`] does. Files that the scene refers
    /// to (meshes, buffers, limits) are looked up relative to `path`.
    pub fn from_bytes(bytes: Vec<u8>, path: impl AsRef<Path>, options: &OpenOptions) -> Result<Scene, SceneError> {
        let path = path.as_ref();
        let origin = path.display().to_string();
        let format = FileFormat::of_content(path, &bytes[..bytes.len().min(HEAD)]);
        let is_robot = matches!(format.map(|format| format.read), Some(Reader::Robot(_)));
        if !is_robot {
            check_no_base(options, &origin)?;
        }
        // Only changes turn keep clear on in files that hold meshes. Then these are needed for the capsules of the links.
        let keeps_clear = options.changes.iter().any(|change| change.sets("keep_clear"));
        let surfaces = if keeps_clear { Surfaces::Load } else { options.surfaces };
        let mut scene = match format.map(|format| format.read) {
            Some(Reader::SceneFile(_)) if LimitsFile::has_name_of(path) => {
                return Err(SceneError::new(origin, "this is a limits file, no scene")
                    .with_hint("open or check the figure beside it, which reads it"));
            }
            Some(Reader::SceneFile(syntax)) => {
                return Scene::parse_with(&source::decode(bytes, &origin)?, syntax, &origin, options);
            }
            Some(Reader::Robot(import) | Reader::Import(import) | Reader::Character(import, _)) => {
                let limits = LimitsFile::beside(path, &options.files)?;
                let is_off = limits.as_ref().is_some_and(|limits| limits.turns_body_limits_off);
                let body_limits = if is_off { BodyLimits::Off } else { options.body_limits };
                let options = &OpenOptions { body_limits, surfaces, ..options.clone() };
                let (origin, read_mesh) = (&*origin, read_mesh_with);
                let mut scene =
                    import(SourceFile { bytes, path, origin, options, limits: limits.as_ref(), read_mesh })?;
                if !is_robot {
                    Arc::make_mut(&mut scene.assets).limits_text = Some(String::new());
                }
                match limits {
                    Some(limits) => limits.apply(scene)?,
                    None => scene,
                }
            }
            _ => return Err(not_a_scene(path, format)),
        };
        if !options.changes.is_empty() {
            scene = scene.with_changes(options)?;
        }
        Ok(if surfaces == options.surfaces { scene } else { scene.without_surfaces() })
    }

    /// The scene without its meshes. The capsules of its links stay.
    fn without_surfaces(mut self) -> Scene {
        let assets = Arc::make_mut(&mut self.assets);
        (assets.meshes, assets.surfaces, assets.skins) = Default::default();
        assets.collision_triangles = Vec::new();
        self
    }

    /// Reads a scene from the text of a scene file; messages name `origin` as the file.
    pub fn parse(text: &str, syntax: Syntax, origin: &str) -> Result<Scene, SceneError> {
        Scene::parse_with(text, syntax, origin, &OpenOptions::default())
    }

    /// Reads a scene from the text of a scene file, with options.
    pub fn parse_with(text: &str, syntax: Syntax, origin: &str, options: &OpenOptions) -> Result<Scene, SceneError> {
        check_no_base(options, origin)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = syntax.parse(text).map_err(|fault| fault.in_text(origin, text))?;
        read_changed(document, source::stem(origin), options, origin, text)
    }

    /// The scene with the changes of the options to the values of its scene file, whatever it was read from.
    pub fn with_changes(&self, options: &OpenOptions) -> Result<Scene, SceneError> {
        let scene = read_changed(write::write(self), &self.name, options, &self.name, "")?;
        let mut scene = Scene { assets: self.assets.clone(), ..scene };
        if scene.keep_clear.is_some() {
            // Now the meshes are known.
            scene.set_keep_clear(true);
        }
        Ok(scene)
    }

    /// The text of a scene file; it reads back as the same scene.
    pub fn to_text(&self, syntax: Syntax) -> String {
        syntax.print(&write::write(self))
    }

    /// The lines of a limits file for a joint with the limits that it has now. Those of a person count from where the joint
    /// bends, and lines of a file from the link in the file's own pose: there the joint swings to every side as far as to one
    /// now, in whole degrees.
    pub fn limits_lines(&self, joint: usize) -> String {
        let mut described = self.skeleton.joints()[joint].clone();
        if let (Kind::Ball { swing: Some(swing), .. }, true) =
            (&mut described.kind, self.assets.human_limits.joints.contains(&joint))
        {
            let widest = swing.tilts().into_iter().fold(0.0, f64::max).to_degrees();
            *swing = Swing::cone((widest - 1e-9).ceil().min(179.0).to_radians()).unwrap_or(*swing);
        }
        Syntax::Toml.print(&write::limits(&described))
    }

    /// The scene as TOML; it reads back as the same scene.
    pub fn to_toml(&self) -> String {
        self.to_text(Syntax::Toml)
    }
}

/// The error for a file that is not read as a scene.
fn not_a_scene(path: &Path, format: Option<&FileFormat>) -> SceneError {
    let known = FileFormat::list(FileFormat::opens_as_scene, "and");
    let (message, hint) = match format.map(|format| format.read) {
        Some(Reader::Advice(message, remedy)) => (message, remedy.to_owned()),
        Some(Reader::Targets(_)) => {
            ("this is a table, not a scene", "its rows belong to a scene: `view SCENE --motion TABLE` plays them. Rows of targets: `solve SCENE --targets TABLE` solves them, `convert SCENE --targets TABLE -o MOTION` writes their poses. Rows of joint values: `convert SCENE --motion TABLE -o MOTION` writes them in another format".to_owned())
        }
        _ => ("the format of this file is not known", format!("scenes are read from {known}")),
    };
    SceneError::new(path.display().to_string(), message).with_hint(hint)
}

/// Checks that no base is chosen for what is no robot.
fn check_no_base(options: &OpenOptions, origin: &str) -> Result<(), SceneError> {
    match options.robot_base {
        RobotBase::Fixed => Ok(()),
        _ => Err(SceneError::new(origin, "only the base of a robot (.urdf) can be made free or planar")
            .with_hint("in a scene file, `kind` of the root joint does that, for example kind = \"free\"")),
    }
}

/// Applies changes and reads the scene. A fault without a position in the text comes from a change.
fn read_changed(
    mut document: Node,
    name: &str,
    options: &OpenOptions,
    origin: &str,
    text: &str,
) -> Result<Scene, SceneError> {
    let changed = options.changes.iter().try_for_each(|change| change.apply(&mut document));
    changed.and_then(|()| read::read(&document, name)).map_err(|fault| {
        let origin = if fault.place.is_some() { origin } else { options.names.changes() };
        fault.in_text(origin, text)
    })
}

/// Reads a mesh file; its extension determines the format. Lengths are in the file's unit, those of COLLADA in metres.
/// Images and materials are looked up beside the file.
pub fn read_mesh_file(path: impl AsRef<Path>) -> Result<MeshFile, SceneError> {
    let mut pictures = Pictures::default();
    let file = read_mesh_with(path.as_ref(), &mut pictures)?;
    Ok(MeshFile { warnings: pictures.warnings, ..file })
}

/// Reads a mesh file and adds its images, and the warnings about them, to those of a scene.
fn read_mesh_with(path: &Path, pictures: &mut Pictures) -> Result<MeshFile, SceneError> {
    let origin = path.display().to_string();
    let read = mesh_reader(&extension(path), &origin)?;
    read(pictures.files.read(path, LARGEST_FILE)?, &origin, &mut Companions::new(path.parent(), pictures))
}

/// Reads a mesh from bytes. `extension` determines the format: `stl`, `obj`, `dae`, `gltf` or `glb`. The mesh has no images.
pub fn read_mesh(bytes: Vec<u8>, extension: &str, origin: &str) -> Result<MeshFile, SceneError> {
    mesh_reader(extension, origin)?(bytes, origin, &mut Companions::new(None, &mut Pictures::default()))
}

fn mesh_reader(extension: &str, origin: &str) -> Result<MeshReader, SceneError> {
    FileFormat::with_extension(extension).and_then(FileFormat::mesh_reader).ok_or_else(|| {
        let known = FileFormat::list(|format| format.mesh_reader().is_some(), "and");
        SceneError::new(origin, "the format of this mesh is not known")
            .with_hint(format!("meshes are read from {known}"))
    })
}
