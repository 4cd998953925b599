//! Several real numbers side by side, `f32` or `f64`: what algorithms need that run in both precisions.
//!
//! `fearless_simd` has the registers and the safe functions for their instructions. A token stands for the proof that the
//! processor has them. Every function that works with lanes is `#[inline(always)]`, so that it is compiled for the
//! instructions of its caller.

use fearless_simd::{ExtractToken, Select, Simd, SimdFloat, SimdFloatElement, SimdInto};

/// `W` numbers that are processed together.
///
/// Processors' estimates of roots and quotients are not for answers: each processor has its own.
pub(super) trait Real<const W: usize>:
    SimdFloat<<Self as Real<W>>::Token, Element = <Self as Real<W>>::Number, Array = [<Self as Real<W>>::Number; W]>
{
    /// Proof that the processor has the instructions.
    type Token: Simd;
    /// The type of one number.
    type Number: Number;

    /// The same constant in every lane.
    #[inline(always)]
    fn constant(simd: Self::Token, value: f64) -> Self {
        Self::splat(simd, Self::Number::of(value))
    }

    /// `term - self * factor`, rounded once if the processor can.
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        (-self).mul_add(factor, term)
    }

    /// The greater one of a number and a bound; the bound where the number is none (NaN).
    #[inline(always)]
    fn at_least(self, bound: impl SimdInto<Self, Self::Token>) -> Self {
        // The instructions for the greater and the lesser one differ between processors in what they make of NaN. Those of x86 do
        // this.
        if cfg!(target_arch = "x86_64") {
            return self.max(bound);
        }
        let bound = bound.simd_into(self.token());
        bound.simd_lt(self).select(self, bound)
    }

    /// The lesser one of a number and a bound; the bound where the number is none (NaN).
    #[inline(always)]
    fn at_most(self, bound: impl SimdInto<Self, Self::Token>) -> Self {
        if cfg!(target_arch = "x86_64") {
            return self.min(bound);
        }
        let bound = bound.simd_into(self.token());
        self.simd_lt(bound).select(self, bound)
    }
}

impl<V, S, N, const W: usize> Real<W> for V
where
    V: SimdFloat<S, Element = N, Array = [N; W]> + ExtractToken<S = S>,
    S: Simd,
    N: Number,
{
    type Token = S;
    type Number = N;
}

/// A number in single or double precision, with what depends on the precision.
pub(super) trait Number: SimdFloatElement + 'static {
    /// Coefficients of `2 sin(h) / h` in powers of `h^2`, for `h` in a quarter turn to either side of 0.
    const TWICE_SINE: &'static [Self];
    /// Coefficients of `cos(h)` in powers of `h^2`, for the same `h`.
    const COSINE: &'static [Self];
    /// Half a turn, rounded to few digits so that small multiples are exact, and what is left of it.
    const HALF_TURN: [Self; 2];
    /// Adding and subtracting this number rounds to an integer.
    const ROUNDER: Self;
    /// Least damping of a step, which keeps its system regular, for a Jacobian of about unit size.
    const LEAST_DAMPING: Self;
    /// Least pivot in the decomposition of that system.
    const LEAST_PIVOT: Self;

    /// The number nearest to `value`.
    fn of(value: f64) -> Self;
}

impl Number for f32 {
    const TWICE_SINE: &'static [f32] = &[2.0, -0.333_333_16, 0.016_666_1, -0.000_396_179_1, 5.209_922e-6];
    const COSINE: &'static [f32] = &[1.0, -0.5, 0.041_666_634, -0.001_388_836, 0.000_024_760_028, -2.604_919e-7];
    const HALF_TURN: [f32; 2] = [3.140_625, 0.000_967_653_6];
    const ROUNDER: f32 = 12_582_912.0;
    const LEAST_DAMPING: f32 = 1e-7;
    const LEAST_PIVOT: f32 = 1e-9;

    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
}

