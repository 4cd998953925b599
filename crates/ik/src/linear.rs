//! Linear algebra for the refinement of skeletons and the Jacobian methods. Matrices are square and stored row by row.

use crate::maths;

/// The largest of the absolute values of some numbers; 0 without any.
pub(crate) fn largest_of(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()))
}

/// Adds `weight * column * column^T` to the upper half of a square matrix. Most columns move only a few of the points: the
/// zeros at their ends cost nothing.
pub(crate) fn add_square(matrix: &mut [f64], column: &[f64], weight: f64) {
    let m = column.len();
    let Some(first) = column.iter().position(|value| *value != 0.0) else { return };
    let end = column.iter().rposition(|value| *value != 0.0).map_or(first, |last| last + 1);
    for i in first..end {
        add_scaled(&mut matrix[i * m + i..i * m + end], &column[i..end], column[i] * weight);
    }
}

/// Adds `scale * other`.
#[inline(always)]
fn add_scaled(row: &mut [f64], other: &[f64], scale: f64) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry += scale * other);
}

/// The heights of vectors: the lengths of their parts that are orthogonal to those before (Gram-Schmidt). `None` if one is no more
/// than this ratio of its vector, which then depends on the others.
pub(crate) fn heights<'a>(vectors: impl Iterator<Item = &'a [f64]>, least: f64) -> Option<Vec<f64>> {
    let (mut units, mut heights): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    for vector in vectors {
        let mut left = vector.to_vec();
        for unit in &units {
            let along = dot(&left, unit);
            add_scaled(&mut left, unit, -along);
        }
        let height = dot(&left, &left).sqrt();
        if height <= least * dot(vector, vector).sqrt() {
            return None;
        }
        left.iter_mut().for_each(|value| *value /= height);
        units.push(left);
        heights.push(height);
    }
    Some(heights)
}

/// The sum of products. Four sums at a time: each addition of one sum waits for the one before.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((fours_a, rest_a), (fours_b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in fours_a.iter().zip(fours_b) {
        (0..4).for_each(|at| sums[at] += a[at] * b[at]);
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// Solves `matrix x = b` in place by elimination, with the upper half of a symmetric matrix; false if it is not positive
/// definite, or if it must stop before the work is done. With a number of rows that the compiler knows, it takes a quarter
/// of the time.
#[inline(always)]
pub(crate) fn solve_positive(matrix: &mut [f64], b: &mut [f64], must_stop: impl Fn() -> bool) -> bool {
    let m = b.len();
    for j in 0..m {
        let (above, below) = matrix.split_at_mut((j + 1) * m);
        let row = &mut above[j * m..];
        let pivot = row[j];
        if must_stop() || pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let inverse = pivot.recip();
        for (i, other) in below.chunks_exact_mut(m).enumerate() {
            let i = j + 1 + i;
            let factor = row[i] * inverse;
            if factor != 0.0 {
                add_scaled(&mut other[i..], &row[i..], -factor);
                b[i] -= factor * b[j];
            }
        }
        row[j] = inverse;
    }
    for j in (0..m).rev() {
        let row = &matrix[j * m..(j + 1) * m];
        b[j] = (b[j] - dot(&row[j + 1..], &b[j + 1..])) * row[j];
    }
    true
}

/// Copies the upper half of a matrix of `n` rows into its lower half.
pub(crate) fn mirror(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            matrix[i * n + j] = matrix[j * n + i];
        }
    }
}

/// Most sweeps of [`eigen`]. They suffice for any matrix, because after two or three of them convergence is quadratic.
const MOST_SWEEPS: usize = 12;

/// Eigenvalues and eigenvectors of a symmetric matrix of `n` rows, both halves given, by Jacobi rotations. The values
/// replace the diagonal; the orthonormal vectors are the columns of `vectors`.
///
/// Source: G. H. Golub, C. F. Van Loan, "Matrix computations", section 8.5.
pub(crate) fn eigen(matrix: &mut [f64], vectors: &mut [f64], n: usize) {
    vectors.fill(0.0);
    vectors.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
    for _ in 0..MOST_SWEEPS {
        let mut done = true;
        for p in 0..n {
            for q in p + 1..n {
                let off = matrix[p * n + q];
                if off == 0.0 {
                    continue;
                }
                done = false;
                // The rotation in the plane of the axes p and q that zeroes the entry (p, q).
                let half = (matrix[q * n + q] - matrix[p * n + p]) / (2.0 * off);
                let tan = half.signum() / (half.abs() + maths::hypot(half, 1.0));
                let cos = 1.0 / maths::hypot(tan, 1.0);
                let sin = tan * cos;
                let rotate = |entries: &mut [f64], one: usize, other: usize| {
                    let (x, y) = (entries[one], entries[other]);
                    (entries[one], entries[other]) = (cos * x - sin * y, sin * x + cos * y);
                };
                for k in 0..n {
                    rotate(matrix, k * n + p, k * n + q);
                }
                for k in 0..n {
                    rotate(matrix, p * n + k, q * n + k);
                    rotate(vectors, k * n + p, k * n + q);
                }
                // Clears rounding errors, so that the loop can end early.
                (matrix[p * n + q], matrix[q * n + p]) = (0.0, 0.0);
            }
        }
        if done {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The eigenvectors are orthonormal and reproduce the matrix, even if eigenvalues coincide or vanish.
    #[test]
    fn eigenvectors_reproduce_the_matrix() {
        for seed in 0..1000 {
            let random = &mut Random::new(seed);
            let (n, rank) = (1 + random.index(6), random.index(7));
            let scale = 10_f64.powf(random.range(-6.0, 6.0));
            let mut matrix = vec![0.0; n * n];
            (0..n).for_each(|i| matrix[i * n + i] = if seed % 2 == 0 { scale } else { 0.0 });
            for _ in 0..rank {
                let column: Vec<f64> = (0..n).map(|_| random.normal()).collect();
                add_square(&mut matrix, &column, scale);
            }
            mirror(&mut matrix, n);
            let (mut values, mut vectors) = (matrix.clone(), vec![0.0; n * n]);
            eigen(&mut values, &mut vectors, n);
            let largest = (0..n).map(|i| values[i * n + i].abs()).fold(0.0, f64::max);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let sum = |part: &dyn Fn(usize) -> f64| (0..n).map(part).sum::<f64>();
                let rebuilt = sum(&|k| vectors[i * n + k] * values[k * n + k] * vectors[j * n + k]);
                assert!((rebuilt - matrix[i * n + j]).abs() <= 1e-13 * largest, "seed {seed}");
                let product = sum(&|k| vectors[i * n + k] * vectors[j * n + k]);
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-13, "seed {seed}");
            }
        }
    }
}
