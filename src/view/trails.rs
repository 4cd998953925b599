//! The recent positions of effectors.

use crate::session::{Playback, Session};
use glam::DVec3;
use std::collections::VecDeque;

/// Most points of a trail.
const MAX_POINTS: usize = 240;
/// Seconds that a trail covers while a recording plays.
const RECORDING_SECONDS: f64 = 1.5;
/// Of more effectors, only the selected one has a trail: ten trails would cover two hands.
const MAX_TRAILS: usize = 6;
/// Distance between points, in units of the effector's size.
const SPACING: f64 = 2e-3;

/// For each effector, its past positions with their session times.
#[derive(Clone, Debug)]
pub(super) struct Trails(Vec<VecDeque<(f64, DVec3)>>);

impl Trails {
    /// Empty trails for this number of effectors.
    pub fn new(effectors: usize) -> Self {
        Trails(vec![VecDeque::new(); effectors])
    }

    /// Adapts to a new number of effectors.
    pub fn resize(&mut self, effectors: usize) {
        self.0.resize(effectors, VecDeque::new());
    }

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
        let plays = session.motion().is_some_and(Playback::is_engaged);
        let is_alone = plays || self.0.len() > MAX_TRAILS;
        for (effector, trail) in self.0.iter_mut().enumerate() {
            if is_alone && effector != session.selected() {
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
