//! The point types that a batch accepts.
#![allow(unsafe_code)] // Reads points as plain numbers.

use glam::Vec3;

/// Three `f32` and nothing else: `[f32; 3]` or [`Vec3`].
pub trait Point: Copy + Send + Sync + sealed::Sealed {}

impl Point for [f32; 3] {}
impl Point for Vec3 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for [f32; 3] {}
    impl Sealed for glam::Vec3 {}
}

const _: () = assert!(size_of::<Vec3>() == size_of::<[f32; 3]>() && align_of::<Vec3>() == align_of::<f32>());

/// Points as numbers: x y z x y z ...
pub(super) fn flat<P: Point>(points: &[P]) -> &[f32] {
    // SAFETY: there are two types of points. `Vec3` is `repr(C)` with the `f32` fields x, y, z, so it has the layout of
    // `[f32; 3]`, which is the other one.
    unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len() * 3) }
}

/// The same numbers, to write.
pub(super) fn flat_mut<P: Point>(points: &mut [P]) -> &mut [f32] {
    // SAFETY: as above; every bit pattern is a valid `f32`, and the result borrows `points`.
    unsafe { std::slice::from_raw_parts_mut(points.as_mut_ptr().cast(), points.len() * 3) }
}

/// Whether all numbers are finite. Has no early exit, so that it compiles to a few vector instructions.
pub(super) fn are_finite(numbers: &[f32]) -> bool {
    // All exponent bits are set in infinities and NaN, and in no other number.
    const EXPONENT: u32 = 0x7F80_0000;
    !numbers.iter().fold(false, |bad, number| bad | (number.to_bits() & EXPONENT == EXPONENT))
}

/// Whether a link may have this length.
pub(super) fn is_length(length: f32) -> bool {
    length > 0.0 && length.is_finite()
}
