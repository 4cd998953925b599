//! The curve and the clock of an ease.

/// Cosine ease: maps `[0, 1]` to `[0, 1]` with slope 0 at both ends; clamps `t`.
pub fn ease(t: f64) -> f64 {
    0.5 * (1.0 - (std::f64::consts::PI * t.clamp(0.0, 1.0)).cos())
}

/// The clock of one blend from an old pose to a new one. It holds no pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    elapsed: f64,
    duration: f64,
}

impl Blend {
    /// A blend of `duration` seconds; finite, not negative.
    pub fn new(duration: f64) -> Self {
        Blend { elapsed: 0.0, duration }
    }

    /// The blend `dt` seconds later; `None` when it is over.
    #[must_use]
    pub fn after(self, dt: f64) -> Option<Self> {
        let elapsed = self.elapsed + dt;
        (elapsed < self.duration).then_some(Blend { elapsed, ..self })
    }

    /// Seconds until it is over.
    pub fn remaining(self) -> f64 {
        (self.duration - self.elapsed).max(0.0)
    }

    /// Elapsed time as a fraction of the duration.
    pub fn fraction(self) -> f64 {
        if self.duration > 0.0 { (self.elapsed / self.duration).min(1.0) } else { 1.0 }
    }

    /// Weight of the new pose in the displayed one.
    pub fn weight(self) -> f64 {
        ease(self.fraction())
    }
}
