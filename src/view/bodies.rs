//! The meshes and skins of a scene: how they are shown, what they hide, and how far they extend.

use super::frame::{Color, Mesh};
use super::{MeshStyle, Viewer};
use crate::session::race::Race;
use fabrik3d_ik::Isometry;
use fabrik3d_scene::{Assets, Scene};
use glam::DVec3;
use std::sync::Arc;

/// The meshes that a renderer has loaded: they are handed over when the scene changes, not with every picture.
#[derive(Debug, Default)]
pub struct LoadedMeshes(Option<Arc<Assets>>);

impl LoadedMeshes {
    /// The meshes to load before the next picture; none if the renderer has them.
    pub fn fresh(&mut self, scene: &Scene) -> Option<Vec<Mesh>> {
        let is_loaded = self.0.as_ref().is_some_and(|loaded| Arc::ptr_eq(loaded, &scene.assets));
        (!is_loaded).then(|| {
            self.0 = Some(scene.assets.clone());
            scene.assets.meshes.iter().map(drawable).collect()
        })
    }
}

fn drawable(mesh: &fabrik3d_scene::Mesh) -> Mesh {
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

/// Most vertices of a mesh that are used to tell how far it extends.
const MAX_SAMPLES: usize = 1000;

/// How meshes are drawn now. Lessons and races show the bones inside.
pub(super) fn style(viewer: &Viewer) -> MeshStyle {
    let session = viewer.session();
    let assets = &session.scene().assets;
    match viewer.display().meshes {
        _ if assets.surfaces.is_empty() && assets.skins.is_empty() => MeshStyle::Hidden,
        MeshStyle::Solid if session.lesson().is_some() || session.race().is_some() => MeshStyle::XRay,
        style => style,
    }
}

/// The joints that solid bodies enclose, in ascending order: those of all trees in which at least half as many joints have
/// a mesh as can move. A robot with only a box on its base still shows its bones.
pub(super) fn enclosed_joints(viewer: &Viewer) -> Vec<usize> {
    if style(viewer) != MeshStyle::Solid {
        return Vec::new();
    }
    let scene = viewer.session().scene();
    let (skeleton, assets) = (&scene.skeleton, &scene.assets);
    let mut has_mesh = vec![false; skeleton.len()];
    let rigid = assets.surfaces.iter().filter_map(|surface| surface.joint);
    rigid.chain(assets.skins.iter().flat_map(|skin| skin.joints.iter().copied())).for_each(|at| has_mesh[at] = true);
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

/// Points on the bodies at the start of a race, dense enough to show how far the bodies extend; in the scene's world.
pub(super) fn race_points(viewer: &Viewer, race: &Race) -> Vec<DVec3> {
    let scene = viewer.session().scene();
    let own = race.lanes().first().map(|lane| lane.frames(race.figure(), 0.0)).unwrap_or_default();
    if own.is_empty() || style(viewer) == MeshStyle::Hidden {
        return Vec::new();
    }
    let frames = with_frames(&scene.skeleton.frames(viewer.session().displayed()), own);
    let assets = &scene.assets;
    let step = |mesh: usize| assets.meshes[mesh].positions.len().div_ceil(MAX_SAMPLES).max(1);
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

/// Corners of the bounding boxes of all meshes and skins for these frames of all joints; in the scene's world.
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

pub(super) fn bytes(color: [f32; 4]) -> Color {
    color.map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8)
}
