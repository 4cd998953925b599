//! Targets and outcomes as CSV: a header, one row a case.

use super::document::did_you_mean;
use super::{Case, Outcome, Scene};
use crate::ik::{Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};
use std::fmt::Write;

/// Components of a target that a column can hold.
const COMPONENTS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];

/// What the columns of a table of targets mean: `x,y,z` for the first effector, `NAME.x` or `NAME_x` for a named one;
/// `qx,qy,qz,qw` for an orientation; `id` for the id.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetColumns {
    columns: Vec<(String, Column)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Id,
    Target { effector: usize, component: usize },
}

impl TargetColumns {
    /// Reads the header.
    pub fn parse(scene: &Scene, header: &str) -> Result<Self, String> {
        let names = split(header.trim_start_matches('\u{feff}'))?;
        let column = |name: String| {
            let column = Self::column(scene, name.trim()).ok_or_else(|| {
                let effectors: Vec<String> =
                    scene.effectors.iter().take(4).map(|effector| format!("{}.x", effector.name)).collect();
                let known = ["id", "x", "y", "z"].into_iter().chain(effectors.iter().map(String::as_str));
                let hint = did_you_mean(&name, known).map_or(String::new(), |hint| format!("; {hint}"));
                format!("the column `{name}` is not known{hint}")
            })?;
            Ok((name, column))
        };
        let columns = names.into_iter().map(column).collect::<Result<Vec<_>, String>>()?;
        for (at, (name, column)) in columns.iter().enumerate() {
            if columns[..at].iter().any(|(_, earlier)| earlier == column) {
                return Err(format!("the column `{name}` comes twice"));
            }
        }
        let table = TargetColumns { columns };
        for effector in 0..scene.effectors.len() {
            for (part, what) in [(0..3, "x, y and z"), (3..7, "qx, qy, qz and qw")] {
                let present = part.clone().filter(|&component| table.find(effector, component).is_some()).count();
                if present != 0 && present != part.len() {
                    let name = &scene.effectors[effector].name;
                    return Err(format!("the columns of `{name}` are not complete; expected {what}"));
                }
            }
        }
        Ok(table)
    }

    fn column(scene: &Scene, name: &str) -> Option<Column> {
        if name.eq_ignore_ascii_case("id") {
            return Some(Column::Id);
        }
        let component = |text: &str| COMPONENTS.iter().position(|known| known.eq_ignore_ascii_case(text));
        if let Some(component) = component(name) {
            return (!scene.effectors.is_empty()).then_some(Column::Target { effector: 0, component });
        }
        let (owner, part) = name.rsplit_once(['.', '_'])?;
        let effector = scene.effectors.iter().position(|effector| effector.name == owner)?;
        Some(Column::Target { effector, component: component(part)? })
    }

    fn find(&self, effector: usize, component: usize) -> Option<usize> {
        self.columns.iter().position(|(_, column)| *column == Column::Target { effector, component })
    }

    /// The id of a row as JSON, if there is a column for it.
    pub fn id(&self, row: &str) -> Option<String> {
        let at = self.columns.iter().position(|(_, column)| *column == Column::Id)?;
        let cell = split(row).ok()?.into_iter().nth(at)?;
        serde_json::to_string(&cell).ok()
    }

    /// Reads one row. Targets whose cells are all empty are as in the scene.
    pub fn case(&self, scene: &Scene, row: &str) -> Result<Case, String> {
        let cells = split(row)?;
        if cells.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), cells.len()));
        }
        let mut case = Case::of(scene);
        for (effector, goal) in case.problem.goals.iter_mut().enumerate() {
            if let Some([x, y, z]) = self.numbers(&cells, effector, 0)? {
                goal.target.position = Some(DVec3::new(x, y, z));
            }
            if let Some(q) = self.numbers(&cells, effector, 3)? {
                let q = DQuat::from_array(q);
                if q.length_squared() < 1e-12 {
                    return Err("a rotation cannot be zero; no rotation is 0,0,0,1".into());
                }
                goal.target.rotation = Some(q.normalize());
            }
        }
        Ok(case)
    }

    fn numbers<const N: usize>(
        &self,
        cells: &[String],
        effector: usize,
        first: usize,
    ) -> Result<Option<[f64; N]>, String> {
        let mut numbers = [0.0; N];
        let mut empty = 0;
        for (at, number) in numbers.iter_mut().enumerate() {
            let Some(column) = self.find(effector, first + at) else { return Ok(None) };
            let (name, cell) = (&self.columns[column].0, cells[column].trim());
            empty += usize::from(cell.is_empty());
            let value = if cell.is_empty() { Some(0.0) } else { cell.parse().ok() };
            *number = value
                .filter(|value: &f64| value.abs() <= 1e100)
                .ok_or_else(|| format!("column `{name}`: expected a finite number, found {cell:?}"))?;
        }
        match empty {
            0 => Ok(Some(numbers)),
            all if all == N => Ok(None),
            _ => Err("some cells of a target are empty and some are not".into()),
        }
    }
}

