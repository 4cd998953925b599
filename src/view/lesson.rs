//! A lesson's step in the picture: the figure between two poses, the ghost of the one before, and the construction.

use super::frame::{Capsule, Color, Frame, Halo, Line, Material, Sphere};
use super::look::{POLISHED, Palette, SATIN, SHINING, faded};
use super::picture::{Build, build_of, joint_radius, link, sphere};
use super::{Camera, Stage};
use crate::session::lesson::{Lesson, Step};
use glam::{DVec3, Vec3};

/// Above this number of nodes only those are named that a step is about.
const NAMED: usize = 12;

/// Distance, of the reach, from which two labels do not cover each other.
const CLEAR: f64 = 0.025;

/// A word beside a place in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where, world.
    pub place: DVec3,
    /// What it says.
    pub text: String,
    /// How much weight it has.
    pub weight: LabelWeight,
}

/// How much weight a label has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelWeight {
    /// What the step is about.
    Strong,
    /// What stands around it.
    Plain,
    /// What was before.
    Faint,
}

/// Radii of a figure's nodes, and where they are shown.
struct Figure<'a> {
    step: Step<'a>,
    points: Vec<DVec3>,
    radii: Vec<f64>,
}

impl<'a> Figure<'a> {
    fn of(lesson: &'a Lesson, build: Build) -> Self {
        let step = lesson.step();
        let mut depths: Vec<f64> = Vec::new();
        for (parent, length) in step.figure().parents.iter().zip(&step.figure().lengths) {
            depths.push(parent.map_or(0.0, |parent| depths[parent]) + length);
        }
        let radii = depths.into_iter().map(|depth| joint_radius(build, depth)).collect();
        Figure { step, points: lesson.shown(), radii }
    }

    fn is_base(&self, node: usize) -> bool {
        self.step.figure().parents[node].is_none()
    }

    fn is_tip(&self, node: usize) -> bool {
        self.step.figure().is_effector(node)
    }

    fn size(&self, node: usize) -> f64 {
        self.radii[node]
            * if self.is_base(node) {
                1.5
            } else if self.is_tip(node) {
                0.8
            } else {
                1.0
            }
    }
}

/// Draws the open lesson's figure in place of the session's.
pub(super) fn lesson(stage: &Stage, lesson: &Lesson, palette: &Palette, out: &mut Frame) {
    let (tree, build) = build_of(stage, lesson.subject().island.joints[0]);
    let figure = Figure::of(lesson, build);
    ghost(stage, &figure, palette, out);
    body(stage, &figure, palette, palette.chain(tree), out);
    construction(stage, &figure, palette, out);
    aim(stage, &figure, palette, out);
}

/// The pose before the act, where it has been left.
fn ghost(stage: &Stage, figure: &Figure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, stage.space());
    let before = step.before();
    for (node, &parent) in step.figure().parents.iter().enumerate() {
        if !step.has_moved(node) && !parent.is_some_and(|parent| step.has_moved(parent)) {
            continue;
        }
        let place = space.drawn(before[node]);
        if step.has_moved(node) {
            out.spheres.push(Sphere {
                center: place,
                radius: (0.85 * figure.size(node)) as f32,
                color: palette.ghost,
                material: SATIN,
                shadow: false,
            });
        }
        if let Some(parent) = parent {
            let radius = |node: usize| (0.5 * figure.radii[node]) as f32;
            out.capsules.push(Capsule {
                a: (space.drawn(before[parent]), radius(parent)),
                b: (place, radius(node)),
                color: palette.ghost,
                material: SATIN,
                shadow: false,
            });
        }
    }
}

