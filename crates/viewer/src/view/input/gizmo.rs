//! The handles of the selected target: arrows that move it along an axis, squares that move it in a plane, and, for targets
//! with an orientation, rings that turn it.
//!
//! Picture and pointer use the same geometry, so that handles are grabbed where they are drawn. Everything here is in the
//! picture's space.

use crate::session::command::Show;
use crate::view::draw::primitives::{PIECES, circle};
use crate::view::sizes::target_radius;
use crate::view::{Handle, MotionAxes, Ray, Viewer};
use glam::{DQuat, DVec3};

/// The gizmo of the selected target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    /// Position of the target.
    pub center: DVec3,
    /// Its axes: orthogonal unit vectors.
    pub axes: [DVec3; 3],
    /// Length of the arrows; the same share of the picture's height at any distance.
    pub length: f64,
    /// Radius of the target's sphere.
    pub radius: f64,
    /// Whether it has rings.
    pub turns: bool,
    /// Whether only the target itself can be grabbed, as in lessons, where handles would cover the construction.
    pub bare: bool,
    /// Direction toward the eye, unit length.
    pub(super) to_eye: DVec3,
}

/// Length of the arrows, in units of the picture's height.
const LENGTH: f64 = 0.088;
/// Parts of the gizmo, in units of its length.
const ARROW_START: f64 = 0.2;
const ARROW_NECK: f64 = 0.78;
const PLANE: [f64; 2] = [0.3, 0.52];
const RING: f64 = 1.18;
/// Cosine to the line of sight above which an arrow is hidden, because it appears as a dot, and below which a plane or ring is
/// hidden, because it appears as a line.
const HEAD_ON: f64 = 0.985;
const EDGE_ON: f64 = 0.17;
/// Distance within which the pointer is on a handle, logical pixels.
const GRAB_PIXELS: f64 = 8.0;

impl Gizmo {
    /// The gizmo of the selected effector's target, if it has a position.
    pub fn of(viewer: &Viewer) -> Option<Self> {
        if !viewer.display().shows(Show::Marks) {
            return None;
        }
        let (session, camera, space) = (viewer.session(), viewer.camera(), viewer.space());
        let selected = session.selected()?;
        let target = session.target(selected);
        let center = space.shown(session.shown_target(selected)?);
        let radius = target_radius(viewer, selected);
        let rotation = match viewer.display().motion_axes {
            MotionAxes::Local => target.rotation().unwrap_or_else(|| session.selected_rotation()),
            MotionAxes::View | MotionAxes::World => DQuat::IDENTITY,
        };
        let height = viewer.height_at(center);
        let ray = camera.project(center, viewer.lens()).map(|at| viewer.ray(at).direction);
        Some(Gizmo {
            center,
            axes: [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| space.shown(rotation * axis)),
            length: Self::reach(height, radius),
            radius,
            turns: target.rotation().is_some(),
            bare: session.lesson().is_some(),
            to_eye: -ray.unwrap_or(camera.forward()),
        })
    }

    /// How far handles extend from a target with a ball of this radius, in a picture of this height there.
    pub(in crate::view) fn reach(height: f64, radius: f64) -> f64 {
        (LENGTH * height).max(3.0 * radius)
    }

