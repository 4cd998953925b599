//! What a scene requires besides target positions: poles, loops, orientations, and the joints that stand at limits.

use super::open_goals::points;
use super::primitives::{AXIS, CLEAR, MARK, dashed, facing_polygon, line, on_top};
use crate::session::command::Show;
use crate::view::Viewer;
use crate::view::frame::{Frame, Line, Patch};
use crate::view::sizes;
use crate::view::theme::{Palette, faded};
use fabrik3d_ik::Isometry;
use glam::{DVec3, Vec3};

/// Radius of the mark around a joint at a limit: at least the first, in units of the picture's height, otherwise the second,
/// in radii of the joint.
const LIMIT_MARK: f64 = 1.35;
/// A loop with a wider gap is shown as open; in units of the scene's radius.
pub const OPEN_LOOP_GAP: f64 = 1e-4;

/// An octahedron at each pole, with a thin line from the joint that bends toward it.
pub(super) fn poles(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let color = palette.construction;
    for pole in &viewer.session().scene().poles {
        let center = viewer.space().shown(pole.toward);
        let size = MARK * viewer.height_at(center);
        let joint = viewer.space().drawn(frames[pole.joint].position);
        out.lines.push(dashed(line([joint, center.as_vec3()], faded(color, 220), 1.6), (3.0, 5.0)));
        let [top, bottom] = [1.5, -1.5].map(|up| (center + DVec3::Y * up * size).as_vec3());
        let around = [DVec3::X, DVec3::Z, -DVec3::X, -DVec3::Z, DVec3::X].map(|way| (center + way * size).as_vec3());
        out.lines.push(line(around, color, 1.4));
        let mut triangles = Vec::with_capacity(24);
        for pair in around.windows(2) {
            out.lines.push(line([top, pair[0], bottom], color, 1.4));
            for apex in [top, bottom] {
                let normal = (pair[0] - apex).cross(pair[1] - apex).normalize_or(Vec3::Y);
                triangles.extend([apex, pair[0], pair[1]].map(|corner| (corner, normal, 0.8)));
            }
        }
        out.patches.push(Patch { triangles, color });
    }
}

/// A ring at each closed loop; at an open one, both ends and the gap.
pub(super) fn loops(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    for (a, b) in &viewer.session().scene().loops {
        let ends = [a, b].map(|end| viewer.space().shown(frames[end.joint].point(end.point)));
        let is_open = ends[0].distance(ends[1]) > OPEN_LOOP_GAP * f64::from(viewer.extent().radius);
        let color = if is_open { palette.unreached } else { palette.construction };
        for end in &ends[..if is_open { 2 } else { 1 }] {
            let ring = facing_polygon(viewer, *end, MARK * viewer.height_at(*end), 32);
            out.lines.push(on_top(line(ring, color, 2.0)));
        }
        if is_open {
            out.lines.push(on_top(dashed(line(ends.map(|end| end.as_vec3()), color, 2.6), (4.0, 3.0))));
        }
    }
}

/// The axes of each effector of which a whole orientation is required; fainter, the axes of that orientation.
pub(super) fn orientations(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let session = viewer.session();
    let goals = session.scene().effectors.iter().zip(session.targets()).enumerate();
    for (at, (effector, target)) in goals.filter(|(_, (effector, target))| !points(effector, target)) {
        let (Some(goal), effector) = (target.rotation().filter(|_| !session.is_free(at)), effector.effector) else {
            continue;
        };
        let tip = frames[effector.joint].point(effector.tip);
        let axes = [
            (tip, frames[effector.joint].rotation, 255, None),
            (target.position.unwrap_or(tip), goal, 150, Some((4.0, 4.0))),
        ];
        for (origin, rotation, alpha, dash) in axes {
            let origin = viewer.space().shown(origin);
            let length = AXIS * viewer.height_at(origin);
            for (axis, color) in DVec3::AXES.into_iter().zip(palette.axes) {
                let end = origin + viewer.space().shown(rotation * axis) * length;
                let line = on_top(line([origin.as_vec3(), end.as_vec3()], faded(color, alpha), 2.2));
                out.lines.push(Line { dash, ..line });
            }
        }
    }
}

/// A diamond that faces the eye around each joint at a limit: a shape of its own, so that it does not depend on colour.
pub(super) fn limit_marks(viewer: &Viewer, palette: &Palette, frames: &[Isometry], joints: &[usize], out: &mut Frame) {
    if !viewer.display().shows(Show::Limits) || joints.is_empty() {
        return;
    }
    let radii = sizes::joints(viewer, &sizes::trees(viewer));
    for &joint in joints {
        let center = viewer.space().shown(frames[joint].position);
        let radius = f64::max(MARK * viewer.height_at(center), LIMIT_MARK * radii[joint]);
        let diamond = facing_polygon(viewer, center, radius, 4);
        let is_selected = viewer.session().selected_joint() == Some(joint);
        let (alpha, width) = if is_selected { (255, 2.0) } else { (CLEAR, 1.4) };
        out.lines.push(on_top(line(diamond, faded(palette.joint_at_limit, alpha), width)));
    }
}
