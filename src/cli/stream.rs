//! Many cases as a stream: rows in, answers out in the same order, solved in parallel with constant memory.
//!
//! One thread reads blocks of rows. Each block is a task for the thread pool: its rows are parsed, solved and encoded. The
//! calling thread writes the answers in order. An answer depends on its row alone, so the number of threads and the
//! borders of the blocks change nothing.

use super::answers::{Encoded, Encoder, RowKeys, SolutionNumber};
use super::context::{Context, Ending, Failure};
use super::interrupt::Progress;
use super::scene_arguments::unreadable;
use super::sink::Sink;
use super::totals::Totals;
use crate::solve::{Branches, CaseSolver, all_branches};
use fabrik3d_ik::Pose;
use fabrik3d_scene::{Case, Cell, Numbered, Outcome, RowBlock, RowBlocks, TargetColumns, TargetRow};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most rows of a block. The cases, poses and answers of a block stay in the cache of a core, some 2 MB; blocks of 8192
/// rows take half as long again. Smaller ones leave more lanes waiting for the last rows.
const BLOCK_ROWS: usize = 512;
/// Most joints in all poses of a block. Bounds the memory for large figures.
const BLOCK_JOINTS: usize = 100_000;
/// The answer to rows that come after the time limit.
const LATE: &str = "not solved: the time limit was reached";
/// Rows that a thread solves at once if the scalar solver may have to work on them, which takes long.
const TASK_ROWS: usize = 64;

pub(super) struct Stream<'a> {
    pub encoder: Encoder<'a>,
    /// Name of the input, for messages.
    pub origin: &'a str,
    pub time_limit: Option<Duration>,
    /// Whether each row gets all its solutions as answers.
    pub lists_all: bool,
}

/// A numbered line or row of input.
type Row = Numbered<TargetRow>;

/// The number of a row, its keys, and the joint that starts at a limit instead of beyond it, or the error in it.
type ReadRow<'a> = (u64, RowKeys<'a>, Result<Option<usize>, String>);

/// The text in the `path` column of a row, and the pose in which the path goes on.
type PathEnd = (Option<String>, Pose);

struct Job<'a> {
    stream: &'a Stream<'a>,
    deadline: Option<Instant>,
    /// Idle solvers, at most one per thread.
    solvers: Mutex<Vec<CaseSolver<'a>>>,
}

/// Answers to consecutive rows, part by part.
type Parts = Vec<io::Result<(Encoded, Totals)>>;

impl Stream<'_> {
    /// Solves all rows. An invalid row gets an error as its answer; the others are solved. Where the input is cut off, all
    /// rows before it are answered; the failure is the last result.
    pub fn solve(
        &self,
        blocks: RowBlocks<Box<dyn BufRead + Send>>,
        mut sink: Sink,
        context: &Context,
    ) -> Result<(Totals, Result<Ending, Failure>), Failure> {
        let most_rows = (BLOCK_JOINTS / self.encoder.scene.skeleton.len().max(1)).clamp(1, BLOCK_ROWS);
        let deadline = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let job = &Job { stream: self, deadline, solvers: Mutex::default() };
        // A path goes on from block to block, so that its blocks are solved one after the other.
        let has_paths = self.encoder.columns.is_some_and(TargetColumns::has_paths);
        let most_tasks = if has_paths { 1 } else { 2 * rayon::current_num_threads() };
        let (sender, blocks_read) = sync_channel(most_tasks);
        // Not joined: it may still wait for input after the reader of the output has closed.
        std::thread::spawn(move || send(blocks.with_most_rows(most_rows), &sender));
        let mut totals = Totals::default();
        let mut progress = Progress::new(io::stderr().is_terminal() && !io::stdout().is_terminal());
        let mut input = Input { blocks: blocks_read, held: None, cut: None, most_rows };
        rayon::in_place_scope_fifo(|scope| -> Result<(), Failure> {
            let mut tasks: VecDeque<Receiver<(Parts, Option<PathEnd>)>> = VecDeque::new();
            let mut end = None;
            loop {
                while tasks.len() < most_tasks {
                    // Only with nothing else to do, wait for input.
                    let block = input.next(tasks.is_empty());
                    let Some(block) = block.map_err(unreadable(self.origin))? else { break };
                    let (reply, answers) = sync_channel(1);
                    let before: Option<PathEnd> = end.take();
                    scope.spawn_fifo(move |_| {
                        // Fails if writing has failed.
                        let _ = reply.send(job.answer(block, before));
                    });
                    tasks.push_back(answers);
                }
                let Some((parts, last)) = tasks.pop_front().and_then(|task| task.recv().ok()) else { return Ok(()) };
                end = last;
                for part in parts {
                    let (encoded, own) = part?;
                    totals.add(own);
                    sink.write(&encoded)?;
                }
                sink.flush()?;
                progress.show(totals.all(), "cases");
            }
        })?;
        drop(progress);
        sink.finish()?;
        let Totals { reached, unreached, invalid, .. } = &totals;
        context.detail(&format!("{reached} reached, {unreached} not reached, {invalid} invalid"));
        let ending = if totals.is_all_reached() { Ending::Done } else { Ending::Unmet };
        Ok((totals, input.cut.map_or(Ok(ending), |error| Err(unreadable(self.origin)(error)))))
    }
}

