//! What a scene asks for besides targets: poles to bend toward, loops to close, orientations to take.

use super::Stage;
use super::frame::{Color, Frame, Line, Patch};
use super::look::{Palette, faded};
use super::sizes;
use crate::session::command::Show;
use fabrik3d_ik::Isometry;
use glam::DVec3;

/// Half the size of a pole's marker, radius of the ring around a loop's tie, and length of an effector's axes, of the
/// picture's height.
const POLE: f64 = 0.011;
const TIE: f64 = 0.013;
const AXES: f64 = 0.05;
/// Least radius of the mark around a joint at a limit, of the picture's height; else it is so many times the joint's.
const STOP: f64 = 0.012;
const SPREAD: f64 = 1.35;
/// Strength of such a mark; that of the selected joint is at its full.
const QUIET: u8 = 165;
/// A gap wider than this, of the scene's radius, is shown as open.
pub const OPEN: f64 = 1e-4;

/// An octahedron at each pole, and a thin line to it from the joint that bends toward it.
pub(super) fn poles(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let color = palette.construction;
    for hint in &stage.session().scene().poles {
        let center = stage.space().shown(hint.toward);
        let size = POLE * height_at(stage, center);
        let joint = stage.space().shown(frames[hint.joint].position);
        out.lines.push(line(&[joint, center], faded(color, 220), 1.6, Some((3.0, 5.0))));
        let (top, bottom) = (center + DVec3::Y * 1.5 * size, center - DVec3::Y * 1.5 * size);
        let around: Vec<DVec3> =
            [DVec3::X, DVec3::Z, -DVec3::X, -DVec3::Z, DVec3::X].map(|way| center + way * size).to_vec();
        out.lines.push(line(&around, color, 1.4, None));
        let mut triangles = Vec::with_capacity(24);
        for pair in around.windows(2) {
            out.lines.push(line(&[top, pair[0], bottom], color, 1.4, None));
            for apex in [top, bottom] {
                let normal = (pair[0] - apex).cross(pair[1] - apex).normalize_or(DVec3::Y).as_vec3();
                triangles.extend([apex, pair[0], pair[1]].map(|corner| (corner.as_vec3(), normal, 0.8)));
            }
        }
        out.patches.push(Patch { triangles, color });
    }
}

/// A ring where a loop is closed; where it gapes, both its points and the gap.
pub(super) fn loops(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    for (a, b) in &stage.session().scene().loops {
        let ends = [a, b].map(|end| stage.space().shown(frames[end.joint].point(end.point)));
        let is_open = ends[0].distance(ends[1]) > OPEN * f64::from(stage.extent().radius);
        let color = if is_open { palette.unreached } else { palette.construction };
        for end in &ends[..if is_open { 2 } else { 1 }] {
            let ring = facing(stage, *end, TIE, 32);
            out.lines.push(Line { on_top: true, ..line(&ring, color, 2.0, None) });
        }
        if is_open {
            out.lines.push(Line { on_top: true, ..line(&ends, color, 2.6, Some((4.0, 3.0))) });
        }
    }
}

/// The axes of each effector that has an orientation to take, and fainter those that it should take.
pub(super) fn orientations(stage: &Stage, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let session = stage.session();
    for (effector, target) in session.scene().effectors.iter().zip(session.targets()) {
        let (Some(wanted), effector) = (target.rotation, effector.effector) else { continue };
        let tip = frames[effector.joint].point(effector.tip);
        let axes = [
            (tip, frames[effector.joint].rotation, 255, None),
            (target.position.unwrap_or(tip), wanted, 150, Some((4.0, 4.0))),
        ];
        for (place, rotation, alpha, dash) in axes {
            let place = stage.space().shown(place);
            let length = AXES * height_at(stage, place);
            for (axis, color) in DVec3::AXES.into_iter().zip(palette.axes) {
                let end = place + stage.space().shown(rotation * axis) * length;
                let line = line(&[place, end], faded(color, alpha), 2.2, dash);
                out.lines.push(Line { on_top: true, ..line });
            }
        }
    }
}

/// A mark of its own shape around each joint that stands at a limit: a diamond that faces the eye.
pub(super) fn stops(stage: &Stage, palette: &Palette, frames: &[Isometry], joints: &[usize], out: &mut Frame) {
    if !stage.display().shows(Show::Limits) || joints.is_empty() {
        return;
    }
    let radii = sizes::joints(stage, &sizes::trees(stage));
    for &joint in joints {
        let center = stage.space().shown(frames[joint].position);
        let size = f64::max(STOP, SPREAD * radii[joint] / height_at(stage, center));
        let diamond = facing(stage, center, size, 4);
        let is_selected = stage.session().selected_joint() == Some(joint);
        let (alpha, width) = if is_selected { (255, 2.0) } else { (QUIET, 1.4) };
        let line = line(&diamond, faded(palette.joint_at_limit, alpha), width, None);
        out.lines.push(Line { on_top: true, ..line });
    }
}

/// A regular polygon around a point that faces the eye, a corner up; its radius is given of the picture's height.
fn facing(stage: &Stage, center: DVec3, radius: f64, corners: usize) -> Vec<DVec3> {
    let camera = stage.camera();
    let (right, up) = (DVec3::from(camera.right()), DVec3::from(camera.up()));
    let radius = radius * height_at(stage, center);
    let at = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * (k % corners) as f64 / corners as f64).sin_cos();
        center + (right * sin + up * cos) * radius
    };
    (0..=corners).map(at).collect()
}

/// Height of the picture where a point is, in world units.
fn height_at(stage: &Stage, point: DVec3) -> f64 {
    stage.camera().pixel_at(point.to_array(), 1.0)
}

fn line(points: &[DVec3], color: Color, width: f32, dash: Option<(f32, f32)>) -> Line {
    let points = points.iter().map(|point| (point.as_vec3(), color)).collect();
    Line { points, width, dash, on_top: false }
}
