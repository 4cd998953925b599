//! A race in the picture: one figure a method, beside each other or in one place.

use super::frame::{Capsule, Color, Frame, Sphere};
use super::lesson::{Label, LabelWeight};
use super::look::{POLISHED, Palette, SATIN, SHINING};
use super::picture::{link, sphere};
use super::sizes::{BASE, radii, target_radius, tree_of, widest_joint};
use super::{Stage, reach, surfaces};
use crate::session::command::Show;
use crate::session::race::{Lane, Race, RaceLayout};
use fabrik3d_ik::Obstacle;
use glam::{DVec3, Vec3};

/// Radius of the targets of all figures but the first, of that one's: they tell where to, they are not taken hold of.
const QUIET: f32 = 0.75;
/// Rounds of a race, and nodes in all of a lane's, on which its figures get their room; later ones go less far.
const ROUNDS: usize = 30;
const NODES: usize = 20_000;
/// Targets farther from the figure than this, of its reach, are not waited for by the camera.
const FAR: f64 = 1.5;

/// The outermost of the places that the figures come by, as that of the first one stands: on their way, at their targets,
/// around the obstacles, and of what they reach, where that is shown; with room for a joint. In the picture's space.
pub(super) fn places(stage: &Stage, race: &Race) -> Vec<DVec3> {
    let base = race.lanes().first().map_or(DVec3::ZERO, |lane| lane.points(0.0)[0]);
    let near = |target: &DVec3| target.distance(base) < FAR * race.figure().reach;
    let on_the_way = race.lanes().iter().flat_map(|lane| {
        let affordable = (NODES / race.figure().len().max(1)).clamp(1, ROUNDS);
        let rounds = (0..=lane.last().min(affordable)).chain([lane.last()]);
        rounds.flat_map(|round| lane.points(round as f64))
    });
    let obstacles = stage.session().scene().obstacles.iter().flat_map(|obstacle| match *obstacle {
        Obstacle::Sphere { center, radius } => directions().map(|way| center + way * radius).collect(),
        Obstacle::HalfSpace { .. } => Vec::new(),
    });
    let bodies = surfaces::race_places(stage, race);
    let all = on_the_way.chain(race.targets().filter(near)).chain(obstacles).chain(bodies);
    let mut points: Vec<DVec3> = all.map(|point| stage.space().shown(point)).collect();
    if stage.display().shows(Show::Reach) {
        points.extend(reach::outline(stage));
    }
    let room = stage.session().covered().first().map_or(0.0, |&root| widest_joint(stage, root));
    let outermost = |way: DVec3| points.iter().copied().max_by(|a, b| a.dot(way).total_cmp(&b.dot(way)));
    directions().filter_map(|way| outermost(way).map(|point| point + way * room)).collect()
}

/// Directions all around, about twenty degrees apart, of unit length.
pub(super) fn directions() -> impl Iterator<Item = DVec3> {
    let sides = || (-2..=2).map(f64::from);
    let grid = sides().flat_map(move |x| sides().flat_map(move |y| sides().map(move |z| DVec3::new(x, y, z))));
    grid.filter(|way| way.abs().max_element() == 2.0).map(DVec3::normalize)
}

/// Colour of a lane's figure and curve.
pub fn color(palette: &Palette, lane: usize) -> Color {
    palette.chain(lane)
}

/// Draws all figures of the race.
pub(super) fn race(stage: &Stage, race: &Race, root: usize, palette: &Palette, out: &mut Frame) {
    let (_, tree) = tree_of(stage, root);
    let (space, style) = (stage.space(), stage.display().links);
    let (offsets, figure) = (stage.lane_offsets(), race.figure());
    let radii = radii(&figure.parents, &figure.lengths, |_| tree);
    for (number, (lane, &offset)) in race.lanes().iter().zip(&offsets).enumerate() {
        let color = color(palette, number);
        let mut places: Vec<Vec3> = Vec::new();
        for (node, (&parent, point)) in figure.parents.iter().zip(lane.points(race.rounds())).enumerate() {
            let place = (space.shown(point) + offset).as_vec3();
            places.push(place);
            // What floats hangs on nothing, and what only says from where it is measured is nothing to be seen.
            let parent = parent.filter(|_| !figure.floating.contains(&node));
            if figure.children(node).next().is_some() && figure.children(node).all(|it| figure.floating.contains(&it)) {
                continue;
            }
            let radius = radii[node];
            let (size, shade) = match parent {
                None => (BASE * radius, palette.base),
                // Of a tube only the base is a ball.
                _ if tree.dense => (radius, color),
                _ if figure.is_effector(node) => (0.8 * radius, palette.joint),
                _ => (radius, palette.joint),
            };
            out.spheres.push(sphere(place, size as f32, shade, POLISHED));
            match parent {
                Some(parent) if tree.dense => {
                    let (a, b) = ((places[parent], radii[parent] as f32), (place, radius as f32));
                    out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: true });
                }
                Some(parent) => link(style, (places[parent], radii[parent]), (place, radius), color, out),
                None => {}
            }
        }
        if number > 0 && race.layout == RaceLayout::Beside {
            targets(stage, palette, offset, out);
        }
    }
    for offset in [offsets.iter().copied().reduce(DVec3::max), offsets.iter().copied().reduce(DVec3::min)] {
        widen(offset.unwrap_or_default().as_vec3(), out);
    }
}

