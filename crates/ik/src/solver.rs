//! The solver for skeletons: solves one problem or many, tracks moving targets, lists branches, closes loops.

mod arm_group;
mod branches;
pub mod chain_groups;
mod lane_group;
mod many;
mod nearest;
mod path;
mod rows;

use crate::model::pose::Coordinates;
use crate::model::problem::{Effector, Goal, Problem};
use crate::model::queries::worst_error;
use crate::model::report::{Report, Stop};
use crate::model::settings::{Prefer, Settings};
use crate::model::skeleton::Skeleton;
use crate::model::target::Target;
use crate::model::transform::Isometry;
use crate::simd::{BatchError, Engine, Level};
use crate::tree::buffers::SolveBuffers;
use crate::tree::island::IslandSolver;
use crate::tree::layout_key::LayoutKey;
use crate::tree::scratch::Start;
use arm_group::ArmGroups;
use lane_group::LaneGroups;
use std::sync::Arc;

/// Solves problems on one skeleton. A game or a controller keeps one for each kind of character or robot.
///
/// It owns the skeleton, the problem, the settings and all buffers. Poses belong to the caller, one entry per joint, so
/// one solver can serve any number of characters. After the first solve of a problem it allocates nothing. Goals,
/// loops, poles and obstacles may be added and removed between solves.
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver, Stop};
/// let mut solver = Solver::new(Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
///     Joint::new("elbow", Some(0), DVec3::Y, Kind::UNLIMITED_BALL),
/// ])?);
/// let hand = solver.add_goal(Effector::new(1, DVec3::Y), DVec3::new(1.0, 1.0, 0.0));
/// let mut pose = solver.skeleton().rest_pose();
/// for frame in 0..60 {
///     solver.set_target(hand, DVec3::new(1.0, 1.0, 0.01 * f64::from(frame)));
///     assert_eq!(solver.track(&mut pose).stop, Stop::Reached);
///     for frame in solver.frames() {
///         // draw a joint at frame.position with orientation frame.rotation
///     }
/// }
/// # Ok::<(), fabrik3d_ik::SkeletonError>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    skeleton: Arc<Skeleton>,
    /// What to solve. Goals are in the order in which they were added.
    pub problem: Problem,
    /// Tolerances, bounds and method.
    pub settings: Settings,
    frames: Vec<Isometry>,
    /// The key that the islands were built for.
    key: LayoutKey,
    /// One solver per island.
    islands: Vec<IslandSolver>,
    /// What they share while they are solved, one after the other.
    buffers: SolveBuffers,
    /// The instructions of the lanes.
    engine: Engine,
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
            key: LayoutKey::default(),
            islands: Vec::new(),
            buffers: SolveBuffers::default(),
            engine: Engine::best(),
            lanes: LaneGroups::default(),
            arms: ArmGroups::default(),
        }
    }

    /// Adds a goal of weight 1.
    #[must_use]
    pub fn goal(mut self, effector: Effector, target: impl Into<Target>) -> Self {
        self.add_goal(effector, target);
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
        Ok(Solver { engine, lanes: LaneGroups::default(), arms: ArmGroups::default(), ..self })
    }

    /// The skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Adds a goal of weight 1; returns its index for [`Solver::set_target`].
    pub fn add_goal(&mut self, effector: Effector, target: impl Into<Target>) -> usize {
        self.problem.goals.push(Goal::new(effector, target));
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

    /// Moves `pose` (one entry per joint) as near to the goals as possible, with restarts from other poses if needed.
    /// Returns the report of the worst island.
    ///
    /// Whatever the outcome, the pose keeps all limits and is the best one found. Input that is not finite or that
    /// names joints that do not exist is refused: [`Stop::Refused`](crate::Stop::Refused), and nothing changes.
    pub fn solve(&mut self, pose: &mut [Coordinates]) -> Report {
        match self.settings.prefer {
            Prefer::First => self.solve_from(Start::Free, pose),
            Prefer::Nearest => self.solve_nearest(pose),
        }
    }

    /// As [`Solver::solve`], for targets that move a little from frame to frame. `pose` is the answer of the last
    /// frame. The new one lies next to it, unless only another branch meets the goals or is far better.
    pub fn track(&mut self, pose: &mut [Coordinates]) -> Report {
        self.solve_from(Start::Warm, pose)
    }

    fn solve_from(&mut self, start: Start, pose: &mut [Coordinates]) -> Report {
        if !self.problem.fits_pose(&self.skeleton, pose) {
            return Report::REFUSED;
        }
        self.prepare();
        let Solver { skeleton, problem, settings, islands, buffers, .. } = self;
        let mut solve = |island: &mut IslandSolver| island.solve_prepared(start, skeleton, problem, settings, pose);
        let solve = |island: &mut IslandSolver| island.with_buffers(buffers, &mut solve);
        let report = islands.iter_mut().map(solve).reduce(Report::or_worse).unwrap_or(Report::REFUSED);
        self.skeleton.forward_kinematics(self.problem.base, pose, &mut self.frames);
        measured(report, &self.skeleton, &self.problem, pose)
    }

    /// One backward reaching pass, leaves to root, for teaching and display. Returns the desired frames, one per joint.
    /// They may leave the base, break joints apart and violate limits; [`Solver::reach_forward`] repairs that. `None` if
    /// [`Solver::solve`] would refuse the input.
    pub fn reach_backward(&mut self, pose: &[Coordinates]) -> Option<&[Isometry]> {
        if !self.problem.fits_pose(&self.skeleton, pose) {
            return None;
        }
        self.prepare();
        let Solver { skeleton, problem, islands, frames, .. } = self;
        skeleton.forward_kinematics(problem.base, pose, frames);
        for island in islands {
            island.backward(skeleton, problem, pose, frames);
        }
        Some(&self.frames)
    }

    /// One forward reaching pass, root to leaves: moves `pose` inside all limits toward the desired frames of the last
    /// backward pass. Returns false, and moves nothing, if [`Solver::solve`] would refuse the input.
    pub fn reach_forward(&mut self, pose: &mut [Coordinates]) -> bool {
        let fits = self.problem.fits_pose(&self.skeleton, pose);
        if fits {
            self.prepare();
            let Solver { skeleton, problem, islands, frames, .. } = self;
            islands.iter_mut().for_each(|island| island.forward(skeleton, problem, pose));
            skeleton.forward_kinematics(problem.base, pose, frames);
        }
        fits
    }

    /// Closes the loops of a pose with as little motion as possible, regardless of the goals; use it for poses that
    /// were mixed from closed ones. Returns the largest remaining gap as a fraction of the reach, or infinity if the
    /// input is refused.
    pub fn close_loops(&mut self, pose: &mut [Coordinates]) -> f64 {
        if !self.problem.fits_pose(&self.skeleton, pose) {
            return f64::INFINITY;
        }
        self.prepare();
        let Solver { skeleton, problem, settings, islands, buffers, .. } = self;
        let mut close = |island: &mut IslandSolver| island.close_prepared(skeleton, problem, settings.interrupt, pose);
        let close = |island: &mut IslandSolver| island.with_buffers(buffers, &mut close);
        islands.iter_mut().map(close).fold(0.0, f64::max)
    }

    /// Rebuilds the islands if goals, loops, poles or obstacles have been added or removed.
    fn prepare(&mut self) {
        let problem = std::mem::take(&mut self.problem);
        self.prepare_for(&problem);
        self.problem = problem;
    }

    /// The same for another problem.
    fn prepare_for(&mut self, problem: &Problem) {
        if !self.is_prepared_for(problem) {
            self.key = LayoutKey::of(&self.skeleton, problem, None);
            self.islands = IslandSolver::each(&self.skeleton, problem, &mut self.buffers).collect();
            self.arms.clear();
        }
    }

    /// Whether the islands are built for problems like this one.
    fn is_prepared_for(&self, problem: &Problem) -> bool {
        !self.islands.is_empty() && self.key.fits(&self.skeleton, problem, None)
    }
}

/// The report of a pose. Where an interrupt came before the solve of an island began, this finds the error.
fn measured(report: Report, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Report {
    match report.stop == Stop::Interrupted && report.error.is_infinite() {
        true => Report { error: worst_error(skeleton, problem, pose), ..report },
        false => report,
    }
}

/// The clone shares the skeleton. Its buffers are empty and are filled on first use.
impl Clone for Solver {
    fn clone(&self) -> Self {
        let Solver { skeleton, problem, settings, frames, engine, .. } = self;
        let fresh = Solver::new(Arc::clone(skeleton)).problem(problem.clone()).settings(*settings);
        Solver { frames: frames.clone(), engine: *engine, ..fresh }
    }
}
