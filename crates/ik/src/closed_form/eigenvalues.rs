//! Eigenvalues of small matrices that are not symmetric, and solutions of linear systems by elimination.
//!
//! Source: G. H. Golub, C. F. Van Loan, *Matrix computations*, sections 3.4 (complete pivoting) and 7.5 (the QR algorithm).

use std::ops::Range;

/// Eliminates up to `most` of the `columns`, those with the largest pivots first, by Gauss-Jordan steps with complete pivoting:
/// row `i` ends with 1 in the column `pivots[i]`, in which all other rows have 0. Earlier pivots stay. Pivots end above `zero`,
/// relative to the largest one. Returns the smallest one, relative to the largest.
pub(super) fn eliminate<const N: usize>(
    matrix: &mut [[f64; N]],
    pivots: &mut Vec<usize>,
    columns: Range<usize>,
    most: usize,
    zero: f64,
) -> f64 {
    let mut least = f64::INFINITY;
    let mut largest: f64 = 0.0;
    for _ in 0..most {
        let done = pivots.len();
        let size = |row: &[f64; N]| row[columns.clone()].iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let rows = matrix.iter().enumerate().skip(done).map(|(at, row)| (size(row), at));
        let Some((pivot, at)) = rows.reduce(|best, next| if next.0 > best.0 { next } else { best }) else { break };
        if pivot <= zero * largest {
            break;
        }
        (least, largest) = (least.min(pivot), largest.max(pivot));
        matrix.swap(done, at);
        let column = columns.clone().find(|&column| matrix[done][column].abs() == pivot).unwrap_or(columns.start);
        let scale = matrix[done][column].recip();
        matrix[done].iter_mut().for_each(|value| *value *= scale);
        matrix[done][column] = 1.0;
        let row = matrix[done];
        for (_, other) in matrix.iter_mut().enumerate().filter(|(at, _)| *at != done) {
            let factor = other[column];
            if factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(value, own)| *value -= factor * own);
                other[column] = 0.0;
            }
        }
        pivots.push(column);
    }
    least / largest
}

/// Most steps of the QR algorithm until the next eigenvalue splits off. Two or three are usual.
const MOST_STEPS: usize = 60;

/// The eigenvalues as `[real part, imaginary part]`; fewer if the algorithm does not converge or an entry is not finite.
pub(super) fn eigenvalues<const N: usize>(mut matrix: [[f64; N]; N]) -> Vec<[f64; 2]> {
    to_hessenberg(&mut matrix);
    let h = &mut matrix;
    let mut found = Vec::with_capacity(N);
    let (mut end, mut steps) = (N, 0);
    while end > 0 && steps < MOST_STEPS {
        let splits = |at: usize| h[at][at - 1].abs() <= f64::EPSILON * (h[at - 1][at - 1].abs() + h[at][at].abs());
        let start = (1..end).rev().find(|&at| splits(at)).unwrap_or(0);
        match end - start {
            1 => found.push([h[start][start], 0.0]),
            2 => {
                found.extend(of_two(h[start][start], h[start][start + 1], h[start + 1][start], h[start + 1][start + 1]))
            }
            _ => {
                steps += 1;
                double_step(h, start..end, steps);
                continue;
            }
        }
        (end, steps) = (start, 0);
    }
    found
}

/// The eigenvalues of `[a b; c d]`.
fn of_two(a: f64, b: f64, c: f64, d: f64) -> [[f64; 2]; 2] {
    let (middle, half) = (0.5 * (a + d), 0.5 * (a - d));
    let squared = half * half + b * c;
    let root = squared.abs().sqrt();
    if squared < 0.0 { [[middle, root], [middle, -root]] } else { [[middle + root, 0.0], [middle - root, 0.0]] }
}

/// The reflection `I - factor v v^T` that turns a vector toward the first axis: `v` and the factor.
fn reflection<const M: usize>(mut x: [f64; M]) -> ([f64; M], f64) {
    let length = x.iter().map(|value| value * value).sum::<f64>().sqrt();
    x[0] += length.copysign(x[0]);
    let squared: f64 = x.iter().map(|value| value * value).sum();
    (x, if squared > 0.0 { 2.0 / squared } else { 0.0 })
}

