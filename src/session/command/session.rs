//! Commands to targets, solver and clock.

use super::argument::{Expected, alone, name_of, named, number, vector, word};
use crate::session::effector::EffectorCommand;
use crate::session::joint::JointCommand;
use crate::session::lesson::StepCommand;
use crate::session::motion::MotionCommand;
use crate::session::path::PathShape;
use crate::session::race::RaceCommand;
use crate::session::rotation::RotationCommand;
use crate::session::words::quoted;
use fabrik3d_ik::Method;
use glam::DVec3;
use std::fmt;

/// A change to targets, solver or clock.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionCommand {
    /// `target.move DX DY DZ`: the selected target glides, world axes.
    TargetMove(DVec3),
    /// `target.set [NAME] X Y Z`: a target jumps.
    TargetSet(Option<String>, DVec3),
    /// `target.preset N`: the selected target jumps to its preset, from 1.
    TargetPreset(usize),
    /// `target.random`: the selected target jumps to a random place within reach.
    TargetRandom,
    /// `target.path circle|figure8|line|none`: the selected target runs along a curve.
    TargetPath(Option<PathShape>),
    /// `target.grab`: what is moved from now on is undone apart from what was moved before.
    TargetGrab,
    /// `target.turn ..` and `target.rotation ..`.
    Rotation(RotationCommand),
    /// `effector.add ..`, `effector.pin ..` and the like.
    Effector(EffectorCommand),
    /// `effector.next` (1) and `effector.previous` (-1).
    EffectorNext(i32),
    /// `effector.select NAME`.
    EffectorSelect(String),
    /// `joint.next`, `joint.set NAME VALUE..` and the like.
    Joint(JointCommand),
    /// `pause` (true) and `resume` (false).
    Pause(bool),
    /// `pause.toggle`.
    TogglePause,
    /// `speed F`: session time runs F times faster than it did.
    Speed(f64),
    /// `reset`: the scene's own pose and targets.
    Reset,
    /// `method NAME`: solves by this method; while a lesson is open, only lessons do.
    Method(Method),
    /// `method.next`: the next of the methods.
    NextMethod,
    /// `set KEY VALUE`.
    Set(String, String),
    /// `base.toggle`: fixes or frees the base of the selected tree.
    ToggleBase,
    /// `step.next`, `step.back` and the other commands of a lesson.
    Step(StepCommand),
    /// `race METHOD METHOD ..`, `race off` and `race.layout`.
    Race(RaceCommand),
    /// `motion.open FILE`, `motion.play` and the other commands of recorded motion.
    Motion(MotionCommand),
    /// `undo`.
    Undo,
    /// `redo`.
    Redo,
}

