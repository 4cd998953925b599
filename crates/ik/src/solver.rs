//! The solver for skeletons: solves one problem or many, tracks moving targets, lists branches, closes loops.

pub mod all_solutions;
mod arm_group;
pub mod figures;
mod lane_group;
mod many;
mod path;
mod rows;
mod solutions;
pub mod ways;

use crate::fabrik::observer::SolveEvent;
use crate::figure::solver::{Buffers, FigureSolver};
use crate::figure::{Asked, asked, split};
use crate::model::{
    Coordinates, Effector, Goal, Isometry, Prefer, Problem, Refusal, Report, Settings, Skeleton, Stop, Target,
    worst_error,
};
use crate::search::Verb;
use crate::search::workspace::Given;
use crate::simd::{BatchError, Engine, Level};
use arm_group::ArmGroups;
use figures::Figures;
use lane_group::LaneGroups;
use std::sync::Arc;

/// Solves problems on one skeleton. A game or a controller keeps one for each kind of character or robot.
///
/// It owns the skeleton, the problem, the settings and all buffers. Poses belong to the caller, one entry per joint, so
/// one solver can serve any number of characters. Only a search that is divided among calls, as with [`Settings::realtime`],
/// needs a solver per character; clones share the skeleton. Goals, loops, poles and obstacles may be added and removed
/// between solves. Begin with [`Solver::solve`]; then [`Solver::track`] follows targets that move.
///
/// After the first solve of a problem, [`Solver::solve`] and [`Solver::track`] allocate nothing, whatever the targets do: also
/// not for the first target out of reach, the first contact (of a link with up to eight obstacles at once) or the first
/// restart. Where a search fails on an arm with six hinges, [`SixAxisArm`](crate::SixAxisArm) takes over and makes a list of its
/// solutions.
///
/// An arm that follows its target a thousand times per second, while no joint turns by more than 2 radians per second:
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Kind, Skeleton, Solver};
/// let arm = Skeleton::builder()
///     .root("base", Kind::hinge(DVec3::Z))
///     .child("shoulder", "base", DVec3::Z * 0.4, Kind::limited_hinge(DVec3::Y, -2.0, 2.0)?)
///     .child("elbow", "shoulder", DVec3::Z * 0.4, Kind::limited_hinge(DVec3::Y, 0.0, 2.5)?)
///     .build()?;
/// let hand = arm.effector("elbow")?.at(DVec3::Z * 0.3);
/// let mut solver = Solver::new(&arm).goal(hand, DVec3::new(0.4, 0.0, 0.5));
/// let mut pose = arm.rest_pose();
/// assert!(solver.solve(&mut pose).stop.is_reached());
/// solver.problem.max_steps = vec![2.0 * 0.001; arm.len()];
/// for tick in 0..1000 {
///     solver.set_target(0, DVec3::new(0.4, 0.0002 * f64::from(tick), 0.5));
///     assert!(solver.track(&mut pose).stop.is_reached());
///     let angles = arm.values(&pose);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    skeleton: Arc<Skeleton>,
    /// What to solve. Goals are in the order in which they were added.
    pub problem: Problem,
    /// Tolerances, bounds and method.
    pub settings: Settings,
    frames: Vec<Isometry>,
    /// What the problem asked for when it was split into figures.
    asked: Vec<Asked>,
    /// One solver per figure.
    figures: Vec<FigureSolver>,
    buffers: Buffers,
    lanes: LaneGroups,
    arms: ArmGroups,
}

impl Solver {
    /// A solver for a skeleton, with no goals and the default settings. Takes a `Skeleton`, an `Arc<Skeleton>`, or a
    /// `&Skeleton`, which it clones.
    pub fn new(skeleton: impl Into<Arc<Skeleton>>) -> Self {
        let skeleton = skeleton.into();
        Solver {
            frames: skeleton.frames(&skeleton.rest_pose()),
            skeleton,
            problem: Problem::default(),
            settings: Settings::default(),
            asked: Vec::new(),
            figures: Vec::new(),
            buffers: Buffers::default(),
            lanes: LaneGroups::new(Engine::best()),
            arms: ArmGroups::default(),
        }
    }

    /// Adds the goal [`Goal::new`], of weight 1.
    #[must_use]
    pub fn goal(mut self, effector: Effector, target: impl Into<Target>) -> Self {
        self.add_goal(Goal::new(effector, target));
        self
    }

    /// Replaces the problem.
    #[must_use]
    pub fn problem(mut self, problem: Problem) -> Self {
        self.problem = problem;
        self
    }

    /// Replaces the settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The same solver with SIMD lanes of this level, instead of the widest that the processor has. On x86,
    /// [`Level::Portable`] rounds differently from the others.
    ///
    /// # Errors
    /// The processor cannot run it.
    pub fn with_level(self, level: Level) -> Result<Self, BatchError> {
        let engine = Engine::of(level).ok_or(BatchError::Unavailable(level))?;
        Ok(Solver { lanes: LaneGroups::new(engine), arms: ArmGroups::default(), ..self })
    }

