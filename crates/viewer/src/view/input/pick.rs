//! What lies under the pointer on bodies, joints and links: the point, the joint that moves it, and the effector that drags it.
//!
//! A part is dragged by the effector at its end: the arm by the hand, the thigh by the foot, a robot's link by the
//! tool. A base that floats is dragged by an effector of its own, which the first drag adds. Other trunks, whose effectors
//! are far apart, and fixed bases are dragged by none, so that a drag there orbits the camera as on the background.

use crate::view::draw::bodies::{enclosed_joints, style};
use crate::view::sizes::{self, floats_freely};
use crate::view::{Grip, MeshStyle, Projection, Viewer};
use fabrik3d_ik::{Isometry, Kind, Skeleton};
use fabrik3d_scene::{Mesh, Scene, SceneEffector, Sides};
use glam::DVec3;

/// Largest distance between effectors that drag a part as one (a hand by one of its fingers), in units of their reach.
const SAME_PART: f64 = 0.3;

/// Share of a link from its start, from which on a point of a skin belongs to the joint at its end.
const FAR_END: f64 = 0.8;

/// The nearest point of bodies, joints and links under a point of the picture (x right, y up, -1..1).
pub fn figure_under(viewer: &Viewer, at: [f64; 2]) -> Option<Hit> {
    let hits = body_under(viewer, at).into_iter().chain(link_under(viewer, at));
    hits.min_by(|a, b| a.along.total_cmp(&b.along))
}

/// The nearest point of the drawn bodies under a point of the picture; none in lessons and races, where they are background.
pub fn body_under(viewer: &Viewer, at: [f64; 2]) -> Option<Hit> {
    if style(viewer) == MeshStyle::Hidden || !viewer.session().covered().is_empty() {
        return None;
    }
    let (session, space, ray) = (viewer.session(), viewer.space(), viewer.ray(at));
    let (origin, direction) = (space.world(ray.origin), space.world(ray.direction));
    let frames = session.scene().skeleton.frames(session.displayed());
    // An orthographic ray also sees what lies behind its origin.
    let nearest = if viewer.camera().projection == Projection::Perspective { 0.0 } else { f64::NEG_INFINITY };
    let scene = session.scene();
    let hit = first_hit(scene, &frames, origin, direction, nearest)?;
    let is_skin = |joint: &usize| scene.assets.skins.iter().any(|skin| skin.joints.contains(joint));
    let joint =
        hit.joint.map(|joint| if is_skin(&joint) { nearer_end(&scene.skeleton, &frames, joint, &hit) } else { joint });
    Some(Hit { joint, ..hit })
}

/// The joint at whose place a skin is hit: the next one, near the far end of the link. Who points at an elbow means the elbow.
fn nearer_end(skeleton: &Skeleton, frames: &[Isometry], joint: usize, hit: &Hit) -> usize {
    let from = frames[joint].position;
    let is_near = |&end: &usize| {
        let way = frames[end].position - from;
        let share = (hit.point - from).dot(way) / way.length_squared();
        share > FAR_END && (hit.point - from - way * share).length_squared() < (0.5 * way).length_squared()
    };
    skeleton.children(joint).iter().copied().find(is_near).unwrap_or(joint)
}

/// The first point at a distance of at least `nearest` where a ray hits the bodies, for these frames of all joints.
pub fn first_hit(scene: &Scene, frames: &[Isometry], origin: DVec3, direction: DVec3, nearest: f64) -> Option<Hit> {
    let assets = &scene.assets;
    let rigid = assets.surfaces.iter().filter_map(|surface| {
        // Distances along the ray, in lengths of its direction, are the same in every space.
        let inward = surface.model(frames).inverse();
        let (origin, direction) = (inward.transform_point3(origin), inward.transform_vector3(direction));
        let mesh = &assets.meshes[surface.mesh];
        let places = mesh.places(scene.weights(surface.mesh, surface.first_weight));
        let place = |corner: usize| places[corner].as_dvec3();
        let along = triangles_under(mesh, place, (origin, direction), nearest, 1.0)?.along;
        Some((along, surface.joint))
    });
    let skins = assets.skins.iter().filter_map(|skin| {
        let mesh = &assets.meshes[skin.mesh];
        let bones = skin.bones(frames);
        let places = mesh.places(scene.weights(skin.mesh, skin.first_weight));
        let bent: Vec<DVec3> = mesh.bent(&places, &bones).collect();
        // Bones that mirror reverse the sides of triangles.
        let front = bones.first().map_or(1.0, |bone| bone.determinant().signum());
        let met = triangles_under(mesh, |corner| bent[corner], (origin, direction), nearest, front)?;
        Some((met.along, skin.joints.get(main_joint(mesh, &met, skin.joints.len())).copied()))
    });
    let (along, joint) = rigid.chain(skins).min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Hit { along, point: origin + direction * along, joint })
}

