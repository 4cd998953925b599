//! One block in memory: `W` chains side by side, one lane each, in the layout that [`Blocks`](super::blocks::Blocks) describes.
//!
//! An *idle* lane holds a bad chain, in the shape of zeros everywhere: it is at its target from the start and costs nothing.

/// Numbers in a cache line, to which every block is aligned.
const LINE: usize = 16;
/// Bytes in a cache line.
const LINE_BYTES: usize = 64;

/// Numbers in a block of `width` chains with `links` links each, padding included.
pub(super) fn block_len(links: usize, width: usize) -> usize {
    ((4 * links + 10) * width).next_multiple_of(LINE)
}

/// One block, taken apart.
pub(super) struct Block<'a, const W: usize> {
    /// One more than links.
    pub joints: &'a mut [[[f32; W]; 3]],
    /// One row a link.
    pub lengths: &'a mut [[f32; W]],
    pub target: &'a mut [[f32; W]; 3],
    pub base: &'a mut [[f32; W]; 3],
    pub reach: &'a mut [f32; W],
}

impl<'a, const W: usize> Block<'a, W> {
    /// Takes apart the numbers of one block.
    #[inline(always)]
    pub fn of(numbers: &'a mut [f32], links: usize) -> Self {
        let (rows, _) = numbers.as_chunks_mut::<W>();
        let (joints, rows) = rows.split_at_mut(3 * (links + 1));
        let (lengths, rows) = rows.split_at_mut(links);
        let (joints, _) = joints.as_chunks_mut::<3>();
        let (vectors, reach) = rows.split_at_mut(6);
        let (vectors, _) = vectors.as_chunks_mut::<3>();
        let (target, base) = vectors.split_at_mut(1);
        Block { joints, lengths, target: &mut target[0], base: &mut base[0], reach: &mut reach[0] }
    }
}

/// Numbers that start on a cache line.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    numbers: Vec<f32>,
    len: usize,
}

impl Aligned {
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

/// The copy has its own first cache line.
impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Aligned::default();
        copy.resize(self.len);
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}
