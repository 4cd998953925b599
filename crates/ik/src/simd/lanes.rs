//! A few `f32` side by side, one for each chain of a block, and vectors of them.

use std::ops::{Add, Div, Mul, Sub};

/// `W` numbers that are computed with at once.
///
/// A value can only come from [`Lanes::splat`] or [`Lanes::load`], which ask for a proof that the processor has the
/// instructions; all else therefore needs no further check, and no further trust. Every method must be
/// `#[inline(always)]`, so that it takes on the target features of the function that it is used in.
pub(super) trait Lanes<const W: usize>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Evidence, made at run time, that the processor has the instructions.
    type Proof: Copy + Send + Sync;
    /// One yes or no for each lane.
    type Mask: Copy;
    /// A mask made ready for [`Lanes::pass`].
    type Gate: Copy;

    /// The same number in every lane.
    fn splat(proof: Self::Proof, value: f32) -> Self;
    /// Reads a row.
    fn load(proof: Self::Proof, row: &[f32; W]) -> Self;
    /// Writes a row.
    fn store(self, row: &mut [f32; W]);
    /// `self * factor + term`, rounded once where the processor can.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `term - self * factor`, rounded once where the processor can.
    fn neg_mul_add(self, factor: Self, term: Self) -> Self;
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// `1 / sqrt(self)` from the processor's estimate and one Newton step: within about 3e-7 of it, relative.
    fn inverse_sqrt(self) -> Self;
    /// The smaller one in each lane.
    fn min(self, other: Self) -> Self;
    /// The larger one in each lane.
    fn max(self, other: Self) -> Self;
    /// Lanes where `self <= other`: never one that holds NaN.
    fn at_most(self, other: Self) -> Self::Mask;
    /// Lane by lane, `yes` where the mask is set and `no` where it is not.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Makes a mask ready for many uses in [`Lanes::pass`].
    fn gate(proof: Self::Proof, mask: Self::Mask) -> Self::Gate;
    /// What [`Lanes::select`] does, for results that are stored where `no` came from. Compilers make a masked store of a
    /// selection of that kind, which some processors take twenty cycles for; this one they leave alone.
    fn pass(gate: Self::Gate, yes: Self, no: Self) -> Self;
    /// Lanes in `mask` but not in `other`.
    fn without(mask: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Lanes in both.
    fn both(mask: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Lane `i` as bit `i`.
    fn bits(mask: Self::Mask) -> u32;
}

/// A vector for each lane.
pub(super) type Vector<L> = [L; 3];

/// Reads one vector a lane.
#[inline(always)]
pub(super) fn load<L: Lanes<W>, const W: usize>(proof: L::Proof, rows: &[[f32; W]; 3]) -> Vector<L> {
    [L::load(proof, &rows[0]), L::load(proof, &rows[1]), L::load(proof, &rows[2])]
}

/// Writes `yes` into the lanes that the gate is open for and `no` into the others.
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
