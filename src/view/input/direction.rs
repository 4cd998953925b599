//! Directions in which keys move targets and turn joints, and the axes to which they refer.

use glam::DVec3;

/// A direction of movement from the user's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Away from the camera.
    Forward,
    /// Toward the camera.
    Back,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Turns to the left, about the up axis.
    YawLeft,
    /// Turns to the right.
    YawRight,
    /// Turns the front up, about the right axis.
    PitchUp,
    /// Turns the front down.
    PitchDown,
    /// Rolls to the left, about the forward axis.
    RollLeft,
    /// Rolls to the right.
    RollRight,
    /// Increases a value (0, 1 or 2) of the selected joint.
    JointForward(usize),
    /// Decreases it.
    JointBack(usize),
}

/// Name of each direction, what it moves, and the direction or the axis that it turns about: right, up, forward; or the value of
/// the joint.
const TABLE: [(&str, Direction, Kind, DVec3); 18] = [
    ("forward", Direction::Forward, Kind::Moves, DVec3::Z),
    ("back", Direction::Back, Kind::Moves, DVec3::NEG_Z),
    ("left", Direction::Left, Kind::Moves, DVec3::NEG_X),
    ("right", Direction::Right, Kind::Moves, DVec3::X),
    ("up", Direction::Up, Kind::Moves, DVec3::Y),
    ("down", Direction::Down, Kind::Moves, DVec3::NEG_Y),
    ("yaw-left", Direction::YawLeft, Kind::Turns, DVec3::Y),
    ("yaw-right", Direction::YawRight, Kind::Turns, DVec3::NEG_Y),
    ("pitch-up", Direction::PitchUp, Kind::Turns, DVec3::X),
    ("pitch-down", Direction::PitchDown, Kind::Turns, DVec3::NEG_X),
    ("roll-left", Direction::RollLeft, Kind::Turns, DVec3::NEG_Z),
    ("roll-right", Direction::RollRight, Kind::Turns, DVec3::Z),
    ("joint-on", Direction::JointForward(0), Kind::Joints, DVec3::X),
    ("joint-back", Direction::JointBack(0), Kind::Joints, DVec3::NEG_X),
    ("joint-2-on", Direction::JointForward(1), Kind::Joints, DVec3::Y),
    ("joint-2-back", Direction::JointBack(1), Kind::Joints, DVec3::NEG_Y),
    ("joint-3-on", Direction::JointForward(2), Kind::Joints, DVec3::Z),
    ("joint-3-back", Direction::JointBack(2), Kind::Joints, DVec3::NEG_Z),
];

impl Direction {
    /// The direction of this name.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|(known, ..)| *known == name).map(|(_, direction, ..)| *direction)
    }

    fn row(self) -> (Kind, DVec3) {
        let row = TABLE.iter().find(|(_, direction, ..)| *direction == self);
        row.map_or((Kind::Moves, DVec3::ZERO), |(_, _, kind, axis)| (*kind, *axis))
    }

    /// The direction, or the axis that it turns about: right, up, forward; or the value of the joint.
    pub(super) fn axis(self) -> DVec3 {
        self.row().1
    }

    /// What it moves.
    pub(super) fn kind(self) -> Kind {
        self.row().0
    }
}

/// What a direction moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Moves,
    Turns,
    Joints,
}

/// Axes of movement: unit vectors in the scene's world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionBasis {
    /// Right.
    pub right: DVec3,
    /// Up.
    pub up: DVec3,
    /// Forward.
    pub forward: DVec3,
}

impl MotionBasis {
    /// A vector in the scene's world, from its components to the right, up and forward.
    pub(super) fn world(&self, [right, up, forward]: [f64; 3]) -> DVec3 {
        self.right * right + self.up * up + self.forward * forward
    }
}

/// The horizontal axis (of the two that are not `up`) nearest to `direction`, with its sign.
pub fn snap_to_axis(direction: DVec3, up: DVec3) -> DVec3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let horizontal = axes.into_iter().filter(|axis| axis.dot(up).abs() < 0.5);
    let nearest = horizontal.max_by(|a, b| a.dot(direction).abs().total_cmp(&b.dot(direction).abs()));
    nearest.map_or(DVec3::X, |axis| axis * axis.dot(direction).signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapping_picks_the_nearest_horizontal_axis() {
        assert_eq!(snap_to_axis(DVec3::new(0.3, 5.0, -0.9), DVec3::Y), DVec3::NEG_Z);
        assert_eq!(snap_to_axis(DVec3::new(0.9, 0.1, 0.3), DVec3::Z), DVec3::X);
    }
}
