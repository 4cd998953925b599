//! Rigid transforms: position and orientation of a frame.

use glam::{DQuat, DVec3};

/// Position and orientation of a frame: maps `p` to `position + rotation * p`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Isometry {
    /// Position of the origin.
    pub position: DVec3,
    /// Orientation of the axes; unit length.
    pub rotation: DQuat,
}

impl Isometry {
    /// The identity.
    pub const IDENTITY: Isometry = Isometry { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A frame from its position and orientation.
    pub const fn new(position: DVec3, rotation: DQuat) -> Self {
        Isometry { position, rotation }
    }

    /// Maps a point from this frame to the outer one.
    #[inline]
    pub fn point(self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// Maps a point from the outer frame to this one.
    #[inline]
    pub fn local(self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.position)
    }

    /// Maps the frame `inner` from this frame to the outer one.
    #[inline]
    pub fn frame(self, inner: Isometry) -> Isometry {
        Isometry::new(self.point(inner.position), self.rotation * inner.rotation)
    }

    /// Whether all numbers are finite.
    pub fn is_finite(self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

/// The smallest rotation from one unit vector to another. [`DQuat::from_rotation_arc`] treats angles below 3e-8 as
/// zero, which is visible at the tip of a long chain.
pub(crate) fn smallest_rotation(from: DVec3, to: DVec3) -> DQuat {
    let cos = from.dot(to);
    if cos < -1.0 + 1e-12 {
        let across = from.any_orthonormal_vector();
        return DQuat::from_xyzw(across.x, across.y, across.z, 0.0);
    }
    let axis = from.cross(to);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cos).normalize()
}

/// The angle between two orientations, in `[0, PI]`.
pub fn angle_between(a: DQuat, b: DQuat) -> f64 {
    rotation_vector(a.conjugate() * b).length()
}

/// The logarithm of a rotation: the rotation vector (axis times angle) of the shorter turn, with an angle in `[0, PI]`.
pub(crate) fn rotation_vector(rotation: DQuat) -> DVec3 {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let v = q.xyz();
    let s = v.length();
    if s < 1e-14 { v * 2.0 } else { v * (2.0 * s.atan2(q.w) / s) }
}
