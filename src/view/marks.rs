//! What marks the present selection: the gizmo of the target, the ring around a joint with its axes.

use super::Stage;
use super::frame::{Capsule, Color, Frame, Line, Material, Patch};
use super::gizmo::{Gizmo, Handle};
use super::look::{Palette, faded};
use crate::session::command::Show;
use fabrik3d_ik::Isometry;
use glam::{DVec3, Vec3};

/// Width of the lines of a handle, logical pixels: at rest and under the pointer.
const WIDTH: [f32; 2] = [2.2, 3.4];
/// Radius of the ring around a joint, and length of its axes, of the picture's height.
const RING: f64 = 0.017;
const AXES: f64 = 0.055;

/// Draws the handles of the selected target; what the pointer is on stands out.
pub(super) fn gizmo(stage: &Stage, palette: &Palette, out: &mut Frame) {
    let Some(gizmo) = Gizmo::of(stage) else { return };
    let vec3 = |point: DVec3| point.as_vec3();
    for handle in gizmo.handles() {
        let hovered = stage.hover() == Some(handle);
        let paint = |axis: usize| {
            let color = palette.axes[axis];
            if hovered { lit(color, stage) } else { color }
        };
        let width = WIDTH[usize::from(hovered)];
        match handle {
            Handle::Center => {}
            Handle::Arrow(axis) => {
                let [start, neck, tip] = gizmo.arrow(axis).map(vec3);
                let color = paint(axis);
                out.lines.push(line(&[start, neck], color, width));
                let thick = (if hovered { 0.062 } else { 0.05 } * gizmo.length) as f32;
                out.capsules.push(Capsule {
                    a: (neck, thick),
                    b: (tip, 0.1 * thick),
                    color,
                    material: Material { roughness: 0.6, glow: 0.35 },
                    shadow: false,
                });
            }
            Handle::Plane(axis) => {
                let [a, b, c, d] = gizmo.plane(axis).map(vec3);
                let normal = vec3(gizmo.axes[axis]);
                let color = paint(axis);
                let corner = |point: Vec3| (point, normal, 0.0);
                let film = faded(color, if hovered { 255 } else { 160 });
                let triangles = [a, b, c, a, c, d].map(corner).to_vec();
                out.patches.push(Patch { triangles, color: film });
                out.lines.push(line(&[a, b, c, d, a], faded(color, if hovered { 255 } else { 130 }), 0.5 * width));
            }
            Handle::Ring(axis) => {
                let color = paint(axis);
                let points = gizmo.ring(axis);
                let shade = |&point: &DVec3| {
                    let alpha = if gizmo.faces_eye(point) { 255 } else { 50 };
                    (vec3(point), faded(color, alpha))
                };
                let points = points.iter().map(shade).collect();
                out.lines.push(Line { points, width: 0.8 * width, dash: None, on_top: false });
            }
        }
    }
    if let Some(Handle::Arrow(axis)) = stage.hover() {
        // The way along which it moves.
        let far = gizmo.axes[axis] * (4.0 * gizmo.length);
        let color = faded(palette.axes[axis], 110);
        let points = vec![(vec3(gizmo.center - far), color), (vec3(gizmo.center + far), color)];
        out.lines.push(Line { points, width: 1.2, dash: Some((5.0, 5.0)), on_top: false });
    }
}

/// Marks the selected joint: a ring that faces the eye, the axes of its frame, and its limits.
pub(super) fn selected_joint(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let Some(joint) = stage.session().selected_joint() else { return };
    let (camera, space, frame) = (stage.camera(), stage.space(), frames[joint]);
    let center = space.shown(frame.position);
    let height = camera.pixel_at(center.to_array(), 1.0);
    let (right, up) = (DVec3::from(camera.right()), DVec3::from(camera.up()));
    let ring: Vec<Vec3> = (0..=40)
        .map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k % 40) / 40.0).sin_cos();
            (center + (right * cos + up * sin) * (RING * height)).as_vec3()
        })
        .collect();
    out.lines.push(Line { on_top: true, ..line(&ring, palette.trail, 2.6) });
    for (axis, color) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(palette.axes) {
        let along = space.shown(frame.rotation * axis);
        let ends = [RING, AXES].map(|share| (center + along * (share * height)).as_vec3());
        out.lines.push(Line { on_top: true, ..line(&ends, color, 2.0) });
    }
    if stage.display().shows(Show::Limits) {
        super::limits::draw(stage, palette, frames, joint, out);
    }
}

fn line(points: &[Vec3], color: Color, width: f32) -> Line {
    Line { points: points.iter().map(|&point| (point, color)).collect(), width, dash: None, on_top: false }
}

/// A colour as it looks under the pointer: lighter on a dark floor, darker on a light one.
fn lit([r, g, b, alpha]: Color, stage: &Stage) -> Color {
    let (toward, share) = if stage.display().theme.look().glowing { (255.0, 0.5) } else { (0.0, 0.4) };
    let mix = |byte: u8| (f32::from(byte) * (1.0 - share) + toward * share) as u8;
    [mix(r), mix(g), mix(b), alpha]
}
