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
