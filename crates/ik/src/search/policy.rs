//! The table of the search: where the attempts of each verb start, which poses it takes, and when it gives up.
//!
//! | | solve | track | nearest | all | settle |
//! |---|---|---|---|---|---|
//! | for | a target somewhere else | the next frame | the solution next to the start | different solutions | the best miss |
//! | first | small steps, if joints are stiff | the same; then the start is refined | the closed form | the closed form | the start is refined |
//! | attempts | [`SOLVE`], the closed form before random starts | if it may jump, [`TRACK`], then the closed form | [`SOLVE`], then [`NEAREST`] | [`ALL`] | none |
//! | takes | the first solution | the first solution | the smallest move | what differs from the others | - |
//! | a miss | settles: the best pose, or the one next to the start if it is hardly worse | the pose next to the start; if it may jump, another that is far better: `scout.rs` divides the attempts among calls | as solve | nothing | settles |
//!
//! A search ends with a solution, with a proof that there is none, or after all attempts: what few attempts reach, more reach too.
//!
//! A *solution* is a pose that meets all goals. Every answer keeps the limits, is the turn next to the start
//! ([`Skeleton::turn_near`]), and depends on its input alone.
//!
//! [`Skeleton::turn_near`]: crate::model::skeleton::Skeleton::turn_near

use crate::model::hash;
use crate::tasks::Objective;
use crate::tree::refine::MAX_MOTION_PER_FRAME;
use std::num::NonZeroU32;

/// What a solve is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Any solution: the answer may lie elsewhere.
    Solve,
    /// The start is the answer of the last frame: the new one should lie next to it.
    Track,
    /// The solution next to the start.
    Nearest,
    /// As `Solve`, for goals that cannot be met: [`Poses::best`](crate::search::workspace::Poses) holds a pose that misses them
    /// about as little as possible.
    Settle,
}

/// Where an attempt starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Where the search starts.
    Start,
    /// At random round the start, the farther the more attempts fail.
    Around,
    /// Next to the start, the limbs that miss their goals randomized.
    Limbs,
    /// At the best pose since the last start from anywhere, the limbs that miss their goals randomized.
    LimbsOfBest,
    /// At a random pose.
    Anywhere,
}

/// How an attempt goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By refinement alone, which stays near.
    Refine,
    /// By reaching cycles, a move toward the center of the limits, and refinement.
    Reach,
}

use Source::{Anywhere, Around, Limbs, LimbsOfBest, Start};
use Way::{Reach, Refine};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// The first attempts.
    pub first: &'static [(Source, Way)],
    /// All others, in turn. The search ends where there are none.
    pub then: &'static [(Source, Way)],
    /// An error below this ratio of the best one is worth leaving that pose.
    pub better_ratio: f64,
    /// Attempts at targets that are out of reach whatever the limits or in an obstacle, or that the closed form cannot meet.
    pub hopeless_attempts: NonZeroU32,
    /// Whether the random starts are others whenever the targets move.
    pub differs_by_target: bool,
}

/// From a start pose next to the goals, or with stiff joints, which reaching cycles turn like all others: it is refined
/// first, so that the pose does not jump.
pub(crate) const SOLVE: Policy = Policy {
    first: &[(Start, Refine), (Start, Reach)],
    then: &[(LimbsOfBest, Refine), (Anywhere, Refine), (LimbsOfBest, Refine)],
    better_ratio: 0.99,
    hopeless_attempts: NonZeroU32::new(5).unwrap(),
    differs_by_target: false,
};

/// From any other start pose.
pub(crate) const SOLVE_FAR: Policy = Policy { first: &[(Start, Reach), (Start, Refine)], ..SOLVE };

/// For problems that are too large to be refined.
pub(crate) const SOLVE_LARGE: Policy = Policy { first: &[(Start, Reach)], then: &[], ..SOLVE };

/// The first attempt is the refined start.
pub(crate) const TRACK: Policy = Policy {
    first: &[(Start, Refine)],
    then: &[(Limbs, Refine), (Anywhere, Reach)],
    better_ratio: 0.5,
    hopeless_attempts: NonZeroU32::MIN,
    differs_by_target: true,
};

