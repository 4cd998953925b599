//! Effectors put on and taken off, pinned and freed: what the pose is asked for, apart from where.

use super::words::quoted;
use super::{CommandError, Session};
use fabrik3d_ik::Target;
use fabrik3d_scene::{EffectorMode, Scene, SceneEffector};
use std::fmt;
use std::sync::Arc;

/// Which effectors there are, and what they ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectorCommand {
    /// `effector.add [JOINT [NAME]]`: puts a free effector on a joint, or on the selected one, and selects it.
    Add(Option<String>, Option<String>),
    /// `effector.remove [NAME]`: takes an effector off; without a name the selected one.
    Remove(Option<String>),
    /// `effector.pin [NAME on|off]`: pins an effector where its target is, or frees it; alone: the selected one, whichever
    /// it is not.
    Pin(Option<(String, EffectorMode)>),
    /// `effector.weight NAME W`: how much its position counts against the others'; 0: not at all.
    Weight(String, f64),
    /// `effector.all`: what moves a target moves all of them, until one is selected again.
    All,
}

impl EffectorCommand {
    /// The command of these words; an error says what should follow the first, none that it is not one of these.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Option<Result<Self, &'static str>> {
        let text = |word: &&str| (*word).to_owned();
        Some(match (name, rest) {
            ("effector.add", [] | [_] | [_, _]) => {
                Ok(EffectorCommand::Add(rest.first().map(text), rest.get(1).map(text)))
            }
            ("effector.add", _) => Err("a joint and a name, both optional: [JOINT [NAME]]"),
            ("effector.remove", [] | [_]) => Ok(EffectorCommand::Remove(rest.first().map(text))),
            ("effector.remove", _) => Err("an effector's name, or nothing"),
            ("effector.pin", []) => Ok(EffectorCommand::Pin(None)),
            ("effector.pin", [name, "on"]) => Ok(EffectorCommand::Pin(Some((text(name), EffectorMode::Pinned)))),
            ("effector.pin", [name, "off"]) => Ok(EffectorCommand::Pin(Some((text(name), EffectorMode::Free)))),
            ("effector.pin", _) => Err("an effector's name and on or off, or nothing"),
            ("effector.weight", [name, weight]) => {
                let weight = weight.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0);
                weight.map(|weight| EffectorCommand::Weight(text(name), weight)).ok_or(WEIGHT)
            }
            ("effector.weight", _) => Err(WEIGHT),
            ("effector.all", []) => Ok(EffectorCommand::All),
            ("effector.all", _) => Err("nothing after it"),
            _ => return None,
        })
    }
}

const WEIGHT: &str = "an effector's name and a number of at least 0: NAME W";

/// The words of the command.
impl fmt::Display for EffectorCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |f: &mut fmt::Formatter<'_>, word: &Option<String>| match word {
            Some(word) => write!(f, " {}", quoted(word)),
            None => Ok(()),
        };
        match self {
            EffectorCommand::Add(joint, name) => {
                write!(f, "effector.add")?;
                word(f, joint)?;
                word(f, name)
            }
            EffectorCommand::Remove(name) => {
                write!(f, "effector.remove")?;
                word(f, name)
            }
            EffectorCommand::Pin(None) => write!(f, "effector.pin"),
            EffectorCommand::Pin(Some((name, hold))) => {
                write!(f, "effector.pin {} {}", quoted(name), if *hold == EffectorMode::Pinned { "on" } else { "off" })
            }
            EffectorCommand::Weight(name, weight) => write!(f, "effector.weight {} {weight}", quoted(name)),
            EffectorCommand::All => write!(f, "effector.all"),
        }
    }
}

impl Session {
    /// Carries out a command that is about effectors.
    pub(super) fn rig(&mut self, command: &EffectorCommand) -> Result<(), CommandError> {
        match command {
            EffectorCommand::Add(joint, name) => self.add_effector(joint.as_deref(), name.as_deref()),
            EffectorCommand::Remove(name) => {
                let at = self.effector_or_selected(name.as_deref())?;
                self.remove_effector(at);
                Ok(())
            }
            EffectorCommand::Pin(None) => {
                let at = self.selected_effector()?;
                // One that is held for the moment is not pinned yet.
                let hold = if self.scene.effectors[at].hold == EffectorMode::Free {
                    EffectorMode::Pinned
                } else {
                    EffectorMode::Free
                };
                self.pin(at, hold);
                Ok(())
            }
            EffectorCommand::Pin(Some((name, hold))) => {
                let at = self.find_effector(name)?;
                self.pin(at, *hold);
                Ok(())
            }
            EffectorCommand::Weight(name, weight) => {
                let at = self.find_effector(name)?;
                if self.history.begins_weighing(at) {
                    self.history.weigh(at, self.snapshot());
                }
                self.change(at, |effector| effector.weight = *weight);
                Ok(())
            }
            EffectorCommand::All => {
                self.selected_effector()?;
                self.all = !self.all;
                Ok(())
            }
        }
    }

    fn effector_or_selected(&self, name: Option<&str>) -> Result<usize, CommandError> {
        name.map_or_else(|| self.selected_effector(), |name| self.find_effector(name))
    }

    fn add_effector(&mut self, joint: Option<&str>, name: Option<&str>) -> Result<(), CommandError> {
        let joint = match joint {
            Some(joint) => joint.to_owned(),
            None => {
                let joint = self.joint.ok_or(CommandError::NoJoint)?;
                self.scene.skeleton.joints()[joint].name.clone()
            }
        };
        let mut scene = (*self.scene).clone();
        scene.add_effector(&joint, name)?;
        self.take_effectors(scene);
        (self.selected, self.all) = (self.targets.len() - 1, false);
        Ok(())
    }

    /// Puts effectors on joints, by their names.
    pub(super) fn add_effectors(&mut self, joints: &[usize]) -> Result<(), CommandError> {
        let mut scene = (*self.scene).clone();
        for &joint in joints {
            scene.add_effector(&self.scene.skeleton.joints()[joint].name, None)?;
        }
        self.take_effectors(scene);
        Ok(())
    }

    /// Goes over to the same scene with more effectors.
    fn take_effectors(&mut self, scene: Scene) {
        self.history.push(self.snapshot());
        self.scene = Arc::new(scene);
        for at in self.targets.len()..self.scene.effectors.len() {
            self.targets.push(Target::from(self.tip(at)));
            self.paths.push(None);
            self.held.push(false);
        }
        if let Some(playback) = &mut self.playback {
            playback.gain_effectors(&self.scene);
        }
        self.redivide();
    }

    fn remove_effector(&mut self, at: usize) {
        self.history.push(self.snapshot());
        Arc::make_mut(&mut self.scene).effectors.remove(at);
        self.targets.remove(at);
        self.paths.remove(at);
        self.held.remove(at);
        if let Some(playback) = &mut self.playback {
            playback.lose_effector(at);
        }
        if self.selected > at || self.selected == self.targets.len() {
            self.selected = self.selected.saturating_sub(1);
        }
        self.redivide();
    }

    /// Pins an effector where its target is, or frees it.
    fn pin(&mut self, at: usize, hold: EffectorMode) {
        self.history.push(self.snapshot());
        self.held[at] = hold == EffectorMode::Pinned;
        self.change(at, |effector| effector.hold = hold);
    }

    fn change(&mut self, at: usize, change: impl FnOnce(&mut SceneEffector)) {
        change(&mut Arc::make_mut(&mut self.scene).effectors[at]);
        self.hold_motion();
        self.ask(at);
    }
}
