//! Accelerated FABRIK on a few interleaved blocks: classification of the lanes, overshoot and the two reaching passes.
//!
//! In each lane the algorithm is the scalar one ([`Chain::solve`](crate::chain::Chain::solve)). Once a lane has reached its
//! target its bits do not change while its neighbours continue. The result of a lane never depends on another lane. A
//! NaN stays in its own lane, which then remains unsolved.

use super::block::{Block, LaneMasks};
use super::vector::{Lanes, dot, load, scaled_add, store_selected, sub};
use fearless_simd::{Select, SimdMask};

/// Iterations before the closure.
pub(super) const ITERATIONS: u32 = 4;
/// Half width, in units of the reach, of the band around the edges of the reachable shell in which `f32` cannot decide, so
/// that the scalar path does.
const EDGE_WIDTH: f32 = 2e-6;
/// Relative error of a squared link length above which the start pose is corrected first.
const LENGTH_ERROR_TO_CORRECT: f32 = 2e-6;
/// The same for a tip that is already at its target: the largest error of an answer, so that solving an answer again does
/// not change it.
const LENGTH_ERROR_TO_CORRECT_AT_TARGET: f32 = 4e-5;
/// Convergence rate above which chain and target are so nearly on one line that the scalar path decides how the chain
/// bends.
const STRAIGHT_RATE: f32 = 1.0 - 1e-5;
/// Upper bound of the convergence rate in the overshoot.
const LARGEST_RATE: f32 = 0.999_999;
/// Largest overshoot, as a fraction of the last link.
const LARGEST_OVERSHOOT: f32 = 0.5;
/// Largest factor by which a pass may scale a link to its length. With a larger factor, the ends of the link nearly
/// coincide and its direction is noise, so that the scalar path decides it.
const LARGEST_SCALE: f32 = 32.0;
/// Squared distance of a target, in units of the reach, above which the scalar path takes over.
const LARGEST_SQUARED_DISTANCE: f32 = 1e30;

/// State of a block between iterations.
#[derive(Clone, Copy)]
struct State<L: Lanes<W>, const W: usize> {
    /// Product of the cosines of all bends except the last.
    cosines: L,
    /// Allowed fraction of the largest overshoot.
    damping: L,
    /// Squared distance to the target before the last iteration.
    previous: L,
    /// Lanes that still iterate.
    active: L::Mask,
    /// Iterations so far.
    iterations: L,
    /// Largest factor by which a pass scaled a link.
    scale: L,
}

/// Properties of the start poses of a block.
struct Survey<L: Lanes<W>, const W: usize> {
    /// Lanes with a length error above [`LENGTH_ERROR_TO_CORRECT`].
    inexact: L::Mask,
    /// Lanes with no length error above [`LENGTH_ERROR_TO_CORRECT_AT_TARGET`].
    tolerable: L::Mask,
    /// Product of the cosines of all bends except the last.
    cosines: L,
    /// Length of the longest link.
    longest: L,
}

#[inline(always)]
fn survey<L: Lanes<W>, const W: usize>(simd: L::Token, block: &Block<'_, W>) -> Survey<L, W> {
    let zero = L::splat(simd, 0.0);
    let last = block.lengths.len() - 1;
    let (mut exact, mut tolerable) = (L::Mask::splat(simd, true), L::Mask::splat(simd, true));
    let mut cosines = L::splat(simd, 1.0);
    let mut longest = zero;
    let mut before = load::<L, W>(simd, &block.joints[0]);
    let mut link_before = [zero; 3];
    let mut length_before = zero;
    for (i, (row, joint)) in block.lengths.iter().zip(&block.joints[1..]).enumerate() {
        let joint = load::<L, W>(simd, joint);
        let length = L::load_array_ref(simd, row);
        let link = sub(joint, before);
        let squared = length * length;
        let excess = dot(link, link) - squared;
        let excess = excess.at_least(zero - excess);
        exact &= excess.simd_le(squared * LENGTH_ERROR_TO_CORRECT);
        tolerable &= excess.simd_le(squared * LENGTH_ERROR_TO_CORRECT_AT_TARGET);
        longest = longest.at_least(length);
        if i > 0 && i < last {
            cosines *= dot(link, link_before) / (length * length_before);
        }
        (before, link_before, length_before) = (joint, link, length);
    }
    Survey { inexact: !exact, tolerable, cosines, longest }
}

