//! Chains that stay in the lanes between solves.

use super::block::{Aligned, BLOCKS_PER_TILE_STEP, Block, block_len};
use super::chains::Lengths;
use super::error::BatchError;
use super::lane_results::LaneResults;
use super::level::Level;
use super::point::{Point, are_finite, is_length};
use super::scalar::ScalarSolver;
use super::transpose::copy_lane;
use super::types::Outcome;
use crate::model::settings::Settings;
use glam::Vec3;

/// Chains in the batch's own layout, in which they are solved without copying: for crowds that follow their targets frame
/// after frame. [`Batch::blocks`](super::Batch::blocks) creates them, [`Batch::solve_blocks`](super::Batch::solve_blocks)
/// solves them.
///
/// ```
/// use fabrik3d_ik::simd::{Batch, BatchError, Lengths, Outcome};
/// use glam::Vec3;
/// use fabrik3d_ik::{Settings, Stop};
///
/// let arm = [Vec3::ZERO, Vec3::Y, 2.0 * Vec3::Y, 3.0 * Vec3::Y];
/// let mut batch = Batch::new(3)?;
/// let mut kept = batch.blocks(Lengths::Shared(&[1.0; 3]), &arm.repeat(100), &[Vec3::X; 100])?;
/// let mut outcomes = [Outcome::default(); 100];
/// for frame in 0..60 {
///     kept.set_targets(&[Vec3::new(1.0, 1.5, 0.01 * frame as f32); 100])?;
///     batch.solve_blocks(&mut kept, &Settings::default(), &mut outcomes)?;
///     assert_eq!(outcomes[99].stop, Stop::Reached);
/// }
/// # Ok::<(), BatchError>(())
/// ```
///
/// # Layout
///
/// A block holds [`width`](Blocks::width) chains side by side, one lane each. `W` is that width:
///
/// ```text
/// joint 0   x[W] y[W] z[W]      positions relative to the base, in units of the chain's own reach;
/// joint 1   x[W] y[W] z[W]      joint 0 is the base and holds zeros
///   ...
/// joint n   x[W] y[W] z[W]
/// length 0  [W]                 link lengths in units of the reach; their sum is 1
///   ...
/// length n-1 [W]
/// target    x[W] y[W] z[W]      in the coordinates of the joints
/// base      x[W] y[W] z[W]      in world space
/// reach     [W]                 in world units; 0 for an idle lane
/// (padding to a whole number of cache lines)
/// ```
///
/// Row `r` of chain `c` is at index `(c / W) * block_len + r * W + c % W` of [`numbers`](Blocks::numbers), which start at a
/// cache line. Lanes beyond the last chain and lanes of refused chains are idle: they hold zeros in every row.
#[derive(Clone, Debug)]
pub struct Blocks {
    links: usize,
    width: usize,
    chains: usize,
    numbers: Aligned,
}

impl Blocks {
    /// Loads chains from slices of matching lengths; bad chains become idle lanes.
    pub(super) fn new(links: usize, width: usize, lengths: Lengths<'_>, points: &[f32], targets: &[f32]) -> Self {
        let chains = targets.len() / 3;
        let mut numbers = Aligned::default();
        let len = block_len(links, width);
        numbers.resize(chains.div_ceil(BLOCKS_PER_TILE_STEP * width) * BLOCKS_PER_TILE_STEP * len);
        let mut blocks = Blocks { links, width, chains, numbers };
        let points = points.chunks_exact(3 * (links + 1)).zip(targets.chunks_exact(3));
        for (chain, (points, target)) in points.enumerate() {
            let lengths = lengths.of(chain, links);
            if are_finite(points) && are_finite(target) && lengths.iter().all(|&length| is_length(length)) {
                blocks.put(chain, points, lengths, target);
            }
        }
        blocks
    }