/// The header of a table of outcomes.
pub fn csv_header(scene: &Scene) -> String {
    let mut out = String::from("id,stop,reached,error,iterations,attempts,micros");
    for effector in &scene.effectors {
        for part in ["x", "y", "z", "error", "angle"] {
            push_text(&mut out, &format!("{}.{part}", effector.name));
        }
    }
    for joint in scene.skeleton.joints() {
        for part in coordinate_names(&joint.kind) {
            push_text(&mut out, &format!("{}.{part}", joint.name));
        }
    }
    out.push_str(",message");
    out
}

/// One row of a table of outcomes; `id` is JSON, texts lose their quotes.
pub fn csv_row(scene: &Scene, id: &str, outcome: &Outcome) -> String {
    let report = &outcome.report;
    let mut out = quoted(&plain(id));
    let (word, reached, attempts) = (report.stop.word(), report.stop.is_reached(), report.attempts);
    // Writing to a String cannot fail.
    let _ = write!(out, ",{word},{reached}");
    push_number(&mut out, Some(report.error));
    let _ = write!(out, ",{},{attempts},{:.3}", report.iterations, outcome.micros);
    for effector in &outcome.effectors {
        effector.position.to_array().into_iter().for_each(|value| push_number(&mut out, Some(value)));
        push_number(&mut out, effector.error);
        push_number(&mut out, effector.angle);
    }
    push_pose(&mut out, &scene.skeleton, &outcome.pose);
    out.push(',');
    out
}

/// A row for a case that cannot be read.
pub fn csv_error(scene: &Scene, id: &str, message: &str) -> String {
    let cells = 5 + 5 * scene.effectors.len();
    let cells = cells + scene.skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum::<usize>();
    format!("{},error{},{}", quoted(&plain(id)), ",".repeat(cells), quoted(message))
}

fn push_pose(out: &mut String, skeleton: &Skeleton, pose: &Pose) {
    for (joint, coordinates) in skeleton.joints().iter().zip(pose) {
        coordinates.values(&joint.kind).iter().for_each(|&value| push_number(out, Some(value)));
    }
}

fn push_number(out: &mut String, value: Option<f64>) {
    out.push(',');
    if let Some(value) = value.filter(|value| value.is_finite()) {
        let _ = write!(out, "{value:?}");
    }
}

fn push_text(out: &mut String, text: &str) {
    out.push(',');
    out.push_str(&quoted(text));
}

/// Names of the coordinates of a joint.
fn coordinate_names(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Ball { swing: None, twist: None } => &["x", "y", "z", "w"],
        Kind::Ball { .. } => &["a", "b", "twist"],
        Kind::Hinge { .. } => &["angle"],
        Kind::Slide { .. } => &["distance"],
        Kind::Fixed => &[],
        Kind::Free => &["px", "py", "pz", "x", "y", "z", "w"],
    }
}

/// JSON as a cell: a text without its quotes, anything else as it is.
fn plain(json: &str) -> String {
    if json == "null" { String::new() } else { serde_json::from_str(json).unwrap_or_else(|_| json.to_owned()) }
}

/// A cell, in quotes where it needs them.
fn quoted(text: &str) -> String {
    let needed = text.contains([',', '"', '\n', '\r']);
    if needed { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The cells of a row. Cells in quotes may hold commas and doubled quotes, not line ends.
fn split(row: &str) -> Result<Vec<String>, String> {
    let mut cells = vec![String::new()];
    let mut in_quotes = false;
    let mut characters = row.trim_end_matches(['\r', '\n']).chars().peekable();
    while let Some(c) = characters.next() {
        let last = cells.len() - 1;
        match c {
            '"' if in_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                cells[last].push('"');
            }
            '"' if in_quotes || cells[last].trim().is_empty() => in_quotes = !in_quotes,
            ',' if !in_quotes => cells.push(String::new()),
            c => cells[last].push(c),
        }
    }
    if in_quotes { Err("a quote is not closed".into()) } else { Ok(cells) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_split_at_commas_outside_of_quotes() {
        let cells = |row| split(row).map_err(|_| ());
        assert_eq!(cells("1,2,,3"), Ok(vec!["1".into(), "2".into(), String::new(), "3".into()]));
        assert_eq!(cells("\"a,b\",\"say \"\"x\"\"\"\r\n"), Ok(vec!["a,b".into(), "say \"x\"".into()]));
        assert_eq!(cells("\"open"), Err(()));
    }
}
