//! The two reaching passes of FABRIK on a chain of points, and the step that both repeat.
//!
//! Source: A. Aristidou, J. Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics problem",
//! Graphical Models 73 (2011), algorithm 1. This crate calls the pass from the end effector to the base *backward*.

use glam::DVec3;

/// Squared distance between two points, relative to the squared link length, below which they define no direction.
pub(super) const COINCIDENT_SQUARED: f64 = 1e-30;

/// The point at distance `length` from `anchor` on the line toward `toward`: the new position of a link's free end.
///
/// If the two points coincide, the link keeps the direction of `fallback`, whose length does not matter.
#[inline]
pub fn place(anchor: DVec3, toward: DVec3, length: f64, fallback: DVec3) -> DVec3 {
    let along = toward - anchor;
    let squared = along.length_squared();
    if squared > COINCIDENT_SQUARED * length * length {
        anchor + along * (length / squared.sqrt())
    } else {
        anchor + fallback.try_normalize().unwrap_or(DVec3::Y) * length
    }
}

/// Backward reaching: puts the last point on `target` and pulls the others after it, from the tip to the base.
///
/// `points` has one element more than `lengths`; `lengths[i]` is the distance from `points[i]` to `points[i + 1]`.
#[inline]
pub fn backward(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    debug_assert_eq!(points.len(), lengths.len() + 1);
    pull(points.iter_mut().rev(), lengths.iter().rev(), target);
}

/// Forward reaching: puts the first point on `base` and pulls the others after it, from the base to the tip.
#[inline]
pub fn forward(points: &mut [DVec3], lengths: &[f64], base: DVec3) {
    debug_assert_eq!(points.len(), lengths.len() + 1);
    pull(points.iter_mut(), lengths.iter(), base);
}

/// Puts the first of these points on `to` and pulls the others after it.
#[inline(always)]
fn pull<'a>(mut points: impl Iterator<Item = &'a mut DVec3>, lengths: impl Iterator<Item = &'a f64>, to: DVec3) {
    let Some(first) = points.next() else { return };
    let (mut before, mut moved) = (*first, to);
    *first = moved;
    for (point, &length) in points.zip(lengths) {
        let was = *point;
        moved = place(moved, was, length, was - before);
        *point = moved;
        before = was;
    }
}

/// One iteration of FABRIK as published: a backward pass to `target`, then a forward pass to the base.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let base = points[0];
    backward(points, lengths, target);
    forward(points, lengths, base);
}
