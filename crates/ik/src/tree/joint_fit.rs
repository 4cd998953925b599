//! The closed-form best coordinate of one joint inside its limits: the single-joint step of the forward reaching pass
//! and of coordinate descent.

use crate::maths;
use crate::model::{Coordinates, Isometry, Kind, smallest_rotation};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A point of a body and its desired position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    /// The point, in the body's frame.
    pub point: DVec3,
    /// Its desired position, world.
    pub goal: DVec3,
    /// Weight; positive.
    pub weight: f64,
}

/// The coordinate of a joint, inside its limits, that brings the body points of `pulls` nearest to their goals
/// (weighted least squares).
///
/// `rest` is the joint's rest frame and `now` its present coordinate. `start` is the world orientation of the body that
/// a ball starts from; it turns no more than needed. Freedom that the pulls leave keeps its value.
pub(crate) fn fit_joint(kind: &Kind, rest: Isometry, now: &Coordinates, start: DQuat, pulls: &[Pull]) -> Coordinates {
    match kind {
        Kind::Fixed | Kind::Free => *now,
        Kind::Slide { axis, .. } => {
            let along = rest.rotation * *axis;
            let (mut sum, mut weight) = (0.0, 0.0);
            for pull in pulls {
                sum += pull.weight * along.dot(pull.goal - rest.point(pull.point));
                weight += pull.weight;
            }
            if weight > 0.0 { kind.project(Coordinates::scalar(sum / weight)) } else { *now }
        }
        Kind::Hinge { axis, range } => {
            let Some(angle) = hinge_angle(*axis, rest, pulls) else { return *now };
            let Some(range) = range else { return Coordinates::scalar(angle) };
            // A range of more than a turn contains the angle several times: take the one nearest to the present angle.
            let turned = angle + TAU * ((now.value() - angle) / TAU).round();
            let inside = [angle - TAU, angle, angle + TAU, turned].into_iter().filter(|&turned| range.contains(turned));
            let nearest = inside.min_by(|a, b| (a - now.value()).abs().total_cmp(&(b - now.value()).abs()));
            Coordinates::scalar(nearest.unwrap_or_else(|| range.clamp_angle(angle)))
        }
        Kind::Ball { .. } => {
            let world = fit_rotation(start, rest.position, pulls);
            let local = (rest.rotation.conjugate() * world).normalize();
            kind.coordinates_of(local)
        }
    }
}

/// The best angle about `axis`: it maximizes `sum w g.(u cos + (axis x u) sin)`. `None` if all points lie on the axis.
fn hinge_angle(axis: DVec3, rest: Isometry, pulls: &[Pull]) -> Option<f64> {
    let (mut cos, mut sin, mut scale) = (0.0, 0.0, 0.0);
    for pull in pulls {
        let across = pull.point.reject_from_normalized(axis);
        let goal = rest.local(pull.goal);
        cos += pull.weight * goal.dot(across);
        sin += pull.weight * goal.dot(axis.cross(across));
        scale += pull.weight * pull.point.length() * goal.length();
    }
    (maths::hypot(cos, sin) > 1e-9 * scale).then(|| maths::atan2(sin, cos))
}

/// The rotation of a body about `pivot`, near `start`, that brings its points nearest to their goals.
///
/// For one point this is the smallest turn. For several points it is the iteration of Mueller et al., "A robust method
/// to extract the rotational part of deformations" (2016), which needs no matrix decomposition and starts from the
/// given orientation.
pub(crate) fn fit_rotation(start: DQuat, pivot: DVec3, pulls: &[Pull]) -> DQuat {
    if let [pull] = pulls {
        let (from, to) = (start * pull.point, pull.goal - pivot);
        let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else { return start };
        return (smallest_rotation(from, to) * start).normalize();
    }
    let mut rotation = start;
    for _ in 0..12 {
        let (mut turn, mut along, mut scale) = (DVec3::ZERO, 0.0, 0.0);
        for pull in pulls {
            let (from, to) = (rotation * pull.point, pull.goal - pivot);
            turn += from.cross(to) * pull.weight;
            along += from.dot(to) * pull.weight;
            scale += from.length_squared().max(to.length_squared()) * pull.weight;
        }
        if scale <= 0.0 {
            break;
        }
        let turn = turn / (along.abs() + 1e-9 * scale);
        let angle = turn.length();
        if angle < 1e-6 {
            break;
        }
        let turn = turn * (angle.min(2.5) / angle);
        rotation = (maths::turn_by(turn) * rotation).normalize();
    }
    rotation
}
