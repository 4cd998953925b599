//! Corrections of the coordinates of a serial arm: [steps](crate::step) of least length.

use super::arm::SerialArm;
use crate::model::target::Target;
use crate::step::{Step, Terms};
use glam::DVec3;

/// The distance of the tip from a target, relative to the arm's size, and the angle to its orientation in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Residual {
    pub distance: f64,
    pub angle: f64,
}

impl Residual {
    /// Distance and angle in one number.
    pub fn size(self) -> f64 {
        self.distance.hypot(self.angle)
    }
}

/// Damping of the normal equations: too small to slow a step down, large enough to keep singular ones solvable.
const DAMPING: f64 = 1e-12;
/// Damping added per squared error: far from the target it keeps steps short.
const DAMPING_PER_ERROR: f64 = 0.02;
/// Steps toward targets, with their buffers. Columns are in radians, or in fractions of the arm's size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corrector {
    lines: Vec<(DVec3, DVec3)>,
    /// Three rows for the position, relative to the arm's size, and three for the orientation.
    residuals: Vec<f64>,
    step: Step,
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
    /// `(step - reference)^2 / compliance` is least. `None` if there is no such step.
    pub fn step(&mut self, compliance: &[f64], reference: &[f64]) -> Option<&[f64]> {
        self.step.release(compliance.len());
        self.step.reference.clear();
        self.step.reference.extend_from_slice(reference);
        let damping = self.damping();
        let terms = Terms { residuals: &self.residuals, compliance, damping, longest: f64::INFINITY };
        let taken = self.step.take(&terms, |_| false);
        self.step.reference.clear();
        Some(&self.step.values[..]).filter(|step| taken && step.iter().all(|step| step.is_finite()))
    }

    fn damping(&self) -> f64 {
        let squared: f64 = self.residuals.iter().map(|entry| entry * entry).sum();
        DAMPING + DAMPING_PER_ERROR * squared
    }
}
