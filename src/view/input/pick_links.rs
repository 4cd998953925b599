//! What lies under the pointer on the drawn joints and links.

use crate::view::bodies::enclosed_joints;
use crate::view::sizes::{self, floats_freely};
use crate::view::{Projection, Viewer};
use fabrik3d_ik::Kind;
use glam::DVec3;

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

/// The nearest point of the drawn joints and links under a point of the picture (x right, y up, -1..1); none while a lesson
/// or race is open, which draw figures of their own.
pub(super) fn link_under(viewer: &Viewer, at: [f64; 2]) -> Option<Hit> {
    if !viewer.session().covered().is_empty() {
        return None;
    }
    let (space, ray) = (viewer.space(), viewer.ray(at));
    let (origin, direction) = (space.world(ray.origin.into()), space.world(ray.direction.into()));
    let is_perspective = viewer.camera().projection() == Projection::Perspective;
    let height = viewer.height_at(DVec3::from(ray.origin) + DVec3::from(ray.direction));
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
