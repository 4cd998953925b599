//! Turns keep clear on: capsules for all links, and the pairs that must not touch.

use crate::Scene;
use crate::assets::Assets;
use crate::capsule_fit::Capsule;
use crate::convex_parts::convex_parts;
use crate::printable::listed;
use fabrik3d_ik::collision::{Hull, KeepClear, LinkCapsule};
use fabrik3d_ik::queries::{Clearance, NearPart};
use fabrik3d_ik::{Effector, Kind, Skeleton};
use glam::DVec3;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The margin of scenes that state none, as a fraction of their size.
const DEFAULT_MARGIN: f64 = 0.01;
/// Fewest vertices of skins that a joint moves most to have a capsule around them.
const LEAST_POINTS: usize = 4;

impl Scene {
    /// Whether both scenes have the same bodies of links, and masses that count or not in both.
    pub fn has_bodies_of(&self, other: &Scene) -> bool {
        self.keep_clear == other.keep_clear && self.balance == other.balance
    }

    /// Turns keep clear on or off. On, links keep clear of each other and of obstacles: [`Scene::problem`] has their capsules.
    ///
    /// Links without capsules in [`Scene::capsules`] get one around each part of their meshes, in the joint's frame, or of
    /// their collision shapes if they have no mesh; the convex hulls of the parts decide what overlaps. Links without either
    /// get one of [`Scene::link_radius`] around each segment to a child; [`Scene::warnings`] names those whose radius is then
    /// 0. Neighboring links, [`Scene::disabled_collisions`], and bodies that overlap in the start pose are no pairs.
    pub fn set_keep_clear(&mut self, on: bool) {
        self.keep_clear = None;
        self.overlapping.clear();
        if !on {
            return;
        }
        let mut shapes = shapes(&self.assets, self.skeleton.len());
        self.capsules.iter().for_each(|capsule| shapes[capsule.joint] = Shape::default());
        let fitted = shapes.par_iter().enumerate().flat_map_iter(|(joint, shape)| shape.capsules(joint));
        self.capsules.par_extend(fitted);
        self.capsules.sort_by_key(|capsule| capsule.joint);
        let mut capsules = self.capsules.clone();
        let has_own = |joint: usize| self.capsules.iter().any(|capsule| capsule.joint == joint);
        capsules.extend(segments(&self.skeleton, self.link_radius).filter(|capsule| !has_own(capsule.joint)));
        let is_disabled = |pair: &[usize; 2]| {
            let [a, b] = pair.map(|at| capsules[at].joint);
            self.disabled_collisions.iter().any(|&pair| pair == [a, b] || pair == [b, a])
        };
        let mut both = KeepClear::pairs_in(&self.skeleton, &capsules, &self.start);
        both.iter_mut().for_each(|pairs| pairs.retain(|pair| !is_disabled(pair)));
        let [pairs, overlapping] = both;
        let joints = overlapping.into_iter().map(|pair| pair.map(|at| capsules[at].joint));
        self.overlapping = joints.collect::<BTreeSet<_>>().into_iter().collect();
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
            self.link_name(joint).to_owned()
        };
        let other = match clearance.other {
            NearPart::Capsule(capsule) => link(capsule),
            NearPart::Obstacle(at) => format!("obstacle[{at}]"),
        };
        [link(clearance.capsule), other]
    }

    /// One sentence for each part of the file that could not be read. While links keep clear, also one that names the moving
    /// links without a shape, and one that names the links of a robot that overlap in the start pose.
    pub fn warnings(&self) -> Vec<Cow<'_, str>> {
        let of_file = self.assets.warnings.iter().map(|warning| Cow::from(warning.as_str()));
        let of_keep_clear = self.without_shape().into_iter().chain(self.in_touch()).map(Cow::from);
        of_keep_clear.chain(of_file).collect()
    }

    /// The pairs of links of which parts overlap in the start pose and may touch while links keep clear, as `A and B`.
    pub fn overlapping_links(&self) -> Vec<String> {
        self.overlapping.iter().map(|pair| pair.map(|joint| self.link_name(joint)).join(" and ")).collect()
    }

    /// The warning about links of robots that overlap in the start pose. The limbs of characters do so where they meet.
    fn in_touch(&self) -> Option<String> {
        let names = self.overlapping_links();
        (!names.is_empty() && !self.assets.links.is_empty()).then(|| {
            format!(
                "keep clear: parts of these links overlap in the start pose, so these parts may touch in all poses: {}; \
                 if that is meant, list the pairs in disable_collisions, or <exclude> of MJCF",
                listed(&names)
            )
        })
    }

    /// The warning about moving links without a shape; none while links do not keep clear, or if all have a radius.
    fn without_shape(&self) -> Option<String> {
        let keep_clear = self.keep_clear.as_ref().filter(|_| self.link_radius == 0.0)?;
        let has_own = |joint: usize| self.capsules.binary_search_by_key(&joint, |capsule| capsule.joint).is_ok();
        let segments = keep_clear.capsules.iter().map(|capsule| capsule.joint);
        let bare = segments.chain(self.assets.unread_shapes.iter().copied()).filter(|&joint| !has_own(joint));
        let can_move = |&joint: &usize| self.skeleton.ancestors(joint).any(|at| self.skeleton.kind(at).can_move());
        let bare: BTreeSet<usize> = bare.filter(can_move).collect();
        let names: Vec<&str> = bare.into_iter().map(|joint| self.link_name(joint)).collect();
        let remedy = match self.assets.links.is_empty() {
            true => "[[capsule]] or link_radius gives them one",
            false => {
                "a <visual>, <collision> or <geom> that can be read, a [[capsule]] of a scene file or link_radius gives them one"
            }
        };
        (!names.is_empty()).then(|| {
            format!(
                "keep clear: links without a shape count as lines between their joints: {}; {remedy}",
                listed(&names)
            )
        })
    }

    /// The name of the link with the frame of a joint, or of the joint where links have no names.
    fn link_name(&self, joint: usize) -> &str {
        let named = self.assets.links.iter().find(|(_, own)| *own == joint).map(|(link, _)| link);
        named.unwrap_or(&self.skeleton.joints()[joint].name)
    }
}