/// Where a ray hits a mesh.
struct MeshHit {
    along: f64,
    triangle: usize,
    /// Barycentric coordinates.
    weights: [f64; 3],
}

/// The first triangle that a ray hits on a visible side; `front` is the sign of the volume on the front side (Möller and
/// Trumbore, "Fast, minimum storage ray-triangle intersection", 1997).
fn triangles_under(
    mesh: &Mesh,
    place: impl Fn(usize) -> DVec3,
    (origin, direction): (DVec3, DVec3),
    nearest: f64,
    front: f64,
) -> Option<MeshHit> {
    let one_sided = mesh.paint.sides == Sides::Front;
    let mut first: Option<MeshHit> = None;
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|corner| place(corner as usize));
        let (ab, ac) = (b - a, c - a);
        let across = direction.cross(ac);
        let volume = ab.dot(across);
        if one_sided && volume * front < 0.0 {
            continue;
        }
        let from = origin - a;
        let share_b = from.dot(across) / volume;
        if !(0.0..=1.0).contains(&share_b) {
            continue;
        }
        let turned = from.cross(ab);
        let share_c = direction.dot(turned) / volume;
        let along = ac.dot(turned) / volume;
        let farthest = first.as_ref().map_or(f64::INFINITY, |met| met.along);
        if share_c >= 0.0 && share_b + share_c <= 1.0 && along > nearest && along < farthest {
            first = Some(MeshHit { along, triangle, weights: [1.0 - share_b - share_c, share_b, share_c] });
        }
    }
    first
}

/// The joint with the largest weight at a point, as an index into the skin's joints.
fn main_joint(mesh: &Mesh, met: &MeshHit, joints: usize) -> usize {
    let mut weights = vec![0.0; joints];
    for (&corner, share) in mesh.triangles[met.triangle].iter().zip(met.weights) {
        let influence = &mesh.influences[corner as usize];
        for (&joint, &weight) in influence.joints.iter().zip(&influence.weights) {
            weights[usize::from(joint)] += share * f64::from(weight);
        }
    }
    weights.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(joint, _)| joint)
}

/// What drags a point on a figure; none where a drag does not move the figure.
pub fn grip(viewer: &Viewer, hit: &Hit) -> Option<Grip> {
    let skeleton = &viewer.session().scene().skeleton;
    let base = || floating_base(skeleton, hit.joint?).map(Grip::Base);
    effector_for(viewer, hit).map(Grip::Effector).or_else(base)
}

/// The effector that drags a point on a figure; none if there is no such effector.
pub fn effector_for(viewer: &Viewer, hit: &Hit) -> Option<usize> {
    let session = viewer.session();
    let scene = session.scene();
    let (skeleton, joint) = (&scene.skeleton, hit.joint?);
    let effectors = || scene.effectors.iter().enumerate();
    let moved = |at: &usize| moves(skeleton, &scene.effectors[*at], joint);
    let below =
        effectors().filter(|(_, effector)| skeleton.ancestors(effector.effector.joint).any(|above| above == joint));
    let mut choice: Vec<usize> = below.map(|(at, _)| at).collect();
    if choice.is_empty() {
        // Beyond the last effector: it is moved by that effector.
        let above =
            skeleton.ancestors(joint).find_map(|above| effectors().find(|(_, end)| end.effector.joint == above));
        return above.map(|(at, _)| at).filter(moved);
    }
    let tip = |at: usize| session.displayed_tip(at);
    let close = |&at: &usize| tip(at).distance(tip(choice[0])) <= SAME_PART * scene.effector_size(&scene.effectors[at]);
    if !choice.iter().all(close) {
        let base = floating_base(skeleton, joint)?;
        return choice.into_iter().find(|&at| scene.effectors[at].effector.joint == base);
    }
    // Effectors with targets take precedence over those without, such as fingers of a gripper.
    let has_target = |at: &usize| session.target(*at).place().is_some();
    if choice.iter().any(has_target) {
        choice.retain(has_target);
    }
    choice.retain(moved);
    let nearest =
        || choice.iter().copied().min_by(|&a, &b| tip(a).distance(hit.point).total_cmp(&tip(b).distance(hit.point)));
    choice.iter().copied().find(|&at| Some(at) == session.selected()).or_else(nearest)
}

/// The free joint that carries a joint rigidly.
fn floating_base(skeleton: &Skeleton, joint: usize) -> Option<usize> {
    let base = skeleton.ancestors(joint).find(|&above| *skeleton.kind(above) != Kind::Fixed)?;
    (*skeleton.kind(base) == Kind::Free).then_some(base)
}

/// Whether moving an effector can move a joint.
fn moves(skeleton: &Skeleton, effector: &SceneEffector, joint: usize) -> bool {
    let chain = skeleton.ancestors(effector.effector.joint).take(effector.effector.chain_length.unwrap_or(usize::MAX));
    let above: Vec<usize> = skeleton.ancestors(joint).collect();
    // Parents come before their children, so these numbers descend.
    let is_above = |at: usize| above.binary_search_by(|other| at.cmp(other)).is_ok();
    let can_move = |at: &usize| !matches!(skeleton.kind(*at), Kind::Fixed);
    chain.filter(can_move).any(is_above)
}

