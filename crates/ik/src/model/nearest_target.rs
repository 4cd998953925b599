//! Goals with freedom accept a set of frames. A solver aims at the frame of this set that is nearest to the present one, and
//! looks only at the directions in which the effector cannot move inside the set.

use super::freedom::Freedom;
use super::problem::{Effector, Goal};
use super::transform::{Isometry, smallest_rotation};
use glam::{DMat3, DQuat, DVec3};

impl Goal {
    /// A goal that places the tip and points an axis of the effector in a direction. `axis` is in the frame of the
    /// effector's joint, `direction` in the world; neither is zero. The effector may turn about the axis.
    pub fn pointing(effector: Effector, position: DVec3, axis: DVec3, direction: DVec3) -> Self {
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
