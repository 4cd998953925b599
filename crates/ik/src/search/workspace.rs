//! What a solve is given, and its buffers. They hold nothing from one solve to the next, so one thread needs one set for all that
//! it solves.

use crate::fabrik::observer::SolveEvent;
use crate::layout::{Layout, Layouts, make_room};
use crate::model::{Coordinates, Isometry, Pose, Problem, Settings, Skeleton};
use crate::search::walk::Walk;
use crate::tasks::Objective;
use crate::tree::passes::Passes;
use crate::tree::poles::PoleRefiner;
use crate::tree::refine::{Progress, Refiner};

/// What a solve is given: of the whole skeleton, or of one figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem,
    pub settings: &'a Settings,
}

impl<'a> Given<'a> {
    /// Whether tracking may move joints only so far.
    pub fn bounds_moves(&self) -> bool {
        self.settings.max_step.is_some() || !self.problem.max_steps.is_empty()
    }

    /// What a solve of a layout minimizes.
    pub fn objective(&self, layout: &'a Layout) -> Objective<'a> {
        Objective::new(self.skeleton, self.problem, layout, self.settings)
    }
}

/// What a solve works with; its steps are methods of this type, in `stage`, `spread` and `search`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub passes: Passes,
    pub refiner: Refiner,
    pub poses: Poses,
    pub poles: PoleRefiner,
    pub walk: Walk,
    /// The searches of the present figure that go on from call to call, one per stage. None, unless it tracks.
    pub scouts: Vec<Scout>,
    /// The present stage, and the work that it has taken so far.
    pub stage: usize,
    pub effort: Effort,
    /// The steps of the present solve, if it is observed.
    pub trace: Option<Vec<Observed>>,
}

impl Workspace {
    /// Makes room for whatever the solves of a figure may need after the first one: misses, contacts, restarts.
    pub fn reserve(&mut self, own: &Given, layouts: &Layouts) {
        let joints = own.skeleton.len();
        self.poses.reserve(joints);
        if let Some(layout) = &layouts.preferences {
            self.refiner.reserve(&own.objective(layout).with_preferences());
            self.walk.reserve(&own.objective(layout));
        }
        for layout in layouts.stages.iter().chain(&layouts.loops) {
            let objective = &own.objective(layout);
            self.refiner.reserve(objective);
            self.passes.reserve(layout, joints);
            self.poles.reserve(layout, joints);
            if layout.has_stiffness {
                self.walk.reserve(objective);
            }
        }
    }
}

/// The search of a figure for another pose while it misses its goals. It belongs to the figure, and to the workspace during
/// a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scout {
    /// Where the present attempt is.
    pub pose: Vec<Coordinates>,
    /// The number of the present attempt.
    pub number: u32,
    /// Attempts since the goals moved. Where they are out of reach whatever the limits, calls count as such.
    pub attempts: u32,
    /// How far the present attempt is, if there is one.
    pub progress: Option<Progress>,
    /// Whether all attempts have failed.
    pub has_failed: bool,
}

impl Scout {
    /// No search so far; `pose` has room for one.
    pub fn new(pose: Vec<Coordinates>) -> Self {
        Scout { pose, ..Scout::default() }
    }

    /// Goes on for goals that have moved.
    pub fn follow(&mut self) {
        (self.attempts, self.has_failed) = (0, false);
    }

    /// Ends the search: the goals are met.
    pub fn end(&mut self) {
        (self.number, self.attempts, self.progress, self.has_failed) = (0, 0, None, false);
    }

    /// Whether the next call goes on with it.
    pub fn goes_on(&self) -> bool {
        self.attempts > 0 && !self.has_failed
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
    /// The [work](Refiner::work) before the present part of a search that is divided among calls.
    pub begun: u32,
}

/// The result of one step of an observed solve.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub step: SolveEvent,
    pub frames: Vec<Isometry>,
    pub pose: Pose,
}
