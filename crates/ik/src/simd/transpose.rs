//! Copies chains that lie one after the other into lanes side by side, and back, in squares of four by four numbers.
//!
//! These functions are not inlined, so that they are never compiled for the wider instruction sets. There, compilers turn
//! such strided copies into gathers and scatters, which are several times slower.

use super::level::baseline;
use fearless_simd::{SimdBase, f32x4};

/// Copies number `i` of column `j` to row `i`, lane `lane + j`. Every column has one number per row.
#[inline(never)]
pub(super) fn scatter<const W: usize>(columns: [&[f32]; 4], rows: &mut [[f32; W]], lane: usize) {
    let columns = columns.map(|column| column[..rows.len()].as_chunks::<4>());
    let (squares, rest) = rows.as_chunks_mut::<4>();
    for (at, square) in squares.iter_mut().enumerate() {
        let numbers = transposed(columns.map(|(squares, _)| &squares[at]));
        for (row, numbers) in square.iter_mut().zip(numbers) {
            row[lane..lane + 4].copy_from_slice(&numbers);
        }
    }
    for (at, row) in rest.iter_mut().enumerate() {
        row[lane..lane + 4].copy_from_slice(&columns.map(|(_, rest)| rest[at]));
    }
}

/// Copies lane `lane + j` of row `i` to number `i` of column `j`.
#[inline(never)]
pub(super) fn gather<const W: usize>(rows: &[[f32; W]], lane: usize, columns: [&mut [f32]; 4]) {
    let (squares, rest) = rows.as_chunks::<4>();
    let [a, b, c, d] = columns.map(|column| column[..rows.len()].as_chunks_mut::<4>());
    for (at, [p, q, r, s]) in squares.iter().enumerate() {
        let quad = |row: &[f32; W]| -> [f32; 4] { [row[lane], row[lane + 1], row[lane + 2], row[lane + 3]] };
        [a.0[at], b.0[at], c.0[at], d.0[at]] = transposed([&quad(p), &quad(q), &quad(r), &quad(s)]);
    }
    for (j, (_, column)) in [a, b, c, d].into_iter().enumerate() {
        column.iter_mut().zip(rest).for_each(|(number, row)| *number = row[lane + j]);
    }
}

/// Copies one lane of all rows to a column.
#[inline(never)]
pub(super) fn gather_lane<const W: usize>(rows: &[[f32; W]], lane: usize, column: &mut [f32]) {
    column.iter_mut().zip(rows).for_each(|(number, row)| *number = row[lane]);
}

/// Copies one lane of all rows to a lane of other rows.
#[inline(never)]
pub(super) fn copy_lane<const W: usize>(from: &[[f32; W]], lane: usize, to: &mut [[f32; W]], slot: usize) {
    from.iter().zip(to).for_each(|(from, to)| to[slot] = from[lane]);
}

/// The transpose of a 4 x 4 matrix.
#[inline(always)]
fn transposed([a, b, c, d]: [&[f32; 4]; 4]) -> [[f32; 4]; 4] {
    let simd = baseline();
    let (a, b) = (f32x4::load_array_ref(simd, a), f32x4::load_array_ref(simd, b));
    let (c, d) = (f32x4::load_array_ref(simd, c), f32x4::load_array_ref(simd, d));
    let ((ac, ac_rest), (bd, bd_rest)) = (a.interleave(c), b.interleave(d));
    let ((p, q), (r, s)) = (ac.interleave(bd), ac_rest.interleave(bd_rest));
    [p.to_array(), q.to_array(), r.to_array(), s.to_array()]
}
