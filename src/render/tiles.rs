//! The part of a picture that must be drawn again, as marked square tiles.

use super::canvas::rect;
use glam::{UVec2, Vec2};
use glium::Rect;
use std::ops::Range;

const SIDE: u32 = 32;
/// What one more rectangle costs, in tiles: rectangles are merged while that adds no more tiles than this.
const RECTANGLE_COST: u32 = 10;

/// A picture whose tiles are marked or not.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    size: (u32, u32),
    columns: u32,
    rows: u32,
    marked: Vec<bool>,
}

/// Columns and rows from the first to before the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    low: UVec2,
    high: UVec2,
}

impl Block {
    fn area(self) -> u32 {
        (self.high - self.low).element_product()
    }

    fn with(self, other: Block) -> Block {
        Block { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn overlaps(self, other: Block) -> bool {
        (self.low.cmplt(other.high) & other.low.cmplt(self.high)).all()
    }
}

impl Tiles {
    pub(crate) fn new(size: (u32, u32)) -> Self {
        let (columns, rows) = (size.0.div_ceil(SIDE), size.1.div_ceil(SIDE));
        Tiles { size, columns, rows, marked: vec![false; (columns * rows) as usize] }
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Marks the tiles that a rectangle touches, in pixels from the lower left corner.
    pub(crate) fn mark(&mut self, low: Vec2, high: Vec2) {
        let Some(block) = self.block(low, high) else { return };
        for row in block.low.y..block.high.y {
            let run = self.run(block, row);
            self.marked[run].fill(true);
        }
    }

    pub(crate) fn mark_all(&mut self) {
        self.marked.fill(true);
    }

    /// Whether a rectangle touches a marked tile.
    pub(crate) fn touches(&self, low: Vec2, high: Vec2) -> bool {
        self.block(low, high).is_some_and(|block| {
            (block.low.y..block.high.y).any(|row| self.marked[self.run(block, row)].contains(&true))
        })
    }

    /// The indices of a row of a block.
    fn run(&self, block: Block, row: u32) -> Range<usize> {
        let first = row * self.columns;
        (first + block.low.x) as usize..(first + block.high.x) as usize
    }

    /// Marks what is marked in another picture of the same size.
    pub(crate) fn add(&mut self, other: &Tiles) {
        self.marked.iter_mut().zip(&other.marked).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// These tiles in a picture of another size, with the pixels beside them.
    pub(crate) fn stretched(&self, size: (u32, u32)) -> Tiles {
        let mut tiles = Tiles::new(size);
        let scale = UVec2::from(size).as_vec2() / UVec2::from(self.size).as_vec2();
        for block in self.runs() {
            let pixel = |tile: UVec2| (tile * SIDE).as_vec2() * scale;
            tiles.mark(pixel(block.low) - scale - 1.0, pixel(block.high) + scale + 1.0);
        }
        tiles
    }

    pub(crate) fn share(&self) -> f64 {
        self.marked.iter().filter(|marked| **marked).count() as f64 / self.marked.len() as f64
    }

    pub(crate) fn is_full(&self) -> bool {
        !self.marked.contains(&false)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.marked.contains(&true)
    }

    /// Few rectangles in pixels that contain all marked tiles and do not overlap.
    pub(crate) fn rectangles(&self) -> Vec<Rect> {
        let mut blocks = self.runs();
        while let Some((i, j)) = cheapest_merge(&blocks) {
            let mut merged = blocks[i].with(blocks[j]);
            blocks.swap_remove(j);
            blocks.swap_remove(i);
            while let Some(k) = blocks.iter().position(|block| block.overlaps(merged)) {
                merged = merged.with(blocks.swap_remove(k));
            }
            blocks.push(merged);
        }
        let size = UVec2::from(self.size);
        blocks.into_iter().map(|block| rect(block.low * SIDE, (block.high * SIDE).min(size))).collect()
    }

    /// The marked tiles as runs of equal width, from the lowest row up.
    fn runs(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for row in 0..self.rows {
            let mut column = 0;
            while column < self.columns {
                let is_marked = |column: u32| self.marked[(row * self.columns + column) as usize];
                let first = column;
                column += 1;
                if !is_marked(first) {
                    continue;
                }
                while column < self.columns && is_marked(column) {
                    column += 1;
                }
                let below = |block: &&mut Block| block.high == UVec2::new(column, row) && block.low.x == first;
                match blocks.iter_mut().find(below) {
                    Some(block) => block.high.y = row + 1,
                    None => blocks.push(Block { low: UVec2::new(first, row), high: UVec2::new(column, row + 1) }),
                }
            }
        }
        blocks
    }

    /// The tiles that a rectangle in pixels touches; none outside the picture.
    fn block(&self, low: Vec2, high: Vec2) -> Option<Block> {
        let (side, most) = (SIDE as f32, UVec2::new(self.columns, self.rows));
        let tile = |at: Vec2| (at / side).max(Vec2::ZERO).as_uvec2().min(most);
        let block = Block { low: tile(low), high: tile(high + side) };
        block.low.cmplt(block.high).all().then_some(block)
    }
}

/// The two blocks whose merger adds the fewest tiles, the smaller index first; none if all add too many.
fn cheapest_merge(blocks: &[Block]) -> Option<(usize, usize)> {
    let mut best: Option<(u32, (usize, usize))> = None;
    for j in 0..blocks.len() {
        for i in 0..j {
            let more = blocks[i].with(blocks[j]).area().saturating_sub(blocks[i].area() + blocks[j].area());
            if more <= RECTANGLE_COST && best.is_none_or(|(least, _)| more < least) {
                best = Some((more, (i, j)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}
