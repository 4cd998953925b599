//! Four lanes in plain Rust, for every processor.

use super::lanes::Lanes;
use super::real::Real;
use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

/// Four lanes.
#[derive(Clone, Copy)]
pub(super) struct Quad([f32; 4]);

/// In each lane all bits or none.
#[derive(Clone, Copy)]
pub(super) struct QuadMask([u32; 4]);

/// Whether a fused multiply-add is one instruction. Elsewhere it would be a slow library call.
const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// An operator, lane by lane.
macro_rules! operator {
    ($operator:ident, $function:ident) => {
        impl $operator for Quad {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Quad(from_fn(|i| self.0[i].$function(other.0[i])))
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Real<4> for Quad {
    type Number = f32;
    type Proof = ();
    type Mask = QuadMask;

    #[inline(always)]
    fn splat(_: (), value: f32) -> Self {
        Quad([value; 4])
    }

    #[inline(always)]
    fn load(_: (), row: &[f32; 4]) -> Self {
        Quad(*row)
    }

    #[inline(always)]
    fn store(self, row: &mut [f32; 4]) {
        *row = self.0;
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        if FUSED { Quad(from_fn(|i| self.0[i].mul_add(factor.0[i], term.0[i]))) } else { self * factor + term }
    }

    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        if FUSED { Quad(from_fn(|i| (-self.0[i]).mul_add(factor.0[i], term.0[i]))) } else { term - self * factor }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Quad(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Quad(from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Quad(from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> QuadMask {
        QuadMask(from_fn(|i| if self.0[i] <= other.0[i] { u32::MAX } else { 0 }))
    }

    #[inline(always)]
    fn select(mask: QuadMask, yes: Self, no: Self) -> Self {
        Quad(from_fn(|i| f32::from_bits((mask.0[i] & yes.0[i].to_bits()) | (!mask.0[i] & no.0[i].to_bits()))))
    }

    #[inline(always)]
    fn without(mask: QuadMask, other: QuadMask) -> QuadMask {
        QuadMask(from_fn(|i| mask.0[i] & !other.0[i]))
    }

    #[inline(always)]
    fn both(mask: QuadMask, other: QuadMask) -> QuadMask {
        QuadMask(from_fn(|i| mask.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn bits(mask: QuadMask) -> u32 {
        (mask.0[0] & 1) | (mask.0[1] & 2) | (mask.0[2] & 4) | (mask.0[3] & 8)
    }
}

impl Lanes<4> for Quad {
    type Gate = QuadMask;

    #[inline(always)]
    fn gate(_: (), mask: QuadMask) -> QuadMask {
        mask
    }

    #[inline(always)]
    fn pass(gate: QuadMask, yes: Self, no: Self) -> Self {
        Self::select(gate, yes, no)
    }
}
