//! What is nearest to each other in a pose: the smallest distance between links that keep clear, and from obstacles.

use super::{Body, Bounds, Coordinates, KeepClear, Obstacles, Problem, Separation, Skeleton};
use glam::DVec3;
use std::cell::Cell;

/// What a capsule is nearest to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum NearPart {
    /// Another capsule, by its index.
    Capsule(usize),
    /// An obstacle, by its index.
    Obstacle(usize),
}

/// The distance of a capsule from another one or from an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// Distance of the surfaces; negative if they overlap: the shortest way to move them apart, or for hulls the one to move
    /// their capsules apart, which is longer.
    pub distance: f64,
    /// Index of the capsule.
    pub capsule: usize,
    /// The other one of the two.
    pub other: NearPart,
    /// The nearest points of the two surfaces, or the deepest ones, world. If hulls overlap, those of their capsules.
    pub points: [DVec3; 2],
}

/// The smallest distance in `pose` (one entry per joint) between the pairs of capsules of the problem, and between capsules
/// that can move and obstacles. `None` without any.
///
/// # Panics
/// The pose has fewer entries than the skeleton has joints, or the problem names a joint that does not exist.
pub fn clearance(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Option<Clearance> {
    let KeepClear { capsules, pairs, .. } = &problem.keep_clear;
    let frames = skeleton.frames_at(problem.base, pose);
    let bodies: Vec<Body> = capsules.iter().map(|capsule| capsule.at(&frames[capsule.joint])).collect();
    let mut nearest: Option<Clearance> = None;
    let balls: Vec<(DVec3, f64)> = bodies.iter().map(Body::ball).collect();
    for &[a, b] in pairs {
        let least = nearest.map_or(f64::INFINITY, |nearest| nearest.distance);
        let [(center, radius), (other, other_radius)] = [balls[a], balls[b]];
        if center.distance(other) - radius - other_radius >= least {
            continue;
        }
        let separation = bodies[a].separation(&bodies[b], least);
        if separation.distance < least {
            nearest = Some(Clearance::of(&separation, a, NearPart::Capsule(b)));
        }
    }
    let moving = (0..capsules.len()).filter(|&at| !skeleton.is_anchored(capsules[at].joint));
    let from_obstacles = moving.filter_map(|capsule| nearest_obstacle(&problem.obstacles, capsule, &bodies[capsule]));
    nearest.into_iter().chain(from_obstacles).min_by(|a, b| a.distance.total_cmp(&b.distance))
}

impl Clearance {
    fn of(separation: &Separation, capsule: usize, other: NearPart) -> Self {
        Clearance { distance: separation.distance, capsule, other, points: separation.surfaces() }
    }
}

/// The obstacle that is nearest to the body of a capsule; of several, the first one.
fn nearest_obstacle(obstacles: &Obstacles, capsule: usize, body: &Body) -> Option<Clearance> {
    let (center, radius) = body.ball();
    let nearest: Cell<Option<(Separation, usize)>> = Cell::new(None);
    let may_be_nearer = |bounds: &Bounds| {
        // An obstacle whose box holds the center can be any distance deep.
        let distance = bounds.distance_squared(center).sqrt();
        distance == 0.0 || nearest.get().is_none_or(|(least, _)| distance - radius <= least.distance)
    };
    obstacles.visit(may_be_nearer, |at| {
        let least = nearest.get().map_or(f64::INFINITY, |(least, _)| least.distance);
        let own = body.separation_from(&obstacles[at], least);
        if own.distance < least || nearest.get().is_some_and(|(_, first)| own.distance == least && at < first) {
            nearest.set(Some((own, at)));
        }
    });
    nearest.get().map(|(separation, at)| Clearance::of(&separation, capsule, NearPart::Obstacle(at)))
}
