//! What a goal asks of an arm: which parts of the target, and whether they leave something open.

use crate::model::problem::Goal;

/// A part of a target, its position or its orientation, that does not count.
pub(super) const IGNORED: u8 = 0;
/// A part that is met as it is.
pub(super) const EXACT: u8 = 1;
/// A part that leaves something open: a box around the position, or the turn about an axis. If either part does, the
/// kinematics run in the frame of the target instead of that of the base, so that the sides of the box are parallel to the
/// axes.
pub(super) const OPEN: u8 = 2;

/// The parts of a target that a goal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    Position,
    Orientation,
    Both,
}

impl Demand {
    /// What this goal asks for; `None` if it asks for nothing, or for something that the lanes do not solve.
    pub fn of(goal: &Goal) -> Option<Demand> {
        if goal.target.look_at().is_some() {
            return None;
        }
        match (goal.requested_position(), goal.requested_rotation()) {
            (Some(_), Some(_)) => Some(Demand::Both),
            (Some(_), None) => Some(Demand::Position),
            (None, Some(_)) => Some(Demand::Orientation),
            (None, None) => None,
        }
    }
}
