//! Turns keep clear on: capsules for all links, and the pairs that must not touch.

use crate::Scene;
use crate::assets::Assets;
use crate::capsule_fit::Capsule;
use fabrik3d_ik::{Clearance, Effector, KeepClear, Kind, LinkCapsule, NearPart, Skeleton};
use glam::DVec3;
use std::sync::Arc;

/// The margin of scenes that state none, as a fraction of their size.
const DEFAULT_MARGIN: f64 = 0.01;
/// The links of characters share vertices. A vertex counts for the joint that moves it most.
const LEAST_POINTS: usize = 4;
/// Most capsules around the meshes of a link.
const MOST_CAPSULES: usize = 2;

impl Scene {
    /// Turns keep clear on or off. On, links keep clear of each other and of obstacles: [`Scene::problem`] has their capsules.
    ///
    /// Links without capsules in [`Scene::capsules`] get one or two around their meshes, in the joint's frame. Links without meshes
    /// get one of [`Scene::link_radius`] around each segment to a child. Neighboring links, and links that overlap in the
    /// start pose, are no pairs.
    pub fn set_keep_clear(&mut self, on: bool) {
        self.keep_clear = None;
        if !on {
            return;
        }
        let mut shapes = shapes(&self.assets, self.skeleton.len());
        self.capsules.iter().for_each(|capsule| shapes[capsule.joint] = Shape::default());
        let fitted = shapes.iter().enumerate().flat_map(|(joint, shape)| {
            let capsules = shape.capsules().into_iter();
            capsules.map(move |Capsule { ends, radius }| LinkCapsule { joint, ends, radius })
        });
        self.capsules.extend(fitted);
        self.capsules.sort_by_key(|capsule| capsule.joint);
        let mut capsules = self.capsules.clone();
        let has_own = |joint: usize| self.capsules.iter().any(|capsule| capsule.joint == joint);
        capsules.extend(segments(&self.skeleton, self.link_radius).filter(|capsule| !has_own(capsule.joint)));
        let pairs = KeepClear::separable_pairs(&self.skeleton, &capsules, &self.start);
        self.keep_clear = Some(Arc::new(KeepClear { capsules, pairs, margin: self.margin() }));
    }

    /// The distance that links keep where the goals leave the freedom to.
    pub fn margin(&self) -> f64 {
        let size = |joint: usize| Effector::new(joint, DVec3::ZERO).size(&self.skeleton);
        self.margin.unwrap_or_else(|| DEFAULT_MARGIN * (0..self.skeleton.len()).map(size).fold(0.0, f64::max))
    }

    /// The names of the two parts that are nearest to each other: of links, or of joints where links have no names, and
    /// `obstacle[0]`, `obstacle[1]`, ... for obstacles.
    pub fn near_parts(&self, clearance: &Clearance) -> [String; 2] {
        let link = |capsule: usize| {
            let joint = self.keep_clear.as_ref().map_or(0, |keep_clear| keep_clear.capsules[capsule].joint);
            let named = self.assets.links.iter().find(|(_, own)| *own == joint).map(|(link, _)| link);
            named.unwrap_or(&self.skeleton.joints()[joint].name).clone()
        };
        let other = match clearance.other {
            NearPart::Capsule(capsule) => link(capsule),
            NearPart::Obstacle(at) => format!("obstacle[{at}]"),
        };
        [link(clearance.capsule), other]
    }
}

/// What a joint moves, in its frame.
#[derive(Clone, Debug, Default)]
struct Shape {
    /// Triangles of rigid meshes.
    triangles: Vec<[DVec3; 3]>,
    /// Vertices of skins that the joint moves most.
    skin: Vec<DVec3>,
}

impl Shape {
    /// The capsules around it. Limbs are like one capsule; the links of machines have angles and flanges.
    fn capsules(&self) -> Vec<Capsule> {
        let mut capsules = Capsule::around_surface(&self.triangles, MOST_CAPSULES);
        capsules
            .extend(Some(&self.skin).filter(|skin| skin.len() >= LEAST_POINTS).and_then(|skin| Capsule::around(skin)));
        capsules
    }
}

fn shapes(assets: &Assets, joints: usize) -> Vec<Shape> {
    let mut shapes = vec![Shape::default(); joints];
    for surface in &assets.surfaces {
        if let Some(joint) = surface.joint {
            let mesh = &assets.meshes[surface.mesh];
            let place = |corner: u32| surface.transform.transform_point3(mesh.positions[corner as usize].as_dvec3());
            shapes[joint].triangles.extend(mesh.triangles.iter().map(|corners| corners.map(place)));
        }
    }
    for skin in &assets.skins {
        let mesh = &assets.meshes[skin.mesh];
        for (place, influence) in mesh.positions.iter().zip(&mesh.influences) {
            let shares = influence.joints.iter().zip(influence.weights);
            let Some((&bone, _)) = shares.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            let bone = usize::from(bone);
            let point = skin.inverse_bind[bone].transform_point3(place.as_dvec3());
            shapes[skin.joints[bone]].skin.push(point);
        }
    }
    shapes
}

/// A capsule around each segment from a joint to a child.
fn segments(skeleton: &Skeleton, radius: f64) -> impl Iterator<Item = LinkCapsule> + '_ {
    (0..skeleton.len()).flat_map(move |joint| {
        let children = skeleton.children(joint).iter().copied();
        let moves_along = |child: usize| matches!(skeleton.kind(child), Kind::Free | Kind::Slide { .. });
        let ends = children.filter(move |&child| !moves_along(child)).map(|child| skeleton.joints()[child].offset);
        let ends = ends.filter(|end| *end != DVec3::ZERO);
        ends.map(move |end| LinkCapsule { joint, ends: [DVec3::ZERO, end], radius })
    })
}
