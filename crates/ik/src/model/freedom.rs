//! What a goal leaves open: the turn about an axis of the tool, and the position along axes of the target.

use super::{Reason, check_point};
use glam::DVec3;

/// What a goal leaves open. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Freedom {
    /// Axis in the frame of the effector's joint about which the effector may turn; only its direction counts. The target
    /// orientation then requests no more than the direction of this axis, as a welding torch or an arm of five joints
    /// needs it. For a target with [`Orientation::LookAt`](crate::goals::Orientation::LookAt), this is the axis that looks; `None` is
    /// then z.
    pub spin_axis: Option<DVec3>,
    /// How far the tip may be from the target position along each of three axes, scene units: those of the target
    /// orientation, even if its weight is 0; without one, those of the world. A number beyond the reach leaves an axis
    /// open: one such number makes the target a line, two make it a plane. A box with five far sides keeps the tip on one side
    /// of a plane:
    ///
    /// ```
    /// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Skeleton, Solver, goals::Freedom};
    /// # use glam::DVec3;
    /// let ball = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::UNLIMITED_BALL);
    /// let mut arm = Solver::new(Skeleton::new(vec![
    ///     ball("shoulder", None, DVec3::Y),
    ///     ball("elbow", Some(0), DVec3::X),
    /// ])?);
    /// arm.add_goal(Goal::new(Effector::new(1, DVec3::X), DVec3::new(0.9, 0.0, 0.3)));
    /// // The elbow stays above the height 0.9.
    /// let far = 1e3;
    /// let above = Freedom { slack: DVec3::new(f64::INFINITY, far, f64::INFINITY), ..Freedom::default() };
    /// arm.add_goal(Goal { freedom: above, ..Goal::new(Effector::new(1, DVec3::ZERO), DVec3::Y * (0.9 + far)) });
    /// let mut pose = arm.skeleton().rest_pose();
    /// assert!(arm.solve(&mut pose).stop.is_reached());
    /// assert!(arm.frames()[1].position.y > 0.9 - 1e-3);
    /// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
    /// ```
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

    /// The axis about which the effector may turn, with unit length.
    #[inline]
    pub(crate) fn axis(&self) -> Option<DVec3> {
        self.spin_axis.map(|axis| axis.normalize_or(DVec3::Z))
    }

    /// Checks that the axis has a direction and that no slack is negative. An infinite slack leaves everything open.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        if let Some(axis) = self.spin_axis {
            check_point(axis)?;
            if axis.length_squared() <= 1e-12 {
                return Err(Reason::Zero);
            }
        }
        self.slack.to_array().into_iter().try_for_each(|slack| match slack {
            slack if slack.is_nan() => Err(Reason::Number),
            slack if slack < 0.0 => Err(Reason::Negative),
            _ => Ok(()),
        })
    }
}
