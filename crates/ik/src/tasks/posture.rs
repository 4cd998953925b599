//! Joints that keep to a pose: to that before a solve, to the home of a body, or to the posture of the problem.
//!
//! - **Error** of a column: its change `d` from that pose.
//! - It has no rows. A step takes `-d` for its reference, weighted by `1 / C` with the compliances `C`, so that it lessens
//!   `d^T C^-1 d`, the *turning*, as far as all other tasks leave freedom. A posture has the weights `w` of its joints instead;
//!   with the damping `l` of a step, `l dx^T C^-1 dx + w (dx + d)^2` is but for a constant the same as one square with the compliance
//!   `l / (l / C + w)` and the reference `-w d / (l / C + w)`.
//! - **Rank**: nice, that of a posture preferred.

use crate::layout::{ActiveJoint, make_room};
use crate::maths;
use crate::model::{Coordinates, Isometry, Kind, wrap};
use crate::tasks::{Objective, Rank};
use glam::{DQuat, DVec3};

/// A pose to keep to.
#[derive(Clone, Copy)]
pub(crate) struct Posture<'a> {
    pub pose: &'a [Coordinates],
    /// Whether the positions of free joints count. They do not for a home, since a body may have walked.
    pub with_positions: bool,
}

impl Posture<'_> {
    /// Writes the change of each column from the pose to keep to `now` with these frames to `away`. Returns the turning: the
    /// sum of the squared changes, divided by the compliances.
    pub fn turning(&self, objective: &Objective, frames: &[Isometry], now: &[Coordinates], away: &mut Vec<f64>) -> f64 {
        self.write_changes(objective, frames, now, away);
        away.iter().zip(&objective.layout.compliance).map(|(change, compliance)| change * change / compliance).sum()
    }

    /// Writes the change of each column from the pose to keep to `now` with these frames to `away`.
    fn write_changes(&self, objective: &Objective, frames: &[Isometry], now: &[Coordinates], away: &mut Vec<f64>) {
        away.clear();
        away.resize(objective.layout.columns, 0.0);
        for &ActiveJoint { joint, column } in &objective.layout.active_joints {
            let (from, to) = (&self.pose[joint], &now[joint]);
            let world = |vector: DVec3| {
                let rest = objective.skeleton.rest_frame_in(joint, objective.problem.base, frames);
                (rest.rotation * vector).to_array()
            };
            let turn = |from: DQuat, to: DQuat| world(maths::rotation_vector(to * from.conjugate()));
            match objective.skeleton.kind(joint) {
                Kind::Fixed => {}
                Kind::Hinge { range: None, .. } => away[column] = wrap(to.value() - from.value()),
                Kind::Hinge { .. } => away[column] = to.value() - from.value(),
                Kind::Slide { .. } => away[column] = (to.value() - from.value()) / objective.layout.length,
                Kind::Ball { swing: None, twist: None } => {
                    away[column..column + 3].copy_from_slice(&turn(from.ball_rotation(), to.ball_rotation()));
                }
                Kind::Ball { .. } => {
                    let tilt = [0, 1].map(|axis| to.tilt()[axis] - from.tilt()[axis]);
                    away[column..column + 2].copy_from_slice(&tilt);
                    away[column + 2] = wrap(to.twist() - from.twist());
                }
                Kind::Free => {
                    if self.with_positions {
                        let shift = (to.free_position() - from.free_position()) / objective.layout.length;
                        away[column..column + 3].copy_from_slice(&world(shift));
                    }
                    away[column + 3..column + 6].copy_from_slice(&turn(from.free_rotation(), to.free_rotation()));
                }
            }
        }
    }
}

/// The posture of the problem in a pose: for each column its change, and the weight of that.
#[derive(Clone, Debug, Default)]
pub(crate) struct PostureTask {
    pub away: Vec<f64>,
    pub weights: Vec<f64>,
}

impl PostureTask {
    /// Makes room for this number of columns.
    pub fn reserve(&mut self, columns: usize) {
        make_room(&mut self.away, columns);
        make_room(&mut self.weights, columns);
    }

    /// Finds them for a pose with these frames; none if the objective has no posture. Returns its part of the cost.
    pub fn find(&mut self, objective: &Objective, frames: &[Isometry], now: &[Coordinates]) -> f64 {
        self.clear();
        let Some(posture) = objective.posture() else { return 0.0 };
        Posture { pose: &posture.pose, with_positions: true }.write_changes(objective, frames, now, &mut self.away);
        let scale = Rank::Preferred.scale(objective.is_firm).powi(2);
        self.weights.resize(self.away.len(), 0.0);
        for active in &objective.layout.active_joints {
            self.weights[active.columns(objective.skeleton)].fill(scale * posture.weights[active.joint]);
        }
        self.away.iter().zip(&self.weights).map(|(change, weight)| weight * change * change).sum()
    }

    /// The posture of an objective that has none.
    pub fn clear(&mut self) {
        self.away.clear();
        self.weights.clear();
    }

    /// The derivative of half its cost by column `k`.
    pub fn slope(&self, k: usize) -> f64 {
        self.away.get(k).map_or(0.0, |away| self.weights[k] * away)
    }

    /// Adds it to a step with this damping and these compliances: writes its compliances and its reference.
    pub fn add_to_step(&self, damping: f64, compliance: &[f64], (own, reference): (&mut Vec<f64>, &mut Vec<f64>)) {
        for ((away, weight), compliance) in self.away.iter().zip(&self.weights).zip(compliance) {
            let sum = damping / compliance + weight;
            own.push(damping / sum);
            reference.push(-weight * away / sum);
        }
    }
}
