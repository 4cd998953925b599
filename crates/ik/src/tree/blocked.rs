//! Which limits keep a pose from its goals.

use crate::layout::{ActiveJoint, Layout};
use crate::model::queries::{AtLimit, LimitSide};
use crate::model::{Coordinates, CustomGoal, Kind, Problem, Settings, Skeleton};
use crate::tasks::Objective;
use crate::tree::refine::Refiner;

/// The limits that keep `pose` from its goals: it is at them, and without one of them the joint would go on, because the weighted
/// errors fall in that direction. Limits that a pose touches by chance are not among them, and none of joints that cannot move.
/// Empty if the goals are met exactly.
///
/// After a solve that ends with [`Stop::Limited`](crate::Stop::Limited), these are the limits to widen. If there are none, obstacles or
/// other links are in the way, or the problem is too large for derivatives. A joint whose range those of its followers narrow stands
/// for them.
///
/// ```
/// use fabrik3d_ik::queries::{LimitSide, blocked_by};
/// use fabrik3d_ik::{Kind, Skeleton, Solver, Stop};
/// use fabrik3d_ik::glam::DVec3;
///
/// let arm = Skeleton::builder()
///     .root("shoulder", Kind::limited_hinge(DVec3::Z, -0.5, 0.5)?)
///     .child("elbow", "shoulder", DVec3::X, Kind::limited_hinge(DVec3::Z, 0.0, 2.0)?)
///     .build()?;
/// // To the left, behind the limit of the shoulder.
/// let mut solver = Solver::new(arm.clone()).goal(arm.effector("elbow")?.at(DVec3::X), DVec3::new(-1.0, 1.0, 0.0));
/// let mut pose = arm.rest_pose();
/// assert_eq!(solver.solve(&mut pose).stop, Stop::Limited);
/// let blocking = blocked_by(&arm, &solver.problem, &pose);
/// assert_eq!(blocking.iter().map(|limit| (limit.joint, limit.side)).next(), Some((0, LimitSide::High)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn blocked_by(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Vec<AtLimit> {
    let goals: Vec<usize> = (0..problem.goals.len()).filter(|&at| problem.goals[at].is_active()).collect();
    let (layout, settings) = (Layout::new(skeleton, problem, &goals, CustomGoal::is_active), Settings::default());
    let objective = Objective::new(skeleton, problem, &layout, &settings);
    let objective = if objective.has_ranks() { objective.with_firm_constraints() } else { objective };
    let mut refiner = Refiner::default();
    refiner.begin(&objective, pose);
    let mut limits = Vec::new();
    refiner.for_each_blocked_column(&objective, pose, |column, slope| {
        // The last joint whose columns begin at this one or before it.
        let at = layout.active_joints.partition_point(|active| active.column <= column) - 1;
        let ActiveJoint { joint, column: first } = layout.active_joints[at];
        let is_low = slope > 0.0;
        let side = match skeleton.kind(joint) {
            Kind::Ball { .. } if column < first + 2 => LimitSide::Rim,
            Kind::Ball { .. } if is_low => LimitSide::TwistLow,
            Kind::Ball { .. } => LimitSide::TwistHigh,
            _ if is_low => LimitSide::Low,
            _ => LimitSide::High,
        };
        limits.push(AtLimit { joint, side });
    });
    limits
}

/// The joints of [`blocked_by`], each once, in ascending order.
pub fn blocking_joints(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Vec<usize> {
    let mut joints: Vec<usize> = blocked_by(skeleton, problem, pose).into_iter().map(|limit| limit.joint).collect();
    joints.dedup();
    joints
}
