//! The meshes and skins that a scene brings along, as the renderer wants them.

use super::frame::{Color, Frame, Material, Mesh, MeshInstance, Substance};
use super::look::{SATIN, faded};
use super::{MeshStyle, Stage};
use crate::session::race::{Race, RaceLayout};
use fabrik3d_ik::Isometry;
use fabrik3d_scene::formats::mesh;
use fabrik3d_scene::{Assets, Scene};
use glam::{DMat4, DVec3};
use std::sync::Arc;

/// Which meshes a renderer holds, so that they are handed over when the scene changes and not with every picture.
#[derive(Debug, Default)]
pub struct HeldMeshes(Option<Arc<Assets>>);

impl HeldMeshes {
    /// The meshes to hand over before the next picture; none when the renderer has them.
    pub fn fresh(&mut self, scene: &Scene) -> Option<Vec<Mesh>> {
        let held = self.0.as_ref().is_some_and(|held| Arc::ptr_eq(held, &scene.assets));
        (!held).then(|| {
            self.0 = Some(scene.assets.clone());
            scene.assets.meshes.iter().map(drawable).collect()
        })
    }
}

fn drawable(mesh: &mesh::Mesh) -> Mesh {
    let skin =
        mesh.influences.iter().map(|influence| [0, 1, 2, 3].map(|k| (influence.joints[k], influence.weights[k])));
    Mesh {
        positions: mesh.positions.clone(),
        normals: mesh.normals.clone(),
        triangles: mesh.triangles.clone(),
        skin: skin.collect(),
        colors: mesh.colors.iter().copied().map(bytes).collect(),
        uvs: mesh.uvs.clone(),
        paint: mesh.paint.clone(),
    }
}

/// Most places of a mesh that tell how far it goes.
const SAMPLES: usize = 1000;

/// Whether the scene has anything of this kind.
fn has_any(scene: &Scene) -> bool {
    !scene.assets.surfaces.is_empty() || !scene.assets.skins.is_empty()
}

/// How meshes are drawn now. Lessons and races are about the bones.
fn style(stage: &Stage) -> MeshStyle {
    let session = stage.session();
    match stage.display().meshes {
        _ if !has_any(session.scene()) => MeshStyle::Hidden,
        MeshStyle::Solid if session.lesson().is_some() || session.race().is_some() => MeshStyle::XRay,
        style => style,
    }
}

/// Whether bodies are drawn.
pub(super) fn are_drawn(stage: &Stage) -> bool {
    style(stage) != MeshStyle::Hidden
}

/// Whether they hide what is inside.
pub(super) fn are_solid(stage: &Stage) -> bool {
    style(stage) == MeshStyle::Solid
}

/// Whether one sees through them.
pub(super) fn are_glass(stage: &Stage) -> bool {
    style(stage) == MeshStyle::XRay
}

/// The joints that are inside of solid bodies, in ascending order: those of all trees of which most moving joints bear
/// something. A robot that has but a box on its base would be nothing without its bones.
pub(super) fn inside(stage: &Stage) -> Vec<usize> {
    if !are_solid(stage) {
        return Vec::new();
    }
    let scene = stage.session().scene();
    let (skeleton, assets) = (&scene.skeleton, &scene.assets);
    let mut bears = vec![false; skeleton.len()];
    let rigid = assets.surfaces.iter().filter_map(|surface| surface.joint);
    rigid.chain(assets.skins.iter().flat_map(|skin| skin.joints.iter().copied())).for_each(|at| bears[at] = true);
    // For each root, how many of its joints bear something and how many move.
    let mut counts = vec![(0, 0); skeleton.len()];
    let roots: Vec<usize> = (0..skeleton.len()).map(|joint| skeleton.root(joint)).collect();
    for (joint, &root) in roots.iter().enumerate() {
        counts[root].0 += usize::from(bears[joint]);
        counts[root].1 += usize::from(skeleton.kind(joint).coordinate_count() > 0);
    }
    (0..skeleton.len())
        .filter(|&joint| counts[roots[joint]].0 > 0 && 2 * counts[roots[joint]].0 >= counts[roots[joint]].1)
        .collect()
}

/// All surfaces and skins as they are shown now, for the frames of all joints; in a race those of each figure.
pub(super) fn draw(stage: &Stage, frames: &[Isometry], out: &mut Frame) {
    let glass = stage.display().theme.palette().glass;
    // Among the lines of a lesson the body is only a hint of what all this belongs to.
    let faint = faded(glass, glass[3] / 2);
    match (style(stage), stage.session().race()) {
        (MeshStyle::Hidden, _) => {}
        // In one place bodies would only hide each other.
        (_, Some(race)) if race.layout == RaceLayout::Overlaid => {}
        (_, Some(race)) => {
            for (lane, offset) in race.lanes().iter().zip(stage.lane_offsets()) {
                let own = lane.frames(race.figure(), race.rounds());
                if !own.is_empty() {
                    body(stage, &with(frames, own), offset, Some(faint), out);
                }
            }
        }
        (MeshStyle::Solid, None) => body(stage, frames, DVec3::ZERO, None, out),
        (MeshStyle::XRay, None) => {
            let glass = if stage.session().lesson().is_some() { faint } else { glass };
            body(stage, frames, DVec3::ZERO, Some(glass), out);
        }
    }
}

