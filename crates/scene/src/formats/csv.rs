//! Outcomes and motion as CSV: a header, then one row per case or frame. Angles are radians.

use super::answer_row::{answer_names, coordinate_names, error_cells, outcome_cells};
use crate::Scene;
use crate::cell::Cell;
use crate::motion::Motion;
use crate::outcome::Outcome;
use std::borrow::Cow;
use std::io::{self, Write};

/// The header of a table of outcomes, without the line end. Cells of `carried` columns follow at the end; a name that
/// occurs already gets the prefix `in.`.
pub fn csv_header<'a>(scene: &Scene, carried: impl IntoIterator<Item = &'a str>) -> String {
    let cells: Vec<String> = answer_names(scene, carried).iter().map(|name| quoted(name).into_owned()).collect();
    cells.join(",")
}

/// Appends a row of a table of outcomes, with the line end.
pub fn push_csv_row(out: &mut Vec<u8>, scene: &Scene, id: Cell<'_>, outcome: &Outcome, carried: &[Cell<'_>]) {
    outcome_cells(scene, id, outcome, carried, |cell| push_cell(out, &cell));
    end_row(out);
}

/// Appends the row of a case that cannot be read, with the line end.
pub fn push_csv_error(out: &mut Vec<u8>, scene: &Scene, id: Cell<'_>, message: &str, carried: &[Cell<'_>]) {
    error_cells(scene, id, message, carried, |cell| push_cell(out, &cell));
    end_row(out);
}

/// Writes a table of poses over time: a header, then for each frame its time and the coordinates of all joints.
pub(crate) fn write_motion(scene: &Scene, motion: &Motion, out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let mut row = Vec::new();
    let names = std::iter::once("time".to_owned()).chain(coordinate_names(scene));
    names.for_each(|name| push_cell(&mut row, &Cell::Text(Cow::Owned(name))));
    end_row(&mut row);
    for frame in 0..motion.len() {
        out.write_all(&row)?;
        // Times are multiples of the frame time; rounding removes the noise of the multiplication.
        let seconds = (frame as f64 * motion.frame_time * 1e9).round() / 1e9;
        row = format!("{seconds},").into_bytes();
        let pose = motion.pose(skeleton, frame);
        scene.pose_numbers(&pose).for_each(|value| push_cell(&mut row, &Cell::of_number(value)));
        end_row(&mut row);
    }
    out.write_all(&row)
}

/// Appends a cell and a comma.
fn push_cell(out: &mut Vec<u8>, cell: &Cell<'_>) {
    // Writing to memory cannot fail.
    let _ = match cell {
        Cell::Flag(flag) => write!(out, "{flag}"),
        Cell::Integer(integer) => write!(out, "{integer}"),
        Cell::Unsigned(integer) => write!(out, "{integer}"),
        Cell::Number(number) if number.is_finite() => {
            out.write_all(zmij::Buffer::new().format_finite(*number).as_bytes())
        }
        Cell::Empty | Cell::Number(_) => Ok(()),
        Cell::Text(text) => out.write_all(quoted(text).as_bytes()),
    };
    out.push(b',');
}

/// Ends a row: the last comma becomes the line end.
fn end_row(out: &mut Vec<u8>) {
    out.pop();
    out.push(b'\n');
}

/// A cell, quoted if necessary.
fn quoted(text: &str) -> Cow<'_, str> {
    let needed = text.contains([',', '"', '\n', '\r']);
    if needed { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    /// Numbers are short and read back as the same bits.
    #[test]
    fn numbers_read_back() {
        let mut random = Random::new(1);
        let special = [0.0, -0.0, 1.0, -1e-7, 1e-5, 1e16, 1e15, 0.1, f64::MAX, f64::MIN_POSITIVE, 5e-324];
        let drawn = (0..10_000).map(|_| random.range(-1.0, 1.0) * 10_f64.powf(random.range(-20.0, 20.0)));
        for value in special.into_iter().chain(drawn.collect::<Vec<f64>>()) {
            let mut cell = Vec::new();
            push_cell(&mut cell, &Cell::of_number(value));
            let text = std::str::from_utf8(&cell).unwrap_or_default().trim_end_matches(',');
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            assert!(text.len() <= 24, "{text}");
        }
        let mut cell = Vec::new();
        push_cell(&mut cell, &Cell::of_number(f64::NAN));
        push_cell(&mut cell, &Cell::of_number(None));
        push_cell(&mut cell, &Cell::Number(f64::INFINITY));
        assert_eq!(cell, b",,,");
    }
}
