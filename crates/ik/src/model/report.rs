//! What a solve says about itself.

/// Why a solve stopped. An outcome, not an error: the pose is valid whichever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Stop {
    /// The effector is within the tolerance of its target.
    Reached,
    /// The target is farther away than the reach; the pose is the nearest one, stretched toward it.
    TooFar,
    /// The target is inside the dead zone: the longest link exceeds the sum of the others and cannot fold so far.
    TooClose,
    /// Joint limits (or obstacles) stand between the effector and its target; the pose is the best one found. Only the
    /// accelerated method says so: others may be stuck at limits that leave a way.
    Limited,
    /// No further progress, and no limit that is known to be to blame.
    Stalled,
    /// The iterations (and attempts) that the settings allow are used up.
    IterationLimit,
    /// The input held a number that is not finite; nothing was touched.
    Refused,
}

impl Stop {
    /// The word used in JSON and in the viewer: `reached`, `too_far`, ...
    pub fn word(self) -> &'static str {
        match self {
            Stop::Reached => "reached",
            Stop::TooFar => "too_far",
            Stop::TooClose => "too_close",
            Stop::Limited => "limited",
            Stop::Stalled => "stalled",
            Stop::IterationLimit => "iteration_limit",
            Stop::Refused => "refused",
        }
    }

    /// Whether every goal was met.
    pub fn is_reached(self) -> bool {
        self == Stop::Reached
    }
}

/// Outcome of one solve.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// Why it stopped.
    pub stop: Stop,
    /// Distance that is left between effector and target, as a fraction of the reach; the worst effector's.
    #[cfg_attr(feature = "serde", serde(with = "infinite_as_none"))]
    pub error: f64,
    /// Iterations: one backward and one forward reaching pass each.
    pub iterations: u32,
    /// Steps of the closures or of the least-squares polish that finished what the passes began.
    #[cfg_attr(feature = "serde", serde(rename = "polish_steps", alias = "refine_steps"))]
    pub refine_steps: u32,
    /// Starting poses tried; 1 unless limits forced restarts.
    pub attempts: u32,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// One line for people: `reached, 1.2e-8 of the reach off, 3 iterations`.
impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Report { stop, error, iterations, .. } = self;
        write!(f, "{stop}, {error:.1e} of the reach off, {iterations} iterations")
    }
}

impl Report {
    /// A report with nothing done: the input is refused.
    pub(crate) const REFUSED: Report =
        Report { stop: Stop::Refused, error: f64::INFINITY, iterations: 0, refine_steps: 0, attempts: 0 };

    /// The one of two reports, of parts of the same pose, that speaks for both: not reached before reached, then the
    /// larger error.
    pub(crate) fn or_worse(self, other: Report) -> Report {
        let badness = |report: &Report| (!report.stop.is_reached(), report.error);
        if badness(&self) > badness(&other) { self } else { other }
    }
}

/// The error of a refused solve is infinite, which JSON cannot say: none stands for it.
#[cfg(feature = "serde")]
mod infinite_as_none {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(error: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Some(*error).filter(|error| error.is_finite()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}
