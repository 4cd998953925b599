//! A tile is as many blocks as fit the nearest caches. All of them get reaching passes; then the lanes that are still open
//! are gathered into full blocks for the closure.
#![allow(unsafe_code)] // Calls functions that use instructions which not every processor has.

use super::block::{Aligned, Block, BlockSource, block_len};
use super::blocks::{self, TileBlocks};
use super::chains::Chains;
use super::closing;
use super::lane_results::{LaneMasks, LaneResults};
use super::lanes::Lanes;
use super::level::Level;
use super::portable::Quad;
use super::reaching::{self, Bounds};
use super::scalar::ScalarSolver;
use super::transpose::copy_lane;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::model::settings::Settings;

/// A level that this processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Engine {
    /// The engine of a level; none if the processor lacks it.
    #[cfg(target_arch = "x86_64")]
    pub fn of(level: Level) -> Option<Engine> {
        match level {
            Level::Portable => Some(Engine::Portable),
            Level::Avx2 => x86::Avx2::detect().map(Engine::Avx2),
            Level::Avx512 => x86::Avx512::detect().map(Engine::Avx512),
        }
    }

    /// The engine of a level; none if the processor lacks it.
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

/// The buffers for solving a tile, which persist between solves.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Blocks of the tile, or the start poses of blocks that are solved in place.
    blocks: Aligned,
    /// One per block.
    masks: Vec<LaneMasks>,
    /// Squared distance to the target in units of the reach, one per lane.
    squared_errors: Aligned,
    /// Iterations, one per lane.
    iterations: Aligned,
    /// Block and lane of the chains that the closure works on.
    open: Vec<(usize, usize)>,
    /// The block of the closure.
    gathered: Aligned,
    /// Vectors of the closure.
    vectors: Aligned,
    /// For the chains that are not suited for the lanes.
    pub scalar: ScalarSolver,
}

impl Scratch {
    /// The results of a block, and the solver for its special lanes.
    fn results<const W: usize>(&mut self, block: usize) -> (LaneResults<'_, W>, &mut ScalarSolver) {
        let (squared_errors, _) = self.squared_errors.as_slice().as_chunks::<W>();
        let (iterations, _) = self.iterations.as_slice().as_chunks::<W>();
        let (squared_errors, iterations) = (&squared_errors[block], &iterations[block]);
        (LaneResults { masks: self.masks[block], squared_errors, iterations }, &mut self.scalar)
    }
}

/// The parameters of a solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params<'a> {
    pub bounds: Bounds,
    pub settings: &'a Settings,
}

