//! Several `f32` side by side, one per chain of a block, and vectors of them.

use std::ops::{Add, Div, Mul, Sub};

/// `W` numbers that one instruction processes together.
///
/// Only [`Lanes::splat`] and [`Lanes::load`] create values, and both require a proof that the processor has the
/// instructions. So the existence of a value is proof enough for all other methods. Every method must be
/// `#[inline(always)]`, so that it gets the target features of its caller.
pub(super) trait Lanes<const W: usize>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Proof, obtained at run time, that the processor has the instructions.
    type Proof: Copy + Send + Sync;
    /// One boolean per lane.
    type Mask: Copy;
    /// A mask prepared for [`Lanes::pass`].
    type Gate: Copy;

    /// The same number in every lane.
    fn splat(proof: Self::Proof, value: f32) -> Self;
    /// Reads a row.
    fn load(proof: Self::Proof, row: &[f32; W]) -> Self;
    /// Writes a row.
    fn store(self, row: &mut [f32; W]);
    /// `self * factor + term`, rounded once if the processor can.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `term - self * factor`, rounded once if the processor can.
    fn neg_mul_add(self, factor: Self, term: Self) -> Self;
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// `1 / sqrt(self)` from the processor's estimate and one Newton step: relative error about 3e-7.
    fn inverse_sqrt(self) -> Self;
    /// The smaller number in each lane.
    fn min(self, other: Self) -> Self;
    /// The larger number in each lane.
    fn max(self, other: Self) -> Self;
    /// Lanes where `self <= other`; false for NaN.
    fn at_most(self, other: Self) -> Self::Mask;
    /// In each lane, `yes` if the mask is set, otherwise `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Prepares a mask for repeated use in [`Lanes::pass`].
    fn gate(proof: Self::Proof, mask: Self::Mask) -> Self::Gate;
    /// Like [`Lanes::select`], for results that are stored to the address that `no` was loaded from. Compilers turn such a
    /// selection into a masked store, which takes some processors twenty cycles; they leave this function alone.
    fn pass(gate: Self::Gate, yes: Self, no: Self) -> Self;
    /// Lanes in `mask` but not in `other`.
    fn without(mask: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Lanes in both.
    fn both(mask: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Lane `i` as bit `i`.
    fn bits(mask: Self::Mask) -> u32;
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
