//! What can be done with recorded motion.

use super::MotionMode;
use crate::session::words::quoted;
use std::fmt;
use std::path::PathBuf;

/// A change to what is played, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionCommand {
    /// `motion.open FILE`: opens a recording (a figure with its clips, or a table of targets) and plays it.
    Open(PathBuf),
    /// `motion.close`: back to the scene's own clips.
    Close,
    /// `motion.play` (true) and `motion.pause` (false).
    Play(bool),
    /// `motion.toggle`: plays, or stops doing so.
    TogglePlay,
    /// `motion.seek T`: jumps to a time in seconds; the display eases after it.
    Seek(f64),
    /// `motion.scrub T`: glides to a time in seconds.
    Scrub(f64),
    /// `motion.step N`: glides so many recorded frames on, or back.
    Step(i64),
    /// `motion.speed F`: how much faster than recorded.
    Speed(f64),
    /// `motion.loop on|off`: whether it begins anew at its end.
    Loop(bool),
    /// `motion.mode show|follow`, or `motion.mode` for the other one.
    Mode(Option<MotionMode>),
    /// `motion.clip NAME`: another clip of the recording, by its name or, where no clip is called so, by its number from
    /// 1 or as `next` or `previous`.
    Clip(String),
    /// `motion.drive JOINT EFFECTOR`: the effector's target follows this recorded joint; `none` for the joint lets it go.
    Drive(String, String),
    /// `motion.match RECORDED JOINT`: the joint does what this recorded one does, whatever the two are called; `none` for the
    /// recorded one leaves it as it rests.
    Match(String, String),
    /// `motion.turns on|off`: whether targets take the recorded orientations too, where joints have partners.
    Turns(bool),
    /// `motion.effectors`: puts effectors on the hips, the head, the hands and the feet that have partners and none yet.
    Effectors,
}

impl MotionCommand {
    /// The command of these words; an error says what should follow the first, none that it is not one of these.
    pub fn parse(name: &str, rest: &[&str]) -> Option<Result<Self, &'static str>> {
        let plain = |command| if rest.is_empty() { Ok(command) } else { Err("nothing after it") };
        let number = |low: f64, expected| match rest {
            [word] => word.parse().ok().filter(|value: &f64| value.is_finite() && *value >= low).ok_or(expected),
            _ => Err(expected),
        };
        Some(match name {
            // Without a file the program around asks for one.
            "motion.open" if !rest.is_empty() => match rest {
                [file] => Ok(MotionCommand::Open(PathBuf::from(file))),
                _ => Err("a file name, in quotation marks if it holds blanks"),
            },
            "motion.close" => plain(MotionCommand::Close),
            "motion.play" => plain(MotionCommand::Play(true)),
            "motion.pause" => plain(MotionCommand::Play(false)),
            "motion.toggle" => plain(MotionCommand::TogglePlay),
            "motion.seek" => number(0.0, "a time in seconds").map(MotionCommand::Seek),
            "motion.scrub" => number(0.0, "a time in seconds").map(MotionCommand::Scrub),
            "motion.step" => match rest {
                [word] => word.parse().map(MotionCommand::Step).map_err(|_| "a number of frames, back below 0"),
                _ => Err("a number of frames, back below 0"),
            },
            "motion.speed" => number(f64::MIN_POSITIVE, "a positive factor").map(MotionCommand::Speed),
            "motion.loop" => match rest {
                ["on"] => Ok(MotionCommand::Loop(true)),
                ["off"] => Ok(MotionCommand::Loop(false)),
                _ => Err("on or off"),
            },
            "motion.mode" => match rest {
                [] => Ok(MotionCommand::Mode(None)),
                [word] => {
                    let mode = MotionMode::NAMES.iter().find(|(name, _)| name == word);
                    mode.map(|&(_, mode)| MotionCommand::Mode(Some(mode))).ok_or("show, follow or nothing")
                }
                _ => Err("show, follow or nothing"),
            },
            "motion.clip" => match rest {
                [clip] => Ok(MotionCommand::Clip((*clip).to_owned())),
                _ => Err("a clip's name or number, next or previous"),
            },
            "motion.drive" => match rest {
                [joint, effector] => Ok(MotionCommand::Drive((*joint).to_owned(), (*effector).to_owned())),
                _ => Err("a recorded joint (or none) and an effector: JOINT EFFECTOR"),
            },
            "motion.match" => match rest {
                [recorded, joint] => Ok(MotionCommand::Match((*recorded).to_owned(), (*joint).to_owned())),
                _ => Err("a recorded joint (or none) and one of the figure: RECORDED JOINT"),
            },
            "motion.turns" => match rest {
                ["on"] => Ok(MotionCommand::Turns(true)),
                ["off"] => Ok(MotionCommand::Turns(false)),
                _ => Err("on or off"),
            },
            "motion.effectors" => plain(MotionCommand::Effectors),
            _ => return None,
        })
    }
}

/// The words of the command.
impl fmt::Display for MotionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MotionCommand::Open(file) => write!(f, "motion.open {}", quoted(&file.display().to_string())),
            MotionCommand::Close => write!(f, "motion.close"),
            MotionCommand::Play(true) => write!(f, "motion.play"),
            MotionCommand::Play(false) => write!(f, "motion.pause"),
            MotionCommand::TogglePlay => write!(f, "motion.toggle"),
            MotionCommand::Seek(time) => write!(f, "motion.seek {time}"),
            MotionCommand::Scrub(time) => write!(f, "motion.scrub {time}"),
            MotionCommand::Step(frames) => write!(f, "motion.step {frames}"),
            MotionCommand::Speed(factor) => write!(f, "motion.speed {factor}"),
            MotionCommand::Loop(on) => write!(f, "motion.loop {}", if *on { "on" } else { "off" }),
            MotionCommand::Turns(on) => write!(f, "motion.turns {}", if *on { "on" } else { "off" }),
            MotionCommand::Effectors => write!(f, "motion.effectors"),
            MotionCommand::Mode(None) => write!(f, "motion.mode"),
            MotionCommand::Mode(Some(mode)) => write!(f, "motion.mode {}", mode.name()),
            MotionCommand::Clip(clip) => write!(f, "motion.clip {}", quoted(clip)),
            MotionCommand::Match(recorded, joint) => write!(f, "motion.match {} {}", quoted(recorded), quoted(joint)),
            MotionCommand::Drive(joint, effector) => write!(f, "motion.drive {} {}", quoted(joint), quoted(effector)),
        }
    }
}
