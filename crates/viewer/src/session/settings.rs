//! The values of the solver, the smoothing, the margin and balance that `set KEY VALUE` changes; whether links keep clear.

use super::command_error::CommandError;
use super::numbers::digits;
use super::remark::Remark;
use super::session::Session;
use fabrik3d_ik::goals::CenterOfMass;
use fabrik3d_ik::queries::{Clearance, clearance};
use fabrik3d_scene::{Scene, bounded_number};
use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A key, the value that it takes, and how that is set; none if the value does not fit.
type Setting = (&'static str, &'static str, fn(&mut Scene, &str) -> Option<()>);

const POSITIVE: &str = "it takes a positive number";
const COUNT: &str = "it takes a whole number of at least 1";

const SECONDS: &str = "it takes seconds, 0 to 3600";

const SETTINGS: [Setting; 10] = [
    ("solver.tolerance", POSITIVE, |scene, value| positive(value).map(|value| scene.settings.tolerance = value)),
    ("solver.rotation_tolerance", POSITIVE, |scene, value| {
        positive(value).map(|degrees| scene.settings.rotation_tolerance = degrees.to_radians())
    }),
    ("solver.max_iterations", COUNT, |scene, value| count(value).map(|value| scene.settings.max_iterations = value)),
    ("solver.max_attempts", COUNT, |scene, value| count(value).map(|value| scene.settings.max_attempts = value)),
    ("solver.iterations_per_frame", COUNT, |scene, value| count(value).map(|value| scene.iterations_per_frame = value)),
    ("solver.seed", "it takes a whole number", |scene, value| {
        value.parse().ok().map(|seed| scene.settings.seed = seed)
    }),
    ("smoothing.duration", SECONDS, |scene, value| seconds(value).map(|value| scene.smoothing.duration = value)),
    ("smoothing.keys", SECONDS, |scene, value| seconds(value).map(|value| scene.smoothing.keys = value)),
    ("margin", "it takes a length that is not negative", |scene, value| {
        scene.margin = Some(bounded_number(value).filter(|margin| *margin >= 0.0)?);
        scene.set_keep_clear(scene.keep_clear.is_some());
        Some(())
    }),
    ("balance", "it takes true or false", |scene, value| value.parse().ok().map(|on| scene.balance = on)),
];

fn positive(value: &str) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite())
}

fn seconds(value: &str) -> Option<f64> {
    value.parse().ok().filter(|seconds| (0.0..=3600.0).contains(seconds))
}

fn count(value: &str) -> Option<NonZeroU32> {
    value.parse().ok()
}

impl Session {
    pub(super) fn apply_setting(&mut self, key: &str, value: &str) -> Result<(), CommandError> {
        let fail = |reason: String| CommandError::Setting(key.to_owned(), value.to_owned(), reason);
        let Some((_, expected, set)) = SETTINGS.iter().find(|(name, ..)| *name == key) else {
            let keys = SETTINGS.map(|(name, ..)| name).join(", ");
            return Err(fail(format!("the keys are {keys}")));
        };
        let mut scene = Scene::clone(&self.scene);
        set(&mut scene, value).ok_or_else(|| fail((*expected).to_owned()))?;
        self.save();
        let bodies_changed = !scene.has_bodies_of(&self.scene);
        self.scene = Arc::new(scene);
        if bodies_changed {
            self.renew_bodies();
        }
        self.islands.wake();
        if self.clock.time == 0.0 {
            self.restart_eases();
        }
        Ok(())
    }

    /// Lets links keep clear of each other and of obstacles, or not; without a choice, whichever they do not do now.
    pub(super) fn set_keep_clear(&mut self, on: Option<bool>) {
        let is_on = self.scene.keep_clear.is_some();
        let on = on.unwrap_or(!is_on);
        if on != is_on {
            self.save();
            Arc::make_mut(&mut self.scene).set_keep_clear(on);
            self.renew_bodies();
        }
        let unit = self.scene.length_unit().map_or(String::new(), |unit| format!(" {unit}"));
        let margin = format!("{}{unit}", digits(self.scene.margin()));
        self.remark = Some(if on { Remark::KeepsClear(margin) } else { Remark::KeepsClearNoMore });
    }

    /// Whether balance can be chosen: the scene holds a person, or it is off.
    pub fn offers_balance(&self) -> bool {
        !self.scene.balance || !self.islands.problem().centers_of_mass.is_empty()
    }

    /// The masses of a person, and where their center is displayed; none unless the person keeps its balance above something.
    pub fn balance(&self) -> Option<(&CenterOfMass, DVec3)> {
        let body = self.islands.problem().centers_of_mass.first().filter(|body| !body.support.is_empty())?;
        Some((body, body.place(&self.scene.skeleton.frames(&self.poses.displayed))))
    }

    /// The bodies of the links, or their masses, have changed: solves all islands with the new ones, and eases the display.
    pub(super) fn renew_bodies(&mut self) {
        self.rebuild_islands_keeping_eases();
        self.start_eases();
    }

    /// The smallest displayed distance of a link from another one or an obstacle; none unless the scene keeps clear.
    pub fn clearance(&self) -> Option<Clearance> {
        clearance(&self.scene.skeleton, self.islands.problem(), &self.poses.displayed)
    }
}
