//! The shapes of a robot's links: meshes and simple solids.

use super::joints::read_origin;
use super::tree::Tree;
use crate::assets::{Assets, Surface};
use crate::files::Files;
use crate::formats::SourceFile;
use crate::formats::xml::{attribute, child, children, fault, number, numbers, title};
use crate::mesh::Mesh;
use crate::options::{DaeUp, OpenOptions, OptionNames, Surfaces, Up};
use crate::printable::{listed, short, shortened};
use crate::references::{Folders, plain};
use crate::shapes;
use crate::syntax_tree::fault::Read;
use crate::texture::Pictures;
use glam::{DMat4, DQuat, DVec3};
use roxmltree::Node;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The mesh files of a robot.
pub(crate) struct MeshFiles {
    /// Indices of the meshes read so far, by file and transform (as bits); empty if the file cannot be read.
    known: HashMap<(PathBuf, [u64; 16]), Vec<usize>>,
    /// References to missing files, and the same grouped by reason.
    unseen: HashSet<String>,
    missing: Vec<(String, Vec<String>)>,
    /// Names of COLLADA files whose up axis is ignored.
    turned: Vec<String>,
    pictures: Pictures,
    folders: Folders,
}

impl MeshFiles {
    pub fn new(files: &Files) -> Self {
        MeshFiles {
            known: HashMap::new(),
            unseen: HashSet::new(),
            missing: Vec::new(),
            turned: Vec::new(),
            pictures: Pictures::of(files),
            folders: Folders::of(files),
        }
    }

    /// Warns of files that are missing or turned.
    pub fn warn(self, options: OptionNames, warnings: &mut Vec<String>) {
        warnings.extend(self.pictures.warnings);
        for (why, names) in &self.missing {
            // Links may have the same meshes to look at and for collisions.
            let warning = missing(names, why);
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        if !self.turned.is_empty() {
            let names = listed(&self.turned);
            let option = options.dae_up();
            warnings.push(format!("meshes have y up, which is ignored as in ROS; {option} turns them: {names}"));
        }
    }
}

/// The named colours of a robot.
type Palette<'a> = HashMap<&'a str, [f32; 4]>;

/// Reads the shapes of all links. What cannot be read is a warning, since the robot moves without it.
///
/// Links look like their `<visual>`s. Where none of them can be read, the vertices of the `<collision>`s are kept, so that the
/// link can keep clear of others.
pub(crate) fn read(
    robot: Node<'_, '_>,
    tree: &Tree<'_, '_>,
    link_joints: &[usize],
    file: &SourceFile<'_>,
    assets: &mut Assets,
) {
    let mut palette = Palette::new();
    for material in children(robot, "material") {
        match (material.attribute("name"), read_color(material)) {
            (Some(name), Ok(Some(color))) => drop(palette.insert(name, color)),
            (_, Err(fault)) => assets.warnings.push(fault.message),
            _ => {}
        }
    }
    let palette = &palette;
    let (mut unread, mut solids) = (Vec::new(), Assets::default());
    let mut visual = Reader { tag: "visual", palette, file, files: MeshFiles::new(&file.options.files), assets };
    let mut solid =
        Reader { tag: "collision", palette, file, files: MeshFiles::new(&file.options.files), assets: &mut solids };
    for (link, &joint) in tree.links.iter().zip(link_joints) {
        if !visual.read(link.node, joint) && file.options.surfaces == Surfaces::Load {
            let has_solid = solid.read(link.node, joint);
            let has_any = [visual.tag, solid.tag].into_iter().any(|tag| child(link.node, tag).is_some());
            unread.extend((has_any && !has_solid).then_some(joint));
        }
    }
    visual.files.warn(file.options.names, &mut visual.assets.warnings);
    solid.files.warn(file.options.names, &mut solid.assets.warnings);
    add_solids(solids, unread, assets);
}

/// Keeps the vertices of the shapes for collisions, and the joints of links whose shapes cannot be read.
pub(crate) fn add_solids(mut solids: Assets, unread: Vec<usize>, assets: &mut Assets) {
    let triangles = |surface: &Surface| surface.joint.map(|joint| (joint, solids.triangles(surface).collect()));
    assets.collision_triangles = solids.surfaces.iter().filter_map(triangles).collect();
    assets.unread_shapes = unread;
    // A mesh that is missing may be there to look at and for collisions.
    solids.warnings.retain(|warning| !assets.warnings.contains(warning));
    assets.warnings.append(&mut solids.warnings);
}

/// Reads the elements of links with one tag.
struct Reader<'a> {
    tag: &'static str,
    palette: &'a Palette<'a>,
    file: &'a SourceFile<'a>,
    files: MeshFiles,
    assets: &'a mut Assets,
}

