//! Scripts: commands with their session times.

use super::command::{Command, ParseError, without_comment};
use std::collections::VecDeque;

/// One line of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    /// Seconds since the start.
    pub time: f64,
    /// The command at that time.
    pub command: Command,
}

/// Commands that are still to come, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script(VecDeque<Cue>);

/// Why a script cannot be played: the number of the line, from 1, and what is wrong in it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScriptError {
    /// The line does not start with a time.
    #[error("line {0}: expected a time in seconds, then a command, not `{1}`")]
    Time(usize, String),
    /// The rest of the line is not a command.
    #[error("line {0}: {1}")]
    Command(usize, ParseError),
}

impl std::str::FromStr for Script {
    type Err = ScriptError;

    /// Reads lines `TIME COMMAND ARGS`. `#` starts a comment. Lines with the same time keep their order.
    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let mut cues = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let number = at + 1;
            let line = without_comment(line).trim();
            if line.is_empty() {
                continue;
            }
            let (time, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let seconds = time.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
            let time = seconds.ok_or_else(|| ScriptError::Time(number, time.to_owned()))?;
            let command = rest.parse().map_err(|reason| ScriptError::Command(number, reason))?;
            cues.push(Cue { time, command });
        }
        cues.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(Script(cues.into()))
    }
}

/// A line that arrives while the session runs.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveLine {
    /// `COMMAND ARGS`: now.
    Now(Command),
    /// `+SECONDS COMMAND ARGS`: so many seconds from now.
    After(Cue),
    /// `TIME COMMAND ARGS`: at this time, or now if it has passed.
    At(Cue),
}

impl LiveLine {
    /// Reads a line; `None` if it holds no command. The error says what is wrong with it.
    pub fn read(line: &str) -> Option<Result<Self, String>> {
        let line = without_comment(line).trim();
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = |text: &str| text.parse::<Command>().map_err(|error| error.to_string());
        let time = first.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
        let read = match time {
            Some(time) if first.starts_with('+') => command(rest).map(|command| LiveLine::After(Cue { time, command })),
            Some(time) => command(rest).map(|command| LiveLine::At(Cue { time, command })),
            None => command(line).map(LiveLine::Now),
        };
        (!line.is_empty()).then_some(read)
    }
}

impl Script {
    /// Adds a line after those with the same time.
    pub fn add(&mut self, cue: Cue) {
        let at = self.0.partition_point(|other| other.time <= cue.time);
        self.0.insert(at, cue);
    }

    /// The commands up to `time` that were not returned before.
    pub fn due(&mut self, time: f64) -> Vec<Command> {
        let count = self.0.partition_point(|cue| cue.time <= time + 1e-9);
        self.0.drain(..count).map(|cue| cue.command).collect()
    }

    /// Time of the next command, seconds.
    pub fn next_time(&self) -> Option<f64> {
        self.0.front().map(|cue| cue.time)
    }

    /// Whether all commands were returned.
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// Time of the last command, seconds; 0 if all were returned.
    pub fn duration(&self) -> f64 {
        self.0.back().map_or(0.0, |cue| cue.time)
    }
}
