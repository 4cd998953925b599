//! Where effectors have been.

use crate::session::{Playback, Session};
use glam::DVec3;
use std::collections::VecDeque;

/// Points that a trail keeps.
const MOST: usize = 240;
/// Seconds of it that a trail keeps while a recording plays.
const RECENT: f64 = 1.5;
/// Trails are kept for the first effectors only: of a crowd's hundreds nobody could tell them apart.
const MOST_EFFECTORS: usize = 16;

/// A trail for each effector: its places, and at what time of the session it was there.
#[derive(Clone, Debug)]
pub(super) struct Trails(Vec<VecDeque<(f64, DVec3)>>);

impl Trails {
    /// Empty ones for so many effectors.
    pub fn new(effectors: usize) -> Self {
        Trails(vec![VecDeque::new(); effectors])
    }

    /// Effectors have come or gone.
    pub fn resize(&mut self, effectors: usize) {
        self.0.resize(effectors, VecDeque::new());
    }

    /// All of them begin anew.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(VecDeque::clear);
    }

    /// The places of each, newest last.
    pub fn places(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = DVec3> + '_> {
        self.0.iter().map(|trail| trail.iter().map(|&(_, place)| place))
    }

    /// Notes where the effectors are shown now. A recording goes on and on: amid it the trails of all effectors would
    /// drown the figure.
    pub fn record(&mut self, session: &Session) {
        let recorded = session.motion().is_some_and(Playback::is_engaged);
        for (effector, trail) in self.0.iter_mut().enumerate().take(MOST_EFFECTORS) {
            if recorded && effector != session.selected() {
                trail.clear();
                continue;
            }
            let tip = session.displayed_tip(effector);
            let reach = session.scene().reach(&session.scene().effectors[effector]);
            let now = session.time();
            if trail.back().is_none_or(|(_, last)| last.distance(tip) > 2e-3 * reach) {
                trail.push_back((now, tip));
                if trail.len() > MOST {
                    trail.pop_front();
                }
            }
            while recorded && trail.front().is_some_and(|(then, _)| now - then > RECENT) {
                trail.pop_front();
            }
        }
    }
}
