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

impl Direction {
    /// The direction of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "forward" => Direction::Forward,
            "back" => Direction::Back,
            "left" => Direction::Left,
            "right" => Direction::Right,
            "up" => Direction::Up,
            "down" => Direction::Down,
            "yaw-left" => Direction::YawLeft,
            "yaw-right" => Direction::YawRight,
            "pitch-up" => Direction::PitchUp,
            "pitch-down" => Direction::PitchDown,
            "roll-left" => Direction::RollLeft,
            "roll-right" => Direction::RollRight,
            "joint-on" => Direction::JointForward(0),
            "joint-back" => Direction::JointBack(0),
            "joint-2-on" => Direction::JointForward(1),
            "joint-2-back" => Direction::JointBack(1),
            "joint-3-on" => Direction::JointForward(2),
            "joint-3-back" => Direction::JointBack(2),
            _ => return None,
        })
    }

    /// The direction, or the axis that it turns about: right, up, forward; or the value of the joint.
    pub(super) fn axis(self) -> DVec3 {
        match self {
            Direction::Forward | Direction::RollRight => DVec3::Z,
            Direction::Back | Direction::RollLeft => DVec3::NEG_Z,
            Direction::Left | Direction::PitchDown => DVec3::NEG_X,
            Direction::Right | Direction::PitchUp => DVec3::X,
            Direction::Up | Direction::YawLeft => DVec3::Y,
            Direction::Down | Direction::YawRight => DVec3::NEG_Y,
            Direction::JointForward(value) => DVec3::AXES[value % 3],
            Direction::JointBack(value) => -DVec3::AXES[value % 3],
        }
    }

    /// What it moves.
    pub(super) fn kind(self) -> Kind {
        use Direction::{JointBack, JointForward, PitchDown, PitchUp, RollLeft, RollRight, YawLeft, YawRight};
        match self {
            YawLeft | YawRight | PitchUp | PitchDown | RollLeft | RollRight => Kind::Turns,
            JointForward(_) | JointBack(_) => Kind::Joints,
            _ => Kind::Moves,
        }
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
