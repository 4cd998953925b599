//! Looks, while a drag comes back, for a pose with less turning than it has gathered on its way.
//!
//! A body that has gone down with a hand and comes up again still squats, since the step of least turning never stands up. The
//! figure solves again from the pose in which the drag began, and goes where the same targets would have led it directly, as it
//! always does once they rest.

use super::effector_state::EffectorState;
use super::frame_budget::Leader;
use super::poses::Poses;
use fabrik3d_ik::figures::{Figure, Figures};
use fabrik3d_ik::{Isometry, Report, Settings};
use fabrik3d_scene::Scene;

/// A figure is on its way back nearer to where the drag began than this part of the farthest distance. It looks once in so many
/// seconds, since that takes up to 20 ms. Test: `a_body_comes_up_with_the_hand`.
const WAY_BACK: f64 = 0.8;
const INTERVAL: f64 = 0.3;

/// What a figure knows about a drag and the turning that may be shed.
#[derive(Clone, Debug, Default)]
pub(super) struct Shedding {
    /// Whether a drag may have turned it more than its targets need.
    may_shed: bool,
    /// Whether it has gone to a pose with less turning in this frame.
    has_shed: bool,
    /// Seconds since it looked last.
    since: f64,
    /// How far its targets have been from where its effectors were when the drag began.
    farthest: f64,
}

impl Shedding {
    /// The targets have moved continuously.
    pub fn glide(&mut self, leader: Leader) {
        self.may_shed = matches!(leader, Leader::Pointer | Leader::Smooth);
    }

    /// The drag is over.
    pub fn end(&mut self) {
        *self = Shedding::default();
    }

    /// A frame of `dt` seconds begins.
    pub fn advance(&mut self, dt: f64) {
        self.since += dt;
    }

    /// Whether the figure has gone to a pose with less turning in this frame.
    pub fn take_shed(&mut self) -> bool {
        std::mem::take(&mut self.has_shed)
    }

    /// Looks, on the way back, for a pose with less turning that meets the targets as well. Returns the report of one that was
    /// found. `at` is the number of the figure.
    pub fn look(
        &mut self,
        (at, figure): (usize, &Figure),
        (scene, settings): (&Scene, &Settings),
        effectors: &[EffectorState],
        poses: &mut Poses,
        figures: &mut Figures,
    ) -> Option<Report> {
        let Poses { solved, grabbed, .. } = poses;
        let away = |&goal: &usize| {
            let effector = scene.effectors[goal].effector;
            let frame = scene.skeleton.frame_of(Isometry::IDENTITY, grabbed, effector.joint);
            Some(effectors[goal].required().position?.distance(frame.point(effector.tip)))
        };
        let away = figure.goals().iter().filter_map(away).fold(0.0, f64::max);
        self.farthest = self.farthest.max(away);
        let comes_back = away < WAY_BACK * self.farthest;
        if !self.may_shed || !comes_back || self.since <= INTERVAL {
            return None;
        }
        self.since = 0.0;
        let report = figures.shed_turning(at, settings, grabbed, solved);
        self.has_shed = report.is_some();
        report
    }
}
