//! A place and an orientation.

use glam::{DQuat, DVec3};

/// Position and orientation of a frame: maps `p` to `position + rotation * p`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Isometry {
    /// Where the frame's origin is.
    pub position: DVec3,
    /// How its axes are turned; unit length.
    pub rotation: DQuat,
}

impl Isometry {
    /// The origin, not turned.
    pub const IDENTITY: Isometry = Isometry { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A frame from its place and orientation.
    pub const fn new(position: DVec3, rotation: DQuat) -> Self {
        Isometry { position, rotation }
    }

    /// Where a point given in this frame lies outside of it.
    #[inline]
    pub fn point(self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// The coordinates in this frame of a point given outside of it.
    #[inline]
    pub fn local(self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.position)
    }

    /// The frame `inner`, given in this frame, as seen from outside of it.
    #[inline]
    pub fn frame(self, inner: Isometry) -> Isometry {
        Isometry::new(self.point(inner.position), self.rotation * inner.rotation)
    }

    /// Whether all numbers are finite.
    pub fn is_finite(self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

/// The smallest rotation from one unit vector to another. [`DQuat::from_rotation_arc`] treats angles below 3e-8 as zero,
/// which is visible at the tip of a long chain.
pub(crate) fn smallest_rotation(from: DVec3, to: DVec3) -> DQuat {
    let cos = from.dot(to);
    if cos < -1.0 + 1e-12 {
        let across = from.any_orthonormal_vector();
        return DQuat::from_xyzw(across.x, across.y, across.z, 0.0);
    }
    let axis = from.cross(to);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cos).normalize()
}

/// Angle between two orientations, in `[0, PI]`.
pub fn angle_between(a: DQuat, b: DQuat) -> f64 {
    (a.conjugate() * b).to_scaled_axis_short().length()
}

/// Logarithm of a rotation along the shorter way: axis times angle, angle in `[0, PI]`.
pub(crate) trait ShortLog {
    /// Axis times angle of the shorter of the two turns that the quaternion stands for.
    fn to_scaled_axis_short(self) -> DVec3;
}

impl ShortLog for DQuat {
    fn to_scaled_axis_short(self) -> DVec3 {
        let q = if self.w < 0.0 { -self } else { self };
        let v = q.xyz();
        let s = v.length();
        if s < 1e-14 { v * 2.0 } else { v * (2.0 * s.atan2(q.w) / s) }
    }
}
