//! Numbers of solver and smoothing: what commands change in the scene itself.

use super::island::IslandState;
use super::{CommandError, Session};
use fabrik3d_scene::Scene;
use std::sync::Arc;

impl Session {
    /// Changes one number of the solver or of the smoothing.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), CommandError> {
        let fail = |reason: &str| CommandError::Setting {
            key: key.to_owned(),
            value: value.to_owned(),
            reason: reason.to_owned(),
        };
        let positive = || match value.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
            _ => Err(fail("it takes a positive number")),
        };
        let count = || value.parse().map_err(|_| fail("it takes a whole number of at least 1"));
        let mut scene = Scene::clone(&self.scene);
        match key {
            "solver.tolerance" => scene.settings.tolerance = positive()?,
            "solver.rotation_tolerance" => scene.settings.rotation_tolerance = positive()?.to_radians(),
            "solver.max_iterations" => scene.settings.max_iterations = count()?,
            "solver.max_attempts" => scene.settings.max_attempts = count()?,
            "solver.iterations_per_frame" => scene.iterations_per_frame = count()?,
            "solver.seed" => scene.settings.seed = value.parse().map_err(|_| fail("it takes a whole number"))?,
            "smoothing.duration" => match value.parse::<f64>() {
                Ok(seconds) if (0.0..=3600.0).contains(&seconds) => scene.smoothing = seconds,
                _ => return Err(fail("it takes seconds, 0 to 3600")),
            },
            _ => {
                return Err(fail(
                    "the keys are solver.tolerance, .rotation_tolerance, .max_iterations, .max_attempts, \
                     .iterations_per_frame, .seed and smoothing.duration",
                ));
            }
        }
        self.scene = Arc::new(scene);
        self.islands.iter_mut().for_each(IslandState::wake);
        Ok(())
    }
}
