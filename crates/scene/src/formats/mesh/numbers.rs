//! Numbers of mesh files.

use glam::{DVec3, Vec3};

/// A coordinate as `f32`, if it and its square are finite.
pub(crate) fn coordinate(value: f64) -> Option<f32> {
    (value.abs() <= 1e18).then_some(value as f32)
}

/// A point, if it is finite.
pub(crate) fn point(values: [f64; 3]) -> Option<Vec3> {
    Some(Vec3::new(coordinate(values[0])?, coordinate(values[1])?, coordinate(values[2])?))
}

/// Normal of a triangle, with twice the area as its length.
pub(crate) fn area_normal(a: Vec3, b: Vec3, c: Vec3) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|point| point.as_dvec3());
    (b - a).cross(c - a)
}
