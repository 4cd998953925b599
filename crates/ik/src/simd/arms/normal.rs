//! The normal matrix of a step, `J J^T + d I`, and the solution of its system.
//!
//! The matrix has a block of three rows for the position, one for the orientation, and one that mixes them. Blocks have
//! fixed sizes, so that all their numbers stay in registers.

use super::demand::{IGNORED, OPEN};
use super::vector::{Vector, dot_add, scaled_add};
use crate::simd::real::{Number, Real};

/// A symmetric matrix of three rows: the entries 00, 10, 11, 20, 21, 22.
type Symmetric<R> = [R; 6];

/// A vector with a part for the position and one for the orientation.
pub(super) type Parts<R> = [Vector<R>; 2];

/// The matrix under construction. A block is used only if that part of the target counts.
pub(super) struct Normal<R> {
    position: Symmetric<R>,
    orientation: Symmetric<R>,
    /// Rows: orientation. Columns: position.
    mixed: [Vector<R>; 3],
}

impl<R: Copy> Normal<R> {
    /// The matrix with this number on its diagonal.
    pub fn diagonal(zero: R, number: R) -> Self {
        let block = [number, zero, number, zero, zero, number];
        Normal { position: block, orientation: block, mixed: [[zero; 3]; 3] }
    }

    /// Adds 1 along the directions that the target leaves open, so that the solution has no part in them: along the axes with
    /// 0 in `fixed`, and along `axis`.
    #[inline(always)]
    pub fn add_open<const W: usize, const P: u8, const O: u8>(&mut self, one: R, fixed: &Vector<R>, axis: &Vector<R>)
    where
        R: Real<W>,
    {
        if P == OPEN {
            for (at, fixed) in [0, 2, 5].into_iter().zip(fixed) {
                self.position[at] = self.position[at] + (one - *fixed);
            }
        }
        if O == OPEN {
            add_square(&mut self.orientation, axis);
        }
    }

    /// Adds `column * column^T`.
    #[inline(always)]
    pub fn add<const W: usize, const P: u8, const O: u8>(&mut self, [position, orientation]: &Parts<R>)
    where
        R: Real<W>,
    {
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
    /// With both blocks, the position is eliminated first. With the Cholesky factor `L` of its block and `w` the mixed
    /// block times `L^-T`, the orientation is left with the block `c - w w^T`.
    #[inline(always)]
    pub fn solve<const W: usize, const P: u8, const O: u8>(
        &self,
        proof: R::Proof,
        [position, orientation]: &Parts<R>,
    ) -> Parts<R>
    where
        R: Real<W>,
    {
        let zero = [R::constant(proof, 0.0); 3];
        if O == IGNORED {
            let factor = Factor::of(proof, &self.position);
            return [factor.backward(factor.forward(*position)), zero];
        }
        if P == IGNORED {
            let factor = Factor::of(proof, &self.orientation);
            return [zero, factor.backward(factor.forward(*orientation))];
        }
        let factor = Factor::of(proof, &self.position);
        let first = factor.forward(*position);
        let w = [factor.forward(self.mixed[0]), factor.forward(self.mixed[1]), factor.forward(self.mixed[2])];
        let c = &self.orientation;
        let left = [
            minus(w[0], w[0], c[0]),
            minus(w[1], w[0], c[1]),
            minus(w[1], w[1], c[2]),
            minus(w[2], w[0], c[3]),
            minus(w[2], w[1], c[4]),
            minus(w[2], w[2], c[5]),
        ];
        let rest = [
            minus(w[0], first, orientation[0]),
            minus(w[1], first, orientation[1]),
            minus(w[2], first, orientation[2]),
        ];
        let own = Factor::of(proof, &left);
        let turn = own.backward(own.forward(rest));
        let first = [
            minus([w[0][0], w[1][0], w[2][0]], turn, first[0]),
            minus([w[0][1], w[1][1], w[2][1]], turn, first[1]),
            minus([w[0][2], w[1][2], w[2][2]], turn, first[2]),
        ];
        [factor.backward(first), turn]
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

/// The Cholesky factor of a symmetric matrix of three rows: the inverses of its diagonal, and the entries 10, 20, 21.
struct Factor<R> {
    inverse: Vector<R>,
    lower: Vector<R>,
}

impl<R: Copy> Factor<R> {
    #[inline(always)]
    fn of<const W: usize>(proof: R::Proof, [a00, a10, a11, a20, a21, a22]: &Symmetric<R>) -> Self
    where
        R: Real<W>,
    {
        let least = R::splat(proof, R::Number::LEAST_PIVOT);
        let first = a00.max(least).inverse_sqrt();
        let (l10, l20) = (*a10 * first, *a20 * first);
        let second = l10.neg_mul_add(l10, *a11).max(least).inverse_sqrt();
        let l21 = l20.neg_mul_add(l10, *a21) * second;
        let third = l21.neg_mul_add(l21, l20.neg_mul_add(l20, *a22)).max(least).inverse_sqrt();
        Factor { inverse: [first, second, third], lower: [l10, l20, l21] }
    }

    /// `L^-1 v`.
    #[inline(always)]
    fn forward<const W: usize>(&self, v: Vector<R>) -> Vector<R>
    where
        R: Real<W>,
    {
        let [l10, l20, l21] = self.lower;
        let x = v[0] * self.inverse[0];
        let y = l10.neg_mul_add(x, v[1]) * self.inverse[1];
        let z = l21.neg_mul_add(y, l20.neg_mul_add(x, v[2])) * self.inverse[2];
        [x, y, z]
    }

    /// `L^-T v`.
    #[inline(always)]
    fn backward<const W: usize>(&self, v: Vector<R>) -> Vector<R>
    where
        R: Real<W>,
    {
        let [l10, l20, l21] = self.lower;
        let z = v[2] * self.inverse[2];
        let y = l21.neg_mul_add(z, v[1]) * self.inverse[1];
        let x = l20.neg_mul_add(z, l10.neg_mul_add(y, v[0])) * self.inverse[0];
        [x, y, z]
    }
}