impl Number for f64 {
    const TWICE_SINE: &'static [f64] = &[
        2.0,
        -0.333_333_333_333_333_3,
        0.016_666_666_666_666_37,
        -0.000_396_825_396_824_166_2,
        5.511_463_842_233_204e-6,
        -5.010_421_376_923_537e-8,
        3.211_788_114_334_832e-10,
        -1.528_603_672_865_391e-12,
        5.442_972_883_341_252e-15,
    ];
    const COSINE: &'static [f64] = &[
        1.0,
        -0.5,
        0.041_666_666_666_666_66,
        -0.001_388_888_888_888_852_7,
        0.000_024_801_587_301_492_075,
        -2.755_731_920_958_303e-7,
        2.087_675_566_131_813e-9,
        -1.147_066_994_053_222e-11,
        4.776_867_089_600_99e-14,
        -1.511_933_609_900_501_5e-16,
    ];
    const HALF_TURN: [f64; 2] = [3.141_592_651_605_606, 1.984_187_159_361_081e-9];
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    const LEAST_DAMPING: f64 = 1e-14;
    const LEAST_PIVOT: f64 = 1e-18;

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
}

/// Sine and cosine by polynomials, without branches. The absolute error is a few rounding errors for angles of a few turns,
/// and grows with the number of turns.
///
/// The angle is reduced to half a turn to either side of 0. With `h` half of the rest, `sin = 2 sin h cos h` and
/// `cos = 1 - 2 sin^2 h`.
#[inline(always)]
pub(super) fn sine_and_cosine<R: Real<W>, const W: usize>(simd: R::Token, angle: R) -> (R, R) {
    let (rounder, one_half) = (R::Number::ROUNDER, R::constant(simd, 0.5));
    let [pi, rest] = R::Number::HALF_TURN;
    let turns = angle.mul_add(R::Number::of(0.5 * std::f64::consts::FRAC_1_PI), rounder) - rounder;
    let half = turns.neg_mul_add(R::splat(simd, pi), angle * one_half);
    let half = turns.neg_mul_add(R::splat(simd, rest), half);
    let square = half * half;
    let twice_sine = polynomial(simd, R::Number::TWICE_SINE, square) * half;
    let cosine = polynomial(simd, R::Number::COSINE, square);
    (twice_sine * cosine, (twice_sine * one_half).neg_mul_add(twice_sine, R::constant(simd, 1.0)))
}

/// The polynomial with these coefficients, lowest power first.
#[inline(always)]
fn polynomial<R: Real<W>, const W: usize>(simd: R::Token, coefficients: &[R::Number], x: R) -> R {
    let mut value = R::constant(simd, 0.0);
    for (power, &coefficient) in coefficients.iter().rev().enumerate() {
        let coefficient = R::splat(simd, coefficient);
        value = if power == 0 { coefficient } else { value.mul_add(x, coefficient) };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::simd::level::{Baseline, baseline};
    use fearless_simd::{SimdBase, f32x4, f64x2};

    /// Largest errors of sine and cosine for angles up to `most` to either side of 0.
    fn worst<R: Real<W>, const W: usize>(simd: R::Token, most: f64, wide: fn(R::Number) -> f64) -> f64 {
        let mut random = Random::new(4);
        let mut worst: f64 = 0.0;
        for _ in 0..20_000 {
            let angles = [(); W].map(|()| R::Number::of(random.range(-most, most)));
            let (sine, cosine) = sine_and_cosine::<R, W>(simd, R::load_array_ref(simd, &angles));
            let (mut sines, mut cosines) = (angles, angles);
            sine.store_array(&mut sines);
            cosine.store_array(&mut cosines);
            for lane in 0..W {
                let angle = wide(angles[lane]);
                worst = worst.max((wide(sines[lane]) - angle.sin()).abs());
                worst = worst.max((wide(cosines[lane]) - angle.cos()).abs());
            }
        }
        worst
    }

    #[test]
    fn sine_and_cosine_are_exact_to_a_few_rounding_errors() {
        let single = worst::<f32x4<Baseline>, 4>(baseline(), 20.0, f64::from);
        assert!(single < 6.0 * f64::from(f32::EPSILON), "{single:e}");
        let double = worst::<f64x2<Baseline>, 2>(baseline(), 20.0, |number| number);
        assert!(double < 6.0 * f64::EPSILON, "{double:e}");
    }

    #[test]
    fn whole_quarters_are_exact() {
        use std::f64::consts::PI;
        for quarters in -9..=9 {
            let angle = f64::from(quarters) * 0.5 * PI;
            let (sine, cosine) = sine_and_cosine::<f64x2<Baseline>, 2>(baseline(), f64x2::splat(baseline(), angle));
            let (sine, cosine) = (sine[0], cosine[0]);
            assert!((sine - angle.sin()).abs() < 4e-16, "{quarters}: {sine}");
            assert!((cosine - angle.cos()).abs() < 4e-16, "{quarters}: {cosine}");
        }
    }
}
