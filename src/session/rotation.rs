//! The orientation that an effector should take.

use super::{CommandError, Session};
use glam::{DQuat, DVec3};
use std::fmt;

/// A change to the orientation wanted of the selected effector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RotationCommand {
    /// `target.turn X Y Z`: turns about the world's axes, a rotation vector in degrees. An effector of which no
    /// orientation was wanted starts from the one that it has.
    Turn(DVec3),
    /// `target.rotation X Y Z W`: a quaternion; its length does not matter.
    Set(DQuat),
    /// `target.rotation none`: any orientation will do.
    Clear,
    /// `target.rotation toggle`: keeps the orientation that the effector has, or lets it go.
    Toggle,
}

impl RotationCommand {
    /// Reads the words after `name`; the error says what should follow it.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Self, &'static str> {
        let expected = match name {
            "target.turn" => "three angles in degrees: X Y Z",
            _ => "a quaternion X Y Z W, `none` or `toggle`",
        };
        let numbers = || rest.iter().map(|word| word.parse().ok().filter(|number: &f64| number.is_finite()));
        match (name, rest) {
            ("target.rotation", ["none"]) => Ok(RotationCommand::Clear),
            ("target.rotation", ["toggle"]) => Ok(RotationCommand::Toggle),
            _ => match (name, numbers().collect::<Option<Vec<f64>>>().ok_or(expected)?.as_slice()) {
                ("target.turn", &[x, y, z]) => Ok(RotationCommand::Turn(DVec3::new(x, y, z))),
                ("target.rotation", &[x, y, z, w]) => Ok(RotationCommand::Set(DQuat::from_xyzw(x, y, z, w))),
                _ => Err(expected),
            },
        }
    }
}

impl fmt::Display for RotationCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RotationCommand::Turn(v) => write!(f, "target.turn {} {} {}", v.x, v.y, v.z),
            RotationCommand::Set(q) => write!(f, "target.rotation {} {} {} {}", q.x, q.y, q.z, q.w),
            RotationCommand::Clear => write!(f, "target.rotation none"),
            RotationCommand::Toggle => write!(f, "target.rotation toggle"),
        }
    }
}

impl Session {
    /// Changes the orientation wanted of the selected effector. Turns glide, as moves do; the rest jumps.
    pub(super) fn rotate_target(&mut self, command: RotationCommand) -> Result<(), CommandError> {
        let at = self.selected_effector()?;
        let wanted = self.targets[at].rotation;
        let rotation = match command {
            RotationCommand::Turn(degrees) => {
                let turn = DQuat::from_scaled_axis(degrees * 1.0_f64.to_radians());
                Some((turn * wanted.unwrap_or(self.selected_rotation())).normalize())
            }
            RotationCommand::Set(rotation) => Some(rotation.normalize()),
            RotationCommand::Clear => None,
            RotationCommand::Toggle => wanted.is_none().then(|| self.selected_rotation()),
        };
        if rotation.is_some_and(|rotation| !rotation.is_finite()) {
            return Err(CommandError::NotFinite);
        }
        let glides = matches!(command, RotationCommand::Turn(_));
        if !glides {
            self.history.push(self.snapshot());
        } else if self.history.begins_glide(at) {
            self.history.glide(at, self.snapshot());
        }
        self.hold_motion();
        if rotation.is_some() {
            self.take_hold(&[at]);
        }
        self.targets[at].rotation = rotation;
        let island = self.wake(at);
        if !glides {
            self.start_blend(island);
        }
        Ok(())
    }
}
