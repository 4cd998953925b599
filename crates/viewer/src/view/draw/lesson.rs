//! A step of a lesson: the figure between two poses, the pose before as a ghost, and the construction of the step.

use super::limits;
use super::primitives::{FAINT, dashed, line, link, on_top, sphere};
use crate::session::command::Show;
use crate::session::lesson::{Lesson, LessonStep, NodeSlide};
use crate::view::frame::{Capsule, Color, Frame, Halo, Material, Sphere};
use crate::view::sizes::{BASE, Tree, radii, trees};
use crate::view::theme::{POLISHED, Palette, SATIN, SHINING, faded, mixed};
use crate::view::{Camera, LinkStyle, Viewer};
use fabrik3d_ik::fabrik::observer::SolveEvent;
use glam::{DVec3, Vec3};

/// How much of its colour a limb loses that the step is not about, its opacity, and its share of the thickness.
const FAINT_ALPHA: u8 = 120;
const THIN: f64 = 0.5;

/// A lesson's figure at the present step: where its nodes are shown and how large they are.
pub(in crate::view) struct ShownFigure<'a> {
    pub step: LessonStep<'a>,
    pub points: Vec<DVec3>,
    radii: Vec<f64>,
    tree: Tree,
    /// For each node, whether it belongs to the limb that the step is about.
    pub in_limb: Vec<bool>,
}

impl<'a> ShownFigure<'a> {
    /// The figure of a lesson.
    pub fn of(viewer: &Viewer, lesson: &'a Lesson) -> Self {
        let tree = trees(viewer)[lesson.subject().figure.joints()[0]];
        let step = lesson.step();
        let figure = step.figure();
        let radii = radii(&figure.parents, &figure.lengths, |_| tree);
        let limb = viewer.session().lesson_limb();
        let in_limb = limb.map_or_else(|| vec![true; figure.len()], |end| figure.limb(end));
        ShownFigure { step, points: lesson.shown(), radii, tree, in_limb }
    }

    pub fn is_base(&self, node: usize) -> bool {
        self.step.figure().parents[node].is_none()
    }

    pub fn is_tip(&self, node: usize) -> bool {
        self.step.figure().is_effector(node)
    }

    /// Radius of a link at a node. Limbs that the step is not about are thin.
    fn radius(&self, node: usize) -> f64 {
        if self.in_limb[node] { self.radii[node] } else { THIN * self.radii[node] }
    }

    /// Radius of the sphere of a node.
    pub fn size(&self, node: usize) -> f64 {
        let factor = match node {
            _ if self.is_base(node) => BASE,
            _ if self.is_tip(node) => 0.8,
            _ => 1.0,
        };
        self.radius(node) * factor
    }
}

/// Draws the open lesson's figure in place of the session's.
pub(super) fn draw(viewer: &Viewer, lesson: &Lesson, palette: &Palette, out: &mut Frame) {
    let figure = ShownFigure::of(viewer, lesson);
    ghost(viewer, &figure, palette, out);
    body(viewer, &figure, palette, out);
    construction(viewer, &figure, palette, out);
    overshoot(viewer, &figure, palette, out);
}

/// The pose before the pass where nodes have left it, thinner than the figure so that it covers nothing.
fn ghost(viewer: &Viewer, figure: &ShownFigure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, viewer.space());
    let before = step.before();
    for (node, &parent) in step.figure().parents.iter().enumerate() {
        if !step.has_moved(node) && !parent.is_some_and(|parent| step.has_moved(parent)) {
            continue;
        }
        let place = space.drawn(before[node]);
        if step.has_moved(node) {
            out.spheres.push(unshadowed(place, (0.7 * figure.size(node)) as f32, palette.ghost));
        }
        let Some(parent) = parent else { continue };
        let start = space.drawn(before[parent]);
        if viewer.display().links == LinkStyle::Line {
            out.lines.push(line([start, place], palette.ghost, 2.0));
        } else {
            let radius = |node: usize| (0.3 * figure.radii[node]) as f32;
            out.capsules.push(ghost_link((start, radius(parent)), (place, radius(node)), palette.ghost));
        }
    }
}

fn unshadowed(center: Vec3, radius: f32, color: Color) -> Sphere {
    Sphere { shadow: false, ..sphere(center, radius, color, SATIN) }
}

fn ghost_link(a: (Vec3, f32), b: (Vec3, f32), color: Color) -> Capsule {
    Capsule { a, b, color, material: SATIN, shadow: false }
}

