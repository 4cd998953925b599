//! The answers of `solve` in the requested format.

use super::report;
use clap::ValueEnum;
use fabrik3d_scene::{
    AnswerArrays, Cell, JointNames, Outcome, Scene, TargetColumns, csv_header, error_json, push_csv_error, push_csv_row,
};
use std::borrow::Cow;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Lines for people.
    Text,
    /// JSON objects.
    Json(JointNames),
    /// A header and rows of text.
    Csv,
    /// Rows of joint coordinates.
    Npy,
    /// An archive of arrays: coordinates, names, errors.
    Npz,
}

/// The pose in the answer to a target that is not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Unreached {
    /// The nearest pose found
    #[default]
    Nearest,
    /// No numbers
    Nan,
}

/// A row of input.
#[derive(Clone, Debug)]
pub(super) struct RowKeys<'a> {
    /// Empty: there is one answer only.
    pub id: Cell<'a>,
    /// Cells that are copied to the answer.
    pub carried: Vec<Cow<'a, str>>,
    /// Which answer to the row this is.
    pub solution: Option<SolutionNumber>,
}

/// The number of a row and that of one of its solutions, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolutionNumber {
    pub row: u64,
    pub solution: u64,
}

/// Writes answers in a format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoder<'a> {
    pub scene: &'a Scene,
    pub format: Format,
    pub unreached: Unreached,
    /// The columns of the table that the rows come from.
    pub columns: Option<&'a TargetColumns>,
    /// Whether a row may have several answers, which are numbered.
    pub has_solutions: bool,
}

/// The column and the key of the number of a solution.
const SOLUTION: &str = "solution";

/// Answers in a format: text or arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct Encoded {
    /// One line per answer.
    pub text: Vec<u8>,
    /// One row per answer. For a plain array, only `angles` is filled.
    pub arrays: AnswerArrays,
}

impl Encoder<'_> {
    /// What comes before the answers.
    pub fn header(&self) -> Encoded {
        let text = match self.format {
            Format::Csv => {
                let solution = self.has_solutions.then_some(SOLUTION);
                csv_header(self.scene, solution.into_iter().chain(self.carried())) + "\n"
            }
            Format::Text => report::answers_heading(self.scene) + "\n",
            Format::Json(_) | Format::Npy | Format::Npz => String::new(),
        };
        Encoded { text: text.into_bytes(), ..Encoded::default() }
    }

    /// A note on columns of the table that the format cannot carry.
    pub fn note_left_out(&self) -> Option<String> {
        let names: Vec<&str> = self.carried().collect();
        let is_left_out = matches!(self.format, Format::Npy | Format::Npz) && !names.is_empty();
        is_left_out.then(|| format!("arrays hold no other columns: {}; CSV and JSON carry them", names.join(", ")))
    }

    /// Adds the answer to a solved row.
    pub fn push(&self, keys: &RowKeys<'_>, outcome: Outcome, out: &mut Encoded) -> io::Result<()> {
        let is_reached = outcome.report.stop.is_reached();
        let outcome = if is_reached || self.unreached == Unreached::Nearest { outcome } else { outcome.without_pose() };
        match self.format {
            Format::Text => {
                writeln!(out.text, "{}", report::answer_line(self.scene, keys.id.json().trim_matches('"'), &outcome))?;
            }
            Format::Json(names) => {
                let id = Some(keys.id.json()).filter(|_| !matches!(keys.id, Cell::Empty));
                outcome.write_json(self.scene, id.as_deref(), names, &mut out.text)?;
                add_solution(keys, &mut out.text)?;
                self.add_carried(keys, &mut out.text)?;
                out.text.push(b'\n');
            }
            Format::Csv => push_csv_row(&mut out.text, self.scene, &keys.id, &outcome, &self.csv_cells(keys)),
            Format::Npy | Format::Npz => {
                out.arrays.angles.extend(self.scene.pose_numbers(&outcome.pose));
                let clearance = outcome.clearance.map(|clearance| clearance.distance);
                self.push_errors(keys, is_reached, [outcome.distance(), outcome.angle(), clearance], out);
            }
        }
        Ok(())
    }

    /// Adds the answer to a row that is not solved.
    pub fn push_error(&self, keys: &RowKeys<'_>, error: &str, out: &mut Encoded) -> io::Result<()> {
        match self.format {
            Format::Text => writeln!(out.text, "{:>8}  {error}", keys.id.json().trim_matches('"'))?,
            Format::Json(_) => {
                out.text.extend(error_json(&keys.id.json(), error).bytes());
                self.add_carried(keys, &mut out.text)?;
                out.text.push(b'\n');
            }
            Format::Csv => push_csv_error(&mut out.text, self.scene, &keys.id, error, &self.csv_cells(keys)),
            // A full row, so that rows correspond to targets.
            Format::Npy | Format::Npz => {
                let width = self.scene.pose_numbers(&self.scene.start).count();
                out.arrays.angles.extend(std::iter::repeat_n(f64::NAN, width));
                self.push_errors(keys, false, [None; 3], out);
            }
        }
        Ok(())
    }

    /// Adds the largest distance and angle of an effector from its target, and the clearance.
    fn push_errors(&self, keys: &RowKeys<'_>, is_reached: bool, errors: [Option<f64>; 3], out: &mut Encoded) {
        if self.format == Format::Npz {
            let [distance, angle, clearance] = errors.map(|error| error.unwrap_or(f64::NAN));
            out.arrays.reached.push(is_reached);
            out.arrays.distance.push(distance);
            out.arrays.angle.push(angle);
            if self.scene.keep_clear.is_some() {
                out.arrays.clearance.push(clearance);
            }
            // Rows are numbered by position in files that hold fewer than 2^63 of them.
            out.arrays.row.extend(keys.solution.map(|own| own.row.cast_signed()));
        }
    }

    fn carried(&self) -> impl Iterator<Item = &str> {
        self.columns.into_iter().flat_map(TargetColumns::carried)
    }

    /// The cells after those of the answer.
    fn csv_cells<'c>(&self, keys: &RowKeys<'c>) -> Vec<Cow<'c, str>> {
        let number = keys.solution.map(|own| Cow::Owned(own.solution.to_string()));
        let number = number.or(self.has_solutions.then_some(Cow::Borrowed("")));
        number.into_iter().chain(keys.carried.iter().cloned()).collect()
    }

    /// Adds the carried cells to the JSON object at the end of `text`, under the key `columns`.
    fn add_carried(&self, keys: &RowKeys<'_>, text: &mut Vec<u8>) -> io::Result<()> {
        if keys.carried.is_empty() || text.pop() != Some(b'}') {
            return Ok(());
        }
        let cells: serde_json::Map<_, _> =
            self.carried().zip(&keys.carried).map(|(name, cell)| (name.to_owned(), cell.as_ref().into())).collect();
        text.extend(b",\"columns\":");
        serde_json::to_writer(&mut *text, &cells)?;
        text.push(b'}');
        Ok(())
    }
}

/// Adds the number of the solution to the JSON object at the end of `text`.
fn add_solution(keys: &RowKeys<'_>, text: &mut Vec<u8>) -> io::Result<()> {
    let Some(SolutionNumber { solution, .. }) = keys.solution else { return Ok(()) };
    text.truncate(text.len() - 1);
    write!(text, ",\"{SOLUTION}\":{solution}}}")
}
