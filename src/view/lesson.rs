//! A lesson's step in the picture: the figure between two poses, the ghost of the one before, and the construction.

use super::frame::{Capsule, Color, Frame, Halo, Line, Material, Sphere};
use super::look::{POLISHED, Palette, SATIN, SHINING, faded};
use super::picture::{link, sphere};
use super::sizes::{BASE, Tree, radii, tree_of};
use super::{Camera, LinkStyle, Stage};
use crate::session::command::Show;
use crate::session::lesson::{Freedom, Lesson, Slide, Step};
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
    /// Radius of what stands there, which it keeps clear of; world units.
    pub radius: f64,
    /// What it says.
    pub text: String,
    /// How much weight it has.
    pub weight: LabelWeight,
}

/// How much weight a label has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelWeight {
    /// What a whole figure is called: it stands below its place.
    Caption,
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
    fn of(lesson: &'a Lesson, tree: Tree) -> Self {
        let step = lesson.step();
        let radii = radii(&step.figure().parents, &step.figure().lengths, |_| tree);
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
                BASE
            } else if self.is_tip(node) {
                0.8
            } else {
                1.0
            }
    }
}

/// Draws the open lesson's figure in place of the session's.
pub(super) fn lesson(stage: &Stage, lesson: &Lesson, palette: &Palette, out: &mut Frame) {
    let (number, tree) = tree_of(stage, lesson.subject().island.joints[0]);
    let figure = Figure::of(lesson, tree);
    ghost(stage, &figure, palette, out);
    body(stage, &figure, palette, palette.chain(number), out);
    construction(stage, &figure, palette, out);
    aim(stage, &figure, palette, out);
}

/// The pose before the act, where it has been left: thinner than the figure, so that it covers nothing of it.
fn ghost(stage: &Stage, figure: &Figure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, stage.space());
    let before = step.before();
    for (node, &parent) in step.figure().parents.iter().enumerate() {
        if !step.has_moved(node) && !parent.is_some_and(|parent| step.has_moved(parent)) {
            continue;
        }
        let place = space.drawn(before[node]);
        if step.has_moved(node) {
            let radius = (0.7 * figure.size(node)) as f32;
            out.spheres.push(phantom(place, radius, palette.ghost));
        }
        let Some(parent) = parent else { continue };
        let start = space.drawn(before[parent]);
        if stage.display().links == LinkStyle::Line {
            let points = vec![(start, palette.ghost), (place, palette.ghost)];
            out.lines.push(Line { points, width: 2.0, dash: None, on_top: false });
        } else {
            let radius = |node: usize| (0.3 * figure.radii[node]) as f32;
            let (a, b) = ((start, radius(parent)), (place, radius(node)));
            out.capsules.push(Capsule { a, b, color: palette.ghost, material: SATIN, shadow: false });
        }
    }
}

/// A sphere that is not there.
fn phantom(center: Vec3, radius: f32, color: Color) -> Sphere {
    Sphere { center, radius, color, material: SATIN, shadow: false }
}

