//! One step of damped least squares that keeps limits: the only one in scalar form. Refinement takes it, and with it
//! everything that refines: relaxing, returning home, spreading, poles. Corrections of serial arms take it too, for nearest
//! poses and paths. The lanes take the same step for many arms at once (`simd/arms/step.rs`); `simd/arms/step_tests.rs`
//! compares the two.
//!
//! With the residuals `r`, their Jacobian `J`, the compliances on the diagonal of `C` and a reference step `w`, the step is the `dx`
//! for which `|J dx + r|^2 + d (dx - w)^T C^-1 (dx - w)` is least, where `d` is the damping:
//!
//! `dx = w + C J^T (J C J^T + d I)^-1 (-r - J w)`
//!
//! So of all steps that do the same for the residuals, that with the least way from the reference is taken, weighted by `1 / C`.
//! Coordinates that would leave their limits are clamped, and their columns are pinned to the clamped step; then the rest
//! is solved again. A pinned column has that step for its reference and the compliance 0.
//!
//! With more residuals than free columns, the same step comes from the smaller system `(S J^T J S + d I) z = S J^T (-r - J w)`,
//! `dx = w + S z`, where `S` is the square root of `C`.

use crate::layout::make_room;
use crate::linear::{add_square, dot, largest_of, mirror, solve_positive};
use crate::methods::Force;
use crate::model::{Interrupt, Interval};
use std::array::from_fn;

/// Largest number of rounds of clamping and solving again in one step.
const MAX_CLAMP_ROUNDS: usize = 4;

/// A Jacobian: one row per residual, one column per coordinate. Column-major.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub rows: usize,
    /// `rows` entries per column.
    pub values: Vec<f64>,
}

impl Columns {
    /// Sets all entries of a matrix of this size to 0.
    pub fn reset(&mut self, rows: usize, columns: usize) {
        self.rows = rows;
        self.values.clear();
        self.values.resize(rows * columns, 0.0);
    }

    pub fn column(&self, k: usize) -> &[f64] {
        &self.values[k * self.rows..(k + 1) * self.rows]
    }

    pub fn column_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.values[k * self.rows..(k + 1) * self.rows]
    }

    pub fn two_columns(&mut self, k: usize) -> (&mut [f64], &mut [f64]) {
        self.values[k * self.rows..(k + 2) * self.rows].split_at_mut(self.rows)
    }
}

/// What a step depends on besides the Jacobian, the reference step and the pinned columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    /// One entry per row.
    pub residuals: &'a [f64],
    /// One entry per column.
    pub compliance: &'a [f64],
    pub damping: f64,
    /// Largest change of a coordinate that turns: longer turns are shortened alike.
    pub longest: f64,
    /// The columns that slide, ascending. Residuals are linear in them, so that no step of theirs is too long.
    pub slides: &'a [usize],
}

/// The step, and the buffers of its system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    pub jacobian: Columns,
    /// One entry per column: its step where no residual asks for another one. Empty: all 0.
    pub reference: Vec<f64>,
    /// The steps of the columns that are pinned before the step is solved.
    pub held: Vec<Option<f64>>,
    /// The same during the rounds of clamping.
    pub pinned: Vec<Option<f64>>,
    /// The solution, one entry per column.
    pub values: Vec<f64>,
    /// The matrix of the system, row by row.
    normal: Vec<f64>,
    /// One entry per residual: the right-hand side, then the solution of the system with one row per residual.
    dual: Vec<f64>,
    /// The columns that are free, if the system has one row for each of them.
    free: Vec<usize>,
    /// Ends steps early: with thousands of residuals, one of them takes seconds.
    pub interrupt: Interrupt,
    /// The systems that have been solved so far, modulo 2^32: most of the work of a refinement.
    pub solved: u32,
}

impl Step {
    /// Makes room for a Jacobian of this size.
    pub fn reserve(&mut self, rows: usize, columns: usize) {
        make_room(&mut self.jacobian.values, rows * columns);
        make_room(&mut self.reference, columns);
        make_room(&mut self.held, columns);
        make_room(&mut self.pinned, columns);
        make_room(&mut self.values, columns);
        make_room(&mut self.free, columns);
        make_room(&mut self.dual, rows);
        make_room(&mut self.normal, rows.min(columns).pow(2));
    }

    /// Pins no column of this number of columns.
    pub fn release(&mut self, columns: usize) {
        self.held.clear();
        self.held.resize(columns, None);
    }

