//! The workspace of the selected effector.

use crate::view::Viewer;
use crate::view::frame::{Color, Frame, Line, Patch};
use crate::view::reach::{frame_of, shell};
use crate::view::theme::{Palette, faded};
use glam::{DVec3, Vec3};
use std::f32::consts::{PI, TAU};

/// Draws the workspace; in a race, around each figure.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    let scene = viewer.session().race().is_none().then_some(DVec3::ZERO);
    for offset in viewer.lane_offsets().into_iter().chain(scene) {
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
    const RINGS: usize = 24;
    const SIDES: usize = 48;
    let normal = |ring: usize, side: usize| {
        let (sin, cos) = (PI * ring as f32 / RINGS as f32).sin_cos();
        let (y, x) = (TAU * side as f32 / SIDES as f32).sin_cos();
        Vec3::new(sin * x, cos, sin * y)
    };
    let corner = |ring, side| (center + normal(ring, side) * radius, normal(ring, side), 0.0);
    let mut triangles = Vec::with_capacity(6 * RINGS * SIDES);
    for ring in 0..RINGS {
        for side in 0..SIDES {
            let [a, b] = [corner(ring, side), corner(ring, side + 1)];
            let [c, d] = [corner(ring + 1, side), corner(ring + 1, side + 1)];
            triangles.extend([a, c, b, b, c, d]);
        }
    }
    out.patches.push(Patch { triangles, color });
    let faint = faded(color, 120);
    for (u, v) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        let at = |k: usize| {
            let (sin, cos) = (TAU * (k % SIDES) as f32 / SIDES as f32).sin_cos();
            (center + (u * cos + v * sin) * radius, faint)
        };
        out.lines.push(Line { points: (0..=SIDES).map(at).collect(), width: 1.2, dash: None, on_top: false });
    }
}
