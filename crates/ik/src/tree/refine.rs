//! The refiner: damped least squares in joint coordinates that keeps every limit (a projected Levenberg-Marquardt
//! method). Each attempt of the search ends with it.
//!
//! Its [`Step`] minimizes the cost of the objective; with stiff joints, the compliances make the step that with the least
//! turning of stiff joints. Only steps that lower the cost are accepted. If none does, the columns that limits block are
//! pinned from the start, and the step is tried once more. `relax` undoes turns that the goals do not need.

mod largest_step;
pub mod limits;
mod nearest;
mod prefer;
mod relax;
mod staying;

use crate::layout::elbow::Elbow;
use crate::layout::make_room;
use crate::methods::Force;
use crate::model::Coordinates;
use crate::step::{Step, Terms};
use crate::tasks::evaluation::{Derivatives, Evaluation};
use crate::tasks::{Objective, Score};
use limits::{AtEnd, Limits, StartPose};
pub use relax::{MAX_MOTION_PER_FRAME, shorten};

/// When a refinement ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefineLimits {
    /// Largest number of steps.
    pub steps: u32,
    /// The step in which so much [work](Refiner::work) is done is the last one.
    pub work: u32,
    /// Steps that are taken even if the goals are met, unless there is no error at all.
    pub least_steps: u32,
    /// The refinement ends if four steps leave more than this ratio of the cost, twice in a row.
    pub stall_ratio: f64,
    /// The behavior of hinges at the ends of their ranges.
    pub at_end: AtEnd,
}

impl RefineLimits {
    /// For one attempt among several: ends early.
    pub const ATTEMPT: RefineLimits =
        RefineLimits { steps: 60, work: u32::MAX, least_steps: 0, stall_ratio: 0.9, at_end: AtEnd::Stop };
    /// For an attempt that may leave the pose that it starts from.
    pub const COLD: RefineLimits = RefineLimits { at_end: AtEnd::Unwind, ..RefineLimits::ATTEMPT };
    /// For one frame of a figure whose targets move beyond its reach: ends early, since the next frame goes on.
    pub const TRACK: RefineLimits = RefineLimits { stall_ratio: 0.995, ..RefineLimits::ATTEMPT };
    /// For one frame of a figure without stiff joints. A slow target would otherwise leave the pose where it is until the error
    /// exceeds the tolerance, and then pull it along at once.
    pub const FOLLOW: RefineLimits = RefineLimits { least_steps: 1, ..RefineLimits::ATTEMPT };
    /// For one round of tasks that are nice to meet, after which the others are met again.
    pub const ROUND: RefineLimits = RefineLimits { steps: 4, stall_ratio: 1.0, ..RefineLimits::ATTEMPT };
    /// For a displayed pose, which is near what it should hold.
    pub const HOLD: RefineLimits = RefineLimits { steps: 16, ..RefineLimits::ROUND };
    /// For the final pose if the goals cannot be met: continues until nothing moves.
    pub const SETTLE: RefineLimits = RefineLimits { steps: 200, stall_ratio: 1.0 - 1e-7, ..RefineLimits::ATTEMPT };

    /// The same with at most this work.
    pub fn at_most(self, work: u32) -> Self {
        RefineLimits { work, ..self }
    }
}

/// The result of a refinement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refined {
    pub score: Score,
    /// Whether the steps ran out while the cost was still falling.
    pub cut_short: bool,
}

/// Largest change of a coordinate in one step: radians, or units of the layout's length.
const MAX_STEP: f64 = 1.2;
/// The same with stiff joints: a long step bends them more than many short ones to the same pose.
const MAX_STIFF_STEP: f64 = 0.3;
/// Least damping: it only keeps the system of a step solvable.
const LEAST_DAMPING: f64 = 1e-9;
/// Largest residual of a goal that one iteration of a Jacobian method takes into account, in links of its chain, as in
/// [`clamped_error`](crate::methods::jacobian::clamped_error).
const MAX_LINKS_PER_STEP: f64 = 0.5;
/// Least slope of half the cost that pushes against a limit, as a fraction of the error.
const LEAST_FORCE: f64 = 1e-6;
/// An error (root of the cost) that is due to rounding.
///
/// Test: `a_slow_target_is_followed_without_steps` if larger.
const NO_ERROR: f64 = 1e-12;
/// Damping of a first step.
const FIRST_DAMPING: f64 = 1e-3;