    /// Solves for the step and takes it with `advance`, which clamps coordinates, pins their columns and says whether a
    /// limit stopped one; then the rest is solved again. Returns false if no step could be solved for.
    pub fn take(&mut self, terms: &Terms, mut advance: impl FnMut(&mut Step) -> bool) -> bool {
        self.pinned.clone_from(&self.held);
        for round in 0..MAX_CLAMP_ROUNDS {
            if !self.solve(terms) {
                return round > 0;
            }
            self.shorten(terms);
            if !advance(self) {
                break;
            }
        }
        true
    }

    /// Shortens a step whose turns are too long. What slides makes up for the rest.
    fn shorten(&mut self, terms: &Terms) {
        let turns = |k: &usize| terms.slides.binary_search(k).is_err();
        let longest = match terms.slides {
            [] => largest_of(&self.values),
            _ => (0..self.values.len()).filter(turns).map(|k| self.values[k].abs()).fold(0.0, f64::max),
        };
        if longest <= terms.longest {
            return;
        }
        self.values.iter_mut().for_each(|part| *part *= terms.longest / longest);
        if terms.slides.iter().any(|&k| self.pinned[k].is_none()) {
            (0..self.values.len()).filter(turns).for_each(|k| self.pinned[k] = Some(self.values[k]));
            if !self.solve(terms) {
                self.values.clear();
                self.values.extend(self.pinned.iter().map(|pinned| pinned.unwrap_or_default()));
            }
        }
    }

    /// Solves for the step without its limits, with the pinned columns at their steps. Returns false if the matrix is not
    /// positive definite or not finite.
    fn solve(&mut self, terms: &Terms) -> bool {
        self.solved = self.solved.wrapping_add(1);
        self.dual.clear();
        self.dual.extend(terms.residuals.iter().map(|row| -row));
        for (k, pinned) in self.pinned.iter().enumerate() {
            let step = pinned.or_else(|| self.reference.get(k).copied()).unwrap_or_default();
            if step != 0.0 {
                let column = self.jacobian.column(k);
                self.dual.iter_mut().zip(column).for_each(|(dual, value)| *dual -= value * step);
            }
        }
        match self.jacobian.rows {
            rows if rows > self.pinned.len() => self.solve_by_columns(terms),
            // A position, and a position with an orientation.
            3 => self.solve_by_few_rows::<3>(terms),
            6 => self.solve_by_few_rows::<6>(terms),
            _ => self.solve_by_rows(terms),
        }
    }

    /// The system with one row per residual, of which there are `M`.
    fn solve_by_few_rows<const M: usize>(&mut self, terms: &Terms) -> bool {
        let (columns, _) = self.jacobian.values.as_chunks::<M>();
        let weights = || self.pinned.iter().zip(terms.compliance);
        let mut normal: [[f64; M]; M] = from_fn(|i| from_fn(|j| if i == j { terms.damping } else { 0.0 }));
        for (column, (_, weight)) in columns.iter().zip(weights()).filter(|(_, (pinned, _))| pinned.is_none()) {
            for i in 0..M {
                let value = column[i] * weight;
                (i..M).for_each(|j| normal[i][j] += value * column[j]);
            }
        }
        let mut dual: [f64; M] = from_fn(|i| self.dual[i]);
        if !solve_positive(normal.as_flattened_mut(), &mut dual, || false) {
            return false;
        }
        self.values.clear();
        self.values.extend(columns.iter().zip(weights()).enumerate().map(|(k, (column, (pinned, weight)))| {
            pinned.unwrap_or_else(|| with_reference(&self.reference, k, weight * dot(column, &dual)))
        }));
        true
    }

    /// The system with one row per residual.
    fn solve_by_rows(&mut self, terms: &Terms) -> bool {
        let Terms { compliance, damping, .. } = *terms;
        let m = self.jacobian.rows;
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for (k, _) in self.pinned.iter().enumerate().filter(|(_, pinned)| pinned.is_none()) {
            if self.interrupt.is_requested() {
                return false;
            }
            add_square(&mut self.normal, self.jacobian.column(k), compliance[k]);
        }
        for i in 0..m {
            self.normal[i * m + i] += damping;
        }
        if !solve_positive(&mut self.normal, &mut self.dual, || self.interrupt.is_requested()) {
            return false;
        }
        self.values.clear();
        for (k, pinned) in self.pinned.iter().enumerate() {
            let step = || with_reference(&self.reference, k, compliance[k] * dot(self.jacobian.column(k), &self.dual));
            self.values.push(pinned.unwrap_or_else(step));
        }
        true
    }

