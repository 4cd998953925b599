//! Accelerated FABRIK on a few interleaved blocks: the survey, the overshoot and the two reaching passes.
//!
//! The algorithm is the scalar one ([`Chain::solve`](crate::chain::Chain::solve)), lane by lane. A lane that has arrived is
//! frozen: its bits do not change while its neighbours go on. What a lane computes never depends on another lane. A lane
//! that meets something not a number keeps it to itself and stays unresolved.

use super::block::Block;
use super::lanes::{Lanes, along, dot, load, store_passed, sub};
use super::solve::Outcome;
use crate::model::report::Stop;

/// Iterations before the closure takes over.
pub(super) const ITERATIONS: u32 = 4;
/// Width of the band, in units of the reach, around the edges of what is reachable where `f32` leaves the decision to
/// the scalar path.
const EDGE: f32 = 2e-6;
/// Relative error of a squared link length above which the start is first drawn onto the lengths.
const STRETCHED: f32 = 2e-6;
/// The same where the tip is at its target already: as much as a link may be off in an answer, so that answers stay as
/// they are when they are solved again.
const TOLERABLE: f32 = 4e-5;
/// Ratio of contraction above which the chain and its target are so nearly on one line that the scalar path decides how
/// it bends.
const STRAIGHT: f32 = 1.0 - 1e-5;
/// Largest ratio of contraction that the overshoot is computed for.
const SLOWEST: f32 = 0.999_999;
/// Largest overshoot, in lengths of the last link.
const OVERSHOOT: f32 = 0.5;
/// Largest factor by which a link may be drawn out in a pass. A link whose ends come to lie closer together than that
/// takes its direction from their rounding, and the scalar path decides where it goes.
const DRAWN_OUT: f32 = 32.0;
/// Square of a distance from which on the numbers are left to the scalar path.
const HUGE: f32 = 1e30;

/// What became of the lanes of one block; bit `i` is lane `i`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Not within the tolerance after the iterations: for the closure.
    pub open: u32,
    /// Not for this algorithm: for the scalar path.
    pub special: u32,
    /// Beyond the reach; stretched toward the target.
    pub far: u32,
    /// Whose positions changed.
    pub moved: u32,
}

impl Tally {
    /// The outcome of a lane that is solved, given its squared error and its iterations.
    pub fn outcome(self, lane: usize, error: f32, count: f32) -> Outcome {
        let stop = if self.far & (1 << lane) != 0 { Stop::TooFar } else { Stop::Reached };
        Outcome { stop, error: error.sqrt(), iterations: count as u32 }
    }
}

/// How a solve is bounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Distance to the target that counts as reached, in units of the reach.
    pub tolerance: f32,
    /// Most iterations.
    pub iterations: u32,
}

/// State that a block carries from one iteration to the next.
#[derive(Clone, Copy)]
struct State<L: Lanes<W>, const W: usize> {
    /// Product of the cosines of the bends, but for the last one.
    cosines: L,
    /// Share of the largest overshoot that is allowed now.
    damping: L,
    /// Squared distance to the target before the last iteration.
    previous: L,
    /// Lanes that still move.
    active: L::Mask,
    /// Iterations done.
    count: L,
    /// Largest factor by which a link was drawn out.
    drawn: L,
}

/// What there is to know about a block before it is solved.
struct Survey<L: Lanes<W>, const W: usize> {
    /// Lanes with links off their lengths by more than [`STRETCHED`].
    stretched: L::Mask,
    /// By no more than [`TOLERABLE`].
    tolerable: L::Mask,
    /// Product of the cosines of the bends, but for the last one.
    cosines: L,
    /// The longest link.
    longest: L,
}

