//! Eigenvalues of symmetric 3 x 3 matrices by Jacobi's rotations.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix computations", section 8.5.

use glam::{DMat3, DVec3};

/// Eigenvalues and their eigenvectors: `matrix = vectors * diagonal(values) * vectors^T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// Eigenvalues, in no order.
    pub values: DVec3,
    /// Orthonormal; column `i` belongs to `values[i]`.
    pub vectors: DMat3,
}

/// Rounds that are enough for any matrix: each squares what is left off the diagonal, after the first two or three.
const ROUNDS: usize = 12;

/// The eigenvalues and eigenvectors of `matrix`, which is taken as symmetric.
pub fn eigen(matrix: DMat3) -> Eigen {
    let mut rest = matrix;
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..ROUNDS {
        if rest.y_axis.x == 0.0 && rest.z_axis.x == 0.0 && rest.z_axis.y == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let turn = annihilator(&rest, p, q);
            rest = turn.transpose() * rest * turn;
            // Nothing but rounding is left in this place; clearing it lets the loop end.
            rest.col_mut(q)[p] = 0.0;
            rest.col_mut(p)[q] = 0.0;
            vectors *= turn;
        }
    }
    Eigen { values: DVec3::new(rest.x_axis.x, rest.y_axis.y, rest.z_axis.z), vectors }
}

/// The rotation in the plane of axes `p` and `q` that makes entry (p, q) vanish.
fn annihilator(matrix: &DMat3, p: usize, q: usize) -> DMat3 {
    let off = matrix.col(q)[p];
    if off == 0.0 {
        return DMat3::IDENTITY;
    }
    let half = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * off);
    let tan = half.signum() / (half.abs() + half.hypot(1.0));
    let cos = 1.0 / tan.hypot(1.0);
    let mut turn = DMat3::IDENTITY;
    turn.col_mut(p)[p] = cos;
    turn.col_mut(q)[q] = cos;
    turn.col_mut(q)[p] = tan * cos;
    turn.col_mut(p)[q] = -tan * cos;
    turn
}