    /// Replaces the skeleton, by one with other offsets or another stiffness. The next solve splits the problem again.
    pub fn set_skeleton(&mut self, skeleton: impl Into<Arc<Skeleton>>) {
        self.skeleton = skeleton.into();
        self.figures.clear();
    }

    /// The skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Adds a goal; returns its index in [`Problem::goals`], for [`Solver::set_target`].
    pub fn add_goal(&mut self, goal: Goal) -> usize {
        self.problem.goals.push(goal);
        self.problem.goals.len() - 1
    }

    /// Gives goal number `goal` another target. Returns false, and changes nothing, if there is no such goal.
    pub fn set_target(&mut self, goal: usize, target: impl Into<Target>) -> bool {
        let goal = self.problem.goals.get_mut(goal);
        goal.map(|goal| goal.target = target.into()).is_some()
    }

    /// The world frames of all joints in the last solved pose, one per joint; before the first solve, those of the rest
    /// pose.
    pub fn frames(&self) -> &[Isometry] {
        &self.frames
    }

    /// Checks the problem, the settings and the pose that a solve would begin with.
    ///
    /// # Errors
    /// What the solve would refuse; or a custom goal whose residual is not finite in this pose, which it would not.
    pub fn check(&self, pose: &[Coordinates]) -> Result<(), Refusal> {
        self.accepts(pose)?;
        self.problem.check_custom_goals(&self.skeleton, pose)
    }

    fn accepts(&self, pose: &[Coordinates]) -> Result<(), Refusal> {
        self.settings.check()?;
        self.problem.check_with(&self.skeleton, pose)
    }

    /// Moves `pose` (one entry per joint) as near to the goals as possible, with restarts from other poses if needed.
    /// Returns the report of the worst [figure](crate::figures::Figure).
    ///
    /// Whatever the outcome, the pose keeps all limits and is the best one found. Input that makes no sense, such as a
    /// number that is not finite or a joint that does not exist, is refused: [`Stop::Refused`](crate::Stop::Refused), and
    /// nothing changes. [`Solver::check`] says what is wrong.
    pub fn solve(&mut self, pose: &mut [Coordinates]) -> Report {
        match self.settings.prefer {
            Prefer::First => self.solve_from(Verb::Solve, pose),
            Prefer::Nearest => self.solve_nearest(pose),
        }
    }

    /// As [`Solver::solve`], for targets that move a little from frame to frame. `pose` is the answer of the last
    /// frame, and the new one lies next to it: no joint goes farther than the moves of the effectors explain. A call that misses
    /// its goals comes as near to them as it gets there, and the next call goes on. With [`Settings::may_jump`], it looks for a pose
    /// elsewhere that meets them or is far better.
    ///
    /// The tolerances only judge: a target that moves by less is followed too, except by figures with stiff joints.
    pub fn track(&mut self, pose: &mut [Coordinates]) -> Report {
        self.solve_from(Verb::Track, pose)
    }

    /// Moves `pose` to the solution next to it: of all that are found, the one whose largest joint move from `pose` is least
    /// (radians; slides as fractions of the effector's size). [`Solver::solve`] does this with
    /// [`Prefer::Nearest`](crate::settings::Prefer::Nearest).
    ///
    /// For one effector on an arm with six hinges ([`SixAxisArm`](crate::SixAxisArm)), these are all solutions. Otherwise
    /// attempts start at `pose`, round it and far away, and each solution then moves toward `pose` as far as the goals allow.
    /// If the goals cannot be met, this is [`Solver::solve`].
    pub fn solve_nearest(&mut self, pose: &mut [Coordinates]) -> Report {
        self.solve_from(Verb::Nearest, pose)
    }

    fn solve_from(&mut self, verb: Verb, pose: &mut [Coordinates]) -> Report {
        self.solve_figures(pose, |figure, given, buffers, pose| figure.answer(given, verb, buffers, pose))
    }

    /// As [`Solver::solve`] with [`Prefer::First`], and calls `observer` for each step of each figure up to its first
    /// refinement, and for the final pose. The steps of a plain chain are those of
    /// [`Chain::solve_observed`](crate::Chain::solve_observed). The arguments are the step, the frames after it (one per
    /// joint) and the pose. After a backward pass, the frames are the desired ones: they may break joints apart and violate
    /// limits.
    pub fn solve_observed(
        &mut self,
        pose: &mut [Coordinates],
        mut observer: impl FnMut(SolveEvent, &[Isometry], &[Coordinates]),
    ) -> Report {
        self.solve_figures(pose, |figure, given, buffers, pose| {
            figure.solve_observed(given, buffers, pose, &mut observer)
        })
    }

