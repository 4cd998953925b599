//! Where things appear in the picture.

use super::camera::Camera;
use glam::{Vec2, Vec3};

/// A sphere: centre and radius.
pub(crate) type Ball = (Vec3, f32);

/// Where points appear.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    /// All are behind the eye.
    Nowhere,
    /// Pixels from the lower left corner.
    Within(Vec2, Vec2),
    /// Some are in front of the eye and some behind.
    Unbounded,
}

/// Where the convex hull of points appears.
pub(crate) fn extent(camera: &Camera, points: impl Iterator<Item = Vec3>) -> Extent {
    let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    let mut is_behind = false;
    for point in points {
        match camera.pixel(point) {
            Some(pixel) => (low, high) = (low.min(pixel), high.max(pixel)),
            None => is_behind = true,
        }
    }
    match (low.x <= high.x, is_behind) {
        (false, _) => Extent::Nowhere,
        (true, false) => Extent::Within(low, high),
        (true, true) => Extent::Unbounded,
    }
}

/// Corners of the cubes around balls.
pub(crate) fn corners(balls: &[Ball]) -> impl Iterator<Item = Vec3> + '_ {
    let side = |negative: bool, radius: f32| if negative { -radius } else { radius };
    balls.iter().flat_map(move |&(center, radius)| {
        let corner =
            move |k: u32| Vec3::new(side(k & 1 == 0, radius), side(k & 2 == 0, radius), side(k & 4 == 0, radius));
        (0..8).map(move |k| center + corner(k))
    })
}