/// What a joint moves, in its frame.
#[derive(Clone, Debug, Default)]
struct Shape {
    /// Triangles of rigid meshes, or of collision shapes.
    triangles: Vec<[DVec3; 3]>,
    /// Vertices of skins that the joint moves most.
    skin: Vec<DVec3>,
}

impl Shape {
    /// The capsules around it. Limbs are like one capsule; the links of machines have angles and flanges.
    fn capsules(&self, joint: usize) -> Vec<LinkCapsule> {
        let of_parts = convex_parts(&self.triangles).into_iter().filter_map(|part| {
            let Capsule { ends, radius } = Capsule::around(part.as_flattened())?;
            let hull = Hull::around(part.as_flattened()).ok();
            Some(LinkCapsule { hull, ..LinkCapsule::new(joint, ends, radius) })
        });
        let mut capsules: Vec<LinkCapsule> = of_parts.collect();
        let of_skin = Some(&self.skin).filter(|points| points.len() >= LEAST_POINTS);
        let of_skin = of_skin.and_then(|points| Capsule::around(points));
        capsules.extend(of_skin.map(|Capsule { ends, radius }| LinkCapsule::new(joint, ends, radius)));
        capsules
    }
}

fn shapes(assets: &Assets, joints: usize) -> Vec<Shape> {
    let mut shapes = vec![Shape::default(); joints];
    for surface in &assets.surfaces {
        if let Some(joint) = surface.joint {
            shapes[joint].triangles.extend(assets.triangles(surface));
        }
    }
    assets.collision_triangles.iter().for_each(|(joint, own)| shapes[*joint].triangles.extend(own));
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
        ends.map(move |end| LinkCapsule::new(joint, [DVec3::ZERO, end], radius))
    })
}