pub(crate) const NEAREST: Policy = Policy {
    first: &[(Start, Refine)],
    then: &[(Around, Refine), (Anywhere, Refine), (Around, Refine)],
    hopeless_attempts: NonZeroU32::MIN,
    ..SOLVE
};

pub(crate) const ALL: Policy = Policy {
    first: &[(Start, Reach), (Start, Refine)],
    then: &[(Anywhere, Reach)],
    hopeless_attempts: NonZeroU32::MIN,
    ..SOLVE
};

/// For a path: a solution from anywhere.
pub(crate) const ANYWHERE: Policy = Policy { first: &[], then: &[(Anywhere, Refine)], ..ALL };

impl Policy {
    /// Where attempt `number` starts and how it goes on.
    pub fn attempt(&self, number: u32) -> Option<(Source, Way)> {
        let number = number as usize;
        let turn = number.checked_sub(self.first.len()).and_then(|later| later.checked_rem(self.then.len()));
        self.first.get(number).or_else(|| self.then.get(turn?)).copied()
    }

    /// How often the attempts up to `number` have come to the same source again.
    pub fn round(&self, number: u32) -> u32 {
        number / self.then.len() as u32
    }

    /// The seed of the random starts.
    pub fn seed(&self, objective: &Objective) -> u64 {
        let targets = objective.layout.goals.iter().map(|goal| objective.problem.goals[goal.index].target);
        let positions = targets.filter_map(|target| target.canonical().position);
        let moved = if self.differs_by_target { hash(positions.flat_map(|position| position.to_array())) } else { 0 };
        objective.settings.seed ^ moved
    }
}

// The tests are those that fail if the constant is much smaller or much larger, among those of this crate and of families.

