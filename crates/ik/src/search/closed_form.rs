//! All solutions of arms with six hinges, in closed form or as eigenvalues. Next to singular poses the steps of a search become
//! small, and among obstacles it may try no solution that is clear of them.

use crate::closed_form::SixAxisArm;
use crate::model::{Coordinates, Goal, Kind, Pose};
use crate::search::workspace::Workspace;
use crate::tasks::{Objective, Score};
use glam::{DQuat, DVec3};

/// An arm with six hinges, and where it should put its effector.
pub(super) struct PosedArm {
    arm: SixAxisArm,
    position: DVec3,
    rotation: DQuat,
}

impl Workspace {
    /// For a search that has missed the goals, `best`: goes on with the nearest of all solutions, if they are known.
    pub(super) fn try_closed_form(
        &mut self,
        objective: &Objective,
        best: Score,
        pose: &mut [Coordinates],
    ) -> Option<Score> {
        let settings = objective.settings;
        if best.reached(settings) || settings.interrupt.is_requested() || self.out_of_reach(objective).is_some() {
            return None;
        }
        let posed = self.six_axis_arm(objective)?;
        self.try_solutions(&posed, objective, pose)
    }

    /// The same for an arm that is known.
    pub(super) fn try_solutions(
        &mut self,
        posed: &PosedArm,
        objective: &Objective,
        pose: &mut [Coordinates],
    ) -> Option<Score> {
        let (score, nearest) = self.all_solutions(posed, objective)?.into_iter().next()?;
        pose.copy_from_slice(&nearest);
        self.effort.attempts += 1;
        Some(score)
    }

    /// All solutions, the nearest to `poses.start` first, with their scores. `None` if the problem is not that of one effector
    /// with position and orientation on an arm with six hinges, or if no pose is exact: a search may then find one within
    /// the tolerances.
    pub(super) fn closed_form(&mut self, objective: &Objective) -> Option<Vec<(Score, Pose)>> {
        let posed = self.six_axis_arm(objective)?;
        self.all_solutions(&posed, objective)
    }

    fn all_solutions(&mut self, posed: &PosedArm, objective: &Objective) -> Option<Vec<(Score, Pose)>> {
        let PosedArm { arm, position, rotation } = posed;
        let poses = arm.poses(objective.skeleton, &self.poses.start, *position, *rotation);
        if poses.is_empty() {
            return None;
        }
        let evaluation = &mut self.refiner.evaluation;
        let scored = poses.into_iter().map(|pose| (evaluation.evaluate(objective, &pose), pose));
        Some(scored.filter(|(score, _)| score.reached(objective.settings)).collect())
    }

    /// The arm with six hinges that a problem asks for one position and orientation, and these.
    pub(super) fn six_axis_arm(&self, objective: &Objective) -> Option<PosedArm> {
        let Objective { skeleton, problem, .. } = *objective;
        let goal = problem.one_exact_goal()?;
        let (position, rotation) = (goal.requested_position()?, goal.requested_rotation()?);
        if !has_six_hinges(objective) {
            return None;
        }
        let arm = SixAxisArm::at(skeleton, &goal.effector, problem.base, &self.poses.start).ok()?;
        Some(PosedArm { arm, position, rotation })
    }
}

/// Whether one effector hangs on six hinges: other figures are recognized here, without memory for their axes.
pub(super) fn has_six_hinges(Objective { skeleton, problem, .. }: &Objective) -> bool {
    let is_variable = |&joint: &usize| {
        let kind = skeleton.kind(joint);
        matches!(kind, Kind::Hinge { .. }) && kind.can_move() && skeleton.joints()[joint].mimic.is_none()
    };
    let count = |goal: &Goal| goal.effector.chain_joints(skeleton).filter(is_variable).count();
    problem.one_exact_goal().is_some_and(|goal| count(goal) == 6)
}