/// Sends all blocks. Ends after an input error, or when the receiver is gone.
fn send<R: BufRead>(blocks: RowBlocks<R>, sender: &SyncSender<io::Result<RowBlock>>) {
    for block in blocks {
        let last = block.is_err();
        if sender.send(block).is_err() || last {
            return;
        }
    }
}

/// The blocks that are read.
struct Input {
    blocks: Receiver<io::Result<RowBlock>>,
    /// What came after the last block and could not join it: a large block, or a failure.
    held: Option<io::Result<RowBlock>>,
    /// The failure of an input that ends too early.
    cut: Option<io::Error>,
    most_rows: usize,
}

impl Input {
    /// The next block, joined with those after it that are already there: a pipe may deliver a few rows at a time.
    fn next(&mut self, wait: bool) -> io::Result<Option<RowBlock>> {
        let first = match self.held.take() {
            Some(held) => Some(held),
            None if wait => self.blocks.recv().ok(),
            None => self.blocks.try_recv().ok(),
        };
        let mut block = match first {
            None => return Ok(None),
            Some(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.cut = Some(error);
                return Ok(None);
            }
            Some(first) => first?,
        };
        while block.count() < self.most_rows {
            match self.blocks.try_recv() {
                Ok(Ok(next)) if block.count() + next.count() <= self.most_rows => block.append(next),
                Ok(later) => {
                    self.held = Some(later);
                    break;
                }
                Err(_) => break,
            }
        }
        Ok(Some(block))
    }
}

