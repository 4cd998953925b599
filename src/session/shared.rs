//! What the islands of a scene share. Each borrows it while it is solved, because thousands of islands cannot have a copy of
//! everything that belongs to the scene as a whole.

use fabrik3d_ik::{IslandSolver, Pose, Problem, SolveBuffers};
use std::mem::swap;

/// What every island has to keep clear of, and the buffers of a solve.
#[derive(Debug)]
pub(super) struct Shared {
    /// Obstacles and bodies, without goals.
    around: Problem,
    buffers: SolveBuffers,
}

impl Shared {
    /// Takes what islands share from the problem of the scene.
    pub fn from_problem(Problem { obstacles, keep_clear, .. }: Problem) -> Self {
        let around = Problem { obstacles, keep_clear, ..Problem::default() };
        Shared { around, buffers: SolveBuffers::default() }
    }

    /// A problem that has what to keep clear of, and nothing else.
    pub fn around(&self) -> &Problem {
        &self.around
    }

    /// Whether there is nothing to keep clear of.
    pub fn is_open_space(&self) -> bool {
        self.around.has_only_goals()
    }

    /// Does `work` with a solver whose problem has everything that it shares with others, and `home` too.
    pub fn lend<R>(
        &mut self,
        solver: &mut IslandSolver,
        problem: &mut Problem,
        home: Option<&mut Pose>,
        work: impl FnOnce(&mut IslandSolver, &Problem) -> R,
    ) -> R {
        let mut none = Pose::new();
        let home = home.unwrap_or(&mut none);
        self.swap(problem, home);
        let result = solver.with_buffers(&mut self.buffers, |solver| work(solver, problem));
        self.swap(problem, home);
        result
    }

    fn swap(&mut self, problem: &mut Problem, home: &mut Pose) {
        swap(&mut self.around.obstacles, &mut problem.obstacles);
        swap(&mut self.around.keep_clear, &mut problem.keep_clear);
        swap(home, &mut problem.home);
    }

    /// A copy of an island's problem with everything that it shares with others, and with `home`.
    pub fn complete(&self, problem: &Problem, home: Option<&Pose>) -> Problem {
        Problem {
            obstacles: self.around.obstacles.clone(),
            keep_clear: self.around.keep_clear.clone(),
            home: home.cloned().unwrap_or_default(),
            ..problem.clone()
        }
    }
}
