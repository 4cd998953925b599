//! A goal of the caller's own.
//!
//! - **Residual**, one row: `sqrt(w) r / l`, with the caller's residual `r`, the weight `w` and the length `l` of the layout.
//! - **Derivative**: `sqrt(w) / l sum(g_k . v_k)`, with the caller's derivative `g_k` by point `k`, and the velocity `v_k` of that
//!   point per unit of a column.
//! - **Rank**: that of the goal.
//! - **Met** if `|r| / l` is within the tolerance: it counts as a position.

use crate::layout::CustomLayout;
use crate::model::{Isometry, LARGEST};
use crate::tasks::{Objective, Rank, Residuals, Rows, Task};
use glam::DVec3;

/// A custom goal in a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CustomTask {
    /// Its place in the layout.
    at: usize,
    residual: f64,
    /// The first of its derivatives.
    first: usize,
}

/// The custom goals in a pose.
#[derive(Clone, Debug, Default)]
pub(crate) struct CustomTasks {
    tasks: Vec<CustomTask>,
    points: Vec<DVec3>,
    /// One for each point of all goals.
    gradients: Vec<DVec3>,
}

/// One of them, with its rank.
pub(crate) struct Ranked<'a> {
    task: CustomTask,
    gradient: &'a [DVec3],
    layout: &'a CustomLayout,
    rank: Rank,
}

impl CustomTasks {
    /// Makes room for those of an objective.
    pub fn reserve(&mut self, objective: &Objective) {
        let goals = &objective.layout.custom_goals;
        let points: usize = goals.iter().map(|goal| goal.points.len()).sum();
        crate::layout::make_room(&mut self.tasks, goals.len());
        crate::layout::make_room(&mut self.points, points);
        crate::layout::make_room(&mut self.gradients, points);
    }

    /// Evaluates them for a pose with these frames.
    pub fn find(&mut self, objective: &Objective, frames: &[Isometry]) {
        self.tasks.clear();
        self.points.clear();
        for layout in &objective.layout.custom_goals {
            let ends = layout.points.iter().map(|path| path.end);
            self.points.extend(ends.map(|end| frames[end.joint].point(end.point)));
        }
        self.gradients.resize(self.points.len(), DVec3::ZERO);
        let mut first = 0;
        for (at, layout) in objective.layout.custom_goals.iter().enumerate() {
            let own = first..first + layout.points.len();
            let gradient = &mut self.gradients[own.clone()];
            let found = objective.problem.custom_goals[layout.index].evaluate(&self.points[own.clone()], gradient);
            if found.is_none() {
                gradient.fill(DVec3::ZERO);
            }
            self.tasks.push(CustomTask { at, residual: found.unwrap_or(LARGEST), first });
            first = own.end;
        }
    }

    /// Those that count in an objective: those that are only preferred, or all others.
    pub fn of<'a>(&'a self, objective: &'a Objective, preferred: bool) -> impl Iterator<Item = Ranked<'a>> {
        self.tasks.iter().filter_map(move |&task| {
            let layout = &objective.layout.custom_goals[task.at];
            let rank = objective.rank_of(objective.problem.custom_goals[layout.index].rank)?;
            let gradient = &self.gradients[task.first..][..layout.points.len()];
            ((rank == Rank::Preferred) == preferred).then_some(Ranked { task, gradient, layout, rank })
        })
    }
}

impl Task for Ranked<'_> {
    const ROWS: usize = 1;

    fn residual(&self, objective: &Objective, _: &[Isometry], out: &mut Residuals) {
        let residual = self.task.residual / objective.layout.length;
        if self.rank != Rank::Preferred {
            out.score.position = out.score.position.max(residual.abs());
        }
        out.note(self.rank, residual.abs());
        out.rows.push(residual * self.scale(objective));
    }

    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let scale = self.scale(objective) / objective.layout.length;
        for (path, &slope) in self.layout.points.iter().zip(self.gradient) {
            let point = frames[path.end.joint].point(path.end.point);
            out.add_distance(&path.joints, point, slope * scale);
        }
    }
}

impl Ranked<'_> {
    fn scale(&self, objective: &Objective) -> f64 {
        let goal = &objective.problem.custom_goals[self.layout.index];
        self.rank.scale(objective.is_firm) * goal.weight.sqrt()
    }
}