#[inline(always)]
fn survey<L: Lanes<W>, const W: usize>(proof: L::Proof, block: &Block<'_, W>) -> Survey<L, W> {
    let zero = L::splat(proof, 0.0);
    let all = zero.at_most(zero);
    let last = block.lengths.len() - 1;
    let (mut exact, mut tolerable) = (all, all);
    let mut cosines = L::splat(proof, 1.0);
    let mut longest = zero;
    let mut before = load::<L, W>(proof, &block.joints[0]);
    let mut link_before = [zero; 3];
    let mut length_before = zero;
    for (i, (row, joint)) in block.lengths.iter().zip(&block.joints[1..]).enumerate() {
        let joint = load::<L, W>(proof, joint);
        let length = L::load(proof, row);
        let link = sub::<L, W>(joint, before);
        let squared = length * length;
        let excess = dot::<L, W>(link, link) - squared;
        let excess = excess.max(zero - excess);
        exact = L::both(exact, excess.at_most(squared * L::splat(proof, STRETCHED)));
        tolerable = L::both(tolerable, excess.at_most(squared * L::splat(proof, TOLERABLE)));
        longest = longest.max(length);
        if i > 0 && i < last {
            cosines = cosines * (dot::<L, W>(link, link_before) / (length * length_before));
        }
        (before, link_before, length_before) = (joint, link, length);
    }
    Survey { stretched: L::without(all, exact), tolerable, cosines, longest }
}

/// Sorts the lanes of a block: those that iterate are made active, those beyond the reach are stretched at once, the rest
/// is left to the scalar path.
#[inline(always)]
fn sort<L: Lanes<W>, const W: usize, const FAST: bool>(
    proof: L::Proof,
    block: &mut Block<'_, W>,
    bounds: Bounds,
    state: &mut State<L, W>,
) -> Tally {
    let zero = L::splat(proof, 0.0);
    let one = L::splat(proof, 1.0);
    let all = zero.at_most(zero);
    let target = load::<L, W>(proof, block.target);
    let gap = sub::<L, W>(target, load::<L, W>(proof, &block.joints[block.lengths.len()]));
    let near = dot::<L, W>(gap, gap).at_most(L::splat(proof, bounds.tolerance * bounds.tolerance));
    let mut found = survey::<L, W>(proof, block);
    let stretched = L::without(found.stretched, L::both(near, found.tolerable));
    if L::bits(stretched) != 0 {
        draw::<L, W, FAST>(proof, block, stretched);
        found = survey::<L, W>(proof, block);
    }
    state.cosines = found.cosines;
    let distance = dot::<L, W>(target, target);
    let far = L::splat(proof, (1.0 + bounds.tolerance + EDGE).powi(2)).at_most(distance);
    let far = L::both(far, distance.at_most(L::splat(proof, HUGE)));
    let dead_zone = (found.longest + found.longest - one + L::splat(proof, EDGE)).max(zero);
    let within_reach = distance.at_most(L::splat(proof, (1.0 - EDGE).powi(2)));
    let reachable = L::without(within_reach, distance.at_most(dead_zone * dead_zone));
    let (rate, _) = sight::<L, W, FAST>(proof, block, state.cosines);
    let bent = rate.at_most(L::splat(proof, STRAIGHT));
    let straight = L::without(L::without(reachable, bent), near);
    state.active = L::without(reachable, straight);
    if L::bits(far) != 0 {
        stretch::<L, W>(proof, block, far);
    }
    Tally {
        open: 0,
        special: L::bits(L::without(L::without(all, state.active), far)),
        far: L::bits(far),
        moved: L::bits(stretched) | L::bits(far),
    }
}

