//! Closed curves along which a target moves.

use super::command::PathShape;
use glam::DVec3;
use std::f64::consts::TAU;

/// Seconds of one round.
const PERIOD: f64 = 6.0;
/// Half extents of the figure eight along and across, as fractions of the reach. The line has the first one.
const EXTENTS: [f64; 2] = [0.35, 0.15];
/// Radius of a circle whose start is too close to the base, as a fraction of the reach; and how close that is.
const DEFAULT_RADIUS: f64 = 0.5;
const MIN_RADIUS: f64 = 0.05;

/// A target on a closed curve that starts at its former position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetPath {
    shape: PathShape,
    center: DVec3,
    /// First axis of the curve.
    axis: DVec3,
    /// Second axis of the curve.
    across: DVec3,
    /// Fraction of the round that is done, 0..1.
    phase: f64,
}

impl TargetPath {
    /// A curve through `start`, sized by `reach`. A circle goes around `base`. `up` is the up axis of the world, unit
    /// length.
    pub fn new(shape: PathShape, up: DVec3, base: DVec3, start: DVec3, reach: f64) -> Self {
        let flat = (start - base).reject_from_normalized(up);
        let outward = if flat.length() > MIN_RADIUS * reach { flat } else { DVec3::X * (DEFAULT_RADIUS * reach) };
        let side = up.cross(outward).normalize_or(DVec3::Z);
        let [along, across] = EXTENTS.map(|extent| extent * reach);
        let (center, axis, across) = match shape {
            PathShape::Circle => (start - outward, outward, side * outward.length()),
            PathShape::Figure8 => (start, side * along, up * across),
            PathShape::Line => (start, side * along, DVec3::ZERO),
        };
        TargetPath { shape, center, axis, across, phase: 0.0 }
    }

    /// Its shape.
    pub fn shape(&self) -> PathShape {
        self.shape
    }

    /// Advances by `dt` seconds and returns the new position.
    pub fn advance(&mut self, dt: f64) -> DVec3 {
        self.phase = (self.phase + dt / PERIOD).fract();
        let (sin, cos) = (TAU * self.phase).sin_cos();
        match self.shape {
            PathShape::Circle => self.center + self.axis * cos + self.across * sin,
            PathShape::Figure8 => self.center + self.axis * sin + self.across * (2.0 * sin * cos),
            PathShape::Line => self.center + self.axis * sin,
        }
    }
}
