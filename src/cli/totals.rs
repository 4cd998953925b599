//! Totals over all rows that `solve` answers.

use fabrik3d_ik::Stop;
use std::time::Duration;

/// How many rows there are of each outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub reached: u64,
    pub unreached: u64,
    pub invalid: u64,
    /// Rows that came after the time limit.
    pub late: u64,
    /// The first row that was not reached, and the reason.
    first_unreached: Option<(RowName, &'static str)>,
    /// The first invalid row, and the reason.
    first_invalid: Option<(RowName, String)>,
}

/// A row in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowName {
    /// The id, as JSON.
    pub id: String,
    /// `FILE:LINE` for text.
    pub place: Option<String>,
}

impl std::fmt::Display for RowName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
        write!(f, "row {}{place}", self.id)
    }
}

impl Totals {
    /// Counts a solved row.
    pub fn add_solved(&mut self, stop: Stop, name: impl FnOnce() -> RowName) {
        if stop.is_reached() {
            self.reached += 1;
            return;
        }
        self.unreached += 1;
        self.first_unreached.get_or_insert_with(|| (name(), stop.word()));
    }

    /// Counts a row that cannot be read.
    pub fn add_invalid(&mut self, error: &str, name: impl FnOnce() -> RowName) {
        self.invalid += 1;
        self.first_invalid.get_or_insert_with(|| (name(), error.replace('\n', " ")));
    }

    /// Adds the totals of the rows that follow.
    pub fn add(&mut self, next: &Totals) {
        self.reached += next.reached;
        self.unreached += next.unreached;
        self.invalid += next.invalid;
        self.late += next.late;
        if self.first_unreached.is_none() {
            self.first_unreached.clone_from(&next.first_unreached);
        }
        if self.first_invalid.is_none() {
            self.first_invalid.clone_from(&next.first_invalid);
        }
    }

    /// Warnings about rows that were not solved.
    pub fn notes(&self, time_limit: Option<Duration>) -> Vec<String> {
        let all = self.all();
        let invalid = self.first_invalid.as_ref().map(|(row, why)| {
            format!("{} invalid; the first is {row}: {why}", share(self.invalid, all, ["is", "are"]))
        });
        let unreached = self
            .first_unreached
            .as_ref()
            .map(|(row, why)| format!("{} not reached; the first is {row} ({why})", share(self.unreached, all, WAS)));
        let late = time_limit.filter(|_| self.late > 0).map(|limit| {
            let share = share(self.late, all, WAS);
            format!("{share} not solved within {} s; raise --time-limit", limit.as_secs_f64())
        });
        [invalid, unreached, late].into_iter().flatten().collect()
    }

    /// All rows.
    pub fn all(&self) -> u64 {
        self.reached + self.unreached + self.invalid + self.late
    }

    /// Whether every row was reached.
    pub fn is_all_reached(&self) -> bool {
        self.reached == self.all()
    }
}

/// The verb for one row, and for several.
const WAS: [&str; 2] = ["was", "were"];

/// The subject of a sentence about some of all rows, and its verb: `1 of 6 rows was`.
fn share(count: u64, all: u64, [one, several]: [&str; 2]) -> String {
    format!("{count} of {all} rows {}", if count == 1 { one } else { several })
}