/// Solves `G` blocks in step, interleaved to hide latencies. All lanes end within the tolerance, or are named in the
/// tally; `errors` and `counts` hold what is left of the distance, squared, and the iterations.
///
/// At least three links. `FAST` takes estimated roots with one Newton step instead of exact ones.
#[inline(always)]
pub(super) fn solve<L: Lanes<W>, const W: usize, const G: usize, const FAST: bool>(
    proof: L::Proof,
    blocks: &mut [Block<'_, W>; G],
    bounds: Bounds,
    errors: &mut [[f32; W]; G],
    counts: &mut [[f32; W]; G],
) -> [Tally; G] {
    let zero = L::splat(proof, 0.0);
    let one = L::splat(proof, 1.0);
    let all = zero.at_most(zero);
    let none = L::without(all, all);
    let within = L::splat(proof, bounds.tolerance * bounds.tolerance);
    let mut tallies = [Tally::default(); G];
    let mut states = [State {
        cosines: one,
        damping: one,
        previous: L::splat(proof, f32::MAX),
        active: none,
        count: zero,
        drawn: zero,
    }; G];

    for (block, (state, tally)) in blocks.iter_mut().zip(states.iter_mut().zip(&mut tallies)) {
        *tally = sort::<L, W, FAST>(proof, block, bounds, state);
    }
    for iteration in 0..=bounds.iterations {
        let mut aims = [[zero; 3]; G];
        let mut any = 0;
        for g in 0..G {
            let (block, state) = (&mut blocks[g], &mut states[g]);
            let links = block.lengths.len();
            let target = load::<L, W>(proof, block.target);
            let gap = sub::<L, W>(target, load::<L, W>(proof, &block.joints[links]));
            let error = dot::<L, W>(gap, gap);
            state.active = L::without(state.active, error.at_most(within));
            any |= L::bits(state.active);
            let (ratio, look) = sight::<L, W, FAST>(proof, block, state.cosines);
            let ratio = ratio.min(L::splat(proof, SLOWEST));
            // Damped four times as much after a step that led away, half as much after one that led nearer.
            let grew = L::without(all, error.at_most(state.previous));
            let eased = (state.damping + state.damping).min(one);
            state.damping = L::select(grew, state.damping * L::splat(proof, 0.25), eased);
            state.previous = error;
            let last = L::load(proof, &block.lengths[links - 1]);
            let cap = last * L::splat(proof, OVERSHOOT) * state.damping;
            let overshoot = (look.distance - last) * ratio / (one - ratio);
            let overshoot = overshoot.min(cap).max(zero - cap);
            aims[g] = along::<L, W>(target, look.vector, overshoot * look.inverse);
        }
        if any == 0 || iteration == bounds.iterations {
            break;
        }
        for (tally, state) in tallies.iter_mut().zip(&mut states) {
            tally.moved |= L::bits(state.active);
            state.count = state.count + L::select(state.active, one, zero);
        }
        backward::<L, W, G, FAST>(proof, blocks, &mut states, &aims);
        forward::<L, W, G, FAST>(proof, blocks, &mut states);
    }
    for g in 0..G {
        let block = &mut blocks[g];
        let drawn = L::bits(L::without(all, states[g].drawn.at_most(L::splat(proof, DRAWN_OUT))));
        tallies[g].special |= drawn;
        tallies[g].open = L::bits(states[g].active) & !drawn;
        let gap =
            sub::<L, W>(load::<L, W>(proof, block.target), load::<L, W>(proof, &block.joints[block.lengths.len()]));
        dot::<L, W>(gap, gap).store(&mut errors[g]);
        states[g].count.store(&mut counts[g]);
    }
    tallies
}

/// The way from the joint before the tip to the target.
struct Look<L> {
    vector: [L; 3],
    distance: L,
    inverse: L,
}

/// The ratio by which a plain iteration shrinks the error, and the look toward the target that it depends on.
#[inline(always)]
fn sight<L: Lanes<W>, const W: usize, const FAST: bool>(
    proof: L::Proof,
    block: &Block<'_, W>,
    cosines: L,
) -> (L, Look<L>) {
    let links = block.lengths.len();
    let joint = load::<L, W>(proof, &block.joints[links - 1]);
    let link = sub::<L, W>(joint, load::<L, W>(proof, &block.joints[links - 2]));
    let vector = sub::<L, W>(load::<L, W>(proof, block.target), joint);
    let squared = dot::<L, W>(vector, vector);
    let inverse = ratio::<L, W, FAST>(L::splat(proof, 1.0), squared.max(L::splat(proof, 1e-30)));
    let cosine = dot::<L, W>(link, vector) * inverse / L::load(proof, &block.lengths[links - 2]);
    let product = cosines * cosine;
    (product * product, Look { vector, distance: squared * inverse, inverse })
}

/// `length / sqrt(squared)`.
#[inline(always)]
fn ratio<L: Lanes<W>, const W: usize, const FAST: bool>(length: L, squared: L) -> L {
    if FAST { length * squared.inverse_sqrt() } else { length / squared.sqrt() }
}

/// Backward reaching: every tip onto its aim, the other joints after it.
#[inline(always)]
fn backward<L: Lanes<W>, const W: usize, const G: usize, const FAST: bool>(
    proof: L::Proof,
    blocks: &mut [Block<'_, W>; G],
    states: &mut [State<L, W>; G],
    aims: &[[L; 3]; G],
) {
    let links = blocks[0].lengths.len();
    let mut moved = *aims;
    let gates = states.each_ref().map(|state| L::gate(proof, state.active));
    for g in 0..G {
        let tip = &mut blocks[g].joints[links];
        let was = load::<L, W>(proof, tip);
        store_passed::<L, W>(tip, gates[g], moved[g], was);
    }
    for i in (0..links).rev() {
        for g in 0..G {
            let was = load::<L, W>(proof, &blocks[g].joints[i]);
            let link = sub::<L, W>(was, moved[g]);
            let scale = ratio::<L, W, FAST>(L::load(proof, &blocks[g].lengths[i]), dot::<L, W>(link, link));
            states[g].drawn = states[g].drawn.max(L::pass(gates[g], scale, states[g].drawn));
            moved[g] = along::<L, W>(moved[g], link, scale);
            store_passed::<L, W>(&mut blocks[g].joints[i], gates[g], moved[g], was);
        }
    }
}

/// Forward reaching: every base back to the origin, the other joints after it; on the way, the cosines of the bends.
#[inline(always)]
fn forward<L: Lanes<W>, const W: usize, const G: usize, const FAST: bool>(
    proof: L::Proof,
    blocks: &mut [Block<'_, W>; G],
    states: &mut [State<L, W>; G],
) {
    let zero = L::splat(proof, 0.0);
    let one = L::splat(proof, 1.0);
    let links = blocks[0].lengths.len();
    let mut moved = [[zero; 3]; G];
    let mut before = [([zero; 3], zero); G];
    let gates = states.each_ref().map(|state| L::gate(proof, state.active));
    for g in 0..G {
        blocks[g].joints[0] = [[0.0; W]; 3];
        states[g].cosines = one;
    }
    for i in 0..links {
        for g in 0..G {
            let was = load::<L, W>(proof, &blocks[g].joints[i + 1]);
            let link = sub::<L, W>(was, moved[g]);
            let inverse = ratio::<L, W, FAST>(one, dot::<L, W>(link, link));
            if i > 0 && i + 1 < links {
                let (link_before, inverse_before) = before[g];
                states[g].cosines = states[g].cosines * (dot::<L, W>(link, link_before) * (inverse * inverse_before));
            }
            before[g] = (link, inverse);
            let scale = inverse * L::load(proof, &blocks[g].lengths[i]);
            states[g].drawn = states[g].drawn.max(L::pass(gates[g], scale, states[g].drawn));
            moved[g] = along::<L, W>(moved[g], link, scale);
            store_passed::<L, W>(&mut blocks[g].joints[i + 1], gates[g], moved[g], was);
        }
    }
}

/// Draws the lanes of the mask onto their link lengths: one forward pass.
#[inline(always)]
fn draw<L: Lanes<W>, const W: usize, const FAST: bool>(proof: L::Proof, block: &mut Block<'_, W>, mask: L::Mask) {
    let gate = L::gate(proof, mask);
    let mut moved = [L::splat(proof, 0.0); 3];
    for (row, joint) in block.lengths.iter().zip(&mut block.joints[1..]) {
        let was = load::<L, W>(proof, joint);
        let link = sub::<L, W>(was, moved);
        moved = along::<L, W>(moved, link, ratio::<L, W, FAST>(L::load(proof, row), dot::<L, W>(link, link)));
        store_passed::<L, W>(joint, gate, moved, was);
        moved = load::<L, W>(proof, joint);
    }
}

/// Stretches the lanes of the mask toward their targets.
#[inline(always)]
fn stretch<L: Lanes<W>, const W: usize>(proof: L::Proof, block: &mut Block<'_, W>, mask: L::Mask) {
    let zero = L::splat(proof, 0.0);
    let target = load::<L, W>(proof, block.target);
    let inverse = L::splat(proof, 1.0) / dot::<L, W>(target, target).sqrt();
    let gate = L::gate(proof, mask);
    let mut distance = zero;
    for (row, joint) in block.lengths.iter().zip(&mut block.joints[1..]) {
        distance = distance + L::load(proof, row);
        let was = load::<L, W>(proof, joint);
        store_passed::<L, W>(joint, gate, along::<L, W>([zero; 3], target, distance * inverse), was);
    }
}