impl Reader<'_> {
    /// Reads the elements of the link at a joint. Returns whether there is a surface among them.
    fn read(&mut self, link: Node<'_, '_>, joint: usize) -> bool {
        let before = self.assets.surfaces.len();
        for element in children(link, self.tag) {
            if let Err(fault) = self.read_surface(element, joint) {
                let warning = format!("a <{}> of {} is left out: {}", self.tag, title(link), fault.message);
                self.assets.warnings.push(warning);
            }
        }
        self.assets.surfaces.len() > before
    }

    fn read_surface(&mut self, element: Node<'_, '_>, joint: usize) -> Read<()> {
        let (place, turn) = read_origin(element)?;
        let geometry = child(element, "geometry").and_then(|geometry| geometry.first_element_child());
        let shape = geometry.ok_or_else(|| fault(element, "it has no geometry"))?;
        let named = |material: Node<'_, '_>| self.palette.get(material.attribute("name").unwrap_or_default()).copied();
        let color = match child(element, "material") {
            None => None,
            Some(material) => read_color(material)?.or_else(|| named(material)),
        };
        let meshes = match shape.tag_name().name() {
            "mesh" => read_mesh(shape, self.file, &mut self.files, self.assets)?,
            _ => read_shape(shape, self.assets)?,
        };
        let transform = DMat4::from_rotation_translation(turn, place);
        let surface = |mesh| Surface { mesh, joint: Some(joint), transform, color, first_weight: 0 };
        self.assets.surfaces.extend(meshes.into_iter().map(surface));
        Ok(())
    }
}

/// Most characters of the first file name in a warning.
const MAX_NAME_LENGTH: usize = 240;

/// The warning about meshes that are missing for the same reason.
fn missing(names: &[String], why: &str) -> String {
    let [first, others @ ..] = names else { return String::new() };
    let first = shortened(first, MAX_NAME_LENGTH);
    if others.is_empty() {
        return format!("the mesh {first} is missing: {why}");
    }
    let others: Vec<&str> = others.iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
    format!("{} meshes are missing, {first}, {}: {why}", names.len(), listed(&others))
}

/// The colour of a `<material>`, sRGB with alpha, 0 to 1.
fn read_color(material: Node<'_, '_>) -> Read<Option<[f32; 4]>> {
    let Some(color) = child(material, "color") else { return Ok(None) };
    Ok(numbers::<4>(color, "rgba")?.map(|rgba| rgba.map(|value| value.clamp(0.0, 1.0) as f32)))
}

/// The simple solids of URDF.
fn read_shape(shape: Node<'_, '_>, assets: &mut Assets) -> Read<Vec<usize>> {
    let size = |name: &str| {
        let value = number(shape, name)?.unwrap_or(0.0);
        let missing = || fault(shape, format!("{} needs {name}=\"...\" above 0", title(shape)));
        if value > 0.0 { Ok(value) } else { Err(missing()) }
    };
    let mesh = match shape.tag_name().name() {
        "box" => {
            let sides = numbers::<3>(shape, "size")?.unwrap_or_default();
            if sides.iter().any(|&side| side < 0.0) {
                return Err(fault(shape, "the sides of a <box> cannot be negative"));
            }
            shapes::cuboid(DVec3::from_array(sides))
        }
        "cylinder" => shapes::cylinder(size("radius")?, size("length")?),
        "capsule" => shapes::capsule(size("radius")?, size("length")?),
        "sphere" => shapes::sphere(size("radius")?),
        other => {
            assets.warnings.push(format!("the shape <{}> is not known", short(other)));
            return Ok(Vec::new());
        }
    };
    assets.meshes.push(mesh);
    Ok(vec![assets.meshes.len() - 1])
}

/// The scale of a mesh: three numbers, or one for all axes. Numbers that follow are ignored, with a warning.
fn read_scale(node: Node<'_, '_>, assets: &mut Assets) -> Read<DVec3> {
    let Some(text) = node.attribute("scale") else { return Ok(DVec3::ONE) };
    let count = text.split_whitespace().count();
    let scale = match count {
        1 => numbers::<1>(node, "scale")?.map(|[all]| [all; 3]),
        4 => numbers::<4>(node, "scale")?.map(|[x, y, z, _]| [x, y, z]),
        _ => numbers::<3>(node, "scale")?,
    };
    if count == 4 {
        assets.warnings.push(format!("the fourth number of scale=\"{}\" is ignored", short(text)));
    }
    Ok(scale.map_or(DVec3::ONE, DVec3::from_array))
}

/// The parts of a mesh file.
fn read_mesh(
    node: Node<'_, '_>,
    file: &SourceFile<'_>,
    files: &mut MeshFiles,
    assets: &mut Assets,
) -> Read<Vec<usize>> {
    let reference = attribute(node, "filename")?;
    let scale = read_scale(node, assets)?;
    let size = DMat4::from_scale_rotation_translation(scale, DQuat::IDENTITY, DVec3::ZERO);
    Ok(files.load(reference, size, file, assets))
}

