//! Outcomes and motion as CSV: a header, then one row per case or frame. Angles are radians.

use crate::Scene;
use crate::motion::Motion;
use crate::outcome::{EffectorOutcome, Outcome};
use crate::printable::printable;
use fabrik3d_ik::Kind;
use std::borrow::Cow;
use std::io::{self, Write};

/// A column of a row between its id and its effectors: its name, and what appends its cell.
type Column = (&'static str, fn(&mut Vec<u8>, &Outcome));

const COLUMNS: [Column; 6] = [
    ("stop", |out, outcome| push_text(out, outcome.report.stop.word())),
    ("reached", |out, outcome| push_text(out, if outcome.report.stop.is_reached() { "true" } else { "false" })),
    ("error", |out, outcome| push_number(out, outcome.report.error)),
    ("iterations", |out, outcome| push_cell(out, &Cell::Integer(outcome.report.iterations.into()))),
    ("attempts", |out, outcome| push_cell(out, &Cell::Integer(outcome.report.attempts.into()))),
    // Clocks are not more precise.
    ("micros", |out, outcome| push_number(out, (outcome.micros * 1e3).round() / 1e3)),
];

/// A column of an effector, and its number.
type EffectorColumn = (&'static str, fn(&EffectorOutcome) -> Option<f64>);

const EFFECTOR: [EffectorColumn; 6] = [
    ("x", |effector| Some(effector.position.x)),
    ("y", |effector| Some(effector.position.y)),
    ("z", |effector| Some(effector.position.z)),
    ("error", |effector| effector.error),
    ("angle", |effector| effector.angle),
    ("distance", |effector| effector.distance),
];

/// The header of a table of outcomes, without the line end. The clearance is the smallest distance between links, and of links
/// from obstacles. `carried` columns follow at the end; a name that occurs already gets the prefix `in.`.
pub fn csv_header<'a>(scene: &Scene, carried: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = vec!["id".to_owned()];
    names.extend(COLUMNS.map(|(name, _)| name.to_owned()));
    for effector in &scene.effectors {
        names.extend(EFFECTOR.map(|(part, _)| format!("{}.{part}", effector.name)));
    }
    names.extend(coordinate_names(scene));
    if scene.keep_clear.is_some() {
        names.push("clearance".to_owned());
    }
    names.push("message".to_owned());
    for name in carried {
        let is_taken = names.iter().any(|other| other == name);
        names.push(if is_taken { format!("in.{name}") } else { name.to_owned() });
    }
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",")
}

/// Appends a row of a table of outcomes, with the line end.
pub fn push_csv_row(out: &mut Vec<u8>, scene: &Scene, id: &Cell<'_>, outcome: &Outcome, carried: &[Cow<'_, str>]) {
    push_cell(out, id);
    COLUMNS.iter().for_each(|(_, push)| push(out, outcome));
    for effector in &outcome.effectors {
        EFFECTOR.iter().for_each(|(_, number)| push_number(out, number(effector)));
    }
    scene.pose_numbers(&outcome.pose).for_each(|value| push_number(out, value));
    if scene.keep_clear.is_some() {
        push_number(out, outcome.clearance.map(|clearance| clearance.distance));
    }
    push_cell(out, &Cell::Empty);
    end_row(out, carried);
}

/// Appends the row of a case that cannot be read, with the line end.
pub fn push_csv_error(out: &mut Vec<u8>, scene: &Scene, id: &Cell<'_>, message: &str, carried: &[Cow<'_, str>]) {
    let coordinates = scene.skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum::<usize>();
    let clearance = usize::from(scene.keep_clear.is_some());
    let empty = COLUMNS.len() - 1 + EFFECTOR.len() * scene.effectors.len() + coordinates + clearance;
    push_cell(out, id);
    push_text(out, "error");
    (0..empty).for_each(|_| push_cell(out, &Cell::Empty));
    // The message may quote a line of the input.
    push_text(out, &printable(message));
    end_row(out, carried);
}

/// Names of all coordinates of a pose in the order of the file, such as `JOINT.angle`.
pub fn coordinate_names(scene: &Scene) -> impl Iterator<Item = String> {
    let of = |at: usize| {
        let joint = &scene.skeleton.joints()[at];
        coordinate_parts(&joint.kind).iter().map(|part| format!("{}.{part}", joint.name))
    };
    scene.joints_in_file_order().flat_map(of)
}