/// Where a refinement is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub steps: u32,
    damping: f64,
    /// Whether the next step begins with the blocked columns pinned.
    pin_blocked: bool,
    /// How many times in a row four steps have gained little, and the cost before the present four.
    stalled: u32,
    mark: f64,
    /// The cost when it went on with blocked columns pinned.
    rescued: Option<f64>,
}

impl Default for Progress {
    fn default() -> Self {
        Progress { steps: 0, damping: FIRST_DAMPING, pin_blocked: false, stalled: 0, mark: 0.0, rescued: None }
    }
}

impl Progress {
    /// Whether the cost falls no more, after a step that leaves this cost.
    fn has_stalled(&mut self, cost: f64, stall_ratio: f64) -> bool {
        if !self.steps.is_multiple_of(4) {
            return false;
        }
        self.stalled = if cost > self.mark * stall_ratio { self.stalled + 1 } else { 0 };
        if self.stalled >= 2 {
            // Clamping may have pinned too much: go on with only the blocked columns pinned.
            if self.rescued.is_some_and(|before| cost > before * stall_ratio) {
                return true;
            }
            (self.rescued, self.pin_blocked, self.damping) = (Some(cost), true, FIRST_DAMPING);
        }
        self.mark = cost;
        false
    }
}

/// Buffers of the refiner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refiner {
    pub evaluation: Evaluation,
    /// The steps that it has taken since this was last set to 0.
    pub steps: u32,
    trial: Evaluation,
    derivatives: Derivatives,
    /// The elbows that count as bent in the present step.
    elbows: Vec<Elbow>,
    step: Step,
    pub limits: Limits,
    candidate: Vec<Coordinates>,
    /// Columns that do not move.
    pub held: Vec<usize>,
    /// One entry per column while steps have compliances of their own. Otherwise empty.
    compliance: Vec<f64>,
    /// The same for one step that keeps to the posture of the problem.
    kept: Vec<f64>,
    /// How far each column is from the posture to keep to, and a pose nearer to it.
    away: Vec<f64>,
    relaxed: Vec<Coordinates>,
    /// Whether steps of refinements take straight elbows for bent ones.
    pub by_chords: bool,
}

impl Refiner {
    /// Makes room for whatever the refinement of an objective may need.
    pub fn reserve(&mut self, objective: &Objective) {
        let Objective { skeleton, layout, .. } = *objective;
        if objective.is_too_large() {
            return;
        }
        let rows = self.evaluation.reserve(objective);
        self.trial.reserve(objective);
        self.derivatives.reserve(skeleton.len(), layout.elbows.len());
        make_room(&mut self.elbows, layout.elbows.len());
        self.step.reserve(rows, layout.columns);
        self.limits.reserve(layout.active_joints.len(), skeleton.len());
        make_room(&mut self.candidate, skeleton.len());
        make_room(&mut self.relaxed, skeleton.len());
        make_room(&mut self.away, layout.columns);
        // Straight limbs may hang on a goal.
        make_room(&mut self.held, 2 * layout.columns);
        make_room(&mut self.compliance, layout.columns);
        if objective.prefers {
            make_room(&mut self.kept, layout.columns);
        }
    }

