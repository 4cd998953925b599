//! Copies chains that lie one after the other into lanes side by side, four at a time, and back.
//!
//! These functions are not inlined, so that they are never compiled for the wider instruction sets. There, compilers turn
//! such strided copies into gathers and scatters, which are several times slower.

/// Copies number `i` of column `j` to row `i`, lane `lane + j`. Every column has one number per row.
#[inline(never)]
pub(super) fn scatter<const W: usize>(columns: [&[f32]; 4], rows: &mut [[f32; W]], lane: usize) {
    let [a, b, c, d] = columns.map(|column| &column[..rows.len()]);
    for (i, row) in rows.iter_mut().enumerate() {
        row[lane..lane + 4].copy_from_slice(&[a[i], b[i], c[i], d[i]]);
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
