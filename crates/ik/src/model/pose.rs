//! The pose of a skeleton: one set of coordinates per joint. Nothing else is stored. Positions are computed from it, so
//! link lengths are always exact.

use glam::{DQuat, DVec3};

/// Coordinates of one joint. The kind of the joint determines how many values are used and what they mean:
///
/// | kind | values |
/// |---|---|
/// | ball with a limit | tilt toward x, tilt toward y, twist |
/// | ball without limits | quaternion x, y, z, w |
/// | hinge | angle |
/// | slide | distance |
/// | fixed | none |
/// | free | position x, y, z, quaternion x, y, z, w |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "[f64; 7]", into = "[f64; 7]")
)]
pub struct Coordinates(pub(crate) [f64; 7]);

impl Coordinates {
    /// Coordinates of a limited ball: tilt of the link axis toward x and y, twist about it; radians.
    pub fn ball(tilt: [f64; 2], twist: f64) -> Self {
        Coordinates([tilt[0], tilt[1], twist, 0.0, 0.0, 0.0, 0.0])
    }

    /// Coordinates of a ball without limits.
    pub fn rotation(rotation: DQuat) -> Self {
        let [x, y, z, w] = rotation.to_array();
        Coordinates([x, y, z, w, 0.0, 0.0, 0.0])
    }

    /// Coordinates of a hinge (radians) or a slide (length).
    pub fn scalar(value: f64) -> Self {
        Coordinates([value, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    }

    /// Coordinates of a free joint.
    pub fn free(position: DVec3, rotation: DQuat) -> Self {
        let [x, y, z, w] = rotation.to_array();
        Coordinates([position.x, position.y, position.z, x, y, z, w])
    }

    /// Tilt of a limited ball.
    pub fn tilt(&self) -> [f64; 2] {
        [self.0[0], self.0[1]]
    }

    /// Twist of a limited ball.
    pub fn twist(&self) -> f64 {
        self.0[2]
    }

    /// Angle of a hinge or distance of a slide.
    pub fn value(&self) -> f64 {
        self.0[0]
    }

    /// Quaternion of a ball without limits.
    pub fn ball_rotation(&self) -> DQuat {
        DQuat::from_slice(&self.0[..4])
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|value| value.is_finite())
    }

    /// Position of a free joint.
    pub fn free_position(&self) -> DVec3 {
        DVec3::from_slice(&self.0[..3])
    }

    /// Quaternion of a free joint.
    pub fn free_rotation(&self) -> DQuat {
        DQuat::from_slice(&self.0[3..])
    }
}

/// A coordinate is NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a coordinate of a joint is not a finite number")]
pub struct CoordinatesError;

/// The values of the table above, followed by zeros.
impl TryFrom<[f64; 7]> for Coordinates {
    type Error = CoordinatesError;

    fn try_from(values: [f64; 7]) -> Result<Self, CoordinatesError> {
        let coordinates = Coordinates(values);
        if coordinates.is_finite() { Ok(coordinates) } else { Err(CoordinatesError) }
    }
}

/// All seven values; unused ones are zero. [`Coordinates::values`] returns those in use.
impl From<Coordinates> for [f64; 7] {
    fn from(Coordinates(values): Coordinates) -> Self {
        values
    }
}

/// Coordinates of all joints, in the skeleton's order.
pub type Pose = Vec<Coordinates>;
