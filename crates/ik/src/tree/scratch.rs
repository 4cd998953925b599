//! What a solve is given, and what it keeps between its steps: the poses that it sets aside, the work done so far, and its
//! record.

use crate::fabrik::observer::SolveEvent;
use crate::layout::{Layout, make_room};
use crate::model::{Coordinates, Isometry, Pose, Problem, Settings, Skeleton};
use crate::tasks::Objective;

/// What a solve is given: of the whole skeleton, or of one figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem,
    pub settings: &'a Settings,
}

impl<'a> Given<'a> {
    /// What a solve of a layout minimizes.
    pub fn objective(&self, layout: &'a Layout) -> Objective<'a> {
        Objective::new(self.skeleton, self.problem, layout, self.settings)
    }
}

/// Poses that a search sets aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poses {
    /// The pose from which the joints turn: the answer is the nearest one that differs by whole turns.
    pub origin: Vec<Coordinates>,
    /// The start pose.
    pub start: Vec<Coordinates>,
    /// The best pose of the current attempt.
    pub attempt: Vec<Coordinates>,
    /// The best pose since the last fully random start.
    pub epoch: Vec<Coordinates>,
    /// The best pose of all attempts.
    pub best: Vec<Coordinates>,
    /// The result of refining the unchanged start pose.
    pub near: Vec<Coordinates>,
}

impl Poses {
    /// Makes room for poses of this number of joints.
    pub fn reserve(&mut self, joints: usize) {
        let Poses { origin, start, attempt, epoch, best, near } = self;
        [origin, start, attempt, epoch, best, near].into_iter().for_each(|pose| make_room(pose, joints));
    }

    /// Sets all kept poses except `near` and `origin` to the start pose.
    pub fn reset(&mut self, start: &[Coordinates]) {
        for kept in [&mut self.start, &mut self.attempt, &mut self.epoch, &mut self.best] {
            start.clone_into(kept);
        }
    }
}

/// The work that a stage of a solve has done so far. The refiner counts its own steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub iterations: u32,
    pub attempts: u32,
    /// Whether the steps ran out while the cost was still falling.
    pub cut_short: bool,
}

/// The result of one step of an observed solve.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub step: SolveEvent,
    pub frames: Vec<Isometry>,
    pub pose: Pose,
}
