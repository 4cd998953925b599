//! What a solve minimizes: the sum of the squared residuals of all tasks. Every stage of a solve is judged by its score.

use crate::layout::Layout;
use crate::model::{Coordinates, GoalRank, Isometry, Posture, Problem, Settings, Skeleton};
use glam::DVec3;

/// Largest number of entries of all matrices of a refinement: a gigabyte.
const MAX_ENTRIES: usize = 1 << 27;

/// What a solve minimizes, and by which settings it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objective<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem,
    pub layout: &'a Layout,
    pub settings: &'a Settings,
    /// Where the joints with poles should be.
    pub pole_pulls: &'a [PolePull],
    /// The distance that capsules keep from each other and from obstacles, in units of the scene. Nearer ones have a residual.
    pub clearance: f64,
    pub clearance_rank: Rank,
    /// Whether what must hold and firm goals outweigh wanted goals, because these cannot be met.
    pub is_firm: bool,
    /// The ranks of the goals that count.
    pub ranks: Ranks,
    /// Whether centers of mass count.
    pub balances: bool,
    /// Whether what is preferred counts.
    pub prefers: bool,
}

impl<'a> Objective<'a> {
    /// An objective without pole pulls.
    pub fn new(skeleton: &'a Skeleton, problem: &'a Problem, layout: &'a Layout, settings: &'a Settings) -> Self {
        let goals = layout.goals.iter().map(|goal| problem.goals[goal.index].rank);
        let custom = layout.custom_goals.iter().map(|goal| problem.custom_goals[goal.index].rank);
        let ranks = Ranks::of(goals.chain(custom));
        Objective {
            skeleton,
            problem,
            layout,
            settings,
            pole_pulls: &[],
            // Aiming past the surface leaves no overlap when the steps become small.
            clearance: 0.5 * settings.tolerance * layout.length,
            clearance_rank: Rank::MustHold,
            is_firm: false,
            ranks,
            balances: false,
            prefers: false,
        }
    }

    /// The same objective for goals that cannot be met: what must hold and firm goals outweigh wanted ones.
    pub fn with_firm_constraints(&self) -> Self {
        Objective { is_firm: true, ..*self }
    }

    /// The same objective without wanted goals.
    pub fn without_wanted_goals(&self) -> Self {
        Objective { ranks: Ranks::Firm, ..self.with_firm_constraints() }
    }

    /// Whether there are wanted goals that give way to firm ones.
    pub fn has_ranks(&self) -> bool {
        self.ranks == Ranks::Both
    }

    /// The rank of a goal of this rank among those that count; none if it does not count.
    #[inline]
    pub fn rank_of(&self, rank: GoalRank) -> Option<Rank> {
        match (self.ranks, rank) {
            (_, GoalRank::Preferred) => Some(Rank::Preferred),
            (Ranks::Both, GoalRank::Firm) => Some(Rank::Firm),
            (Ranks::Firm, GoalRank::Wanted) => None,
            _ => Some(Rank::Wanted),
        }
    }

    /// Whether the matrices of a refinement would not fit into memory. Such problems have only the reaching passes, whose
    /// work grows with the number of joints and goals.
    pub fn is_too_large(&self) -> bool {
        let rows = 6 * self.layout.goals.len() + 3 * self.layout.loops.len();
        let smaller = rows.min(self.layout.columns);
        rows.saturating_mul(self.layout.columns).saturating_add(smaller.saturating_mul(smaller)) > MAX_ENTRIES
    }

    /// The same objective with the margin of the problem, which must not cost a goal.
    pub fn with_margin(&self) -> Self {
        let clearance = self.problem.keep_clear.margin.max(self.clearance);
        Objective { clearance, clearance_rank: Rank::Nice, ..*self }
    }

    /// The same objective with the centers of mass, which must not cost a goal.
    pub fn with_balance(&self) -> Self {
        Objective { balances: true, ..*self }
    }

    /// The same objective with the preferred goals, the posture and the centers of mass, which must not cost a goal.
    pub fn with_preferences(&self) -> Self {
        Objective { prefers: true, ..self.with_balance() }
    }

