//! Motion by keys: velocities that change along cosines.

use crate::session::numbers::ROUNDING;
use crate::session::{ramp, ramp_integral};
use glam::DVec3;

/// The motion that keys of one kind have caused: the sum of changes of velocity and of taps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KeyMotion {
    /// The sum of all changes of velocity that are complete.
    velocity: DVec3,
    /// Changes of velocity in progress.
    changes: Vec<Change>,
    /// Taps in progress: ways.
    pub taps: Vec<Change>,
    /// Change of velocity by keys that went up since the last frame.
    pub released: DVec3,
}

/// An amount that comes along a cosine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    pub amount: DVec3,
    /// Seconds since it began; negative before that.
    pub age: f64,
    pub duration: f64,
}

impl Change {
    /// The next `dt` seconds, weighted by the share that has come.
    fn seconds_within(&self, dt: f64) -> f64 {
        ramp_integral(self.age + dt, self.duration) - ramp_integral(self.age, self.duration)
    }

    fn is_over(&self) -> bool {
        self.age > 0.0 && self.age >= self.duration
    }
}

impl KeyMotion {
    /// Changes the velocity after `wait` seconds, within `ramp` seconds.
    pub fn accelerate(&mut self, velocity: DVec3, wait: f64, ramp: f64) {
        if velocity != DVec3::ZERO {
            self.changes.push(Change { amount: velocity, age: -wait, duration: ramp });
        }
    }

    /// The way in the next `dt` seconds.
    pub fn advance(&mut self, dt: f64) -> DVec3 {
        let mut way = self.velocity * dt;
        for change in &mut self.changes {
            way += change.amount * change.seconds_within(dt);
            change.age += dt;
        }
        self.velocity +=
            self.changes.extract_if(.., |change| change.is_over()).map(|change| change.amount).sum::<DVec3>();
        if self.changes.is_empty() && self.velocity.length() < ROUNDING {
            self.velocity = DVec3::ZERO;
        }
        for tap in &mut self.taps {
            let before = if tap.age > 0.0 { ramp(tap.age, tap.duration) } else { 0.0 };
            // A tap without a duration comes at once, also in a frame without a length.
            let now = if tap.duration > 0.0 { ramp(tap.age + dt, tap.duration) } else { 1.0 };
            way += tap.amount * (now - before);
            tap.age += dt.max(f64::MIN_POSITIVE);
        }
        self.taps.retain(|tap| !tap.is_over());
        way
    }

    /// Whether nothing moves any more.
    pub fn is_over(&self) -> bool {
        self.changes.is_empty() && self.taps.is_empty() && self.released == DVec3::ZERO && self.velocity == DVec3::ZERO
    }
}
