//! Targets at which the effector would be in an obstacle: no pose can meet them.

use crate::layout::{GoalLayout, Path};
use crate::model::{Body, Isometry};
use crate::tasks::Objective;

impl Objective<'_> {
    /// Whether a goal with position and orientation puts a capsule that its effector carries into an obstacle, or into a
    /// capsule that cannot move, deeper than the tolerances. `frames` are those of any pose.
    pub(crate) fn is_blocked_at_target(&self, frames: &[Isometry]) -> bool {
        self.layout.goals.iter().any(|goal| self.is_goal_blocked(goal, frames).unwrap_or(false))
    }

    /// `None` if the goal leaves something open, or if nothing moves its effector.
    fn is_goal_blocked(&self, goal: &GoalLayout, frames: &[Isometry]) -> Option<bool> {
        let Objective { problem, layout, settings, .. } = *self;
        let request = &problem.goals[goal.index];
        let (position, rotation) = (request.requested_position()?, request.requested_rotation()?.normalize());
        let carrier = carrier_of(&goal.path).filter(|_| request.is_exact())?;
        let effector = request.effector;
        // The motion that takes what the effector carries from the pose of `frames` to the target.
        let (now, turn) = (frames[effector.joint], rotation * frames[effector.joint].rotation.conjugate());
        let moved = Isometry::new(position - rotation * effector.tip - turn * now.position, turn);
        let capsules = &problem.keep_clear.capsules;
        let is_carried = |capsule: usize| carrier_of(&layout.capsules[capsule]) == Some(carrier);
        let is_fixed = |capsule: usize| layout.capsules[capsule].joints.is_empty();
        let at_target = |capsule: usize| moved.frame(frames[capsules[capsule].joint]);
        // How far any point of a body may be from there within the tolerances.
        let slack = |body: &Body| {
            let arm = body.ends.iter().map(|end| end.distance(position)).fold(0.0, f64::max) + body.capsule.radius;
            settings.tolerance * goal.size + settings.rotation_tolerance * arm
        };
        let in_obstacle = |capsule: usize| {
            let frame = at_target(capsule);
            let body = capsules[capsule].at(&frame);
            problem.obstacles.iter().any(|obstacle| body.separation_from(obstacle, 0.0).distance < -slack(&body))
        };
        let in_fixed = |&[a, b]: &[usize; 2]| {
            let pair = [(a, b), (b, a)].into_iter().find(|&(own, other)| is_carried(own) && is_fixed(other));
            pair.is_some_and(|(own, other)| {
                let frame = at_target(own);
                let body = capsules[own].at(&frame);
                let fixed = capsules[other].at(&frames[capsules[other].joint]);
                body.separation(&fixed, 0.0).distance < -slack(&body)
            })
        };
        let mut carried = (0..layout.capsules.len()).filter(|&capsule| is_carried(capsule));
        Some(carried.any(in_obstacle) || layout.pairs.iter().flat_map(|(_, pairs)| pairs).any(in_fixed))
    }
}

/// The joint that moves the end of a path as one rigid body.
fn carrier_of(path: &Path) -> Option<usize> {
    path.joints.first().filter(|joint| joint.lever.is_none()).map(|joint| joint.joint)
}
