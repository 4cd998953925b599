//! Eigenvalues of symmetric 3 x 3 matrices.

use crate::linear;
use glam::{DMat3, DVec3};

/// Eigenvalues and eigenvectors: `matrix = vectors * diagonal(values) * vectors^T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// Eigenvalues, in no particular order.
    pub values: DVec3,
    /// Orthonormal; column `i` belongs to `values[i]`.
    pub vectors: DMat3,
}

/// The eigenvalues and eigenvectors of `matrix`, which must be symmetric.
pub fn eigen(matrix: DMat3) -> Eigen {
    let (mut values, mut vectors) = (matrix.to_cols_array(), [0.0; 9]);
    linear::eigen(&mut values, &mut vectors, 3);
    Eigen { values: DVec3::new(values[0], values[4], values[8]), vectors: DMat3::from_cols_array(&vectors).transpose() }
}
