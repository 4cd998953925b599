//! Numbers of solver and smoothing, and the kind of the base: what commands change in the scene itself.

use super::island::IslandState;
use super::{CommandError, Session};
use crate::ik::{Coordinates, Kind, Skeleton};
use crate::scene::Scene;
use glam::DVec3;
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

    /// Fixes or frees the base of the selected effector's tree: an arm becomes a rope and back.
    pub(super) fn toggle_base(&mut self) -> Result<(), CommandError> {
        let at = self.selected_effector()?;
        let root = self.scene.skeleton.root(self.scene.effectors[at].effector.joint);
        let mut joints = self.scene.skeleton.joints().to_vec();
        let (kind, pose): (Kind, fn(&Coordinates) -> Coordinates) = match joints[root].kind {
            Kind::Free => (Kind::UNLIMITED_BALL, |c| Coordinates::rotation(c.free_rotation())),
            Kind::Ball { swing: None, twist: None } => {
                (Kind::Free, |c| Coordinates::free(DVec3::ZERO, c.ball_rotation()))
            }
            _ => return Ok(()),
        };
        self.history.push(self.snapshot());
        if joints[root].kind == Kind::Free {
            joints[root].offset = self.scene.skeleton.frames(&self.solved)[root].position;
        }
        joints[root].kind = kind;
        if let Ok(skeleton) = Skeleton::new(joints) {
            let scene = Arc::make_mut(&mut self.scene);
            scene.skeleton = skeleton;
            for pose_of in [&mut self.solved, &mut self.displayed, &mut self.from, &mut scene.start] {
                pose_of[root] = pose(&pose_of[root]);
            }
            self.divide();
            if let Some(playback) = &mut self.playback {
                playback.fit_to(&self.scene);
            }
        }
        Ok(())
    }
}
