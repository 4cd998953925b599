//! What is asked of an effector, however it is written: in a scene file, a case, a table, on the command line or in Python.

use fabrik3d_ik::goals::{Freedom, GoalRank, Orientation};
use fabrik3d_ik::{Effector, Goal, Target};
use glam::{DQuat, DVec3};

/// Slack of an axis along which an effector may be anywhere: beyond the reach of everything.
pub const OPEN_SLACK: f64 = 1e9;

/// One part of what is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Part<T> {
    /// Not mentioned: it stays as it is.
    #[default]
    Kept,
    /// Nothing is asked.
    Open,
    /// This is asked.
    Given(T),
}

/// What is asked of an effector. Readers of all formats make one of it, and [`TargetSpec::apply`] says what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetSpec {
    /// Position of the tip.
    pub position: Part<DVec3>,
    /// Orientation; unit length.
    pub rotation: Part<DQuat>,
    /// Direction of the axis about which the effector may turn; any length but zero.
    pub direction: Option<DVec3>,
    /// Point that this axis points at.
    pub look_at: Part<DVec3>,
    /// The axis, in the frame of the effector's joint.
    pub spin_axis: Option<DVec3>,
    /// How far the tip may be from the position, along three axes; not negative.
    pub slack: Option<DVec3>,
    /// What it gives way to, or that it is only preferred.
    pub rank: Option<GoalRank>,
}

/// Why no target can be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Two parts that both turn the effector, by their names in scene files.
    #[error("`{0}` and `{1}` both say how the effector is turned: give one of them")]
    TurnedTwice(&'static str, &'static str),
    /// A direction of length 0.
    #[error("a direction cannot be zero; downward is 0,0,-1")]
    NoDirection,
}

impl TargetError {
    /// Checks that not more than one of rotation, direction and look_at is given.
    pub fn check_turning(is_given: [bool; 3]) -> Result<(), TargetError> {
        let names = ["rotation", "direction", "look_at"].into_iter().zip(is_given);
        let mut given = names.filter(|(_, is_given)| *is_given).map(|(name, _)| name);
        match (given.next(), given.next()) {
            (Some(one), Some(other)) => Err(TargetError::TurnedTwice(one, other)),
            _ => Ok(()),
        }
    }
}

impl TargetSpec {
    /// As [`TargetSpec::apply`], for a goal with its rank. Unless that is given, a goal that is asked for something is to move, so it
    /// gives way to firm goals.
    ///
    /// # Errors
    /// The parts contradict each other; nothing is changed.
    pub fn apply_to(&self, goal: &mut Goal) -> Result<(), TargetError> {
        goal.rank = match (self.rank, goal.rank) {
            (Some(rank), _) => rank,
            (None, GoalRank::Firm) if *self != TargetSpec::default() => GoalRank::Wanted,
            (None, rank) => rank,
        };
        self.apply(goal.effector, &mut goal.target, &mut goal.freedom)
    }

    /// Changes a target and what it leaves open. An orientation replaces a point to look at, and the other way round.
    ///
    /// # Errors
    /// The parts contradict each other; nothing is changed.
    pub fn apply(&self, effector: Effector, target: &mut Target, freedom: &mut Freedom) -> Result<(), TargetError> {
        TargetError::check_turning([self.rotation.is_given(), self.direction.is_some(), self.look_at.is_given()])?;
        let direction = self.direction.map(|direction| direction.try_normalize().ok_or(TargetError::NoDirection));
        let direction = direction.transpose()?;
        freedom.spin_axis = self.spin_axis.or(freedom.spin_axis);
        freedom.slack = self.slack.unwrap_or(freedom.slack);
        match self.position {
            Part::Kept => {}
            Part::Open => target.position = None,
            Part::Given(position) => target.position = Some(position),
        }
        target.orientation = match (self.rotation, self.look_at, direction) {
            (Part::Given(rotation), ..) => Some(Orientation::Rotation(rotation)),
            (_, Part::Given(point), _) => Some(Orientation::LookAt(point)),
            (.., Some(direction)) => {
                let axis = *freedom.spin_axis.get_or_insert(DVec3::Z);
                Goal::pointing(effector, None, axis, direction).target.orientation
            }
            (rotation, look_at, None) => target.orientation.filter(|before| match before {
                Orientation::Rotation(_) => rotation != Part::Open,
                Orientation::LookAt(_) => look_at != Part::Open,
            }),
        };
        Ok(())
    }
}

impl<T> From<Option<T>> for Part<T> {
    /// What is not given stays as it is.
    fn from(value: Option<T>) -> Self {
        value.map_or(Part::Kept, Part::Given)
    }
}

impl<T> Part<T> {
    /// Whether something is asked.
    pub fn is_given(&self) -> bool {
        matches!(self, Part::Given(_))
    }

    /// The value that is asked, if any.
    pub fn value(self) -> Option<T> {
        match self {
            Part::Given(value) => Some(value),
            Part::Kept | Part::Open => None,
        }
    }
}
