//! The target of an effector: where it should be and how it should be turned.
//!
//! Solvers read targets in one canonical form of numbers that can be written in two ways: 0.0 and -0.0 are the same number,
//! `q` and `-q` the same orientation. The seeds of random starts, and angles of half a turn, depend on bits; the answer does
//! not depend on how a target is written.

use super::{Reason, check_point, check_rotation};
use glam::{DQuat, DVec3};

/// The desired position and orientation of an effector, in the world. `None` leaves that part open.
///
/// Where a `Target` is expected, a position, an orientation, both or a point to look at will do. Each replaces the whole
/// target: a goal that looks at a point no longer looks once its target is a position.
///
/// ```
/// # use glam::{DQuat, DVec3};
/// # use fabrik3d_ik::{Target, goals::Orientation};
/// let place = Target::from(DVec3::X);
/// let turn = Target::from(DQuat::IDENTITY);
/// let both = Target::from((DVec3::X, DQuat::IDENTITY));
/// let look = Target::from(Orientation::LookAt(DVec3::X));
/// assert_eq!(both, Target { orientation: turn.orientation, ..place });
/// assert_eq!((look.position, look.look_at()), (None, Some(DVec3::X)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "fields::Fields", into = "fields::Fields")
)]
pub struct Target {
    /// Position of the effector's tip.
    pub position: Option<DVec3>,
    /// How the effector should be turned.
    pub orientation: Option<Orientation>,
}

/// How an effector should be turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Orientation {
    /// Orientation of the effector's joint; unit length.
    Rotation(DQuat),
    /// Point that the effector looks at: the ray from its tip along an axis of its joint passes through this point. The
    /// axis is [`Freedom::spin_axis`](crate::goals::Freedom::spin_axis), or z. The effector may turn about it.
    LookAt(DVec3),
}

impl Target {
    /// Where the target is: its position, or without one the point to look at.
    pub fn place(&self) -> Option<DVec3> {
        self.position.or(self.look_at())
    }

    /// The orientation of the effector's joint, if that is what the target asks for.
    pub fn rotation(&self) -> Option<DQuat> {
        match self.orientation? {
            Orientation::Rotation(rotation) => Some(rotation),
            Orientation::LookAt(_) => None,
        }
    }

    /// The point to look at, if that is what the target asks for.
    pub fn look_at(&self) -> Option<DVec3> {
        match self.orientation? {
            Orientation::Rotation(_) => None,
            Orientation::LookAt(point) => Some(point),
        }
    }

    /// The target in the canonical form.
    #[inline]
    pub(crate) fn canonical(&self) -> Target {
        // The sum of -0.0 and 0.0 is 0.0. All other numbers stay.
        let position = self.position.map(|position| position + DVec3::ZERO);
        let orientation = self.orientation.map(|orientation| match orientation {
            Orientation::Rotation(rotation) => Orientation::Rotation(canonical_rotation(rotation)),
            Orientation::LookAt(point) => Orientation::LookAt(point + DVec3::ZERO),
        });
        Target { position, orientation }
    }

    /// Checks the numbers, and that the orientation is not zero.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        self.position.map_or(Ok(()), check_point)?;
        match self.orientation {
            Some(Orientation::Rotation(rotation)) => check_rotation(rotation),
            Some(Orientation::LookAt(point)) => check_point(point),
            None => Ok(()),
        }
    }
}

impl From<DVec3> for Target {
    fn from(position: DVec3) -> Self {
        Target { position: Some(position), orientation: None }
    }
}

/// An orientation with any position.
impl From<DQuat> for Target {
    fn from(rotation: DQuat) -> Self {
        Orientation::Rotation(rotation).into()
    }
}

/// An orientation with any position.
impl From<Orientation> for Target {
    fn from(orientation: Orientation) -> Self {
        Target { position: None, orientation: Some(orientation) }
    }
}

impl From<(DVec3, DQuat)> for Target {
    fn from((position, rotation): (DVec3, DQuat)) -> Self {
        Target { orientation: Some(Orientation::Rotation(rotation)), ..Target::from(position) }
    }
}

/// Without negative zeros. Of `q` and `-q`, the one whose first number other than zero, of w, x, y and z, is positive.
#[inline]
fn canonical_rotation(DQuat { x, y, z, w }: DQuat) -> DQuat {
    let is_negative = [w, x, y, z].into_iter().find(|&number| number != 0.0).is_some_and(|first| first < 0.0);
    let sign = if is_negative { -1.0 } else { 1.0 };
    DQuat::from_array([x, y, z, w].map(|number| sign * number + 0.0))
}

/// A hash of numbers in the canonical form.
pub(crate) fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    let mix = |sum: u64, number: f64| (sum ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    numbers.fold(0, mix)
}

/// The form of targets in files: `rotation` and `look_at` beside each other, of which one may be given.
#[cfg(feature = "serde")]
mod fields {
    use super::{Orientation, Target};
    use glam::{DQuat, DVec3};

    #[derive(Default, serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Fields {
        position: Option<DVec3>,
        rotation: Option<DQuat>,
        #[serde(skip_serializing_if = "Option::is_none")]
        look_at: Option<DVec3>,
    }

    impl From<Target> for Fields {
        fn from(target: Target) -> Self {
            Fields { position: target.position, rotation: target.rotation(), look_at: target.look_at() }
        }
    }

    impl TryFrom<Fields> for Target {
        type Error = &'static str;

        fn try_from(Fields { position, rotation, look_at }: Fields) -> Result<Self, Self::Error> {
            let orientation = match (rotation, look_at) {
                (Some(_), Some(_)) => return Err("the target has both `rotation` and `look_at`; keep one of them"),
                (rotation, look_at) => rotation.map(Orientation::Rotation).or(look_at.map(Orientation::LookAt)),
            };
            Ok(Target { position, orientation })
        }
    }
}

#[cfg(all(test, feature = "serde"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Orientation, Target};
    use glam::{DQuat, DVec3};

    #[test]
    fn files_give_a_rotation_or_a_point_to_look_at() {
        let looking = Target { orientation: Some(Orientation::LookAt(DVec3::X)), ..Target::from(DVec3::Y) };
        for target in [Target::default(), Target::from((DVec3::X, DQuat::IDENTITY)), looking] {
            let text = serde_json::to_string(&target).unwrap();
            assert_eq!(serde_json::from_str::<Target>(&text).unwrap(), target, "{text}");
        }
        assert_eq!(
            serde_json::to_string(&looking).unwrap(),
            r#"{"position":[0.0,1.0,0.0],"rotation":null,"look_at":[1.0,0.0,0.0]}"#
        );
        let both = r#"{"rotation":[0,0,0,1],"look_at":[1,0,0]}"#;
        let error = serde_json::from_str::<Target>(both).unwrap_err().to_string();
        assert!(error.contains("keep one of them"), "{error}");
    }
}
