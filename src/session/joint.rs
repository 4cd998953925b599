//! The selected joint: the one whose coordinates and limits are looked at.

use super::words::quoted;
use super::{CommandError, Session};
use std::fmt;

/// Which joint to select.
#[derive(Clone, Debug, PartialEq)]
pub enum JointCommand {
    /// `joint.next` (1) and `joint.previous` (-1): in file order, around.
    Step(i32),
    /// `joint.select NAME`.
    Select(String),
    /// `joint.none`.
    Clear,
}

impl JointCommand {
    /// Reads the words after `name`; the error says what should follow it.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Self, &'static str> {
        match (name, rest) {
            ("joint.select", [joint]) => Ok(JointCommand::Select((*joint).to_owned())),
            ("joint.select", _) => Err("a joint's name"),
            ("joint.next", []) => Ok(JointCommand::Step(1)),
            ("joint.previous", []) => Ok(JointCommand::Step(-1)),
            ("joint.none", []) => Ok(JointCommand::Clear),
            _ => Err("nothing after it"),
        }
    }
}

impl fmt::Display for JointCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JointCommand::Step(step) => write!(f, "joint.{}", if *step < 0 { "previous" } else { "next" }),
            JointCommand::Select(name) => write!(f, "joint.select {}", quoted(name)),
            JointCommand::Clear => write!(f, "joint.none"),
        }
    }
}

impl Session {
    /// Selects a joint. From none selected, a step forward goes to the first joint and one back to the last.
    pub(super) fn select_joint(&mut self, command: &JointCommand) -> Result<(), CommandError> {
        let count = self.scene.skeleton.len() as i64;
        self.joint = match command {
            JointCommand::Step(step) => {
                let step = i64::from(*step);
                let from = self.joint.map_or(if step > 0 { -1 } else { 0 }, |joint| joint as i64);
                Some((from + step).rem_euclid(count) as usize)
            }
            JointCommand::Select(name) => {
                Some(self.scene.skeleton.find(name).ok_or_else(|| CommandError::UnknownJoint { name: name.clone() })?)
            }
            JointCommand::Clear => None,
        };
        Ok(())
    }

    /// Index of the selected joint, if one is.
    pub fn selected_joint(&self) -> Option<usize> {
        self.joint
    }
}
