//! Closed curves along which a target moves.

use super::command::PathShape;
use fabrik3d_ik::display::{ease, eased_way};
use glam::DVec3;
use std::f64::consts::TAU;

/// Seconds of one round.
const PERIOD: f64 = 6.0;
/// Half extents of the figure eight along and across, as fractions of the effector's size. The line has the first one.
const EXTENTS: [f64; 2] = [0.35, 0.15];
/// Radius of a circle whose start is too close to the base, as a fraction of the size; and how close that is.
const DEFAULT_RADIUS: f64 = 0.5;
const MIN_RADIUS: f64 = 0.05;

/// The place of an effector that starts on a curve.
#[derive(Clone, Copy, Debug)]
pub struct PathStart {
    /// Where the curve starts.
    pub start: DVec3,
    /// The center of circles.
    pub base: DVec3,
    /// The up axis of the world, unit length.
    pub up: DVec3,
    /// The length from which the extents derive.
    pub size: f64,
    /// Time to accelerate and to run out, seconds.
    pub ramp: f64,
}

/// The motion of a target along a curve, or its end. It starts and stops gradually: when the curve changes, the velocity of
/// the target runs out while the motion along the new curve starts.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetPath {
    /// The present curve.
    curve: Option<Curve>,
    /// Where the present curve starts, and where the target comes to rest without one.
    rest: DVec3,
    /// The velocity that runs out.
    left: DVec3,
    /// Seconds since the curve changed, and the time to accelerate and to run out.
    age: f64,
    ramp: f64,
    /// Place and velocity of the target.
    place: DVec3,
    velocity: DVec3,
}

/// A closed curve.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    shape: PathShape,
    center: DVec3,
    /// First axis of the curve.
    axis: DVec3,
    /// Second axis of the curve.
    across: DVec3,
}

impl TargetPath {
    /// A path that continues the former one, if there is one. Without a shape, the former one runs out.
    pub fn new(shape: Option<PathShape>, former: Option<&TargetPath>, start: PathStart) -> Self {
        let (place, left) = former.map_or((start.start, DVec3::ZERO), |former| (former.place, former.velocity));
        let rest = place + left * running_out(0.0, start.ramp);
        let curve = shape.map(|shape| Curve::new(shape, PathStart { start: rest, ..start }));
        TargetPath { curve, rest, left, age: 0.0, ramp: start.ramp, place, velocity: left }
    }

    /// The shape of the present curve.
    pub fn shape(&self) -> Option<PathShape> {
        self.curve.map(|curve| curve.shape)
    }

    /// Whether the target has come to rest.
    pub fn is_over(&self) -> bool {
        self.curve.is_none() && self.age >= self.ramp
    }

    /// Advances by `dt` seconds and returns the new position.
    pub fn advance(&mut self, dt: f64) -> DVec3 {
        self.age += dt;
        let on_curve = self.curve.map_or(self.rest, |curve| curve.place_after(ramp_integral(self.age, self.ramp)));
        let place = on_curve - self.left * running_out(self.age, self.ramp);
        if dt > 0.0 {
            self.velocity = (place - self.place) / dt;
        }
        self.place = place;
        place
    }
}

impl Curve {
    fn new(shape: PathShape, PathStart { start, base, up, size, .. }: PathStart) -> Self {
        let flat = (start - base).reject_from_normalized(up);
        let outward = if flat.length() > MIN_RADIUS * size { flat } else { DVec3::X * (DEFAULT_RADIUS * size) };
        let side = up.cross(outward).normalize_or(DVec3::Z);
        let [along, across] = EXTENTS.map(|extent| extent * size);
        let (center, axis, across) = match shape {
            PathShape::Circle => (start - outward, outward, side * outward.length()),
            PathShape::Figure8 => (start, side * along, up * across),
            PathShape::Line => (start, side * along, DVec3::ZERO),
        };
        Curve { shape, center, axis, across }
    }

    /// The place after this time at full speed.
    fn place_after(&self, seconds: f64) -> DVec3 {
        let (sin, cos) = (TAU * (seconds / PERIOD).fract()).sin_cos();
        match self.shape {
            PathShape::Circle => self.center + self.axis * cos + self.across * sin,
            PathShape::Figure8 => self.center + self.axis * sin + self.across * (2.0 * sin * cos),
            PathShape::Line => self.center + self.axis * sin,
        }
    }
}

/// The way, at an age, that is left of a speed of 1 that runs out within `duration`, seconds.
fn running_out(age: f64, duration: f64) -> f64 {
    let left = (duration - age).max(0.0);
    left - (0.5 * duration - ramp_integral(duration - left, duration))
}

/// Share of a change that has come at an age, if all of it comes within `duration`, seconds.
pub fn ramp(age: f64, duration: f64) -> f64 {
    if duration > 0.0 { ease(age / duration) } else { f64::from(u8::from(age > 0.0)) }
}

/// Integral of [`ramp`] over time up to an age, seconds: the way of something that accelerates to a speed of 1.
pub fn ramp_integral(age: f64, duration: f64) -> f64 {
    if duration > 0.0 { duration * eased_way(age / duration) } else { age.max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn however_paths_change_the_target_never_changes_its_speed_abruptly_and_comes_to_rest() {
        let shapes = [Some(PathShape::Circle), Some(PathShape::Figure8), Some(PathShape::Line), None];
        let place =
            PathStart { start: DVec3::new(1.0, 0.5, 0.2), base: DVec3::ZERO, up: DVec3::Y, size: 1.5, ramp: 0.15 };
        let dt = 1.0 / 240.0;
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let mut path = TargetPath::new(Some(PathShape::Circle), None, place);
            let (mut before, mut velocity) = (place.start, DVec3::ZERO);
            let mut follow = |path: &mut TargetPath, frames: usize| {
                for _ in 0..frames {
                    let now = path.advance(dt);
                    let step = (now - before) / dt;
                    // The speed of a round of the circle is 1.1 here, and a ramp has 36 frames.
                    assert!(step.distance(velocity) < 0.15, "{seed}: {velocity} to {step}");
                    (before, velocity) = (now, step);
                }
            };
            for _ in 0..8 {
                follow(&mut path, random.index(60));
                path = TargetPath::new(shapes[random.index(4)], Some(&path), place);
            }
            path = TargetPath::new(None, Some(&path), place);
            let rest = path.rest;
            follow(&mut path, 37);
            assert!(path.is_over() && path.advance(dt).distance(rest) < 1e-12, "{seed}");
        }
    }

    #[test]
    fn without_a_ramp_the_motion_starts_and_stops_at_once() {
        let place = PathStart { start: DVec3::X, base: DVec3::ZERO, up: DVec3::Y, size: 1.0, ramp: 0.0 };
        let mut path = TargetPath::new(Some(PathShape::Circle), None, place);
        let quarter = path.advance(0.25 * PERIOD);
        assert!(quarter.distance(DVec3::NEG_Z) < 1e-12 || quarter.distance(DVec3::Z) < 1e-12, "{quarter}");
        let mut path = TargetPath::new(None, Some(&path), place);
        assert_eq!(path.advance(0.1), quarter);
        assert!(path.is_over());
    }

    #[test]
    fn the_integral_is_the_sum_of_the_ramp() {
        for duration in [0.0, 0.15, 1.0] {
            let (step, mut sum) = (1e-5, 0.0);
            for k in 0..150_000 {
                let age = f64::from(k) * step - 0.1;
                sum += ramp(age + 0.5 * step, duration) * step;
                assert!((ramp_integral(age + step, duration) - sum).abs() < 2e-5, "{age} of {duration}");
            }
        }
    }
}
