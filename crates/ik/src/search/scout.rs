//! A search that goes on from call to call: [`Settings::steps_per_call`].
//!
//! [`Settings::steps_per_call`]: crate::Settings::steps_per_call

use crate::model::pose::Coordinates;

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
    /// What the present attempt may still take; 0 if there is none.
    pub steps: u32,
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
        (self.number, self.attempts, self.steps, self.has_failed) = (0, 0, 0, false);
    }

    /// Whether the next call goes on with it.
    pub fn goes_on(&self) -> bool {
        self.attempts > 0 && !self.has_failed
    }
}
