//! The points that a picture must hold, in the picture's space.

use super::draw::{bodies, reach};
use super::{Space, Viewer, sizes};
use crate::session::command::Show;
use crate::session::lesson::Lesson;
use crate::session::race::Race;
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_scene::Scene;
use glam::DVec3;

/// What a picture of the scene must hold: joints, targets, presets, poles and obstacles.
pub(super) fn landmarks(scene: &Scene) -> Vec<DVec3> {
    let frames = scene.skeleton.frames(&scene.start);
    let mut points: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
    points.extend(scene.link_ends().map(|(joint, tip)| frames[joint].point(tip)));
    for effector in &scene.effectors {
        points.extend(effector.target.position);
        points.extend(effector.target.look_at());
        points.extend(&effector.presets);
    }
    points.extend(scene.poles.iter().map(|pole| pole.toward));
    for obstacle in &scene.obstacles {
        points.extend(outline(obstacle, DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis])));
    }
    points.extend(bodies::corners(scene, &frames));
    let space = Space { up: scene.up };
    points.into_iter().map(|point| space.shown(point)).collect()
}

/// The outermost points of an obstacle in these directions; a half-space has none.
fn outline(obstacle: &Obstacle, directions: impl Iterator<Item = DVec3>) -> Vec<DVec3> {
    let Some(body) = obstacle.solid() else { return Vec::new() };
    directions.flat_map(|way| body.points().map(move |point| point + way * body.radius()).collect::<Vec<_>>()).collect()
}

/// What a picture of a lesson must hold: the figure at its start, in the first passes and at its end, with room for joints; and
/// the bodies around it.
pub(super) fn lesson_landmarks(viewer: &Viewer, lesson: &Lesson) -> Vec<DVec3> {
    let (space, radius) = (viewer.space(), sizes::widest_joint(viewer, lesson.subject().figure.joints()[0]));
    let recording = lesson.recording();
    let phases = recording.phases.iter().take(3).chain(recording.phases.last());
    let targets = recording.figure.goals.iter().map(|(_, target)| *target);
    let points = phases.flat_map(|phase| phase.points.iter().copied()).chain(targets).map(|point| space.shown(point));
    let sides = DVec3::AXES.map(|axis| axis * radius);
    let with_room = points.flat_map(|point| sides.into_iter().flat_map(move |side| [point - side, point + side]));
    with_room.chain(bodies::shown_points(viewer).into_iter().map(|point| space.shown(point))).collect()
}

/// Rounds of a race that its figures get room for, and the most nodes of one lane in these; figures move less later.
const RACE_ROUNDS: usize = 30;
const RACE_NODES: usize = 20_000;
/// Targets farther from the figure than this are left out of the picture; in units of the figure's reach.
const FAR_TARGET: f64 = 1.5;

/// The outermost points of a race, where its first figure stands: of the moving figures, targets, obstacles and bodies, and
/// of the workspace where it is shown; with room for a joint.
pub(super) fn race_landmarks(viewer: &Viewer, race: &Race) -> Vec<DVec3> {
    let base = race.lanes().first().map_or(DVec3::ZERO, |lane| lane.points(0.0)[0]);
    let near = |target: &DVec3| target.distance(base) < FAR_TARGET * race.figure().reach;
    let figures = race.lanes().iter().flat_map(|lane| {
        let affordable = (RACE_NODES / race.figure().len().max(1)).clamp(1, RACE_ROUNDS);
        let rounds = (0..=lane.last().min(affordable)).chain([lane.last()]);
        rounds.flat_map(|round| lane.points(round as f64))
    });
    let obstacles = &viewer.session().scene().obstacles;
    let obstacles = obstacles.iter().flat_map(|obstacle| outline(obstacle, directions()));
    let bodies = bodies::shown_points(viewer);
    let all = figures.chain(race.targets().filter(near)).chain(obstacles).chain(bodies);
    let mut points: Vec<DVec3> = all.map(|point| viewer.space().shown(point)).collect();
    if viewer.display().shows(Show::Reach) {
        points.extend(reach::outline(viewer, directions()));
    }
    let room = viewer.session().covered().first().map_or(0.0, |&root| sizes::widest_joint(viewer, root));
    let outermost = |way: DVec3| points.iter().copied().max_by(|a, b| a.dot(way).total_cmp(&b.dot(way)));
    directions().filter_map(|way| outermost(way).map(|point| point + way * room)).collect()
}

/// Unit vectors in all directions, about twenty degrees apart.
fn directions() -> impl Iterator<Item = DVec3> {
    let sides = || (-2..=2).map(f64::from);
    let grid = sides().flat_map(move |x| sides().flat_map(move |y| sides().map(move |z| DVec3::new(x, y, z))));
    grid.filter(|way| way.abs().max_element() == 2.0).map(DVec3::normalize)
}
