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
        for row in 0..rows {
            self.normal[row * rows + row] += DAMPING;
        }
        if !solve_positive(&mut self.normal, &mut self.dual) {
            return false;
        }
        for (variable, out) in out.iter_mut().enumerate() {
            let along: f64 = self.column(variable).iter().zip(&self.dual).map(|(entry, dual)| entry * dual).sum();
            *out = if compliance[variable] > 0.0 { wish[variable] + compliance[variable] * along } else { 0.0 };
        }
        out.iter().all(|step| step.is_finite())
    }
}
