//! Small steps toward far targets, for figures with stiff joints.
//!
//! The refiner takes the step with the least turning. Over a long way the steps of least turning depend on how the way is
//! divided, so a far target is not aimed at directly: targets move from the effectors to their places along straight lines.
//! A path then ends in the same pose whether it is played in few steps or in many.

use crate::layout::make_room;
use crate::model::{Isometry, Problem, angle_between};
use crate::tasks::Objective;

/// Longest turn of a target in a step, radians, for a longest step of its effector's size.
const TURN: f64 = 5.0;

/// How a walk is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    /// Longest step of a target, as a fraction of its effector's size.
    longest: f64,
    /// Most steps of one solve.
    most: f64,
}

impl Stride {
    /// For figures that follow their targets, whose steps add up.
    pub const FOLLOW: Stride = Stride { longest: 0.01, most: 60.0 };
    /// From home to anywhere.
    pub const JUMP: Stride = Stride { longest: 0.03, most: 20.0 };
}

/// Buffers of a walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// The problem with its targets at the present step.
    pub problem: Problem,
    /// For each goal of the layout, the frame of its effector's joint at the start.
    starts: Vec<Isometry>,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walked {
    /// The length of a step, as a fraction of an effector's size; 0 if nothing had to move.
    pub stride: f64,
    /// Whether a step missed its targets, so that the rest of the way was not tried.
    pub is_blocked: bool,
    /// Whether the rest of the way is left to the next call.
    pub is_cut_short: bool,
}

impl Walk {
    /// Makes room for the walks of an objective.
    pub fn reserve(&mut self, objective: &Objective) {
        self.problem.clone_from(objective.problem);
        make_room(&mut self.starts, objective.layout.goals.len());
    }

    /// Copies the problem without allocation once its size is known.
    pub fn begin(&mut self, objective: &Objective, frames: &[Isometry]) {
        let Objective { problem, layout, .. } = *objective;
        self.problem.clone_from(problem);
        self.starts.clear();
        self.starts.extend(layout.goals.iter().map(|goal| frames[problem.goals[goal.index].effector.joint]));
    }

    /// The longest way of a target, as a fraction of its effector's size; turns count by the ratio of the two longest steps.
    pub fn length(&self, objective: &Objective) -> f64 {
        let needed = objective.layout.goals.iter().zip(&self.starts).map(|(goal, start)| {
            let request = &objective.problem.goals[goal.index];
            let tip = start.point(request.effector.tip);
            let way = request.requested_position().map_or(0.0, |place| place.distance(tip) / goal.size);
            let turn = request.nearest_rotation(*start).map_or(0.0, |rotation| angle_between(rotation, start.rotation));
            way.max(turn / TURN)
        });
        needed.fold(0.0, f64::max)
    }

    /// The number of steps for a way of this length.
    pub fn steps(length: f64, Stride { longest, most }: Stride) -> u32 {
        (length / longest).clamp(1.0, most).ceil() as u32
    }

    /// Moves the targets to a fraction of their ways.
    pub fn take_step(&mut self, objective: &Objective, fraction: f64) {
        for (goal, start) in objective.layout.goals.iter().zip(&self.starts) {
            self.problem.goals[goal.index].target =
                objective.problem.goals[goal.index].target_between(*start, fraction);
        }
    }
}
