//! Which of very many small shapes a coarse picture may leave out.

use super::camera::Camera;
use super::solids::Solid;
use glam::{Vec2, Vec3};

/// Up to this number of shapes of a kind, all are drawn.
pub(crate) const MANY: usize = 8_000;
/// Side of a spot in pixels.
const SPOT: f32 = 2.0;
/// Size above which a shape is drawn in any case, in pixels.
const LARGEST: f32 = 12.0;

/// For each shape, whether it is small and another one stands before it on the same spot of the picture. Empty if there are
/// few shapes.
pub(crate) fn hidden<T: Solid>(solids: &[T], camera: &Camera) -> Vec<bool> {
    if solids.len() <= MANY {
        return Vec::new();
    }
    let (columns, rows) = ((camera.size.0 / SPOT).ceil() as usize, (camera.size.1 / SPOT).ceil() as usize);
    let spots: Vec<Option<(usize, f32)>> = solids
        .iter()
        .map(|solid| {
            let (pixel, size) = place(solid, camera)?;
            let (column, row) = ((pixel.x / SPOT) as usize, (pixel.y / SPOT) as usize);
            let is_inside = pixel.min_element() >= 0.0 && column < columns && row < rows;
            (is_inside && size < LARGEST).then(|| (row * columns + column, camera.depth(solid.middle())))
        })
        .collect();
    let mut nearest = vec![f32::INFINITY; columns * rows];
    for &(spot, depth) in spots.iter().flatten() {
        nearest[spot] = nearest[spot].min(depth);
    }
    spots.iter().map(|spot| spot.is_some_and(|(spot, depth)| depth > nearest[spot])).collect()
}

/// Where the middle of a shape appears, and about how large it is there, in pixels.
fn place<T: Solid>(solid: &T, camera: &Camera) -> Option<(Vec2, f32)> {
    let [(a, near), (b, far)] = solid.caster().ends();
    let middle = solid.middle();
    let size = 0.5 * a.distance(b) + near.max(far);
    let pixel = camera.pixel(middle)?;
    let beside = camera.pixel(middle + Vec3::Y * size)?.distance(pixel);
    let behind = camera.pixel(middle + Vec3::X * size)?.distance(pixel);
    Some((pixel, beside.max(behind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::frame::{Capsule, Color, Material, View};
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
        let (color, material): (Color, _) = ([200; 4], Material { roughness: 0.5, glow: 0.0 });
        let capsules: Vec<Capsule> = (0..MANY + 4_000)
            .map(|_| {
                let a = random.ball().as_vec3();
                let radius = random.range(0.005, 0.03) as f32;
                let b = a + 0.1 * random.direction().as_vec3();
                Capsule { a: (a, radius), b: (b, radius), color, material, shadow: true }
            })
            .collect();
        assert!(hidden(&capsules[..MANY], &camera).is_empty(), "few shapes are all drawn");
        let hidden = hidden(&capsules, &camera);
        let spot = |capsule: &Capsule| (camera.pixel(capsule.middle()).expect("in front") / SPOT).floor();
        for (at, capsule) in capsules.iter().enumerate().filter(|(at, _)| hidden[*at]).take(400) {
            let is_behind = |other: &Capsule| {
                spot(other) == spot(capsule) && camera.depth(other.middle()) < camera.depth(capsule.middle())
            };
            assert!(capsules.iter().zip(&hidden).any(|(other, hidden)| !hidden && is_behind(other)), "{at}");
            assert!(capsule.a.1 < 0.03, "{at}");
        }
        let drawn = hidden.iter().filter(|hidden| !**hidden).count();
        assert!(drawn > 3_000 && drawn < capsules.len() - 1_000, "{drawn}");
    }
}