/// Present joints and links. A link with only one end moved is stretched, so it is drawn as a thin line.
fn body(viewer: &Viewer, figure: &ShownFigure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, viewer.space());
    let is_pass = !step.phase().order.is_empty();
    let style = match viewer.display().links {
        LinkStyle::Bone if figure.tree.dense => LinkStyle::Capsule,
        style => style,
    };
    for (node, &parent) in step.figure().parents.iter().enumerate() {
        let place = space.drawn(figure.points[node]);
        let is_new = step.has_moved(node);
        let is_subject = step.node() == Some(node);
        let is_faint = !figure.in_limb[node];
        let is_limited = step.is_complete() && step.is_limited(node);
        // Links that the pass has not reached yet are paler.
        let plain = palette.chain(figure.tree.number);
        let color = match is_faint {
            true => faint(plain, palette),
            false if is_pass && !is_new => faded(mixed(plain, palette.ghost, 0.5), 255),
            false => plain,
        };
        let (shade, material) = match (is_subject, is_limited, figure.is_base(node)) {
            (true, ..) => (palette.construction, SHINING),
            _ if is_faint => (faint(palette.joint, palette), SATIN),
            (_, true, _) => (palette.joint_at_limit, POLISHED),
            (_, _, true) => (palette.base, POLISHED),
            // The joints of a tube would cover its links.
            _ if figure.tree.dense => (color, SATIN),
            _ => (palette.joint, POLISHED),
        };
        let radius = figure.size(node) as f32;
        out.spheres.push(sphere(place, radius, shade, material));
        if is_subject {
            let color = faded(palette.construction, palette.halo_alpha / 2);
            out.halos.push(Halo { center: place, radius: radius * 2.4, core: radius, color });
        }
        let Some(parent) = parent else { continue };
        let near = space.drawn(figure.points[parent]);
        if is_pass && is_new != step.has_moved(parent) {
            out.lines.push(dashed(line([near, place], palette.construction, 2.0), (3.0, 4.0)));
        } else {
            link(style, (near, figure.radius(parent)), (place, figure.radius(node)), color, out);
        }
    }
}

/// The colour of a limb that the step is not about.
fn faint(color: Color, palette: &Palette) -> Color {
    faded(mixed(color, palette.ghost, FAINT), FAINT_ALPHA)
}

/// The line along which the joint slides, the arc of its link's length, and its path; of a whole pass, the paths of all joints.
fn construction(viewer: &Viewer, figure: &ShownFigure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, viewer.space());
    let color = palette.construction;
    let mut path = |node: usize| {
        let [from, to] = [step.before()[node], step.phase().points[node]].map(|point| space.drawn(point));
        arrow(from, to, figure.size(node) as f32, color, out);
    };
    let Some(node) = step.node() else {
        if step.is_pass() {
            (0..step.figure().len()).for_each(path);
        }
        return;
    };
    path(node);
    if let Some(slide) = slide_line(step) {
        let ahead = (slide.from - slide.anchor_place).normalize_or(slide.to - slide.anchor_place);
        let end = slide.from.distance(slide.anchor_place).max(slide.length) + 0.25 * slide.length;
        let ends = [slide.anchor_place, slide.anchor_place + ahead * end].map(|point| space.drawn(point));
        out.lines.push(on_top(dashed(line(ends, color, 1.6), (8.0, 6.0))));
        let center = space.shown(slide.anchor_place);
        let points = arc(viewer.camera(), center, space.shown(slide.ideal) - center).map(|point| point.as_vec3());
        out.lines.push(on_top(line(points, faded(color, 230), 2.4)));
        if is_held_back(step, &slide) {
            held_back(viewer, figure, &slide, palette, out);
        }
    }
    proposals(viewer, figure, color, out);
}

/// The line along which a joint slides; none for a sub-base, which moves to the centroid of its branches' proposals.
pub(in crate::view) fn slide_line(step: LessonStep<'_>) -> Option<NodeSlide> {
    step.slide().filter(|_| step.branch_positions().is_empty())
}

/// Whether limits or an obstacle keep a joint visibly off its line.
pub(in crate::view) fn is_held_back(step: LessonStep<'_>, slide: &NodeSlide) -> bool {
    slide.to.distance(slide.ideal) > 1e-3 * step.figure().reach
}

