//! Chains in slices of plain numbers, and the conversion to lanes and back.

use super::block::{Block, LaneMasks, Outcome};
use super::point::{are_finite, is_length};
use super::scalar::ScalarSolver;
use super::transpose::{gather, gather_lane, scatter};
use super::vector::{Lanes, load, store};
use crate::model::{Report, Settings, Stop};
use fearless_simd::{Select, SimdMask};

/// Link lengths of the chains, base first, in the unit of the points.
#[derive(Clone, Copy, Debug)]
pub enum Lengths<'a> {
    /// One length per link; all chains have the same lengths.
    Shared(&'a [f32]),
    /// One length per link of every chain, chain after chain.
    Each(&'a [f32]),
}

impl<'a> Lengths<'a> {
    pub(super) fn of(self, chain: usize, links: usize) -> &'a [f32] {
        match self {
            Lengths::Shared(lengths) => lengths,
            Lengths::Each(lengths) => &lengths[chain * links..(chain + 1) * links],
        }
    }

    pub(super) fn run(self, links: usize, first: usize, chains: usize) -> Self {
        match self {
            Lengths::Shared(lengths) => Lengths::Shared(lengths),
            Lengths::Each(lengths) => Lengths::Each(&lengths[first * links..(first + chains) * links]),
        }
    }
}

/// Consecutive chains of a batch.
pub(super) struct Chains<'a> {
    pub links: usize,
    pub lengths: Lengths<'a>,
    /// Three numbers per point, `links + 1` points per chain.
    pub points: &'a mut [f32],
    pub targets: &'a [f32],
    pub outcomes: &'a mut [Outcome],
}

impl Chains<'_> {
    pub fn count(&self) -> usize {
        self.outcomes.len()
    }

    /// Number of coordinates per chain.
    fn stride(&self) -> usize {
        3 * (self.links + 1)
    }

    fn pose(&self, chain: usize) -> &[f32] {
        &self.points[chain * self.stride()..(chain + 1) * self.stride()]
    }

    fn target(&self, chain: usize) -> &[f32] {
        &self.targets[3 * chain..3 * chain + 3]
    }

    /// Copies the lanes of a solved block to their chains, and solves special lanes by the scalar path.
    #[inline(always)]
    pub fn store<L: Lanes<W>, const W: usize>(
        &mut self,
        simd: L::Token,
        first: usize,
        block: &mut Block<'_, W>,
        masks: LaneMasks,
        scalar: &mut ScalarSolver,
        settings: &Settings,
    ) {
        let lanes = W.min(self.count().saturating_sub(first));
        let mut written = masks.moved & ((1 << lanes) - 1);
        for lane in 0..lanes {
            let bit = 1 << lane;
            if block.reach[lane] == 0.0 {
                self.outcomes[first + lane] = Outcome::default();
                written &= !bit;
            } else if masks.special & bit != 0 {
                self.solve_scalar(first + lane, scalar, settings);
                written &= !bit;
            } else {
                let stop = if masks.too_far & bit != 0 { Stop::TooFar } else { Stop::Reached };
                let (error, iterations) = (block.squared_error[lane].sqrt(), block.iterations[lane] as u32);
                self.outcomes[first + lane] = Outcome { stop, error, iterations };
            }
        }
        if written != 0 {
            denormalize::<L, W>(simd, block);
            let stride = self.stride();
            let points = &mut self.points[first * stride..(first + lanes) * stride];
            write_lanes(block.joints.as_flattened(), points, stride, written);
        }
    }

    pub fn solve_scalar(&mut self, chain: usize, scalar: &mut ScalarSolver, settings: &Settings) {
        let stride = self.stride();
        let (lengths, target) = (self.lengths.of(chain, self.links), &self.targets[3 * chain..3 * chain + 3]);
        let pose = &mut self.points[chain * stride..(chain + 1) * stride];
        let is_good = are_finite(pose) && are_finite(target) && lengths.iter().all(|&length| is_length(length));
        let report = if is_good { scalar.solve(pose, lengths, target, settings) } else { Report::REFUSED };
        self.outcomes[chain] = Outcome::from(report);
    }

    /// Fills a block with the chains from the `first` on. Lanes beyond the last chain repeat it.
    #[inline(always)]
    pub fn fill<L: Lanes<W>, const W: usize>(&self, simd: L::Token, first: usize, block: &mut Block<'_, W>) {
        let chain = |lane: usize| (first + lane).min(self.count() - 1);
        for lane in (0..W).step_by(4) {
            let four = [chain(lane), chain(lane + 1), chain(lane + 2), chain(lane + 3)];
            scatter(four.map(|chain| self.pose(chain)), block.joints.as_flattened_mut(), lane);
            scatter(four.map(|chain| self.target(chain)), block.target, lane);
            if let Lengths::Each(_) = self.lengths {
                scatter(four.map(|chain| self.lengths.of(chain, self.links)), block.lengths, lane);
            }
        }
        if let Lengths::Shared(lengths) = self.lengths {
            block.lengths.iter_mut().zip(lengths).for_each(|(row, &length)| row.fill(length));
        }
        normalize::<L, W>(simd, block);
    }
}

