//! A tile is a run of blocks that fits the nearest caches: reaching passes on all of them, then the closure on the lanes
//! that are still open, gathered into full blocks.
#![allow(unsafe_code)] // Entering functions that use instructions which not every processor has.

use super::block::{Aligned, Block, block_len};
use super::chains::Chains;
use super::closing;
use super::lanes::Lanes;
use super::level::{Level, Roots};
use super::portable::Quad;
use super::reaching::{self, Bounds, Tally};
use super::scalar::Scalar;
use super::transpose::copy_lane;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::ik::Settings;

/// Tiles hold multiples of so many blocks: every level's group divides it.
pub(super) const GROUPS: usize = 6;

/// A level that this processor is known to have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Engine {
    /// The engine of a level; none where the processor lacks it.
    #[cfg(target_arch = "x86_64")]
    pub fn of(level: Level) -> Option<Engine> {
        match level {
            Level::Portable => Some(Engine::Portable),
            Level::Avx2 => x86::Avx2::detect().map(Engine::Avx2),
            Level::Avx512 => x86::Avx512::detect().map(Engine::Avx512),
        }
    }

    /// The engine of a level; none where the processor lacks it.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn of(level: Level) -> Option<Engine> {
        (level == Level::Portable).then_some(Engine::Portable)
    }

    /// The engine of the best level.
    pub fn best() -> Engine {
        Engine::of(Level::best()).unwrap_or(Engine::Portable)
    }

    pub fn level(self) -> Level {
        match self {
            Engine::Portable => Level::Portable,
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(_) => Level::Avx2,
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512(_) => Level::Avx512,
        }
    }
}

/// What a tile's solve needs beside the chains; kept from one solve to the next.
#[derive(Debug, Default)]
pub(super) struct Desk {
    blocks: Aligned,
    /// One for each block.
    tallies: Vec<Tally>,
    /// Squared distance to the target, in units of the reach: one number for each lane.
    errors: Aligned,
    /// Iterations: one number for each lane.
    counts: Aligned,
    /// Block and lane of what the closure works on.
    open: Vec<(usize, usize)>,
    gathered: Aligned,
    scratch: Aligned,
    /// For the chains that leave the lanes.
    pub scalar: Scalar,
}

/// What a solve is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orders<'a> {
    pub roots: Roots,
    pub bounds: Bounds,
    pub settings: &'a Settings,
}

