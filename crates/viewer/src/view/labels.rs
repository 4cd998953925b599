//! Texts beside points of the picture: names in an open lesson, methods in a race. The HUD draws them.

use super::Viewer;
use super::draw::lesson::{ShownFigure, centroid, is_held_back, slide_line};
use crate::session::lesson::{Freedom, GapPlace, Lesson};
use crate::session::race::{Lane, Race};
use glam::DVec3;

/// Figures with more nodes have names only at the nodes that the step is about.
const MAX_NAMED_NODES: usize = 12;
/// Distance from which two labels do not cover each other, in units of the figure's reach.
const CLEARANCE: f64 = 0.025;

/// A text beside a point of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The point; world.
    pub place: DVec3,
    /// Radius around the point that the text keeps clear of; world units.
    pub radius: f64,
    /// The text.
    pub text: String,
    /// How prominent it is.
    pub weight: LabelWeight,
}

/// How prominent a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelWeight {
    /// What the pointer is on in the side panel. A ring marks it.
    Pointed,
    /// The name of a whole figure, below its point.
    Caption,
    /// What the step is about.
    Strong,
    /// What its text also names: the other end of the link, and where the largest gap is.
    Named,
    /// Other present nodes.
    Plain,
    /// Earlier positions.
    Faint,
}

/// The labels of the open lesson, most important first: the joint of the step with what the step did to it, the joint that
/// it hangs on, effectors, bases, and other joints that can move. Rigidly connected nodes in between have no names.
pub fn lesson_labels(viewer: &Viewer, lesson: &Lesson) -> Vec<Label> {
    let figure = ShownFigure::of(viewer, lesson);
    let nodes = figure.step.figure();
    // The text of a sub-base names its branches instead.
    let slide = figure.step.slide().filter(|_| figure.step.branch_positions().len() < 2);
    let is_small = nodes.len() <= MAX_NAMED_NODES;
    let gap = match figure.step.gap().place {
        GapPlace::Effector(node) | GapPlace::Base(node) | GapPlace::Link(node) => [node; 2],
        GapPlace::Tie(a, b) => [a, b],
    };
    let rank = |node: usize| match node {
        node if figure.step.node() == Some(node) => Some(0),
        node if slide.is_some_and(|slide| slide.anchor == node) || gap.contains(&node) => Some(1),
        node if !figure.in_limb[node] => None,
        node if figure.is_tip(node) => Some(3),
        node if figure.is_base(node) => Some(4),
        node => (is_small && nodes.freedoms[node] != Freedom::Rigid).then_some(5),
    };
    let name = |node: usize, rank: usize| {
        let weight = match rank {
            0 => LabelWeight::Strong,
            1 => LabelWeight::Named,
            _ => LabelWeight::Plain,
        };
        let (place, radius) = (figure.points[node], figure.size(node));
        (rank, Label { place, radius, text: figure.step.label(node), weight })
    };
    let mut ranked: Vec<(usize, Label)> = (0..nodes.len()).filter_map(|node| Some(name(node, rank(node)?))).collect();
    ranked.extend(construction_labels(&figure).into_iter().map(|label| (2, label)));
    if is_small && nodes.is_chain {
        ranked.extend(ghost_labels(&figure).map(|label| (6, label)));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, label)| label).collect()
}

/// Names of nodes that the pass moved before this step, at their earlier positions.
fn ghost_labels<'a>(figure: &'a ShownFigure<'_>) -> impl Iterator<Item = Label> + 'a {
    let (step, clearance) = (figure.step, CLEARANCE * figure.step.figure().reach);
    let moved = (0..figure.points.len()).filter(move |&node| step.has_moved(node) && step.node() != Some(node));
    let left = moved
        .map(move |node| (node, step.before()[node]))
        .filter(move |(node, place)| step.node().is_some() && place.distance(figure.points[*node]) > clearance);
    left.map(move |(node, place)| faint(place, step.label_before(node)))
}

fn faint(place: DVec3, text: String) -> Label {
    Label { place, radius: 0.0, text, weight: LabelWeight::Faint }
}

