//! The present selection: the gizmo of the target, and the ring and axes of the selected joint.

use super::limits;
use super::primitives::{AXIS, dashed, facing_polygon, line, on_top};
use crate::session::command::Show;
use crate::session::race::Lane;
use crate::view::draw::bodies::style;
use crate::view::frame::{Capsule, Frame, Line, Material, Patch};
use crate::view::input::gizmo::Gizmo;
use crate::view::theme::{Palette, faded, highlighted};
use crate::view::{Handle, Hover, MeshStyle, Viewer};
use fabrik3d_ik::Isometry;
use glam::{DVec3, Vec3};

/// Line width of a handle at rest and under the pointer, logical pixels.
const WIDTH: [f32; 2] = [2.2, 3.4];
/// Radius of the ring around a joint and length of its axes, in units of the picture's height.
const RING_RADIUS: f64 = 0.017;
/// Opacity of handles behind other things, as a share of their own.
const HIDDEN: f32 = 0.4;

/// Draws the handles of the selected target. They shine faintly through whatever hides them.
pub(super) fn gizmo(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    let Some(gizmo) = Gizmo::of(viewer) else { return };
    let vec3 = |point: DVec3| point.as_vec3();
    let first = out.lines.len();
    let mut heads = Vec::new();
    for handle in gizmo.handles() {
        let hovered = viewer.hover() == Some(Hover::Handle(handle));
        let paint = |axis: usize| {
            let color = palette.axes[axis];
            if hovered { highlighted(color, viewer.display().theme) } else { color }
        };
        let width = WIDTH[usize::from(hovered)];
        match handle {
            Handle::Center => {}
            Handle::Arrow(axis) => {
                let [start, neck, tip] = gizmo.arrow(axis).map(vec3);
                let color = paint(axis);
                out.lines.push(line([start, neck], color, width));
                let thick = (if hovered { 0.062 } else { 0.05 } * gizmo.length) as f32;
                heads.push(line(head_outline(viewer, neck, tip, thick), color, 1.4));
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
                let fill = faded(color, if hovered { 255 } else { 160 });
                let triangles = [a, b, c, a, c, d].map(|point| (point, normal, 0.0)).to_vec();
                out.patches.push(Patch { triangles, color: fill });
                out.lines.push(line([a, b, c, d, a], faded(color, if hovered { 255 } else { 130 }), 0.5 * width));
            }
            Handle::Ring(axis) => {
                let color = paint(axis);
                let shade = |&point: &DVec3| {
                    let alpha = if gizmo.faces_eye(point) { 255 } else { 50 };
                    (vec3(point), faded(color, alpha))
                };
                let points = gizmo.ring(axis).iter().map(shade).collect();
                out.lines.push(Line { points, width: 0.8 * width, dash: None, on_top: false });
            }
        }
    }
    if let Some(Hover::Handle(Handle::Arrow(axis))) = viewer.hover() {
        // The axis along which it moves.
        let far = gizmo.axes[axis] * (4.0 * gizmo.length);
        let ends = [gizmo.center - far, gizmo.center + far].map(vec3);
        out.lines.push(dashed(line(ends, faded(palette.axes[axis], 110), 1.2), (5.0, 5.0)));
    }
    // Where nothing hides them, a fainter line of the same colour changes nothing.
    let hidden: Vec<Line> = out.lines[first..].iter().cloned().chain(heads).map(shining_through).collect();
    out.lines.extend(hidden);
}

/// Where a joint with this displayed frame is drawn: in a lesson with the figure of the step, in a race once per figure.
fn places(viewer: &Viewer, joint: usize, frame: Isometry) -> Vec<DVec3> {
    let (session, space) = (viewer.session(), viewer.space());
    if let Some(lesson) = session.lesson() {
        let place = lesson.shown_joints().find(|(other, _)| *other == joint).map(|(_, place)| place);
        return vec![space.shown(place.unwrap_or(frame.position))];
    }
    let Some(race) = session.race() else { return vec![space.shown(frame.position)] };
    let node = race.figure().joints.iter().find(|(other, _)| *other == joint).map(|(_, node)| *node);
    let lanes = race.lanes().iter().zip(viewer.lane_offsets());
    let place = |(lane, offset): (&Lane, DVec3)| Some(space.shown(lane.points(race.rounds())[node?]) + offset);
    lanes.filter_map(place).collect()
}

/// The outline of an arrow's head, with a flat end of this radius at its neck.
fn head_outline(viewer: &Viewer, neck: Vec3, tip: Vec3, radius: f32) -> [Vec3; 4] {
    let forward = viewer.camera().forward().as_vec3();
    let side = forward.cross(tip - neck).normalize_or_zero() * radius;
    [neck - side, tip, neck + side, neck - side]
}

/// The same line, fainter and in front of everything.
fn shining_through(mut line: Line) -> Line {
    for (_, color) in &mut line.points {
        color[3] = (f32::from(color[3]) * HIDDEN) as u8;
    }
    on_top(line)
}

/// Marks the joint of the skin under the pointer. A skin is one mesh, so no part of it can be lighter than the rest.
pub(super) fn hovered(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let Some(Hover::Part(joint, _)) = viewer.hover() else { return };
    let is_skin = viewer.session().scene().assets.skins.iter().any(|skin| skin.joints.contains(&joint));
    if !is_skin || style(viewer) == MeshStyle::Hidden {
        return;
    }
    let center = viewer.space().shown(frames[joint].position);
    let ring = facing_polygon(viewer, center, RING_RADIUS * viewer.height_at(center), 40);
    out.lines.push(on_top(line(ring, faded(palette.trail, 190), 1.6)));
}

/// Marks the selected joint: a ring, its axes and limits. Lessons and races draw other poses, so they show the ring only.
pub(super) fn joint(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let Some(joint) = viewer.session().selected_joint() else { return };
    let (space, frame) = (viewer.space(), frames[joint]);
    for center in places(viewer, joint, frame) {
        let ring = facing_polygon(viewer, center, RING_RADIUS * viewer.height_at(center), 40);
        out.lines.push(on_top(line(ring, palette.trail, 2.6)));
    }
    if !viewer.session().covered().is_empty() {
        return;
    }
    let center = space.shown(frame.position);
    let height = viewer.height_at(center);
    for (axis, color) in DVec3::AXES.into_iter().zip(palette.axes) {
        let along = space.shown(frame.rotation * axis);
        let ends = [RING_RADIUS, AXIS].map(|share| -> Vec3 { (center + along * (share * height)).as_vec3() });
        out.lines.push(on_top(line(ends, color, 2.0)));
    }
    if viewer.display().shows(Show::Limits) {
        limits::draw(viewer, palette, frames, joint, out);
    }
}
