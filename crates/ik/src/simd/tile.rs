//! A tile is as many blocks as fit the nearest caches. All of them get reaching passes; then the lanes that are still open
//! are gathered into full blocks for the closure.

use super::block::{Block, LaneMasks, block_len};
use super::chains::Chains;
use super::closing;
use super::level::Engine;
use super::reaching;
use super::scalar::ScalarSolver;
use super::transpose::copy_lane;
use super::vector::Lanes;
use crate::model::Settings;
use fearless_simd::f32x4;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{Simd, f32x8, f32x16};

/// The buffers for solving a tile, which persist between solves.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The blocks of the tile.
    blocks: Vec<f32>,
    /// One per block.
    masks: Vec<LaneMasks>,
    /// Block and lane of the chains that the closure works on.
    open: Vec<(usize, usize)>,
    /// The block of the closure.
    gathered: Vec<f32>,
    /// Vectors of the closure.
    vectors: Vec<f32>,
    /// For the chains that are not suited for the lanes.
    pub scalar: ScalarSolver,
}

pub(super) fn solve(engine: Engine, chains: Chains<'_>, scratch: &mut Scratch, settings: &Settings) {
    match engine {
        Engine::Portable(simd) => run::<f32x4<_>, 4, 2>(simd, chains, scratch, settings),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2(simd) => simd.vectorize(
            #[inline(always)]
            || run::<f32x8<_>, 8, 3>(simd, chains, scratch, settings),
        ),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512(simd) => simd.vectorize(
            #[inline(always)]
            || run::<f32x16<_>, 16, 3>(simd, chains, scratch, settings),
        ),
    }
}

/// Solves a tile. `G` is the number of interleaved blocks.
#[inline(always)]
fn run<L: Lanes<W>, const W: usize, const G: usize>(
    simd: L::Token,
    mut chains: Chains<'_>,
    scratch: &mut Scratch,
    settings: &Settings,
) {
    let (links, len) = (chains.links, block_len(chains.links, W));
    let tolerance = settings.tolerance as f32;
    scratch.masks.clear();
    scratch.blocks.resize(chains.count().div_ceil(G * W) * G * len, 0.0);
    for (at, numbers) in scratch.blocks.chunks_exact_mut(G * len).enumerate() {
        let mut rest = numbers;
        let mut group: [Block<'_, W>; G] = std::array::from_fn(|_| {
            let (first, others) = std::mem::take(&mut rest).split_at_mut(len);
            rest = others;
            Block::of(first, links)
        });
        for (i, block) in group.iter_mut().enumerate() {
            chains.fill::<L, W>(simd, (G * at + i) * W, block);
        }
        scratch.masks.extend(reaching::solve::<L, W, G>(simd, &mut group, tolerance));
    }
    close_gathered::<L, W>(simd, links, scratch, tolerance);
    let Scratch { blocks, masks, scalar, .. } = scratch;
    for (at, (numbers, masks)) in blocks.chunks_exact_mut(len).zip(masks).enumerate() {
        chains.store::<L, W>(simd, at * W, &mut Block::of(numbers, links), *masks, scalar, settings);
    }
}

/// Applies the closure to all open lanes of the tile.
#[inline(always)]
fn close_gathered<L: Lanes<W>, const W: usize>(simd: L::Token, links: usize, scratch: &mut Scratch, tolerance: f32) {
    let Scratch { blocks, masks, open, gathered, vectors, scalar } = scratch;
    open.clear();
    for (at, masks) in masks.iter().enumerate() {
        let mut lanes = masks.open;
        while lanes != 0 {
            open.push((at, lanes.trailing_zeros() as usize));
            lanes &= lanes - 1;
        }
    }
    let len = block_len(links, W);
    gathered.resize(len, 0.0);
    vectors.resize(3 * links * W, 0.0);
    let (rows, _) = vectors.as_chunks_mut::<W>();
    let (vectors, _) = rows.as_chunks_mut::<3>();
    for lanes in open.chunks(W) {
        gathered.fill(0.0);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            copy_lane::<W>(blocks[at * len..(at + 1) * len].as_chunks().0, lane, gathered.as_chunks_mut().0, slot);
        }
        let mut block = Block::<W>::of(gathered, links);
        let unsolved = closing::close::<L, W>(simd, &mut block, vectors, tolerance);
        for (slot, &(at, lane)) in lanes.iter().enumerate() {
            let is_open = unsolved & (1 << slot) != 0;
            if is_open && !scalar.scale_chord(&mut block, slot, f64::from(tolerance)) {
                masks[at].special |= 1 << lane;
                continue;
            }
            let into = Block::<W>::of(&mut blocks[at * len..(at + 1) * len], links);
            copy_lane(block.joints.as_flattened(), slot, into.joints.as_flattened_mut(), lane);
            into.squared_error[lane] = block.squared_error[slot];
        }
    }
}
