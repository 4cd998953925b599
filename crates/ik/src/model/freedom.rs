//! What a goal leaves open: the turn about an axis of the tool, and the position along axes of the target.
//!
//! A goal with such freedom accepts a set of frames. A solver aims at the frame of this set that is nearest to the present
//! one, and looks only at the directions in which the effector cannot move inside the set.

use super::problem::Goal;
use super::transform::{Isometry, smallest_rotation};
use glam::{DMat3, DQuat, DVec3};

/// What a goal leaves open. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Freedom {
    /// Axis in the frame of the effector's joint about which the effector may turn; only its direction counts. The target
    /// orientation then requests no more than the direction of this axis, as a welding torch or an arm of five joints
    /// needs it.
    pub spin_axis: Option<DVec3>,
    /// How far the tip may be from the target position along each of three axes, scene units: those of the target
    /// orientation, even if its weight is 0; without one, those of the world. A number beyond the reach leaves an axis
    /// open: one such number makes the target a line, two make it a plane.
    pub slack: DVec3,
}

impl Freedom {
    /// Freedom to turn about this axis in the frame of the effector's joint.
    pub fn spin(axis: DVec3) -> Self {
        Freedom { spin_axis: Some(axis), ..Freedom::default() }
    }

    /// Whether everything is fixed.
    pub fn is_none(&self) -> bool {
        *self == Freedom::default()
    }

    /// Whether the numbers make sense: an axis has a direction, and no slack is negative.
    pub(crate) fn is_valid(&self) -> bool {
        let is_axis = |axis: DVec3| axis.is_finite() && axis.length_squared() > 1e-12;
        self.spin_axis.is_none_or(is_axis) && self.slack.to_array().into_iter().all(|slack| slack >= 0.0)
    }
}

impl Goal {
    /// A goal that places the tip and points an axis of the effector in a direction. `axis` is in the frame of the
    /// effector's joint, `direction` in the world; neither is zero. The effector may turn about the axis.
    pub fn pointing(effector: super::problem::Effector, position: DVec3, axis: DVec3, direction: DVec3) -> Self {
        let (from, to) = (axis.normalize_or(DVec3::Z), direction.normalize_or(DVec3::Z));
        let freedom = Freedom::spin(axis);
        Goal { freedom, ..Goal::new(effector, (position, smallest_rotation(from, to))) }
    }

    /// The accepted position nearest to the tip; `frame` is the present frame of the effector's joint. `None` if no
    /// position is requested.
    #[inline]
    pub fn nearest_position(&self, frame: Isometry) -> Option<DVec3> {
        let target = self.requested_position()?;
        if self.freedom.slack == DVec3::ZERO {
            return Some(target);
        }
        let axes = self.slack_axes();
        let offset = axes.conjugate() * (frame.point(self.effector.tip) - target);
        let slack = self.freedom.slack;
        Some(target + axes * offset.clamp(-slack, slack))
    }

    /// The accepted orientation nearest to that of `frame`, the present frame of the effector's joint. `None` if no
    /// orientation is requested.
    #[inline]
    pub fn nearest_rotation(&self, frame: Isometry) -> Option<DQuat> {
        let target = self.requested_rotation()?;
        let Some(axis) = self.spin_axis() else { return Some(target) };
        Some((smallest_rotation(frame.rotation * axis, target * axis) * frame.rotation).normalize())
    }

    /// Projects velocities of the tip onto the directions in which the position is fixed; `None` if all are.
    pub(crate) fn fixed_shifts(&self, frame: Isometry) -> Option<DMat3> {
        let target = self.target.position.filter(|_| self.freedom.slack != DVec3::ZERO)?;
        let axes = DMat3::from_quat(self.slack_axes());
        let offset = axes.transpose() * (frame.point(self.effector.tip) - target);
        let is_fixed =
            |at: usize| f64::from(u8::from(offset[at].abs() > self.freedom.slack[at] || self.freedom.slack[at] == 0.0));
        Some(axes * DMat3::from_diagonal(DVec3::new(is_fixed(0), is_fixed(1), is_fixed(2))) * axes.transpose())
    }

    /// Projects angular velocities onto the directions in which the orientation is fixed; `None` if all are.
    pub(crate) fn fixed_turns(&self, frame: Isometry) -> Option<DMat3> {
        let axis = frame.rotation * self.spin_axis()?;
        Some(DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z))
    }

    fn spin_axis(&self) -> Option<DVec3> {
        self.freedom.spin_axis.map(|axis| axis.normalize_or(DVec3::Z))
    }

    fn slack_axes(&self) -> DQuat {
        self.target.rotation.map_or(DQuat::IDENTITY, DQuat::normalize)
    }
}
