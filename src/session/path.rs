//! Curves that a target runs along by itself.

use glam::DVec3;
use std::f64::consts::TAU;

/// Shape of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathShape {
    /// A horizontal circle around the base.
    Circle,
    /// A lying eight before the base.
    Figure8,
    /// Straight there and back.
    Line,
}

impl PathShape {
    /// All shapes with their names in scripts.
    pub const NAMES: [(&'static str, PathShape); 3] =
        [("circle", PathShape::Circle), ("figure8", PathShape::Figure8), ("line", PathShape::Line)];
}

/// A target on its way around a closed curve; starts where the target was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetPath {
    shape: PathShape,
    center: DVec3,
    /// From the centre to the start: the curve's first axis.
    axis: DVec3,
    /// The curve's second axis.
    across: DVec3,
    /// Turns done, 0..1.
    phase: f64,
}

/// Seconds of one round.
const PERIOD: f64 = 6.0;

impl TargetPath {
    /// A curve through `start`, around or before `base`, sized by `reach`; `up` is the world's, unit length.
    pub fn new(shape: PathShape, up: DVec3, base: DVec3, start: DVec3, reach: f64) -> Self {
        let flat = (start - base).reject_from_normalized(up);
        let outward = if flat.length() > 0.05 * reach { flat } else { DVec3::X * (0.5 * reach) };
        let side = up.cross(outward).normalize_or(DVec3::Z);
        let (center, axis, across) = match shape {
            PathShape::Circle => (start - outward, outward, side * outward.length()),
            PathShape::Figure8 => (start, side * (0.35 * reach), up * (0.15 * reach)),
            PathShape::Line => (start, side * (0.35 * reach), DVec3::ZERO),
        };
        TargetPath { shape, center, axis, across, phase: 0.0 }
    }

    /// Its shape.
    pub fn shape(&self) -> PathShape {
        self.shape
    }

    /// Moves on by `dt` seconds; the new place.
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
