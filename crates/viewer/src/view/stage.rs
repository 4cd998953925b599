//! What surrounds the figures of a scene: the region that the camera frames, the camera that frames it, and the floor.

use super::frame::Bounds;
use super::landmarks::landmarks;
use super::sizes::has_many_targets;
use super::viewer::Stage;
use super::{Camera, Ground, Lens, Space};
use fabrik3d_ik::Kind;
use fabrik3d_scene::Scene;
use glam::DVec3;

impl Stage {
    /// The stage of a scene whose recording visits these points of the world.
    pub fn of(scene: &Scene, recorded: &[DVec3], lens: Lens) -> Self {
        let space = Space { up: scene.up };
        let mut points = landmarks(scene);
        points.extend(recorded.iter().map(|point| space.shown(*point)));
        let extent = bounding_sphere(&points);
        Stage {
            recorded: recorded.len(),
            home: home(scene, &points, lens),
            extent,
            ground: Ground::under(scene, &points, f64::from(extent.radius)),
            landmarks: points,
        }
    }
}

/// Heights closer than this count as equal. This and the next two are in units of the scene's radius.
const SAME_HEIGHT: f64 = 0.02;
/// Distance of the floor below the lowest point of a hanging figure.
const CLEARANCE: f64 = 0.03;
/// A figure with several ends below this fraction of the height of its base stands on its own legs.
const STANDING: f64 = 0.5;
/// A figure that nothing holds is on the world's ground if it is no deeper in it than this, in units of the scene's radius: a
/// foot that points down reaches below it. Figures whose hips are at the origin are deeper. Test:
/// `a_body_that_nothing_holds_is_on_the_ground`.
const SUNK: f64 = 0.25;
/// Largest height above the world's ground at which the scene still gets its floor there.
const MAX_HEIGHT: f64 = 3.0;

impl Ground {
    /// The floor under a scene of this radius; landmarks are in the picture's space.
    ///
    /// Figures stand on the floor with their bases. A scene close above the world's ground has its floor there; a figure
    /// that hangs below its base has the floor below it.
    pub fn under(scene: &Scene, landmarks: &[DVec3], radius: f64) -> Self {
        let space = Space { up: scene.up };
        let height = |point: DVec3| space.shown(point).y;
        let roots = scene.skeleton.joints().iter().filter(|joint| joint.parent.is_none());
        let base = roots.clone().map(|joint| height(joint.offset)).fold(f64::INFINITY, f64::min);
        let lowest = landmarks.iter().map(|point| point.y).fold(base, f64::min);
        let near = SAME_HEIGHT * radius;
        if roots.clone().all(|joint| joint.kind == Kind::Free) {
            let is_near = lowest > -SUNK * radius && lowest < MAX_HEIGHT * radius;
            return Ground { height: if is_near { 0.0 } else { lowest as f32 }, posts: false };
        }
        let frames = scene.skeleton.frames(&scene.start);
        if base > near && lowest > -near && lowest < MAX_HEIGHT * radius {
            let is_raised = frames.iter().all(|frame| height(frame.position) > near);
            let is_low = |point: DVec3| height(point) < STANDING * base;
            let mut low: Vec<bool> = frames.iter().map(|frame| is_low(frame.position)).collect();
            for (joint, tip) in scene.link_ends() {
                low[joint] |= is_low(frames[joint].point(tip));
            }
            let feet = (0..low.len()).filter(|&joint| low[joint] && scene.skeleton.children(joint).is_empty());
            let stands = feet.count() > 1;
            let is_held = roots.clone().all(|joint| joint.kind != Kind::Free);
            return Ground { height: 0.0, posts: is_raised && is_held && !stands };
        }
        // Arms that reach below the table on which they stand do not hang.
        let below = frames.iter().filter(|frame| height(frame.position) < base - near).count();
        let hangs = lowest < base - near && 2 * below > frames.len();
        Ground { height: if hangs { lowest - CLEARANCE * radius } else { base } as f32, posts: false }
    }
}

/// Distance between major grid lines for a scene of this radius: 1, 2 or 5 times a power of ten, about 0.4 radii. Minor
/// lines, to which dragged targets snap, lie at a quarter of it.
pub(super) fn grid_cell(radius: f32) -> f32 {
    let ideal = radius / 2.5;
    let power = 10_f32.powf(ideal.max(1e-12).log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().min_by(|a, b| {
        let off = |step: f32| (step * power / ideal).ln().abs();
        off(*a).total_cmp(&off(*b))
    });
    step.unwrap_or(1.0) * power
}

/// A character whose front has a smaller part than this toward +z looks another way than most things do.
const FACES_CAMERA: f64 = 0.8;

/// The camera that the scene file sets, or else one that sees everything. In scenes with many targets, where figures would
/// become specks, the file may show a part only.
pub(super) fn home(scene: &Scene, landmarks: &[DVec3], lens: Lens) -> Camera {
    let space = Space { up: scene.up };
    match scene.camera {
        Some(camera) => {
            let camera = Camera::looking(space.shown(camera.position), space.shown(camera.look_at));
            if has_many_targets(scene.effectors.len()) { camera } else { camera.holding(landmarks, lens) }
        }
        None => {
            let camera = Camera::framing(landmarks, lens);
            // A figure that faces the usual way is seen as everything else.
            let front = scene.front().map(|front| space.shown(front)).filter(|front| front.z < FACES_CAMERA);
            front.map_or(camera, |front| camera.seen_from_front(front).framed(landmarks, lens))
        }
    }
}

/// A sphere around points, centred on their bounding box.
fn bounding_sphere(points: &[DVec3]) -> Bounds {
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let center = 0.5 * (low + high);
    let radius = points.iter().map(|point| point.distance(center)).fold(0.0, f64::max);
    Bounds { center: center.as_vec3(), radius: if radius > 0.0 { radius as f32 } else { 1.0 } }
}
