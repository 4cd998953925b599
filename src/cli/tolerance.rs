//! The values of `--tolerance` and `--rotation-tolerance`.

use fabrik3d_scene::Scene;
use std::str::FromStr;

/// Largest distance from a target that counts as reached, at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToleranceArgument {
    /// A distance in the unit of the scene.
    Distance(f64),
    /// A fraction of the effector's size.
    Fraction(f64),
}

impl ToleranceArgument {
    /// Sets the tolerance of a scene.
    pub fn apply(self, scene: &mut Scene) {
        match self {
            ToleranceArgument::Distance(distance) => scene.set_distance_tolerance(distance),
            ToleranceArgument::Fraction(fraction) => scene.settings.tolerance = fraction,
        }
    }
}

impl FromStr for ToleranceArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, make): (_, fn(f64) -> _) = match text.strip_suffix('m') {
            Some(number) => (number, ToleranceArgument::Distance),
            None => (text, ToleranceArgument::Fraction),
        };
        let value = number.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        value.map(make).ok_or("expected a distance such as 1e-5m, in the unit of the scene, or a fraction such as 1e-4")
    }
}

/// Largest angle from a target orientation that counts as reached, radians, at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationToleranceArgument(f64);

impl RotationToleranceArgument {
    /// Sets the tolerance of a scene.
    pub fn apply(self, scene: &mut Scene) {
        scene.settings.rotation_tolerance = self.0;
    }
}

impl FromStr for RotationToleranceArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = match text.strip_suffix("rad") {
            Some(number) => (number, 1.0),
            None => (text.strip_suffix("deg").unwrap_or(text), 1_f64.to_radians()),
        };
        let value = number.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        value.map(|value| Self(value * unit)).ok_or("expected an angle that is not negative: 0.5 (degrees) or 0.01rad")
    }
}
