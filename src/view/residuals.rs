//! How the error of the selected effector went in the last seconds, and from iteration to iteration.

use crate::session::Session;
use std::collections::VecDeque;

/// Errors with their times, oldest first. Time passes while something moves: what rests has no news, and a curve that
/// crept on with every picture that is drawn for another reason would tell of the pointer, not of the solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    points: VecDeque<[f64; 2]>,
    /// Seconds of motion so far.
    now: f64,
    /// The effector that they belong to.
    effector: usize,
}

impl Residuals {
    /// Seconds that are remembered.
    pub const SPAN: f64 = 10.0;
    /// Fastest pace at which points are kept, a second.
    const PACE: f64 = 60.0;

    /// After a tick of `dt` seconds: remembers what its solve left, and forgets what is too old. `moved` tells whether
    /// anything has moved in the tick.
    pub(super) fn record(&mut self, dt: f64, moved: bool, session: &Session) {
        if self.effector != session.selected() {
            *self = Residuals { effector: session.selected(), ..Residuals::default() };
        }
        if !moved {
            return;
        }
        self.now += dt;
        let now = self.now;
        let fresh = self.points.back().is_none_or(|[last, _]| now - last >= 0.9 / Self::PACE);
        if let Some(report) = session.report(self.effector).filter(|report| fresh && report.error.is_finite()) {
            self.points.push_back([now, report.error]);
        }
        // One point before the span stays, so that the curve reaches its left end.
        while self.points.get(1).is_some_and(|[time, _]| now - time > Self::SPAN) {
            self.points.pop_front();
        }
    }

    /// Seconds of motion up to now (0 or below) and error, of the reach.
    pub fn points(&self) -> impl ExactSizeIterator<Item = [f64; 2]> + '_ {
        self.points.iter().map(|[time, error]| [time - self.now, *error])
    }
}

/// Scenes of more joints are not solved a second time for a curve.
const MOST_JOINTS: usize = 2000;

/// The error of the selected effector's figure after each iteration of its last solve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convergence {
    errors: Vec<f64>,
    /// Whether they belong to the session as it stands.
    fresh: bool,
}

impl Convergence {
    /// The session has been told something: another solve may be the last one.
    pub(super) fn forget(&mut self) {
        self.fresh = false;
    }

    /// Records it anew once all has come to rest.
    pub(super) fn keep_up(&mut self, session: &Session) {
        if session.is_moving() && session.lesson().is_none() {
            self.forget();
        } else if !self.fresh {
            self.fresh = true;
            let records = session.scene().skeleton.len() <= MOST_JOINTS;
            self.errors = if records { session.convergence().unwrap_or_default() } else { Vec::new() };
        }
    }

    /// Of the reach; the first before all iterations.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }
}
