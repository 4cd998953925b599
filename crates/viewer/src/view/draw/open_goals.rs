//! What goals leave open: the turn about an axis that points in a direction or at a point, and the position along axes.

use super::primitives::{CLEAR, PIECES, circle, dashed, facing_polygon, line, on_top};
use crate::view::Viewer;
use crate::view::frame::{Color, Frame, Patch};
use crate::view::sizes::{target_color, target_radius};
use crate::view::theme::faded;
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::{Isometry, Target};
use fabrik3d_scene::SceneEffector;
use glam::{DQuat, DVec3};

/// Length of the arrow along a pointing axis, in units of the picture's height.
const ARROW: f64 = 0.075;
/// The ring around the arrow and the head of the arrow, in units of its length: place along it and radius.
const RING: [f64; 2] = [0.55, 0.24];
const HEAD: [f64; 2] = [0.8, 0.09];
/// Longest line that is drawn along an open axis, to each side, in units of the effector's size.
const FAR: f64 = 0.6;
/// Opacity of what a goal leaves open, and of an area.
const AREA_ALPHA: u8 = 26;

/// Draws what the goals of pinned and dragged effectors leave open.
pub(super) fn draw(viewer: &Viewer, frames: &[Isometry], out: &mut Frame) {
    let session = viewer.session();
    for (at, (described, target)) in session.scene().effectors.iter().zip(session.targets()).enumerate() {
        if session.is_free(at) {
            continue;
        }
        let color = faded(target_color(viewer, at), CLEAR);
        if points(described, target) {
            pointing(viewer, (described, target), frames[described.effector.joint], color, out);
        }
        if let (Some(place), Some(point)) = (target.position, target.look_at())
            && place != point
        {
            let center = viewer.space().shown(point);
            let ring = facing_polygon(viewer, center, target_radius(viewer, at), 32);
            out.lines.push(on_top(line(ring, color, 2.0)));
        }
        if let Some(place) = target.position
            && described.freedom.slack != DVec3::ZERO
        {
            region(viewer, described, (place, target.rotation().unwrap_or_default()), color, out);
        }
    }
}

/// Whether only the direction of an axis is requested.
pub(super) fn points(described: &SceneEffector, target: &Target) -> bool {
    let turns = described.freedom.spin_axis.is_some() && target.rotation().is_some();
    described.rotation_weight > 0.0 && (turns || target.look_at().is_some())
}

/// An arrow along the effector's axis, a ring for the turn that is open, and a dashed line along which the axis should lie.
fn pointing(
    viewer: &Viewer,
    (described, target): (&SceneEffector, &Target),
    frame: Isometry,
    color: Color,
    out: &mut Frame,
) {
    let space = viewer.space();
    let axis = described.pointing_axis();
    let tip = space.shown(frame.point(described.effector.tip));
    let along = space.shown(frame.rotation * axis);
    let length = ARROW * viewer.height_at(tip);
    let [head, neck] = [1.0, HEAD[0]].map(|share| tip + along * (share * length));
    out.lines.push(on_top(line([tip.as_vec3(), head.as_vec3()], color, 2.4)));
    let around = |center: DVec3, radius: f64| {
        circle(center, along.any_orthonormal_pair().into(), radius * length, PIECES).map(|point| point.as_vec3())
    };
    let barbs = around(neck, HEAD[1]).step_by(PIECES / 4).take(4).flat_map(|corner| [corner, head.as_vec3()]);
    out.lines.push(on_top(line(barbs, color, 1.6)));
    out.lines.push(on_top(line(around(tip + along * (RING[0] * length), RING[1]), color, 2.0)));
    let ends = match target.orientation {
        Some(Orientation::LookAt(point)) => [tip, space.shown(point)],
        Some(Orientation::Rotation(rotation)) => {
            let start = target.position.map_or(tip, |place| space.shown(place));
            [start, start + space.shown(rotation * axis) * (1.5 * length)]
        }
        None => return,
    };
    out.lines.push(on_top(dashed(line(ends.map(|end| end.as_vec3()), color, 1.6), (5.0, 4.0))));
}

/// The positions that a slack accepts: a line, a plane or a box. Axes that go on beyond the picture are dashed.
fn region(viewer: &Viewer, described: &SceneEffector, (center, axes): (DVec3, DQuat), color: Color, out: &mut Frame) {
    let slack = described.freedom.slack;
    let far = FAR * viewer.session().scene().effector_size(described);
    let half = slack.min(DVec3::splat(far));
    let at = |signs: DVec3| viewer.space().drawn(center + axes * (half * signs));
    let open: Vec<usize> = (0..3).filter(|&axis| half[axis] > 0.0).collect();
    for &axis in &open {
        let others: Vec<usize> = open.iter().copied().filter(|&other| other != axis).collect();
        for corner in 0..1 << others.len() {
            let mut signs = DVec3::ZERO;
            for (bit, &other) in others.iter().enumerate() {
                signs[other] = if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            }
            let ends = [-1.0, 1.0].map(|end| {
                signs[axis] = end;
                at(signs)
            });
            let edge = line(ends, color, 2.0);
            out.lines.push(if slack[axis] > far { dashed(edge, (6.0, 4.0)) } else { edge });
        }
    }
    if let [u, v] = open[..] {
        let corner = |a: f64, b: f64| at(DVec3::AXES[u] * a + DVec3::AXES[v] * b);
        let normal = viewer.space().shown(axes * DVec3::AXES[3 - u - v]).as_vec3();
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let triangles = corners.map(|(a, b)| (corner(a, b), normal, 0.0)).to_vec();
        out.patches.push(Patch { triangles, color: faded(color, AREA_ALPHA) });
    }
}