/// A start pose with an error (root of the cost) below this is next to the goals.
///
/// Test: `complaint_9_moving_and_resting_targets_cause_no_flips_or_jitter` if smaller,
/// `the_nearest_solution_of_two_hands_is_next_to_the_start` if larger.
pub(crate) const WARM_ERROR: f64 = 0.1;
/// Largest number of reaching cycles per attempt. They go on only while each one halves the error.
///
/// Test: `the_elbows_of_a_tree_follow_moving_poles_without_a_jump` if smaller; larger changes nothing.
pub(crate) const MAX_CYCLES: u32 = 20;
/// Where nothing can follow them, they go on while each one leaves no more than this ratio of the error.
///
/// Test: `passes_alone_come_nearer_to_too_many_goals`.
pub(crate) const LEAST_PROGRESS_RATIO: f64 = 0.99;
/// How far an attempt moves each coordinate before it refines, as a fraction of its distance from the center of its limits.
///
/// Test: `a_limited_arm_turns_to_its_pole_as_far_as_its_limits_allow` if smaller,
/// `poses_that_can_be_reached_clear_are_reached_clear` if larger.
pub(crate) const CENTER_RATIO: f64 = 0.4;
/// If the goals cannot be met, the pose next to the start is the answer if its error exceeds the best one by no more than
/// this ratio.
///
/// Test: `a_rope_that_is_held_is_straight_toward_what_pulls_it` if larger.
pub(crate) const KEEP_NEAR_RATIO: f64 = 0.04;
/// Standard deviation of the first start round the start pose, radians or fractions of the layout's length. It grows with
/// the root of the number of attempts.
///
/// Test: `rows_of_paths_and_tables_go_on_where_the_row_before_ends` if smaller.
pub(crate) const SPREAD: f64 = 0.25;
/// Largest move of a joint from row to row of a path that is no jump: the sixth of a turn, or the length. To judge every pair of
/// candidates as [`Ways`](crate::paths::Ways) judges two rows, by how far the effectors leave their line, was tried: 16 jumps
/// instead of 20 on 60 paths of four arms, for 2 to 14 times the time.
///
/// Test: `six_hinges_do_not_jump`.
pub(crate) const LARGEST_MOVE: f64 = std::f64::consts::FRAC_PI_3;
/// A solution within this move, radians or fractions of the size, is the nearest one in all likelihood: few attempts suffice.
///
/// Test: `rows_of_paths_and_tables_go_on_where_the_row_before_ends` if larger.
pub(crate) const NEAR_MOVE: f64 = 0.5;
/// Attempts after which a solution so near ends the search for the nearest one.
///
/// No test. It saves attempts.
pub(crate) const FEW_ATTEMPTS: u32 = 4;
/// Attempts after which any solution does.
///
/// Test: `rows_of_paths_and_tables_go_on_where_the_row_before_ends` if smaller.
pub(crate) const MANY_ATTEMPTS: u32 = 24;
/// Smallest [`pose_distance`](crate::display::pose_distance) of two different solutions: radians, or a fraction of the reach for
/// slides.
///
/// Test: `solutions_of_independent_arms_are_all_combinations`.
pub(crate) const DIFFERENT: f64 = 0.2;
/// Largest random angle to either side, radians, of a hinge whose range spans many turns because others follow it.
/// Enough to try all poses of its followers.
///
/// Test: `a_moved_base_moves_the_arm` if smaller.
pub(crate) const MAX_RANDOM_ANGLE: f64 = 8.0 * std::f64::consts::PI;
/// Way of a target, as a fraction of its effector's size, on which joints come back by `1 - 1/e` of their way home. On
/// shorter ones, more paths end in another pose in few steps than in many.
///
/// Test: `bodies_come_back_home` if larger.
pub(crate) const HOME_WAY: f64 = 0.5;
/// A pose found again from an earlier one is worth a leap if it has at most this ratio of the turning from there.
///
/// Test: `a_detour_ends_where_the_direct_way_ends` if smaller. The larger it is, the more bodies move at rest for little.
pub(crate) const SHED_RATIO: f64 = 0.95;
/// Work on the way to far targets, in calls of [`Settings::steps_per_call`](crate::Settings): its ratio to that of one pose.
///
/// Test: `pinned_effectors_stay_however_far_another_one_is_dragged` if larger,
/// `a_quickly_dragged_effector_stays_on_its_target_and_pinned_ones_on_theirs` if smaller.
pub(crate) const WALK_RATIO: u32 = 20;
/// Motion of a joint for a target that moves by its effector's size, while bodies come to their balance, radians.
///
/// Test: `the_trunk_is_a_counterweight` if smaller, `balance_throws_no_body_about` if larger.
const SPEED: f64 = 4.0;
/// The same in each frame while targets rest, radians.
///
/// Test: `balance_costs_no_goal_and_is_kept_where_hips_can_go_back` if smaller, `balance_throws_no_body_about` if larger.
const AT_REST: f64 = 0.01;
/// How bodies come to their balance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    /// Largest number of steps, and as many again with straight limbs that stay straight.
    pub most: u32,
    /// Largest motion of a joint in a step, radians for a target that moves by its effector's size.
    speed: f64,
}

impl Balance {
    /// After a jump, and on its way.
    ///
    /// Test of the steps: `balance_costs_no_goal_and_is_kept_where_hips_can_go_back` if fewer.
    pub const JUMP: Balance = Balance { most: 60, speed: f64::INFINITY };
    /// On the way of a frame that tracks.
    ///
    /// Test of the steps: `paths_end_in_the_same_pose_in_few_steps_and_in_many` if fewer. The more, the longer quick drags take.
    pub const WAY: Balance = Balance { most: 4, speed: SPEED };
    /// At its end.
    pub const END: Balance = Balance { most: 1, speed: SPEED };

    /// Largest motion of a joint in a step, radians, for a target that has moved by `way` of its effector's size. While
    /// tracking, a body shifts its weight as its target moves, and slowly on where that rests.
    pub fn motion(self, way: f64) -> f64 {
        if self.speed.is_finite() {
            (AT_REST + self.speed * way).min(MAX_MOTION_PER_FRAME)
        } else {
            MAX_MOTION_PER_FRAME
        }
    }
}
