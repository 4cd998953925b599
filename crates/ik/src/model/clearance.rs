//! What is nearest to each other in a pose: the smallest distance between links that keep clear, and from obstacles.

use super::joint::Kind;
use super::keep_clear::{Body, KeepClear, Separation};
use super::pose::Coordinates;
use super::problem::Problem;
use super::skeleton::Skeleton;
use glam::DVec3;

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
    /// Distance of the surfaces; negative if they overlap: the shortest way to move them apart.
    pub distance: f64,
    /// Index of the capsule.
    pub capsule: usize,
    /// The other one of the two.
    pub other: NearPart,
    /// The nearest points of the two surfaces, or the deepest ones, world.
    pub points: [DVec3; 2],
}

/// The smallest distance in `pose` (one entry per joint) between the pairs of capsules of the problem, and between capsules
/// that can move and obstacles. `None` without any.
pub fn clearance(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Option<Clearance> {
    let KeepClear { capsules, pairs, .. } = &problem.keep_clear;
    let frames = skeleton.frames_at(problem.base, pose);
    let bodies: Vec<Body> = capsules.iter().map(|capsule| capsule.at(frames[capsule.joint])).collect();
    let between = pairs.iter().map(|&[a, b]| {
        let Separation { distance, normal, points } = bodies[a].separation(&bodies[b]);
        let points = [points[0] - normal * bodies[a].radius, points[1] + normal * bodies[b].radius];
        Clearance { distance, capsule: a, other: NearPart::Capsule(b), points }
    });
    let can_move = |joint: usize| skeleton.ancestors(joint).any(|i| *skeleton.kind(i) != Kind::Fixed);
    let moving = (0..capsules.len()).filter(|&at| can_move(capsules[at].joint));
    let from_obstacles = moving.flat_map(|capsule| {
        problem.obstacles.iter().enumerate().map({
            let body = bodies[capsule];
            move |(at, obstacle)| {
                let Separation { distance, normal, points } = body.separation_from(obstacle);
                let points = [points[0] - normal * body.radius, points[1]];
                Clearance { distance, capsule, other: NearPart::Obstacle(at), points }
            }
        })
    });
    between.chain(from_obstacles).min_by(|a, b| a.distance.total_cmp(&b.distance))
}
