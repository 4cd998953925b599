//! The layout of a block: `W` chains side by side, one lane each.
//!
//! ```text
//! joint 0   x[W] y[W] z[W]      positions relative to the base, in units of the chain's own reach;
//! joint 1   x[W] y[W] z[W]      joint 0 is the base: zeros
//!   ...
//! joint n   x[W] y[W] z[W]
//! length 0  [W]                 link lengths in units of the reach: they sum to 1
//!   ...
//! length n-1 [W]
//! target    x[W] y[W] z[W]      like the joints
//! (padding to whole cache lines)
//! ```
//!
//! Blocks lie one after the other in one run of `f32` that starts on a cache line. A lane of zeros is an *idle* lane: it
//! is at its target from the start and costs nothing.

/// Numbers in a cache line, to which every block is aligned.
const LINE: usize = 16;
/// Bytes in a cache line.
const LINE_BYTES: usize = 64;

/// Numbers in a block of `width` chains with `links` links each, padding included.
pub(super) fn block_len(links: usize, width: usize) -> usize {
    ((4 * links + 6) * width).next_multiple_of(LINE)
}

/// One block, taken apart.
pub(super) struct Block<'a, const W: usize> {
    /// One more than links.
    pub joints: &'a mut [[[f32; W]; 3]],
    /// One row a link.
    pub lengths: &'a mut [[f32; W]],
    pub target: &'a mut [[f32; W]; 3],
}

impl<'a, const W: usize> Block<'a, W> {
    /// Takes apart the numbers of one block.
    #[inline(always)]
    pub fn of(numbers: &'a mut [f32], links: usize) -> Self {
        let (rows, _) = numbers.as_chunks_mut::<W>();
        let (joints, rows) = rows.split_at_mut(3 * (links + 1));
        let (lengths, rows) = rows.split_at_mut(links);
        let (joints, _) = joints.as_chunks_mut::<3>();
        let (target, _) = rows.as_chunks_mut::<3>();
        Block { joints, lengths, target: &mut target[0] }
    }

    /// Makes a lane idle.
    pub fn clear_lane(&mut self, lane: usize) {
        let rows =
            self.joints.as_flattened_mut().iter_mut().chain(self.lengths.iter_mut()).chain(self.target.iter_mut());
        rows.for_each(|row| row[lane] = 0.0);
    }
}

/// Numbers that start on a cache line.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    numbers: Vec<f32>,
    len: usize,
}

impl Aligned {
    /// That many zeros.
    pub fn zeros(len: usize) -> Self {
        let mut aligned = Aligned::default();
        aligned.resize(len);
        aligned
    }

    /// Makes room for `len` numbers; their values are unspecified. Allocates only to grow.
    pub fn resize(&mut self, len: usize) {
        if self.numbers.len() < len + LINE {
            self.numbers.resize(len + LINE, 0.0);
        }
        self.len = len;
    }

    /// Numbers before the first cache line.
    fn skip(&self) -> usize {
        // `align_offset` may decline to answer; then the numbers are right all the same, only slower to read.
        let skip = self.numbers.as_ptr().align_offset(LINE_BYTES);
        if skip < LINE { skip } else { 0 }
    }

    pub fn as_slice(&self) -> &[f32] {
        let skip = self.skip();
        &self.numbers[skip..skip + self.len]
    }

    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        let skip = self.skip();
        &mut self.numbers[skip..skip + self.len]
    }
}
