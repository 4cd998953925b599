//! The little linear algebra that the polish needs: square matrices, row by row, of which only the lower half counts.

/// Adds `column * column^T` to the lower half of a square matrix.
pub(crate) fn add_square(matrix: &mut [f64], column: &[f64]) {
    let m = column.len();
    for (i, &value) in column.iter().enumerate() {
        if value != 0.0 {
            for (entry, other) in matrix[i * m..=i * m + i].iter_mut().zip(column) {
                *entry += value * other;
            }
        }
    }
}

/// Solves `matrix x = b` in place by Cholesky's decomposition of the lower half; false when it is not positive.
pub(crate) fn solve_positive(matrix: &mut [f64], b: &mut [f64]) -> bool {
    let m = b.len();
    for i in 0..m {
        let (above, below) = matrix.split_at_mut(i * m);
        let row = &mut below[..=i];
        for j in 0..i {
            let left = &above[j * m..=j * m + j];
            let dot: f64 = row[..j].iter().zip(left).map(|(x, y)| x * y).sum();
            row[j] = (row[j] - dot) / left[j];
        }
        let pivot = row[i] - row[..i].iter().map(|x| x * x).sum::<f64>();
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        row[i] = pivot.sqrt();
        b[i] = (b[i] - row[..i].iter().zip(&b[..i]).map(|(x, y)| x * y).sum::<f64>()) / row[i];
    }
    for i in (0..m).rev() {
        let rest: f64 = (i + 1..m).map(|k| matrix[k * m + i] * b[k]).sum();
        b[i] = (b[i] - rest) / matrix[i * m + i];
    }
    true
}
