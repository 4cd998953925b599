//! Which of very many small shapes a coarse picture may leave out.

use super::camera::Camera;
use super::extent::Ball;
use glam::{Vec2, Vec3};

/// Up to this number of shapes of a kind, all are drawn.
pub(crate) const MANY: usize = 8_000;
/// Side of a spot in pixels.
const SPOT: f32 = 2.0;
/// Size above which a shape is drawn in any case, in pixels.
const LARGEST: f32 = 12.0;

/// For each shape, given by the balls at its ends, whether it is small and another one stands before it on the same spot of
/// the picture. Empty if there are few shapes.
pub(crate) fn hidden(shapes: impl ExactSizeIterator<Item = [Ball; 2]>, camera: &Camera) -> Vec<bool> {
    if shapes.len() <= MANY {
        return Vec::new();
    }
    let (columns, rows) = ((camera.size.0 / SPOT).ceil() as usize, (camera.size.1 / SPOT).ceil() as usize);
    let spot = |[(a, near), (b, far)]: [Ball; 2]| {
        let middle = a.midpoint(b);
        let (pixel, size) = image(middle, 0.5 * a.distance(b) + near.max(far), camera)?;
        let (column, row) = ((pixel.x / SPOT) as usize, (pixel.y / SPOT) as usize);
        let is_inside = pixel.min_element() >= 0.0 && column < columns && row < rows;
        (is_inside && size < LARGEST).then(|| (row * columns + column, camera.depth(middle)))
    };
    let spots: Vec<Option<(usize, f32)>> = shapes.map(spot).collect();
    let mut nearest = vec![f32::INFINITY; columns * rows];
    for &(spot, depth) in spots.iter().flatten() {
        nearest[spot] = nearest[spot].min(depth);
    }
    spots.iter().map(|spot| spot.is_some_and(|(spot, depth)| depth > nearest[spot])).collect()
}

/// Where a ball appears, and about how large it is there, in pixels.
fn image(center: Vec3, radius: f32, camera: &Camera) -> Option<(Vec2, f32)> {
    let pixel = camera.pixel(center)?;
    let [above, beside] = [Vec3::Y, Vec3::X].map(|way| camera.pixel(center + way * radius));
    Some((pixel, above?.distance(pixel).max(beside?.distance(pixel))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::frame::View;
    use fabrik3d_ik::random::Random;
    use glam::Mat4;

    #[test]
    fn only_small_shapes_behind_others_on_their_spot_are_hidden() {
        let view = View {
            view_projection: Mat4::perspective_rh_gl(0.7, 1.5, 0.1, 100.0)
                * Mat4::look_at_rh(Vec3::Z * 9.0, Vec3::ZERO, Vec3::Y),
            eye: Vec3::Z * 9.0,
            forward: Vec3::NEG_Z,
            orthographic: false,
        };
        let camera = Camera::new(&view, (600, 400));
        let mut random = Random::new(6);
        let shapes: Vec<[Ball; 2]> = (0..MANY + 4_000)
            .map(|_| {
                let a = random.ball().as_vec3();
                let radius = random.range(0.005, 0.03) as f32;
                [(a, radius), (a + 0.1 * random.direction().as_vec3(), radius)]
            })
            .collect();
        assert!(hidden(shapes[..MANY].iter().copied(), &camera).is_empty(), "few shapes are all drawn");
        let hidden = hidden(shapes.iter().copied(), &camera);
        let middle = |[(a, _), (b, _)]: &[Ball; 2]| a.midpoint(*b);
        let spot = |shape| (camera.pixel(middle(shape)).expect("in front") / SPOT).floor();
        let depth = |shape| camera.depth(middle(shape));
        for (at, shape) in shapes.iter().enumerate().filter(|(at, _)| hidden[*at]).take(400) {
            let is_behind = |other| spot(other) == spot(shape) && depth(other) < depth(shape);
            assert!(shapes.iter().zip(&hidden).any(|(other, hidden)| !hidden && is_behind(other)), "{at}");
        }
        let drawn = hidden.iter().filter(|hidden| !**hidden).count();
        assert!(drawn > 1_000 && drawn < shapes.len() - 1_000, "{drawn}");
    }
}
