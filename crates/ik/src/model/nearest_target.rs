//! Goals with freedom accept a set of frames. A solver aims at the frame of this set that is nearest to the present one, and
//! looks only at the directions in which the effector cannot move inside the set.

use super::freedom::Freedom;
use super::problem::{Effector, Goal, Target};
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

    /// A goal that makes an effector look at a point, as a camera or a head does: the ray from its tip along `axis` passes
    /// through `point`. `axis` is in the frame of the effector's joint and not zero, `point` in the world. The effector may
    /// turn about the axis. For a tip with a requested position, set it in the goal's target.
    pub fn looking_at(effector: Effector, axis: DVec3, point: DVec3) -> Self {
        let target = Target { look_at: Some(point), ..Target::default() };
        Goal { freedom: Freedom::spin(axis), ..Goal::new(effector, target) }
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
        if !self.requests_orientation() {
            return None;
        }
        let Some(axis) = self.pointing_axis() else { return self.target.canonical_rotation() };
        let now = frame.rotation * axis;
        let wanted = match self.target.look_at {
            Some(point) => (point - frame.point(self.effector.tip)).try_normalize().unwrap_or(now),
            None => self.target.canonical_rotation()? * axis,
        };
        Some((smallest_rotation(now, wanted) * frame.rotation).normalize())
    }

    /// Projects velocities of the tip onto the directions in which the position is fixed; `None` if all are.
    pub(crate) fn fixed_shifts(&self, frame: Isometry) -> Option<DMat3> {
        let target = self.target.canonical_position().filter(|_| self.freedom.slack != DVec3::ZERO)?;
        let axes = DMat3::from_quat(self.slack_axes());
        let offset = axes.transpose() * (frame.point(self.effector.tip) - target);
        let is_fixed =
            |at: usize| f64::from(u8::from(offset[at].abs() > self.freedom.slack[at] || self.freedom.slack[at] == 0.0));
        Some(axes * DMat3::from_diagonal(DVec3::new(is_fixed(0), is_fixed(1), is_fixed(2))) * axes.transpose())
    }

    /// Projects angular velocities onto the directions in which the orientation is fixed; `None` if all are.
    pub(crate) fn fixed_turns(&self, frame: Isometry) -> Option<DMat3> {
        let axis = frame.rotation * self.pointing_axis()?;
        Some(DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z))
    }

    /// Maps a velocity of the tip to the angular velocity of the error that it causes, because the direction to the point
    /// that the effector looks at changes. `None` for goals that look at no point.
    pub(crate) fn turns_by_shifts(&self, frame: Isometry) -> Option<DMat3> {
        let sight = self.target.look_at? - frame.point(self.effector.tip);
        let squared = sight.length_squared();
        // The cross product with `sight`, as a matrix.
        let cross = DMat3::from_cols(
            DVec3::new(0.0, sight.z, -sight.y),
            DVec3::new(-sight.z, 0.0, sight.x),
            DVec3::new(sight.y, -sight.x, 0.0),
        );
        Some(if squared > 0.0 { cross * squared.recip() } else { DMat3::ZERO })
    }

    /// The target at a fraction of the way from a frame of the effector's joint.
    pub(crate) fn target_between(&self, start: Isometry, fraction: f64) -> Target {
        let Target { position, rotation, look_at } = self.target.canonical();
        let axis = self.pointing_axis().unwrap_or(DVec3::Z);
        let tip = start.point(self.effector.tip);
        Target {
            position: position.map(|place| tip.lerp(place, fraction)),
            rotation: rotation.map(|turned| start.rotation.slerp(turned.normalize(), fraction)),
            look_at: look_at.map(|point| {
                let (now, sight) = (start.rotation * axis, point - tip);
                let turn = smallest_rotation(now, sight.normalize_or(now));
                tip + DQuat::IDENTITY.slerp(turn, fraction) * now * sight.length()
            }),
        }
    }

    /// The number of coordinates that the goal fixes: up to three of the position and three of the orientation. A position with
    /// slack along an axis does not count there.
    pub fn fixed_coordinates(&self) -> usize {
        let slack = self.freedom.slack.to_array();
        let position = self.requested_position().map_or(0, |_| slack.iter().filter(|&&slack| slack == 0.0).count());
        let orientation = if self.pointing_axis().is_some() { 2 } else { 3 };
        position + if self.requests_orientation() { orientation } else { 0 }
    }

    /// The axis of the effector's joint of which only the direction is requested; `None` if the whole orientation is.
    fn pointing_axis(&self) -> Option<DVec3> {
        let axis = self.freedom.spin_axis.or(self.target.look_at.map(|_| DVec3::Z));
        axis.map(|axis| axis.normalize_or(DVec3::Z))
    }

    fn slack_axes(&self) -> DQuat {
        self.target.canonical_rotation().map_or(DQuat::IDENTITY, DQuat::normalize)
    }
}
