//! Rigid transforms: position and orientation of a frame.

use crate::maths;
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
        return half_turn(from);
    }
    let axis = from.cross(to);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cos).normalize()
}

/// Half a turn about an axis across a unit vector.
fn half_turn(vector: DVec3) -> DQuat {
    let across = any_side(vector);
    DQuat::from_xyzw(across.x, across.y, across.z, 0.0)
}

/// As [`DQuat::from_rotation_arc`], but a rotation to the opposite keeps a figure in its coordinate plane.
pub(crate) fn rotation_arc(from: DVec3, to: DVec3) -> DQuat {
    if from.dot(to) < -1.0 + 2.0 * f64::EPSILON { half_turn(from) } else { DQuat::from_rotation_arc(from, to) }
}

/// A unit vector across a unit vector, where nothing says which one: in the coordinate plane next to the vector, of several that
/// without z, then that without y. A straight chain in a coordinate plane bends in it.
pub(crate) fn any_side(vector: DVec3) -> DVec3 {
    let DVec3 { x, y, z } = vector.abs();
    let normal = if z <= x.min(y) {
        DVec3::Z
    } else if y <= x {
        DVec3::Y
    } else {
        DVec3::X
    };
    normal.cross(vector).normalize()
}

/// The angle between two orientations, in `[0, PI]`.
pub fn angle_between(a: DQuat, b: DQuat) -> f64 {
    maths::rotation_vector(a.conjugate() * b).length()
}
