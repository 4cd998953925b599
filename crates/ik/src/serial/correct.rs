//! Corrections of the coordinates of a serial arm: Newton steps of least length, inside the limits.

use super::arm::SerialArm;
use crate::linear::{add_square, solve_positive};
use crate::model::problem::Target;
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
        3 * (usize::from(self.target.position.is_some()) + usize::from(self.target.rotation.is_some()))
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

/// Steps toward targets, with their buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corrector {
    lines: Vec<(DVec3, DVec3)>,
    /// One column of the Jacobian per variable, as many entries as there are rows; lengths relative to the arm's size.
    columns: Vec<f64>,
    error: [f64; 6],
    rows: usize,
    normal: Vec<f64>,
    dual: Vec<f64>,
    compliance: Vec<f64>,
    wish: Vec<f64>,
    step: Vec<f64>,
}

impl Corrector {
    /// Computes residual and Jacobian at `coordinates`.
    pub fn evaluate(&mut self, arm: &SerialArm, target: &Target, coordinates: &[f64]) -> Residual {
        let at = arm.forward(coordinates, &mut self.lines);
        let shift = target.position.map(|position| (position - at.position) / arm.size);
        let turn = target.rotation.map(|rotation| {
            let turn = rotation * at.rotation.conjugate();
            // Twice the sine of half the angle: nearly the angle, without an arc sine.
            turn.xyz() * (2.0 * 1_f64.copysign(turn.w))
        });
        self.rows = 0;
        for part in [shift, turn].into_iter().flatten() {
            self.error[self.rows..self.rows + 3].copy_from_slice(&part.to_array());
            self.rows += 3;
        }
        self.columns.clear();
        self.columns.resize(self.rows * arm.variables.len(), 0.0);
        for (axis, &(direction, point)) in arm.axes.iter().zip(&self.lines) {
            let column = &mut self.columns[axis.variable * self.rows..][..self.rows];
            let (velocity, angular) = match axis.slides {
                true => (direction, DVec3::ZERO),
                false => (direction.cross(at.position - point), direction),
            };
            let parts = [shift.map(|_| velocity / arm.size), turn.map(|_| angular)];
            for (entries, part) in column.chunks_exact_mut(3).zip(parts.into_iter().flatten()) {
                entries.iter_mut().zip(part.to_array()).for_each(|(entry, value)| *entry += value * axis.scale);
            }
        }
        let angle = turn.map_or(0.0, |turn| 2.0 * (0.5 * turn.length()).min(1.0).asin());
        Residual { distance: shift.map_or(0.0, DVec3::length), angle }
    }

    /// The Jacobian's column of a variable at the last evaluated coordinates.
    fn column(&self, variable: usize) -> &[f64] {
        &self.columns[variable * self.rows..][..self.rows]
    }

    /// The step to the target, to first order, for which the sum of `(step - wish)^2 / compliance` is least. Variables with
    /// a compliance of 0 do not move. Returns false if there is no such step.
    ///
    /// With the compliances on the diagonal of `C`: `step = wish + C J^T (J C J^T)^-1 (e - J wish)`.
    pub fn step(&mut self, compliance: &[f64], wish: &[f64], out: &mut [f64]) -> bool {
        let rows = self.rows;
        self.normal.clear();
        self.normal.resize(rows * rows, 0.0);
        self.dual.clear();
        self.dual.extend_from_slice(&self.error[..rows]);
        for (column, (&compliance, &wish)) in self.columns.chunks_exact(rows).zip(compliance.iter().zip(wish)) {
            if compliance > 0.0 {
                add_square(&mut self.normal, column, compliance);
                self.dual.iter_mut().zip(column).for_each(|(rest, entry)| *rest -= entry * wish);
            }
        }
        let squared: f64 = self.error[..rows].iter().map(|entry| entry * entry).sum();
        for row in 0..rows {
            self.normal[row * rows + row] += DAMPING + DAMPING_PER_ERROR * squared;
        }
        if !solve_positive(&mut self.normal, &mut self.dual, || false) {
            return false;
        }
        for (variable, out) in out.iter_mut().enumerate() {
            let along: f64 = self.column(variable).iter().zip(&self.dual).map(|(entry, dual)| entry * dual).sum();
            *out = if compliance[variable] > 0.0 { wish[variable] + compliance[variable] * along } else { 0.0 };
        }
        out.iter().all(|step| step.is_finite())
    }

    /// Moves `coordinates` inside the limits until they meet the request, next to where they are. Returns the residual
    /// that is left.
    pub fn reach(&mut self, arm: &SerialArm, request: &Request, coordinates: &mut [f64]) -> Residual {
        let tight = Request { distance: MARGIN * request.distance, angle: MARGIN * request.angle, ..*request };
        let mut residual = self.evaluate(arm, &request.target, coordinates);
        let (mut stalled, mut wish) = (0, std::mem::take(&mut self.wish));
        wish.clear();
        wish.resize(coordinates.len(), 0.0);
        for _ in 0..MOST_STEPS {
            if residual.meets(&tight) || !self.step_inside(arm, &wish, coordinates) {
                break;
            }
            let before = residual.size();
            residual = self.evaluate(arm, &request.target, coordinates);
            stalled += usize::from(residual.size() > STALLED * before);
            if stalled > MOST_STALLED || (residual.meets(request) && residual.size() >= before) {
                break;
            }
        }
        self.wish = wish;
        residual
    }

    /// Follows a target that has moved a little. What it leaves free moves toward the middle of the ranges by the fraction
    /// `centering` of the distance. Returns whether the target is met.
    pub fn track(&mut self, arm: &SerialArm, request: &Request, centering: f64, coordinates: &mut [f64]) -> bool {
        if centering > 0.0 && coordinates.len() > request.rows() {
            self.evaluate(arm, &request.target, coordinates);
            let toward = |at: usize| arm.ranges[at].map_or(0.0, |range| centering * (range.middle() - coordinates[at]));
            let wish: Vec<f64> = (0..coordinates.len()).map(toward).collect();
            self.step_inside(arm, &wish, coordinates);
        }
        self.reach(arm, request, coordinates).meets(request)
    }

    /// One step from the last evaluated coordinates. Variables at a limit that the step would leave keep still.
    fn step_inside(&mut self, arm: &SerialArm, wish: &[f64], coordinates: &mut [f64]) -> bool {
        let (mut compliance, mut step) = (std::mem::take(&mut self.compliance), std::mem::take(&mut self.step));
        compliance.clear();
        compliance.extend((0..coordinates.len()).map(|at| arm.unit(at).powi(2)));
        step.clear();
        step.resize(coordinates.len(), 0.0);
        let mut taken = self.step(&compliance, wish, &mut step);
        // Each round locks at least one more variable.
        while taken {
            let outward = |&at: &usize| {
                compliance[at] > 0.0
                    && step[at] != 0.0
                    && arm.ranges[at].is_some_and(|range| match step[at] > 0.0 {
                        true => coordinates[at] >= range.high(),
                        false => coordinates[at] <= range.low(),
                    })
            };
            let Some(at) = (0..coordinates.len()).find(outward) else { break };
            compliance[at] = 0.0;
            taken = self.step(&compliance, wish, &mut step);
        }
        let largest = (0..step.len()).map(|at| (step[at] / arm.unit(at)).abs()).fold(0.0, f64::max);
        let share = if largest > LARGEST_STEP { LARGEST_STEP / largest } else { 1.0 };
        for at in 0..coordinates.len() {
            coordinates[at] = arm.clamp(at, coordinates[at] + share * step[at]);
        }
        (self.compliance, self.step) = (compliance, step);
        taken
    }
}