    /// A gizmo without handles, along the picture's axes: enough to drag a point.
    pub(super) fn plain(center: DVec3) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        Gizmo { center, axes, length: 1.0, radius: 0.0, turns: false, bare: true, to_eye: DVec3::Z }
    }

    /// The handles that can be seen and grabbed, topmost first.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + use<> {
        let facing = self.axes.map(|axis| axis.dot(self.to_eye).abs());
        let (turns, bare) = (self.turns, self.bare);
        let arrows = (0..3).filter(move |&k| facing[k] < HEAD_ON).map(Handle::Arrow);
        let planes = (0..3).filter(move |&k| facing[k] > EDGE_ON).map(Handle::Plane);
        let rings = (0..3).filter(move |&k| turns && facing[k] > EDGE_ON).map(Handle::Ring);
        arrows.chain(planes).chain(rings).filter(move |_| !bare)
    }

    /// Start, neck and tip of an arrow.
    pub fn arrow(&self, axis: usize) -> [DVec3; 3] {
        let start = (ARROW_START * self.length).max(1.4 * self.radius);
        [start, ARROW_NECK * self.length, self.length].map(|along| self.center + self.axes[axis] * along)
    }

    /// Corners of the square perpendicular to an axis, on the side of the eye.
    pub fn plane(&self, axis: usize) -> [DVec3; 4] {
        let [u, v] = [1, 2].map(|step| {
            let side = self.axes[(axis + step) % 3];
            side * (self.length * if side.dot(self.to_eye) < 0.0 { -1.0 } else { 1.0 })
        });
        let [near, far] = PLANE;
        [(near, near), (far, near), (far, far), (near, far)].map(|(a, b)| self.center + u * a + v * b)
    }

    /// Points around a ring; the last equals the first.
    pub fn ring(&self, axis: usize) -> Vec<DVec3> {
        let plane = [1, 2].map(|step| self.axes[(axis + step) % 3]);
        circle(self.center, plane, RING * self.length, PIECES).collect()
    }

    /// Whether a point of a ring lies on the half facing the eye.
    pub fn faces_eye(&self, point: DVec3) -> bool {
        (point - self.center).dot(self.to_eye) > -1e-9 * self.length
    }

    /// The handle at a point of a picture of `size` logical pixels.
    pub fn pick(&self, viewer: &Viewer, at: [f64; 2], size: [f64; 2]) -> Option<Handle> {
        let on_screen = |point: &DVec3| pixel(viewer, *point, size);
        let distance_to = |points: &[DVec3]| {
            let places: Option<Vec<[f64; 2]>> = points.iter().map(on_screen).collect();
            let places = places.unwrap_or_default();
            places.windows(2).map(|pair| distance_to_segment(at, pair[0], pair[1])).fold(f64::INFINITY, f64::min)
        };
        let away = |handle: Handle| match handle {
            Handle::Center => f64::INFINITY,
            Handle::Arrow(axis) => distance_to(&self.arrow(axis)),
            Handle::Ring(axis) => {
                let ring = self.ring(axis);
                let front = ring.split(|&point| !self.faces_eye(point));
                front.map(distance_to).fold(f64::INFINITY, f64::min)
            }
            Handle::Plane(axis) => {
                let corners: Option<Vec<[f64; 2]>> = self.plane(axis).iter().map(on_screen).collect();
                if corners.is_some_and(|corners| is_inside(at, &corners)) { 0.0 } else { f64::INFINITY }
            }
        };
        let near = self.handles().map(|handle| (away(handle), handle)).filter(|(away, _)| *away < GRAB_PIXELS);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, handle)| handle)
    }

    /// The point that a handle drags when the pointer is at `at` (x right, y up, -1..1): the point of its axis nearest to the
    /// pointer's ray, or where the ray meets its plane. None where the ray is parallel to the handle.
    pub fn point_under(&self, viewer: &Viewer, handle: Handle, at: [f64; 2]) -> Option<DVec3> {
        let Ray { origin, direction } = viewer.ray(at);
        let in_plane = |normal: DVec3| {
            let along = (self.center - origin).dot(normal) / direction.dot(normal);
            (along.is_finite() && along > 0.0).then(|| origin + direction * along)
        };
        match handle {
            Handle::Center => in_plane(viewer.camera().forward()),
            Handle::Plane(axis) | Handle::Ring(axis) => in_plane(self.axes[axis]),
            Handle::Arrow(axis) => {
                let axis = self.axes[axis];
                let (apart, cosine) = (self.center - origin, axis.dot(direction));
                let along = (cosine * direction.dot(apart) - axis.dot(apart)) / (1.0 - cosine * cosine);
                (1.0 - cosine * cosine > 1e-6).then(|| self.center + axis * along)
            }
        }
    }

    /// The angle about `axis` from one point to another, radians.
    pub fn angle(&self, axis: usize, from: DVec3, to: DVec3) -> f64 {
        let (a, b) = (from - self.center, to - self.center);
        a.cross(b).dot(self.axes[axis]).atan2(a.dot(b))
    }
}

/// Where a point appears in a picture of `size` logical pixels, from the top left corner; none behind the eye.
pub fn pixel(viewer: &Viewer, point: DVec3, size: [f64; 2]) -> Option<[f64; 2]> {
    let [x, y] = viewer.camera().project(point, viewer.lens())?;
    Some([(x + 1.0) * 0.5 * size[0], (1.0 - y) * 0.5 * size[1]])
}

fn distance_to_segment(at: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let along = ((at[0] - a[0]) * dx + (at[1] - a[1]) * dy) / (dx * dx + dy * dy).max(1e-12);
    let along = along.clamp(0.0, 1.0);
    (at[0] - a[0] - along * dx).hypot(at[1] - a[1] - along * dy)
}