    /// Moves joints of `pose` that are farther away than they may go to where they can get, and from there back toward the
    /// goals. Returns the score, if there are any.
    pub fn shorten(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Option<Refined> {
        let is_shortened = self.limits.largest_step.shorten_all(objective.skeleton, pose);
        is_shortened.then(|| self.run(objective, RefineLimits::ATTEMPT, pose))
    }

    /// Whether moves have a bound.
    pub fn has_bound(&self) -> bool {
        self.limits.largest_step.is_set()
    }

    /// The work so far, modulo 2^32: the systems that have been solved. A step solves one that lowers the cost at once and meets no
    /// limit; others solve up to dozens, so that numbers of steps tell little about how long a call takes.
    pub fn work(&self) -> u32 {
        self.step.solved
    }

    /// Prepares the buffers for a skeleton in `pose`.
    pub fn begin(&mut self, objective: &Objective, pose: &[Coordinates]) {
        objective.skeleton.forward_kinematics(objective.problem.base, pose, &mut self.evaluation.frames);
        self.trial.frames.clone_from(&self.evaluation.frames);
        pose.clone_into(&mut self.candidate);
        self.step.interrupt = objective.settings.interrupt.by_flag_alone();
    }

    /// Improves `pose` until everything is met or the cost stops falling; at the end of the time, after one step that lowers the
    /// cost. Problems that are [too large](Objective::is_too_large) stay as they are.
    pub fn run(&mut self, objective: &Objective, limits: RefineLimits, pose: &mut [Coordinates]) -> Refined {
        self.go_on(objective, limits, &mut Progress::default(), pose)
    }

    /// The same from where another refinement of this pose was cut short.
    pub fn go_on(
        &mut self,
        objective: &Objective,
        limits: RefineLimits,
        at: &mut Progress,
        pose: &mut [Coordinates],
    ) -> Refined {
        let mut score = self.evaluation.evaluate(objective, pose);
        // Mimic joints depend on the number of turns of the joints that they follow.
        self.limits.at_end =
            if objective.layout.has_followers || self.has_bound() { AtEnd::Stop } else { limits.at_end };
        let (interrupt, before, mut taken) = (objective.settings.interrupt, self.work(), 0);
        if at.steps == 0 {
            at.mark = score.cost;
        }
        loop {
            let is_met = score.reached(objective.settings) && !objective.wants_more();
            if is_met && (at.steps >= limits.least_steps || score.error() < NO_ERROR) {
                return Refined { score, cut_short: false };
            }
            let is_done = taken > 0 && self.work().wrapping_sub(before) >= limits.work;
            if at.steps >= limits.steps || is_done || objective.is_too_large() || interrupt.ends_after(taken) {
                return Refined { score, cut_short: true };
            }
            (at.steps, self.steps) = (at.steps + 1, self.steps + 1);
            self.step.interrupt = if taken > 0 { interrupt } else { interrupt.by_flag_alone() };
            self.begin_step(objective, pose, at.pin_blocked);
            if let Some(better) = self.descend(objective, pose, &mut at.damping, score.cost) {
                pose.copy_from_slice(&self.candidate);
                std::mem::swap(&mut self.evaluation, &mut self.trial);
                score = better;
                taken += 1;
                at.pin_blocked = false;
            } else if at.pin_blocked || is_met {
                return Refined { score, cut_short: false };
            } else {
                (at.pin_blocked, at.damping) = (true, FIRST_DAMPING);
                continue;
            }
            if at.has_stalled(score.cost, limits.stall_ratio) {
                return Refined { score, cut_short: false };
            }
        }
    }

    /// Improves `pose` for goals that leave no freedom from which stiffness could choose: it would only make the stiff joints slow.
    pub fn run_without_stiffness(
        &mut self,
        objective: &Objective,
        limits: RefineLimits,
        pose: &mut [Coordinates],
    ) -> Refined {
        self.compliance.clear();
        self.compliance.resize(objective.layout.columns, 1.0);
        let refined = self.run(objective, limits, pose);
        self.compliance.clear();
        refined
    }

    /// Moves slides alone as near to the goals as they come. The residuals of goals are linear in them, so that one step does.
    pub fn slide(&mut self, objective: &Objective, pose: &mut [Coordinates]) {
        let slides = &objective.layout.slides;
        if slides.is_empty() || objective.is_too_large() {
            return;
        }
        let cost = self.evaluation.evaluate(objective, pose).cost;
        self.begin_step(objective, pose, false);
        let turns = |k: &usize| slides.binary_search(k).is_err();
        (0..objective.layout.columns).filter(turns).for_each(|k| self.step.held[k] = Some(0.0));
        self.take_step(objective, pose, LEAST_DAMPING);
        if self.trial.evaluate(objective, &self.candidate).cost < cost {
            pose.copy_from_slice(&self.candidate);
        }
    }

    /// Prepares a step from `pose`, whose frames and residuals are in the evaluation: its Jacobian, and the columns that it
    /// may not use. With `pin_blocked`, those are also the ones that push against a limit.
    fn begin_step(&mut self, objective: &Objective, pose: &[Coordinates], pin_blocked: bool) {
        self.linearize(objective, pose, self.by_chords && !pin_blocked);
        let start = StartPose { objective, pose, evaluation: &self.evaluation };
        self.limits.begin(objective, &mut self.step);
        self.limits.pin(&start, pin_blocked, &mut self.step);
        for &column in &self.held {
            self.step.held[column] = Some(0.0);
        }
    }

    /// Computes the Jacobian of a step from `pose`. With `by_chords`, elbows that are nearly straight count as bent where bending lowers
    /// the cost.
    fn linearize(&mut self, objective: &Objective, pose: &[Coordinates], by_chords: bool) {
        let Refiner { elbows, derivatives, evaluation, step, .. } = self;
        let is_straight = |elbow: &&Elbow| by_chords && elbow.is_straight(objective.skeleton, pose);
        elbows.clear();
        elbows.extend(objective.layout.elbows.iter().filter(is_straight));
        loop {
            derivatives.fill(objective, pose, evaluation, elbows, &mut step.jacobian);
            let before = elbows.len();
            elbows.retain(|elbow| elbow.side * step.slope(elbow.column, &evaluation.residuals) < 0.0);
            if elbows.len() == before {
                return;
            }
        }
    }

    /// Lets the elbows of a step that has begun count as bent as in its middle, and gives those that are less bent than others so much more
    /// compliance that the step asks as much of them.
    fn bend_ahead(&mut self, objective: &Objective, pose: &[Coordinates], damping: f64) {
        self.take_step(objective, pose, damping);
        self.compliance.extend_from_slice(&objective.layout.compliance);
        for elbow in &mut self.elbows {
            let turn = self.step.values[elbow.column];
            let longer = elbow.set_bend_for(turn, objective.skeleton, pose);
            self.compliance[elbow.column] *= longer * longer;
        }
        let Refiner { elbows, derivatives, evaluation, step, .. } = self;
        derivatives.fill(objective, pose, evaluation, elbows, &mut step.jacobian);
    }

    /// Takes the step that has begun. Returns the score of `candidate` if that lowers the cost.
    fn descend(&mut self, objective: &Objective, pose: &[Coordinates], damping: &mut f64, cost: f64) -> Option<Score> {
        if self.elbows.is_empty() {
            return self.shorten_step(objective, pose, damping, cost);
        }
        self.bend_ahead(objective, pose, *damping);
        let better = self.shorten_step(objective, pose, damping, cost);
        self.compliance.clear();
        better
    }

    /// Tries the step with growing damping until it lowers the cost.
    fn shorten_step(
        &mut self,
        objective: &Objective,
        pose: &[Coordinates],
        damping: &mut f64,
        cost: f64,
    ) -> Option<Score> {
        for _ in 0..8 {
            if self.step.interrupt.is_requested() {
                break;
            }
            self.take_step(objective, pose, *damping);
            let score = self.trial.evaluate(objective, &self.candidate);
            if score.cost < cost {
                *damping = (*damping * 0.2).max(LEAST_DAMPING);
                return Some(score);
            }
            *damping *= 5.0;
            if *damping > 1e3 {
                break;
            }
        }
        None
    }

    /// Takes one damped step from `pose`, inside all limits; the result is in `candidate`.
    fn take_step(&mut self, objective: &Objective, pose: &[Coordinates], damping: f64) {
        let start = StartPose { objective, pose, evaluation: &self.evaluation };
        let longest = if objective.layout.has_stiffness { MAX_STIFF_STEP } else { MAX_STEP };
        let own = Some(&self.compliance).filter(|own| !own.is_empty());
        let mut compliance = own.unwrap_or(&objective.layout.compliance);
        let posture = &self.evaluation.posture;
        if !posture.weights.is_empty() {
            posture.add_to_step(damping, compliance, (&mut self.kept, &mut self.step.reference));
            self.limits.turn(objective, &mut self.step.reference);
            compliance = &self.kept;
        }
        let (residuals, slides) = (&self.evaluation.residuals, &objective.layout.slides);
        let terms = Terms { residuals, compliance, damping, longest, slides };
        let (limits, candidate) = (&mut self.limits, &mut self.candidate);
        self.step.take(&terms, |step| limits.advance(&start, step, candidate));
        if !self.kept.is_empty() {
            self.kept.clear();
            self.step.reference.clear();
        }
    }

    /// One iteration of a [Jacobian method](crate::methods) on all residuals of the objective, from `pose`, whose frames and
    /// residuals are in the evaluation. Coordinates that would leave their limits are only clamped.
    pub fn iterate(&mut self, objective: &Objective, force: Force, pose: &mut [Coordinates]) -> Score {
        let start = StartPose { objective, pose, evaluation: &self.evaluation };
        self.derivatives.fill(objective, pose, &self.evaluation, &[], &mut self.step.jacobian);
        self.limits.begin(objective, &mut self.step);
        // The Jacobian is a good approximation for small errors only, in links of a goal's own chain.
        let links = objective.layout.goals.iter().map(|goal| goal.path.joints.len()).max().unwrap_or(1).max(1);
        let most = MAX_LINKS_PER_STEP / links as f64;
        let mut errors: Vec<f64> = self.evaluation.residuals.iter().map(|row| -row).collect();
        for error in errors.chunks_mut(3) {
            let length = error.iter().map(|part| part * part).sum::<f64>().sqrt();
            error.iter_mut().for_each(|part| *part *= most / length.max(most));
        }
        self.step.take_force(&errors, force, MAX_STEP);
        self.limits.advance(&start, &mut self.step, &mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.evaluation.evaluate(objective, pose)
    }

    /// Whether limits, obstacles or links block `pose` (the last one refined) from a lower cost: the pose is in an obstacle,
    /// links touch something, or it is at a limit that the gradient pushes against.
    pub fn is_blocked(&mut self, objective: &Objective, pose: &[Coordinates]) -> bool {
        self.evaluation.evaluate(&objective.with_touching_links(), pose);
        if !self.evaluation.found.is_empty() {
            return true;
        }
        let mut is_blocked = false;
        self.for_each_blocked_column(objective, pose, |_, _| is_blocked = true);
        is_blocked
    }

    /// Calls `each` for the columns in which limits block `pose` from a lower cost, with the slopes of half the cost there.
    pub fn for_each_blocked_column(
        &mut self,
        objective: &Objective,
        pose: &[Coordinates],
        mut each: impl FnMut(usize, f64),
    ) {
        if objective.is_too_large() {
            return;
        }
        let force = LEAST_FORCE * self.evaluation.evaluate(objective, pose).error();
        self.derivatives.fill(objective, pose, &self.evaluation, &[], &mut self.step.jacobian);
        let start = StartPose { objective, pose, evaluation: &self.evaluation };
        self.limits.blocked(&start, force, &mut self.step).for_each(|(column, slope)| each(column, slope));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::layout::Layouts;
    use crate::model::{Effector, Goal, Joint, Kind, Problem, Settings, Skeleton};
    use crate::random::Random;
    use glam::DVec3;

    /// Systems of one step: trials with growing damping, and rounds of clamping in each.
    const MOST_PER_STEP: u32 = 8 * 4;

    #[test]
    fn what_is_cut_short_and_goes_on_ends_where_it_ends_in_one_piece() {
        let mut random = Random::new(7);
        let mut pieces = 0;
        for _ in 0..200 {
            let joint = |at: usize, random: &mut Random| {
                let kind = Kind::limited_ball(random.range(0.2, 1.5), random.range(0.1, 1.0)).unwrap();
                Joint::new(format!("{at}"), at.checked_sub(1), DVec3::Z * random.range(0.5, 1.5), kind)
            };
            let joints = (0..2 + random.index(4)).map(|at| joint(at, &mut random)).collect::<Vec<_>>();
            let hand = Effector::new(joints.len() - 1, DVec3::Z);
            let skeleton = Skeleton::new(joints).unwrap();
            let target = random.ball() * 1.2 * hand.reach(&skeleton);
            let problem = Problem { goals: vec![Goal::new(hand, target)], ..Problem::default() };
            let layouts = Layouts::new(&skeleton, &problem);
            let settings = Settings::default();
            let objective = Objective::new(&skeleton, &problem, layouts.last(), &settings);
            let start = skeleton.random_pose(&mut random);
            let (mut refiner, mut whole) = (Refiner::default(), start.clone());
            refiner.begin(&objective, &start);
            let in_one = refiner.run(&objective, RefineLimits::ATTEMPT, &mut whole);
            let steps = refiner.steps;
            let (mut pose, mut progress) = (start, Progress::default());
            let most = 1 + random.index(20) as u32;
            let limits = RefineLimits::ATTEMPT.at_most(most);
            let refined = loop {
                let before = refiner.work();
                let refined = refiner.go_on(&objective, limits, &mut progress, &mut pose);
                // A step that lowers no cost is tried again with the blocked columns pinned.
                assert!(refiner.work() - before < most + 2 * MOST_PER_STEP);
                if !refined.cut_short || progress.steps == limits.steps {
                    break refined;
                }
                pieces += 1;
            };
            assert_eq!((progress.steps, refined.score, &pose), (steps, in_one.score, &whole));
        }
        assert!(pieces > 400, "{pieces}");
    }
}
