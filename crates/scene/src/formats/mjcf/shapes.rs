//! The shapes of bodies. Those that MuJoCo's viewer shows at first are what a body looks like; those of other groups count where a
//! body has no such shape, as the shapes for collisions of other robots do.

use super::bodies::{Model, Placed, Robot, name_of};
use super::classes::{Element, MAIN};
use super::frames::read_span;
use super::settings::choice;
use crate::assets::{Assets, Surface};
use crate::formats::SourceFile;
use crate::formats::urdf::link_shapes::{MeshFiles, add_solids};
use crate::formats::xml::{children, fault, number_list, numbers};
use crate::options::Surfaces;
use crate::printable::{listed, short};
use crate::references::plain;
use crate::shapes;
use crate::source::stem;
use crate::syntax_tree::fault::Read;
use fabrik3d_ik::Isometry;
use glam::{DMat4, DQuat, DVec3, dquat};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Groups of shapes that MuJoCo's viewer shows at first are below this one.
const FIRST_HIDDEN_GROUP: f64 = 3.0;
/// The kinds of shapes, the default first.
const TYPES: [&str; 9] = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf"];

/// Reads the shapes of all bodies. What cannot be read is a warning, since the robot moves without it.
pub(crate) fn read(
    model: &Model<'_, '_>,
    robot: &Robot<'_, '_>,
    file: &SourceFile<'_>,
    assets: &mut Assets,
) -> Read<()> {
    let meshes = meshes(model)?;
    let (mut unread, mut solids) = (Vec::new(), Assets::default());
    let files = || MeshFiles::new(&file.options.files);
    let mut visual = Reader { model, file, meshes: &meshes, files: files(), assets, left: BTreeSet::new() };
    let mut solid = Reader { model, file, meshes: &meshes, files: files(), assets: &mut solids, left: BTreeSet::new() };
    for body in &robot.bodies {
        let mut geoms = Vec::new();
        for placed in body.contents.iter().filter(|placed| placed.node.has_tag_name("geom")) {
            let element = model.element(placed, "geom")?;
            let is_shown = element.number("group")?.unwrap_or(0.0) < FIRST_HIDDEN_GROUP;
            geoms.push((is_shown, placed, element));
        }
        let (shown, hidden): (Vec<_>, Vec<_>) = geoms.iter().partition(|geom| geom.0);
        if !visual.read(&shown, body.joint, &body.name) && file.options.surfaces == Surfaces::Load {
            let has_solid = solid.read(&hidden, body.joint, &body.name);
            unread.extend((!geoms.is_empty() && !has_solid).then_some(body.joint));
        }
    }
    let left: Vec<&str> = visual.left.union(&solid.left).copied().collect();
    visual.files.warn(file.options.names, &mut visual.assets.warnings);
    solid.files.warn(file.options.names, &mut solid.assets.warnings);
    if !left.is_empty() {
        assets.warnings.push(format!("shapes of these types are left out: {}", listed(&left)));
    }
    add_solids(solids, unread, assets);
    Ok(())
}

/// The meshes of a model by their names, which are those of their files if they have none.
fn meshes<'a, 'i>(model: &Model<'a, 'i>) -> Read<HashMap<&'a str, Element<'a, 'i>>> {
    let mut meshes = HashMap::new();
    for node in children(model.root, "asset").flat_map(|asset| children(asset, "mesh")) {
        let name = name_of(node).or_else(|| node.attribute("file").map(stem)).unwrap_or_default();
        if meshes.insert(name, model.classes.element(node, "mesh", MAIN)?).is_some() {
            return Err(fault(node, format!("two meshes are named `{}`", short(name)))
                .hint("every mesh needs a name of its own"));
        }
    }
    Ok(meshes)
}

/// A shape: whether it is shown at first, where it is, and its element with defaults.
type Geom<'g, 'a, 'i> = (bool, &'g Placed<'a, 'i>, Element<'a, 'i>);

struct Reader<'r, 'a, 'i> {
    model: &'r Model<'a, 'i>,
    file: &'r SourceFile<'r>,
    meshes: &'r HashMap<&'a str, Element<'a, 'i>>,
    files: MeshFiles,
    assets: &'r mut Assets,
    /// The types of shapes that are left out.
    left: BTreeSet<&'static str>,
}

