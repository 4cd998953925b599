//! Vectors of three numbers per lane.
//!
//! Closures do not get the target features of their caller, so nothing here passes lanes to `map` or `from_fn`.

use super::real::Real;
use fearless_simd::Select;

/// Three numbers per lane.
pub(super) type Vector<R> = [R; 3];

/// `a - b`.
#[inline(always)]
pub(super) fn sub<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Dot product.
#[inline(always)]
pub(super) fn dot<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> R {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
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

/// The products of corresponding components.
#[inline(always)]
pub(super) fn times<R: Real<W>, const W: usize>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// The point `local` in the frame with these axes and origin.
#[inline(always)]
pub(super) fn point<R: Real<W>, const W: usize>(
    simd: R::Token,
    axes: &[Vector<R>; 3],
    origin: Vector<R>,
    local: &[R::Number; 3],
) -> Vector<R> {
    let [x, y, z] = splat(simd, local);
    scaled_add(axes[2], z, scaled_add(axes[1], y, scaled_add(axes[0], x, origin)))
}

/// Turns two axes of a frame in their plane.
#[inline(always)]
pub(super) fn turn<R: Real<W>, const W: usize>(x: &mut Vector<R>, y: &mut Vector<R>, cosine: R, sine: R) {
    for k in 0..3 {
        (x[k], y[k]) = (y[k].mul_add(sine, x[k] * cosine), x[k].neg_mul_add(sine, y[k] * cosine));
    }
}

/// The same vector in every lane.
#[inline(always)]
pub(super) fn splat<R: Real<W>, const W: usize>(simd: R::Token, v: &[R::Number; 3]) -> Vector<R> {
    [R::splat(simd, v[0]), R::splat(simd, v[1]), R::splat(simd, v[2])]
}

/// Reads one vector per lane.
#[inline(always)]
pub(super) fn load<R: Real<W>, const W: usize>(simd: R::Token, rows: &[[R::Number; W]; 3]) -> Vector<R> {
    [R::load_array_ref(simd, &rows[0]), R::load_array_ref(simd, &rows[1]), R::load_array_ref(simd, &rows[2])]
}

/// Writes one vector per lane.
#[inline(always)]
pub(super) fn store<R: Real<W>, const W: usize>(v: Vector<R>, rows: &mut [[R::Number; W]; 3]) {
    v[0].store_array(&mut rows[0]);
    v[1].store_array(&mut rows[1]);
    v[2].store_array(&mut rows[2]);
}

/// Numbers in single precision.
pub(super) trait Lanes<const W: usize>: Real<W, Number = f32> {}

impl<R: Real<W, Number = f32>, const W: usize> Lanes<W> for R {}

/// Writes `yes` into the lanes of the mask and `no` into the others.
#[inline(always)]
pub(super) fn store_selected<L: Lanes<W>, const W: usize>(
    rows: &mut [[f32; W]; 3],
    mask: L::Mask,
    yes: Vector<L>,
    no: Vector<L>,
) {
    store([mask.select(yes[0], no[0]), mask.select(yes[1], no[1]), mask.select(yes[2], no[2])], rows);
}
