//! The meshes and skins of a scene: how they are drawn, what they hide, and how far they extend.

use super::primitives::TINT;
use crate::view::frame::{Color, Frame, Material, Mesh, MeshInstance, Substance, bytes};
use crate::view::theme::{SATIN, faded, mixed};
use crate::view::{Hover, MeshStyle, Viewer};
use fabrik3d_ik::Isometry;
use fabrik3d_scene::{Assets, Scene};
use glam::{DMat4, DVec3};
use std::sync::Arc;

/// Colour of a mesh that has none.
const CLAY: Color = [206, 201, 193, 255];

/// Draws all meshes and skins for these frames of all joints; in a race, those of each figure.
pub(super) fn draw(viewer: &Viewer, frames: &[Isometry], out: &mut Frame) {
    let glass = viewer.display().theme.palette().glass;
    // Among the lines of a lesson, the body only hints at what they belong to.
    let faint = faded(glass, glass[3] / 2);
    match (style(viewer), viewer.session().race()) {
        (MeshStyle::Hidden, _) => {}
        (_, Some(race)) => {
            for (lane, offset) in race.lanes().iter().zip(viewer.lane_offsets()) {
                body(viewer, &with_frames(frames, lane.frames(race.rounds())), offset, Some(faint), out);
            }
        }
        (MeshStyle::Solid, None) => body(viewer, frames, DVec3::ZERO, None, out),
        (MeshStyle::XRay, None) => {
            let glass = if viewer.session().lesson().is_some() { faint } else { glass };
            body(viewer, frames, DVec3::ZERO, Some(glass), out);
        }
    }
}

/// All meshes and skins for these frames, moved by `offset` in the picture's space; as glass if a glass colour is given.
fn body(viewer: &Viewer, frames: &[Isometry], offset: DVec3, glass: Option<Color>, out: &mut Frame) {
    let substance = if glass.is_some() { Substance::Glass } else { Substance::Own };
    let (scene, space) = (viewer.session().scene(), viewer.space());
    let assets = &scene.assets;
    let axes = DVec3::AXES.map(|axis| space.shown(axis).extend(0.0));
    let upright = DMat4::from_cols(axes[0], axes[1], axes[2], offset.extend(1.0));
    let weights = |mesh: usize, first: usize| {
        let weights = scene.weights(mesh, first);
        if weights.iter().all(|weight| *weight == 0.0) { Vec::new() } else { weights.to_vec() }
    };
    let instance =
        |(mesh, first): (usize, usize), color: Option<[f32; 4]>, model: DMat4, bones: Vec<DMat4>| MeshInstance {
            mesh,
            weights: weights(mesh, first),
            model: (upright * model).as_mat4(),
            color: tinted(color.or(assets.meshes[mesh].color).map_or(CLAY, bytes), glass),
            material: assets.meshes[mesh].paint.roughness.map_or(SATIN, |roughness| Material { roughness, ..SATIN }),
            bones: bones.iter().map(DMat4::as_mat4).collect(),
            shadow: true,
            substance,
        };
    let rigid = assets.surfaces.iter().map(|surface| {
        let shape = (surface.mesh, surface.first_weight);
        let mut drawn = instance(shape, surface.color, surface.model(frames), Vec::new());
        if let (Some(joint), Some(Hover::Part(part, _))) = (surface.joint, viewer.hover())
            && joint == part
        {
            // Many robots are white and could not be lighter.
            drawn.color = mixed(drawn.color, viewer.display().theme.palette().trail, TINT);
        }
        drawn
    });
    let skins = assets.skins.iter().map(|skin| {
        let shape = (skin.mesh, skin.first_weight);
        instance(shape, None, DMat4::IDENTITY, skin.bones(frames))
    });
    out.meshes.extend(rigid.chain(skins));
}

/// A colour seen as glass, if a glass colour is given.
fn tinted(color: Color, glass: Option<Color>) -> Color {
    let Some(glass) = glass else { return color };
    let through = |k: usize| (u16::from(color[k]) * u16::from(glass[k]) / 255) as u8;
    [through(0), through(1), through(2), glass[3]]
}

/// The meshes that a renderer has loaded: they are handed over when the scene changes, not with every picture.
#[derive(Debug, Default)]
pub struct LoadedMeshes(Option<Arc<Assets>>);

impl LoadedMeshes {
    /// The meshes to load before the next picture; none if the renderer has them.
    pub fn fresh<'a>(&mut self, scene: &'a Scene) -> Option<&'a [Mesh]> {
        let is_loaded = self.0.as_ref().is_some_and(|loaded| Arc::ptr_eq(loaded, &scene.assets));
        (!is_loaded).then(|| {
            self.0 = Some(scene.assets.clone());
            &scene.assets.meshes[..]
        })
    }
}

/// Most vertices of a mesh that are used to tell how far it extends.
const MAX_SAMPLES: usize = 1000;

/// How meshes are drawn now. Lessons and races show the bones inside.
pub(in crate::view) fn style(viewer: &Viewer) -> MeshStyle {
    let assets = &viewer.session().scene().assets;
    match viewer.display().meshes {
        _ if assets.surfaces.is_empty() && assets.skins.is_empty() => MeshStyle::Hidden,
        MeshStyle::Solid if viewer.is_teaching() => MeshStyle::XRay,
        style => style,
    }
}

