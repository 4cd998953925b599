//! FABRIK as published, for chains: what lessons and comparisons show beside the default method.

use super::Chain;
use crate::fabrik::closed_form;
use crate::fabrik::observer::{ObservedPoints, Observer, SolveEvent};
use crate::model::{Report, Settings, Stop};
use glam::DVec3;

/// Smallest relative decrease of the error in one iteration of textbook FABRIK that counts as progress.
const LEAST_PROGRESS: f64 = 1e-10;

/// Consecutive iterations without progress after which textbook FABRIK stops.
const STAGNATION_COUNT: u32 = 16;

impl Chain {
    /// FABRIK as published: exact answers for targets out of reach, then the two passes in a loop.
    ///
    /// The last pose is the best one, because the error never grows. By the triangle inequality, a pass displaces each
    /// joint by no more than the joint before it. So the backward pass displaces the base by no more than the distance
    /// from tip to target, and the forward pass the tip by no more than that. (A straight chain may have to be bent
    /// first; the bent pose counts as the start.)
    pub(super) fn textbook(&mut self, target: DVec3, settings: &Settings, observer: &mut impl Observer) -> Report {
        let tolerance = settings.tolerance.max(self.rounding()) * self.reach;
        if let Some(report) = self.without_iterating(target, tolerance, observer) {
            return report;
        }
        let pole = self.bend_toward();
        if closed_form::leave_line(&mut self.points, &self.lengths, self.reach, target, pole) {
            observer(SolveEvent::Bend, ObservedPoints::world(&self.points));
        }
        let mut error = self.tip().distance(target);
        let mut idle = 0;
        for iterations in 0..settings.max_iterations.get() {
            if error <= tolerance {
                return self.report(Stop::Reached, error, iterations);
            }
            if idle == STAGNATION_COUNT {
                return self.report(Stop::Stalled, error, iterations);
            }
            if settings.interrupt.ends_after(iterations) {
                return self.report(Stop::Interrupted, error, iterations);
            }
            self.reach_backward(target);
            observer(SolveEvent::Backward { target }, ObservedPoints::world(&self.points));
            self.reach_forward(self.base);
            observer(SolveEvent::Forward, ObservedPoints::world(&self.points));
            let last = error;
            error = self.tip().distance(target);
            idle = if error < last * (1.0 - LEAST_PROGRESS) { 0 } else { idle + 1 };
        }
        let stop = if error <= tolerance { Stop::Reached } else { Stop::IterationLimit };
        self.report(stop, error, settings.max_iterations.get())
    }
}
