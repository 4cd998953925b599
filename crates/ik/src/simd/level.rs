//! The instruction set of a batch, and the proof that this processor has it.

#[cfg(target_arch = "x86_64")]
use fearless_simd::x86::{Avx2, Avx512};

/// Instruction set of a batch. All levels use the same algorithm. [`Level::Avx2`] and [`Level::Avx512`] round alike and give
/// the same bits; [`Level::Portable`] has no fused multiply-add on x86 and may differ from them by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Four lanes: SSE2 on x86-64, NEON on AArch64, plain Rust elsewhere.
    Portable,
    /// Eight lanes: AVX2 and FMA, with what else x86-64-v3 has.
    Avx2,
    /// Sixteen lanes: AVX-512, with the extensions that processors have since Ice Lake and Zen 4.
    Avx512,
}

impl Level {
    /// All levels, narrowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Whether this processor can run the level.
    pub fn is_available(self) -> bool {
        Engine::of(self).is_some()
    }

    /// The widest level that this processor can run.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Level::Portable)
    }

    /// The levels that this processor can run, narrowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Number of chains in a block: 4, 8 or 16.
    pub fn width(self) -> usize {
        match self {
            Level::Portable => 4,
            Level::Avx2 => 8,
            Level::Avx512 => 16,
        }
    }

    /// Short name for tables: `portable`, `avx2`, `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }
}

/// A level that this processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Engine {
    Portable(Baseline),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Engine {
    /// The engine of a level; none if the processor lacks it.
    pub fn of(level: Level) -> Option<Engine> {
        match level {
            Level::Portable => Some(Engine::Portable(baseline())),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => fearless_simd::Level::new().as_avx2().map(Engine::Avx2),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => fearless_simd::Level::new().as_avx512().map(Engine::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// The engine of the best level.
    pub fn best() -> Engine {
        Engine::of(Level::best()).unwrap_or(Engine::Portable(baseline()))
    }

    pub fn level(self) -> Level {
        match self {
            Engine::Portable(_) => Level::Portable,
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(_) => Level::Avx2,
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512(_) => Level::Avx512,
        }
    }
}

/// The instructions that every processor of this architecture has.
#[cfg(target_arch = "x86_64")]
pub(crate) type Baseline = fearless_simd::x86::Sse2;
#[cfg(target_arch = "aarch64")]
pub(crate) type Baseline = fearless_simd::aarch64::Neon;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) type Baseline = fearless_simd::Fallback;

/// The proof that this processor has them.
#[inline(always)]
pub(crate) fn baseline() -> Baseline {
    #[cfg(target_arch = "x86_64")]
    let baseline = fearless_simd::Level::baseline().as_sse2();
    #[cfg(target_arch = "aarch64")]
    let baseline = fearless_simd::Level::baseline().as_neon();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let baseline = Some(fearless_simd::Fallback::new());
    baseline.expect("part of the architecture")
}