    /// Solves all figures, and updates the frames. Returns the worst report, with the error also where an interrupt came before
    /// the solve of a figure began.
    fn solve_figures(
        &mut self,
        pose: &mut [Coordinates],
        mut solve: impl FnMut(&mut FigureSolver, &Given, &mut Buffers, &mut [Coordinates]) -> Report,
    ) -> Report {
        let Some(Figures { given, figures, buffers, frames, .. }) = self.ready(pose) else { return Report::REFUSED };
        let given = Given { settings: &given.settings.begun(), ..given };
        let reports = figures.iter_mut().map(|figure| solve(figure, &given, buffers, pose));
        let report = reports.reduce(Report::or_worse).unwrap_or(Report::REFUSED);
        given.skeleton.forward_kinematics(given.problem.base, pose, frames);
        measured(report, given.skeleton, given.problem, pose)
    }

    /// One backward reaching pass, leaves to root, for teaching and display. Returns the desired frames, one per joint.
    /// They may leave the base, break joints apart and violate limits; [`Solver::reach_forward`] repairs that. `None` if
    /// [`Solver::solve`] would refuse the input.
    pub fn reach_backward(&mut self, pose: &[Coordinates]) -> Option<&[Isometry]> {
        let Figures { given, figures, buffers, frames, .. } = self.ready(pose)?;
        given.skeleton.forward_kinematics(given.problem.base, pose, frames);
        figures.iter_mut().for_each(|figure| figure.backward(&given, buffers, pose, frames));
        Some(frames)
    }

    /// One forward reaching pass, root to leaves: moves `pose` inside all limits toward the desired frames of the last
    /// backward pass. Returns false, and moves nothing, if [`Solver::solve`] would refuse the input.
    pub fn reach_forward(&mut self, pose: &mut [Coordinates]) -> bool {
        let Some(Figures { given, figures, buffers, frames, .. }) = self.ready(pose) else { return false };
        figures.iter_mut().for_each(|figure| figure.forward(&given, buffers, pose));
        given.skeleton.forward_kinematics(given.problem.base, pose, frames);
        true
    }

    /// Closes the loops of a pose with as little motion as possible, regardless of the goals; use it for poses that
    /// were mixed from closed ones. Returns the largest remaining gap as a fraction of the reach, or infinity if the
    /// input is refused.
    pub fn close_loops(&mut self, pose: &mut [Coordinates]) -> f64 {
        let Some(Figures { given, figures, buffers, .. }) = self.ready(pose) else { return f64::INFINITY };
        let gaps = figures.iter_mut().map(|figure| figure.close_loops(&given, buffers, pose));
        gaps.fold(0.0, f64::max)
    }

    /// The figures, in the order of [`split`](crate::figures::split), to be solved one at a time; `None` if [`Solver::solve`] would
    /// refuse the problem. The work of this call grows with the whole problem, that of a solve with its figure.
    pub fn figures(&mut self) -> Option<Figures<'_>> {
        let fits = self.problem.check(&self.skeleton).and_then(|()| self.settings.check()).is_ok();
        fits.then(|| self.prepared())
    }

    /// All figures, to be solved from this pose; `None` if that is refused.
    fn ready(&mut self, pose: &[Coordinates]) -> Option<Figures<'_>> {
        self.accepts(pose).is_ok().then(|| self.prepared())
    }

    /// All figures of the problem, which fits the skeleton.
    fn prepared(&mut self) -> Figures<'_> {
        let own = std::mem::take(&mut self.problem);
        self.prepare_for(&own);
        self.problem = own;
        let Solver { skeleton, problem, settings, figures, buffers, lanes, frames, .. } = self;
        Figures { given: Given { skeleton, problem, settings }, figures, buffers, lanes, frames }
    }

    /// Splits the problem again if goals, loops, poles or obstacles have been added or removed.
    fn prepare_for(&mut self, problem: &Problem) {
        if !self.is_prepared_for(problem) {
            self.asked = asked(problem).collect();
            let figures = split(&self.skeleton, problem);
            self.figures = figures.map(|figure| FigureSolver::new(figure, problem)).collect();
            self.arms.groups.clear();
        }
    }

    /// Whether the figures are those of problems like this one, which asks for the same.
    fn is_prepared_for(&self, problem: &Problem) -> bool {
        !self.figures.is_empty() && self.asked.iter().copied().eq(asked(problem))
    }
}

/// The report of a pose. Where an interrupt came before the solve of a figure began, this finds the error.
fn measured(report: Report, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Report {
    match report.stop == Stop::Interrupted && report.error.is_infinite() {
        true => Report { error: worst_error(skeleton, problem, pose), ..report },
        false => report,
    }
}

/// The clone shares the skeleton. Its buffers are empty and are filled on first use.
impl Clone for Solver {
    fn clone(&self) -> Self {
        let Solver { skeleton, problem, settings, frames, lanes, .. } = self;
        let fresh = Solver::new(Arc::clone(skeleton)).problem(problem.clone()).settings(*settings);
        Solver { frames: frames.clone(), lanes: LaneGroups::new(lanes.engine), ..fresh }
    }
}