/// Solves a tile of chains.
pub(super) fn solve(engine: Engine, chains: &mut Chains<'_>, desk: &mut Desk, orders: Orders<'_>) {
    match (engine, orders.roots) {
        (Engine::Portable, Roots::Exact) => run::<Quad, 4, 2, false>((), chains, desk, orders),
        (Engine::Portable, Roots::Estimated) => run::<Quad, 4, 2, true>((), chains, desk, orders),
        // SAFETY: the proof is made only where AVX2 and FMA are found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx2(proof), Roots::Exact) => unsafe { run_avx2::<false>(proof, chains, desk, orders) },
        // SAFETY: the proof is made only where AVX2 and FMA are found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx2(proof), Roots::Estimated) => unsafe { run_avx2::<true>(proof, chains, desk, orders) },
        // SAFETY: the proof is made only where AVX-512F is found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx512(proof), Roots::Exact) => unsafe { run_avx512::<false>(proof, chains, desk, orders) },
        // SAFETY: the proof is made only where AVX-512F is found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx512(proof), Roots::Estimated) => unsafe { run_avx512::<true>(proof, chains, desk, orders) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<const FAST: bool>(proof: x86::Avx2, chains: &mut Chains<'_>, desk: &mut Desk, orders: Orders<'_>) {
    run::<x86::F32x8, 8, 3, FAST>(proof, chains, desk, orders);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512<const FAST: bool>(proof: x86::Avx512, chains: &mut Chains<'_>, desk: &mut Desk, orders: Orders<'_>) {
    run::<x86::F32x16, 16, 3, FAST>(proof, chains, desk, orders);
}

#[inline(always)]
fn run<L: Lanes<W>, const W: usize, const G: usize, const FAST: bool>(
    proof: L::Proof,
    chains: &mut Chains<'_>,
    desk: &mut Desk,
    orders: Orders<'_>,
) {
    let links = chains.links;
    let len = block_len(links, W);
    let groups = chains.count().div_ceil(G * W);
    let Desk { blocks, tallies, errors, counts, .. } = desk;
    blocks.resize(groups * G * len);
    errors.resize(groups * G * W);
    counts.resize(groups * G * W);
    tallies.clear();
    let (errors, _) = errors.as_mut_slice().as_chunks_mut::<W>();
    let (errors, _) = errors.as_chunks_mut::<G>();
    let (counts, _) = counts.as_mut_slice().as_chunks_mut::<W>();
    let (counts, _) = counts.as_chunks_mut::<G>();
    let groups = blocks.as_mut_slice().chunks_exact_mut(G * len).zip(errors.iter_mut().zip(counts));
    for (at, (numbers, (errors, counts))) in groups.enumerate() {
        let mut rest = numbers;
        let mut group: [Block<'_, W>; G] = std::array::from_fn(|_| {
            let (first, others) = std::mem::take(&mut rest).split_at_mut(len);
            rest = others;
            Block::of(first, links)
        });
        for (i, block) in group.iter_mut().enumerate() {
            chains.load::<L, W>(proof, (G * at + i) * W, block);
        }
        let found = reaching::solve::<L, W, G, FAST>(proof, &mut group, orders.bounds, errors, counts);
        tallies.extend_from_slice(&found);
    }
    close_gathered::<L, W>(proof, links, desk, orders.bounds);
    let Desk { blocks, tallies, errors, counts, scalar, .. } = desk;
    let (errors, _) = errors.as_slice().as_chunks::<W>();
    let (counts, _) = counts.as_slice().as_chunks::<W>();
    for (at, numbers) in blocks.as_mut_slice().chunks_exact_mut(len).enumerate() {
        let found = (tallies[at], &errors[at], &counts[at]);
        chains.store::<L, W>(proof, at * W, &mut Block::of(numbers, links), found, scalar, orders.settings);
    }
}

/// The closure for all open lanes of the tile.
#[inline(always)]
fn close_gathered<L: Lanes<W>, const W: usize>(proof: L::Proof, links: usize, desk: &mut Desk, bounds: Bounds) {
    let Desk { blocks, tallies, errors: all_errors, open, gathered, scratch, scalar, .. } = desk;
    let (tile, all_errors) = (blocks.as_mut_slice(), all_errors.as_mut_slice());
    open.clear();
    for (at, tally) in tallies.iter().enumerate() {
        let mut lanes = tally.open;
        while lanes != 0 {
            open.push((at, lanes.trailing_zeros() as usize));
            lanes &= lanes - 1;
        }
    }
    let len = block_len(links, W);
    gathered.resize(len);
    scratch.resize(3 * links * W);
    let (rows, _) = scratch.as_mut_slice().as_chunks_mut::<W>();
    let (scratch, _) = rows.as_chunks_mut::<3>();
    for lanes in open.chunks(W) {
        let numbers = gathered.as_mut_slice();
        numbers.fill(0.0);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            copy_lane::<W>(tile[at * len..(at + 1) * len].as_chunks().0, lane, numbers.as_chunks_mut().0, slot);
        }
        let mut errors = [0.0; W];
        let mut block = Block::<W>::of(numbers, links);
        let left = closing::close::<L, W>(proof, &mut block, scratch, bounds.tolerance, &mut errors);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            let mut error = Some(errors[slot]);
            if left & (1 << slot) != 0 {
                error = scalar.scale_chord(&mut block, slot, f64::from(bounds.tolerance));
            }
            match error {
                Some(error) => {
                    let into = Block::<W>::of(&mut tile[at * len..(at + 1) * len], links).joints;
                    copy_lane(block.joints.as_flattened(), slot, into.as_flattened_mut(), lane);
                    all_errors[at * W + lane] = error;
                }
                None => tallies[at].special |= 1 << lane,
            }
        }
    }
}
