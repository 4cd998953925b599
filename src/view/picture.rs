//! From a stage to a [`Frame`]: what each part of a scene looks like.

use super::frame::{Bounds, Capsule, Color, Floor, Frame, Halo, Line, Material, Sphere, View};
use super::look::{Palette, SATIN, SHINING, faded};
use super::sight::is_crowd;
use super::sizes::target_radius;
use super::surfaces;
use super::{LinkStyle, Projection, Stage, bones};
use crate::session::Session;
use crate::session::command::Show;
use crate::session::race::RaceLayout;
use fabrik3d_ik::at_limits;
use glam::{DVec3, Mat4, Vec3};

/// Radius of the ring of a target that asks for nothing, of what its ball would have.
const RIDING: f64 = 1.3;
/// Radius of the ball in the halo of such a target, which has none.
const NO_BALL: f32 = 1e-3;

/// All there is to draw of a stage.
pub(super) fn picture(stage: &Stage) -> Frame {
    let palette = stage.display().theme.palette();
    let camera = stage.camera();
    let (session, display) = (stage.session(), stage.display());
    let frames = session.scene().skeleton.frames(session.displayed());
    let mut frame = Frame {
        view: View {
            view_projection: Mat4::from_cols_array_2d(&camera.view_projection(stage.lens())),
            eye: DVec3::from(camera.eye()).as_vec3(),
            forward: DVec3::from(camera.forward()).as_vec3(),
            orthographic: camera.projection() == Projection::Orthographic,
        },
        look: stage.display().theme.look(),
        floor: Some(floor(stage)),
        bounds: Bounds { radius: stage.extent().radius * 1.5, ..stage.extent() },
        spheres: Vec::new(),
        capsules: Vec::new(),
        lines: Vec::new(),
        patches: Vec::new(),
        halos: Vec::new(),
        meshes: Vec::new(),
    };
    // A lesson or a race draws the selected effector's figure in its own way; figures of a race beside each other stand
    // where others may be.
    let hidden = session.covered();
    let everything: Vec<usize>;
    let absent = if session.race().is_some_and(|race| race.layout == RaceLayout::Beside) {
        everything = (0..frames.len()).collect();
        &everything
    } else {
        hidden
    };
    let stopped = joints_at_limits(stage.session());
    surfaces::draw(stage, &frames, &mut frame);
    let inside = surfaces::inside(stage);
    let unseen = if inside.is_empty() { absent } else { &inside };
    bones::draw(stage, &palette, &frames, (unseen, &stopped), &mut frame);
    if let Some(lesson) = session.lesson() {
        super::lesson::lesson(stage, lesson, &palette, &mut frame);
    }
    if let (Some(race), Some(&root)) = (session.race(), hidden.first()) {
        super::race::race(stage, race, root, &palette, &mut frame);
    }
    super::obstacles::draw(stage, &palette, &frames, &mut frame);
    if hidden.is_empty() {
        super::wishes::poles(stage, &palette, &frames, &mut frame);
        super::wishes::loops(stage, &palette, &frames, &mut frame);
        super::wishes::orientations(stage, &palette, &frames, &mut frame);
        super::wishes::stops(stage, &palette, &frames, &stopped, &mut frame);
    }
    // Amid the construction of a lesson a trail would only be one line more; in a race it is nobody's.
    if display.shows(Show::Trails) && hidden.is_empty() {
        trails(stage, &palette, &mut frame);
    }
    if display.shows(Show::Reach) {
        super::reach::draw(stage, &palette, &mut frame);
    }
    super::recorded::draw(stage, &palette, &mut frame);
    super::marks::selected_joint(stage, &palette, &frames, &mut frame);
    for effector in 0..session.targets().len() {
        target(stage, &palette, effector, &mut frame);
    }
    super::marks::gizmo(stage, &palette, &mut frame);
    if !display.shows(Show::Shadows) {
        frame.spheres.iter_mut().for_each(|sphere| sphere.shadow = false);
        frame.capsules.iter_mut().for_each(|capsule| capsule.shadow = false);
        frame.meshes.iter_mut().for_each(|mesh| mesh.shadow = false);
    }
    frame
}

fn floor(stage: &Stage) -> Floor {
    let extent = stage.extent();
    let display = stage.display();
    Floor {
        height: stage.ground().height,
        center: Vec3::new(extent.center.x, stage.ground().height, extent.center.z),
        radius: extent.radius * 4.0,
        cell: cell(extent.radius),
        grid: display.shows(Show::Grid),
        axes: display.shows(Show::Axes),
    }
}

/// The grid that dragged targets snap to: the minor lines on the floor.
pub(super) fn snap_step(stage: &Stage) -> f64 {
    f64::from(cell(stage.extent().radius)) / 4.0
}

