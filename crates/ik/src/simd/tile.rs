//! A tile is a run of blocks that fits the nearest caches: reaching passes on all of them, then the closure on the lanes
//! that are still open, gathered into full blocks.
#![allow(unsafe_code)] // Entering functions that use instructions which not every processor has.

use super::block::{Aligned, Block, block_len};
use super::blocks;
use super::blocks::Run;
use super::chains::Chains;
use super::closing;
use super::lanes::Lanes;
use super::level::{Level, Roots};
use super::portable::Quad;
use super::reaching;
use super::reaching::{Bounds, Tally};
use super::scalar::Scalar;
use super::transpose::copy_lane;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::model::settings::Settings;

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
    /// Blocks of the tile, or where the joints of blocks started that are solved in place.
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

/// What became of a block: which lanes did what, and what is left of the distance and the iterations of each.
pub(super) type Found<'a, const W: usize> = (Tally, &'a [f32; W], &'a [f32; W]);

impl Desk {
    /// What became of a block, and where its stray lanes are solved.
    fn found<const W: usize>(&mut self, block: usize) -> (Found<'_, W>, &mut Scalar) {
        let (errors, _) = self.errors.as_slice().as_chunks::<W>();
        let (counts, _) = self.counts.as_slice().as_chunks::<W>();
        ((self.tallies[block], &errors[block], &counts[block]), &mut self.scalar)
    }
}

/// What a solve is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orders<'a> {
    pub roots: Roots,
    pub bounds: Bounds,
    pub settings: &'a Settings,
}