/// Reflects the rows and then the columns from `first` on; only the entries in these columns and rows.
fn reflect<const N: usize, const M: usize>(
    h: &mut [[f64; N]; N],
    first: usize,
    (v, factor): ([f64; M], f64),
    columns: Range<usize>,
    rows: Range<usize>,
) {
    for column in columns {
        let sum: f64 = (0..M).map(|at| v[at] * h[first + at][column]).sum();
        (0..M).for_each(|at| h[first + at][column] -= factor * sum * v[at]);
    }
    for row in &mut h[rows] {
        let sum: f64 = (0..M).map(|at| v[at] * row[first + at]).sum();
        (0..M).for_each(|at| row[first + at] -= factor * sum * v[at]);
    }
}

/// A similar matrix with zeros below the first subdiagonal.
fn to_hessenberg<const N: usize>(h: &mut [[f64; N]; N]) {
    for column in 0..N.saturating_sub(2) {
        // Zeros above the part that is reflected leave the rest as it is.
        let mut below = [0.0; N];
        (column + 1..N).for_each(|row| below[row] = h[row][column]);
        below.rotate_left(column + 1);
        let (mut v, factor) = reflection(below);
        v.rotate_right(column + 1);
        reflect(h, 0, (v, factor), column..N, 0..N);
    }
}

/// One implicit step with two shifts, the eigenvalues of the last two rows. Every tenth step takes others, which ends cycles.
fn double_step<const N: usize>(h: &mut [[f64; N]; N], block: Range<usize>, step: usize) {
    let (first, last) = (block.start, block.end - 1);
    let (mut sum, mut product) = (
        h[last - 1][last - 1] + h[last][last],
        h[last - 1][last - 1] * h[last][last] - h[last - 1][last] * h[last][last - 1],
    );
    if step.is_multiple_of(10) {
        let size = h[last][last - 1].abs() + h[last - 1][last - 2].abs();
        (sum, product) = (1.5 * size, size * size);
    }
    let (a, b, c, d) = (h[first][first], h[first][first + 1], h[first + 1][first], h[first + 1][first + 1]);
    let mut column = [a * a + b * c - sum * a + product, c * (a + d - sum), c * h[first + 2][first + 1]];
    for at in first..last - 1 {
        let columns = at.saturating_sub(1).max(first)..block.end;
        reflect(h, at, reflection(column), columns, first..(at + 4).min(block.end));
        column = [h[at + 1][at], h[at + 2][at], if at + 3 <= last { h[at + 3][at] } else { 0.0 }];
    }
    reflect(h, last - 1, reflection([column[0], column[1]]), last - 2..block.end, first..block.end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The matrix minus an eigenvalue is singular, and the eigenvalues add up to the trace; also where some coincide.
    #[test]
    fn eigenvalues_make_the_matrix_singular() {
        for seed in 0..500 {
            let random = &mut Random::new(seed);
            let scale = 10_f64.powf(random.range(-3.0, 3.0));
            let mut matrix: [[f64; 8]; 8] = std::array::from_fn(|_| std::array::from_fn(|_| scale * random.normal()));
            if seed % 3 == 0 {
                (0..8).for_each(|at| matrix[at][..at].fill(0.0));
            }
            let found = eigenvalues(matrix);
            assert_eq!(found.len(), 8);
            let trace: f64 = (0..8).map(|at| matrix[at][at]).sum();
            let sum: f64 = found.iter().map(|[real, _]| real).sum();
            assert!((trace - sum).abs() < 1e-11 * scale, "seed {seed}: {trace} {sum}");
            assert!(found.iter().map(|[_, imaginary]| imaginary).sum::<f64>().abs() < 1e-11 * scale);
            for [real, imaginary] in found {
                // As a real matrix of twice the size: [A - real, imaginary; -imaginary, A - real].
                let mut doubled = [[0.0; 16]; 16];
                for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
                    let shift = if row == column { [real, imaginary] } else { [0.0, 0.0] };
                    (doubled[row][column], doubled[row + 8][column + 8]) =
                        (matrix[row][column] - shift[0], matrix[row][column] - shift[0]);
                    (doubled[row][column + 8], doubled[row + 8][column]) = (shift[1], -shift[1]);
                }
                let mut pivots = Vec::new();
                eliminate(&mut doubled, &mut pivots, 0..16, 16, 1e-9);
                assert!(pivots.len() < 16, "seed {seed}: {real} {imaginary}");
            }
        }
    }

    #[test]
    fn matrices_that_are_not_finite_end() {
        let mut matrix = [[1.0; 6]; 6];
        matrix[2][3] = f64::NAN;
        assert!(eigenvalues(matrix).len() < 6);
    }
}
