//! Which of very many spheres and links cast shadows.

use crate::view::frame::{Capsule, Frame, Sphere};
use glam::Vec3;

/// Up to this number, all cast shadows.
const MANY: usize = 8_000;
/// Spots across the part of the scene that casts shadows, as the lamp sees it.
const SPOTS: usize = 256;
/// Size above which things cast their own shadow, in sides of a spot.
const LARGEST: f32 = 6.0;

/// Of small things on the same spot as the lamp sees it, leaves the shadow of the one nearest to the lamp. The others stand
/// in it.
pub(super) fn thin_out(frame: &mut Frame) {
    let casters =
        frame.spheres.iter().filter(|it| it.shadow).count() + frame.capsules.iter().filter(|it| it.shadow).count();
    if casters <= MANY {
        return;
    }
    let spots = Spots::of(frame);
    let mut highest = vec![f32::NEG_INFINITY; SPOTS * SPOTS];
    let shapes = frame.spheres.iter().filter_map(ball).chain(frame.capsules.iter().filter_map(piece));
    for (at, height) in shapes.filter_map(|shape| spots.at(shape)) {
        highest[at] = highest[at].max(height);
    }
    let is_shaded =
        |shape: Option<Shape>| shape.and_then(|shape| spots.at(shape)).is_some_and(|(at, height)| height < highest[at]);
    frame.spheres.iter_mut().for_each(|sphere| sphere.shadow &= !is_shaded(ball(sphere)));
    frame.capsules.iter_mut().for_each(|capsule| capsule.shadow &= !is_shaded(piece(capsule)));
}

/// The middle and the size of a thing that casts a shadow.
type Shape = (Vec3, f32);

fn ball(sphere: &Sphere) -> Option<Shape> {
    sphere.shadow.then_some((sphere.center, sphere.radius))
}

fn piece(capsule: &Capsule) -> Option<Shape> {
    let ((a, near), (b, far)) = (capsule.a, capsule.b);
    capsule.shadow.then_some((a.midpoint(b), 0.5 * a.distance(b) + near.max(far)))
}

/// The lamp's view of the scene, divided into squares.
struct Spots {
    center: Vec3,
    right: Vec3,
    up: Vec3,
    light: Vec3,
    side: f32,
}

impl Spots {
    fn of(frame: &Frame) -> Self {
        let light = Vec3::from(frame.environment.light).normalize_or(Vec3::Y);
        let (right, up) = light.any_orthonormal_pair();
        let side = 2.0 * frame.bounds.radius / SPOTS as f32;
        Spots { center: frame.bounds.center, right, up, light, side }
    }

    /// The spot of a small thing and its distance toward the lamp; none for larger things.
    fn at(&self, (place, size): Shape) -> Option<(usize, f32)> {
        let from = place - self.center;
        let spot = |across: f32| (across / self.side + 0.5 * SPOTS as f32).clamp(0.0, (SPOTS - 1) as f32) as usize;
        let at = spot(from.dot(self.right)) * SPOTS + spot(from.dot(self.up));
        (size < LARGEST * self.side).then(|| (at, from.dot(self.light)))
    }
}
