//! What links must keep clear of: balls, half-spaces, and the distance that they keep.

use super::Stage;
use super::frame::{Capsule, Frame, Line, Material, Patch};
use super::look::{Palette, faded};
use super::picture::sphere;
use crate::ik::{Isometry, Obstacle};
use crate::session::command::Show;
use glam::{DVec3, Vec3};

const STONE: Material = Material { roughness: 0.9, glow: 0.0 };
/// Half the side of the piece of a plane that is shown, and how far it is lifted off a floor that it may lie on, of the
/// scene's radius.
const PLANE: f64 = 0.8;
const LIFT: f64 = 2e-3;
/// Strokes along each side of that piece, toward the solid side; their length, of the side.
const STROKES: usize = 14;
const STROKE: f64 = 0.035;

/// Draws all obstacles of the scene.
pub(super) fn draw(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let scene = stage.session().scene();
    for obstacle in &scene.obstacles {
        match *obstacle {
            Obstacle::Sphere { center, radius } => {
                out.spheres.push(sphere(stage.space().drawn(center), radius as f32, palette.obstacle, STONE));
            }
            Obstacle::HalfSpace { normal, offset } => plane(stage, palette, normal, offset, out),
        }
    }
    if !scene.obstacles.is_empty() && scene.link_radius > 0.0 && stage.display().shows(Show::Limits) {
        clearance(stage, palette, frames, out);
    }
}

/// A piece of the plane below the scene's middle: a faint film with an edge, hatched on the side that is solid.
fn plane(stage: &Stage, palette: &Palette, normal: DVec3, offset: f64, out: &mut Frame) {
    let extent = stage.extent();
    let (middle, radius) = (extent.center.as_dvec3(), f64::from(extent.radius));
    let on_plane = stage.space().shown(normal * offset);
    let normal = stage.space().shown(normal);
    let center = middle - normal * (middle - on_plane).dot(normal) + normal * (LIFT * radius);
    let along = DVec3::X.reject_from_normalized(normal).try_normalize().unwrap_or(DVec3::Z);
    let (u, v) = (along * (PLANE * radius), normal.cross(along) * (PLANE * radius));
    let corners = [center - u - v, center + u - v, center + u + v, center - u + v];
    let corner = |k: usize| (corners[k].as_vec3(), normal.as_vec3(), 0.6);
    out.patches.push(Patch { triangles: [0, 1, 2, 0, 2, 3].map(corner).to_vec(), color: palette.obstacle });
    let color = faded(palette.obstacle, 220);
    let edge = (0..=4).map(|k| (corners[k % 4].as_vec3(), color)).collect();
    out.lines.push(Line { points: edge, width: 1.6, dash: None, on_top: false });
    for side in 0..4 {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        let slant = ((to - from).normalize() - normal) * (STROKE * PLANE * radius);
        for k in 0..STROKES {
            let start = from.lerp(to, (k as f64 + 0.5) / STROKES as f64);
            let points = [start, start + slant].map(|point| (point.as_vec3(), faded(palette.obstacle, 170))).to_vec();
            out.lines.push(Line { points, width: 1.2, dash: None, on_top: false });
        }
    }
}

/// The sheath around each link that obstacles must not enter.
fn clearance(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let scene = stage.session().scene();
    let radius = scene.link_radius as f32;
    let mut sheath = |a: DVec3, b: DVec3| {
        let [a, b]: [Vec3; 2] = [a, b].map(|point| stage.space().drawn(point));
        let color = faded(palette.obstacle, 60);
        out.capsules.push(Capsule { a: (a, radius), b: (b, radius), color, material: STONE, shadow: false });
    };
    for (joint, frame) in scene.skeleton.joints().iter().zip(frames) {
        if let Some(parent) = joint.parent {
            sheath(frames[parent].position, frame.position);
        }
    }
    for effector in scene.effectors.iter().map(|effector| effector.effector) {
        if effector.tip != DVec3::ZERO {
            sheath(frames[effector.joint].position, frames[effector.joint].point(effector.tip));
        }
    }
}