/// Distance between major grid lines: 1, 2 or 5 times a power of ten, some four to the radius.
fn cell(radius: f32) -> f32 {
    let wanted = radius / 2.5;
    let power = 10_f32.powf(wanted.max(1e-12).log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().min_by(|a, b| {
        let off = |step: f32| (step * power / wanted).ln().abs();
        off(*a).total_cmp(&off(*b))
    });
    step.unwrap_or(1.0) * power
}

/// Nearness to a limit, radians or lengths, that is marked as standing at it.
const AT_LIMIT: f64 = 1e-3;

/// The joints that are shown at a limit, in ascending order.
pub fn joints_at_limits(session: &Session) -> Vec<usize> {
    let at = at_limits(&session.scene().skeleton, session.displayed(), AT_LIMIT);
    let mut joints: Vec<usize> = at.into_iter().map(|at| at.joint).collect();
    joints.dedup();
    joints
}

pub(super) fn link(style: LinkStyle, (a, near): (Vec3, f64), (b, far): (Vec3, f64), color: Color, out: &mut Frame) {
    let (thick, thin) = match style {
        LinkStyle::Bone => (0.72 * near, 0.52 * far),
        LinkStyle::Capsule => (0.45 * near, 0.45 * near),
        LinkStyle::Line => {
            out.lines.push(Line { points: vec![(a, color), (b, color)], width: 3.0, dash: None, on_top: false });
            return;
        }
    };
    out.capsules.push(Capsule { a: (a, thick as f32), b: (b, thin as f32), color, material: SATIN, shadow: true });
}

pub(super) fn sphere(center: Vec3, radius: f32, color: Color, material: Material) -> Sphere {
    Sphere { center, radius, color, material, shadow: true }
}

/// A target: sphere, halo, axes, and the line and ring on the floor that tell its depth.
fn target(stage: &Stage, palette: &Palette, effector: usize, out: &mut Frame) {
    let session = stage.session();
    let Some(place) = session.target(effector).position else { return };
    let selected = effector == session.selected() || session.all_selected();
    let crowd = is_crowd(session.targets().len());
    let radius = target_radius(stage, effector) as f32;
    let color = palette.target(if crowd { 0 } else { effector });
    if session.is_free(effector) {
        if selected && session.lesson().is_none() {
            let center = stage.space().drawn(session.displayed_tip(effector));
            let glow = faded(color, palette.halo_alpha);
            out.halos.push(Halo { center, radius: radius * 5.5, core: NO_BALL * radius, color: glow });
        }
        return riding(stage, session.displayed_tip(effector), (f64::from(radius), color, selected), out);
    }
    let center = stage.space().drawn(place);
    out.spheres.push(Sphere { center, radius, color, material: SHINING, shadow: false });
    if crowd && !selected {
        return;
    }
    // In a lesson joints and their names crowd at the target.
    let (wide, strength) = if session.lesson().is_some() { (3.0, 2) } else { (5.5, 1) };
    let strength = palette.halo_alpha / if selected { strength } else { 3 };
    out.halos.push(Halo { center, radius: radius * wide, core: radius, color: faded(color, strength) });
    drop_line(stage, center, radius, color, out);
}

/// A target that asks for nothing: a ring around its effector, where it can be taken.
fn riding(stage: &Stage, place: DVec3, (radius, color, selected): (f64, Color, bool), out: &mut Frame) {
    let (width, color) = if selected { (2.4, color) } else { (1.6, faded(color, 150)) };
    ring(stage, place, (RIDING * radius, width, color), out);
}

/// A ring that faces the eye, over everything.
fn ring(stage: &Stage, place: DVec3, (radius, width, color): (f64, f32, Color), out: &mut Frame) {
    let camera = stage.camera();
    let (center, right, up) = (stage.space().shown(place), DVec3::from(camera.right()), DVec3::from(camera.up()));
    let ring = (0..=32).map(|k| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k % 32) / 32.0).sin_cos();
        ((center + (right * cos + up * sin) * radius).as_vec3(), color)
    });
    out.lines.push(Line { points: ring.collect(), width, dash: None, on_top: true });
}

fn drop_line(stage: &Stage, center: Vec3, radius: f32, color: Color, out: &mut Frame) {
    let floor = stage.ground().height + 1e-3 * stage.extent().radius;
    let foot = Vec3::new(center.x, floor, center.z);
    let faint = faded(color, 150);
    let width = 1.5;
    out.lines.push(Line { points: vec![(center, faint), (foot, faint)], width, dash: Some((6.0, 5.0)), on_top: false });
    let ring = (0..=48).map(|k| {
        let (sin, cos) = (std::f32::consts::TAU * k as f32 / 48.0).sin_cos();
        (foot + Vec3::new(cos, 0.0, sin) * (radius * 1.6), faint)
    });
    out.lines.push(Line { points: ring.collect(), width, dash: None, on_top: false });
}

fn trails(stage: &Stage, palette: &Palette, out: &mut Frame) {
    for trail in stage.trails().filter(|trail| trail.len() > 1) {
        let last = trail.len() as f32;
        let points = trail.enumerate().map(|(k, point)| {
            let fade = (k as f32 / last).powf(1.5);
            (stage.space().drawn(point), faded(palette.trail, (fade * 200.0) as u8))
        });
        out.lines.push(Line { points: points.collect(), width: 1.8, dash: None, on_top: false });
    }
}