/// Joints and links as they stand; a link with one end moved is stretched and drawn as a mere line.
fn body(stage: &Stage, figure: &Figure<'_>, palette: &Palette, color: Color, out: &mut Frame) {
    let (step, space, style) = (figure.step, stage.space(), stage.display().links);
    let passes = !step.act().order.is_empty();
    for (node, &parent) in step.figure().parents.iter().enumerate() {
        let place = space.drawn(figure.points[node]);
        let is_new = step.has_moved(node);
        let is_subject = step.node() == Some(node);
        let is_limited = step.is_complete() && step.is_limited(node);
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
                radius: radius * 2.4,
                core: radius,
                color: faded(palette.construction, palette.halo_alpha / 2),
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

/// The line that the joint slid along, the arc of its link's length, and the way it went; of a whole pass the ways of
/// all joints.
fn construction(stage: &Stage, figure: &Figure<'_>, palette: &Palette, out: &mut Frame) {
    let (step, space) = (figure.step, stage.space());
    let color = palette.construction;
    let mut way = |node: usize| {
        let [from, to] = [step.before()[node], step.act().points[node]].map(|point| space.drawn(point));
        arrow(from, to, figure.size(node) as f32, color, out);
    };
    let Some(node) = step.node() else {
        if step.is_pass() {
            (0..step.figure().len()).for_each(way);
        }
        return;
    };
    way(node);
    if let Some(slide) = line(step) {
        let ahead = (slide.from - slide.anchor_place).normalize_or(slide.to - slide.anchor_place);
        let end = slide.from.distance(slide.anchor_place).max(slide.length) + 0.25 * slide.length;
        let line = [slide.anchor_place, slide.anchor_place + ahead * end];
        let points = line.into_iter().map(|point| (space.drawn(point), color)).collect();
        out.lines.push(Line { points, width: 1.6, dash: Some((8.0, 6.0)), on_top: true });
        let center = space.shown(slide.anchor_place);
        let points = arc(stage.camera(), center, space.shown(slide.ideal) - center);
        let points = points.map(|point| (point.as_vec3(), faded(color, 230))).collect();
        out.lines.push(Line { points, width: 2.4, dash: None, on_top: true });
        if is_held(step, &slide) {
            held(stage, figure, &slide, palette, out);
        }
    }
    wishes(stage, figure, color, out);
}

/// The line along which a joint slides; none where a sub-base goes between the lines of its limbs.
fn line(step: Step<'_>) -> Option<Slide> {
    step.slide().filter(|_| step.wishes().is_empty())
}

/// Whether a joint stands so far beside its line that it is seen.
fn is_held(step: Step<'_>, slide: &Slide) -> bool {
    slide.to.distance(slide.ideal) > 1e-3 * step.figure().reach
}

/// What holds a joint beside its line: where it would be without, how far that is, and the limits that do it.
fn held(stage: &Stage, figure: &Figure<'_>, slide: &Slide, palette: &Palette, out: &mut Frame) {
    let space = stage.space();
    let [anchor, ideal, to] = [slide.anchor_place, slide.ideal, slide.to].map(|point| space.drawn(point));
    let color = palette.joint_at_limit;
    out.spheres.push(phantom(ideal, (0.8 * figure.size(slide.node)) as f32, faded(color, 110)));
    let radius = |node: usize| (0.3 * figure.radii[node]) as f32;
    let (a, b) = ((anchor, radius(slide.anchor)), (ideal, radius(slide.node)));
    out.capsules.push(Capsule { a, b, color: faded(color, 80), material: SATIN, shadow: false });
    out.lines.push(Line {
        points: vec![(ideal, color), (to, color)],
        width: 2.4,
        dash: Some((3.0, 3.0)),
        on_top: true,
    });
    let Some(hold) = figure.step.hold().filter(|_| stage.display().shows(Show::Limits)) else { return };
    let session = stage.session();
    let mut frames = session.scene().skeleton.frames(session.displayed());
    hold.frames.into_iter().for_each(|(joint, frame)| frames[joint] = frame);
    for joint in hold.joints {
        super::limits::draw(stage, palette, &frames, joint, out);
    }
}

/// Where the limbs of a sub-base would have it, and the middle of these places.
fn wishes(stage: &Stage, figure: &Figure<'_>, color: Color, out: &mut Frame) {
    let wishes = figure.step.wishes();
    let Some(node) = figure.step.node().filter(|_| !wishes.is_empty()) else { return };
    let middle = stage.space().drawn(middle(&wishes));
    let radius = (0.4 * figure.size(node)) as f32;
    for (_, wish) in wishes {
        let center = stage.space().drawn(wish);
        out.spheres.push(Sphere { center, radius, color: faded(color, 170), material: SATIN, shadow: false });
        let points = vec![(center, color), (middle, color)];
        out.lines.push(Line { points, width: 1.6, dash: Some((3.0, 3.0)), on_top: true });
    }
    out.spheres.push(Sphere { center: middle, radius, color, material: SHINING, shadow: false });
}

fn middle(wishes: &[(usize, DVec3)]) -> DVec3 {
    wishes.iter().map(|(_, place)| *place).sum::<DVec3>() / wishes.len() as f64
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
    use crate::session::lesson::ActKind;
    use fabrik3d_ik::SolveEvent as Move;
    step.aims_beyond()?;
    let ActKind::Move(Move::Backward { target: aim }) = step.act().kind else { return None };
    Some((aim, step.figure().goals.first()?.1))
}

/// The names that go with the picture of the open lesson, those that matter most first: the joint of the step with what
/// the step did to it, the joint that it hangs on, what pulls, the bases, and what else can move. What is fixed in between
/// is not named.
pub fn labels(stage: &Stage, lesson: &Lesson) -> Vec<Label> {
    let (_, tree) = tree_of(stage, lesson.subject().island.joints[0]);
    let figure = Figure::of(lesson, tree);
    let (nodes, slide) = (figure.step.figure(), line(figure.step));
    let is_few = nodes.len() <= NAMED;
    let rank = |node: usize| match node {
        node if figure.step.node() == Some(node) => Some(0),
        node if slide.is_some_and(|slide| slide.anchor == node) => Some(1),
        node if figure.is_tip(node) => Some(3),
        node if figure.is_base(node) => Some(4),
        node => (is_few && nodes.freedoms[node] != Freedom::Rigid).then_some(5),
    };
    let name = |node: usize, rank: usize| {
        let weight = if rank == 0 { LabelWeight::Strong } else { LabelWeight::Plain };
        let (place, radius) = (figure.points[node], figure.size(node));
        (rank, Label { place, radius, text: figure.step.label(node), weight })
    };
    let mut ranked: Vec<(usize, Label)> = (0..nodes.len()).filter_map(|node| Some(name(node, rank(node)?))).collect();
    let is_chain = lesson.subject().chain.is_some();
    ranked.extend(remarks(&figure, is_chain).into_iter().map(|label| (2, label)));
    if is_few && is_chain {
        ranked.extend(ghosts(&figure).map(|label| (6, label)));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, label)| label).collect()
}

/// Names of what the pass has moved before this step, where it was.
fn ghosts<'a>(figure: &'a Figure<'_>) -> impl Iterator<Item = Label> + 'a {
    let (step, clear) = (figure.step, CLEAR * figure.step.figure().reach);
    let moved = (0..figure.points.len()).filter(move |&node| step.has_moved(node) && step.node() != Some(node));
    let places = moved.map(move |node| (node, step.before()[node]));
    let left =
        places.filter(move |(node, place)| step.node().is_some() && place.distance(figure.points[*node]) > clear);
    left.map(move |(node, place)| {
        let (text, weight) = (step.label_before(node), LabelWeight::Faint);
        Label { place, radius: 0.0, text, weight }
    })
}

/// What stands in the picture besides joints: where the step's joint came from, how long its link is, where it was wanted.
fn remarks(figure: &Figure<'_>, is_chain: bool) -> Vec<Label> {
    let (step, points) = (figure.step, &figure.points);
    let nodes = step.figure();
    let clear = CLEAR * nodes.reach;
    let mut remarks = Vec::new();
    let mut remark = |place: DVec3, text: String| {
        remarks.push(Label { place, radius: 0.0, text, weight: LabelWeight::Faint });
    };
    // The targets of several effectors are known by their colours.
    let only = nodes.goals.first().filter(|_| nodes.goals.len() == 1);
    if let Some(&(_, target)) = only.filter(|(effector, target)| target.distance(points[*effector]) > clear) {
        remark(target, "target".to_owned());
    }
    let Some(node) = step.node() else { return remarks };
    let before = step.before()[node];
    if before.distance(points[node]) > clear {
        let text = if nodes.has_own_names() { "before".to_owned() } else { step.label_before(node) };
        remark(before, text);
    }
    if let Some(slide) = line(step) {
        if is_chain {
            remark(slide.anchor_place.midpoint(slide.to), format!("d{}", slide.node.max(slide.anchor)));
        }
        if is_held(step, &slide) {
            remark(slide.ideal, "wanted".to_owned());
        }
    }
    let wishes = step.wishes();
    // Where it lies in the joint itself the joint's name stands there already.
    let middle = (!wishes.is_empty()).then(|| middle(&wishes)).filter(|middle| middle.distance(points[node]) > clear);
    if let Some(middle) = middle {
        remark(middle, "centroid".to_owned());
    }
    remarks
}

/// The links of the open lesson's figure, as they are shown.
pub fn links(lesson: &Lesson) -> Vec<[DVec3; 2]> {
    let points = lesson.shown();
    let parents = lesson.step().figure().parents.iter().enumerate();
    parents.filter_map(|(node, parent)| Some([points[(*parent)?], points[node]])).collect()
}
