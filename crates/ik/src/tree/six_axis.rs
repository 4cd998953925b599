//! What the search misses on arms with six hinges. Next to singular poses its steps become small, and among obstacles it may
//! try no branch that is clear of them. The closed form lists all branches.

use super::layout::Layout;
use super::objective::Objective;
use super::scratch::Start;
use super::workspace::Workspace;
use crate::branches::SixAxisArm;
use crate::methods::SkeletonStep;
use crate::model::joint::Kind;
use crate::model::pose::{Coordinates, Pose};
use crate::model::report::{Report, Stop};

impl Workspace {
    /// If the search has missed its goals, as `missed` says, and a branch of the closed form meets them, solves again from
    /// there. Returns the report of both.
    pub(super) fn try_branches(
        &mut self,
        objective: &Objective,
        loops: Option<&Layout>,
        start: Start,
        missed: Report,
        pose: &mut [Coordinates],
    ) -> Report {
        let searches = matches!(objective.settings.method.skeleton_step(), SkeletonStep::Search);
        if !(searches && matches!(missed.stop, Stop::Limited | Stop::Stalled | Stop::IterationLimit)) {
            return missed;
        }
        let from = std::mem::take(&mut self.poses.start);
        let branch = self.nearest_branch(objective, &from);
        self.poses.start = from;
        let Some(branch) = branch else { return missed };
        pose.copy_from_slice(&branch);
        let solved = self.solve_stage(objective, loops, start, pose);
        Report {
            iterations: missed.iterations + solved.iterations,
            refine_steps: missed.refine_steps + solved.refine_steps,
            attempts: missed.attempts + solved.attempts,
            ..solved
        }
    }

    /// Of all branches that meet everything, the one nearest to `start`. `None` if there is none, or if the problem is not
    /// that of one effector with position and orientation on an arm with a closed form.
    fn nearest_branch(&mut self, objective: &Objective, start: &[Coordinates]) -> Option<Pose> {
        let Objective { skeleton, problem, settings, .. } = *objective;
        let goal = problem.one_exact_goal()?;
        let (position, rotation) = (goal.requested_position()?, goal.requested_rotation()?);
        // Most skeletons are recognized here, without memory for their axes.
        let hinges = goal.effector.chain_joints(skeleton).filter(|&i| matches!(skeleton.kind(i), Kind::Hinge { .. }));
        if hinges.count() < 6 {
            return None;
        }
        let arm = SixAxisArm::at(skeleton, &goal.effector, problem.base, start).ok()?;
        let mut branches = arm.poses(skeleton, start, position, rotation).into_iter();
        branches.find(|pose| self.refiner.evaluation.evaluate(objective, pose).reached(settings))
    }
}