/// The targets of a figure that stands this far from the first one: in the colours that they have there, smaller and
/// without glow.
fn targets(stage: &Stage, palette: &Palette, offset: DVec3, out: &mut Frame) {
    let session = stage.session();
    for (effector, target) in session.targets().enumerate() {
        let is_asked = session.covered().contains(&session.scene().effectors[effector].effector.joint);
        let Some(place) = target.position.filter(|_| is_asked && !session.is_free(effector)) else { continue };
        let center = (stage.space().shown(place) + offset).as_vec3();
        let radius = QUIET * target_radius(stage, effector) as f32;
        let color = palette.target(effector);
        out.spheres.push(Sphere { center, radius, color, material: SHINING, shadow: false });
    }
}

/// Floor and shadows for a scene that reaches as far again as `by`.
fn widen(by: Vec3, out: &mut Frame) {
    out.bounds.center += 0.5 * by;
    out.bounds.radius += 0.5 * by.length();
    if let Some(floor) = &mut out.floor {
        floor.center += 0.5 * by;
        floor.radius += 0.5 * by.length();
    }
}

/// The methods' names: at the feet of their figures, or, where all stand in one place, at the effectors that are still on
/// their way: those that have arrived would be named one over the other.
pub fn labels(stage: &Stage, race: &Race) -> Vec<Label> {
    let space = stage.space();
    let node = selected_node(stage, race);
    let lanes = race.lanes().iter().zip(stage.lane_offsets());
    let lanes = lanes.filter(|(lane, _)| race.layout == RaceLayout::Beside || race.rounds() < lane.last() as f64);
    let label = lanes.map(|(lane, offset)| {
        let round = (race.rounds() as usize).min(lane.last());
        let text = format!("{}   {round}", lane.method.name());
        match race.layout {
            RaceLayout::Beside => {
                let place = space.world(foot(stage, lane) + offset);
                Label { radius: 0.0, place, text, weight: LabelWeight::Caption }
            }
            RaceLayout::Overlaid => {
                let place = lane.points(race.rounds())[node];
                Label { radius: 0.0, place, text, weight: LabelWeight::Strong }
            }
        }
    });
    label.collect()
}

/// Below a figure as it is seen now, in the middle of its width; in the picture's space.
fn foot(stage: &Stage, lane: &Lane) -> DVec3 {
    let (camera, space) = (stage.camera(), stage.space());
    let (right, up) = (DVec3::from(camera.right()), DVec3::from(camera.up()));
    let points = lane.points(0.0).into_iter().chain(lane.points(lane.last() as f64));
    let points: Vec<DVec3> = points.map(|point| space.shown(point)).collect();
    let ends = |along: DVec3| {
        let shares = points.iter().map(|point| point.dot(along));
        shares.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, far), (low, _)) = (ends(right), ends(up));
    let base = points.first().copied().unwrap_or_default();
    base + right * (0.5 * (left + far) - base.dot(right)) + up * (low - base.dot(up))
}

/// The node that should come to the selected target, or else the first that should come to any.
fn selected_node(stage: &Stage, race: &Race) -> usize {
    let session = stage.session();
    let wanted = session.targets().nth(session.selected()).and_then(|target| target.position);
    let goals = &race.figure().goals;
    let goal = goals.iter().find(|(_, target)| Some(*target) == wanted).or(goals.first());
    goal.map_or(0, |(node, _)| *node)
}
