//! How much the solver does in one frame.

use fabrik3d_ik::Settings;
use fabrik3d_scene::Scene;
use std::num::NonZeroU32;

/// Starting poses per frame: a target that limits put out of reach must not lower the frame rate. The next frame tries
/// others.
pub(super) const FRAME_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();
/// The same for a figure with stiff joints, unless its targets jump: its pose is to stay near the last one.
pub(super) const STIFF_FRAME_ATTEMPTS: NonZeroU32 = NonZeroU32::new(2).unwrap();

/// The settings of the scene for one frame with at most this number of attempts, after `attempts` in earlier frames.
pub(super) fn frame_settings(scene: &Scene, attempts: u32, most: NonZeroU32) -> Settings {
    Settings {
        max_iterations: scene.iterations_per_frame,
        max_attempts: scene.settings.max_attempts.min(most),
        seed: scene.settings.seed.wrapping_add(u64::from(attempts)),
        ..scene.settings
    }
}
