//! What a search keeps between its steps: the poses that it set aside, and what it has done so far.

use crate::model::pose::Coordinates;

/// How the pose that a solve starts from counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A place to start the search: the answer may lie elsewhere.
    Free,
    /// The answer of the last frame: the new one should lie next to it.
    Warm,
}

/// Poses that a search sets aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poses {
    /// The start pose.
    pub start: Vec<Coordinates>,
    /// The best pose of the current attempt.
    pub here: Vec<Coordinates>,
    /// The best pose since the last fully random start.
    pub epoch: Vec<Coordinates>,
    /// The best pose of all attempts.
    pub best: Vec<Coordinates>,
    /// Where refining the start pose as it is led.
    pub near: Vec<Coordinates>,
}

impl Poses {
    /// Sets all kept poses but `near` to the start pose.
    pub fn reset(&mut self, start: &[Coordinates]) {
        for kept in [&mut self.start, &mut self.here, &mut self.epoch, &mut self.best] {
            kept.clear();
            kept.extend_from_slice(start);
        }
    }
}

/// What a solve has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub iterations: u32,
    pub refine_steps: u32,
    pub attempts: u32,
    /// Whether steps ran out while the cost still fell.
    pub cut_short: bool,
}
