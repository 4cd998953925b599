//! What is kept of the past: the recent positions of effectors, and the error of the selected one over the last seconds and
//! over the rounds of the last solve.

use crate::session::lesson::{LessonStart, Round};
use crate::session::numbers::FRAME;
use crate::session::{Playback, Session};
use glam::DVec3;
use std::collections::VecDeque;

/// Errors with their times, oldest first. Time advances only while something moves, so that the curve does not creep on
/// with pictures drawn for other reasons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    points: VecDeque<[f64; 2]>,
    /// Seconds of motion so far.
    now: f64,
    /// The effector that they belong to.
    effector: Option<usize>,
}

impl Residuals {
    /// Seconds that are kept.
    pub const SPAN: f64 = 10.0;

    /// Records the error after a tick of `dt` seconds and drops old ones. `moved` is whether anything moved in the tick.
    pub(super) fn record(&mut self, dt: f64, moved: bool, session: &Session) {
        if self.effector != session.selected() {
            *self = Residuals { effector: session.selected(), ..Residuals::default() };
        }
        if !moved {
            return;
        }
        self.now += dt;
        let now = self.now;
        let is_due = self.points.back().is_none_or(|[last, _]| now - last >= 0.9 * FRAME);
        if let Some(report) =
            self.effector.and_then(|at| session.report(at)).filter(|report| is_due && report.error.is_finite())
        {
            self.points.push_back([now, report.error]);
        }
        // One point before the span stays, so that the curve extends to its left end.
        while self.points.get(1).is_some_and(|[time, _]| now - time > Self::SPAN) {
            self.points.pop_front();
        }
    }

    /// Seconds of motion relative to now (0 or negative) and error in units of the reach.
    pub fn points(&self) -> impl ExactSizeIterator<Item = [f64; 2]> + '_ {
        self.points.iter().map(|[time, error]| [time - self.now, *error])
    }
}

/// Scenes with more joints and effectors are not solved a second time for the curve.
const MAX_PARTS: usize = 2000;

/// The rounds of the last solve of the selected effector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convergence {
    /// Where the solve started. A target that is followed is reached in a few iterations from the last pose, which would be
    /// no curve.
    pub start: LessonStart,
    /// The rounds; the first is the start.
    pub rounds: Vec<Round>,
    /// Whether they belong to the present state of the session.
    is_current: bool,
}

impl Convergence {
    /// To be called when the session changes.
    pub(super) fn invalidate(&mut self) {
        self.is_current = false;
    }

    /// Records the errors once everything has come to rest.
    pub(super) fn update(&mut self, session: &Session) {
        if session.is_moving() && session.lesson().is_none() {
            self.invalidate();
            // The last solve is over, and the next one is not complete.
            self.rounds.clear();
        } else if !self.is_current {
            self.is_current = true;
            let is_affordable = session.scene().skeleton.len() + session.targets().len() <= MAX_PARTS;
            let known = is_affordable.then(|| session.convergence()).flatten();
            (self.start, self.rounds) = known.unwrap_or_default();
        }
    }
}

/// Most points of a trail.
const MAX_POINTS: usize = 240;
/// Seconds that a trail covers while a recording plays.
const RECORDING_SECONDS: f64 = 1.5;
/// Of more effectors, only the selected one has a trail: ten trails would cover two hands.
const MAX_TRAILS: usize = 6;
/// Distance between points, in units of the effector's size.
const SPACING: f64 = 2e-3;

/// For each effector, its past positions with their session times.
#[derive(Clone, Debug, Default)]
pub(super) struct Trails(Vec<VecDeque<(f64, DVec3)>>);

impl Trails {
    /// Empties all trails.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(VecDeque::clear);
    }

    /// The positions of each effector, newest last.
    pub fn positions(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = DVec3> + '_> {
        self.0.iter().map(|trail| trail.iter().map(|&(_, position)| position))
    }

    /// Adds the displayed positions. While a recording plays, only the selected effector keeps a short trail, because all
    /// trails together would cover the figure. The same holds for many effectors.
    pub fn record(&mut self, session: &Session) {
        self.0.resize(session.targets().len(), VecDeque::new());
        let plays = session.motion().is_some_and(Playback::is_engaged);
        let is_alone = plays || self.0.len() > MAX_TRAILS;
        for (effector, trail) in self.0.iter_mut().enumerate() {
            if is_alone && Some(effector) != session.selected() {
                trail.clear();
                continue;
            }
            let tip = session.displayed_tip(effector);
            let size = session.scene().effector_size(&session.scene().effectors[effector]);
            let now = session.time();
            if trail.back().is_none_or(|(_, last)| last.distance(tip) > SPACING * size) {
                trail.push_back((now, tip));
                if trail.len() > MAX_POINTS {
                    trail.pop_front();
                }
            }
            while plays && trail.front().is_some_and(|(then, _)| now - then > RECORDING_SECONDS) {
                trail.pop_front();
            }
        }
    }
}
