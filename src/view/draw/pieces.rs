//! Which links are drawn as one straight piece: those of a tube, and in large scenes those whose bends nobody can see.
//!
//! A path of length L between two points at a distance c strays at most √(L² − c²) / 2 from the segment between them: the
//! points at which a path of that length can be lie in an ellipsoid with the two points as foci.

use crate::view::{Projection, Viewer};
use fabrik3d_ik::{Isometry, Skeleton};
use glam::DVec3;

/// Longest stretch of a tube that is drawn as one piece, in units of its radius. Joints in between stray from the piece by at
/// most half of that, so they lie inside it.
pub(super) const PIECE_LENGTH: f64 = 1.5;
/// Scenes with more joints leave out what is smaller than a pixel. Pictures of smaller scenes cost little.
const LARGE: usize = 5_000;
/// Pixels along the height of the picture that all details are made for.
const PIXELS: f64 = 1_000.0;
/// How far joints may stray from a piece, in pixels, and in radii of a tube.
const STRAY_PIXELS: f64 = 0.5;
const STRAY_RADII: f64 = 0.4;
/// Radius in pixels below which a joint is not seen beside its links.
const JOINT_PIXELS: f64 = 1.5;
/// Distance of the eye in radii of the scene from which one size of a pixel fits the whole scene. While the camera orbits, the
/// pieces then stay the same, and so do their shadows.
const OUTSIDE: f64 = 1.4;

/// The straight piece that ends at each joint so far.
pub(super) struct Pieces<'a> {
    skeleton: &'a Skeleton,
    start: Vec<usize>,
    length: Vec<f64>,
    /// In a large scene, what a pixel is, and whether further links follow after each joint.
    large: Option<(Pixel, Vec<bool>)>,
}

impl<'a> Pieces<'a> {
    /// Pieces of length zero at all joints. `frames` are those of the joints, and `hidden` those that are not drawn.
    pub fn new(viewer: &'a Viewer, frames: &[Isometry], hidden: impl Fn(usize) -> bool) -> Self {
        let skeleton = &viewer.session().scene().skeleton;
        let is_large = skeleton.len() > LARGE;
        let large = is_large.then(|| (Pixel::new(viewer), leads_on(skeleton, frames, hidden)));
        Pieces { skeleton, start: (0..skeleton.len()).collect(), length: vec![0.0; skeleton.len()], large }
    }

    /// The joint at which the piece that ends at this joint starts.
    pub fn start(&self, joint: usize) -> usize {
        self.start[joint]
    }

    /// Length of the links in the piece that ends at this joint.
    pub fn length(&self, joint: usize) -> f64 {
        self.length[joint]
    }

    /// The piece at the parent goes on to this joint, at this distance.
    pub fn extend(&mut self, joint: usize, parent: usize, length: f64) {
        (self.start[joint], self.length[joint]) = (self.start[parent], self.length[parent] + length);
    }

    /// Whether the piece to this joint need not be drawn: it goes on to the next joints, or it is too short to be seen.
    /// `dense`: joints are parts of a tube, and not spheres of their own.
    pub fn is_left_out(
        &self,
        joint: usize,
        parent: usize,
        (frames, radii): (&[Isometry], &[f64]),
        dense: bool,
    ) -> bool {
        let [start, place] = [self.start[parent], joint].map(|end| frames[end].position);
        let (radius, chord) = (radii[joint], start.distance(place));
        let length = self.length[parent] + frames[parent].position.distance(place);
        let is_short = dense && length < PIECE_LENGTH * radius;
        let Some((pixel, leads_on)) = &self.large else {
            return is_short && self.skeleton.children(joint).len() == 1;
        };
        let pixel = pixel.at(place);
        if !leads_on[joint] {
            return length + radius < radii[self.start[parent]] + pixel;
        }
        let stray = 0.5 * (length * length - chord * chord).max(0.0).sqrt();
        let inside = if dense { STRAY_RADII * radius } else { 0.0 };
        let is_seen = !dense && radius > JOINT_PIXELS * pixel;
        is_short || (!is_seen && stray < f64::max(STRAY_PIXELS * pixel, inside))
    }

    /// Whether the links at a joint hide its sphere of this radius. The place is in the scene's world.
    pub fn hide_joint(&self, place: DVec3, radius: f64) -> bool {
        self.large.as_ref().is_some_and(|(pixel, _)| radius < JOINT_PIXELS * pixel.at(place))
    }
}

/// Whether a drawn link follows after each joint, at a distance.
fn leads_on(skeleton: &Skeleton, frames: &[Isometry], hidden: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut leads_on = vec![false; skeleton.len()];
    for (joint, parent) in skeleton.joints().iter().enumerate().rev().filter_map(|(i, it)| Some((i, it.parent?))) {
        let is_apart = frames[joint].position != frames[parent].position;
        leads_on[parent] |= !hidden(joint) && (is_apart || leads_on[joint]);
    }
    leads_on
}