/// Classifies the lanes of a block: activates those that iterate, stretches those with targets beyond the reach, and leaves
/// the rest to the scalar path.
#[inline(always)]
fn classify<L: Lanes<W>, const W: usize>(
    simd: L::Token,
    block: &mut Block<'_, W>,
    tolerance: f32,
    state: &mut State<L, W>,
) -> LaneMasks {
    let target = load::<L, W>(simd, block.target);
    let gap = sub(target, load::<L, W>(simd, &block.joints[block.lengths.len()]));
    let near = dot(gap, gap).simd_le(tolerance * tolerance);
    let mut start = survey::<L, W>(simd, block);
    let inexact = start.inexact & !(near & start.tolerable);
    if inexact.to_bitmask() != 0 {
        correct_lengths::<L, W>(simd, block, inexact);
        start = survey::<L, W>(simd, block);
    }
    state.cosines = start.cosines;
    let distance = dot(target, target);
    let far = L::splat(simd, (1.0 + tolerance + EDGE_WIDTH).powi(2)).simd_le(distance);
    let far = far & distance.simd_le(LARGEST_SQUARED_DISTANCE);
    let dead_zone = (start.longest + start.longest - 1.0 + EDGE_WIDTH).at_least(0.0);
    let within_reach = distance.simd_le((1.0 - EDGE_WIDTH).powi(2));
    let reachable = within_reach & !distance.simd_le(dead_zone * dead_zone);
    let (rate, _) = convergence_rate(simd, block, state.cosines);
    let bent = rate.simd_le(STRAIGHT_RATE);
    state.active = reachable & (bent | near);
    if far.to_bitmask() != 0 {
        stretch::<L, W>(simd, block, far);
    }
    LaneMasks {
        open: 0,
        special: (!state.active & !far).to_bitmask(),
        too_far: far.to_bitmask(),
        moved: inexact.to_bitmask() | far.to_bitmask(),
    }
}

/// Where the next backward pass puts the tips: past the targets by the overshoot. Lanes whose tips are `within` this squared
/// distance of their targets end.
#[inline(always)]
fn overshot_target<L: Lanes<W>, const W: usize>(
    simd: L::Token,
    block: &Block<'_, W>,
    within: f32,
    state: &mut State<L, W>,
) -> [L; 3] {
    let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
    let links = block.lengths.len();
    let target = load::<L, W>(simd, block.target);
    let gap = sub(target, load::<L, W>(simd, &block.joints[links]));
    let error = dot(gap, gap);
    state.active &= !error.simd_le(within);
    let (rate, last_gap) = convergence_rate(simd, block, state.cosines);
    let rate = rate.at_most(LARGEST_RATE);
    // A quarter of the overshoot after an iteration that increased the error, twice as much after any other.
    let grew = !error.simd_le(state.previous);
    let eased = (state.damping + state.damping).at_most(1.0);
    state.damping = grew.select(state.damping * 0.25, eased);
    state.previous = error;
    let last = L::load_array_ref(simd, &block.lengths[links - 1]);
    let limit = last * LARGEST_OVERSHOOT * state.damping;
    let overshoot = (last_gap.distance - last) * rate / (one - rate);
    let overshoot = overshoot.at_most(limit).at_least(zero - limit);
    scaled_add(last_gap.vector, overshoot * last_gap.inverse, target)
}