/// The chains of a tile.
pub(super) enum Input<'a> {
    /// In slices, to be copied into blocks and back.
    Chains(Chains<'a>),
    /// In blocks, to be solved in place.
    Blocks(TileBlocks<'a>),
}

/// Solves a tile of chains.
pub(super) fn solve(engine: Engine, input: Input<'_>, scratch: &mut Scratch, params: Params<'_>) {
    match engine {
        Engine::Portable => run::<Quad, 4, 2>((), input, scratch, params),
        // SAFETY: the proof exists only if the processor has AVX2 with FMA.
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2(proof) => unsafe { run_avx2(proof, input, scratch, params) },
        // SAFETY: the proof exists only if the processor has AVX-512F.
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512(proof) => unsafe { run_avx512(proof, input, scratch, params) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(proof: x86::Avx2, input: Input<'_>, scratch: &mut Scratch, params: Params<'_>) {
    run::<x86::F32x8, 8, 3>(proof, input, scratch, params);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(proof: x86::Avx512, input: Input<'_>, scratch: &mut Scratch, params: Params<'_>) {
    run::<x86::F32x16, 16, 3>(proof, input, scratch, params);
}

/// Solves a tile. `G` is the number of interleaved blocks.
#[inline(always)]
fn run<L: Lanes<W>, const W: usize, const G: usize>(
    proof: L::Proof,
    input: Input<'_>,
    scratch: &mut Scratch,
    params: Params<'_>,
) {
    match input {
        Input::Chains(mut chains) => {
            let (links, len) = (chains.links, block_len(chains.links, W));
            let mut blocks = std::mem::take(&mut scratch.blocks);
            blocks.resize(chains.count().div_ceil(G * W) * G * len);
            iterate::<L, W, G>(proof, &mut chains, links, blocks.as_mut_slice(), scratch, params.bounds);
            for (at, numbers) in blocks.as_mut_slice().chunks_exact_mut(len).enumerate() {
                let (results, scalar) = scratch.results(at);
                chains.store::<L, W>(proof, at * W, &mut Block::of(numbers, links), results, scalar, params.settings);
            }
            scratch.blocks = blocks;
        }
        Input::Blocks(tile) => {
            let (links, len, joints_len) = (tile.links, block_len(tile.links, W), 3 * (tile.links + 1) * W);
            let mut before = std::mem::take(&mut scratch.blocks);
            before.resize(tile.numbers.len() / len * joints_len);
            let mut source = InPlace { before: before.as_mut_slice() };
            iterate::<L, W, G>(proof, &mut source, links, tile.numbers, scratch, params.bounds);
            let blocks = tile.numbers.chunks_exact_mut(len).zip(before.as_slice().chunks_exact(joints_len));
            for (at, ((numbers, before), outcomes)) in blocks.zip(tile.outcomes.chunks_mut(W)).enumerate() {
                let (results, scalar) = scratch.results(at);
                let mut block = Block::<W>::of(numbers, links);
                blocks::finish(&mut block, before, results, scalar, params.settings, outcomes);
            }
            scratch.blocks = before;
        }
    }
}

/// The source of blocks that already hold their chains. It keeps their start poses for special lanes.
struct InPlace<'a> {
    /// The joints of all blocks.
    before: &'a mut [f32],
}

impl BlockSource for InPlace<'_> {
    #[inline(always)]
    fn fill<L: Lanes<W>, const W: usize>(&mut self, _: L::Proof, first: usize, block: &mut Block<'_, W>) {
        let joints = block.joints.as_flattened().as_flattened();
        self.before[first / W * joints.len()..][..joints.len()].copy_from_slice(joints);
    }
}

/// Runs the lanes' part of the solve on all blocks of the tile, and leaves the results in `scratch`.
#[inline(always)]
fn iterate<L: Lanes<W>, const W: usize, const G: usize>(
    proof: L::Proof,
    source: &mut impl BlockSource,
    links: usize,
    blocks: &mut [f32],
    scratch: &mut Scratch,
    bounds: Bounds,
) {
    let len = block_len(links, W);
    let groups = blocks.len() / (G * len);
    let Scratch { masks, squared_errors, iterations, .. } = scratch;
    squared_errors.resize(groups * G * W);
    iterations.resize(groups * G * W);
    masks.clear();
    let (squared_errors, _) = squared_errors.as_mut_slice().as_chunks_mut::<W>();
    let (squared_errors, _) = squared_errors.as_chunks_mut::<G>();
    let (iterations, _) = iterations.as_mut_slice().as_chunks_mut::<W>();
    let (iterations, _) = iterations.as_chunks_mut::<G>();
    let results = squared_errors.iter_mut().zip(iterations);
    for (at, (numbers, (squared_errors, iterations))) in blocks.chunks_exact_mut(G * len).zip(results).enumerate() {
        let mut rest = numbers;
        let mut group: [Block<'_, W>; G] = std::array::from_fn(|_| {
            let (first, others) = std::mem::take(&mut rest).split_at_mut(len);
            rest = others;
            Block::of(first, links)
        });
        for (i, block) in group.iter_mut().enumerate() {
            source.fill::<L, W>(proof, (G * at + i) * W, block);
        }
        let found = reaching::solve::<L, W, G>(proof, &mut group, bounds, squared_errors, iterations);
        masks.extend_from_slice(&found);
    }
    close_gathered::<L, W>(proof, links, blocks, scratch, bounds);
}

/// Applies the closure to all open lanes of the tile.
#[inline(always)]
fn close_gathered<L: Lanes<W>, const W: usize>(
    proof: L::Proof,
    links: usize,
    tile: &mut [f32],
    scratch: &mut Scratch,
    bounds: Bounds,
) {
    let Scratch { masks, squared_errors, open, gathered, vectors, scalar, .. } = scratch;
    let squared_errors = squared_errors.as_mut_slice();
    open.clear();
    for (at, masks) in masks.iter().enumerate() {
        let mut lanes = masks.open;
        while lanes != 0 {
            open.push((at, lanes.trailing_zeros() as usize));
            lanes &= lanes - 1;
        }
    }
    let len = block_len(links, W);
    gathered.resize(len);
    vectors.resize(3 * links * W);
    let (rows, _) = vectors.as_mut_slice().as_chunks_mut::<W>();
    let (vectors, _) = rows.as_chunks_mut::<3>();
    for lanes in open.chunks(W) {
        let numbers = gathered.as_mut_slice();
        numbers.fill(0.0);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            copy_lane::<W>(tile[at * len..(at + 1) * len].as_chunks().0, lane, numbers.as_chunks_mut().0, slot);
        }
        let mut errors = [0.0; W];
        let mut block = Block::<W>::of(numbers, links);
        let unsolved = closing::close::<L, W>(proof, &mut block, vectors, bounds.tolerance, &mut errors);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            let mut error = Some(errors[slot]);
            if unsolved & (1 << slot) != 0 {
                error = scalar.scale_chord(&mut block, slot, f64::from(bounds.tolerance));
            }
            match error {
                Some(error) => {
                    let into = Block::<W>::of(&mut tile[at * len..(at + 1) * len], links).joints;
                    copy_lane(block.joints.as_flattened(), slot, into.as_flattened_mut(), lane);
                    squared_errors[at * W + lane] = error;
                }
                None => masks[at].special |= 1 << lane,
            }
        }
    }
}