/// Names of what is not a joint: the target, the earlier position of the step's joint, the length of its link, its position
/// without limits and obstacles, the centroid of proposals.
fn construction_labels(figure: &ShownFigure<'_>) -> Vec<Label> {
    let (step, points) = (figure.step, &figure.points);
    let nodes = step.figure();
    let clearance = CLEARANCE * nodes.reach;
    let mut labels = Vec::new();
    let mut add = |place: DVec3, text: String| labels.push(faint(place, text));
    // Several targets are told apart by their colours.
    let only = nodes.goals.first().filter(|_| nodes.goals.len() == 1);
    if let Some(&(_, target)) = only.filter(|(effector, target)| target.distance(points[*effector]) > clearance) {
        add(target, "target".to_owned());
    }
    let Some(node) = step.node() else { return labels };
    let before = step.before()[node];
    if before.distance(points[node]) > clearance {
        let text = if nodes.is_chain { step.label_before(node) } else { "before".to_owned() };
        add(before, text);
    }
    if let Some(slide) = slide_line(step) {
        if nodes.is_chain {
            add(slide.anchor_place.midpoint(slide.to), format!("d{}", slide.node.max(slide.anchor)));
        }
        if is_held_back(step, &slide) {
            let free = match step.is_pushed(node) {
                true if step.is_only_pushed(&slide) => "without the obstacle",
                true => "without limits and obstacle",
                false => "without limits",
            };
            add(slide.ideal, free.to_owned());
        }
    }
    let proposals = step.branch_positions();
    if !proposals.is_empty() {
        // At the joint itself, the joint's name already stands there.
        let centroid = Some(centroid(&proposals)).filter(|centroid| centroid.distance(points[node]) > clearance);
        centroid.into_iter().for_each(|centroid| add(centroid, "centroid".to_owned()));
    }
    labels
}

/// The links of the open lesson's figure as shown.
pub fn lesson_links(lesson: &Lesson) -> Vec<[DVec3; 2]> {
    let points = lesson.shown();
    let parents = lesson.step().figure().parents.iter().enumerate();
    parents.filter_map(|(node, parent)| Some([points[(*parent)?], points[node]])).collect()
}

/// The links of all figures in a race as shown.
pub fn race_links(viewer: &Viewer, race: &Race) -> Vec<[DVec3; 2]> {
    let space = viewer.space();
    let lanes = race.lanes().iter().zip(viewer.lane_offsets());
    let links = lanes.flat_map(|(lane, offset)| {
        let points: Vec<DVec3> =
            lane.points(race.rounds()).into_iter().map(|point| space.world(space.shown(point) + offset)).collect();
        let parents = race.figure().parents.iter().enumerate();
        parents.filter_map(move |(node, parent)| Some([points[(*parent)?], points[node]])).collect::<Vec<_>>()
    });
    links.collect()
}

/// The names of the methods in a race, at the feet of the figures.
pub fn race_labels(viewer: &Viewer, race: &Race) -> Vec<Label> {
    let label = |(lane, offset): (&Lane, DVec3)| {
        let effort = lane.rounds[lane.newest(race.rounds())].effort;
        let text = format!("{}\n{}", lane.method.name(), effort.in_words());
        let place = viewer.space().world(foot(viewer, lane) + offset);
        Label { place, radius: 0.0, text, weight: LabelWeight::Caption }
    };
    race.lanes().iter().zip(viewer.lane_offsets()).map(label).collect()
}

/// The point below the middle of a figure as the camera sees it, in the picture's space.
fn foot(viewer: &Viewer, lane: &Lane) -> DVec3 {
    let (camera, space) = (viewer.camera(), viewer.space());
    let (right, up) = (camera.right(), camera.up());
    let points = lane.points(0.0).into_iter().chain(lane.points(lane.last() as f64));
    let points: Vec<DVec3> = points.map(|point| space.shown(point)).collect();
    let extent = |along: DVec3| {
        let shares = points.iter().map(|point| point.dot(along));
        shares.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, far), (low, _)) = (extent(right), extent(up));
    let base = points.first().copied().unwrap_or_default();
    base + right * (0.5 * (left + far) - base.dot(right)) + up * (low - base.dot(up))
}