/// A point on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray, in lengths of its direction.
    pub along: f64,
    /// The point, in the scene's world.
    pub point: DVec3,
    /// The joint that moves it most; none where it is fixed in the world.
    pub joint: Option<usize>,
}

/// Distance beside a link within which the pointer is on it, in units of the picture's height: thin links can be grabbed too.
const SLACK: f64 = 0.005;

/// A straight part of a figure, thick like the joints at its ends. A joint has two equal ends.
struct Rod {
    ends: [DVec3; 2],
    radius: f64,
    /// The joint that moves it; none where it is fixed in the world.
    joint: Option<usize>,
}

/// The nearest point of the drawn joints and links there; none in lessons and races, which draw figures of their own.
fn link_under(viewer: &Viewer, at: [f64; 2]) -> Option<Hit> {
    if !viewer.session().covered().is_empty() {
        return None;
    }
    let (space, ray) = (viewer.space(), viewer.ray(at));
    let (origin, direction) = (space.world(ray.origin), space.world(ray.direction));
    let is_perspective = viewer.camera().projection == Projection::Perspective;
    let height = viewer.height_at(ray.origin + ray.direction);
    let mut nearest: Option<Hit> = None;
    for rod in rods(viewer) {
        let (along, gap) = closest(origin, direction, rod.ends);
        let slack = SLACK * height * if is_perspective { along } else { 1.0 };
        // A perspective ray starts at the eye. An orthographic one also sees what lies behind its origin.
        if gap > rod.radius + slack || (is_perspective && along <= 0.0) {
            continue;
        }
        // Where the ray enters the rod, if it ran straight toward it.
        let along = along - (rod.radius * rod.radius - gap * gap).max(0.0).sqrt();
        if nearest.is_none_or(|hit| along < hit.along) {
            nearest = Some(Hit { along, point: origin + direction * along, joint: rod.joint });
        }
    }
    nearest
}

/// All drawn joints, links and tips. A link moves with the joint at its start.
fn rods(viewer: &Viewer) -> Vec<Rod> {
    let session = viewer.session();
    let (scene, skeleton) = (session.scene(), &session.scene().skeleton);
    let frames = skeleton.frames(session.displayed());
    let radii = sizes::joints(viewer, &sizes::trees(viewer));
    let enclosed = enclosed_joints(viewer);
    let is_drawn = |joint: usize| enclosed.binary_search(&joint).is_err();
    let mut rods = Vec::new();
    for joint in (0..skeleton.len()).filter(|&joint| is_drawn(joint)) {
        let place = frames[joint].position;
        let parent = skeleton.joints()[joint].parent;
        let is_fixed = parent.is_none() && !matches!(skeleton.kind(joint), Kind::Free);
        rods.push(Rod { ends: [place; 2], radius: radii[joint], joint: (!is_fixed).then_some(joint) });
        if let Some(parent) = parent.filter(|_| !floats_freely(skeleton, joint)) {
            let ends = [frames[parent].position, place];
            rods.push(Rod { ends, radius: radii[joint].min(radii[parent]), joint: Some(parent) });
        }
    }
    for (joint, tip) in scene.link_ends().filter(|end| is_drawn(end.0)) {
        let ends = [frames[joint].position, frames[joint].point(tip)];
        rods.push(Rod { ends, radius: radii[joint], joint: Some(joint) });
    }
    rods
}

/// The position along a line where it comes closest to a segment, and their distance there. `direction` has length one.
fn closest(origin: DVec3, direction: DVec3, [a, b]: [DVec3; 2]) -> (f64, f64) {
    let (from, side) = (a - origin, b - a);
    let (apart, across) = (from.reject_from_normalized(direction), side.reject_from_normalized(direction));
    let share = (-apart.dot(across) / across.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    ((from + side * share).dot(direction), (apart + across * share).length())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn no_sampled_point_of_a_segment_is_closer_to_the_line() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let (origin, direction) = (random.ball(), random.ball().normalize());
            let ends = [random.ball() * 3.0, random.ball() * 3.0];
            let (along, gap) = closest(origin, direction, ends);
            let sampled = (0..=2000).map(|k| {
                let point = ends[0].lerp(ends[1], f64::from(k) / 2000.0);
                let along = (point - origin).dot(direction);
                (point.distance(origin + direction * along), along)
            });
            let (least, at) = sampled.min_by(|a, b| a.0.total_cmp(&b.0)).expect("samples");
            assert!(gap <= least + 1e-12 && gap > least - 4e-3, "{gap} {least}");
            assert!(gap < 1e-2 || (along - at).abs() < 0.3, "{along} {at}");
        }
    }
}