/// Joints and links as they stand; a link with one end moved is stretched and drawn as a mere line.
fn body(stage: &Stage, figure: &Figure<'_>, palette: &Palette, color: Color, out: &mut Frame) {
    let (step, space, style) = (figure.step, stage.space(), stage.display().links);
    let passes = !step.act().order.is_empty();
    for (node, &parent) in step.figure().parents.iter().enumerate() {
        let place = space.drawn(figure.points[node]);
        let is_new = step.has_moved(node);
        let is_subject = step.node() == Some(node);
        let is_limited = step.is_complete() && step.act().limited.contains(&node);
        let (shade, material) = match (is_subject, is_limited, figure.is_base(node)) {
            (true, ..) => (palette.construction, SHINING),
            (_, true, _) => (palette.joint_at_limit, POLISHED),
            (_, _, true) => (palette.base, POLISHED),
            _ => (palette.joint, POLISHED),
        };
        out.spheres.push(sphere(place, figure.size(node) as f32, shade, material));
        if is_subject {
            let radius = figure.size(node) as f32;
            out.halos.push(Halo {
                center: place,
                radius: radius * 3.0,
                color: faded(palette.construction, palette.halo_alpha),
            });
        }
        let Some(parent) = parent else { continue };
        let (near, far) = (space.drawn(figure.points[parent]), place);
        if passes && is_new != step.has_moved(parent) {
            let points = vec![(near, palette.construction), (far, palette.construction)];
            out.lines.push(Line { points, width: 2.0, dash: Some((3.0, 4.0)), on_top: false });
        } else {
            // What the pass has not come to yet steps back.
            let color = if passes && !is_new { mixed(color, palette.ghost) } else { color };
            link(style, (near, figure.radii[parent]), (far, figure.radii[node]), color, out);
        }
    }
}

/// Halfway between two colours.
fn mixed(a: Color, b: Color) -> Color {
    std::array::from_fn(|k| if k == 3 { 255 } else { a[k].midpoint(b[k]) })
}

/// The line that the joint slid along, the arc of its link's length, and the way it went.
fn construction(stage: &Stage, figure: &Figure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, stage.space());
    let Some(node) = step.node() else { return };
    let color = palette.construction;
    let (from, to) = (step.before()[node], step.act().points[node]);
    if let Some(slide) = step.slide() {
        let ahead = (slide.from - slide.anchor_place).normalize_or(slide.to - slide.anchor_place);
        let end = slide.from.distance(slide.anchor_place).max(slide.length) + 0.25 * slide.length;
        let line = [slide.anchor_place, slide.anchor_place + ahead * end];
        let points = line.into_iter().map(|point| (space.drawn(point), color)).collect();
        out.lines.push(Line { points, width: 1.6, dash: Some((8.0, 6.0)), on_top: true });
        let center = space.shown(slide.anchor_place);
        let points = arc(stage.camera(), center, space.shown(slide.ideal) - center);
        let points = points.map(|point| (point.as_vec3(), faded(color, 230))).collect();
        out.lines.push(Line { points, width: 2.4, dash: None, on_top: true });
        if slide.to.distance(slide.ideal) > 1e-3 * step.figure().reach {
            // A limit held it: where it would be without, and how far that is.
            let (ideal, to) = (space.drawn(slide.ideal), space.drawn(slide.to));
            let radius = (0.45 * figure.size(node)) as f32;
            let color = palette.joint_at_limit;
            out.spheres.push(Sphere {
                center: ideal,
                radius,
                color: faded(color, 150),
                material: SATIN,
                shadow: false,
            });
            out.lines.push(Line { points: vec![(ideal, color), (to, color)], width: 2.4, dash: None, on_top: true });
        }
    }
    wishes(stage, figure, color, out);
    arrow(space.drawn(from), space.drawn(to), figure.size(node) as f32, color, out);
}

/// Where the limbs of a sub-base would have it, and the middle of these places.
fn wishes(stage: &Stage, figure: &Figure<'_>, color: Color, out: &mut Frame) {
    let wishes = figure.step.wishes();
    let Some(node) = figure.step.node().filter(|_| !wishes.is_empty()) else { return };
    let middle = stage.space().drawn(wishes.iter().sum::<DVec3>() / wishes.len() as f64);
    let radius = (0.4 * figure.size(node)) as f32;
    for wish in wishes {
        let center = stage.space().drawn(wish);
        out.spheres.push(Sphere { center, radius, color: faded(color, 170), material: SATIN, shadow: false });
        let points = vec![(center, color), (middle, color)];
        out.lines.push(Line { points, width: 1.6, dash: Some((3.0, 3.0)), on_top: true });
    }
    out.spheres.push(Sphere { center: middle, radius, color, material: SHINING, shadow: false });
}