/// Names of the coordinates of a joint of this kind: the last parts of [`coordinate_names`].
pub fn coordinate_parts(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Ball { swing: None, twist: None } => &["x", "y", "z", "w"],
        Kind::Ball { .. } => &["a", "b", "twist"],
        Kind::Hinge { .. } => &["angle"],
        Kind::Slide { .. } => &["distance"],
        Kind::Fixed => &[],
        Kind::Free => &["px", "py", "pz", "x", "y", "z", "w"],
    }
}

/// Writes a table of poses over time: a header, then for each frame its time and the coordinates of all joints.
pub(crate) fn write_motion(scene: &Scene, motion: &Motion, out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let mut row = Vec::new();
    let names = std::iter::once("time".to_owned()).chain(coordinate_names(scene));
    names.for_each(|name| push_text(&mut row, &name));
    end_row(&mut row, &[]);
    for frame in 0..motion.len() {
        out.write_all(&row)?;
        // Times are multiples of the frame time; rounding removes the noise of the multiplication.
        let seconds = (frame as f64 * motion.frame_time * 1e9).round() / 1e9;
        row = format!("{seconds},").into_bytes();
        let pose = motion.pose(skeleton, frame);
        scene.pose_numbers(&pose).for_each(|value| push_number(&mut row, value));
        end_row(&mut row, &[]);
    }
    out.write_all(&row)
}

/// Appends a cell and a comma.
fn push_cell(out: &mut Vec<u8>, cell: &Cell<'_>) {
    match cell {
        Cell::Empty => out.push(b','),
        // Writing to memory cannot fail.
        Cell::Integer(integer) => drop(write!(out, "{integer},")),
        Cell::Text(text) => push_text(out, text),
        Cell::Json("null") => out.push(b','),
        Cell::Json(text) if text.starts_with('"') => {
            let text = serde_json::from_str(text).map_or(Cow::Borrowed(*text), Cow::Owned);
            push_text(out, &text);
        }
        Cell::Json(text) => push_text(out, text),
    }
}

/// Appends a number and a comma; an empty cell if the number is missing or not finite.
fn push_number(out: &mut Vec<u8>, number: impl Into<Option<f64>>) {
    if let Some(number) = number.into().filter(|number| number.is_finite()) {
        out.extend(zmij::Buffer::new().format_finite(number).bytes());
    }
    out.push(b',');
}

/// Appends a text, quoted if necessary, and a comma.
fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend(quoted(text).bytes());
    out.push(b',');
}

/// Appends the last cells of a row. Its last comma becomes the line end.
fn end_row(out: &mut Vec<u8>, carried: &[Cow<'_, str>]) {
    carried.iter().for_each(|text| push_text(out, text));
    out.pop();
    out.push(b'\n');
}

/// A cell, quoted if necessary.
fn quoted(text: &str) -> Cow<'_, str> {
    let needed = text.contains([',', '"', '\n', '\r']);
    if needed { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) } else { Cow::Borrowed(text) }
}

/// The value in a cell of a table, such as the id of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Empty,
    /// A whole number.
    Integer(u64),
    /// Text.
    Text(Cow<'a, str>),
    /// A JSON value: a string is shown without its quotes, `null` as nothing, others as they are.
    Json(&'a str),
}

impl Cell<'_> {
    /// The value as JSON; `null` for nothing.
    pub fn json(&self) -> Cow<'_, str> {
        match self {
            Cell::Empty => Cow::Borrowed("null"),
            Cell::Integer(integer) => Cow::Owned(integer.to_string()),
            Cell::Text(text) => Cow::Owned(serde_json::Value::from(text.as_ref()).to_string()),
            Cell::Json(text) => Cow::Borrowed(text),
        }
    }
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
            push_number(&mut cell, value);
            let text = std::str::from_utf8(&cell).unwrap_or_default().trim_end_matches(',');
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            assert!(text.len() <= 24, "{text}");
        }
        let mut cell = Vec::new();
        push_number(&mut cell, f64::NAN);
        push_number(&mut cell, None);
        push_number(&mut cell, f64::INFINITY);
        assert_eq!(cell, b",,,");
    }
}
