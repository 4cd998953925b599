//! Looks for a pose with less turning than a drag has gathered on its way.
//!
//! A body that has gone down with a hand and comes up again still squats, since the step of least turning never stands up. The
//! figure solves again from the pose in which the drag began, and goes where the same targets would have led it directly.

use super::effector_state::EffectorState;
use super::frame_budget::Leader;
use super::poses::Poses;
use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::figures::{Figure, Figures};
use fabrik3d_ik::{Isometry, Report, Settings};
use fabrik3d_scene::Scene;

/// Seconds for which the targets of a figure with stiff joints rest before it looks for a pose elsewhere: a pointer pauses on
/// its way. Meanwhile it comes as near to them as it gets without a leap.
pub(super) const PAUSE: f64 = 0.2;
/// A body none of whose joints has turned by more than this since a drag began has nothing to shed, radians. With 0.3,
/// `a_drag_out_and_back_ends_where_it_began` fails.
const LEAST_SHED: f64 = 0.03;
/// On its way back a figure looks before its targets rest: nearer to where the drag began than this part of the farthest
/// distance, and once in so many seconds, since it takes up to 20 ms. Test: `a_body_comes_up_with_the_hand`.
const WAY_BACK: f64 = 0.8;
const INTERVAL: f64 = 0.3;

/// What a figure knows about a drag and the turning that may be shed.
#[derive(Clone, Debug, Default)]
pub(super) struct Shedding {
    /// Whether a drag may have turned it more than its targets need.
    may_shed: bool,
    /// Whether it has gone to a pose with less turning in this frame.
    has_shed: bool,
    /// Seconds since its targets moved last.
    still: f64,
    /// Seconds since it looked last.
    since: f64,
    /// How far its targets have been from where its effectors were when the drag began.
    farthest: f64,
}

impl Shedding {
    /// The targets have moved continuously.
    pub fn glide(&mut self, leader: Leader) {
        self.still = 0.0;
        self.may_shed = matches!(leader, Leader::Pointer | Leader::Smooth);
    }

    /// The targets have jumped.
    pub fn jump(&mut self) {
        *self = Shedding::default();
    }

    /// Whether the figure has to look again in the next frame.
    pub fn goes_on(&self) -> bool {
        self.may_shed
    }

    /// A frame of `dt` seconds begins.
    pub fn advance(&mut self, dt: f64) {
        self.still += dt;
        self.since += dt;
    }

    /// Whether the figure has gone to a pose with less turning in this frame.
    pub fn take_shed(&mut self) -> bool {
        std::mem::take(&mut self.has_shed)
    }

    /// Looks, now or in a later frame, for a pose with less turning that meets the targets as well. Returns the report of one that
    /// was found now. `at` is the number of the figure, `reach` the largest of its effectors.
    pub fn look(
        &mut self,
        (at, figure, reach): (usize, &Figure, f64),
        (scene, settings): (&Scene, &Settings),
        effectors: &[EffectorState],
        poses: &mut Poses,
        figures: &mut Figures,
    ) -> Option<Report> {
        let Poses { solved, grabbed, .. } = poses;
        let turned = || pose_distance(&scene.skeleton, figure.joints(), grabbed, solved, reach);
        if !self.may_shed || turned() < LEAST_SHED {
            (self.may_shed, self.farthest) = (false, 0.0);
            return None;
        }
        let away = |&goal: &usize| {
            let effector = scene.effectors[goal].effector;
            let frame = scene.skeleton.frame_of(Isometry::IDENTITY, grabbed, effector.joint);
            Some(effectors[goal].required().position?.distance(frame.point(effector.tip)))
        };
        let away = figure.goals().iter().filter_map(away).fold(0.0, f64::max);
        self.farthest = self.farthest.max(away);
        let comes_back = away < WAY_BACK * self.farthest && self.since > INTERVAL;
        let rests = self.still > PAUSE;
        if !rests && !comes_back {
            return None;
        }
        (self.may_shed, self.since) = (!rests, 0.0);
        let report = figures.shed_turning(at, settings, grabbed, solved);
        self.has_shed = report.is_some();
        report
    }
}
