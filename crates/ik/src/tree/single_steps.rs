//! Parts of a solve on their own: single reaching passes, and random start poses.

use super::island::IslandSolver;
use super::objective::Objective;
use super::restart::{self, Restart};
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::random::Random;

impl IslandSolver {
    /// [`Solver::reach_backward`](crate::Solver::reach_backward), for a problem and a pose that fit. Writes the desired
    /// frames of the island to `frames`, which holds those of the whole skeleton.
    pub(crate) fn backward(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        pose: &[Coordinates],
        frames: &mut [Isometry],
    ) {
        self.prepare_passes(skeleton, problem);
        self.on_part(skeleton, problem, &mut pose.to_vec(), |solver, skeleton, problem, pose| {
            skeleton.forward_kinematics(problem.base, pose, &mut solver.refiner.evaluation.frames);
            if let Some(layout) = solver.layouts.last() {
                let settings = Settings::default();
                let objective = Objective::new(skeleton, problem, layout, &settings);
                solver.passes.backward(&objective, pose, &solver.refiner.evaluation.frames);
            }
        });
        match &self.part {
            Some(part) => part.write(&self.island, &self.passes.desired, frames),
            None => frames.copy_from_slice(&self.passes.desired),
        }
    }

    /// [`Solver::reach_forward`](crate::Solver::reach_forward), for a problem and a pose that fit. Without a backward
    /// pass before, nothing moves.
    pub(crate) fn forward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) {
        if self.passes.desired.is_empty() {
            return;
        }
        self.prepare_passes(skeleton, problem);
        self.on_part(skeleton, problem, pose, |solver, skeleton, problem, pose| {
            skeleton.forward_kinematics(problem.base, pose, &mut solver.refiner.evaluation.frames);
            if let Some(layout) = solver.layouts.last() {
                let settings = Settings::default();
                let objective = Objective::new(skeleton, problem, layout, &settings);
                solver.passes.forward(&objective, pose, &mut solver.refiner.evaluation.frames);
            }
        });
    }

    /// Writes a random pose of the island to `pose`, for attempt number `attempt` from that pose.
    pub(crate) fn random_start(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        attempt: u32,
        random: &mut Random,
        pose: &mut [Coordinates],
    ) {
        self.prepare_passes(skeleton, problem);
        self.on_part(skeleton, problem, pose, |solver, skeleton, problem, pose| {
            let Some(layout) = solver.layouts.last() else { return };
            let (settings, start) = (Settings::default(), pose.to_vec());
            let objective = Objective::new(skeleton, problem, layout, &settings);
            restart::random_start(&objective, random, &Restart { start: &start, best: &start, attempt }, pose);
        });
    }

    /// As [`IslandSolver::prepare`], with layouts for the passes also if the island is a plain chain.
    fn prepare_passes(&mut self, skeleton: &Skeleton, problem: &Problem) {
        self.prepare(skeleton, problem);
        if self.layouts.is_empty() {
            self.build_layouts(skeleton, problem);
        }
    }
}