impl MeshFiles {
    /// The indices of the meshes that a file holds, transformed, read when it is first named. There are none if it cannot be read.
    pub fn load(
        &mut self,
        reference: &str,
        transform: DMat4,
        file: &SourceFile<'_>,
        assets: &mut Assets,
    ) -> Vec<usize> {
        if file.options.surfaces == Surfaces::Skip {
            return Vec::new();
        }
        let Some(path) = self.resolve(reference, file) else { return Vec::new() };
        let key = (path, transform.to_cols_array().map(f64::to_bits));
        if let Some(meshes) = self.known.get(&key) {
            return meshes.clone();
        }
        let meshes = match (file.read_mesh)(&key.0, &mut self.pictures) {
            Ok(read) => {
                let read = match (file.options.dae_up, read.up) {
                    (DaeUp::File, _) => read.standing(Up::Z),
                    (DaeUp::Ignore, Some(Up::Y)) => {
                        self.turned.push(key.0.file_name().unwrap_or_default().to_string_lossy().into_owned());
                        read
                    }
                    (DaeUp::Ignore, _) => read,
                };
                let first = assets.meshes.len();
                let stays = transform == DMat4::IDENTITY;
                let part = |part: Mesh| if stays { part } else { part.transformed(transform) };
                let parts = read.parts.into_iter().map(part);
                assets.meshes.extend(parts);
                (first..assets.meshes.len()).collect()
            }
            Err(error) => {
                assets.warnings.push(error.to_string());
                Vec::new()
            }
        };
        self.known.insert(key, meshes.clone());
        meshes
    }

    /// The file of a reference; what is missing is noted once.
    fn resolve(&mut self, reference: &str, file: &SourceFile<'_>) -> Option<PathBuf> {
        let why = match resolve(reference, file.folder(), file.options, &mut self.folders) {
            Ok(path) => return Some(path),
            Err(why) => why,
        };
        if self.unseen.insert(reference.to_owned()) {
            let at = self.missing.iter().position(|(known, _)| *known == why).unwrap_or_else(|| {
                self.missing.push((why, Vec::new()));
                self.missing.len() - 1
            });
            self.missing[at].1.push(reference.to_owned());
        }
        None
    }
}

/// A folder for messages. That of a file without one is the current folder.
fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { "the current folder".to_owned() } else { folder.display().to_string() }
}

/// The file of a reference; the error says why there is none. `folder` is the folder of the description.
fn resolve(reference: &str, folder: &Path, options: &OpenOptions, folders: &mut Folders) -> Result<PathBuf, String> {
    let above = options.files.absolute(folder);
    let found = folders.find(reference, |reference| places(reference, folder, &above, options).into_iter());
    found.ok_or_else(|| {
        // The reason does not name the file, so many files can share it.
        let reference = &plain(reference);
        let in_folder = |folder: &Path| format!("not found in {}", shown(folder));
        match (of_package(reference), reference.starts_with("file://")) {
            (_, true) => "not found".to_owned(),
            (None, _) => in_folder(folder),
            (Some(path), _) => match path.split_once('/') {
                None => "expected package://NAME/FILE".to_owned(),
                Some((package, _)) => match options.packages.iter().find(|(name, _)| name == package) {
                    Some((_, folder)) => in_folder(folder),
                    None => format!(
                        "not found in any folder above the URDF file; say where with {}",
                        options.names.package(package)
                    ),
                },
            },
        }
    })
}

/// What follows the scheme in a reference to a package.
fn of_package(reference: &str) -> Option<&str> {
    reference.strip_prefix("package://").or_else(|| reference.strip_prefix("model://"))
}

/// Where the file of a reference may be. `folder` is the folder of the description, and `above` the same with all folders above it. The
/// options have the folders of known packages. Other `package://NAME/REST` references are looked up in the folders above the
/// description: as `NAME/REST`, as `REST` in a folder called NAME, and as `REST`; then in the folders that hold packages; then as the
/// end of `REST`, with a folder at least.
fn places(reference: &str, folder: &Path, above: &Path, options: &OpenOptions) -> Vec<PathBuf> {
    if let Some(path) = reference.strip_prefix("file://") {
        return vec![PathBuf::from(path)];
    }
    let Some(path) = of_package(reference) else { return vec![folder.join(reference)] };
    let Some((package, rest)) = path.split_once('/') else { return Vec::new() };
    if let Some((_, folder)) = options.packages.iter().find(|(name, _)| name == package) {
        return vec![folder.join(rest)];
    }
    let candidates = above.ancestors().flat_map(|above| {
        let inside = (above.file_name().and_then(|name| name.to_str()) == Some(package)).then(|| above.join(rest));
        [Some(above.join(package).join(rest)), inside, Some(above.join(rest))]
    });
    let in_packages = options.package_folders.iter().map(|folder| folder.join(path));
    // A part of a repository was copied, without the folders above it.
    let parts = std::iter::successors(Some(rest), |rest| Some(rest.split_once('/')?.1)).skip(1);
    let parts = parts.filter(|part| part.contains('/'));
    let in_parts = parts.flat_map(|part| above.ancestors().map(move |above| above.join(part)));
    candidates.flatten().chain(in_packages).chain(in_parts).collect()
}