    /// The posture of the problem, if it counts.
    pub fn posture(&self) -> Option<&'a Posture> {
        Some(&self.problem.posture).filter(|posture| self.prefers && !posture.weights.is_empty())
    }

    /// The same objective with residuals for all links that touch something.
    pub fn with_touching_links(&self) -> Self {
        Objective { clearance: TOUCHING * self.layout.length, ..*self }
    }

    /// Whether refinement goes on after the goals are met, for tasks that are nice to meet.
    pub fn wants_more(&self) -> bool {
        self.clearance_rank == Rank::Nice || !self.pole_pulls.is_empty() || self.prefers
    }

    /// Updates the frames that the residuals depend on to those of `pose`.
    pub fn update_frames(&self, pose: &[Coordinates], frames: &mut [Isometry]) {
        self.skeleton.update_frames(self.problem.base, &self.layout.order, pose, frames);
    }
}

/// Largest distance, as a fraction of the layout's length, of links that count as touching.
const TOUCHING: f64 = 2e-3;

/// Error of a firm goal that counts as met where wanted goals pull on it.
///
/// Test: `pinned_effectors_stay_however_far_another_one_is_dragged` if larger.
const FIRM_ERROR: f64 = 5e-4;

/// The cost of a pose, and the worst error of each kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Score {
    /// Sum of the squared residuals.
    pub cost: f64,
    /// Largest distance of a goal from its target, as a fraction of its reach.
    pub position: f64,
    /// Largest angle of a goal from its target, radians.
    pub angle: f64,
    /// Largest error of a goal that wanted goals give way to, as a fraction of its reach; a radian counts as a third of it.
    pub firm: f64,
    /// Largest gap of a loop, as a fraction of the layout's length.
    pub gap: f64,
    /// Largest depth in an obstacle, as a fraction of the layout's length.
    pub depth: f64,
    /// Smallest distance of a capsule from another one or from an obstacle, in units of the scene; infinite unless one is
    /// below that of the objective.
    pub clearance: f64,
    /// Largest distance of a center of mass from its support, as a fraction of the layout's length.
    pub imbalance: f64,
}

impl Score {
    /// The score of a pose with nothing to meet.
    pub const PERFECT: Score = Score {
        cost: 0.0,
        position: 0.0,
        angle: 0.0,
        firm: 0.0,
        gap: 0.0,
        depth: 0.0,
        clearance: f64::INFINITY,
        imbalance: 0.0,
    };

    /// The score of no pose: every pose is better.
    pub const NONE: Score =
        Score { cost: f64::INFINITY, position: f64::INFINITY, firm: f64::INFINITY, ..Score::PERFECT };

    /// Whether firm goals are met, or as well as in another pose. No pose is better than another one at their expense.
    pub fn is_as_firm_as(&self, other: &Score) -> bool {
        self.firm <= other.firm.max(FIRM_ERROR)
    }

    /// The root of the cost: of the order of the largest error.
    pub fn error(&self) -> f64 {
        self.cost.sqrt()
    }
}

/// What gives way to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// Gives way to nothing.
    MustHold,
    /// A goal that gives way to what must hold, and to others of its kind by their weights.
    Firm,
    /// Gives way to firm goals too.
    Wanted,
    /// Gives way to goals, and never counts as missed.
    Nice,
    /// Gives way to everything else, and never counts as missed.
    Preferred,
}

impl Rank {
    /// Residual of an error of one length. With `firm`, goals cannot be met, and what must hold is not to give way to them.
    pub fn scale(self, firm: bool) -> f64 {
        match self {
            Rank::MustHold | Rank::Firm if firm => 100.0,
            Rank::MustHold | Rank::Firm | Rank::Wanted => 1.0,
            Rank::Nice => 0.2,
            Rank::Preferred => 1e-3,
        }
    }
}

/// The ranks of the goals that an objective counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranks {
    /// One: no goal gives way to another but by the weights.
    Same,
    Both,
    /// Of both, firm goals alone count.
    Firm,
}

impl Ranks {
    /// Of these goals, which all count.
    fn of(goals: impl Iterator<Item = GoalRank> + Clone) -> Self {
        let has = |rank| goals.clone().any(|own| own == rank);
        if has(GoalRank::Firm) && has(GoalRank::Wanted) { Ranks::Both } else { Ranks::Same }
    }
}

/// A joint to pull toward its pole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolePull {
    /// Index of the pole in the layout.
    pub pole: usize,
    /// Desired position of the joint's origin, world.
    pub goal: DVec3,
}