/// A joint that limits or an obstacle keep off its line: where it would be otherwise, the distance, and the limits responsible.
fn held_back(viewer: &Viewer, figure: &ShownFigure<'_>, slide: &NodeSlide, palette: &Palette, out: &mut Frame) {
    let space = viewer.space();
    let [anchor, ideal, to] = [slide.anchor_place, slide.ideal, slide.to].map(|point| space.drawn(point));
    let color = palette.joint_at_limit;
    out.spheres.push(unshadowed(ideal, (0.8 * figure.size(slide.node)) as f32, faded(color, 110)));
    let radius = |node: usize| (0.3 * figure.radii[node]) as f32;
    out.capsules.push(ghost_link((anchor, radius(slide.anchor)), (ideal, radius(slide.node)), faded(color, 80)));
    out.lines.push(on_top(dashed(line([ideal, to], color, 2.4), (3.0, 3.0))));
    let Some(hold) = figure.step.blocking_joints().filter(|_| viewer.display().shows(Show::Limits)) else { return };
    let session = viewer.session();
    let mut frames = session.scene().skeleton.frames(session.displayed());
    hold.frames.into_iter().for_each(|(joint, frame)| frames[joint] = frame);
    for joint in hold.joints {
        limits::draw(viewer, palette, &frames, joint, out);
    }
}

/// The positions that the branches of a sub-base propose for it, and their centroid.
fn proposals(viewer: &Viewer, figure: &ShownFigure<'_>, color: Color, out: &mut Frame) {
    let proposals = figure.step.branch_positions();
    let Some(node) = figure.step.node().filter(|_| !proposals.is_empty()) else { return };
    let middle = viewer.space().drawn(centroid(&proposals));
    let radius = (0.4 * figure.size(node)) as f32;
    for (_, proposal) in proposals {
        let center = viewer.space().drawn(proposal);
        out.spheres.push(unshadowed(center, radius, faded(color, 170)));
        out.lines.push(on_top(dashed(line([center, middle], color, 1.6), (3.0, 3.0))));
    }
    out.spheres.push(Sphere { center: middle, radius, color, material: SHINING, shadow: false });
}

/// The centroid of proposed positions.
pub(in crate::view) fn centroid(proposals: &[(usize, DVec3)]) -> DVec3 {
    proposals.iter().map(|(_, place)| *place).sum::<DVec3>() / proposals.len() as f64
}

/// An arc through `center + radius`, in the plane that appears widest.
fn arc(camera: Camera, center: DVec3, radius: DVec3) -> impl Iterator<Item = DVec3> {
    /// Half of its angle, radians.
    const HALF: f64 = 0.55;
    let forward = camera.forward();
    let across = forward.cross(radius).normalize_or(radius.any_orthonormal_vector()) * radius.length();
    (0..=32).map(move |k| {
        let (sin, cos) = (HALF * (f64::from(k) / 16.0 - 1.0)).sin_cos();
        center + radius * cos + across * sin
    })
}

/// A thin arrow along the path of a joint of this radius, if it is long enough to be seen beside the spheres.
fn arrow(from: Vec3, to: Vec3, radius: f32, color: Color, out: &mut Frame) {
    let Some(direction) = (to - from).try_normalize() else { return };
    if from.distance(to) < 4.0 * radius {
        return;
    }
    let (start, end) = (from + direction * radius, to - direction * (1.25 * radius));
    let head = end - direction * (1.1 * radius);
    out.lines.push(line([start, head], color, 3.0));
    let material = Material { roughness: 0.6, glow: 0.35 };
    out.capsules.push(Capsule { a: (head, 0.45 * radius), b: (end, 0.04 * radius), color, material, shadow: false });
}

/// The point beyond the target that an accelerated pass aims at, unless both coincide.
fn overshoot(viewer: &Viewer, figure: &ShownFigure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, viewer.space());
    let (Some(_), Some(SolveEvent::Backward { target: aim })) = (step.overshoot(), step.phase().event) else { return };
    let Some((_, target)) = step.figure().goals.first() else { return };
    let (aim, target) = (space.drawn(aim), space.drawn(*target));
    let radius = (0.3 * figure.radii[figure.radii.len() - 1]) as f32;
    out.spheres.push(Sphere { center: aim, radius, color: palette.construction, material: SHINING, shadow: false });
    out.lines.push(on_top(dashed(line([target, aim], palette.construction, 1.6), (3.0, 3.0))));
}
