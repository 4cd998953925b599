//! Many cases: lines in, lines out in the same order, solved in parallel, in constant memory.

use super::context::Context;
use super::ending::{Ending, Failure};
use super::progress::Progress;
use super::sink::Sink;
use crate::solve::CaseSolver;
use fabrik3d_scene::{
    Case, JointNames, Lines, Numbered, Outcome, Scene, TargetColumns, TargetRow, csv_error, csv_header, csv_row,
    error_json, pose_numbers, read_targets,
};
use rayon::prelude::*;
use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Most lines that wait to be solved.
const WAITING: usize = 4096;
/// Most bytes of lines that are solved together.
const TOGETHER: usize = 8 << 20;
/// Lines that one thread takes at a time.
const SHARE: usize = 64;

/// What asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// JSON objects, one a line.
    Cases,
    /// A table: CSV or NPY.
    Targets,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// JSON objects.
    Json(JointNames),
    /// A header and rows.
    Csv,
    /// Rows of coordinates.
    Npy,
}

/// How lines are read and answered.
struct Job<'a> {
    scene: &'a Scene,
    columns: Option<TargetColumns>,
    output: Output,
    /// Solvers that nobody uses at the moment: at most as many as there are threads.
    solvers: Mutex<Vec<CaseSolver<'a>>>,
}

/// A line or row of input, with its number.
type Line = Numbered<TargetRow>;

/// Solves all lines. A line that cannot be read is answered by an error and the rest goes on.
pub(super) fn solve_stream(
    scene: &Scene,
    (reader, origin): (Box<dyn BufRead + Send>, &str),
    input: Input,
    output: Output,
    mut sink: Sink,
    context: &Context,
) -> Result<Ending, Failure> {
    type Rows = Box<dyn Iterator<Item = io::Result<Line>> + Send>;
    let (columns, rows): (_, Rows) = match input {
        Input::Cases => {
            let row =
                |line: io::Result<Numbered<String>>| line.map(|(number, text)| (number, text.map(TargetRow::Line)));
            (None, Box::new(Lines::new(reader).map(row)))
        }
        Input::Targets => {
            let read = read_targets(reader, scene);
            let (columns, rows) = read.map_err(|error| Failure::Message(format!("{origin}: {error}")))?;
            columns.told_by_place(scene).iter().for_each(|note| context.note(note));
            (Some(columns), Box::new(rows))
        }
    };
    let job = Job { scene, columns, output, solvers: Mutex::default() };
    let (sender, lines) = sync_channel(WAITING);
    // Not joined: it may be waiting for input when the reader of our output has gone.
    std::thread::spawn(move || send_rows(rows, &sender));
    if output == Output::Csv {
        sink.write(format!("{}\n", csv_header(scene)).as_bytes(), [])?;
    }
    let mut tally = Tally::default();
    let mut progress = Progress::new(io::stderr().is_terminal() && !io::stdout().is_terminal());
    while let Some(chunk) = next_chunk(&lines)? {
        for answers in job.answer(&chunk) {
            let answers = answers?;
            tally.add(&answers);
            sink.write(&answers.text, answers.numbers.iter().copied())?;
        }
        sink.flush()?;
        progress.show(tally.all(), "cases");
    }
    progress.clear();
    sink.finish()?;
    // JSON answers to JSON cases say it themselves, line by line.
    if input == Input::Targets || output == Output::Npy {
        tally.notes().iter().for_each(|note| context.note(note));
    }
    if context.verbose > 0 {
        let Tally { reached, unreached, unread, .. } = &tally;
        eprintln!("{reached} reached, {unreached} not reached, {unread} could not be read");
    }
    Ok(if tally.unreached + tally.unread == 0 { Ending::Done } else { Ending::Unmet })
}

/// Sends all rows; ends when nobody listens any more. An error of the input ends it too.
fn send_rows(rows: impl Iterator<Item = io::Result<Line>>, lines: &SyncSender<io::Result<Line>>) {
    for row in rows {
        let last = row.is_err();
        if lines.send(row).is_err() || last {
            return;
        }
    }
}

/// Waits for a line, then takes what else is there: answers never wait for input that has not come yet.
fn next_chunk(lines: &Receiver<io::Result<Line>>) -> io::Result<Option<Vec<Line>>> {
    let Ok(first) = lines.recv() else { return Ok(None) };
    let mut chunk = vec![first?];
    let mut bytes = 0;
    while chunk.len() < WAITING && bytes < TOGETHER {
        let Ok(line) = lines.try_recv() else { break };
        let line = line?;
        bytes += match &line.1 {
            Ok(TargetRow::Line(text)) => text.len(),
            Ok(TargetRow::Numbers(numbers)) => 8 * numbers.len(),
            Err(_) => 0,
        };
        chunk.push(line);
    }
    Ok(Some(chunk))
}

