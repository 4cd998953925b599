//! Several `f32` side by side, one per chain of a block, and vectors of them.

use super::real::Real;

/// `W` numbers in single precision, and what the solver of chains needs beyond [`Real`].
pub(super) trait Lanes<const W: usize>: Real<W, Number = f32> {
    /// A mask prepared for [`Lanes::pass`].
    type Gate: Copy;

    /// Prepares a mask for repeated use in [`Lanes::pass`].
    fn gate(proof: Self::Proof, mask: Self::Mask) -> Self::Gate;
    /// Like [`Real::select`], for results that are stored to the address that `no` was loaded from. Compilers turn such a
    /// selection into a masked store, which takes some processors twenty cycles; they leave this function alone.
    fn pass(gate: Self::Gate, yes: Self, no: Self) -> Self;
}

/// One vector per lane.
pub(super) type Vector<L> = [L; 3];

/// Reads one vector per lane.
#[inline(always)]
pub(super) fn load<L: Lanes<W>, const W: usize>(proof: L::Proof, rows: &[[f32; W]; 3]) -> Vector<L> {
    [L::load(proof, &rows[0]), L::load(proof, &rows[1]), L::load(proof, &rows[2])]
}

/// Writes `yes` into the lanes of the gate and `no` into the others.
#[inline(always)]
pub(super) fn store_passed<L: Lanes<W>, const W: usize>(
    rows: &mut [[f32; W]; 3],
    gate: L::Gate,
    yes: Vector<L>,
    no: Vector<L>,
) {
    L::pass(gate, yes[0], no[0]).store(&mut rows[0]);
    L::pass(gate, yes[1], no[1]).store(&mut rows[1]);
    L::pass(gate, yes[2], no[2]).store(&mut rows[2]);
}

/// `a - b`.
#[inline(always)]
pub(super) fn sub<L: Lanes<W>, const W: usize>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Dot product.
#[inline(always)]
pub(super) fn dot<L: Lanes<W>, const W: usize>(a: Vector<L>, b: Vector<L>) -> L {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// `from + direction * scale`.
#[inline(always)]
pub(super) fn along<L: Lanes<W>, const W: usize>(from: Vector<L>, direction: Vector<L>, scale: L) -> Vector<L> {
    [direction[0].mul_add(scale, from[0]), direction[1].mul_add(scale, from[1]), direction[2].mul_add(scale, from[2])]
}

/// `a x b + c`.
#[inline(always)]
pub(super) fn cross_add<L: Lanes<W>, const W: usize>(a: Vector<L>, b: Vector<L>, c: Vector<L>) -> Vector<L> {
    [
        a[1].mul_add(b[2], a[2].neg_mul_add(b[1], c[0])),
        a[2].mul_add(b[0], a[0].neg_mul_add(b[2], c[1])),
        a[0].mul_add(b[1], a[1].neg_mul_add(b[0], c[2])),
    ]
}