    /// The system with one row per free column.
    fn solve_by_columns(&mut self, terms: &Terms) -> bool {
        let Terms { compliance, damping, .. } = *terms;
        self.free.clear();
        self.free.extend((0..self.pinned.len()).filter(|&k| self.pinned[k].is_none()));
        let n = self.free.len();
        self.normal.clear();
        self.normal.resize(n * n, 0.0);
        self.values.clear();
        for (i, &k) in self.free.iter().enumerate() {
            if self.interrupt.is_requested() {
                return false;
            }
            let (column, scale) = (self.jacobian.column(k), compliance[k].sqrt());
            for (j, &l) in self.free[..=i].iter().enumerate() {
                self.normal[j * n + i] = scale * compliance[l].sqrt() * dot(column, self.jacobian.column(l));
            }
            self.normal[i * n + i] += damping;
            self.values.push(scale * dot(column, &self.dual));
        }
        if !solve_positive(&mut self.normal, &mut self.values, || self.interrupt.is_requested()) {
            return false;
        }
        // From the last column to the first, so that no entry is overwritten before it is read.
        self.values.resize(self.pinned.len(), 0.0);
        let mut left = n;
        for k in (0..self.pinned.len()).rev() {
            self.values[k] = self.pinned[k].unwrap_or_else(|| {
                left -= 1;
                with_reference(&self.reference, k, compliance[k].sqrt() * self.values[left])
            });
        }
        true
    }

    /// The step `dx = J^T f` along the [force](Force) of a Jacobian method. No column is pinned.
    pub fn take_force(&mut self, errors: &[f64], force: Force, longest: f64) {
        let (m, columns) = (self.jacobian.rows, self.held.len());
        errors.clone_into(&mut self.dual);
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for k in 0..columns {
            add_square(&mut self.normal, self.jacobian.column(k), 1.0);
        }
        mirror(&mut self.normal, m);
        force(&mut self.normal, &mut self.dual);
        self.values.clear();
        self.values.extend((0..columns).map(|k| dot(self.jacobian.column(k), &self.dual)));
        let own = largest_of(&self.values).max(longest);
        self.values.iter_mut().for_each(|part| *part *= longest / own);
        self.pinned.clone_from(&self.held);
    }

    /// The value of a coordinate after its step, inside its range. `unit` is its change per unit of column `k`. The second
    /// part says whether the range stopped it; its column is then pinned.
    pub fn inside(&mut self, k: usize, now: f64, range: Option<Interval>, unit: f64) -> (f64, bool) {
        let value = now + self.values[k] * unit;
        let inside = range.map_or(value, |range| range.clamp(value));
        (inside, inside != value && self.pin(k, (inside - now) / unit))
    }

    /// Pins column `k` at `step`. Returns false if it is pinned already.
    pub fn pin(&mut self, k: usize, step: f64) -> bool {
        let free = self.pinned[k].is_none();
        if free {
            self.pinned[k] = Some(step);
        }
        free
    }

    /// The derivative of half the cost by column `k`.
    pub fn slope(&self, k: usize, residuals: &[f64]) -> f64 {
        dot(self.jacobian.column(k), residuals)
    }
}

/// What the residuals ask of column `k`, added to its reference step.
fn with_reference(reference: &[f64], k: usize, step: f64) -> f64 {
    reference.get(k).map_or(step, |reference| step + reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn all_systems_give_the_same_step() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let (rows, columns) = (1 + random.index(12), 1 + random.index(12));
            let mut numbers = |count: usize| (0..count).map(|_| random.range(-1.0, 1.0)).collect::<Vec<f64>>();
            let jacobian = Columns { rows, values: numbers(rows * columns) };
            let residuals = numbers(rows);
            let reference = numbers(columns);
            let pinned: Vec<Option<f64>> =
                numbers(columns).into_iter().map(|x| (x > 0.2).then_some(if x > 0.6 { 0.0 } else { x })).collect();
            // Some joints do not move at all.
            let compliance: Vec<f64> = numbers(columns).into_iter().map(|x| x.max(0.0)).collect();
            let terms =
                Terms { residuals: &[], compliance: &compliance, damping: 1e-2, longest: f64::INFINITY, slides: &[] };
            let few = match rows {
                3 => Step::solve_by_few_rows::<3>,
                6 => Step::solve_by_few_rows::<6>,
                _ => Step::solve_by_rows,
            };
            let steps = [Step::solve_by_rows, Step::solve_by_columns, few].map(|solve| {
                let mut step = Step { jacobian: jacobian.clone(), pinned: pinned.clone(), ..Step::default() };
                step.reference.clone_from(&reference);
                step.dual.clone_from(&residuals);
                assert!(solve(&mut step, &terms));
                step.values
            });
            for (a, b) in steps[1..].iter().flat_map(|other| steps[0].iter().zip(other)) {
                assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{steps:?}");
            }
        }
    }
}