/// How much of the scene a pixel covers.
struct Pixel {
    eye: DVec3,
    forward: DVec3,
    /// At distance one.
    unit: f64,
    /// Everywhere, if that is known.
    everywhere: Option<f64>,
}

impl Pixel {
    fn new(viewer: &Viewer) -> Self {
        let (camera, space, extent) = (viewer.camera(), viewer.space(), viewer.extent());
        let (eye, forward) = (DVec3::from(camera.eye()), DVec3::from(camera.forward()));
        let (distance, radius) = (eye.distance(extent.center.as_dvec3()), f64::from(extent.radius));
        let unit = camera.pixel_at((eye + forward).to_array(), PIXELS);
        let everywhere = match camera.projection() {
            Projection::Orthographic => Some(unit),
            // In steps, so that a smooth zoom does not change every picture.
            Projection::Perspective => {
                let nearest = distance - radius;
                (distance > OUTSIDE * radius).then(|| unit * (0.5 * (2.0 * nearest.log2()).floor()).exp2())
            }
        };
        Pixel { eye: space.world(eye), forward: space.world(forward), unit, everywhere }
    }

    /// The size of a pixel at a place in the scene's world.
    fn at(&self, place: DVec3) -> f64 {
        self.everywhere.unwrap_or_else(|| self.unit * (place - self.eye).dot(self.forward).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use crate::view::frame::Frame;
    use fabrik3d_ik::random::Random;
    use fabrik3d_scene::{Scene, Syntax};
    use std::fmt::Write;

    /// A tree of this many joints, whose branches start anywhere on it and whose links are of this length.
    fn tree(random: &mut Random, joints: usize, link: f64) -> Scene {
        let mut text = "[[joint]]\nname = \"j0\"\n".to_owned();
        let mut ahead = random.direction();
        for joint in 1..joints {
            let branches = random.unit() < 0.05;
            let parent = if branches { random.index(joint) } else { joint - 1 };
            ahead = if branches { random.direction() } else { (ahead + 0.4 * random.direction()).normalize() };
            let [x, y, z] = (ahead * link).to_array();
            let _ = write!(
                text,
                "[[joint]]\nname = \"j{joint}\"\nparent = \"j{parent}\"\noffset = [{x:.6}, {y:.6}, {z:.6}]\n"
            );
        }
        Scene::parse(&text, Syntax::Toml, "tree").expect("a tree")
    }

    /// How far a point is outside everything that a frame shows.
    fn gap(frame: &Frame, at: glam::Vec3) -> f32 {
        let spheres = frame.spheres.iter().map(|sphere| at.distance(sphere.center) - sphere.radius);
        let capsules = frame.capsules.iter().map(|capsule| {
            let ((a, near), (b, far)) = (capsule.a, capsule.b);
            let along = ((at - a).dot(b - a) / (b - a).length_squared().max(1e-12)).clamp(0.0, 1.0);
            at.distance(a.lerp(b, along)) - (near + (far - near) * along)
        });
        spheres.chain(capsules).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn in_a_large_scene_no_joint_is_farther_than_a_pixel_from_what_is_drawn() {
        let mut random = Random::new(3);
        // Links that make a tube, and links far apart that are hardly seen.
        for (link, zoom) in [(0.01, 1.0), (0.3, 0.02), (0.3, 1.0), (0.3, 8.0)] {
            let mut viewer = Viewer::new(tree(&mut random, LARGE + 1_000, link), Display::default(), 1.6);
            viewer.apply(format!("camera.zoom {zoom}").parse().expect("a command")).expect("can be done");
            viewer.transitions.clear();
            let frame = viewer.picture();
            let shown = viewer.session().scene().skeleton.frames(viewer.session().displayed());
            for place in shown.iter().step_by(7).map(|it| viewer.space().shown(it.position)) {
                let pixel = viewer.height_at(place) / PIXELS;
                let gap = f64::from(gap(&frame, place.as_vec3()));
                assert!(gap < 1.01 * pixel + 1e-6, "{link} {zoom}: {gap} of {pixel}");
            }
            let drawn = frame.capsules.len();
            assert!(zoom > 0.1 || drawn < LARGE / 3, "{link} {zoom}: {drawn} pieces");
        }
    }

    #[test]
    fn while_the_camera_orbits_a_large_scene_its_pieces_stay_the_same() {
        let mut random = Random::new(8);
        let mut viewer = Viewer::new(tree(&mut random, LARGE + 1_000, 0.3), Display::default(), 1.6);
        let before = viewer.picture();
        for _ in 0..5 {
            viewer.apply("camera.orbit 13 4".parse().expect("a command")).expect("can be done");
            let after = viewer.picture();
            assert!(after.capsules.iter().zip(&before.capsules).filter(|(a, b)| a != b).count() <= 3);
            assert_eq!(after.capsules.len(), before.capsules.len());
        }
    }
}