impl SessionCommand {
    /// The command of these words, if it is one of these; an error says what should follow the name.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Option<Self>, Expected> {
        use SessionCommand as Ses;
        Ok(Some(match name {
            "target.move" => Ses::TargetMove(vector(rest).ok_or("three numbers: DX DY DZ")?),
            "target.set" => {
                let (name, place) = match rest.len() {
                    3 => (None, vector(rest)),
                    4 => (Some(rest[0].to_owned()), vector(&rest[1..])),
                    _ => (None, None),
                };
                Ses::TargetSet(name, place.ok_or("an optional effector name and three numbers: [NAME] X Y Z")?)
            }
            "target.preset" => {
                let expected = "a number from 1";
                let number = word(rest, expected)?.parse().ok().filter(|number| *number > 0);
                Ses::TargetPreset(number.ok_or(expected)?)
            }
            "target.random" => alone(Ses::TargetRandom, rest)?,
            "target.path" => {
                let expected = "circle, figure8, line or none";
                Ses::TargetPath(match word(rest, expected)? {
                    "none" => None,
                    other => Some(named(&PathShape::NAMES, other).ok_or(expected)?),
                })
            }
            "target.grab" => alone(Ses::TargetGrab, rest)?,
            "target.turn" | "target.rotation" => Ses::Rotation(RotationCommand::parse(name, rest)?),
            "effector.next" => alone(Ses::EffectorNext(1), rest)?,
            "effector.previous" => alone(Ses::EffectorNext(-1), rest)?,
            "effector.select" => Ses::EffectorSelect(word(rest, "an effector's name")?.to_owned()),
            "joint.next" | "joint.previous" | "joint.select" | "joint.none" | "joint.set" | "joint.glide" => {
                Ses::Joint(JointCommand::parse(name, rest)?)
            }
            "pause" => alone(Ses::Pause(true), rest)?,
            "resume" => alone(Ses::Pause(false), rest)?,
            "pause.toggle" => alone(Ses::TogglePause, rest)?,
            "speed" => {
                let expected = "a positive factor";
                let factor = number(word(rest, expected)?).filter(|factor| *factor > 0.0);
                Ses::Speed(factor.ok_or(expected)?)
            }
            "reset" => alone(Ses::Reset, rest)?,
            "method" => {
                let expected = "accelerated, textbook, ccd, jacobian-transpose, dls, svd-dls, triangulation or ftl";
                let wanted = word(rest, expected)?;
                let method = Method::from_key(wanted);
                Ses::Method(method.ok_or(expected)?)
            }
            "method.next" => alone(Ses::NextMethod, rest)?,
            "set" => match rest {
                [key, value] => Ses::Set((*key).to_owned(), (*value).to_owned()),
                _ => return Err("a key and a value: KEY VALUE"),
            },
            "base.toggle" => alone(Ses::ToggleBase, rest)?,
            "undo" => alone(Ses::Undo, rest)?,
            "redo" => alone(Ses::Redo, rest)?,
            _ => {
                if let Some(command) = EffectorCommand::parse(name, rest) {
                    return command.map(Ses::Effector).map(Some);
                }
                let step = StepCommand::parse(name, rest).map(|step| step.map(Ses::Step));
                let race = || RaceCommand::parse(name, rest).map(|race| race.map(Ses::Race));
                let motion = || MotionCommand::parse(name, rest).map(|motion| motion.map(Ses::Motion));
                return step.or_else(race).or_else(motion).transpose();
            }
        }))
    }
}

/// The words of the command.
impl fmt::Display for SessionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionCommand::TargetMove(v) => write!(f, "target.move {} {} {}", v.x, v.y, v.z),
            SessionCommand::TargetSet(None, v) => write!(f, "target.set {} {} {}", v.x, v.y, v.z),
            SessionCommand::TargetSet(Some(name), v) => {
                write!(f, "target.set {} {} {} {}", quoted(name), v.x, v.y, v.z)
            }
            SessionCommand::TargetPreset(number) => write!(f, "target.preset {number}"),
            SessionCommand::TargetRandom => write!(f, "target.random"),
            SessionCommand::TargetPath(shape) => {
                write!(f, "target.path {}", shape.map_or("none", |shape| name_of(&PathShape::NAMES, shape)))
            }
            SessionCommand::TargetGrab => write!(f, "target.grab"),
            SessionCommand::Rotation(command) => write!(f, "{command}"),
            SessionCommand::Effector(command) => write!(f, "{command}"),
            SessionCommand::EffectorNext(step) => {
                write!(f, "effector.{}", if *step < 0 { "previous" } else { "next" })
            }
            SessionCommand::EffectorSelect(name) => write!(f, "effector.select {}", quoted(name)),
            SessionCommand::Joint(command) => write!(f, "{command}"),
            SessionCommand::Pause(paused) => write!(f, "{}", if *paused { "pause" } else { "resume" }),
            SessionCommand::TogglePause => write!(f, "pause.toggle"),
            SessionCommand::Speed(factor) => write!(f, "speed {factor}"),
            SessionCommand::Reset => write!(f, "reset"),
            SessionCommand::Method(method) => write!(f, "method {}", method.key()),
            SessionCommand::NextMethod => write!(f, "method.next"),
            SessionCommand::Set(key, value) => write!(f, "set {} {}", quoted(key), quoted(value)),
            SessionCommand::ToggleBase => write!(f, "base.toggle"),
            SessionCommand::Step(step) => write!(f, "{step}"),
            SessionCommand::Race(race) => write!(f, "{race}"),
            SessionCommand::Motion(motion) => write!(f, "{motion}"),
            SessionCommand::Undo => write!(f, "undo"),
            SessionCommand::Redo => write!(f, "redo"),
        }
    }
}
