//! A tile is a run of blocks that fits the nearest caches: reaching passes on all of them, then the closure on the lanes
//! that are still open, gathered into full blocks.
#![allow(unsafe_code)] // Entering functions that use instructions which not every processor has.

use super::block::{Aligned, Block, block_len};
use super::closing;
use super::lanes::Lanes;
use super::level::{Level, Roots};
use super::portable::Quad;
use super::reaching::{self, Bounds, Tally};
#[cfg(target_arch = "x86_64")]
use super::x86;

/// Blocks solved in step.
pub(super) const GROUP: usize = 2;

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

/// What a tile's solve needs beside the tile, and what it found; kept from one solve to the next.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// One for each block.
    pub tallies: Vec<Tally>,
    /// Squared distance to the target, in units of the reach: one number for each lane.
    pub errors: Aligned,
    /// Iterations: one number for each lane.
    pub counts: Aligned,
    /// Block and lane of what the closure works on.
    open: Vec<(usize, usize)>,
    gathered: Aligned,
    scratch: Aligned,
}

/// Solves all lanes of a tile, a whole number of groups of blocks. Lanes that are not solved are marked `special` in the
/// tallies; nothing is said about their positions then.
pub(super) fn solve(engine: Engine, roots: Roots, links: usize, tile: &mut [f32], work: &mut Work, bounds: Bounds) {
    match (engine, roots) {
        (Engine::Portable, Roots::Exact) => run::<Quad, 4, false>((), links, tile, work, bounds),
        (Engine::Portable, Roots::Estimated) => run::<Quad, 4, true>((), links, tile, work, bounds),
        // SAFETY: the proof is made only where AVX2 and FMA are found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx2(proof), Roots::Exact) => unsafe { run_avx2::<false>(proof, links, tile, work, bounds) },
        // SAFETY: the proof is made only where AVX2 and FMA are found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx2(proof), Roots::Estimated) => unsafe { run_avx2::<true>(proof, links, tile, work, bounds) },
        // SAFETY: the proof is made only where AVX-512F is found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx512(proof), Roots::Exact) => unsafe { run_avx512::<false>(proof, links, tile, work, bounds) },
        // SAFETY: the proof is made only where AVX-512F is found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx512(proof), Roots::Estimated) => unsafe { run_avx512::<true>(proof, links, tile, work, bounds) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<const FAST: bool>(proof: x86::Avx2, links: usize, tile: &mut [f32], work: &mut Work, bounds: Bounds) {
    run::<x86::F32x8, 8, FAST>(proof, links, tile, work, bounds);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512<const FAST: bool>(proof: x86::Avx512, links: usize, tile: &mut [f32], work: &mut Work, bounds: Bounds) {
    run::<x86::F32x16, 16, FAST>(proof, links, tile, work, bounds);
}

#[inline(always)]
fn run<L: Lanes<W>, const W: usize, const FAST: bool>(
    proof: L::Proof,
    links: usize,
    tile: &mut [f32],
    work: &mut Work,
    bounds: Bounds,
) {
    let len = block_len(links, W);
    let blocks = tile.len() / len;
    work.tallies.clear();
    work.open.clear();
    work.errors.resize(blocks * W);
    work.counts.resize(blocks * W);
    let (errors, _) = work.errors.as_mut_slice().as_chunks_mut::<W>();
    let (error_groups, _) = errors.as_chunks_mut::<GROUP>();
    let (counts, _) = work.counts.as_mut_slice().as_chunks_mut::<W>();
    let (count_groups, _) = counts.as_chunks_mut::<GROUP>();
    for (group, (errors, counts)) in tile.chunks_exact_mut(GROUP * len).zip(error_groups.iter_mut().zip(count_groups)) {
        let (first, second) = group.split_at_mut(len);
        let mut pair = [Block::of(first, links), Block::of(second, links)];
        let tallies = reaching::solve::<L, W, GROUP, FAST>(proof, &mut pair, bounds, errors, counts);
        work.tallies.extend_from_slice(&tallies);
    }
    for (at, tally) in work.tallies.iter().enumerate() {
        let mut open = tally.open;
        while open != 0 {
            work.open.push((at, open.trailing_zeros() as usize));
            open &= open - 1;
        }
    }
    close_gathered::<L, W>(proof, links, tile, work, bounds);
}

/// The closure for all open lanes of the tile.
#[inline(always)]
fn close_gathered<L: Lanes<W>, const W: usize>(
    proof: L::Proof,
    links: usize,
    tile: &mut [f32],
    work: &mut Work,
    bounds: Bounds,
) {
    let len = block_len(links, W);
    work.gathered.resize(len);
    work.scratch.resize(3 * links * W);
    let (rows, _) = work.scratch.as_mut_slice().as_chunks_mut::<W>();
    let (scratch, _) = rows.as_chunks_mut::<3>();
    for lanes in work.open.chunks(W) {
        let numbers = work.gathered.as_mut_slice();
        numbers.fill(0.0);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            copy_lane::<W>(&tile[at * len..(at + 1) * len], lane, numbers, slot);
        }
        let mut errors = [0.0; W];
        let left =
            closing::close::<L, W>(proof, &mut Block::of(numbers, links), scratch, bounds.tolerance, &mut errors);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            if left & (1 << slot) == 0 {
                copy_lane::<W>(numbers, slot, &mut tile[at * len..(at + 1) * len], lane);
                work.errors.as_mut_slice()[at * W + lane] = errors[slot];
            } else {
                work.tallies[at].special |= 1 << lane;
            }
        }
    }
}

/// Copies a lane of one block into a lane of another.
#[inline(always)]
fn copy_lane<const W: usize>(from: &[f32], lane: usize, to: &mut [f32], slot: usize) {
    let (from, _) = from.as_chunks::<W>();
    let (to, _) = to.as_chunks_mut::<W>();
    for (from, to) in from.iter().zip(to) {
        to[slot] = from[lane];
    }
}