/// Solves `G` blocks together, interleaved to hide latencies. Every lane ends within the tolerance, which is in units of the
/// reach, or the result names it. The blocks get the squared distances to the targets and the numbers of iterations.
///
/// The chains have at least three links.
#[inline(always)]
pub(super) fn solve<L: Lanes<W>, const W: usize, const G: usize>(
    simd: L::Token,
    blocks: &mut [Block<'_, W>; G],
    tolerance: f32,
) -> [LaneMasks; G] {
    let zero = L::splat(simd, 0.0);
    let one = L::splat(simd, 1.0);
    let within = tolerance * tolerance;
    let mut masks = [LaneMasks::default(); G];
    let mut states = [State {
        cosines: one,
        damping: one,
        previous: L::splat(simd, f32::MAX),
        active: L::Mask::splat(simd, false),
        iterations: zero,
        scale: zero,
    }; G];

    for (block, (state, masks)) in blocks.iter_mut().zip(states.iter_mut().zip(&mut masks)) {
        *masks = classify::<L, W>(simd, block, tolerance, state);
    }
    for iteration in 0..=ITERATIONS {
        let mut tip_targets = [[zero; 3]; G];
        let mut any = 0;
        for g in 0..G {
            tip_targets[g] = overshot_target::<L, W>(simd, &blocks[g], within, &mut states[g]);
            any |= states[g].active.to_bitmask();
        }
        if any == 0 || iteration == ITERATIONS {
            break;
        }
        for (masks, state) in masks.iter_mut().zip(&mut states) {
            masks.moved |= state.active.to_bitmask();
            state.iterations += state.active.select(one, zero);
        }
        backward::<L, W, G>(simd, blocks, &mut states, &tip_targets);
        forward::<L, W, G>(simd, blocks, &mut states);
    }
    for g in 0..G {
        let block = &mut blocks[g];
        let noisy = (!states[g].scale.simd_le(LARGEST_SCALE)).to_bitmask();
        masks[g].special |= noisy;
        masks[g].open = states[g].active.to_bitmask() & !noisy;
        let gap = sub(load::<L, W>(simd, block.target), load::<L, W>(simd, &block.joints[block.lengths.len()]));
        dot(gap, gap).store_array(block.squared_error);
        states[g].iterations.store_array(block.iterations);
    }
    masks
}

/// The vector from the last joint before the tip to the target, its length and the inverse of that.
struct LastGap<L> {
    vector: [L; 3],
    distance: L,
    inverse: L,
}

/// The factor by which a textbook iteration multiplies the error (see [`crate::fabrik::overshoot`]), and the gap that it
/// depends on.
#[inline(always)]
fn convergence_rate<L: Lanes<W>, const W: usize>(simd: L::Token, block: &Block<'_, W>, cosines: L) -> (L, LastGap<L>) {
    let links = block.lengths.len();
    let joint = load::<L, W>(simd, &block.joints[links - 1]);
    let link = sub(joint, load::<L, W>(simd, &block.joints[links - 2]));
    let vector = sub(load::<L, W>(simd, block.target), joint);
    let squared = dot(vector, vector);
    let inverse = L::splat(simd, 1.0) / squared.at_least(1e-30).sqrt();
    let cosine = dot(link, vector) * inverse / L::load_array_ref(simd, &block.lengths[links - 2]);
    let product = cosines * cosine;
    (product * product, LastGap { vector, distance: squared * inverse, inverse })
}

/// Backward reaching: puts every tip on its `tip_targets` and pulls the other joints after it.
#[inline(always)]
fn backward<L: Lanes<W>, const W: usize, const G: usize>(
    simd: L::Token,
    blocks: &mut [Block<'_, W>; G],
    states: &mut [State<L, W>; G],
    tip_targets: &[[L; 3]; G],
) {
    let links = blocks[0].lengths.len();
    let mut moved = *tip_targets;
    for g in 0..G {
        let tip = &mut blocks[g].joints[links];
        let was = load::<L, W>(simd, tip);
        store_selected(tip, states[g].active, moved[g], was);
    }
    for i in (0..links).rev() {
        for g in 0..G {
            let was = load::<L, W>(simd, &blocks[g].joints[i]);
            let link = sub(was, moved[g]);
            let scale = L::load_array_ref(simd, &blocks[g].lengths[i]) / dot(link, link).sqrt();
            states[g].scale = states[g].scale.at_least(states[g].active.select(scale, states[g].scale));
            moved[g] = scaled_add(link, scale, moved[g]);
            store_selected(&mut blocks[g].joints[i], states[g].active, moved[g], was);
        }
    }
}

/// Forward reaching: puts every base back at the origin, pulls the other joints after it, and computes the cosines of the
/// bends.
#[inline(always)]
fn forward<L: Lanes<W>, const W: usize, const G: usize>(
    simd: L::Token,
    blocks: &mut [Block<'_, W>; G],
    states: &mut [State<L, W>; G],
) {
    let zero = L::splat(simd, 0.0);
    let one = L::splat(simd, 1.0);
    let links = blocks[0].lengths.len();
    let mut moved = [[zero; 3]; G];
    let mut before = [([zero; 3], zero); G];
    for g in 0..G {
        blocks[g].joints[0] = [[0.0; W]; 3];
        states[g].cosines = one;
    }
    for i in 0..links {
        for g in 0..G {
            let was = load::<L, W>(simd, &blocks[g].joints[i + 1]);
            let link = sub(was, moved[g]);
            let inverse = one / dot(link, link).sqrt();
            if i > 0 && i + 1 < links {
                let (link_before, inverse_before) = before[g];
                states[g].cosines *= dot(link, link_before) * (inverse * inverse_before);
            }
            before[g] = (link, inverse);
            let scale = inverse * L::load_array_ref(simd, &blocks[g].lengths[i]);
            states[g].scale = states[g].scale.at_least(states[g].active.select(scale, states[g].scale));
            moved[g] = scaled_add(link, scale, moved[g]);
            store_selected(&mut blocks[g].joints[i + 1], states[g].active, moved[g], was);
        }
    }
}

/// Corrects the link lengths in the lanes of the mask by one forward pass.
#[inline(always)]
fn correct_lengths<L: Lanes<W>, const W: usize>(simd: L::Token, block: &mut Block<'_, W>, mask: L::Mask) {
    let mut moved = [L::splat(simd, 0.0); 3];
    for (row, joint) in block.lengths.iter().zip(&mut block.joints[1..]) {
        let was = load::<L, W>(simd, joint);
        let link = sub(was, moved);
        moved = scaled_add(link, L::load_array_ref(simd, row) / dot(link, link).sqrt(), moved);
        store_selected(joint, mask, moved, was);
        moved = load::<L, W>(simd, joint);
    }
}

/// Stretches the chains in the lanes of the mask toward their targets.
#[inline(always)]
fn stretch<L: Lanes<W>, const W: usize>(simd: L::Token, block: &mut Block<'_, W>, mask: L::Mask) {
    let zero = L::splat(simd, 0.0);
    let target = load::<L, W>(simd, block.target);
    let inverse = L::splat(simd, 1.0) / dot(target, target).sqrt();
    let mut distance = zero;
    for (row, joint) in block.lengths.iter().zip(&mut block.joints[1..]) {
        distance += L::load_array_ref(simd, row);
        let was = load::<L, W>(simd, joint);
        store_selected(joint, mask, scaled_add(target, distance * inverse, [zero; 3]), was);
    }
}
