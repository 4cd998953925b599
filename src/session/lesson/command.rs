//! What can be done in a lesson.

use super::Unit;
use std::fmt;

/// A change of the place in a lesson. All but closing open one where none is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepCommand {
    /// `step.next`: one unit on.
    Next,
    /// `step.back`: one unit back.
    Back,
    /// `step.backward`: to the end of the next backward reaching pass.
    Backward,
    /// `step.forward`: to the end of the next forward reaching pass.
    Forward,
    /// `step.to N`: to a step, counted from 0.
    To(usize),
    /// `step.unit joint|pass`, or `step.unit` for the other one.
    Unit(Option<Unit>),
    /// `step.play`: goes on by itself, or stops doing so.
    Play,
    /// `lesson.close`.
    Close,
}

impl StepCommand {
    /// The command of these words; an error says what should follow the first, none that it is not one of these.
    pub fn parse(name: &str, rest: &[&str]) -> Option<Result<Self, &'static str>> {
        let plain = |command| if rest.is_empty() { Ok(command) } else { Err("nothing after it") };
        Some(match name {
            "step.next" => plain(StepCommand::Next),
            "step.back" => plain(StepCommand::Back),
            "step.backward" => plain(StepCommand::Backward),
            "step.forward" => plain(StepCommand::Forward),
            "step.play" => plain(StepCommand::Play),
            "lesson.close" => plain(StepCommand::Close),
            "step.to" => match rest {
                [number] => number.parse().map(StepCommand::To).map_err(|_| "the number of a step, from 0"),
                _ => Err("the number of a step, from 0"),
            },
            "step.unit" => match rest {
                [] => Ok(StepCommand::Unit(None)),
                [word] => {
                    let unit = Unit::NAMES.iter().find(|(name, _)| name == word);
                    unit.map(|&(_, unit)| StepCommand::Unit(Some(unit))).ok_or("joint, pass or nothing")
                }
                _ => Err("joint, pass or nothing"),
            },
            _ => return None,
        })
    }
}

/// The words of the command.
impl fmt::Display for StepCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepCommand::Next => write!(f, "step.next"),
            StepCommand::Back => write!(f, "step.back"),
            StepCommand::Backward => write!(f, "step.backward"),
            StepCommand::Forward => write!(f, "step.forward"),
            StepCommand::To(number) => write!(f, "step.to {number}"),
            StepCommand::Unit(None) => write!(f, "step.unit"),
            StepCommand::Unit(Some(Unit::Joint)) => write!(f, "step.unit joint"),
            StepCommand::Unit(Some(Unit::Pass)) => write!(f, "step.unit pass"),
            StepCommand::Play => write!(f, "step.play"),
            StepCommand::Close => write!(f, "lesson.close"),
        }
    }
}
