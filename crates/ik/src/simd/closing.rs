//! The closure: Gauss-Newton steps that rotate the joints as little as possible, for lanes that the reaching passes bring
//! near the target but not onto it.
//!
//! With `r_j` the vector from joint `j` to the tip, small rotations `w_j` of all joints move the tip by the sum of
//! `w_j x r_j`. The smallest rotations that move it by `e` are `w_j = r_j x y`, where y solves
//! `(sum of |r_j|^2 I - r_j r_j^T) y = e`: one symmetric 3x3 system. Each link rotates by the sum of the rotations up to
//! its base and is then scaled back to its length.

use super::block::Block;
use super::lanes::{Lanes, Vector, along, cross_add, dot, load, store_passed, sub};

/// Most Gauss-Newton steps.
const STEPS: u32 = 3;
/// Fraction of the squared error below which a step must leave it: 0.7 of the distance.
const LEAST_PROGRESS: f32 = 0.49;
/// Fraction of the trace that is added to the diagonal to keep the system regular.
const DAMPING: f32 = 1e-9;

/// Moves the tips of a block to their targets in a few steps. Returns the lanes that are not within the tolerance, and
/// writes the squared distances to `squared_errors`. `scratch` holds one vector per link.
#[inline(always)]
pub(super) fn close<L: Lanes<W>, const W: usize>(
    proof: L::Proof,
    block: &mut Block<'_, W>,
    scratch: &mut [[[f32; W]; 3]],
    tolerance: f32,
    squared_errors: &mut [f32; W],
) -> u32 {
    let zero = L::splat(proof, 0.0);
    let all = zero.at_most(zero);
    let within = L::splat(proof, tolerance * tolerance);
    let links = block.lengths.len();
    let target = load::<L, W>(proof, block.target);
    for step in 0..=STEPS {
        let tip = load::<L, W>(proof, &block.joints[links]);
        let gap = sub::<L, W>(target, tip);
        let error = dot::<L, W>(gap, gap);
        let active = L::without(all, error.at_most(within));
        if L::bits(active) == 0 || step == STEPS {
            error.store(squared_errors);
            return L::bits(active);
        }
        let multiplier = least_rotations(proof, &block.joints[..links], tip, gap);
        let end = rotate_links(proof, block, scratch, tip, multiplier);
        let left = sub::<L, W>(target, end);
        // NaN counts as no progress.
        let better = dot::<L, W>(left, left).at_most(error * L::splat(proof, LEAST_PROGRESS));
        let accepted = L::gate(proof, L::both(active, better));
        for (joint, rotated) in block.joints[1..].iter_mut().zip(scratch.iter()) {
            let was = load::<L, W>(proof, joint);
            store_passed::<L, W>(joint, accepted, load::<L, W>(proof, rotated), was);
        }
    }
    0
}

/// The `y` of the module documentation: solves the 3x3 system by its adjugate.
///
/// It uses axes along and perpendicular to the chord. A nearly straight chain has small components perpendicular to its
/// chord. They determine how far it must bend, and would be lost in the rounding errors of the large components if each
/// axis mixed both.
#[inline(always)]
fn least_rotations<L: Lanes<W>, const W: usize>(
    proof: L::Proof,
    joints: &[[[f32; W]; 3]],
    tip: Vector<L>,
    gap: Vector<L>,
) -> Vector<L> {
    let zero = L::splat(proof, 0.0);
    let [u, v, w] = axes(proof, sub::<L, W>(tip, load::<L, W>(proof, &joints[0])));
    let (mut xx, mut xy, mut xz, mut yy, mut yz, mut zz) = (zero, zero, zero, zero, zero, zero);
    for joint in joints {
        let arm = sub::<L, W>(tip, load::<L, W>(proof, joint));
        let (x, y, z) = (dot::<L, W>(arm, u), dot::<L, W>(arm, v), dot::<L, W>(arm, w));
        xx = x.mul_add(x, xx);
        xy = x.mul_add(y, xy);
        xz = x.mul_add(z, xz);
        yy = y.mul_add(y, yy);
        yz = y.mul_add(z, yz);
        zz = z.mul_add(z, zz);
    }
    let damping = (xx + yy + zz) * L::splat(proof, DAMPING);
    let (a, d, g) = (yy + zz + damping, xx + zz + damping, xx + yy + damping);
    let (b, c, f) = (zero - xy, zero - xz, zero - yz);
    // Adjugate of  a b c
    //              b d f
    //              c f g
    let aa = f.neg_mul_add(f, d * g);
    let ab = b.neg_mul_add(g, c * f);
    let ac = c.neg_mul_add(d, b * f);
    let bb = c.neg_mul_add(c, a * g);
    let bc = a.neg_mul_add(f, b * c);
    let cc = b.neg_mul_add(b, a * d);
    let determinant = c.mul_add(ac, b.mul_add(ab, a * aa));
    let scale = L::splat(proof, 1.0) / determinant;
    let gap = [dot::<L, W>(gap, u), dot::<L, W>(gap, v), dot::<L, W>(gap, w)];
    let x = dot::<L, W>([aa, ab, ac], gap) * scale;
    let y = dot::<L, W>([ab, bb, bc], gap) * scale;
    let z = dot::<L, W>([ac, bc, cc], gap) * scale;
    along::<L, W>(along::<L, W>(along::<L, W>([zero; 3], u, x), v, y), w, z)
}

/// Three orthonormal axes, the first along `vector`; any axes for the zero vector.
///
/// Source: T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017).
#[inline(always)]
fn axes<L: Lanes<W>, const W: usize>(proof: L::Proof, vector: Vector<L>) -> [Vector<L>; 3] {
    let (zero, one) = (L::splat(proof, 0.0), L::splat(proof, 1.0));
    let scale = one / dot::<L, W>(vector, vector).max(L::splat(proof, f32::MIN_POSITIVE)).sqrt();
    let [x, y, z] = [vector[0] * scale, vector[1] * scale, vector[2] * scale];
    let sign = L::select(zero.at_most(z), one, zero - one);
    let a = (zero - one) / (sign + z);
    let b = x * y * a;
    [[x, y, z], [one + sign * x * x * a, sign * b, zero - sign * x], [b, sign + y * y * a, zero - y]]
}

/// Rotates every link by the sum of the rotations up to its base and writes the joints to `scratch`. Returns the position
/// of the tip.
#[inline(always)]
fn rotate_links<L: Lanes<W>, const W: usize>(
    proof: L::Proof,
    block: &Block<'_, W>,
    scratch: &mut [[[f32; W]; 3]],
    tip: Vector<L>,
    multiplier: Vector<L>,
) -> Vector<L> {
    let zero = L::splat(proof, 0.0);
    let mut rotation = [zero; 3];
    let mut end = [zero; 3];
    let mut base = load::<L, W>(proof, &block.joints[0]);
    for ((next, length), rotated) in block.joints[1..].iter().zip(block.lengths.iter()).zip(scratch.iter_mut()) {
        rotation = cross_add::<L, W>(sub::<L, W>(tip, base), multiplier, rotation);
        let next = load::<L, W>(proof, next);
        let link = sub::<L, W>(next, base);
        let link = cross_add::<L, W>(rotation, link, link);
        end = along::<L, W>(end, link, L::load(proof, length) / dot::<L, W>(link, link).sqrt());
        end[0].store(&mut rotated[0]);
        end[1].store(&mut rotated[1]);
        end[2].store(&mut rotated[2]);
        base = next;
    }
    end
}