/// The answers to a few lines.
#[derive(Default)]
struct Answers {
    /// One line each.
    text: Vec<u8>,
    /// Or one row each.
    numbers: Vec<f64>,
    reached: u64,
    unreached: u64,
    unread: u64,
    /// The first row that was not reached, and why.
    first_unreached: Option<(String, &'static str)>,
    /// The first row that could not be read, and why.
    first_unread: Option<(String, String)>,
}

impl Job<'_> {
    fn answer(&self, chunk: &[Line]) -> Vec<io::Result<Answers>> {
        chunk.par_chunks(SHARE).map(|share| self.answer_share(share)).collect()
    }

    /// Solves the lines that can be read together, and answers all in order.
    fn answer_share(&self, share: &[Line]) -> io::Result<Answers> {
        let mut cases = Vec::with_capacity(share.len());
        let mut read = Vec::with_capacity(share.len());
        for line in share {
            let (id, case) = self.read(line);
            read.push((id, case.map(|case| cases.push(case))));
        }
        let mut outcomes = self.solve(cases).into_iter();
        let mut answers = Answers::default();
        for (id, case) in read {
            match case.map(|()| outcomes.next()) {
                Ok(None) => continue,
                Ok(Some(outcome)) => {
                    let stop = outcome.report.stop;
                    *(if stop.is_reached() { &mut answers.reached } else { &mut answers.unreached }) += 1;
                    if !stop.is_reached() {
                        answers.first_unreached.get_or_insert_with(|| (id.to_string(), stop.word()));
                    }
                    match self.output {
                        Output::Json(names) => outcome.write_json(self.scene, Some(&id), names, &mut answers.text)?,
                        Output::Csv => answers.text.extend(csv_row(self.scene, &id, &outcome).bytes()),
                        Output::Npy => answers.numbers.extend(pose_numbers(&self.scene.skeleton, &outcome.pose)),
                    }
                }
                Err(error) => {
                    answers.unread += 1;
                    answers.first_unread.get_or_insert_with(|| (id.to_string(), error.clone()));
                    match self.output {
                        Output::Json(_) => answers.text.extend(error_json(&id, &error).bytes()),
                        Output::Csv => answers.text.extend(csv_error(self.scene, &id, &error).bytes()),
                        // As many as a pose has: the rows stay those of the targets.
                        Output::Npy => {
                            let width = pose_numbers(&self.scene.skeleton, &self.scene.start).count();
                            answers.numbers.extend(std::iter::repeat_n(f64::NAN, width));
                        }
                    }
                }
            }
            answers.text.push(b'\n');
        }
        Ok(answers)
    }

    /// Solves by whichever solver is free.
    fn solve(&self, cases: Vec<Case>) -> Vec<Outcome> {
        let free = || self.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = free().pop();
        let mut solver = solver.unwrap_or_else(|| CaseSolver::new(self.scene));
        let outcomes = solver.solve(cases);
        free().push(solver);
        outcomes
    }

    /// The id of a line, as JSON, and its case. Rows without an id are numbered.
    fn read<'l>(&self, (number, line): &'l Line) -> (Cow<'l, str>, Result<Case, String>) {
        let numbered = || Cow::Owned(number.to_string());
        match (line, &self.columns) {
            (Err(error), None) => (Cow::Borrowed("null"), Err(error.clone())),
            (Err(error), Some(_)) => (numbered(), Err(error.clone())),
            (Ok(row), Some(columns)) => {
                (columns.id(row).map_or_else(numbered, Cow::Owned), columns.case(self.scene, row))
            }
            (Ok(TargetRow::Line(line)), None) => {
                let (id, case) = Case::parse(self.scene, line);
                (Cow::Borrowed(id), case)
            }
            (Ok(TargetRow::Numbers(_)), None) => (numbered(), Err("a case is a JSON object".to_owned())),
        }
    }
}

/// How many cases came to what.
#[derive(Default)]
struct Tally {
    reached: u64,
    unreached: u64,
    unread: u64,
    first_unreached: Option<(String, &'static str)>,
    first_unread: Option<(String, String)>,
}

impl Tally {
    fn add(&mut self, answers: &Answers) {
        self.reached += answers.reached;
        self.unreached += answers.unreached;
        self.unread += answers.unread;
        if self.first_unreached.is_none() {
            self.first_unreached.clone_from(&answers.first_unreached);
        }
        if self.first_unread.is_none() {
            self.first_unread.clone_from(&answers.first_unread);
        }
    }

    /// What did not come out, one sentence each.
    fn notes(&self) -> Vec<String> {
        let all = self.all();
        let unread = self.first_unread.as_ref().map(|(row, why)| {
            format!(
                "{} of {all} rows could not be read, row {row} is the first: {}",
                self.unread,
                why.replace('\n', " ")
            )
        });
        let unreached = self.first_unreached.as_ref().map(|(row, why)| {
            format!("{} of {all} rows were not reached, row {row} is the first ({why})", self.unreached)
        });
        unread.into_iter().chain(unreached).collect()
    }

    fn all(&self) -> u64 {
        self.reached + self.unreached + self.unread
    }
}