/// The frames of all joints, some of them exchanged.
fn with(frames: &[Isometry], own: Vec<(usize, Isometry)>) -> Vec<Isometry> {
    let mut frames = frames.to_vec();
    own.into_iter().for_each(|(joint, frame)| frames[joint] = frame);
    frames
}

/// Places on the bodies in the pose from which a race sets out, close enough together to tell how far they go; in the
/// scene's world.
pub(super) fn race_places(stage: &Stage, race: &Race) -> Vec<DVec3> {
    let scene = stage.session().scene();
    let own = race.lanes().first().map(|lane| lane.frames(race.figure(), 0.0)).unwrap_or_default();
    if own.is_empty() || !are_drawn(stage) {
        return Vec::new();
    }
    let frames = with(&scene.skeleton.frames(stage.session().displayed()), own);
    let assets = &scene.assets;
    let step = |mesh: usize| assets.meshes[mesh].positions.len().div_ceil(SAMPLES).max(1);
    let rigid = assets.surfaces.iter().flat_map(|surface| {
        let model = surface.model(&frames);
        let places = assets.meshes[surface.mesh].positions.iter().step_by(step(surface.mesh));
        places.map(move |place| model.transform_point3(place.as_dvec3()))
    });
    let skins = assets.skins.iter();
    let skins = skins.flat_map(|skin| {
        let bones = skin.bones(&frames);
        let places = assets.meshes[skin.mesh].bent(&bones).step_by(step(skin.mesh));
        places.collect::<Vec<DVec3>>()
    });
    rigid.chain(skins).collect()
}

/// All surfaces and skins for the frames of all joints, so far from their place in the picture; as glass, if it is given.
fn body(stage: &Stage, frames: &[Isometry], offset: DVec3, glass: Option<Color>, out: &mut Frame) {
    let substance = if glass.is_some() { Substance::Glass } else { Substance::Own };
    let scene = stage.session().scene();
    let (assets, space) = (&scene.assets, stage.space());
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| space.shown(axis).extend(0.0));
    let upright = DMat4::from_cols(axes[0], axes[1], axes[2], offset.extend(1.0));
    let instance = |mesh: usize, color: Option<[f32; 4]>, model: DMat4, bones: Vec<DMat4>| MeshInstance {
        mesh,
        model: (upright * model).as_mat4(),
        color: tinted(color.or(assets.meshes[mesh].color).map_or(CLAY, bytes), glass),
        material: assets.meshes[mesh].paint.roughness.map_or(SATIN, |roughness| Material { roughness, ..SATIN }),
        bones: bones.iter().map(DMat4::as_mat4).collect(),
        shadow: true,
        substance,
    };
    let rigid = assets.surfaces.iter();
    let rigid = rigid.map(|surface| instance(surface.mesh, surface.color, surface.model(frames), Vec::new()));
    let skins = assets.skins.iter().map(|skin| instance(skin.mesh, None, DMat4::IDENTITY, skin.bones(frames)));
    out.meshes.extend(rigid.chain(skins));
}

/// The colour as it is seen in glass, if it is.
fn tinted([r, g, b, a]: Color, glass: Option<Color>) -> Color {
    let Some([red, green, blue, alpha]) = glass else { return [r, g, b, a] };
    let through = |own: u8, glass: u8| (u16::from(own) * u16::from(glass) / 255) as u8;
    [through(r, red), through(g, green), through(b, blue), alpha]
}

/// Corners of boxes around all surfaces and skins, in the scene's world, for the frames of all joints.
pub(super) fn corners(scene: &Scene, frames: &[Isometry]) -> Vec<DVec3> {
    let assets = &scene.assets;
    let rigid = assets.surfaces.iter().filter_map(|surface| {
        let model = surface.model(frames);
        let places = assets.meshes[surface.mesh].positions.iter();
        box_corners(places.map(|place| model.transform_point3(place.as_dvec3())))
    });
    let skins = assets.skins.iter().filter_map(|skin| box_corners(assets.meshes[skin.mesh].bent(&skin.bones(frames))));
    rigid.chain(skins).flatten().collect()
}

fn box_corners(mut points: impl Iterator<Item = DVec3>) -> Option<[DVec3; 8]> {
    let first = points.next()?;
    let (low, high) = points.fold((first, first), |(low, high), point| (low.min(point), high.max(point)));
    let pick = |k: usize, axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
    Some([0, 1, 2, 3, 4, 5, 6, 7].map(|k| DVec3::new(pick(k, 0), pick(k, 1), pick(k, 2))))
}

/// Colour of a mesh that has none: clay, so that the shape speaks.
const CLAY: Color = [206, 201, 193, 255];

fn bytes(color: [f32; 4]) -> Color {
    color.map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8)
}
