//! Obstacles: spheres, capsules, boxes, half-spaces, and the clearance of links.

use super::primitives::{line, sphere};
use crate::session::command::Show;
use crate::view::Viewer;
use crate::view::frame::{Capsule, Frame, Material, Patch};
use crate::view::theme::{Palette, faded};
use fabrik3d_ik::Isometry;
use fabrik3d_ik::collision::Obstacle;
use glam::DVec3;

const STONE: Material = Material { roughness: 0.9, glow: 0.0 };
/// Half the side of the shown piece of a plane, and its height above the plane, which keeps it clear of the floor; in units of
/// the scene's radius.
const PLANE_SIZE: f64 = 0.8;
const PLANE_LIFT: f64 = 2e-3;
/// Number of hatch strokes along each side of that piece, and their length in units of `PLANE_SIZE`.
const STROKES: usize = 14;
const STROKE_LENGTH: f64 = 0.035;

/// Draws all obstacles of the scene; in a race, those of each figure.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let (scene, space) = (viewer.session().scene(), viewer.space());
    for (lane, offset) in viewer.lane_offsets().into_iter().enumerate() {
        for obstacle in &scene.obstacles {
            match *obstacle {
                Obstacle::Sphere { center, radius } => {
                    let center = (space.shown(center) + offset).as_vec3();
                    out.spheres.push(sphere(center, radius as f32, palette.obstacle, STONE));
                }
                Obstacle::Capsule { ends, radius } => {
                    let [a, b] = ends.map(|end| ((space.shown(end) + offset).as_vec3(), radius as f32));
                    out.capsules.push(Capsule { a, b, color: palette.obstacle, material: STONE, shadow: true });
                }
                Obstacle::Box { center, rotation, half } => {
                    let corner = |corner: DVec3| space.shown(center + rotation * (corner * half)) + offset;
                    cuboid(palette, corner, out);
                }
                // Figures that stand side by side along a plane share it.
                Obstacle::HalfSpace { normal, .. } if lane > 0 && is_parallel(space.shown(normal), offset) => {}
                Obstacle::HalfSpace { normal, offset: height } => {
                    plane(viewer, palette, space.shown(normal), (height, offset), out);
                }
            }
        }
    }
    let has_envelopes = scene.link_radius > 0.0 && scene.keep_clear.is_none();
    let is_race = viewer.session().race().is_some();
    if !scene.obstacles.is_empty() && has_envelopes && viewer.display().shows(Show::Limits) && !is_race {
        clearance(viewer, palette, frames, out);
    }
}

/// A box: translucent faces with edges. `corner` places the corner with these coordinates, each -1 or 1.
fn cuboid(palette: &Palette, corner: impl Fn(DVec3) -> DVec3, out: &mut Frame) {
    let mut triangles = Vec::with_capacity(36);
    let mut edges = Vec::with_capacity(12);
    for (axis, sign) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        let (out_of, u, v) = (DVec3::AXES[axis] * sign, DVec3::AXES[(axis + 1) % 3], DVec3::AXES[(axis + 2) % 3]);
        let normal = (corner(out_of) - corner(DVec3::ZERO)).normalize_or_zero().as_vec3();
        let face = [-u - v, u - v, u + v, v - u].map(|at| corner(out_of + at).as_vec3());
        triangles.extend([0, 1, 2, 0, 2, 3].map(|k: usize| (face[k], normal, 0.3)));
        let (start, end) = (u * sign + v, u * sign - v);
        edges.push([start + DVec3::AXES[axis], end + DVec3::AXES[axis]]);
        edges.push([start - DVec3::AXES[axis], end - DVec3::AXES[axis]]);
    }
    out.patches.push(Patch { triangles, color: palette.obstacle });
    let edges = edges.into_iter().map(|ends| ends.map(|end| corner(end).as_vec3()));
    out.lines.extend(edges.map(|ends| line(ends, faded(palette.obstacle, 220), 1.6)));
}

/// Whether a direction lies in the planes of this normal.
fn is_parallel(normal: DVec3, direction: DVec3) -> bool {
    normal.dot(direction).abs() <= 1e-9 * direction.length()
}

/// A piece of the plane at this height along its normal, below the middle of the scene, moved by `offset`: a translucent
/// square with an outline, hatched on its solid side.
fn plane(viewer: &Viewer, palette: &Palette, normal: DVec3, (height, offset): (f64, DVec3), out: &mut Frame) {
    let extent = viewer.extent();
    let (middle, radius) = (extent.center.as_dvec3(), f64::from(extent.radius));
    let center = middle - normal * (middle.dot(normal) - height) + normal * (PLANE_LIFT * radius) + offset;
    let along = DVec3::X.reject_from_normalized(normal).try_normalize().unwrap_or(DVec3::Z);
    let (u, v) = (along * (PLANE_SIZE * radius), normal.cross(along) * (PLANE_SIZE * radius));
    let corners = [center - u - v, center + u - v, center + u + v, center - u + v];
    let corner = |k: usize| (corners[k].as_vec3(), normal.as_vec3(), 0.6);
    out.patches.push(Patch { triangles: [0, 1, 2, 0, 2, 3].map(corner).to_vec(), color: palette.obstacle });
    out.lines.push(line((0..=4).map(|k| corners[k % 4].as_vec3()), faded(palette.obstacle, 220), 1.6));
    for side in 0..4 {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        let slant = ((to - from).normalize() - normal) * (STROKE_LENGTH * PLANE_SIZE * radius);
        for k in 0..STROKES {
            let start = from.lerp(to, (k as f64 + 0.5) / STROKES as f64);
            let ends = [start, start + slant].map(|point| point.as_vec3());
            out.lines.push(line(ends, faded(palette.obstacle, 170), 1.2));
        }
    }
}

/// The envelope around each link that obstacles must not enter. A lesson draws its figure in other poses, without envelopes.
fn clearance(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let scene = viewer.session().scene();
    let covered = viewer.session().covered();
    let is_shown = |joint: usize| covered.binary_search(&joint).is_err();
    let color = faded(palette.obstacle, 60);
    let links = scene.skeleton.joints().iter().zip(frames).enumerate().filter(|(at, _)| is_shown(*at));
    let links = links.filter_map(|(_, (joint, frame))| Some([frames[joint.parent?].position, frame.position]));
    let tips = scene.link_ends().filter(|(joint, _)| is_shown(*joint));
    let tips = tips.map(|(joint, tip)| [frames[joint].position, frames[joint].point(tip)]);
    out.capsules.extend(links.chain(tips).map(|ends| {
        let [a, b] = ends.map(|end| (viewer.space().drawn(end), scene.link_radius as f32));
        Capsule { a, b, color, material: STONE, shadow: false }
    }));
}
