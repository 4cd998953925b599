//! Many cases as a stream: lines in, lines out in the same order, solved in parallel with constant memory.

use super::context::Context;
use super::ending::{Ending, Failure};
use super::progress::Progress;
use super::sink::Sink;
use crate::solve::CaseSolver;
use fabrik3d_scene::{
    Case, JointNames, Lines, Numbered, Outcome, Scene, TargetColumns, TargetRow, csv_error, csv_header, csv_row,
    error_json, read_targets,
};
use rayon::prelude::*;
use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Largest number of lines in the queue and in a chunk.
const CHUNK_LINES: usize = 4096;
/// Size of the input lines after which a chunk ends, bytes.
const CHUNK_BYTES: usize = 8 << 20;
/// Lines per parallel task.
const TASK_LINES: usize = 64;

/// The input format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// JSON objects, one per line.
    Cases,
    /// A table, CSV or NPY.
    Targets,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// JSON objects.
    Json(JointNames),
    /// A header and rows of text.
    Csv,
    /// Rows of joint coordinates.
    Npy,
}

/// The settings and solvers of a stream.
struct Job<'a> {
    scene: &'a Scene,
    columns: Option<TargetColumns>,
    output: Output,
    /// Idle solvers, at most one per thread.
    solvers: Mutex<Vec<CaseSolver<'a>>>,
}

/// A numbered line or row of input.
type Line = Numbered<TargetRow>;

/// Solves all lines. An invalid line gets an error as its answer; the others are solved.
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
            columns.note_by_position(scene).iter().for_each(|note| context.note(note));
            (Some(columns), Box::new(rows))
        }
    };
    let job = Job { scene, columns, output, solvers: Mutex::default() };
    let (sender, lines) = sync_channel(CHUNK_LINES);
    // Not joined: it may still wait for input after the reader of the output has closed.
    std::thread::spawn(move || send_rows(rows, &sender));
    if output == Output::Csv {
        sink.write(format!("{}\n", csv_header(scene)).as_bytes(), [])?;
    }
    let mut totals = Totals::default();
    let mut progress = Progress::new(io::stderr().is_terminal() && !io::stdout().is_terminal());
    while let Some(chunk) = next_chunk(&lines)? {
        for answers in job.answer(&chunk) {
            let answers = answers?;
            totals.add(&answers);
            sink.write(&answers.text, answers.numbers.iter().copied())?;
        }
        sink.flush()?;
        progress.show(totals.all(), "cases");
    }
    progress.clear();
    sink.finish()?;
    // JSON answers to JSON cases contain their errors.
    if input == Input::Targets || output == Output::Npy {
        totals.notes().iter().for_each(|note| context.note(note));
    }
    if context.verbose > 0 {
        let Totals { reached, unreached, invalid, .. } = &totals;
        eprintln!("{reached} reached, {unreached} not reached, {invalid} invalid");
    }
    Ok(if totals.unreached + totals.invalid == 0 { Ending::Done } else { Ending::Unmet })
}

/// Sends all rows. Ends after an input error, or when the receiver is gone.
fn send_rows(rows: impl Iterator<Item = io::Result<Line>>, lines: &SyncSender<io::Result<Line>>) {
    for row in rows {
        let last = row.is_err();
        if lines.send(row).is_err() || last {
            return;
        }
    }
}

/// Waits for a line, then takes all lines that are already available: answers never wait for later input.
fn next_chunk(lines: &Receiver<io::Result<Line>>) -> io::Result<Option<Vec<Line>>> {
    let Ok(first) = lines.recv() else { return Ok(None) };
    let mut chunk = vec![first?];
    let mut bytes = 0;
    while chunk.len() < CHUNK_LINES && bytes < CHUNK_BYTES {
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

/// The answers to some lines.
#[derive(Default)]
struct Answers {
    /// One line per answer.
    text: Vec<u8>,
    /// One row per answer, for arrays.
    numbers: Vec<f64>,
    reached: u64,
    unreached: u64,
    invalid: u64,
    /// The first row that was not reached, and the reason.
    first_unreached: Option<(String, &'static str)>,
    /// The first invalid row, and the reason.
    first_invalid: Option<(String, String)>,
}

impl Job<'_> {
    fn answer(&self, chunk: &[Line]) -> Vec<io::Result<Answers>> {
        chunk.par_chunks(TASK_LINES).map(|lines| self.answer_task(lines)).collect()
    }

    /// Solves the valid lines together and answers all lines in order.
    fn answer_task(&self, lines: &[Line]) -> io::Result<Answers> {
        let mut cases = Vec::with_capacity(lines.len());
        let mut read = Vec::with_capacity(lines.len());
        for line in lines {
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
                        Output::Npy => answers.numbers.extend(self.scene.pose_numbers(&outcome.pose)),
                    }
                }
                Err(error) => {
                    answers.invalid += 1;
                    answers.first_invalid.get_or_insert_with(|| (id.to_string(), error.clone()));
                    match self.output {
                        Output::Json(_) => answers.text.extend(error_json(&id, &error).bytes()),
                        Output::Csv => answers.text.extend(csv_error(self.scene, &id, &error).bytes()),
                        // A full row, so that rows correspond to targets.
                        Output::Npy => {
                            let width = self.scene.pose_numbers(&self.scene.start).count();
                            answers.numbers.extend(std::iter::repeat_n(f64::NAN, width));
                        }
                    }
                }
            }
            answers.text.push(b'\n');
        }
        Ok(answers)
    }

    /// Solves cases with an idle solver, or a new one.
    fn solve(&self, cases: Vec<Case>) -> Vec<Outcome> {
        let free = || self.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = free().pop();
        let mut solver = solver.unwrap_or_else(|| CaseSolver::new(self.scene));
        let outcomes = solver.solve(cases);
        free().push(solver);
        outcomes
    }

    /// The id of a line as JSON, and its case. Rows without an id use their number.
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

/// Totals over all cases.
#[derive(Default)]
struct Totals {
    reached: u64,
    unreached: u64,
    invalid: u64,
    first_unreached: Option<(String, &'static str)>,
    first_invalid: Option<(String, String)>,
}

impl Totals {
    fn add(&mut self, answers: &Answers) {
        self.reached += answers.reached;
        self.unreached += answers.unreached;
        self.invalid += answers.invalid;
        if self.first_unreached.is_none() {
            self.first_unreached.clone_from(&answers.first_unreached);
        }
        if self.first_invalid.is_none() {
            self.first_invalid.clone_from(&answers.first_invalid);
        }
    }

    /// Warnings about invalid and unreached rows.
    fn notes(&self) -> Vec<String> {
        let all = self.all();
        let invalid = self.first_invalid.as_ref().map(|(row, why)| {
            format!("{} of {all} rows are invalid; the first is row {row}: {}", self.invalid, why.replace('\n', " "))
        });
        let unreached = self.first_unreached.as_ref().map(|(row, why)| {
            format!("{} of {all} rows were not reached; the first is row {row} ({why})", self.unreached)
        });
        invalid.into_iter().chain(unreached).collect()
    }

    fn all(&self) -> u64 {
        self.reached + self.unreached + self.invalid
    }
}
