//! Turns a sequence of targets into a motion.

use super::cases::CaseSolver;
use fabrik3d_ik::{Pose, Problem, Report, Solver, Stop};
use fabrik3d_scene::{Case, Outcome, Scene, Values};

/// Solves cases of a scene one after another. Each starts from the previous pose, so that the poses form a motion. The
/// start poses of the cases are ignored.
#[derive(Debug)]
pub struct Follower<'a> {
    solver: CaseSolver<'a>,
    pose: Pose,
}

impl<'a> Follower<'a> {
    /// Starts from the opening pose of the scene.
    pub fn new(scene: &'a Scene) -> Self {
        Follower { solver: CaseSolver::new(scene), pose: scene.start.clone() }
    }

    /// Solves the next case. Its pose becomes the next frame, even if the targets are not reached.
    pub fn follow(&mut self, mut case: Case) -> Outcome {
        case.start.clone_from(&self.pose);
        let outcome = self.solver.solve_near(case);
        self.pose.clone_from(&outcome.pose);
        outcome
    }
}

/// Solves cases of a scene as one path: the poses of all rows are chosen together, so that no joint jumps where that can be
/// avoided ([`Solver::solve_path`]). Returns the poses, and how the solve of each row ended.
pub fn plan_path(scene: &Scene, problems: &[Problem]) -> (Values, Vec<Stop>) {
    let mut values = Values::default();
    let mut solver = Solver::new(scene.skeleton.clone()).settings(scene.settings);
    let keep = |(pose, report): (Pose, Report)| {
        values.push(&scene.skeleton, &pose);
        report.stop
    };
    let stops = solver.solve_path(problems, &scene.start).into_iter().map(keep).collect();
    (values, stops)
}
