//! The limits of a joint as shapes: a cone for a swing, fans for a twist and a hinge, a rail for a slide.

use super::Stage;
use super::frame::{Frame, Line, Patch};
use super::look::{Palette, faded};
use fabrik3d_ik::{Coordinates, Interval, Isometry, Kind, Swing};
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::TAU;

/// Straight pieces of a border.
const PIECES: usize = 72;

/// Where the fan of a twist lies along the link, and its radius; half of a hinge's axis: of the size of the limits.
const TWIST_PLACE: f64 = 0.5;
const TWIST_SIZE: f64 = 0.3;
const AXIS: f64 = 0.45;
/// Half of the bar at the end of a slide, of the picture's height.
const STOP: f64 = 0.012;

/// Draws the limits of a joint in a pose with these frames (one a joint of the skeleton).
pub(super) fn draw(stage: &Stage, palette: &Palette, frames: &[Isometry], joint: usize, out: &mut Frame) {
    let skeleton = &stage.session().scene().skeleton;
    let parent = skeleton.joints()[joint].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
    let rest = skeleton.rest_frame(joint, parent);
    let size = size(stage, frames, joint);
    let shown = |point: DVec3| stage.space().drawn(point);
    let apex = shown(rest.position);
    let kind = skeleton.joints()[joint].kind;
    let turn = rest.rotation.conjugate() * frames[joint].rotation;
    match kind {
        Kind::Ball { swing, twist } => {
            let coordinates = Kind::ball_coordinates(turn);
            if let Some(swing) = swing {
                let border = cone(swing).map(|direction| shown(rest.point(direction * size))).collect();
                film(apex, border, palette, out);
            }
            if let Some(range) = twist.filter(|range| range.high() > range.low()) {
                let swung = rest.rotation * kind.rotation(&Coordinates::ball(coordinates.tilt(), 0.0));
                let center = rest.position + swung * (DVec3::Z * (TWIST_PLACE * size));
                let arm = |angle: f64| {
                    let (sin, cos) = angle.sin_cos();
                    shown(center + swung * (DVec3::new(cos, sin, 0.0) * (TWIST_SIZE * size)))
                };
                film(shown(center), between(range).map(arm).collect(), palette, out);
                needle(shown(center), arm(coordinates.twist()), palette, out);
            }
        }
        Kind::Hinge { axis, range } => {
            let arm = hinge_arm(axis, stage, frames, joint);
            let now = 2.0 * turn.xyz().dot(axis).atan2(turn.w);
            let turned = |angle: f64| shown(rest.point(DQuat::from_axis_angle(axis, angle) * arm * size));
            let pin = [-AXIS, AXIS].map(|share| (shown(rest.point(axis * (share * size))), faded(palette.limit, 235)));
            out.lines.push(Line { points: pin.to_vec(), width: 1.6, dash: Some((8.0, 4.0)), on_top: true });
            if let Some(range) = range {
                film(apex, between(range).map(turned).collect(), palette, out);
                needle(apex, turned(now), palette, out);
            }
        }
        Kind::Slide { axis, range: Some(range) } => {
            let ends = [range.low(), range.high()].map(|along| stage.space().shown(rest.point(axis * along)));
            let points = ends.map(|point| (point.as_vec3(), faded(palette.limit, 235))).to_vec();
            out.lines.push(Line { points, width: 4.0, dash: None, on_top: true });
            let way = stage.space().shown(rest.rotation * axis);
            let across = way.cross(DVec3::from(stage.camera().forward())).normalize_or(DVec3::Y);
            for end in ends {
                let reach = across * (STOP * stage.camera().pixel_at(end.to_array(), 1.0));
                let points = [end - reach, end + reach].map(|point| (point.as_vec3(), faded(palette.limit, 255)));
                out.lines.push(Line { points: points.to_vec(), width: 3.0, dash: None, on_top: true });
            }
        }
        _ => {}
    }
}

/// How large to draw: most of the way to what the joint carries.
fn size(stage: &Stage, frames: &[Isometry], joint: usize) -> f64 {
    let scene = stage.session().scene();
    let place = frames[joint].position;
    let children = scene.skeleton.children(joint).iter().map(|&child| frames[child].position);
    let tips = scene.effectors.iter().filter(|effector| effector.effector.joint == joint);
    let ends = children.chain(tips.map(|effector| frames[joint].point(effector.effector.tip)));
    let longest = ends.map(|end| end.distance(place)).fold(0.0, f64::max);
    let least = 0.05 * stage.camera().pixel_at(stage.space().shown(place).to_array(), 1.0);
    (0.7 * longest).max(least)
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

/// The direction, square to a hinge's axis, in which what it carries lies at angle zero.
fn hinge_arm(axis: DVec3, stage: &Stage, frames: &[Isometry], joint: usize) -> DVec3 {
    let scene = stage.session().scene();
    let child = scene.skeleton.children(joint).first().map(|&child| frames[child].position);
    let tip = scene.effectors.iter().find(|effector| effector.effector.joint == joint);
    let end = child.or(tip.map(|effector| frames[joint].point(effector.effector.tip)));
    let carried = end.map_or(DVec3::Z, |end| frames[joint].rotation.inverse() * (end - frames[joint].position));
    let arm = carried.reject_from_normalized(axis).try_normalize();
    arm.unwrap_or_else(|| axis.any_orthonormal_vector())
}

/// Angles from one end of a range to the other; a full turn at most.
fn between(range: Interval) -> impl Iterator<Item = f64> {
    let span = (range.high() - range.low()).min(TAU);
    (0..=PIECES).map(move |k| range.low() + span * k as f64 / PIECES as f64)
}

/// A translucent surface from the apex to a border, which is drawn bright.
fn film(apex: Vec3, border: Vec<Vec3>, palette: &Palette, out: &mut Frame) {
    let mut triangles = Vec::with_capacity(3 * border.len());
    for pair in border.windows(2) {
        let normal = (pair[0] - apex).cross(pair[1] - apex).normalize_or(Vec3::Y);
        triangles.extend([(apex, normal, 0.0), (pair[0], normal, 1.0), (pair[1], normal, 1.0)]);
    }
    out.patches.push(Patch { triangles, color: palette.limit });
    let points = border.into_iter().map(|point| (point, faded(palette.limit, 235))).collect();
    out.lines.push(Line { points, width: 1.8, dash: None, on_top: false });
}

/// The present angle of a hinge in its fan.
fn needle(from: Vec3, to: Vec3, palette: &Palette, out: &mut Frame) {
    let color = faded(palette.limit, 255);
    out.lines.push(Line { points: vec![(from, color), (to, color)], width: 2.2, dash: None, on_top: true });
}
