//! Joints: the selected one, whose coordinates and limits are looked at, and what tells one where to stand.

use super::forward::Way;
use super::words::quoted;
use super::{CommandError, Session};
use crate::solve::forward;
use std::fmt;

/// Which joint to select, or where one is to stand.
#[derive(Clone, Debug, PartialEq)]
pub enum JointCommand {
    /// `joint.next` (1) and `joint.previous` (-1): in file order, around.
    Step(i32),
    /// `joint.select NAME`.
    Select(String),
    /// `joint.none`.
    Clear,
    /// `joint.set NAME VALUE..`: a joint jumps to where its dials have these values ([`fabrik3d_scene::JointValue`]: degrees, the
    /// scene's lengths), and the display eases after it.
    Set(String, Vec<f64>),
    /// `joint.glide NAME VALUE..`: the same while somebody turns it: shown at once, and undone as one.
    Glide(String, Vec<f64>),
}

impl JointCommand {
    /// Reads the words after `name`; the error says what should follow it.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Self, &'static str> {
        match (name, rest) {
            ("joint.select", [joint]) => Ok(JointCommand::Select((*joint).to_owned())),
            ("joint.select", _) => Err("a joint's name"),
            ("joint.set" | "joint.glide", [joint, values @ ..]) if !values.is_empty() => {
                let values = values.iter().map(|word| word.parse().ok().filter(|value: &f64| value.is_finite()));
                let values = values.collect::<Option<Vec<f64>>>().ok_or(VALUES)?;
                let command = if name == "joint.set" { JointCommand::Set } else { JointCommand::Glide };
                Ok(command((*joint).to_owned(), values))
            }
            ("joint.set" | "joint.glide", _) => Err(VALUES),
            ("joint.next", []) => Ok(JointCommand::Step(1)),
            ("joint.previous", []) => Ok(JointCommand::Step(-1)),
            ("joint.none", []) => Ok(JointCommand::Clear),
            _ => Err("nothing after it"),
        }
    }
}

const VALUES: &str = "a joint's name and its angles in degrees, or its way: NAME VALUE..";

impl fmt::Display for JointCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |f: &mut fmt::Formatter<'_>, word: &str, name: &str, values: &[f64]| {
            write!(f, "{word} {}", quoted(name))?;
            values.iter().try_for_each(|value| write!(f, " {value}"))
        };
        match self {
            JointCommand::Set(name, values) => told(f, "joint.set", name, values),
            JointCommand::Glide(name, values) => told(f, "joint.glide", name, values),
            JointCommand::Step(step) => write!(f, "joint.{}", if *step < 0 { "previous" } else { "next" }),
            JointCommand::Select(name) => write!(f, "joint.select {}", quoted(name)),
            JointCommand::Clear => write!(f, "joint.none"),
        }
    }
}

impl Session {
    /// Carries out a command that is about joints. From none selected, a step forward selects the first joint and one back
    /// the last.
    pub(super) fn handle_joint(&mut self, command: &JointCommand) -> Result<(), CommandError> {
        let count = self.scene.skeleton.len() as i64;
        self.joint = match command {
            JointCommand::Step(step) => {
                let step = i64::from(*step);
                let from = self.joint.map_or(if step > 0 { -1 } else { 0 }, |joint| joint as i64);
                Some((from + step).rem_euclid(count) as usize)
            }
            JointCommand::Select(name) => Some(forward::find_joint(&self.scene, name)?),
            JointCommand::Clear => None,
            JointCommand::Set(name, values) => return self.turn_joint(name, values, Way::Jump),
            JointCommand::Glide(name, values) => return self.turn_joint(name, values, Way::Glide),
        };
        Ok(())
    }

    /// Index of the selected joint, if one is.
    pub fn selected_joint(&self) -> Option<usize> {
        self.joint
    }
}
