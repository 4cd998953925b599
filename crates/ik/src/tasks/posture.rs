//! Joints that keep to a pose: to that before a solve, or to the home of a body.
//!
//! - **Error** of a column: its change `d` from that pose.
//! - It has no rows. A step takes `-d` for its reference, weighted by `1 / C` with the compliances `C`, so that it lessens
//!   `d^T C^-1 d`, the *turning*, as far as all other tasks leave freedom.
//! - **Rank**: nice.

use crate::layout::ActiveJoint;
use crate::model::{Coordinates, Isometry, Kind, rotation_vector, wrap};
use crate::tasks::Objective;
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
        away.clear();
        away.resize(objective.layout.columns, 0.0);
        for &ActiveJoint { joint, column } in &objective.layout.active_joints {
            let (from, to) = (&self.pose[joint], &now[joint]);
            let world = |vector: DVec3| {
                let rest = objective.skeleton.rest_frame_in(joint, objective.problem.base, frames);
                (rest.rotation * vector).to_array()
            };
            let turn = |from: DQuat, to: DQuat| world(rotation_vector(to * from.conjugate()));
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
        away.iter().zip(&objective.layout.compliance).map(|(change, compliance)| change * change / compliance).sum()
    }
}
