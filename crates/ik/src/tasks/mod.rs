//! Goals as tasks: one file per kind of goal, with its residual, the derivative of the residual, its rank, and when it is
//! met. The objective and its Jacobian sum what the tasks return, and know nothing of their kinds.
//!
//! | task | rows | rank | met if |
//! |---|---|---|---|
//! | [`position`]: the tip of an effector at a point | 3 | firm, wanted or preferred | the distance is within the tolerance |
//! | [`orientation`]: an effector turned as requested, or an axis of it toward a point | 3 | firm, wanted or preferred | the angle is within the tolerance |
//! | [`closure`]: two points of a loop that coincide | 3 | must hold | the gap is closed |
//! | [`clearance`]: capsules that keep clear | 1 | must hold; the margin: nice | nothing overlaps |
//! | [`contact`]: links out of obstacles | 1 | must hold | the depth is within the tolerance |
//! | [`pole`]: a joint that bends toward a point | 3 | nice | |
//! | [`center_of_mass`]: a center of mass above its support | 1 | nice | |
//! | [`custom_goal`]: what the caller asks of points | 1 | firm, wanted or preferred | its residual is within the tolerance |
//! | [`posture`]: joints that keep to a pose | none | nice or preferred | |
//!
//! To add a kind of goal, add a file with a type that implements [`task::Task`], and rows in `for_each_task` and `reached`.
//!
//! The form is that of pink, <https://github.com/stephane-caron/pink>: a task has an error and its Jacobian, and the solver
//! only sums.

pub mod center_of_mass;
pub mod clearance;
pub mod closure;
pub mod contact;
pub mod custom_goal;
pub mod evaluation;
pub mod objective;
pub mod orientation;
pub mod pole;
pub mod position;
pub mod posture;
pub mod task;

use crate::layout::{GoalLayout, LoopLayout, make_room};
use crate::model::{CenterOfMass, Goal, Isometry, Settings};
use clearance::{ClearanceTask, Places};
use contact::ContactTask;
use custom_goal::CustomTasks;
use orientation::OrientationTask;
use position::PositionTask;

pub(crate) use objective::{Objective, PolePull, Rank, Ranks, Score};
pub(crate) use task::{Ahead, Residuals, Rows, Task, Visitor};

/// Number of pairs of bodies that can be too close at once without making the buffers larger.
const MOST_CLOSE: usize = 64;
/// Number of obstacles that a link can touch at once without making the buffers larger.
const MOST_TOUCHED: usize = 8;

/// The tasks that only the frames of a pose tell: what is too close to what, and what custom goals ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub close_pairs: Vec<ClearanceTask>,
    pub contacts: Vec<ContactTask>,
    pub custom_goals: CustomTasks,
    places: Places,
}

impl Found {
    /// Makes room for what can be too close at once. Returns the number of these tasks.
    pub fn reserve(&mut self, objective: &Objective) -> usize {
        let Objective { problem, layout, .. } = *objective;
        let obstacles = problem.obstacles.len().min(MOST_TOUCHED);
        let between: usize = layout.pairs.iter().map(|(_, pairs)| pairs.len()).sum();
        let pairs = between.min(MOST_CLOSE) + layout.capsules.len() * obstacles;
        let contacts = layout.segments.len() * obstacles;
        make_room(&mut self.close_pairs, pairs);
        make_room(&mut self.contacts, contacts);
        self.custom_goals.reserve(objective);
        self.places.reserve(problem.keep_clear.capsules.len(), objective.skeleton.len());
        pairs + contacts
    }

    /// Finds the tasks of a pose with these frames.
    pub fn find(&mut self, objective: &Objective, frames: &[Isometry]) {
        clearance::find(objective, frames, &mut self.places, &mut self.close_pairs);
        contact::find(objective, frames, &mut self.contacts);
        self.custom_goals.find(objective, frames);
    }

    /// Whether nothing is too close to anything.
    pub fn is_empty(&self) -> bool {
        self.close_pairs.is_empty() && self.contacts.is_empty()
    }
}

impl Objective<'_> {
    /// The largest number of rows of all tasks but those that [`Found`] holds.
    pub fn most_rows(&self) -> usize {
        let Objective { problem, layout, .. } = self;
        let goals = layout.goals.len() + layout.preferred.len();
        let goals = goals * (PositionTask::ROWS + OrientationTask::ROWS);
        let loops = layout.loops.len() * LoopLayout::ROWS;
        goals
            + loops
            + layout.poles.len() * PolePull::ROWS
            + problem.centers_of_mass.len() * CenterOfMass::ROWS
            + layout.custom_goals.len()
    }

    /// Visits all tasks, in the order of their rows.
    #[inline]
    pub fn for_each_task(&self, found: &Found, visitor: &mut impl Visitor) {
        self.visit_goals(&self.layout.goals, visitor);
        self.layout.loops.iter().for_each(|closure| visitor.visit(closure));
        self.pole_pulls.iter().for_each(|pull| visitor.visit(pull));
        self.problem.centers_of_mass.iter().filter(|_| self.balances).for_each(|body| visitor.visit(body));
        found.close_pairs.iter().for_each(|pair| visitor.visit(pair));
        found.contacts.iter().for_each(|contact| visitor.visit(contact));
        found.custom_goals.of(self, false).for_each(|goal| visitor.visit(&goal));
        if self.prefers {
            self.visit_goals(&self.layout.preferred, visitor);
            found.custom_goals.of(self, true).for_each(|goal| visitor.visit(&goal));
        }
    }

    /// The number of the last rows, which are those of preferred goals.
    pub fn preferred_rows(&self) -> usize {
        let goals = self.layout.preferred.iter().map(|layout| &self.problem.goals[layout.index]);
        let rows = |goal: &Goal| {
            let position = goal.requested_position().map_or(0, |_| PositionTask::ROWS);
            position + goal.requested_orientation().map_or(0, |_| OrientationTask::ROWS)
        };
        let custom = self.layout.custom_goals.iter().map(|layout| &self.problem.custom_goals[layout.index]);
        goals.map(rows).sum::<usize>() + custom.filter(|goal| goal.is_preferred()).count()
    }

    #[inline]
    fn visit_goals(&self, goals: &[GoalLayout], visitor: &mut impl Visitor) {
        for layout in goals {
            let goal = &self.problem.goals[layout.index];
            let Some(rank) = self.rank_of(goal.rank) else { continue };
            if let Some(target) = goal.requested_position() {
                visitor.visit(&PositionTask { goal, layout, target, rank });
            }
            if let Some(target) = goal.requested_orientation() {
                visitor.visit(&OrientationTask { goal, layout, target, rank });
            }
        }
    }
}

impl Score {
    /// Whether everything is met to within the tolerances.
    pub fn reached(&self, settings: &Settings) -> bool {
        PositionTask::is_met(self, settings)
            && OrientationTask::is_met(self, settings)
            && LoopLayout::is_met(self, settings)
            && ContactTask::is_met(self, settings)
            && ClearanceTask::is_met(self, settings)
    }
}
