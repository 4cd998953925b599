//! What links must keep clear of: balls, half-spaces, and the distance that they keep.

use super::Stage;
use super::frame::{Capsule, Frame, Line, Material, Patch};
use super::look::{Palette, faded};
use super::picture::sphere;
use crate::session::command::Show;
use fabrik3d_ik::{Isometry, Obstacle};
use glam::{DVec3, Vec3};

const STONE: Material = Material { roughness: 0.9, glow: 0.0 };
/// Half the side of the piece of a plane that is shown, and how far it is lifted off a floor that it may lie on, of the
/// scene's radius.
const PLANE: f64 = 0.8;
const LIFT: f64 = 2e-3;
/// Strokes along each side of that piece, toward the solid side; their length, of the side.
const STROKES: usize = 14;
const STROKE: f64 = 0.035;

/// Draws all obstacles of the scene; around each figure of a race those that it keeps clear of.
pub(super) fn draw(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let scene = stage.session().scene();
    let is_race = stage.session().race().is_some();
    let offsets = if is_race { stage.lane_offsets() } else { vec![DVec3::ZERO] };
    for (lane, offset) in offsets.into_iter().enumerate() {
        for obstacle in &scene.obstacles {
            match *obstacle {
                Obstacle::Sphere { center, radius } => {
                    let center = (stage.space().shown(center) + offset).as_vec3();
                    out.spheres.push(sphere(center, radius as f32, palette.obstacle, STONE));
                }
                // The same plane goes on for all who stand along it.
                Obstacle::HalfSpace { normal, .. } if lane > 0 && is_along(stage.space().shown(normal), offset) => {}
                Obstacle::HalfSpace { normal, offset: height } => {
                    plane(stage, palette, stage.space().shown(normal), (height, offset), out);
                }
            }
        }
    }
    if !scene.obstacles.is_empty() && scene.link_radius > 0.0 && stage.display().shows(Show::Limits) && !is_race {
        clearance(stage, palette, frames, out);
    }
}

fn is_along(normal: DVec3, way: DVec3) -> bool {
    normal.dot(way).abs() <= 1e-9 * way.length()
}

/// A piece of the plane at this height along its normal, below the scene's middle and so far from there: a faint film with an edge, hatched on the side that is solid.
fn plane(stage: &Stage, palette: &Palette, normal: DVec3, (height, offset): (f64, DVec3), out: &mut Frame) {
    let extent = stage.extent();
    let (middle, radius) = (extent.center.as_dvec3(), f64::from(extent.radius));
    let center = middle - normal * (middle.dot(normal) - height) + normal * (LIFT * radius) + offset;
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
