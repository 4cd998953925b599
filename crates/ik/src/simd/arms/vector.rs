//! Vectors of three numbers per lane.
//!
//! Closures do not get the target features of their caller, so nothing here passes lanes to `map` or `from_fn`.

use crate::simd::real::Real;

/// Three numbers per lane.
pub(super) type Vector<R> = [R; 3];

/// `a - b`.
#[inline(always)]
pub(super) fn sub<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Dot product plus a term.
#[inline(always)]
pub(super) fn dot_add<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>, term: R) -> R {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul_add(b[0], term)))
}

/// `a x b`.
#[inline(always)]
pub(super) fn cross<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[2].neg_mul_add(b[1], a[1] * b[2]), a[0].neg_mul_add(b[2], a[2] * b[0]), a[1].neg_mul_add(b[0], a[0] * b[1])]
}

/// `a x b + c`.
#[inline(always)]
pub(super) fn cross_add<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>, c: Vector<R>) -> Vector<R> {
    [
        a[2].neg_mul_add(b[1], a[1].mul_add(b[2], c[0])),
        a[0].neg_mul_add(b[2], a[2].mul_add(b[0], c[1])),
        a[1].neg_mul_add(b[0], a[0].mul_add(b[1], c[2])),
    ]
}

/// `v * factor`.
#[inline(always)]
pub(super) fn scaled<R: Real<W>, const W: usize>(v: Vector<R>, factor: R) -> Vector<R> {
    [v[0] * factor, v[1] * factor, v[2] * factor]
}

/// `v * factor + term`.
#[inline(always)]
pub(super) fn scaled_add<R: Real<W>, const W: usize>(v: Vector<R>, factor: R, term: Vector<R>) -> Vector<R> {
    [v[0].mul_add(factor, term[0]), v[1].mul_add(factor, term[1]), v[2].mul_add(factor, term[2])]
}

/// The point `local` in the frame with these axes and origin.
#[inline(always)]
pub(super) fn point<R: Real<W>, const W: usize>(
    proof: R::Proof,
    axes: &[Vector<R>; 3],
    origin: Vector<R>,
    local: &[R::Number; 3],
) -> Vector<R> {
    let along_x = scaled_add(axes[0], R::splat(proof, local[0]), origin);
    let along_y = scaled_add(axes[1], R::splat(proof, local[1]), along_x);
    scaled_add(axes[2], R::splat(proof, local[2]), along_y)
}

/// The same vector in every lane.
#[inline(always)]
pub(super) fn splat<R: Real<W>, const W: usize>(proof: R::Proof, v: &[R::Number; 3]) -> Vector<R> {
    [R::splat(proof, v[0]), R::splat(proof, v[1]), R::splat(proof, v[2])]
}

/// The products of corresponding components.
#[inline(always)]
pub(super) fn times<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// Reads one vector per lane.
#[inline(always)]
pub(super) fn load<R: Real<W>, const W: usize>(proof: R::Proof, rows: &[[R::Number; W]; 3]) -> Vector<R> {
    [R::load(proof, &rows[0]), R::load(proof, &rows[1]), R::load(proof, &rows[2])]
}

/// Turns two axes of a frame in their plane.
#[inline(always)]
pub(super) fn turn<R: Real<W>, const W: usize>(x: &mut Vector<R>, y: &mut Vector<R>, cosine: R, sine: R) {
    for k in 0..3 {
        (x[k], y[k]) = (y[k].mul_add(sine, x[k] * cosine), x[k].neg_mul_add(sine, y[k] * cosine));
    }
}