/// The chains of a tile.
pub(super) enum Work<'a> {
    /// To be brought into blocks and back.
    Chains(Chains<'a>),
    /// In blocks, and to stay there.
    Blocks(Run<'a>),
}

/// Solves a tile of chains.
pub(super) fn solve(engine: Engine, work: Work<'_>, desk: &mut Desk, orders: Orders<'_>) {
    match (engine, orders.roots) {
        (Engine::Portable, Roots::Exact) => run::<Quad, 4, 2, false>((), work, desk, orders),
        (Engine::Portable, Roots::Estimated) => run::<Quad, 4, 2, true>((), work, desk, orders),
        // SAFETY: the proof is made only where AVX2 and FMA are found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx2(proof), Roots::Exact) => unsafe { run_avx2::<false>(proof, work, desk, orders) },
        // SAFETY: the proof is made only where AVX2 and FMA are found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx2(proof), Roots::Estimated) => unsafe { run_avx2::<true>(proof, work, desk, orders) },
        // SAFETY: the proof is made only where AVX-512F is found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx512(proof), Roots::Exact) => unsafe { run_avx512::<false>(proof, work, desk, orders) },
        // SAFETY: the proof is made only where AVX-512F is found.
        #[cfg(target_arch = "x86_64")]
        (Engine::Avx512(proof), Roots::Estimated) => unsafe { run_avx512::<true>(proof, work, desk, orders) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<const FAST: bool>(proof: x86::Avx2, work: Work<'_>, desk: &mut Desk, orders: Orders<'_>) {
    run::<x86::F32x8, 8, 3, FAST>(proof, work, desk, orders);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512<const FAST: bool>(proof: x86::Avx512, work: Work<'_>, desk: &mut Desk, orders: Orders<'_>) {
    run::<x86::F32x16, 16, 3, FAST>(proof, work, desk, orders);
}

#[inline(always)]
fn run<L: Lanes<W>, const W: usize, const G: usize, const FAST: bool>(
    proof: L::Proof,
    work: Work<'_>,
    desk: &mut Desk,
    orders: Orders<'_>,
) {
    match work {
        Work::Chains(mut chains) => {
            let (links, len) = (chains.links, block_len(chains.links, W));
            let mut blocks = std::mem::take(&mut desk.blocks);
            blocks.resize(chains.count().div_ceil(G * W) * G * len);
            iterate::<L, W, G, FAST>(proof, &mut chains, links, blocks.as_mut_slice(), desk, orders.bounds);
            for (at, numbers) in blocks.as_mut_slice().chunks_exact_mut(len).enumerate() {
                let (found, scalar) = desk.found(at);
                chains.store::<L, W>(proof, at * W, &mut Block::of(numbers, links), found, scalar, orders.settings);
            }
            desk.blocks = blocks;
        }
        Work::Blocks(run) => {
            let (links, len, joints_len) = (run.links, block_len(run.links, W), 3 * (run.links + 1) * W);
            let mut before = std::mem::take(&mut desk.blocks);
            before.resize(run.numbers.len() / len * joints_len);
            let mut source = InPlace { before: before.as_mut_slice() };
            iterate::<L, W, G, FAST>(proof, &mut source, links, run.numbers, desk, orders.bounds);
            let blocks = run.numbers.chunks_exact_mut(len).zip(before.as_slice().chunks_exact(joints_len));
            for (at, ((numbers, before), outcomes)) in blocks.zip(run.outcomes.chunks_mut(W)).enumerate() {
                let (found, scalar) = desk.found(at);
                let mut block = Block::<W>::of(numbers, links);
                blocks::settle(&mut block, before, found, scalar, orders.settings, outcomes);
            }
            desk.blocks = before;
        }
    }
}

/// How a block comes by its chains.
pub(super) trait Load {
    /// Fills a block with the chains from the `first` on.
    fn load<L: Lanes<W>, const W: usize>(&mut self, proof: L::Proof, first: usize, block: &mut Block<'_, W>);
}

/// The chains are there already; where they start is kept for those that must leave the lanes.
struct InPlace<'a> {
    /// The joints of all blocks.
    before: &'a mut [f32],
}

impl Load for InPlace<'_> {
    #[inline(always)]
    fn load<L: Lanes<W>, const W: usize>(&mut self, _: L::Proof, first: usize, block: &mut Block<'_, W>) {
        let joints = block.joints.as_flattened().as_flattened();
        self.before[first / W * joints.len()..][..joints.len()].copy_from_slice(joints);
    }
}

/// Solves all blocks of the tile in their lanes, as far as that goes; the desk holds what became of them.
#[inline(always)]
fn iterate<L: Lanes<W>, const W: usize, const G: usize, const FAST: bool>(
    proof: L::Proof,
    source: &mut impl Load,
    links: usize,
    blocks: &mut [f32],
    desk: &mut Desk,
    bounds: Bounds,
) {
    let len = block_len(links, W);
    let groups = blocks.len() / (G * len);
    let Desk { tallies, errors, counts, .. } = desk;
    errors.resize(groups * G * W);
    counts.resize(groups * G * W);
    tallies.clear();
    let (errors, _) = errors.as_mut_slice().as_chunks_mut::<W>();
    let (errors, _) = errors.as_chunks_mut::<G>();
    let (counts, _) = counts.as_mut_slice().as_chunks_mut::<W>();
    let (counts, _) = counts.as_chunks_mut::<G>();
    for (at, (numbers, (errors, counts))) in
        blocks.chunks_exact_mut(G * len).zip(errors.iter_mut().zip(counts)).enumerate()
    {
        let mut rest = numbers;
        let mut group: [Block<'_, W>; G] = std::array::from_fn(|_| {
            let (first, others) = std::mem::take(&mut rest).split_at_mut(len);
            rest = others;
            Block::of(first, links)
        });
        for (i, block) in group.iter_mut().enumerate() {
            source.load::<L, W>(proof, (G * at + i) * W, block);
        }
        let found = reaching::solve::<L, W, G, FAST>(proof, &mut group, bounds, errors, counts);
        tallies.extend_from_slice(&found);
    }
    close_gathered::<L, W>(proof, links, blocks, desk, bounds);
}

/// The closure for all open lanes of the tile.
#[inline(always)]
fn close_gathered<L: Lanes<W>, const W: usize>(
    proof: L::Proof,
    links: usize,
    tile: &mut [f32],
    desk: &mut Desk,
    bounds: Bounds,
) {
    let Desk { tallies, errors: all_errors, open, gathered, scratch, scalar, .. } = desk;
    let all_errors = all_errors.as_mut_slice();
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
