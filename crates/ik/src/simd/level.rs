//! The instruction set of a batch.

/// Instruction set of a batch. All levels use the same algorithm. [`Level::Avx2`] and [`Level::Avx512`] round alike and give
/// the same bits; [`Level::Portable`] has no fused multiply-add on x86 and may differ from them by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Four lanes of plain Rust, which the compiler translates to SSE2 on x86-64 and NEON on AArch64.
    Portable,
    /// Eight lanes: AVX2 and FMA (x86-64).
    Avx2,
    /// Sixteen lanes: AVX-512F (x86-64).
    Avx512,
}

impl Level {
    /// All levels, narrowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Whether this processor can run the level.
    #[cfg(target_arch = "x86_64")]
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            Level::Avx2 => super::x86::Avx2::detect().is_some(),
            Level::Avx512 => super::x86::Avx512::detect().is_some(),
        }
    }

    /// Whether this processor can run the level.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_available(self) -> bool {
        self == Level::Portable
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