/// An arc through `center + radius`, in the plane that is seen widest.
fn arc(camera: Camera, center: DVec3, radius: DVec3) -> impl Iterator<Item = DVec3> {
    const HALF: f64 = 0.55;
    let forward = DVec3::from(camera.forward());
    let across = forward.cross(radius).normalize_or(radius.any_orthonormal_vector()) * radius.length();
    (0..=32).map(move |k| {
        let (sin, cos) = (HALF * (f64::from(k) / 16.0 - 1.0)).sin_cos();
        center + radius * cos + across * sin
    })
}

/// The way of the joint: a thin arrow, if it is long enough to be seen beside the spheres.
fn arrow(from: Vec3, to: Vec3, radius: f32, color: Color, out: &mut Frame) {
    let Some(direction) = (to - from).try_normalize() else { return };
    let length = from.distance(to);
    let (start, end) = (from + direction * radius, to - direction * (1.25 * radius));
    if length < 4.0 * radius {
        return;
    }
    let head = end - direction * (1.1 * radius);
    out.lines.push(Line { points: vec![(start, color), (head, color)], width: 3.0, dash: None, on_top: false });
    let material = Material { roughness: 0.6, glow: 0.35 };
    out.capsules.push(Capsule { a: (head, 0.45 * radius), b: (end, 0.04 * radius), color, material, shadow: false });
}

/// Where an accelerated pass aims, when that is not the target itself.
fn aim(stage: &Stage, figure: &Figure<'_>, palette: &Palette, out: &mut Frame) {
    let Some((aim, target)) = aimed(figure.step) else { return };
    let (aim, target) = (stage.space().drawn(aim), stage.space().drawn(target));
    let radius = (0.3 * figure.radii[figure.radii.len() - 1]) as f32;
    let material = SHINING;
    out.spheres.push(Sphere { center: aim, radius, color: palette.construction, material, shadow: false });
    let points = vec![(target, palette.construction), (aim, palette.construction)];
    out.lines.push(Line { points, width: 1.6, dash: Some((3.0, 3.0)), on_top: true });
}

/// The point that the act aims at and the target that it means, when they are not the same.
fn aimed(step: Step<'_>) -> Option<(DVec3, DVec3)> {
    use crate::ik::Move;
    use crate::session::lesson::ActKind;
    step.aims_beyond()?;
    let ActKind::Move(Move::Backward { aim }) = step.act().kind else { return None };
    Some((aim, step.figure().goals.first()?.1))
}

/// The names that go with the picture of the open lesson.
pub fn labels(lesson: &Lesson) -> Vec<Label> {
    let step = lesson.step();
    let points = lesson.shown();
    let slide = step.slide();
    let subject = step.node();
    let few = points.len() <= NAMED;
    let mut labels = Vec::new();
    for (node, &place) in points.iter().enumerate() {
        let is_end = step.figure().parents[node].is_none() || step.figure().is_effector(node);
        let is_near = subject == Some(node) || slide.is_some_and(|slide| slide.anchor == node);
        if few || is_end || is_near {
            let weight = if subject == Some(node) { LabelWeight::Strong } else { LabelWeight::Plain };
            labels.push(Label { place, text: step.label(node), weight });
        }
    }
    if let Some(node) = subject {
        let place = step.before()[node];
        if place.distance(points[node]) > CLEAR * step.figure().reach {
            labels.push(Label { place, text: step.label_before(node), weight: LabelWeight::Faint });
        }
    }
    if let Some(slide) = slide {
        let place = slide.anchor_place.midpoint(slide.to);
        if lesson.subject().chain.is_some() {
            let text = format!("d{}", slide.node.max(slide.anchor));
            labels.push(Label { place, text, weight: LabelWeight::Faint });
        }
    }
    let wishes = step.wishes();
    if let Some(node) = subject.filter(|_| !wishes.is_empty()) {
        let place = wishes.iter().sum::<DVec3>() / wishes.len() as f64;
        // Where it lies in the joint itself the joint's name stands there already.
        if place.distance(points[node]) > CLEAR * step.figure().reach {
            labels.push(Label { place, text: "centroid".to_owned(), weight: LabelWeight::Faint });
        }
    }
    labels
}
