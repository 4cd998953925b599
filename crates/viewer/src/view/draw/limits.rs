//! The limits of a joint: a cone for a swing, fans for a twist and a hinge, a rail for a slide.

use super::primitives::{MARK, PIECES, dashed, line, on_top};
use crate::view::Viewer;
use crate::view::frame::{Frame, Patch};
use crate::view::theme::{Palette, faded};
use fabrik3d_ik::{Coordinates, Interval, Isometry, Kind, Swing};
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::TAU;

/// Position of a twist's fan along the link, its radius, and half the length of a hinge's axis; in units of `size`.
const TWIST_POSITION: f64 = 0.5;
const TWIST_RADIUS: f64 = 0.3;
const HINGE_AXIS: f64 = 0.45;

/// Draws the limits of a joint in a pose with these frames of all joints.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, frames: &[Isometry], joint: usize, out: &mut Frame) {
    let (skeleton, space) = (&viewer.session().scene().skeleton, viewer.space());
    let parent = skeleton.joints()[joint].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
    let rest = skeleton.rest_frame(joint, parent);
    let size = size(viewer, frames, joint);
    let shown = |point: DVec3| space.drawn(point);
    let apex = shown(rest.position);
    let kind = skeleton.joints()[joint].kind;
    let turn = rest.rotation.conjugate() * frames[joint].rotation;
    match kind {
        Kind::Ball { swing, twist } => {
            let coordinates = Kind::ball_coordinates(turn);
            if let Some(swing) = swing {
                let border = cone(swing).map(|direction| shown(rest.point(direction * size))).collect();
                fan(apex, border, palette, out);
            }
            if let Some(range) = twist.filter(|range| range.high() > range.low()) {
                let swung = rest.rotation * kind.rotation(&Coordinates::ball(coordinates.tilt(), 0.0));
                let center = rest.position + swung * (DVec3::Z * (TWIST_POSITION * size));
                let arm = |angle: f64| {
                    let (sin, cos) = angle.sin_cos();
                    shown(center + swung * (DVec3::new(cos, sin, 0.0) * (TWIST_RADIUS * size)))
                };
                fan(shown(center), angles(range).map(arm).collect(), palette, out);
                needle(shown(center), arm(coordinates.twist()), palette, out);
            }
        }
        Kind::Hinge { axis, range } => {
            let arm = hinge_arm(axis, viewer, frames, joint);
            let now = 2.0 * turn.xyz().dot(axis).atan2(turn.w);
            let turned = |angle: f64| shown(rest.point(DQuat::from_axis_angle(axis, angle) * arm * size));
            let pin = [-HINGE_AXIS, HINGE_AXIS].map(|share| shown(rest.point(axis * (share * size))));
            out.lines.push(on_top(dashed(line(pin, faded(palette.limit, 235), 1.6), (8.0, 4.0))));
            if let Some(range) = range {
                fan(apex, angles(range).map(turned).collect(), palette, out);
                needle(apex, turned(now), palette, out);
            }
        }
        Kind::Slide { axis, range: Some(range) } => {
            let ends = [range.low(), range.high()].map(|along| space.shown(rest.point(axis * along)));
            out.lines.push(on_top(line(ends.map(|end| end.as_vec3()), faded(palette.limit, 235), 4.0)));
            let way = space.shown(rest.rotation * axis);
            let across = way.cross(viewer.camera().forward()).normalize_or(DVec3::Y);
            for end in ends {
                let half = across * (MARK * viewer.height_at(end));
                let bar = [end - half, end + half].map(|point| point.as_vec3());
                out.lines.push(on_top(line(bar, faded(palette.limit, 255), 3.0)));
            }
        }
        _ => {}
    }
}

/// Size of the drawing: most of the distance to what the joint carries.
fn size(viewer: &Viewer, frames: &[Isometry], joint: usize) -> f64 {
    let scene = viewer.session().scene();
    let position = frames[joint].position;
    let longest = carried(scene, frames, joint).map(|end| end.distance(position)).fold(0.0, f64::max);
    let least = 0.05 * viewer.height_at(viewer.space().shown(position));
    (0.7 * longest).max(least)
}

/// The ends of the links that move with a joint: the joints below it, and tips.
pub(in crate::view) fn carried(scene: &Scene, frames: &[Isometry], joint: usize) -> impl Iterator<Item = DVec3> {
    let children = scene.skeleton.children(joint).iter().map(|&child| frames[child].position);
    let tips = scene.link_ends().filter(move |end| end.0 == joint);
    children.chain(tips.map(move |end| frames[joint].point(end.1)))
}

/// Directions of the link axis (+z at rest) along the border of a swing.
fn cone(swing: Swing) -> impl Iterator<Item = DVec3> {
    (0..=PIECES).map(move |k| {
        let (sin, cos) = (TAU * (k % PIECES) as f64 / PIECES as f64).sin_cos();
        let [ex, ey] = swing.extents([cos, sin]);
        let [a, b] = [ex * cos, ey * sin];
        DQuat::from_scaled_axis(DVec3::new(-b, a, 0.0)) * DVec3::Z
    })
}

/// The direction, perpendicular to a hinge's axis, of what the hinge carries at angle zero.
fn hinge_arm(axis: DVec3, viewer: &Viewer, frames: &[Isometry], joint: usize) -> DVec3 {
    let end = carried(viewer.session().scene(), frames, joint).next();
    let carried = end.map_or(DVec3::Z, |end| frames[joint].rotation.inverse() * (end - frames[joint].position));
    let arm = carried.reject_from_normalized(axis).try_normalize();
    arm.unwrap_or_else(|| axis.any_orthonormal_vector())
}

/// Angles from one end of a range to the other; at most a full turn.
fn angles(range: Interval) -> impl Iterator<Item = f64> {
    let span = (range.high() - range.low()).min(TAU);
    (0..=PIECES).map(move |k| range.low() + span * k as f64 / PIECES as f64)
}

/// A translucent surface from the apex to a bright border.
fn fan(apex: Vec3, border: Vec<Vec3>, palette: &Palette, out: &mut Frame) {
    let mut triangles = Vec::with_capacity(3 * border.len());
    for pair in border.windows(2) {
        let normal = (pair[0] - apex).cross(pair[1] - apex).normalize_or(Vec3::Y);
        triangles.extend([(apex, normal, 0.0), (pair[0], normal, 1.0), (pair[1], normal, 1.0)]);
    }
    out.patches.push(Patch { triangles, color: palette.limit });
    out.lines.push(line(border, faded(palette.limit, 235), 1.8));
}

/// The present angle in a fan.
fn needle(from: Vec3, to: Vec3, palette: &Palette, out: &mut Frame) {
    out.lines.push(on_top(line([from, to], faded(palette.limit, 255), 2.2)));
}
