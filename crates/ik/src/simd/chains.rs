//! Chains as they are given, as plain numbers, and their way into the lanes and back.

use super::block::Block;
use super::lanes::{Lanes, load};
use super::point::{are_finite, is_length};
use super::scalar::Scalar;
use super::solve::Outcome;
use super::tile::{Found, Load};
use super::transpose::{gather, gather_lane, scatter};
use crate::model::settings::Settings;

/// Link lengths of the chains, base first, in the unit of the points.
#[derive(Clone, Copy, Debug)]
pub enum Lengths<'a> {
    /// All chains are alike: one length for each link.
    Shared(&'a [f32]),
    /// Chain after chain.
    Each(&'a [f32]),
}

impl<'a> Lengths<'a> {
    /// The lengths of one chain.
    pub(super) fn of(self, chain: usize, links: usize) -> &'a [f32] {
        match self {
            Lengths::Shared(lengths) => lengths,
            Lengths::Each(lengths) => &lengths[chain * links..(chain + 1) * links],
        }
    }

    /// The lengths of a run of chains.
    pub(super) fn run(self, links: usize, first: usize, chains: usize) -> Self {
        match self {
            Lengths::Shared(lengths) => Lengths::Shared(lengths),
            Lengths::Each(lengths) => Lengths::Each(&lengths[first * links..(first + chains) * links]),
        }
    }
}

/// A run of chains.
pub(super) struct Chains<'a> {
    pub links: usize,
    pub lengths: Lengths<'a>,
    /// Where every chain starts, if not from its own points.
    pub start: Option<&'a [f32]>,
    /// Three numbers a point, `links + 1` points a chain.
    pub points: &'a mut [f32],
    pub targets: &'a [f32],
    pub outcomes: &'a mut [Outcome],
}

impl Chains<'_> {
    /// How many.
    pub fn count(&self) -> usize {
        self.outcomes.len()
    }

    /// Numbers in the points of a chain.
    fn stride(&self) -> usize {
        3 * (self.links + 1)
    }

    /// The pose from which a chain starts.
    fn pose(&self, chain: usize) -> &[f32] {
        match self.start {
            Some(start) => start,
            None => &self.points[chain * self.stride()..(chain + 1) * self.stride()],
        }
    }

    fn target(&self, chain: usize) -> &[f32] {
        &self.targets[3 * chain..3 * chain + 3]
    }

    /// The lanes of a solved block back to their chains; those that could not be solved there by the scalar path.
    #[inline(always)]
    pub fn store<L: Lanes<W>, const W: usize>(
        &mut self,
        proof: L::Proof,
        first: usize,
        block: &mut Block<'_, W>,
        (tally, errors, counts): Found<'_, W>,
        scalar: &mut Scalar,
        settings: &Settings,
    ) {
        let lanes = W.min(self.count().saturating_sub(first));
        let mut written = if self.start.is_some() { u32::MAX } else { tally.moved };
        for lane in 0..lanes {
            let bit = 1 << lane;
            if block.reach[lane] == 0.0 {
                self.refuse(first + lane);
                written &= !bit;
            } else if tally.special & bit != 0 {
                self.solve_alone(first + lane, scalar, settings);
                written &= !bit;
            } else {
                self.outcomes[first + lane] = tally.outcome(lane, errors[lane], counts[lane]);
            }
        }
        written &= ((1_u64 << lanes) - 1) as u32;
        if written != 0 {
            denormalize::<L, W>(proof, block);
            let stride = self.stride();
            let points = &mut self.points[first * stride..(first + lanes) * stride];
            write_lanes(block.joints.as_flattened(), points, stride, written);
        }
    }

    /// A chain that cannot be solved.
    fn refuse(&mut self, chain: usize) {
        self.outcomes[chain] = Outcome::default();
        if let Some(start) = self.start {
            let stride = self.stride();
            self.points[chain * stride..(chain + 1) * stride].copy_from_slice(start);
        }
    }

    /// One chain by the scalar path.
    pub fn solve_alone(&mut self, chain: usize, scalar: &mut Scalar, settings: &Settings) {
        let lengths = self.lengths.of(chain, self.links);
        let (pose, target) = (self.pose(chain), self.target(chain));
        if !are_finite(pose) || !are_finite(target) || !lengths.iter().all(|&length| is_length(length)) {
            return self.refuse(chain);
        }
        let report = scalar.solve(pose, lengths, target, settings);
        self.outcomes[chain] = Outcome::from(report);
        let stride = self.stride();
        scalar.write(&mut self.points[chain * stride..(chain + 1) * stride]);
    }
}

impl Load for Chains<'_> {
    /// `W` chains, from the `first` on, into a block. Lanes beyond the last chain repeat it.
    #[inline(always)]
    fn load<L: Lanes<W>, const W: usize>(&mut self, proof: L::Proof, first: usize, block: &mut Block<'_, W>) {
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
        normalize::<L, W>(proof, block);
    }
}

/// The lanes of the mask into columns that lie one after the other, `stride` numbers each.
fn write_lanes<const W: usize>(rows: &[[f32; W]], columns: &mut [f32], stride: usize, mask: u32) {
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

/// From world space to the block's: notes base and reach, makes everything relative to them, and clears bad lanes.
#[inline(always)]
fn normalize<L: Lanes<W>, const W: usize>(proof: L::Proof, block: &mut Block<'_, W>) {
    let zero = L::splat(proof, 0.0);
    let largest = L::splat(proof, f32::MAX);
    let mut good = zero.at_most(zero);
    let mut reach = zero;
    for row in block.lengths.iter() {
        let length = L::load(proof, row);
        good = L::both(L::without(good, length.at_most(zero)), length.at_most(largest));
        reach = reach + length;
    }
    let scale = L::splat(proof, 1.0) / reach;
    for row in block.lengths.iter_mut() {
        (L::load(proof, row) * scale).store(row);
    }
    let base = load::<L, W>(proof, &block.joints[0]);
    for rows in block.joints.iter_mut().chain([&mut *block.target]) {
        for (row, base) in rows.iter_mut().zip(base) {
            let number = L::load(proof, row);
            good = L::both(good, L::both(number.at_most(largest), (zero - number).at_most(largest)));
            ((number - base) * scale).store(row);
        }
    }
    base[0].store(&mut block.base[0]);
    base[1].store(&mut block.base[1]);
    base[2].store(&mut block.base[2]);
    reach.store(block.reach);
    let all = zero.at_most(zero);
    if L::bits(good) != L::bits(all) {
        let rows = block.joints.as_flattened_mut().iter_mut().chain(block.lengths.iter_mut());
        for row in rows.chain(block.target.iter_mut()).chain([&mut *block.reach]) {
            L::select(good, L::load(proof, row), zero).store(row);
        }
    }
}

/// The joints back to world space.
#[inline(always)]
fn denormalize<L: Lanes<W>, const W: usize>(proof: L::Proof, block: &mut Block<'_, W>) {
    let reach = L::load(proof, block.reach);
    let base = load::<L, W>(proof, block.base);
    for rows in block.joints.iter_mut() {
        for (row, base) in rows.iter_mut().zip(base) {
            // Not fused: a joint at the base must come out as the base, and so must the rest on every level.
            (L::load(proof, row) * reach + base).store(row);
        }
    }
}
