//! Goals of the caller's own: how much is missing, and how that changes with the points it depends on.

use super::{Attachment, GoalRank, LARGEST, Reason, Skeleton, check_point, check_size};
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

/// What a [`CustomGoal`] asks of its points.
pub trait Residual: Debug + Send + Sync {
    /// How much is missing when the points are here, in the world: a length of any sign, 0 if nothing is. Writes its derivative by
    /// each point to `gradient`, which is zero before the call.
    ///
    /// The same points have to give the same answer. Where the length or a derivative is not finite, every pose with finite
    /// ones is better: the solve goes on from such poses. [`Solver::check`](crate::Solver::check) tells of it.
    fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64;
}

/// A goal of the caller's own: a [`Residual`] of points on joints that should be 0. It is met if the residual, as a fraction of the
/// largest size of an effector (without one, of the skeleton), is within [`Settings::tolerance`](crate::Settings::tolerance).
/// Reaching passes do not know it: it is met by the steps after them.
///
/// An elbow that stays above a plane:
///
/// ```
/// # use fabrik3d_ik::{Effector, Kind, Skeleton, Solver};
/// # use fabrik3d_ik::goals::{Attachment, CustomGoal, Residual};
/// # use glam::DVec3;
/// /// The half space where `normal.dot(point) >= offset`.
/// #[derive(Debug)]
/// struct Above { normal: DVec3, offset: f64 }
///
/// impl Residual for Above {
///     fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
///         let missing = self.offset - self.normal.dot(points[0]);
///         if missing <= 0.0 {
///             return 0.0;
///         }
///         gradient[0] = -self.normal;
///         missing
///     }
/// }
///
/// let arm = Skeleton::builder()
///     .root("shoulder", Kind::ball())
///     .child("elbow", "shoulder", DVec3::X, Kind::ball())
///     .build()?;
/// let hand = arm.effector("elbow")?.at(DVec3::X);
/// let elbow = Attachment { joint: hand.joint, point: DVec3::ZERO };
/// let mut solver = Solver::new(arm).goal(hand, DVec3::new(1.2, 0.0, -0.6));
/// solver.problem.custom_goals.push(CustomGoal::new([elbow], Above { normal: DVec3::Y, offset: 0.5 }));
/// let mut pose = solver.skeleton().rest_pose();
/// assert!(solver.solve(&mut pose).stop.is_reached());
/// assert!(solver.frames()[1].position.y > 0.499);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CustomGoal {
    /// The points that it depends on.
    pub points: Vec<Attachment>,
    /// What it asks of them.
    pub residual: Arc<dyn Residual>,
    /// Weight relative to the other goals of its rank.
    pub weight: f64,
    /// What it gives way to.
    pub rank: GoalRank,
}

impl CustomGoal {
    /// A wanted goal of weight 1.
    pub fn new(points: impl Into<Vec<Attachment>>, residual: impl Residual + 'static) -> Self {
        CustomGoal { points: points.into(), residual: Arc::new(residual), weight: 1.0, rank: GoalRank::Wanted }
    }

    /// Whether a solve has to meet the goal.
    pub(crate) fn is_active(&self) -> bool {
        self.weight > 0.0 && self.rank != GoalRank::Preferred
    }

    /// Whether it is only preferred.
    pub(crate) fn is_preferred(&self) -> bool {
        self.weight > 0.0 && self.rank == GoalRank::Preferred
    }

    /// The residual, and its derivative by each of `points` in `gradient`; none if one of these numbers is none to compute with.
    pub(crate) fn evaluate(&self, points: &[DVec3], gradient: &mut [DVec3]) -> Option<f64> {
        gradient.fill(DVec3::ZERO);
        let residual = self.residual.at(points, gradient);
        let is_small = |number: f64| number.abs() <= LARGEST;
        let are_small = gradient.iter().flat_map(|slope| slope.to_array()).all(is_small);
        Some(residual).filter(|residual| is_small(*residual) && are_small)
    }

    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), Reason> {
        check_size(self.weight)?;
        self.points.iter().try_for_each(|end| skeleton.check_joint(end.joint).and_then(|()| check_point(end.point)))
    }
}

impl Clone for CustomGoal {
    fn clone(&self) -> Self {
        let CustomGoal { points, residual, weight, rank } = self;
        CustomGoal { points: points.clone(), residual: Arc::clone(residual), weight: *weight, rank: *rank }
    }

    /// Keeps the memory of the list, as that of [`Problem`](crate::Problem) does.
    fn clone_from(&mut self, other: &Self) {
        let CustomGoal { points, residual, weight, rank } = other;
        self.points.clone_from(points);
        self.residual.clone_from(residual);
        (self.weight, self.rank) = (*weight, *rank);
    }
}

/// Two goals are the same if they share one residual.
impl PartialEq for CustomGoal {
    fn eq(&self, other: &Self) -> bool {
        let CustomGoal { points, residual, weight, rank } = self;
        let is_shared = std::ptr::addr_eq(Arc::as_ptr(residual), Arc::as_ptr(&other.residual));
        is_shared && *points == other.points && *weight == other.weight && *rank == other.rank
    }
}