/// Whether a point lies inside a convex polygon of either orientation.
fn is_inside(at: [f64; 2], corners: &[[f64; 2]]) -> bool {
    let next = corners.iter().cycle().skip(1);
    let sides = corners.iter().zip(next).map(|(a, b)| (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]));
    let (mut left, mut right) = (true, true);
    sides.for_each(|side| (left, right) = (left && side >= 0.0, right && side <= 0.0));
    left || right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use fabrik3d_scene::{ChainSpec, Scene, SceneBuilder};

    use std::f64::consts::TAU;

    const SIZE: [f64; 2] = [1280.0, 720.0];

    fn scene() -> Scene {
        let points: Vec<DVec3> = (0..5).map(|k| DVec3::Y * f64::from(k)).collect();
        let target = Some(DVec3::new(1.0, 2.0, 0.5));
        let mut builder = SceneBuilder::default();
        builder.chain(ChainSpec { name: "arm".into(), points, free_base: false, target, presets: Vec::new() });
        builder.build("arm").expect("a sound chain")
    }

    fn viewers() -> Vec<Viewer> {
        let views = ["camera.orbit 0 0", "camera.orbit 40 20", "camera.orbit -100 50", "camera.orbit 170 -30"];
        let viewer = |(view, other_projection): (&str, bool)| {
            let mut viewer = Viewer::new(scene(), Display::default(), SIZE[0] / SIZE[1]);
            let projection = other_projection.then_some("camera.projection");
            for words in [view, "target.turn 10 20 30"].into_iter().chain(projection) {
                viewer.apply(words.parse().expect("a command")).expect("can be done");
            }
            viewer
        };
        views.into_iter().flat_map(|view| [(view, false), (view, true)]).map(viewer).collect()
    }

    fn ndc(pixel: [f64; 2]) -> [f64; 2] {
        [2.0 * pixel[0] / SIZE[0] - 1.0, 1.0 - 2.0 * pixel[1] / SIZE[1]]
    }

    #[test]
    fn during_an_ease_the_gizmo_is_where_the_target_is_drawn() {
        for name in ["demo", "humanoid"] {
            let mut viewer = Viewer::new(crate::test_scenes::example(name), Display::default(), 1.6);
            let mut free = 0;
            for words in [
                "effector.pin",
                "target.move 0.1 0.2 0.1",
                "effector.pin",
                "effector.pin",
                "reset",
                "target.preset 2",
                "undo",
            ] {
                // Without presets, a scene refuses them.
                let _ = viewer.apply(words.parse().expect("a command"));
                for _ in 0..10 {
                    viewer.tick(1.0 / 60.0, &mut crate::view::HeldKeys::default(), crate::view::Modifiers::default());
                    let session = viewer.session();
                    let selected = session.selected().expect("has effectors");
                    free += usize::from(session.is_free(selected));
                    let drawn = match session.is_free(selected) {
                        true => session.displayed_tip(selected),
                        false => session.target(selected).position.expect("a position"),
                    };
                    let center = Gizmo::of(&viewer).expect("a gizmo").center;
                    assert!(center.distance(viewer.space().shown(drawn)) < 1e-12, "{name}: {words}");
                }
            }
            assert!(name == "demo" || free > 0, "{name}");
        }
    }

    #[test]
    fn every_handle_is_grabbed_where_it_is_drawn() {
        for viewer in viewers() {
            let gizmo = Gizmo::of(&viewer).expect("the target has a place");
            for handle in gizmo.handles() {
                // Handles cross each other on the screen, so one free point is enough.
                let points = match handle {
                    Handle::Center => vec![gizmo.center],
                    Handle::Arrow(axis) => gizmo.arrow(axis)[1..].to_vec(),
                    Handle::Plane(axis) => vec![gizmo.plane(axis).iter().sum::<DVec3>() / 4.0],
                    Handle::Ring(axis) => gizmo.ring(axis),
                };
                let found = points.iter().any(|&point| {
                    let at = pixel(&viewer, point, SIZE).expect("before the eye");
                    gizmo.pick(&viewer, at, SIZE) == Some(handle)
                });
                assert!(found, "{handle:?} cannot be grabbed");
            }
        }
    }

    #[test]
    fn dragging_an_arrow_moves_along_its_axis_to_what_is_under_the_pointer() {
        for viewer in viewers() {
            let gizmo = Gizmo::of(&viewer).expect("the target has a place");
            for axis in (0..3).filter(|&axis| gizmo.handles().any(|handle| handle == Handle::Arrow(axis))) {
                for along in [-1.5, -0.4, 0.7, 2.0] {
                    let goal = gizmo.center + gizmo.axes[axis] * (along * gizmo.length);
                    let at = ndc(pixel(&viewer, goal, SIZE).expect("before the eye"));
                    let point = gizmo.point_under(&viewer, Handle::Arrow(axis), at).expect("not head-on");
                    assert!(point.distance(goal) < 1e-6 * gizmo.length, "{point} is not {goal}");
                }
            }
        }
    }

    #[test]
    fn dragging_a_ring_turns_by_the_angle_that_the_pointer_moves() {
        for viewer in viewers() {
            let gizmo = Gizmo::of(&viewer).expect("the target has a place");
            for axis in (0..3).filter(|&axis| gizmo.handles().any(|handle| handle == Handle::Ring(axis))) {
                let ring = gizmo.ring(axis);
                let under = |k: usize| {
                    let at = ndc(pixel(&viewer, ring[k], SIZE).expect("before the eye"));
                    gizmo.point_under(&viewer, Handle::Ring(axis), at).expect("not edge-on")
                };
                let angle = gizmo.angle(axis, under(3), under(13));
                assert!((angle - TAU * 10.0 / PIECES as f64).abs() < 1e-6, "{angle}");
            }
        }
    }
}
