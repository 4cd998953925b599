//! What lies under the pointer on the drawn bodies: the place, the joint that carries it, the effector to pull it by.
//!
//! A body is pulled by the effector of the limb that was grabbed: the arm by its hand, the thigh by its foot, a robot's
//! link by its tool. A trunk, whose effectors lie far apart, and a base that no joint moves are pulled by nothing, so that
//! a drag on them orbits as one on the background does.

use super::{Projection, Stage};
use fabrik3d_ik::{Isometry, Kind, Skeleton};
use fabrik3d_scene::formats::mesh::Mesh;
use fabrik3d_scene::{Assets, SceneEffector, Sides};
use glam::DVec3;

/// How far apart, of their reach, effectors may be that a part pulls as one: a hand by one of its fingers.
const TOGETHER: f64 = 0.3;

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far along the ray, in lengths of its direction.
    pub along: f64,
    /// The place, in the scene's world.
    pub point: DVec3,
    /// The joint that moves it most; none where the body stands in the world.
    pub joint: Option<usize>,
}

/// The nearest place of the drawn bodies under a point of the picture (x right, y up, -1..1); none where none is drawn,
/// and in a lesson, where a body is but a hint.
pub fn body_under(stage: &Stage, at: [f64; 2]) -> Option<Hit> {
    if !super::surfaces::are_drawn(stage) || !stage.session().covered().is_empty() {
        return None;
    }
    let (session, space, ray) = (stage.session(), stage.space(), stage.ray(at));
    let (origin, direction) = (space.world(ray.origin.into()), space.world(ray.direction.into()));
    let frames = session.scene().skeleton.frames(session.displayed());
    // Without perspective the eye is only a point of the plane that is looked through.
    let nearest = if stage.camera().projection() == Projection::Perspective { 0.0 } else { f64::NEG_INFINITY };
    let assets = &session.scene().assets;
    first_hit(assets, &frames, origin, direction, nearest)
}

/// The first place from `nearest` on where a ray meets the bodies, which stand at these frames of the joints.
pub fn first_hit(assets: &Assets, frames: &[Isometry], origin: DVec3, direction: DVec3, nearest: f64) -> Option<Hit> {
    let rigid = assets.surfaces.iter().filter_map(|surface| {
        // The way along the ray is the same in every space.
        let inward = surface.model(frames).inverse();
        let (origin, direction) = (inward.transform_point3(origin), inward.transform_vector3(direction));
        let mesh = &assets.meshes[surface.mesh];
        let place = |corner: usize| mesh.positions[corner].as_dvec3();
        let along = triangles_under(mesh, place, (origin, direction), nearest, 1.0)?.along;
        Some((along, surface.joint))
    });
    let skins = assets.skins.iter().filter_map(|skin| {
        let mesh = &assets.meshes[skin.mesh];
        let bones = skin.bones(frames);
        let bent: Vec<DVec3> = mesh.bent(&bones).collect();
        // Bones that mirror show the other side of the triangles.
        let front = bones.first().map_or(1.0, |bone| bone.determinant().signum());
        let met = triangles_under(mesh, |corner| bent[corner], (origin, direction), nearest, front)?;
        Some((met.along, skin.joints.get(main_joint(mesh, &met, skin.joints.len())).copied()))
    });
    let (along, joint) = rigid.chain(skins).min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Hit { along, point: origin + direction * along, joint })
}

/// Where a ray meets a mesh.
struct Met {
    along: f64,
    triangle: usize,
    /// Shares of its corners.
    shares: [f64; 3],
}

/// The first triangle that a ray meets, from a side that is seen: its front has this sign (Möller and Trumbore, "Fast, minimum storage ray-triangle
/// intersection", 1997).
fn triangles_under(
    mesh: &Mesh,
    place: impl Fn(usize) -> DVec3,
    (origin, direction): (DVec3, DVec3),
    nearest: f64,
    front: f64,
) -> Option<Met> {
    let one_sided = mesh.paint.sides == Sides::Front;
    let mut first: Option<Met> = None;
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
            first = Some(Met { along, triangle, shares: [1.0 - share_b - share_c, share_b, share_c] });
        }
    }
    first
}

/// The joint, as the skin numbers it, that has the largest share in a place.
fn main_joint(mesh: &Mesh, met: &Met, joints: usize) -> usize {
    let mut weights = vec![0.0; joints];
    for (&corner, share) in mesh.triangles[met.triangle].iter().zip(met.shares) {
        let influence = &mesh.influences[corner as usize];
        for (&joint, &weight) in influence.joints.iter().zip(&influence.weights) {
            weights[usize::from(joint)] += share * f64::from(weight);
        }
    }
    weights.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(joint, _)| joint)
}

/// The effector that a place on a body is pulled by; none where the body should not follow.
pub fn effector_for(stage: &Stage, hit: &Hit) -> Option<usize> {
    let session = stage.session();
    let scene = session.scene();
    let (skeleton, joint) = (&scene.skeleton, hit.joint?);
    let effectors = || scene.effectors.iter().enumerate();
    let moved = |at: &usize| moves(skeleton, &scene.effectors[*at], joint);
    let below =
        effectors().filter(|(_, effector)| skeleton.ancestors(effector.effector.joint).any(|above| above == joint));
    let mut choice: Vec<usize> = below.map(|(at, _)| at).collect();
    if choice.is_empty() {
        // Beyond the last effector: that one takes it along.
        let above =
            skeleton.ancestors(joint).find_map(|above| effectors().find(|(_, end)| end.effector.joint == above));
        return above.map(|(at, _)| at).filter(moved);
    }
    let tip = |at: usize| session.displayed_tip(at);
    let close = |&at: &usize| tip(at).distance(tip(choice[0])) <= TOGETHER * scene.reach(&scene.effectors[at]);
    if !choice.iter().all(close) {
        return None;
    }
    // Those that only go along, such as fingers of a gripper, have no say where others have.
    let asked = |at: &usize| session.targets()[*at].position.is_some();
    if choice.iter().any(asked) {
        choice.retain(asked);
    }
    choice.retain(moved);
    let nearest =
        || choice.iter().copied().min_by(|&a, &b| tip(a).distance(hit.point).total_cmp(&tip(b).distance(hit.point)));
    choice.iter().copied().find(|&at| at == session.selected()).or_else(nearest)
}

/// Whether what stands on a joint moves when an effector does.
fn moves(skeleton: &Skeleton, effector: &SceneEffector, joint: usize) -> bool {
    let chain = skeleton.ancestors(effector.effector.joint).take(effector.effector.chain_length.unwrap_or(usize::MAX));
    let above: Vec<usize> = skeleton.ancestors(joint).collect();
    let can_move = |at: &usize| !matches!(skeleton.kind(*at), Kind::Fixed);
    chain.filter(can_move).any(|at| above.contains(&at))
}
