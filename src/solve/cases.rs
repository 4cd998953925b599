//! Solves cases of one scene, one by one, many at once or as a motion.

use fabrik3d_ik::{Pose, Problem, Report, Solver};
use fabrik3d_scene::{Case, Outcome, OutcomeMeter, Scene};
use std::time::Instant;

/// Solves cases of one scene. Every command that solves cases uses this type, so that cases of unlimited chains and of
/// robot arms run together on the SIMD lanes. Chains need positions only and a tolerance within single precision.
///
/// The result of a case does not depend on the other cases.
#[derive(Debug)]
pub struct CaseSolver<'a> {
    solver: Solver,
    meter: OutcomeMeter<'a>,
}

/// The number of first cases of a batch that decide whether all are solved together: if one of them runs in lanes.
const LOOK_AHEAD: usize = 8;

impl<'a> CaseSolver<'a> {
    /// A solver for the cases of a scene. It runs on the calling thread.
    pub fn new(scene: &'a Scene) -> Self {
        let solver = Solver::new(scene.skeleton.clone()).settings(scene.settings);
        CaseSolver { solver, meter: OutcomeMeter::new(scene) }
    }

    /// Whether the lanes suffice for most cases like this one. The scalar solver has to keep links clear.
    pub fn is_quick(&mut self, case: &Case) -> bool {
        case.problem.has_only_goals() && self.solver.runs_in_lanes(&case.problem)
    }

    /// Solves cases in order. Large batches are faster. If some of them run in lanes, all report an equal share of the time.
    pub fn solve(&mut self, cases: Vec<Case>) -> Vec<Outcome> {
        let (problems, mut poses): (Vec<Problem>, Vec<Pose>) =
            cases.into_iter().map(|case| (case.problem, case.start)).unzip();
        let mut outcomes = Vec::with_capacity(problems.len());
        let together = problems.iter().take(LOOK_AHEAD).any(|problem| self.solver.runs_in_lanes(problem));
        while outcomes.len() < problems.len() {
            let first = outcomes.len();
            let batch = first..if together { problems.len() } else { first + 1 };
            let started = Instant::now();
            let reports = self.solver.solve_many(&problems[batch.clone()], &mut poses[batch.clone()]);
            let micros = started.elapsed().as_secs_f64() * 1e6 / batch.len() as f64;
            for (at, report) in batch.zip(reports) {
                let pose = std::mem::take(&mut poses[at]);
                outcomes.push(self.meter.measure(&problems[at], pose, report, micros));
            }
        }
        outcomes
    }

    /// Solves paths, one after the other in `cases`, with this number of rows each. A case that is not the first of its path
    /// starts from the answer before. Many paths at once are faster. All cases report an equal share of the time.
    pub fn solve_paths(&mut self, cases: Vec<Case>, rows: &[usize]) -> Vec<Outcome> {
        let (problems, mut poses): (Vec<Problem>, Vec<Pose>) =
            cases.into_iter().map(|case| (case.problem, case.start)).unzip();
        let started = Instant::now();
        let reports = self.solver.solve_paths(&problems, rows, &mut poses);
        let micros = started.elapsed().as_secs_f64() * 1e6 / problems.len().max(1) as f64;
        let answers = problems.iter().zip(poses).zip(reports);
        answers.map(|((problem, pose), report)| self.meter.measure(problem, pose, report, micros)).collect()
    }

    /// Solves one case next to its start pose, as a motion needs it. In the lanes, an arm may end elsewhere.
    pub fn solve_near(&mut self, case: Case) -> Outcome {
        let Case { problem, start: mut pose, .. } = case;
        let started = Instant::now();
        self.solver.problem.clone_from(&problem);
        let report = self.solver.solve(&mut pose);
        let micros = started.elapsed().as_secs_f64() * 1e6;
        self.meter.measure(&problem, pose, report, micros)
    }
}

/// Solves cases of one scene with a temporary [`CaseSolver`].
pub fn solve_cases(scene: &Scene, cases: Vec<Case>) -> Vec<Outcome> {
    CaseSolver::new(scene).solve(cases)
}

/// Solves a scene as it is.
pub fn solve_scene(scene: &Scene) -> Outcome {
    solve_cases(scene, vec![Case::of(scene)]).swap_remove(0)
}

/// Solves cases of a scene as one path: the poses of all rows are chosen together, so that no joint jumps where that can be
/// avoided ([`Solver::solve_path`]). The path may begin at the starting pose ([`Solver::solve_path_from`]).
pub fn plan_path(scene: &Scene, problems: &[Problem], from_start: bool) -> Vec<(Pose, Report)> {
    let mut solver = Solver::new(scene.skeleton.clone()).settings(scene.settings);
    match from_start {
        true => solver.solve_path_from(problems, &scene.start),
        false => solver.solve_path(problems, &scene.start),
    }
}
