//! Solves cases of one scene.

use fabrik3d_ik::{Pose, Problem, Solver};
use fabrik3d_scene::{Case, Outcome, Scene};
use std::time::Instant;

/// Solves cases of one scene. This is the one place that they all come through, so that equal unlimited chains are
/// solved side by side: by the SIMD batch, wherever a case asks no more of them than a position and the tolerance is one
/// that single precision can tell.
///
/// A case's answer depends on the case alone, not on those that it comes with.
#[derive(Debug)]
pub struct CaseSolver<'a> {
    scene: &'a Scene,
    solver: Solver,
}

impl<'a> CaseSolver<'a> {
    /// A solver for the cases of a scene; it computes on the calling thread.
    pub fn new(scene: &'a Scene) -> Self {
        CaseSolver { scene, solver: Solver::new(&scene.skeleton).settings(scene.settings) }
    }

    /// Solves some cases, the more the better. Those that are solved side by side share their time evenly.
    pub fn solve(&mut self, cases: Vec<Case>) -> Vec<Outcome> {
        let (problems, mut poses): (Vec<Problem>, Vec<Pose>) =
            cases.into_iter().map(|case| (case.problem, case.start)).unzip();
        let mut outcomes = Vec::with_capacity(problems.len());
        while outcomes.len() < problems.len() {
            let first = outcomes.len();
            let beside = problems[first..].iter().take_while(|problem| self.solver.runs_in_lanes(problem)).count();
            let now = first..first + beside.max(1);
            let begun = Instant::now();
            let reports = self.solver.solve_many(&problems[now.clone()], &mut poses[now.clone()]);
            let micros = begun.elapsed().as_secs_f64() * 1e6 / now.len() as f64;
            for (at, report) in now.zip(reports) {
                let pose = std::mem::take(&mut poses[at]);
                outcomes.push(Outcome::new(self.scene, &problems[at], pose, report, micros));
            }
        }
        outcomes
    }
}

/// Solves a few cases of one scene; a [`CaseSolver`] for once.
pub fn solve_cases(scene: &Scene, cases: Vec<Case>) -> Vec<Outcome> {
    CaseSolver::new(scene).solve(cases)
}
