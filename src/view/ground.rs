//! Where the floor is.

use super::Space;
use fabrik3d_ik::Kind;
use fabrik3d_scene::Scene;
use glam::DVec3;

/// The floor under a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its height, in the picture's space.
    pub height: f32,
    /// Whether the bases are held above it by posts.
    pub posts: bool,
}

/// Heights closer than this count as the same, of the scene's radius.
const NEAR: f64 = 0.02;
/// How far the floor lies below what hangs lowest, of the scene's radius.
const BELOW: f64 = 0.03;
/// How high above the world's ground a scene may be to have its floor there, of its radius.
const HIGH: f64 = 3.0;

impl Ground {
    /// The floor under a scene whose landmarks (in the picture's space) lie within `size` of each other.
    ///
    /// Figures stand on it with their bases. Where all is above the world's ground, and that is not far, the floor is
    /// there; what hangs below its base has the floor below it.
    pub fn under(scene: &Scene, landmarks: &[DVec3], size: f64) -> Self {
        let space = Space { up: scene.up };
        let height = |point: DVec3| space.shown(point).y;
        let roots = scene.skeleton.joints().iter().filter(|joint| joint.parent.is_none());
        let base = roots.clone().map(|joint| height(joint.offset)).fold(f64::INFINITY, f64::min);
        let lowest = landmarks.iter().map(|point| point.y).fold(base, f64::min);
        if base > NEAR * size && lowest > -NEAR * size && lowest < HIGH * size {
            let frames = scene.skeleton.frames(&scene.start);
            let lifted = frames.iter().all(|frame| height(frame.position) > NEAR * size);
            let held = roots.clone().all(|joint| joint.kind != Kind::Free);
            return Ground { height: 0.0, posts: lifted && held };
        }
        let hangs = lowest < base - NEAR * size;
        Ground { height: if hangs { lowest - BELOW * size } else { base } as f32, posts: false }
    }
}
