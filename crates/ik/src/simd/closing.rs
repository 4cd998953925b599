//! The closure: Gauss-Newton steps that rotate the joints as little as possible, for lanes that the reaching passes bring
//! near the target but not onto it. Each is a [`least_turn`](crate::fabrik::closure::least_turn).

use super::block::Block;
use super::vector::{Lanes, Vector, cross_add, dot, load, scaled_add, store, store_selected, sub};
use fearless_simd::{Select, SimdMask};

/// Most Gauss-Newton steps.
const STEPS: u32 = 3;
/// Fraction of the squared error below which a step must leave it: 0.7 of the distance.
const LEAST_PROGRESS: f32 = 0.49;
/// Fraction of the trace that is added to the diagonal to keep the system regular.
const DAMPING: f32 = 1e-9;

/// Moves the tips of a block to their targets in a few steps. Returns the lanes that are not within the tolerance, and
/// writes the squared distances to the block. `scratch` holds one vector per link.
#[inline(always)]
pub(super) fn close<L: Lanes<W>, const W: usize>(
    simd: L::Token,
    block: &mut Block<'_, W>,
    scratch: &mut [[[f32; W]; 3]],
    tolerance: f32,
) -> u64 {
    let links = block.lengths.len();
    let target = load::<L, W>(simd, block.target);
    for step in 0..=STEPS {
        let tip = load::<L, W>(simd, &block.joints[links]);
        let gap = sub(target, tip);
        let error = dot(gap, gap);
        let active = !error.simd_le(tolerance * tolerance);
        if active.to_bitmask() == 0 || step == STEPS {
            error.store_array(block.squared_error);
            return active.to_bitmask();
        }
        let multiplier = least_rotations(simd, &block.joints[..links], tip, gap);
        let end = rotate_links(simd, block, scratch, tip, multiplier);
        let left = sub(target, end);
        // NaN counts as no progress.
        let better = dot(left, left).simd_le(error * LEAST_PROGRESS);
        let accepted = active & better;
        for (joint, rotated) in block.joints[1..].iter_mut().zip(scratch.iter()) {
            let was = load::<L, W>(simd, joint);
            store_selected(joint, accepted, load::<L, W>(simd, rotated), was);
        }
    }
    0
}

/// The `y` of [`least_turn`](crate::fabrik::closure::least_turn): solves the 3x3 system by its adjugate.
///
/// It uses axes along and perpendicular to the chord. A nearly straight chain has small components perpendicular to its
/// chord. They determine how far it must bend, and would be lost in the rounding errors of the large components if each
/// axis mixed both.
#[inline(always)]
fn least_rotations<L: Lanes<W>, const W: usize>(
    simd: L::Token,
    joints: &[[[f32; W]; 3]],
    tip: Vector<L>,
    gap: Vector<L>,
) -> Vector<L> {
    let zero = L::splat(simd, 0.0);
    let [u, v, w] = axes(simd, sub(tip, load::<L, W>(simd, &joints[0])));
    let (mut xx, mut xy, mut xz, mut yy, mut yz, mut zz) = (zero, zero, zero, zero, zero, zero);
    for joint in joints {
        let arm = sub(tip, load::<L, W>(simd, joint));
        let (x, y, z) = (dot(arm, u), dot(arm, v), dot(arm, w));
        xx = x.mul_add(x, xx);
        xy = x.mul_add(y, xy);
        xz = x.mul_add(z, xz);
        yy = y.mul_add(y, yy);
        yz = y.mul_add(z, yz);
        zz = z.mul_add(z, zz);
    }
    let damping = (xx + yy + zz) * DAMPING;
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
    let scale = L::splat(simd, 1.0) / determinant;
    let gap = [dot(gap, u), dot(gap, v), dot(gap, w)];
    let x = dot([aa, ab, ac], gap) * scale;
    let y = dot([ab, bb, bc], gap) * scale;
    let z = dot([ac, bc, cc], gap) * scale;
    scaled_add(w, z, scaled_add(v, y, scaled_add(u, x, [zero; 3])))
}

/// Three orthonormal axes, the first along `vector`; any axes for the zero vector.
///
/// Source: T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017).
#[inline(always)]
fn axes<L: Lanes<W>, const W: usize>(simd: L::Token, vector: Vector<L>) -> [Vector<L>; 3] {
    let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
    let scale = one / dot(vector, vector).at_least(f32::MIN_POSITIVE).sqrt();
    let [x, y, z] = [vector[0] * scale, vector[1] * scale, vector[2] * scale];
    let sign = zero.simd_le(z).select(one, zero - one);
    let a = (zero - one) / (sign + z);
    let b = x * y * a;
    [[x, y, z], [one + sign * x * x * a, sign * b, zero - sign * x], [b, sign + y * y * a, zero - y]]
}

/// Rotates every link by the sum of the rotations up to its base and writes the joints to `scratch`. Returns the position
/// of the tip.
#[inline(always)]
fn rotate_links<L: Lanes<W>, const W: usize>(
    simd: L::Token,
    block: &Block<'_, W>,
    scratch: &mut [[[f32; W]; 3]],
    tip: Vector<L>,
    multiplier: Vector<L>,
) -> Vector<L> {
    let zero = L::splat(simd, 0.0);
    // The opposite of the sum of the rotations.
    let mut back = [zero; 3];
    let mut end = [zero; 3];
    let mut base = load::<L, W>(simd, &block.joints[0]);
    for ((next, length), rotated) in block.joints[1..].iter().zip(block.lengths.iter()).zip(scratch.iter_mut()) {
        back = cross_add(multiplier, sub(tip, base), back);
        let next = load::<L, W>(simd, next);
        let link = sub(next, base);
        let link = cross_add(link, back, link);
        end = scaled_add(link, L::load_array_ref(simd, length) / dot(link, link).sqrt(), end);
        store(end, rotated);
        base = next;
    }
    end
}
