//! Many cases: lines in, lines out in the same order, solved in parallel, in constant memory.

use super::{Context, Ending, Failure};
use crate::scene::{Case, CaseSolver, Outcome, Scene, TargetColumns, csv_error, csv_header, csv_row, error_json};
use rayon::prelude::*;
use std::borrow::Cow;
use std::io::{self, BufRead, BufWriter, IsTerminal, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest line that is read, bytes.
const LONGEST_LINE: u64 = 4 << 20;
/// Most lines that wait to be solved.
const WAITING: usize = 4096;
/// Most bytes of lines that are solved together.
const TOGETHER: usize = 8 << 20;
/// Lines that one thread takes at a time.
const SHARE: usize = 64;

/// What the lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// JSON objects.
    Json,
    /// A header and rows.
    Csv,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// JSON objects.
    Json,
    /// A header and rows.
    Csv,
}

/// How lines are read and answered.
struct Job<'a> {
    scene: &'a Scene,
    columns: Option<TargetColumns>,
    output: Output,
    /// Solvers that nobody uses at the moment: at most as many as there are threads.
    solvers: Mutex<Vec<CaseSolver<'a>>>,
}

/// One line of input: its number, counted from 1, and its text, or what is wrong with it.
type Line = (u64, Result<String, &'static str>);

/// Solves all lines. A line that cannot be read is answered by an error and the rest goes on.
pub(super) fn solve_stream(
    scene: &Scene,
    mut reader: Box<dyn BufRead + Send>,
    input: Input,
    output: Output,
    context: &Context,
) -> Result<Ending, Failure> {
    let columns = match input {
        Input::Json => None,
        Input::Csv => Some(header(scene, &mut reader)?),
    };
    let job = Job { scene, columns, output, solvers: Mutex::default() };
    let (sender, lines) = sync_channel(WAITING);
    // Not joined: it may be waiting for input when the reader of our output has gone.
    std::thread::spawn(move || read_lines(reader, &sender));
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    if output == Output::Csv {
        writeln!(out, "{}", csv_header(scene))?;
    }
    let mut tally = Tally::default();
    while let Some(chunk) = next_chunk(&lines)? {
        for answers in job.answer(&chunk) {
            let answers = answers?;
            tally.add(&answers);
            out.write_all(&answers.text)?;
        }
        out.flush()?;
        tally.show(false);
    }
    tally.show(true);
    if context.verbose > 0 {
        let Tally { reached, unreached, unread, .. } = tally;
        eprintln!("{reached} reached, {unreached} not reached, {unread} could not be read");
    }
    Ok(if tally.unreached + tally.unread == 0 { Ending::Done } else { Ending::Unmet })
}

fn header(scene: &Scene, reader: &mut Box<dyn BufRead + Send>) -> Result<TargetColumns, Failure> {
    let mut header = String::new();
    reader.by_ref().take(LONGEST_LINE).read_line(&mut header)?;
    if header.trim().is_empty() {
        return Err(Failure::Message("the targets have no header\n  the first line names the columns: x,y,z".into()));
    }
    TargetColumns::parse(scene, &header).map_err(|error| Failure::Message(format!("the targets' header: {error}")))
}

/// Sends all lines that are not blank; ends when nobody listens any more. An error of the input ends it too.
fn read_lines(mut reader: Box<dyn BufRead + Send>, lines: &SyncSender<io::Result<Line>>) {
    for number in 1.. {
        let line = match read_line(&mut reader) {
            Ok(None) => return,
            Ok(Some(Ok(text))) if text.trim().is_empty() => continue,
            Ok(Some(line)) => Ok((number, line)),
            Err(error) => Err(error),
        };
        let last = line.is_err();
        if lines.send(line).is_err() || last {
            return;
        }
    }
}

/// One line without its end, never holding more than the longest one allowed.
fn read_line(reader: &mut Box<dyn BufRead + Send>) -> io::Result<Option<Result<String, &'static str>>> {
    let mut bytes = Vec::new();
    if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LONGEST_LINE {
        reader.skip_until(b'\n')?;
        return Ok(Some(Err("the line is longer than 4 MiB")));
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8(bytes).map_err(|_| "the line is not UTF-8 text")))
}

/// Waits for a line, then takes what else is there: answers never wait for input that has not come yet.
fn next_chunk(lines: &Receiver<io::Result<Line>>) -> io::Result<Option<Vec<Line>>> {
    let Ok(first) = lines.recv() else { return Ok(None) };
    let mut chunk = vec![first?];
    let mut bytes = 0;
    while chunk.len() < WAITING && bytes < TOGETHER {
        let Ok(line) = lines.try_recv() else { break };
        let line = line?;
        bytes += line.1.as_ref().map_or(0, String::len);
        chunk.push(line);
    }
    Ok(Some(chunk))
}

/// The answers to a few lines.
#[derive(Default)]
struct Answers {
    /// One line each.
    text: Vec<u8>,
    reached: u64,
    unreached: u64,
    unread: u64,
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
                    let reached = outcome.report.stop.is_reached();
                    *(if reached { &mut answers.reached } else { &mut answers.unreached }) += 1;
                    match self.output {
                        Output::Json => outcome.write_json(self.scene, Some(&id), &mut answers.text)?,
                        Output::Csv => answers.text.extend(csv_row(self.scene, &id, &outcome).bytes()),
                    }
                }
                Err(error) => {
                    answers.unread += 1;
                    answers.text.extend(self.unread(&id, &error).bytes());
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
    fn read<'a>(&self, (number, line): &'a Line) -> (Cow<'a, str>, Result<Case, String>) {
        let numbered = || Cow::Owned(number.to_string());
        match (line, &self.columns) {
            (Err(error), None) => (Cow::Borrowed("null"), Err((*error).to_owned())),
            (Err(error), Some(_)) => (numbered(), Err((*error).to_owned())),
            (Ok(line), None) => {
                let (id, case) = Case::parse(self.scene, line);
                (Cow::Borrowed(id), case)
            }
            (Ok(row), Some(columns)) => {
                (columns.id(row).map_or_else(numbered, Cow::Owned), columns.case(self.scene, row))
            }
        }
    }

    fn unread(&self, id: &str, error: &str) -> String {
        match self.output {
            Output::Json => error_json(id, error),
            Output::Csv => csv_error(self.scene, id, error),
        }
    }
}

/// Counts, and shows them on standard error when that is a terminal.
struct Tally {
    reached: u64,
    unreached: u64,
    unread: u64,
    begun: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

impl Default for Tally {
    fn default() -> Self {
        let terminal = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Tally { reached: 0, unreached: 0, unread: 0, begun: Instant::now(), shown: None, terminal }
    }
}

impl Tally {
    fn add(&mut self, answers: &Answers) {
        self.reached += answers.reached;
        self.unreached += answers.unreached;
        self.unread += answers.unread;
    }

    /// Shows the progress now and then; at the end clears it.
    fn show(&mut self, end: bool) {
        let since = self.shown.unwrap_or(self.begun).elapsed();
        if !self.terminal || (end && self.shown.is_none()) || (!end && since < Duration::from_millis(250)) {
            return;
        }
        self.shown = Some(Instant::now());
        let done = self.reached + self.unreached + self.unread;
        let rate = done as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
        let mut err = io::stderr().lock();
        // Progress is a courtesy: a closed standard error must not stop the work.
        let _ = if end { write!(err, "\r\x1b[K") } else { write!(err, "\r\x1b[K{done} cases, {rate:.0} a second") };
        let _ = err.flush();
    }
}
