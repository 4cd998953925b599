//! Transforms of nodes, and the rotations in matrices.

use glam::{DMat3, DMat4, DQuat, DVec3};

/// Position, rotation and scale of a node relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Transform {
    pub place: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
    /// A matrix that replaces all three.
    pub matrix: Option<DMat4>,
}

impl Transform {
    pub fn matrix(&self) -> DMat4 {
        let parts = || DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.place);
        self.matrix.unwrap_or_else(parts)
    }
}

/// The rotation in a parent at `above` that gives a node with this scale the world rotation `world`. A local rotation rotates the
/// polar factor of the parent transform by the same amount.
pub(crate) fn local_rotation(above: &DMat4, world: DQuat, scale: DVec3) -> DQuat {
    let is_mirrored = scale.x * scale.y * scale.z < 0.0;
    let own = if is_mirrored { polar_rotation(&DMat4::from_scale(scale)) } else { DQuat::IDENTITY };
    (polar_rotation(above).conjugate() * world * own.conjugate()).normalize()
}

/// The rotation nearest to a matrix: the orthogonal factor of its polar decomposition, by Higham's iteration
/// (*SIAM J. Sci. Stat. Comput.* 7, 1986). A reflection is negated first; a singular matrix gives the identity.
pub(crate) fn polar_rotation(matrix: &DMat4) -> DQuat {
    let linear = DMat3::from_mat4(*matrix);
    let size = linear.x_axis.length().max(linear.y_axis.length()).max(linear.z_axis.length());
    if size <= 0.0 || !size.is_finite() {
        return DQuat::IDENTITY;
    }
    let mut rotation = linear * (1.0 / size);
    let determinant = rotation.determinant();
    if determinant.abs() < 1e-12 {
        return DQuat::IDENTITY;
    }
    if determinant < 0.0 {
        rotation *= -1.0;
    }
    for _ in 0..30 {
        let next = (rotation + rotation.inverse().transpose()) * 0.5;
        let change = (next - rotation).to_cols_array().iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        rotation = next;
        if change < 1e-15 {
            break;
        }
    }
    DQuat::from_mat3(&rotation).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polar_rotation_a_scaled_rotation_is_that_rotation() {
        let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, -1.2, 0.7));
        for scale in [1.0, 1e-3, 250.0, -2.0] {
            let matrix = DMat4::from_scale_rotation_translation(DVec3::splat(scale), rotation, DVec3::X);
            assert!(polar_rotation(&matrix).angle_between(rotation) < 1e-7, "{scale}");
        }
        assert_eq!(polar_rotation(&DMat4::ZERO), DQuat::IDENTITY);
        assert_eq!(polar_rotation(&DMat4::from_scale(DVec3::new(1.0, 0.0, 1.0))), DQuat::IDENTITY);
    }
}
