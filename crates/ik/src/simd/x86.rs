//! Eight lanes of AVX2 with FMA and sixteen of AVX-512F.
#![allow(unsafe_code)] // The instructions need a processor that has them; the proofs guarantee that at run time.

use super::lanes::Lanes;
use super::real::Real;
use std::arch::x86_64::*;
use std::hint::black_box;
use std::ops::{Add, Div, Mul, Sub};

/// Proof that this processor has AVX2 with FMA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The proof, if this processor has them.
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Avx2(()))
    }
}

/// Proof that this processor has AVX-512F.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// The proof, if this processor has it.
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Avx512(()))
    }
}

/// 8 numbers in one register. Only [`Real::splat`], [`Real::load`] and the methods of such values create one, so its
/// existence proves that the processor has AVX2 with FMA.
#[derive(Clone, Copy)]
pub(super) struct F32x8(__m256);

/// 16 numbers in one register. Only [`Real::splat`], [`Real::load`] and the methods of such values create one, so its
/// existence proves that the processor has AVX-512F.
#[derive(Clone, Copy)]
pub(super) struct F32x16(__m512);

/// A function of a register type that is one instruction on its own register and others of its type.
macro_rules! instruction {
    ($function:ident($($other:ident),*) = $instruction:ident) => {
        #[inline(always)]
        fn $function(self $(, $other: Self)*) -> Self {
            // SAFETY: a value of this type proves that the processor has the instruction.
            Self(unsafe { $instruction(self.0 $(, $other.0)*) })
        }
    };
}

/// The four operators of a register type.
macro_rules! operators {
    ($register:ident: $add:ident, $sub:ident, $mul:ident, $div:ident) => {
        operators!($register Add add $add);
        operators!($register Sub sub $sub);
        operators!($register Mul mul $mul);
        operators!($register Div div $div);
    };
    ($register:ident $operator:ident $function:ident $instruction:ident) => {
        impl $operator for $register {
            type Output = Self;
            instruction!($function(other) = $instruction);
        }
    };
}

operators!(F32x8: _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps);
operators!(F32x16: _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_div_ps);

impl Real<8> for F32x8 {
    type Number = f32;
    type Proof = Avx2;
    type Mask = F32x8;

    instruction!(mul_add(factor, term) = _mm256_fmadd_ps);
    instruction!(neg_mul_add(factor, term) = _mm256_fnmadd_ps);
    instruction!(sqrt() = _mm256_sqrt_ps);
    instruction!(min(other) = _mm256_min_ps);
    instruction!(max(other) = _mm256_max_ps);

    #[inline(always)]
    fn splat(_: Avx2, value: f32) -> Self {
        // SAFETY: the proof exists only if the processor has AVX2 with FMA.
        F32x8(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(_: Avx2, row: &[f32; 8]) -> Self {
        // SAFETY: the proof exists only if the processor has AVX2 with FMA; the row holds 8 readable numbers.
        F32x8(unsafe { _mm256_loadu_ps(row.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, row: &mut [f32; 8]) {
        // SAFETY: an `F32x8` proves AVX2 with FMA; the row holds 8 writable numbers.
        unsafe { _mm256_storeu_ps(row.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> F32x8 {
        // SAFETY: an `F32x8` proves AVX2 with FMA.
        F32x8(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn select(mask: F32x8, yes: Self, no: Self) -> Self {
        // SAFETY: an `F32x8` proves AVX2 with FMA.
        F32x8(unsafe { _mm256_blendv_ps(no.0, yes.0, mask.0) })
    }

    #[inline(always)]
    fn without(mask: F32x8, other: F32x8) -> F32x8 {
        // SAFETY: an `F32x8` proves AVX2 with FMA.
        F32x8(unsafe { _mm256_andnot_ps(other.0, mask.0) })
    }

    #[inline(always)]
    fn both(mask: F32x8, other: F32x8) -> F32x8 {
        // SAFETY: an `F32x8` proves AVX2 with FMA.
        F32x8(unsafe { _mm256_and_ps(mask.0, other.0) })
    }

    #[inline(always)]
    fn bits(mask: F32x8) -> u32 {
        // SAFETY: an `F32x8` proves AVX2 with FMA.
        (unsafe { _mm256_movemask_ps(mask.0) }) as u32
    }
}

impl Lanes<8> for F32x8 {
    type Gate = F32x8;

    #[inline(always)]
    fn gate(_: Avx2, mask: F32x8) -> F32x8 {
        // Hides the mask from the compiler, so that it keeps the bitwise selection.
        black_box(mask)
    }

    #[inline(always)]
    fn pass(gate: F32x8, yes: Self, no: Self) -> Self {
        // SAFETY: an `F32x8` proves AVX2 with FMA.
        F32x8(unsafe { _mm256_or_ps(_mm256_and_ps(gate.0, yes.0), _mm256_andnot_ps(gate.0, no.0)) })
    }
}

/// In each lane all bits or none.
#[derive(Clone, Copy)]
pub(super) struct Bits512(__m512i);

impl Real<16> for F32x16 {
    type Number = f32;
    type Proof = Avx512;
    type Mask = __mmask16;

    instruction!(mul_add(factor, term) = _mm512_fmadd_ps);
    instruction!(neg_mul_add(factor, term) = _mm512_fnmadd_ps);
    instruction!(sqrt() = _mm512_sqrt_ps);
    instruction!(min(other) = _mm512_min_ps);
    instruction!(max(other) = _mm512_max_ps);

    #[inline(always)]
    fn splat(_: Avx512, value: f32) -> Self {
        // SAFETY: the proof exists only if the processor has AVX-512F.
        F32x16(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(_: Avx512, row: &[f32; 16]) -> Self {
        // SAFETY: the proof exists only if the processor has AVX-512F; the row holds 16 readable numbers.
        F32x16(unsafe { _mm512_loadu_ps(row.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, row: &mut [f32; 16]) {
        // SAFETY: an `F32x16` proves AVX-512F; the row holds 16 writable numbers.
        unsafe { _mm512_storeu_ps(row.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> __mmask16 {
        // SAFETY: an `F32x16` proves AVX-512F.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
        // SAFETY: an `F32x16` proves AVX-512F.
        F32x16(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }

    #[inline(always)]
    fn without(mask: __mmask16, other: __mmask16) -> __mmask16 {
        mask & !other
    }

    #[inline(always)]
    fn both(mask: __mmask16, other: __mmask16) -> __mmask16 {
        mask & other
    }

    #[inline(always)]
    fn bits(mask: __mmask16) -> u32 {
        u32::from(mask)
    }
}

impl Lanes<16> for F32x16 {
    type Gate = Bits512;

    #[inline(always)]
    fn gate(_: Avx512, mask: __mmask16) -> Bits512 {
        // SAFETY: the proof exists only if the processor has AVX-512F.
        let bits = unsafe { _mm512_maskz_set1_epi32(mask, -1) };
        // Hides the mask from the compiler, so that it keeps the bitwise selection.
        black_box(Bits512(bits))
    }

    #[inline(always)]
    fn pass(gate: Bits512, yes: Self, no: Self) -> Self {
        /// Truth table of "if a then b else c".
        const IF_THEN_ELSE: i32 = 0b1100_1010;
        // SAFETY: an `F32x16` proves AVX-512F.
        F32x16(unsafe {
            let (yes, no) = (_mm512_castps_si512(yes.0), _mm512_castps_si512(no.0));
            _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<IF_THEN_ELSE>(gate.0, yes, no))
        })
    }
}
