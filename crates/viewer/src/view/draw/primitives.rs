//! Shapes that several drawn things share.

use crate::view::frame::{Capsule, Color, Frame, Line, Material, Sphere};
use crate::view::theme::SATIN;
use crate::view::{LinkStyle, Viewer};
use glam::{DVec3, Vec3};
use std::f64::consts::TAU;

/// A link between two joints, each given by its position and radius.
pub(super) fn link(style: LinkStyle, (a, near): (Vec3, f64), (b, far): (Vec3, f64), color: Color, out: &mut Frame) {
    let (thick, thin) = match style {
        LinkStyle::Bone => (0.72 * near, 0.52 * far),
        LinkStyle::Capsule => (0.45 * near, 0.45 * near),
        LinkStyle::Line => {
            out.lines.push(line([a, b], color, 3.0));
            return;
        }
    };
    out.capsules.push(Capsule { a: (a, thick as f32), b: (b, thin as f32), color, material: SATIN, shadow: true });
}

pub(super) fn sphere(center: Vec3, radius: f32, color: Color, material: Material) -> Sphere {
    Sphere { center, radius, color, material, shadow: true }
}

/// A solid line of one colour.
pub(super) fn line(points: impl IntoIterator<Item = Vec3>, color: Color, width: f32) -> Line {
    Line { points: points.into_iter().map(|point| (point, color)).collect(), width, dash: None, on_top: false }
}

/// The same line, with dashes and gaps of these lengths.
pub(super) fn dashed(line: Line, dash: (f32, f32)) -> Line {
    Line { dash: Some(dash), ..line }
}

/// The same line, in front of everything.
pub(super) fn on_top(line: Line) -> Line {
    Line { on_top: true, ..line }
}

/// Opacity of lines around other things, and of areas in front of them.
pub(super) const CLEAR: u8 = 180;
pub(super) const SHEER: u8 = 80;
/// Share of another colour in a mixed one, and share of what is left of something that is not meant.
pub(super) const TINT: f32 = 0.5;
pub(super) const FAINT: f32 = 0.6;
/// Radius of a small mark and length of an axis, in units of the picture's height.
pub(super) const MARK: f64 = 0.012;
pub(super) const AXIS: f64 = 0.05;
/// Straight pieces of a circle.
pub(in crate::view) const PIECES: usize = 64;

/// Points around a circle of this radius, from `u` toward `v`, which are perpendicular unit vectors; the last equals the first.
pub(in crate::view) fn circle(
    center: DVec3,
    [u, v]: [DVec3; 2],
    radius: f64,
    pieces: usize,
) -> impl ExactSizeIterator<Item = DVec3> + Clone {
    (0..pieces + 1).map(move |k| {
        let (sin, cos) = (TAU * (k % pieces) as f64 / pieces as f64).sin_cos();
        center + (u * cos + v * sin) * radius
    })
}

/// A closed regular polygon that faces the eye, with a corner at the top; in the picture's space.
pub(super) fn facing_polygon(viewer: &Viewer, center: DVec3, radius: f64, corners: usize) -> Vec<Vec3> {
    let axes = [viewer.camera().up(), viewer.camera().right()];
    circle(center, axes, radius, corners).map(|point| point.as_vec3()).collect()
}