    /// Writes a good chain to its lane, with the same bits as the conversion of slices in `chains.rs`.
    fn put(&mut self, chain: usize, points: &[f32], lengths: &[f32], target: &[f32]) {
        let reach = lengths.iter().fold(0.0, |sum, length| sum + length);
        let scale = 1.0 / reach;
        let base = &points[..3];
        let (relative, rows) = (|(at, number): (usize, &f32)| (number - base[at % 3]) * scale, self.rows());
        let joints = points.iter().enumerate().map(relative);
        let lengths = lengths.iter().map(|length| length * scale);
        let target = target.iter().enumerate().map(relative);
        let column = joints.chain(lengths).chain(target).chain(base.iter().copied()).chain([reach]);
        let lane = self.lane(chain);
        let numbers = self.numbers.as_mut_slice();
        (0..rows).zip(column).for_each(|(row, number)| numbers[lane + row * self.width] = number);
    }

    /// Number of chains.
    pub fn len(&self) -> usize {
        self.chains
    }

    /// Whether there are no chains.
    pub fn is_empty(&self) -> bool {
        self.chains == 0
    }

    /// Number of links of every chain.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Number of lanes of a block, which depends on the level of the batch.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of numbers in a block, including padding.
    pub fn block_len(&self) -> usize {
        block_len(self.links, self.width)
    }

    /// All blocks in the layout above.
    pub fn numbers(&self) -> &[f32] {
        self.numbers.as_slice()
    }

    pub(super) fn numbers_mut(&mut self) -> &mut [f32] {
        self.numbers.as_mut_slice()
    }

    /// The numbers of each block.
    fn blocks_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let len = self.block_len();
        self.numbers.as_mut_slice().chunks_exact_mut(len)
    }

    /// Number of rows of a block.
    fn rows(&self) -> usize {
        4 * self.links + 10
    }

    /// Index of a chain's first number; its numbers are [`Blocks::width`] apart.
    fn lane(&self, chain: usize) -> usize {
        chain / self.width * self.block_len() + chain % self.width
    }

    /// The number in one row of a chain.
    fn number(&self, chain: usize, row: usize) -> f32 {
        self.numbers()[self.lane(chain) + row * self.width]
    }

    /// The vector in three rows of a chain.
    fn vector(&self, chain: usize, row: usize) -> Vec3 {
        Vec3::new(self.number(chain, row), self.number(chain, row + 1), self.number(chain, row + 2))
    }

    fn base(&self, chain: usize) -> Vec3 {
        self.vector(chain, self.rows() - 4)
    }

    fn reach(&self, chain: usize) -> f32 {
        self.number(chain, self.rows() - 1)
    }

    /// Sets the target of every chain, in world space.
    ///
    /// # Errors
    /// The number of targets is wrong, or one of them is not finite; nothing changes then.
    pub fn set_targets<P: Point>(&mut self, targets: &[P]) -> Result<(), BatchError> {
        if targets.len() != self.chains {
            return Err(BatchError::Targets { expected: self.chains, found: targets.len() });
        }
        let vectors = P::flat(targets).as_chunks::<3>().0;
        if let Some(chain) = vectors.iter().position(|target| !are_finite(target)) {
            return Err(BatchError::TargetNotFinite { chain });
        }
        let (row, width) = (self.rows() - 7, self.width);
        for (numbers, targets) in self.blocks_mut().zip(vectors.chunks(width)) {
            let (rows, fixed) = numbers[row * width..].split_at_mut(3 * width);
            for (lane, target) in targets.iter().enumerate().filter(|(lane, _)| fixed[3 * width + lane] > 0.0) {
                let scale = 1.0 / fixed[3 * width + lane];
                for (axis, coordinate) in target.iter().enumerate() {
                    rows[axis * width + lane] = (coordinate - fixed[axis * width + lane]) * scale;
                }
            }
        }
        Ok(())
    }

    /// Moves the base of every chain, in world space. The joints move with it, the target stays.
    ///
    /// # Errors
    /// The number of bases is wrong, or one of them is not finite; nothing changes then.
    pub fn set_bases<P: Point>(&mut self, bases: &[P]) -> Result<(), BatchError> {
        if bases.len() != self.chains {
            return Err(BatchError::Bases { expected: self.chains, found: bases.len() });
        }
        let vectors = P::flat(bases).as_chunks::<3>().0;
        if let Some(chain) = vectors.iter().position(|base| !are_finite(base)) {
            return Err(BatchError::BaseNotFinite { chain });
        }
        let (row, width) = (self.rows() - 7, self.width);
        for (numbers, bases) in self.blocks_mut().zip(vectors.chunks(width)) {
            let (rows, fixed) = numbers[row * width..].split_at_mut(3 * width);
            for (lane, base) in bases.iter().enumerate() {
                let reach = fixed[3 * width + lane];
                if reach > 0.0 {
                    for (axis, coordinate) in base.iter().enumerate() {
                        let was = std::mem::replace(&mut fixed[axis * width + lane], *coordinate);
                        rows[axis * width + lane] += (was - coordinate) * (1.0 / reach);
                    }
                }
            }
        }
        Ok(())
    }

    /// Position of a joint in world space; joint 0 is the base, joint `links` the tip. None for a refused chain and for an
    /// index out of range.
    pub fn point(&self, chain: usize, joint: usize) -> Option<Vec3> {
        if chain >= self.chains || joint > self.links || self.is_idle(chain) {
            return None;
        }
        Some(self.vector(chain, 3 * joint) * self.reach(chain) + self.base(chain))
    }

    /// Writes the joints of all chains in world space, chain after chain: `links + 1` points each, base first. The points of
    /// refused chains stay as they are.
    ///
    /// # Errors
    /// `points` does not hold `links + 1` points per chain; nothing is written then.
    pub fn write_points<P: Point>(&self, points: &mut [P]) -> Result<(), BatchError> {
        let expected = self.chains * (self.links + 1);
        if points.len() != expected {
            return Err(BatchError::Points { expected, found: points.len() });
        }
        let chains = P::flat_mut(points).chunks_exact_mut(3 * (self.links + 1));
        for (chain, column) in chains.enumerate() {
            for (joint, number) in column.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                if let Some(point) = self.point(chain, joint) {
                    *number = point.to_array();
                }
            }
        }
        Ok(())
    }

    /// Whether the lane of a chain is idle.
    fn is_idle(&self, chain: usize) -> bool {
        self.reach(chain) == 0.0
    }
}