impl<'a, 'i> Reader<'_, 'a, 'i> {
    /// Reads shapes of a body. Returns whether there is a surface among them.
    fn read(&mut self, geoms: &[&Geom<'_, 'a, 'i>], joint: usize, body: &str) -> bool {
        let before = self.assets.surfaces.len();
        for (_, placed, element) in geoms {
            if let Err(fault) = self.read_surface(placed.frame, element, joint) {
                let warning = format!("a <geom> of {} is left out: {}", short(body), fault.message);
                self.assets.warnings.push(warning);
            }
        }
        self.assets.surfaces.len() > before
    }

    fn read_surface(&mut self, around: Isometry, element: &Element<'a, 'i>, joint: usize) -> Read<()> {
        let kind = TYPES[choice(element.holder("type"), "type", TYPES)?.unwrap_or(0)];
        let meshes = match kind {
            "mesh" => self.read_mesh(element)?,
            "plane" | "hfield" | "sdf" => {
                self.left.insert(kind);
                return Ok(());
            }
            _ if element.word("mesh").is_some() => {
                return Err(fault(element.node, format!("a {kind} that is fitted to a mesh is not supported")));
            }
            _ => self.read_solid(kind, element)?,
        };
        let (frame, _) = read_span(element, &self.model.settings)?;
        let frame = around.frame(frame);
        let transform = DMat4::from_rotation_translation(frame.rotation, frame.position);
        let color = self.color(element)?;
        let surface = |mesh| Surface { mesh, joint: Some(joint), transform, color, first_weight: 0 };
        self.assets.surfaces.extend(meshes.into_iter().map(surface));
        Ok(())
    }

    /// Its own colour, or that of its material.
    fn color(&self, element: &Element<'a, 'i>) -> Read<Option<[f32; 4]>> {
        let mut color = element.numbers::<4>("rgba")?;
        if let Some(name) = element.word("material").filter(|_| color.is_none()) {
            let mut all = children(self.model.root, "asset").flat_map(|asset| children(asset, "material"));
            let material = all.find(|material| material.attribute("name") == Some(name));
            let material =
                material.ok_or_else(|| fault(element.node, format!("there is no material `{}`", short(name))))?;
            color = self.model.classes.element(material, "material", MAIN)?.numbers("rgba")?;
        }
        Ok(color.map(|rgba: [f64; 4]| rgba.map(|value| value.clamp(0.0, 1.0) as f32)))
    }

    fn read_solid(&mut self, kind: &str, element: &Element<'a, 'i>) -> Read<Vec<usize>> {
        let (_, half_length) = read_span(element, &self.model.settings)?;
        let mut size = read_size(element)?;
        let is_round = ["capsule", "cylinder"].contains(&kind);
        match half_length {
            Some(half) if is_round => size[1] = half,
            Some(half) => size = [size[0], size[0], half],
            None => {}
        }
        let count = match kind {
            "sphere" => 1,
            _ if is_round => 2,
            _ => 3,
        };
        if size[..count].iter().any(|&value| value <= 0.0) {
            return Err(fault(element.node, format!("a {kind} needs {count} sizes above 0")));
        }
        let [x, y, z] = size;
        let mesh = match kind {
            "sphere" => shapes::sphere(x),
            "capsule" => shapes::capsule(x, 2.0 * y),
            "cylinder" => shapes::cylinder(x, 2.0 * y),
            "box" => shapes::cuboid(2.0 * DVec3::new(x, y, z)),
            _ => shapes::sphere(1.0).transformed(scaled(DVec3::new(x, y, z))),
        };
        self.assets.meshes.push(mesh);
        Ok(vec![self.assets.meshes.len() - 1])
    }

    fn read_mesh(&mut self, element: &Element<'a, 'i>) -> Read<Vec<usize>> {
        let name = element.word("mesh").unwrap_or_default();
        let mesh =
            self.meshes.get(name).ok_or_else(|| fault(element.node, format!("there is no mesh `{}`", short(name))))?;
        let Some(reference) = mesh.node.attribute("file") else {
            return Err(fault(element.node, format!("the mesh `{}` has no file", short(name))));
        };
        let reference = plain(reference);
        let own =
            if self.model.settings.strippath { reference.rsplit('/').next().unwrap_or(&reference) } else { &reference };
        let path = Path::new(&plain(self.model.settings.meshdir)).join(own);
        let scale = mesh.numbers::<3>("scale")?.map_or(DVec3::ONE, DVec3::from_array);
        let origin = numbers::<3>(mesh.node, "refpos")?.map_or(DVec3::ZERO, DVec3::from_array);
        let turn = numbers::<4>(mesh.node, "refquat")?;
        let turn = turn.and_then(|[w, x, y, z]| crate::any_rotation(dquat(x, y, z, w))).unwrap_or(DQuat::IDENTITY);
        let transform = scaled(scale)
            * DMat4::from_rotation_translation(turn.conjugate(), DVec3::ZERO)
            * DMat4::from_translation(-origin);
        Ok(self.files.load(&path.to_string_lossy(), transform, self.file, self.assets))
    }
}

fn scaled(scale: DVec3) -> DMat4 {
    DMat4::from_scale_rotation_translation(scale, DQuat::IDENTITY, DVec3::ZERO)
}

/// The sizes of a shape. Each one that the shape does not give comes from its class.
fn read_size(element: &Element<'_, '_>) -> Read<[f64; 3]> {
    let mut size = [0.0; 3];
    for layer in element.layers.iter().rev() {
        let own = number_list(*layer, "size")?.unwrap_or_default();
        if own.len() > size.len() {
            return Err(fault(*layer, "a shape has at most three sizes"));
        }
        size[..own.len()].copy_from_slice(&own);
    }
    Ok(size)
}
