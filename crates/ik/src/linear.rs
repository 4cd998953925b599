//! Linear algebra for the refinement of skeletons and the Jacobian methods. Matrices are square and stored row by row.

/// The dot product of two vectors.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The largest of the absolute values of some numbers; 0 without any.
pub(crate) fn largest_of(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()))
}

/// Adds `weight * column * column^T` to the lower half of a square matrix.
pub(crate) fn add_square(matrix: &mut [f64], column: &[f64], weight: f64) {
    let m = column.len();
    for (i, &value) in column.iter().enumerate() {
        let value = value * weight;
        if value != 0.0 {
            for (entry, other) in matrix[i * m..=i * m + i].iter_mut().zip(column) {
                *entry += value * other;
            }
        }
    }
}

/// Solves `matrix x = b` in place by the Cholesky decomposition of the lower half; false if it is not positive
/// definite, or if it must stop before the work is done.
pub(crate) fn solve_positive(matrix: &mut [f64], b: &mut [f64], must_stop: impl Fn() -> bool) -> bool {
    let m = b.len();
    for i in 0..m {
        if must_stop() {
            return false;
        }
        let (above, below) = matrix.split_at_mut(i * m);
        let row = &mut below[..=i];
        for j in 0..i {
            let left = &above[j * m..=j * m + j];
            row[j] = (row[j] - dot(&row[..j], left)) / left[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        row[i] = pivot.sqrt();
        b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
    }
    for i in (0..m).rev() {
        let rest: f64 = (i + 1..m).map(|k| matrix[k * m + i] * b[k]).sum();
        b[i] = (b[i] - rest) / matrix[i * m + i];
    }
    true
}

/// The same for a matrix of few rows, of which the upper half is given: with a number of rows that the compiler knows, it takes
/// a quarter of the time.
pub(crate) fn solve_small<const M: usize>(matrix: &mut [[f64; M]; M], b: &mut [f64; M]) -> bool {
    for j in 0..M {
        let row = matrix[j];
        if row[j].is_nan() || row[j] <= 0.0 {
            return false;
        }
        let inverse = row[j].recip();
        for i in j + 1..M {
            let factor = row[i] * inverse;
            (i..M).for_each(|k| matrix[i][k] -= factor * row[k]);
            b[i] -= factor * b[j];
        }
        matrix[j][j] = inverse;
    }
    for j in (0..M).rev() {
        b[j] *= matrix[j][j];
        for i in 0..j {
            b[i] -= matrix[i][j] * b[j];
        }
    }
    true
}

/// Copies the lower half of a matrix of `n` rows into its upper half.
pub(crate) fn mirror(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            matrix[j * n + i] = matrix[i * n + j];
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
                let tan = half.signum() / (half.abs() + half.hypot(1.0));
                let cos = 1.0 / tan.hypot(1.0);
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
