//! Corrections of the coordinates of a serial arm: [steps](crate::step) of least length, inside the limits.

use super::arm::SerialArm;
use crate::model::target::Target;
use crate::step::{Step, Terms};
use glam::DVec3;

/// What the effector has to meet: position, orientation or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Request {
    pub target: Target,
    /// Largest distance that counts as reached, relative to the arm's size.
    pub distance: f64,
    /// Largest angle that counts as reached, radians.
    pub angle: f64,
}

impl Request {
    /// Number of equations.
    pub fn rows(&self) -> usize {
        3 * (usize::from(self.target.position.is_some()) + usize::from(self.target.orientation.is_some()))
    }
}

/// The distance of the tip from a target, relative to the arm's size, and the angle to its orientation in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Residual {
    pub distance: f64,
    pub angle: f64,
}

impl Residual {
    /// Whether it is within the tolerances of a request.
    pub fn meets(self, request: &Request) -> bool {
        self.distance <= request.distance && self.angle <= request.angle
    }

    /// Distance and angle in one number.
    pub fn size(self) -> f64 {
        self.distance.hypot(self.angle)
    }
}

/// Damping of the normal equations: too small to slow a step down, large enough to keep singular ones solvable.
const DAMPING: f64 = 1e-12;
/// Damping added per squared error: far from the target it keeps steps short.
const DAMPING_PER_ERROR: f64 = 0.02;
/// Most steps to a target.
const MOST_STEPS: usize = 40;
/// Largest step of a variable, radians or fractions of the arm's size.
const LARGEST_STEP: f64 = 0.7;
/// Steps that leave more than this fraction of the error do not get there.
const STALLED: f64 = 0.9;
/// Number of such steps after which the target counts as missed.
const MOST_STALLED: usize = 4;
/// How far below the tolerances a correction ends: steps near the target are cheap and about square the error.
const MARGIN: f64 = 1e-3;

/// Steps toward targets, with their buffers. Columns are in radians, or in fractions of the arm's size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corrector {
    lines: Vec<(DVec3, DVec3)>,
    /// Three rows for the position, relative to the arm's size, and three for the orientation.
    residuals: Vec<f64>,
    step: Step,
    /// All 1: no variable is stiff.
    compliance: Vec<f64>,
    next: Vec<f64>,
}

impl Corrector {
    /// Computes residual and Jacobian at `coordinates`.
    pub fn evaluate(&mut self, arm: &SerialArm, target: &Target, coordinates: &[f64]) -> Residual {
        let at = arm.forward(coordinates, &mut self.lines);
        let shift = target.position.map(|position| (at.position - position) / arm.size);
        let turn = target.rotation().map(|rotation| {
            let turn = at.rotation * rotation.conjugate();
            // Twice the sine of half the angle: nearly the angle, without an arc sine.
            turn.xyz() * (2.0 * 1_f64.copysign(turn.w))
        });
        self.residuals.clear();
        self.residuals.extend([shift, turn].into_iter().flatten().flat_map(|part| part.to_array()));
        self.step.jacobian.reset(self.residuals.len(), coordinates.len());
        for (axis, &(direction, point)) in arm.axes.iter().zip(&self.lines) {
            let column = self.step.jacobian.column_mut(axis.variable);
            let (velocity, angular) = match axis.slides {
                true => (direction, DVec3::ZERO),
                false => (direction.cross(at.position - point), direction),
            };
            let parts = [shift.map(|_| velocity / arm.size), turn.map(|_| angular)];
            let scale = axis.scale * arm.unit(axis.variable);
            for (entries, part) in column.chunks_exact_mut(3).zip(parts.into_iter().flatten()) {
                entries.iter_mut().zip(part.to_array()).for_each(|(entry, value)| *entry += value * scale);
            }
        }
        let angle = turn.map_or(0.0, |turn| 2.0 * (0.5 * turn.length()).min(1.0).asin());
        Residual { distance: shift.map_or(0.0, DVec3::length), angle }
    }

    /// The step to the target from the last evaluated coordinates, to first order and without limits, for which the sum of
    /// `(step - wish)^2 / compliance` is least. `None` if there is no such step.
    pub fn step(&mut self, compliance: &[f64], wish: &[f64]) -> Option<&[f64]> {
        self.step.release(compliance.len());
        self.step.wish.clear();
        self.step.wish.extend_from_slice(wish);
        let damping = self.damping();
        let terms = Terms { residuals: &self.residuals, compliance, damping, longest: f64::INFINITY };
        let taken = self.step.take(&terms, |_| false);
        self.step.wish.clear();
        Some(&self.step.values[..]).filter(|step| taken && step.iter().all(|step| step.is_finite()))
    }

    fn damping(&self) -> f64 {
        let squared: f64 = self.residuals.iter().map(|entry| entry * entry).sum();
        DAMPING + DAMPING_PER_ERROR * squared
    }

    /// Moves `coordinates` inside the limits until they meet the request, next to where they are. Returns the residual
    /// that is left.
    pub fn reach(&mut self, arm: &SerialArm, request: &Request, coordinates: &mut [f64]) -> Residual {
        let tight = Request { distance: MARGIN * request.distance, angle: MARGIN * request.angle, ..*request };
        let mut residual = self.evaluate(arm, &request.target, coordinates);
        let mut stalled = 0;
        for _ in 0..MOST_STEPS {
            if residual.meets(&tight) || !self.step_inside(arm, coordinates) {
                break;
            }
            let before = residual.size();
            residual = self.evaluate(arm, &request.target, coordinates);
            stalled += usize::from(residual.size() > STALLED * before);
            if stalled > MOST_STALLED || (residual.meets(request) && residual.size() >= before) {
                break;
            }
        }
        residual
    }

    /// Follows a target that has moved a little. What it leaves free moves toward the middle of the ranges by the fraction
    /// `centering` of the distance. Returns whether the target is met.
    pub fn track(&mut self, arm: &SerialArm, request: &Request, centering: f64, coordinates: &mut [f64]) -> bool {
        if centering > 0.0 && coordinates.len() > request.rows() {
            self.evaluate(arm, &request.target, coordinates);
            let toward = |at: usize| {
                arm.ranges[at].map_or(0.0, |range| centering * (range.middle() - coordinates[at]) / arm.unit(at))
            };
            self.step.wish.extend((0..coordinates.len()).map(toward));
            self.step_inside(arm, coordinates);
            self.step.wish.clear();
        }
        self.reach(arm, request, coordinates).meets(request)
    }

    /// One step from the last evaluated coordinates. Returns false if there is none.
    fn step_inside(&mut self, arm: &SerialArm, coordinates: &mut [f64]) -> bool {
        let count = coordinates.len();
        self.compliance.clear();
        self.compliance.resize(count, 1.0);
        self.next.clear();
        self.next.extend_from_slice(coordinates);
        self.step.release(count);
        let (damping, next) = (self.damping(), &mut self.next);
        let terms = Terms { residuals: &self.residuals, compliance: &self.compliance, damping, longest: LARGEST_STEP };
        let taken = self.step.take(&terms, |step| {
            let mut stopped = false;
            for at in 0..count {
                let (value, stops) = step.inside(at, coordinates[at], arm.ranges[at], arm.unit(at));
                next[at] = value;
                stopped |= stops;
            }
            stopped
        });
        coordinates.copy_from_slice(&self.next);
        taken
    }
}