/// Copies the lanes of the mask to consecutive columns of `stride` numbers each.
fn write_lanes<const W: usize>(rows: &[[f32; W]], columns: &mut [f32], stride: usize, mask: u64) {
    for (at, four) in columns.chunks_mut(4 * stride).enumerate() {
        let lane = 4 * at;
        if (mask >> lane) & 0b1111 == 0b1111 {
            let (a, rest) = four.split_at_mut(stride);
            let (b, rest) = rest.split_at_mut(stride);
            let (c, d) = rest.split_at_mut(stride);
            gather(rows, lane, [a, b, c, d]);
        } else {
            for (j, column) in four.chunks_exact_mut(stride).enumerate() {
                if mask & (1 << (lane + j)) != 0 {
                    gather_lane(rows, lane + j, column);
                }
            }
        }
    }
}

/// Converts from world space to the coordinates of a block: stores base and reach, makes everything else relative to
/// them, and clears bad lanes.
#[inline(always)]
fn normalize<L: Lanes<W>, const W: usize>(simd: L::Token, block: &mut Block<'_, W>) {
    let zero = L::splat(simd, 0.0);
    let mut good = L::Mask::splat(simd, true);
    let mut reach = zero;
    for row in block.lengths.iter() {
        let length = L::load_array_ref(simd, row);
        good &= !length.simd_le(0.0) & length.simd_le(f32::MAX);
        reach += length;
    }
    let scale = L::splat(simd, 1.0) / reach;
    for row in block.lengths.iter_mut() {
        (L::load_array_ref(simd, row) * scale).store_array(row);
    }
    let base = load::<L, W>(simd, &block.joints[0]);
    for rows in block.joints.iter_mut().chain([&mut *block.target]) {
        for (row, base) in rows.iter_mut().zip(base) {
            let number = L::load_array_ref(simd, row);
            good &= number.simd_le(f32::MAX) & (zero - number).simd_le(f32::MAX);
            ((number - base) * scale).store_array(row);
        }
    }
    store(base, block.base);
    reach.store_array(block.reach);
    if !good.all_true() {
        let rows = block.joints.as_flattened_mut().iter_mut().chain(block.lengths.iter_mut());
        for row in rows.chain(block.target.iter_mut()).chain([&mut *block.reach]) {
            good.select(L::load_array_ref(simd, row), zero).store_array(row);
        }
    }
}

/// Converts the joints to world space.
#[inline(always)]
fn denormalize<L: Lanes<W>, const W: usize>(simd: L::Token, block: &mut Block<'_, W>) {
    let reach = L::load_array_ref(simd, block.reach);
    let base = load::<L, W>(simd, block.base);
    for rows in block.joints.iter_mut() {
        for (row, base) in rows.iter_mut().zip(base) {
            // Not fused, so that all levels round alike and a joint at the base gets the exact position of the base.
            (L::load_array_ref(simd, row) * reach + base).store_array(row);
        }
    }
}
