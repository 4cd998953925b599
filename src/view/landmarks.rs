//! What a picture should hold, in the picture's space.

use super::Space;
use super::frame::Bounds;
use crate::session::lesson::Lesson;
use fabrik3d_scene::Scene;
use glam::DVec3;

/// What a picture of the scene should hold: joints, targets, presets, obstacles; in the picture's space.
pub(super) fn landmarks(scene: &Scene) -> Vec<DVec3> {
    let frames = scene.skeleton.frames(&scene.start);
    let mut points: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
    for effector in &scene.effectors {
        points.push(frames[effector.effector.joint].point(effector.effector.tip));
        points.extend(effector.target.position);
        points.extend(&effector.presets);
    }
    for obstacle in &scene.obstacles {
        if let fabrik3d_ik::Obstacle::Sphere { center, radius } = *obstacle {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            points.extend(axes.into_iter().flat_map(|axis| [center + axis * radius, center - axis * radius]));
        }
    }
    points.extend(super::surfaces::corners(scene, &frames));
    let space = Space { up: scene.up };
    points.into_iter().map(|point| space.shown(point)).collect()
}

/// What a lesson's picture should hold: the figure as it starts and as it ends, and what lies between in the first passes.
/// Around each point there is a joint of this radius.
pub(super) fn lesson_landmarks(lesson: &Lesson, space: Space, radius: f64) -> Vec<DVec3> {
    let recording = lesson.recording();
    let phases = recording.phases.iter().take(3).chain(recording.phases.last());
    let targets = recording.figure.goals.iter().map(|(_, target)| *target);
    let points = phases.flat_map(|phase| phase.points.iter().copied()).chain(targets).map(|point| space.shown(point));
    let sides = DVec3::AXES.map(|axis| axis * radius);
    points.flat_map(|point| sides.into_iter().flat_map(move |side| [point - side, point + side])).collect()
}

pub(super) fn arrays(points: &[DVec3]) -> Vec<[f64; 3]> {
    points.iter().map(DVec3::to_array).collect()
}

/// A ball around points: the centre of their box, the farthest point as radius.
pub(super) fn ball(points: &[DVec3]) -> Bounds {
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let center = 0.5 * (low + high);
    let radius = points.iter().map(|point| point.distance(center)).fold(0.0, f64::max);
    Bounds { center: center.as_vec3(), radius: if radius > 0.0 { radius as f32 } else { 1.0 } }
}
