//! The value of `--tolerance`.

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
