//! How the error of the selected effector went in the last seconds.

use crate::session::Session;
use std::collections::VecDeque;

/// Errors with their times, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    points: VecDeque<[f64; 2]>,
    /// The effector that they belong to.
    effector: usize,
}

impl Residuals {
    /// Seconds that are remembered.
    pub const SPAN: f64 = 10.0;
    /// Fastest pace at which points are kept, a second.
    const PACE: f64 = 60.0;

    /// Remembers what the last solve left at this time, and forgets what is too old.
    pub(super) fn record(&mut self, now: f64, session: &Session) {
        if self.effector != session.selected() {
            *self = Residuals { points: VecDeque::new(), effector: session.selected() };
        }
        let fresh = self.points.back().is_none_or(|[last, _]| now - last >= 0.9 / Self::PACE);
        if let Some(report) = session.report(self.effector).filter(|report| fresh && report.error.is_finite()) {
            self.points.push_back([now, report.error]);
        }
        // One point before the span stays, so that the curve reaches its left end.
        while self.points.get(1).is_some_and(|[time, _]| now - time > Self::SPAN) {
            self.points.pop_front();
        }
    }

    /// Time (of the stage's clock) and error, of the reach.
    pub fn points(&self) -> impl ExactSizeIterator<Item = [f64; 2]> + '_ {
        self.points.iter().copied()
    }
}
