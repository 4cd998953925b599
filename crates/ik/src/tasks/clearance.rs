//! Capsules that keep clear of each other and of obstacles.
//!
//! - **Residual**, one row for each pair that is closer than the objective aims at: `c (m - d) / l`, with the distance `d` of the
//!   surfaces, the distance `m` to keep and the length `l` of the layout; `c` follows from the rank.
//! - **Derivative**: `-c / l n . (v_a - v_b)`, with the velocities of the nearest points per unit of a column and the direction
//!   `n` from the second one to the first one. Of an obstacle, only the capsule's point moves.
//! - **Rank**: must hold; nice for the margin of the problem.
//! - **Met** if nothing overlaps, whatever the margin.

use crate::layout::make_room;
use crate::model::{Body, Isometry, LinkCapsule, Separation, Settings};
use crate::tasks::{Objective, Residuals, Rows, Score, Task};
use glam::DVec3;

/// Two capsules, or a capsule and an obstacle, that are closer than the objective aims at: to move apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClearanceTask {
    /// The two capsules; none for an obstacle.
    capsules: [Option<usize>; 2],
    separation: Separation,
}

/// Where all bodies are: buffers of [`find`].
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// The ends of all capsules in the world.
    ends: Vec<[DVec3; 2]>,
    /// For each joint, the lowest and the highest corner of a box around all its capsules.
    boxes: Vec<[DVec3; 2]>,
}

impl Places {
    /// Makes room for these numbers of capsules and joints.
    pub fn reserve(&mut self, capsules: usize, joints: usize) {
        make_room(&mut self.ends, capsules);
        make_room(&mut self.boxes, joints);
    }

    fn update(&mut self, capsules: &[LinkCapsule], frames: &[Isometry]) {
        let Places { ends, boxes } = self;
        ends.clear();
        boxes.clear();
        boxes.resize(frames.len(), [DVec3::INFINITY, DVec3::NEG_INFINITY]);
        for capsule in capsules {
            let own = capsule.ends_at(&frames[capsule.joint]);
            let [low, high] = &mut boxes[capsule.joint];
            *low = low.min(own[0].min(own[1]) - capsule.radius);
            *high = high.max(own[0].max(own[1]) + capsule.radius);
            ends.push(own);
        }
    }

    /// Whether all bodies of two joints are farther apart than `distance`.
    fn are_apart(&self, [a, b]: [usize; 2], distance: f64) -> bool {
        let [[low, high], [other_low, other_high]] = [self.boxes[a], self.boxes[b]];
        (low - other_high).max(other_low - high).max_element() > distance
    }
}

/// Finds all pairs that are closer than the objective aims at.
#[inline]
pub(super) fn find(objective: &Objective, frames: &[Isometry], places: &mut Places, pairs: &mut Vec<ClearanceTask>) {
    let Objective { problem, layout, clearance, .. } = *objective;
    pairs.clear();
    if layout.capsules.is_empty() {
        return;
    }
    let mut add = |capsules, separation: Separation| {
        if separation.distance < clearance {
            pairs.push(ClearanceTask { capsules, separation });
        }
    };
    let capsules = &problem.keep_clear.capsules;
    places.update(capsules, frames);
    let body = |at: usize| Body { capsule: &capsules[at], ends: places.ends[at], frame: &frames[capsules[at].joint] };
    let near = layout.pairs.iter().filter(|(joints, _)| !places.are_apart(*joints, clearance));
    for &[a, b] in near.flat_map(|(_, pairs)| pairs) {
        let [first, second] = [body(a), body(b)];
        let [(center, radius), (other, other_radius)] = [first.ball(), second.ball()];
        let near = radius + other_radius + clearance;
        if center.distance_squared(other) < near * near {
            add([Some(a), Some(b)], first.separation(&second, clearance));
        }
    }
    for (at, _) in layout.capsules.iter().enumerate().filter(|(_, path)| !path.joints.is_empty()) {
        let (center, radius) = body(at).ball();
        for obstacle in problem.obstacles.iter().filter(|one| one.may_be_within(clearance, center, radius)) {
            add([Some(at), None], body(at).separation_from(obstacle, clearance));
        }
    }
}

impl Task for ClearanceTask {
    const ROWS: usize = 1;

    fn residual(&self, objective: &Objective, _: &[Isometry], out: &mut Residuals) {
        let distance = self.separation.distance;
        out.score.clearance = out.score.clearance.min(distance);
        out.rows.push((objective.clearance - distance) * scale(objective));
    }

    fn derivative(&self, objective: &Objective, _: &[Isometry], out: &mut Rows) {
        let ClearanceTask { capsules, separation: Separation { normal, points, .. } } = *self;
        let outward: DVec3 = normal * -scale(objective);
        for ((capsule, point), sign) in capsules.into_iter().zip(points).zip([1.0, -1.0]) {
            if let Some(capsule) = capsule {
                out.add_distance(&objective.layout.capsules[capsule].joints, point, outward * sign);
            }
        }
    }

    fn is_met(score: &Score, _: &Settings) -> bool {
        score.clearance >= 0.0
    }
}

fn scale(objective: &Objective) -> f64 {
    objective.clearance_rank.scale(objective.is_firm) / objective.layout.length
}
