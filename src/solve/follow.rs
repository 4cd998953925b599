//! Turns a sequence of targets into a motion.

use super::cases::CaseSolver;
use fabrik3d_ik::{Pose, Problem, Report, Solver};
use fabrik3d_scene::{Case, Motion, Outcome, Scene};

/// Solves cases of a scene one after another. Each starts from the previous pose, so that the poses form a motion. The
/// start poses of the cases are ignored.
#[derive(Debug)]
pub struct Follower<'a> {
    solver: CaseSolver<'a>,
    pose: Pose,
    poses: Vec<Pose>,
}

impl<'a> Follower<'a> {
    /// Starts from the opening pose of the scene.
    pub fn new(scene: &'a Scene) -> Self {
        Follower { solver: CaseSolver::new(scene), pose: scene.start.clone(), poses: Vec::new() }
    }

    /// Solves the next case. Its pose becomes the next frame, even if the targets are not reached.
    pub fn follow(&mut self, mut case: Case) -> Outcome {
        case.start.clone_from(&self.pose);
        let outcome = self.solver.solve_near(case);
        self.pose.clone_from(&outcome.pose);
        self.poses.push(outcome.pose.clone());
        outcome
    }

    /// All frames so far as a motion.
    pub fn motion(self, name: impl Into<String>, frame_time: f64) -> Motion {
        Motion::new(name, frame_time, self.poses)
    }
}

/// Solves cases of a scene as one path: the poses of all rows are chosen together, so that no joint jumps where that can be
/// avoided ([`Solver::solve_path`]). The start poses of the cases are ignored.
pub fn plan_path(scene: &Scene, cases: &[Case]) -> Vec<(Pose, Report)> {
    let problems: Vec<Problem> = cases.iter().map(|case| case.problem.clone()).collect();
    Solver::new(scene.skeleton.clone()).settings(scene.settings).solve_path(&problems, &scene.start)
}
