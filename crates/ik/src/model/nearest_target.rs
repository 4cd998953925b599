//! Goals with freedom accept a set of frames. A solver aims at the frame of this set that is nearest to the present one.

use super::{Effector, Freedom, Goal, Isometry, Orientation, Target, angle_between, smallest_rotation};
use crate::maths;
use glam::{DQuat, DVec3};

impl Goal {
    /// A goal that places the tip, unless `position` is `None`, and points an axis of the effector in a direction. `axis` is in
    /// the frame of the effector's joint, `direction` in the world; neither is zero. The effector may turn about the axis. For
    /// another direction, replace the goal in [`Problem::goals`](crate::Problem::goals).
    pub fn pointing(effector: Effector, position: impl Into<Option<DVec3>>, axis: DVec3, direction: DVec3) -> Self {
        let (from, to) = (axis.normalize_or(DVec3::Z), direction.normalize_or(DVec3::Z));
        let orientation = Some(Orientation::Rotation(smallest_rotation(from, to)));
        let target = Target { position: position.into(), orientation };
        Goal { freedom: Freedom::spin(axis), ..Goal::new(effector, target) }
    }

    /// A goal that makes an effector look at a point, as a camera or a head does: the ray from its tip along `axis` passes
    /// through `point`. `axis` is in the frame of the effector's joint and not zero, `point` in the world. The effector may
    /// turn about the axis. For a tip with a requested position, set it in the goal's target.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Skeleton, Solver, goals::Orientation};
    /// // A neck and a head that looks along its z axis.
    /// let mut solver = Solver::new(Skeleton::new(vec![
    ///     Joint::new("neck", None, DVec3::Y, Kind::limited_ball(0.5, 0.8)?),
    ///     Joint::new("head", Some(0), DVec3::Y * 0.1, Kind::limited_ball(0.5, 0.8)?),
    /// ])?);
    /// let eyes = Effector::new(1, DVec3::Y * 0.1);
    /// let head = solver.add_goal(Goal::looking_at(eyes, DVec3::Z, DVec3::new(0.0, 1.0, 3.0)));
    /// let mut pose = solver.skeleton().rest_pose();
    /// assert!(solver.solve(&mut pose).stop.is_reached());
    /// // The point moves. A `DVec3` alone would be a position for the tip.
    /// solver.set_target(head, Orientation::LookAt(DVec3::new(1.0, 1.0, 3.0)));
    /// assert!(solver.track(&mut pose).stop.is_reached());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn looking_at(effector: Effector, axis: DVec3, point: DVec3) -> Self {
        Goal { freedom: Freedom::spin(axis), ..Goal::new(effector, Orientation::LookAt(point)) }
    }

    /// The accepted position nearest to the tip, with the effector's joint at `frame`. `None` if no position is requested.
    #[inline]
    pub fn nearest_position(&self, frame: Isometry) -> Option<DVec3> {
        Some(self.accepted_position(self.requested_position()?, frame.point(self.effector.tip)))
    }

    /// The accepted orientation nearest to that of the effector's joint at `frame`. `None` if no orientation is requested.
    #[inline]
    pub fn nearest_rotation(&self, frame: Isometry) -> Option<DQuat> {
        Some(self.accepted_orientation(self.requested_orientation()?, frame))
    }

    /// The distance from the nearest accepted position and the angle from the nearest accepted orientation; 0 for what is not
    /// requested.
    pub(crate) fn error(&self, frame: Isometry) -> (f64, f64) {
        let distance = self.nearest_position(frame).map_or(0.0, |place| frame.point(self.effector.tip).distance(place));
        let angle = self.nearest_rotation(frame).map_or(0.0, |turned| angle_between(frame.rotation, turned));
        (distance, angle)
    }

    /// For the requested position: the accepted one nearest to the tip.
    #[inline]
    pub(crate) fn accepted_position(&self, requested: DVec3, tip: DVec3) -> DVec3 {
        let slack = self.freedom.slack;
        if slack == DVec3::ZERO {
            return requested;
        }
        let axes = self.slack_axes();
        requested + axes * (axes.conjugate() * (tip - requested)).clamp(-slack, slack)
    }

    /// For the requested orientation: the accepted one nearest to that of `frame`.
    #[inline]
    pub(crate) fn accepted_orientation(&self, requested: Orientation, frame: Isometry) -> DQuat {
        let (now, wanted) = match requested {
            Orientation::Rotation(rotation) => {
                let Some(axis) = self.freedom.axis() else { return rotation };
                (frame.rotation * axis, rotation * axis)
            }
            Orientation::LookAt(point) => {
                let now = frame.rotation * self.sight_axis();
                (now, (point - frame.point(self.effector.tip)).try_normalize().unwrap_or(now))
            }
        };
        (smallest_rotation(now, wanted) * frame.rotation).normalize()
    }

    /// The target at a fraction of the way from a frame of the effector's joint.
    pub(crate) fn target_between(&self, start: Isometry, fraction: f64) -> Target {
        let Target { position, orientation } = self.target.canonical();
        let tip = start.point(self.effector.tip);
        let position = position.map(|place| tip.lerp(place, fraction));
        let orientation = orientation.map(|orientation| match orientation {
            Orientation::Rotation(turned) => {
                Orientation::Rotation(maths::part_way(start.rotation, turned.normalize(), fraction))
            }
            Orientation::LookAt(point) => {
                let (now, sight) = (start.rotation * self.sight_axis(), point - tip);
                let turn = smallest_rotation(now, sight.normalize_or(now));
                Orientation::LookAt(tip + maths::part_way(DQuat::IDENTITY, turn, fraction) * now * sight.length())
            }
        });
        Target { position, orientation }
    }

    /// The axis of the effector's joint that looks at the point of the target.
    pub(crate) fn sight_axis(&self) -> DVec3 {
        self.freedom.axis().unwrap_or(DVec3::Z)
    }

    /// The axes of the slack.
    pub(crate) fn slack_axes(&self) -> DQuat {
        self.target.canonical().rotation().map_or(DQuat::IDENTITY, DQuat::normalize)
    }
}