impl Job<'_> {
    /// Answers a block. Rows that take long are divided among idle threads, and so are paths. `before` is the
    /// end of the path that the block may go on with; returns that of its last path.
    fn answer(&self, block: RowBlock, before: Option<PathEnd>) -> (Parts, Option<PathEnd>) {
        let rows: Vec<Row> = block.rows().collect();
        if self.stream.encoder.columns.is_some_and(TargetColumns::has_paths) {
            return self.answer_paths(&rows, before);
        }
        let parts = match self.are_quick(&rows) {
            _ if self.stream.lists_all => rows.par_chunks(TASK_ROWS).map(|rows| self.list_rows(rows)).collect(),
            true => vec![self.answer_rows(&rows)],
            false => rows.par_chunks(TASK_ROWS).map(|rows| self.answer_rows(rows)).collect(),
        };
        (parts, None)
    }

    /// Whether the lanes suffice for most rows, judged by the first valid one.
    fn are_quick(&self, rows: &[Row]) -> bool {
        let first = rows.iter().find_map(|row| self.read(row).1.ok());
        first.is_some_and(|case| self.with_solver(|solver| solver.is_quick(&case)))
    }

    /// Solves the valid rows together and answers all of them in order.
    fn answer_rows(&self, rows: &[Row]) -> io::Result<(Encoded, Totals)> {
        let (mut cases, mut read) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for row in rows {
            let (keys, case) = self.read(row);
            read.push((row.0, keys, case.map(|case| pushed(&mut cases, case))));
        }
        let outcomes = if self.is_late() { Vec::new() } else { self.with_solver(|solver| solver.solve(cases)) };
        self.encode(read, outcomes)
    }

    /// Answers rows in order, each with all its solutions.
    fn list_rows(&self, rows: &[Row]) -> io::Result<(Encoded, Totals)> {
        let (mut encoded, mut totals) = (Encoded::default(), Totals::default());
        let encoder = &self.stream.encoder;
        for row in rows {
            let (keys, case) = self.read(row);
            let name = || self.name(row.0, &keys);
            let numbered =
                |solution| RowKeys { solution: Some(SolutionNumber { row: row.0, solution }), ..keys.clone() };
            if case.is_ok() && self.is_late() {
                totals.late += 1;
                encoder.push_error(&numbered(1), LATE, &mut encoded)?;
                continue;
            }
            let clamped = case.as_ref().ok().and_then(|case| case.clamped);
            match case.map(|case| all_branches(encoder.scene, case)) {
                Ok(Branches { outcomes, coverage }) => {
                    if let Some(joint) = clamped {
                        totals.add_clamped(&encoder.scene.skeleton.joints()[joint].name, name);
                    }
                    outcomes.first().into_iter().for_each(|outcome| totals.add_solved(&outcome.report, name));
                    if outcomes.first().is_some_and(is_reached) {
                        totals.add_coverage(coverage);
                    }
                    for (solution, outcome) in (1..).zip(outcomes) {
                        encoder.push(&numbered(solution), outcome, &mut encoded)?;
                    }
                }
                Err(error) => {
                    totals.add_invalid(&error, name);
                    encoder.push_error(&numbered(1), &error, &mut encoded)?;
                }
            }
        }
        Ok((encoded, totals))
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Answers rows in order, given the outcomes of the valid ones; none if the time limit is over.
    fn encode(&self, rows: Vec<ReadRow<'_>>, outcomes: Vec<Outcome>) -> io::Result<(Encoded, Totals)> {
        let (mut encoded, mut totals) = (Encoded::default(), Totals::default());
        let encoder = &self.stream.encoder;
        let mut outcomes = outcomes.into_iter();
        for (number, keys, case) in rows {
            let name = || self.name(number, &keys);
            if let Ok(Some(joint)) = case {
                totals.add_clamped(&encoder.scene.skeleton.joints()[joint].name, name);
            }
            match case.map(|_| outcomes.next()) {
                Ok(Some(outcome)) => {
                    totals.add_solved(&outcome.report, name);
                    encoder.push(&keys, outcome, &mut encoded)?;
                }
                Ok(None) => {
                    totals.late += 1;
                    encoder.push_error(&keys, LATE, &mut encoded)?;
                }
                Err(error) => {
                    totals.add_invalid(&error, name);
                    encoder.push_error(&keys, &error, &mut encoded)?;
                }
            }
        }
        Ok((encoded, totals))
    }

    /// Calls `work` with an idle solver, or a new one.
    fn with_solver<T>(&self, work: impl FnOnce(&mut CaseSolver<'_>) -> T) -> T {
        let free = || self.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = free().pop();
        let mut solver = solver.unwrap_or_else(|| CaseSolver::new(self.stream.encoder.scene));
        let result = work(&mut solver);
        free().push(solver);
        result
    }

    fn name(&self, number: u64, keys: &RowKeys<'_>) -> String {
        let origin = self.stream.origin;
        let columns = self.stream.encoder.columns;
        let place = match columns.and_then(|columns| columns.line(number)) {
            Some(line) => format!(" ({origin}:{line})"),
            None if columns.is_some_and(TargetColumns::has_ids) => format!(" ({origin}, row {number})"),
            None => String::new(),
        };
        format!("row {}{place}", keys.id.json())
    }

    /// The id of a row and what it carries to its answer, and its case. Rows without an id use their number.
    fn read<'l>(&self, (number, line): &'l Row) -> (RowKeys<'l>, Result<Case, String>) {
        let scene = self.stream.encoder.scene;
        let keys = |id: Cell<'l>| RowKeys { id, carried: Vec::new(), solution: None };
        let numbered = || Cell::Integer(*number);
        match (line, self.stream.encoder.columns) {
            (Err(error), None) => (keys(Cell::Json("null")), Err(error.clone())),
            (Err(error), Some(_)) => (keys(numbered()), Err(error.clone())),
            (Ok(row), Some(columns)) => {
                let id = columns.id(row).map_or_else(numbered, Cell::Text);
                (RowKeys { id, carried: columns.carried_cells(row), solution: None }, columns.case(scene, row))
            }
            (Ok(TargetRow::Line(line)), None) => {
                let (id, case) = Case::parse(scene, line);
                (keys(Cell::Json(id)), case)
            }
            (Ok(TargetRow::Numbers(_)), None) => (keys(numbered()), Err("a case is a JSON object".to_owned())),
        }
    }
}

fn is_reached(outcome: &Outcome) -> bool {
    outcome.report.stop.is_reached()
}

/// Appends a case. Returns its joint that starts at a limit instead of beyond it.
fn pushed(cases: &mut Vec<Case>, case: Case) -> Option<usize> {
    let clamped = case.clamped;
    cases.push(case);
    clamped
}

/// Consecutive rows of one path.
struct PathRows<'r> {
    /// The text in the `path` column.
    name: Option<String>,
    rows: &'r [Row],
}

impl Job<'_> {
    /// Answers rows, path by path. The first path goes on from `before` if it has the same name. Returns the end of the
    /// last path.
    fn answer_paths(&self, rows: &[Row], before: Option<PathEnd>) -> (Parts, Option<PathEnd>) {
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
                read.push((row.0, keys, case.map(|case| pushed(&mut cases, case))));
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
