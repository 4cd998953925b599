//! Totals over all rows that `solve` answers.

use fabrik3d_ik::Report;
use fabrik3d_ik::arms::Coverage;
use fabrik3d_scene::VERY_FAR;
use std::time::Duration;

/// How many rows there are of each outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub reached: u64,
    pub unreached: u64,
    pub invalid: u64,
    /// Rows that came after the time limit.
    pub late: u64,
    /// Rows whose solutions come from a search.
    pub searched: u64,
    /// Rows with infinitely many solutions.
    pub endless: u64,
    /// The first row that was not reached, and the reason.
    first_unreached: Option<String>,
    /// Rows with a start outside the limits.
    clamped: u64,
    /// The first of them, and the joint.
    first_clamped: Option<String>,
    /// Rows with a target that is very far away.
    far: u64,
    /// The first invalid row, and the reason.
    first_invalid: Option<String>,
}

impl Totals {
    /// Counts a solved row; `name` is the row in messages.
    pub fn add_solved(&mut self, report: &Report, name: impl FnOnce() -> String) {
        if report.stop.is_reached() {
            self.reached += 1;
            return;
        }
        self.unreached += 1;
        self.far += u64::from(report.error > VERY_FAR);
        self.first_unreached.get_or_insert_with(|| format!("{}: {}", name(), report.stop.word().replace('_', " ")));
    }

    /// Counts a row whose start is outside the limits of this joint.
    pub fn add_clamped(&mut self, joint: &str, name: impl FnOnce() -> String) {
        self.clamped += 1;
        self.first_clamped.get_or_insert_with(|| format!("{}: q.{joint}", name()));
    }

    /// Counts a row by what its solutions are of all poses that reach its targets.
    pub fn add_coverage(&mut self, coverage: Coverage) {
        match coverage {
            Coverage::All => {}
            Coverage::Some(_) => self.endless += 1,
            _ => self.searched += 1,
        }
    }

    /// Counts a row that cannot be read.
    pub fn add_invalid(&mut self, error: &str, name: impl FnOnce() -> String) {
        self.invalid += 1;
        self.first_invalid.get_or_insert_with(|| format!("{}: {}", name(), error.replace('\n', " ")));
    }

    /// Adds the totals of the rows that follow.
    pub fn add(&mut self, next: Totals) {
        self.reached += next.reached;
        self.unreached += next.unreached;
        self.invalid += next.invalid;
        self.late += next.late;
        self.searched += next.searched;
        self.endless += next.endless;
        self.clamped += next.clamped;
        self.far += next.far;
        self.first_clamped = self.first_clamped.take().or(next.first_clamped);
        self.first_unreached = self.first_unreached.take().or(next.first_unreached);
        self.first_invalid = self.first_invalid.take().or(next.first_invalid);
    }

    /// Warnings about rows that were not solved.
    pub fn notes(&self, time_limit: Option<Duration>) -> Vec<String> {
        let all = self.all();
        let first_invalid = self.first_invalid.as_ref();
        let first_unreached = self.first_unreached.as_ref();
        let late = time_limit.filter(|_| self.late > 0);
        let first_clamped = self.first_clamped.as_ref();
        let is_other_unit = self.far > 0 && self.far as f64 >= NEARLY_ALL * all as f64;
        let unit = if is_other_unit { UNIT } else { "" };
        let notes = [
            (all == 0).then(|| "there are no rows".to_owned()),
            first_invalid.map(|row| format!("{} invalid; the first is {row}", share(self.invalid, all, ["is", "are"]))),
            first_unreached
                .map(|row| format!("{} not reached; the first is {row}{unit}", share(self.unreached, all, WAS))),
            first_clamped.map(|row| {
                let share = share(self.clamped, all, ["starts", "start"]);
                format!("{share} outside the joint limits, and so at the nearest limit; the first is {row}")
            }),
            (self.endless > 0).then(|| {
                let share = share(self.endless, all, ["has", "have"]);
                format!("{share} infinitely many poses; listed are some of them")
            }),
            (self.searched > 0).then(|| {
                let share = share(self.searched, all, ["has", "have"]);
                format!("{share} poses that come from a search, and there may be others")
            }),
            late.map(|limit| {
                let share = share(self.late, all, WAS);
                format!("{share} not solved within {} s; raise --time-limit", limit.as_secs_f64())
            }),
        ];
        notes.into_iter().flatten().collect()
    }

    pub fn all(&self) -> u64 {
        self.reached + self.unreached + self.invalid + self.late
    }

    pub fn is_all_reached(&self) -> bool {
        self.reached == self.all()
    }
}

/// If this share of the targets is very far away, they are probably in another unit.
const NEARLY_ALL: f64 = 0.9;
const UNIT: &str = ". The targets are more than 20 times as far away as the scene is large: are they in another unit, such as \
                    millimetres?";

/// The verb for one row, and for several.
const WAS: [&str; 2] = ["was", "were"];

/// The subject of a sentence about some of all rows, and its verb: `1 of 6 rows was`.
fn share(count: u64, all: u64, [one, several]: [&str; 2]) -> String {
    format!("{count} of {all} rows {}", if count == 1 { one } else { several })
}
