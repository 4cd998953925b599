//! The result of a solve: why it stopped, what error is left, how much work it took.

/// Why a solve stopped. This is an outcome, not an error: the pose is valid in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Stop {
    /// All goals are met within the tolerances.
    Reached,
    /// The target is farther away than the reach, or than the effector can be in the orientation that it asks for, whatever
    /// the limits. The pose is stretched toward it.
    TooFar,
    /// The target is too close to the base: the longest link exceeds the sum of the others, so the chain cannot fold
    /// that far.
    TooClose,
    /// Joint limits, obstacles or links that keep clear of each other keep the effector from its target; the pose is the
    /// best one found. Only the accelerated method reports this: other methods may get stuck at limits although a solution
    /// exists.
    Limited,
    /// No further progress, and no limit is known to be the cause. Other goals and loops can be: firm feet hold a pelvis, and a
    /// closed linkage ends at its dead points.
    Stalled,
    /// The allowed number of iterations ended while the error was still falling.
    IterationLimit,
    /// The input makes no sense; nothing was changed. [`Solver::check`](crate::Solver::check) says what it is.
    Refused,
    /// The caller asked to end the solve: [`Interrupt`](crate::settings::Interrupt). The pose is the best one found so far.
    Interrupted,
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
            Stop::Interrupted => "interrupted",
        }
    }

    /// Whether all goals are met.
    pub fn is_reached(self) -> bool {
        self == Stop::Reached
    }
}

/// The outcome of one solve.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// Why the solve stopped.
    pub stop: Stop,
    /// Remaining distance between effector and target as a fraction of the effector's size; the largest over all effectors and
    /// loops. Angles do not count: the error of a head that cannot turn far enough is 0, although `stop` is not
    /// [`Stop::Reached`]. [`goal_errors`](crate::queries::goal_errors) has the angles. Infinite if the input is refused, or if one of [`Figures`](crate::figures::Figures) is interrupted before it begins.
    #[cfg_attr(feature = "serde", serde(with = "infinite_as_none"))]
    pub error: f64,
    /// Number of iterations: one backward and one forward reaching pass each, or one step of an arm in SIMD lanes. Where the
    /// search goes on from a lane, those of both; the same holds for the refinement steps and the attempts.
    pub iterations: u32,
    /// Number of steps of the closed-form closure or the least-squares refinement that finish what the passes began. Files of
    /// older versions name it `polish_steps`, which is read too.
    #[cfg_attr(feature = "serde", serde(alias = "polish_steps"))]
    pub refine_steps: u32,
    /// Number of start poses tried; 1 unless restarts were needed.
    pub attempts: u32,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// One line for people: `reached, error 1.2e-8 of the reach, 3 iterations`.
impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Report { stop, error, iterations, .. } = self;
        write!(f, "{stop}, error {error:.1e} of the reach, {iterations} iterations")
    }
}

impl Report {
    /// The report for refused input.
    pub const REFUSED: Report =
        Report { stop: Stop::Refused, error: f64::INFINITY, iterations: 0, refine_steps: 0, attempts: 0 };

    /// The report for a part of the pose whose solve had not begun at an interrupt.
    pub(crate) const NOT_BEGUN: Report = Report { stop: Stop::Interrupted, ..Report::REFUSED };

    /// The report for a part of the pose of which nothing is asked.
    pub(crate) const AT_REST: Report = Report::reached(0.0, 1);

    /// The report of a pose that meets all goals without a step.
    pub const fn reached(error: f64, attempts: u32) -> Report {
        Report { stop: Stop::Reached, error, iterations: 0, refine_steps: 0, attempts }
    }

    /// The report of a search that went on where another one gave up, with the work of both.
    pub(crate) fn after(self, other: Report) -> Report {
        Report {
            iterations: self.iterations + other.iterations,
            refine_steps: self.refine_steps + other.refine_steps,
            attempts: self.attempts + other.attempts,
            ..self
        }
    }

    /// The worse of the reports of two parts of one pose: one that was interrupted before one that was not, one that is not
    /// reached before one that is, then the larger error, then more work.
    pub(crate) fn or_worse(self, other: Report) -> Report {
        let badness = |report: &Report| {
            (report.stop == Stop::Interrupted, !report.stop.is_reached(), report.error, report.iterations)
        };
        if badness(&self) > badness(&other) { self } else { other }
    }
}

/// Combines the report of a figure with that of its problem.
pub(crate) fn merge(report: &mut Option<Report>, other: Report) {
    *report = Some(report.map_or(other, |report| report.or_worse(other)));
}

/// JSON has no infinity: the error of a refused solve is written as null.
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
