//! Whether infinitely many poses of a figure meet its goals.

use super::solver::FigureSolver;
use crate::layout::Layout;
use crate::linear::heights;
use crate::model::Problem;
use crate::random::Random;
use crate::search::workspace::Given;
use crate::step::Columns;
use crate::tasks::Objective;
use crate::tasks::evaluation::{Derivatives, Evaluation};
use glam::DVec3;

/// A column of which the others leave no more than this ratio depends on them.
const DEPENDENT: f64 = 1e-9;

impl FigureSolver {
    /// Whether the joints have more freedom than goals and loops take from them: then infinitely many poses meet these, as far as
    /// limits leave room. The Jacobian in a random pose decides: in that of an answer, an arm may be stretched.
    pub fn is_redundant(&self, given: &Given) -> bool {
        if self.is_idle {
            return false;
        }
        let skeleton = self.figure.skeleton();
        let Problem { mut goals, loops, custom_goals, base, .. } = self.figure.problem(given.problem);
        for goal in &mut goals {
            // Where a position has room, nothing is taken, however far away the random pose is.
            let room = |slack: f64| if slack > 0.0 { f64::INFINITY } else { 0.0 };
            goal.freedom.slack = DVec3::from_array(goal.freedom.slack.to_array().map(room));
        }
        let problem = Problem { goals, loops, custom_goals, base, ..Problem::default() };
        let Some(layout) = Layout::stages(skeleton, &problem).pop() else { return false };
        let objective = Objective::new(skeleton, &problem, &layout, given.settings);
        let pose = skeleton.random_pose(&mut Random::new(0));
        let mut evaluation = Evaluation { frames: skeleton.frames_at(base, &pose), ..Evaluation::default() };
        evaluation.score(&objective);
        if layout.columns > evaluation.residuals.len() {
            return true;
        }
        let mut jacobian = Columns::default();
        Derivatives::default().fill(&objective, &pose, &evaluation, &[], &mut jacobian);
        heights((0..layout.columns).map(|column| jacobian.column(column)), DEPENDENT).is_none()
    }
}