/// The joints that solid bodies enclose, in ascending order: those of all trees in which at least half as many joints have
/// a mesh to see as can move. A robot with only a box on its base still shows its bones.
pub(in crate::view) fn enclosed_joints(viewer: &Viewer) -> Vec<usize> {
    if style(viewer) != MeshStyle::Solid {
        return Vec::new();
    }
    let scene = viewer.session().scene();
    let (skeleton, assets) = (&scene.skeleton, &scene.assets);
    let mut has_mesh = vec![false; skeleton.len()];
    let rigid = assets.surfaces.iter().filter(|surface| assets.meshes[surface.mesh].is_visible(surface.color));
    let skins = assets.skins.iter().filter(|skin| assets.meshes[skin.mesh].is_visible(None));
    let joints = rigid.filter_map(|surface| surface.joint).chain(skins.flat_map(|skin| skin.joints.iter().copied()));
    joints.for_each(|at| has_mesh[at] = true);
    // For each root, the number of its joints that have a mesh and of those that move.
    let mut counts = vec![(0, 0); skeleton.len()];
    let roots = skeleton.roots();
    for (joint, &root) in roots.iter().enumerate() {
        counts[root].0 += usize::from(has_mesh[joint]);
        counts[root].1 += usize::from(skeleton.kind(joint).coordinate_count() > 0);
    }
    (0..skeleton.len())
        .filter(|&joint| counts[roots[joint]].0 > 0 && 2 * counts[roots[joint]].0 >= counts[roots[joint]].1)
        .collect()
}

/// The frames of all joints, with those in `own` replaced.
pub(super) fn with_frames(frames: &[Isometry], own: Vec<(usize, Isometry)>) -> Vec<Isometry> {
    let mut frames = frames.to_vec();
    own.into_iter().for_each(|(joint, frame)| frames[joint] = frame);
    frames
}

/// Points on the bodies of a lesson, or on those of the first figure at the start of a race, dense enough to show how far
/// the bodies extend; in the scene's world.
pub(in crate::view) fn shown_points(viewer: &Viewer) -> Vec<DVec3> {
    let (session, scene) = (viewer.session(), viewer.session().scene());
    if style(viewer) == MeshStyle::Hidden {
        return Vec::new();
    }
    let first_lane = session.race().and_then(|race| race.lanes().first());
    let own = first_lane.map(|lane| lane.frames(0.0)).unwrap_or_default();
    let frames = with_frames(&scene.skeleton.frames(session.displayed()), own);
    vertices(scene, &frames, MAX_SAMPLES).flatten().collect()
}

/// Vertices of each mesh and skin, no more than `most` of each, for these frames of all joints; in the scene's world.
fn vertices(scene: &Scene, frames: &[Isometry], most: usize) -> impl Iterator<Item = Vec<DVec3>> {
    let assets = &scene.assets;
    let stride = move |mesh: usize| assets.meshes[mesh].positions.len().div_ceil(most).max(1);
    let places = |mesh: usize, first: usize| assets.meshes[mesh].places(scene.weights(mesh, first));
    let rigid = assets.surfaces.iter().map(move |surface| {
        let model = surface.model(frames);
        let places = places(surface.mesh, surface.first_weight);
        places.iter().step_by(stride(surface.mesh)).map(|place| model.transform_point3(place.as_dvec3())).collect()
    });
    let skins = assets.skins.iter().map(move |skin| {
        let places = places(skin.mesh, skin.first_weight);
        assets.meshes[skin.mesh].bent(&places, &skin.bones(frames)).step_by(stride(skin.mesh)).collect()
    });
    rigid.chain(skins)
}

/// Corners of the bounding boxes of all meshes and skins for these frames of all joints; in the scene's world.
pub(in crate::view) fn corners(scene: &Scene, frames: &[Isometry]) -> Vec<DVec3> {
    vertices(scene, frames, usize::MAX).filter_map(|places| box_corners(&places)).flatten().collect()
}

fn box_corners(points: &[DVec3]) -> Option<[DVec3; 8]> {
    let low = points.iter().copied().reduce(DVec3::min)?;
    let high = points.iter().copied().reduce(DVec3::max)?;
    let pick = |k: usize, axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
    Some([0, 1, 2, 3, 4, 5, 6, 7].map(|k| DVec3::new(pick(k, 0), pick(k, 1), pick(k, 2))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use fabrik3d_ik::random::Random;
    use fabrik3d_scene::OpenOptions;

    /// What cannot be seen hides no bones: a figure is never an empty picture.
    #[test]
    fn bones_are_hidden_by_what_is_seen() {
        let mut random = Random::new(31);
        for _ in 0..60 {
            let alphas: Vec<f64> = (0..1 + random.index(6)).map(|_| random.index(3) as f64 / 2.0).collect();
            let mut text = String::from("<robot name=\"r\"><link name=\"l0\"/>");
            for (at, alpha) in alphas.iter().enumerate() {
                let link = at + 1;
                text += &format!(
                    "<link name=\"l{link}\"><visual><geometry><sphere radius=\"0.1\"/></geometry><material name=\"m{link}\">\
                     <color rgba=\"1 1 1 {alpha}\"/></material></visual></link><joint name=\"j{link}\" type=\"continuous\">\
                     <parent link=\"l{at}\"/><child link=\"l{link}\"/><origin xyz=\"0 0 1\"/></joint>"
                );
            }
            text += "</robot>";
            let scene = Scene::from_bytes(text.into_bytes(), "r.urdf", &OpenOptions::default()).expect("a robot");
            let seen = alphas.iter().filter(|alpha| **alpha > 0.0).count();
            let hidden = enclosed_joints(&Viewer::new(scene, Display::default(), 1.0));
            assert_eq!(!hidden.is_empty(), seen > 0 && 2 * seen >= alphas.len(), "{alphas:?}");
        }
    }
}
