//! The normal matrix of a step, `J J^T + d I`, and the solution of its system.
//!
//! The matrix has a block of three rows for the position, one for the orientation, and one that mixes them. Blocks have
//! fixed sizes, so that all their numbers stay in registers.

use super::arm::{IGNORED, OPEN};
use crate::simd::real::{Number, Real};
use crate::simd::vector::{Vector, dot_add, scaled_add, times};

/// A symmetric matrix of three rows: the entries 00, 10, 11, 20, 21, 22.
type Symmetric<R> = [R; 6];

/// A vector with a part for the position and one for the orientation.
pub(super) type Parts<R> = [Vector<R>; 2];

/// The matrix under construction. A block is used only if that part of the target counts.
pub(super) struct Normal<R, const W: usize> {
    position: Symmetric<R>,
    orientation: Symmetric<R>,
    /// Rows: orientation. Columns: position.
    mixed: [Vector<R>; 3],
}

impl<R: Real<W>, const W: usize> Normal<R, W> {
    /// The matrix with this number on its diagonal.
    pub fn diagonal(zero: R, number: R) -> Self {
        let block = [number, zero, number, zero, zero, number];
        Normal { position: block, orientation: block, mixed: [[zero; 3]; 3] }
    }

    /// Adds 1 along the directions that the target leaves open, so that the solution has no part in them: along the axes with
    /// 0 in `fixed`, and along `axis`.
    #[inline(always)]
    pub fn add_open<const P: u8, const O: u8>(&mut self, one: R, fixed: &Vector<R>, axis: &Vector<R>) {
        if P == OPEN {
            for (at, fixed) in [0, 2, 5].into_iter().zip(fixed) {
                self.position[at] += one - *fixed;
            }
        }
        if O == OPEN {
            add_square(&mut self.orientation, axis);
        }
    }

    /// Adds `column * column^T`.
    #[inline(always)]
    pub fn add<const P: u8, const O: u8>(&mut self, [position, orientation]: &Parts<R>) {
        if P != IGNORED {
            add_square(&mut self.position, position);
        }
        if O != IGNORED {
            add_square(&mut self.orientation, orientation);
        }
        if P != IGNORED && O != IGNORED {
            for (row, factor) in self.mixed.iter_mut().zip(orientation) {
                *row = scaled_add(*position, *factor, *row);
            }
        }
    }

    /// The solution for this right side.
    ///
    /// With both blocks, the position is eliminated first. With the factors `L D L^T` of its block and `w` the mixed block
    /// times `L^-T`, the orientation is left with the block `c - w D^-1 w^T`.
    #[inline(always)]
    pub fn solve<const P: u8, const O: u8>(&self, simd: R::Token, [position, orientation]: &Parts<R>) -> Parts<R> {
        let zero = [R::constant(simd, 0.0); 3];
        if O == IGNORED {
            return [Factors::of(simd, &self.position).solve(*position), zero];
        }
        if P == IGNORED {
            return [zero, Factors::of(simd, &self.orientation).solve(*orientation)];
        }
        let factors = Factors::of(simd, &self.position);
        let first = factors.forward(*position);
        let w = [factors.forward(self.mixed[0]), factors.forward(self.mixed[1]), factors.forward(self.mixed[2])];
        let scaled = [times(w[0], factors.inverse), times(w[1], factors.inverse), times(w[2], factors.inverse)];
        let c = &self.orientation;
        let left = [
            minus(scaled[0], w[0], c[0]),
            minus(scaled[1], w[0], c[1]),
            minus(scaled[1], w[1], c[2]),
            minus(scaled[2], w[0], c[3]),
            minus(scaled[2], w[1], c[4]),
            minus(scaled[2], w[2], c[5]),
        ];
        let rest = [
            minus(scaled[0], first, orientation[0]),
            minus(scaled[1], first, orientation[1]),
            minus(scaled[2], first, orientation[2]),
        ];
        let turn = Factors::of(simd, &left).solve(rest);
        let first = times(first, factors.inverse);
        let first = [
            minus([scaled[0][0], scaled[1][0], scaled[2][0]], turn, first[0]),
            minus([scaled[0][1], scaled[1][1], scaled[2][1]], turn, first[1]),
            minus([scaled[0][2], scaled[1][2], scaled[2][2]], turn, first[2]),
        ];
        [factors.backward(first), turn]
    }
}

/// A term minus a dot product.
#[inline(always)]
fn minus<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>, from: R) -> R {
    a[2].neg_mul_add(b[2], a[1].neg_mul_add(b[1], a[0].neg_mul_add(b[0], from)))
}

/// Adds `v * v^T`.
#[inline(always)]
fn add_square<R: Real<W>, const W: usize>(matrix: &mut Symmetric<R>, v: &Vector<R>) {
    *matrix = [
        v[0].mul_add(v[0], matrix[0]),
        v[1].mul_add(v[0], matrix[1]),
        v[1].mul_add(v[1], matrix[2]),
        v[2].mul_add(v[0], matrix[3]),
        v[2].mul_add(v[1], matrix[4]),
        v[2].mul_add(v[2], matrix[5]),
    ];
}

/// The dot product of the parts that count, plus a term.
#[inline(always)]
pub(super) fn dot_parts<R: Real<W>, const W: usize, const P: u8, const O: u8>(
    a: &Parts<R>,
    b: &Parts<R>,
    term: R,
) -> R {
    let sum = if P != IGNORED { dot_add(a[0], b[0], term) } else { term };
    if O != IGNORED { dot_add(a[1], b[1], sum) } else { sum }
}

/// The factors `L D L^T` of a symmetric matrix of three rows: the inverse of the diagonal `D`, and the entries 10, 20 and 21
/// of `L`, whose diagonal is one. They need no square roots.
struct Factors<R, const W: usize> {
    inverse: Vector<R>,
    lower: Vector<R>,
}

impl<R: Real<W>, const W: usize> Factors<R, W> {
    #[inline(always)]
    fn of(simd: R::Token, [a00, a10, a11, a20, a21, a22]: &Symmetric<R>) -> Self {
        let (one, least) = (R::constant(simd, 1.0), R::Number::LEAST_PIVOT);
        let first = one / a00.at_least(least);
        let (l10, l20) = (*a10 * first, *a20 * first);
        let second = one / l10.neg_mul_add(*a10, *a11).at_least(least);
        let left = l20.neg_mul_add(*a10, *a21);
        let l21 = left * second;
        let third = one / l21.neg_mul_add(left, l20.neg_mul_add(*a20, *a22)).at_least(least);
        Factors { inverse: [first, second, third], lower: [l10, l20, l21] }
    }

    /// The solution for this right side.
    #[inline(always)]
    fn solve(&self, v: Vector<R>) -> Vector<R> {
        self.backward(times(self.forward(v), self.inverse))
    }

    /// `L^-1 v`.
    #[inline(always)]
    fn forward(&self, [x, y, z]: Vector<R>) -> Vector<R> {
        let [l10, l20, l21] = self.lower;
        let y = l10.neg_mul_add(x, y);
        [x, y, l21.neg_mul_add(y, l20.neg_mul_add(x, z))]
    }

    /// `L^-T v`.
    #[inline(always)]
    fn backward(&self, [x, y, z]: Vector<R>) -> Vector<R> {
        let [l10, l20, l21] = self.lower;
        let y = l21.neg_mul_add(z, y);
        [l20.neg_mul_add(z, l10.neg_mul_add(y, x)), y, z]
    }
}
