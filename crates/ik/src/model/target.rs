//! The target of an effector: where it should be and how it should be turned.

use super::refusal::{Reason, check_point, check_rotation};
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