/// The blocks of one tile.
pub(super) struct TileBlocks<'a> {
    pub links: usize,
    /// A multiple of [`BLOCKS_PER_TILE_STEP`] blocks.
    pub numbers: &'a mut [f32],
    /// One per chain.
    pub outcomes: &'a mut [Outcome],
}

impl TileBlocks<'_> {
    /// Solves all chains by the scalar path.
    pub fn solve_scalar(self, level: Level, scalar: &mut ScalarSolver, settings: &Settings) {
        match level {
            Level::Portable => self.solve_scalar_in::<4>(scalar, settings),
            Level::Avx2 => self.solve_scalar_in::<8>(scalar, settings),
            Level::Avx512 => self.solve_scalar_in::<16>(scalar, settings),
        }
    }

    fn solve_scalar_in<const W: usize>(self, scalar: &mut ScalarSolver, settings: &Settings) {
        let blocks = self.numbers.chunks_exact_mut(block_len(self.links, W));
        for (numbers, outcomes) in blocks.zip(self.outcomes.chunks_mut(W)) {
            let mut block = Block::<W>::of(numbers, self.links);
            for (lane, outcome) in outcomes.iter_mut().enumerate() {
                *outcome = solve_lane(&mut block, lane, scalar, settings);
            }
        }
    }
}

/// Writes the outcomes of a block. Special lanes are solved by the scalar path, from the joints that they had `before`.
pub(super) fn finish<const W: usize>(
    block: &mut Block<'_, W>,
    before: &[f32],
    results: LaneResults<'_, W>,
    scalar: &mut ScalarSolver,
    settings: &Settings,
    outcomes: &mut [Outcome],
) {
    for (lane, outcome) in outcomes.iter_mut().enumerate() {
        *outcome = if results.masks.special & (1 << lane) != 0 || block.reach[lane] == 0.0 {
            copy_lane(before.as_chunks::<W>().0, lane, block.joints.as_flattened_mut(), lane);
            solve_lane(block, lane, scalar, settings)
        } else {
            results.outcome(lane)
        };
    }
}

/// Solves one lane by the scalar path.
fn solve_lane<const W: usize>(
    block: &mut Block<'_, W>,
    lane: usize,
    scalar: &mut ScalarSolver,
    settings: &Settings,
) -> Outcome {
    if block.reach[lane] == 0.0 {
        return Outcome::default();
    }
    Outcome::from(scalar.solve_lane(block, lane, settings))
}
