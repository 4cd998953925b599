//! Tables with paths: consecutive rows with the same text in the `path` column follow on each other.

use super::answers::Encoded;
use super::stream::{Job, Parts, PathEnd, Row};
use super::totals::Totals;
use rayon::prelude::*;
use std::borrow::Cow;
use std::io;

/// Consecutive rows of one path.
struct PathRows<'r> {
    /// The text in the `path` column.
    name: Option<String>,
    rows: &'r [Row],
}

impl Job<'_> {
    /// Answers rows, path by path. The first path goes on from `before` if it has the same name. Returns the end of the
    /// last path.
    pub(super) fn answer_paths(&self, rows: &[Row], before: Option<PathEnd>) -> (Parts, Option<PathEnd>) {
        let paths = self.paths(rows, before.as_ref().and_then(|(name, _)| name.as_deref()));
        // Each thread gets many paths: every path fills a lane.
        let most = paths.len().div_ceil(rayon::current_num_threads()).max(1);
        let solve = |(at, paths)| self.solve_paths(paths, before.as_ref().filter(|_| at == 0));
        let solved: Vec<_> = paths.par_chunks(most).enumerate().map(solve).collect();
        let (parts, mut ends): (Parts, Vec<Option<PathEnd>>) = solved.into_iter().unzip();
        (parts, ends.pop().flatten())
    }

    /// Divides rows into paths. A row that cannot be read belongs to the path of the row before it; `current` is that of
    /// the row before the first one.
    fn paths<'r>(&self, rows: &'r [Row], current: Option<&str>) -> Vec<PathRows<'r>> {
        let mut paths = Vec::new();
        let (mut name, mut start) = (current.map(str::to_owned), 0);
        for (at, (_, row)) in rows.iter().enumerate() {
            let own = row.as_ref().ok().and_then(|row| self.stream.encoder.columns?.path(row));
            if own.is_some() && own.as_deref() != name.as_deref() {
                if at > start {
                    paths.push(PathRows { name, rows: &rows[start..at] });
                }
                (name, start) = (own.map(Cow::into_owned), at);
            }
        }
        paths.push(PathRows { name, rows: &rows[start..] });
        paths
    }

    /// Solves some paths together. Also returns the end of the last one.
    fn solve_paths(
        &self,
        paths: &[PathRows<'_>],
        before: Option<&PathEnd>,
    ) -> (io::Result<(Encoded, Totals)>, Option<PathEnd>) {
        let (mut cases, mut read, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for (at, path) in paths.iter().enumerate() {
            let first = cases.len();
            for row in path.rows {
                let (keys, case) = self.read(row);
                read.push((row.0, keys, case.map(|case| cases.push(case))));
            }
            lengths.push(cases.len() - first);
            let goes_on = before.filter(|(name, _)| at == 0 && *name == path.name);
            if let (Some((_, pose)), Some(case)) = (goes_on, cases.get_mut(first)) {
                case.start.clone_from(pose);
            }
        }
        let outcomes = match self.is_late() {
            true => Vec::new(),
            false => self.with_solver(|solver| solver.solve_paths(cases, &lengths)),
        };
        let name = paths.last().and_then(|path| path.name.clone());
        let end = match (lengths.last(), outcomes.last()) {
            (Some(1..), Some(last)) => Some((name, last.pose.clone())),
            // Without a valid row, a path goes on from where it was.
            _ => before.filter(|(own, _)| paths.len() == 1 && *own == name).cloned(),
        };
        (self.encode(read, outcomes), end)
    }
}
