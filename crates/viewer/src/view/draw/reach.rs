//! The workspace of the selected effector: a sampled surface, or else a shell.

use super::primitives::{PIECES, circle, line};
use crate::session::{CommandError, Remark, Session};
use crate::view::Viewer;
use crate::view::frame::{Color, Frame, Patch};
use crate::view::theme::{Palette, faded};
use fabrik3d_ik::Isometry;
use fabrik3d_ik::display::{WorkspaceShell, unbounded_joint};
use glam::{DVec3, Vec3};
use std::f32::consts::{PI, TAU};

/// Draws the workspace; in a race, around each figure.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    for offset in viewer.lane_offsets() {
        draw_at(viewer, offset.as_vec3(), palette, out);
    }
}

fn draw_at(viewer: &Viewer, offset: Vec3, palette: &Palette, out: &mut Frame) {
    let (session, space) = (viewer.session(), viewer.space());
    if let Some(workspace) = &viewer.workspace {
        let frame = frame_of(session, workspace.parent);
        let corner = |&(position, normal): &(Vec3, Vec3)| {
            let normal = space.drawn(frame.rotation * normal.as_dvec3());
            (space.drawn(frame.point(position.as_dvec3())) + offset, normal, 0.15)
        };
        let triangles = workspace.corners.iter().map(corner).collect();
        out.patches.push(Patch { triangles, color: faded(palette.limit, 90) });
        return;
    }
    let Some(shell) = shell(session) else { return };
    let center = space.drawn(shell.center) + offset;
    sphere(center, shell.outer as f32, faded(palette.limit, 70), out);
    if shell.inner > 1e-3 * shell.outer {
        sphere(center, shell.inner as f32, faded(palette.unreached, 110), out);
    }
}

/// A translucent sphere with three great circles.
fn sphere(center: Vec3, radius: f32, color: Color, out: &mut Frame) {
    const RINGS: usize = PIECES / 2;
    let normal = |ring: usize, side: usize| {
        let (sin, cos) = (PI * ring as f32 / RINGS as f32).sin_cos();
        let (y, x) = (TAU * side as f32 / PIECES as f32).sin_cos();
        Vec3::new(sin * x, cos, sin * y)
    };
    let corner = |ring, side| (center + normal(ring, side) * radius, normal(ring, side), 0.0);
    let mut triangles = Vec::with_capacity(6 * RINGS * PIECES);
    for ring in 0..RINGS {
        for side in 0..PIECES {
            let [a, b] = [corner(ring, side), corner(ring, side + 1)];
            let [c, d] = [corner(ring + 1, side), corner(ring + 1, side + 1)];
            triangles.extend([a, c, b, b, c, d]);
        }
    }
    out.patches.push(Patch { triangles, color });
    let faint = faded(color, 120);
    for axes in [[DVec3::X, DVec3::Y], [DVec3::Y, DVec3::Z], [DVec3::Z, DVec3::X]] {
        let around = circle(center.as_dvec3(), axes, f64::from(radius), PIECES);
        out.lines.push(line(around.map(|point| point.as_vec3()), faint, 1.2));
    }
}

/// The shell of the selected effector in the displayed pose.
fn shell(session: &Session) -> Option<WorkspaceShell> {
    let scene = session.scene();
    let effector = &scene.effectors[session.selected()?];
    WorkspaceShell::of(&scene.skeleton, &effector.effector, session.displayed())
}

/// The remark for showing the reach of the selected effector, if it needs one.
///
/// # Errors
/// If there is no effector.
pub(in crate::view) fn remark(session: &Session) -> Result<Option<Remark>, CommandError> {
    let scene = session.scene();
    let effector = &scene.effectors[session.selected().ok_or(CommandError::NoReach)?];
    let Some(joint) = unbounded_joint(&scene.skeleton, &effector.effector) else { return Ok(None) };
    let name = |name: &str| scene.shown_name(name).to_owned();
    let joint = name(&scene.skeleton.joints()[joint].name);
    Ok(Some(match shell(session) {
        Some(_) => Remark::ReachFrom { effector: name(&effector.name), joint },
        None => Remark::Anywhere { joint },
    }))
}

/// Points around the workspace of the selected effector, in the picture's space; around a shell, in these directions.
pub(in crate::view) fn outline(viewer: &Viewer, directions: impl Iterator<Item = DVec3>) -> Vec<DVec3> {
    let (session, space) = (viewer.session(), viewer.space());
    if let Some(workspace) = &viewer.workspace {
        let frame = frame_of(session, workspace.parent);
        let corners = workspace.corners.iter();
        return corners.map(|(position, _)| space.shown(frame.point(position.as_dvec3()))).collect();
    }
    let Some(shell) = shell(session) else { return Vec::new() };
    directions.map(|way| space.shown(shell.center) + way * shell.outer).collect()
}

/// The displayed frame of a joint; without a joint, the world's.
fn frame_of(session: &Session, joint: Option<usize>) -> Isometry {
    joint.map_or(Isometry::IDENTITY, |joint| {
        session.scene().skeleton.frame_of(Isometry::IDENTITY, session.displayed(), joint)
    })
}
