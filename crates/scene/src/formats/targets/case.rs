//! The case in a row of a table of targets.

use super::cells::Separator;
use super::columns::{GoalColumns, TRANSFORM, TargetColumns, TargetRow};
use super::headings::{COMPONENTS, Column, TargetColumn};
use crate::joint_values::fixed;
use crate::outcome::Case;
use crate::printable::{LARGEST, bounded_number, listed, short, shown_number};
use crate::syntax_tree::fields::{A_FINITE_NUMBER, UNIT_TOLERANCE, expected_number, rotation_of};
use crate::target_spec::{Part, TargetSpec};
use crate::{RANKS, Scene};
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Kind};
use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};
use std::borrow::Cow;
use std::f64::consts::TAU;

/// Most turns of an angle that can be in radians: nobody winds an orientation up farther.
const MOST_TURNS: f64 = 2.0;

/// A start that is beyond its limits by no more than this was rounded, radians or lengths.
const ROUNDED: f64 = 1e-3;

impl TargetColumns {
    /// The id of a row, if there is an `id` column.
    pub fn id<'r>(&self, row: &'r TargetRow) -> Option<Cow<'r, str>> {
        self.cells(row, Column::Id).pop()?
    }

    /// The text in the `path` column of a row, if there is one.
    pub fn path<'r>(&self, row: &'r TargetRow) -> Option<Cow<'r, str>> {
        self.cells(row, Column::Path).pop()?
    }

    /// The cells of the [carried](TargetColumns::carried) columns; empty if the row cannot be split.
    pub fn carried_cells<'r>(&self, row: &'r TargetRow) -> Vec<Cow<'r, str>> {
        self.cells(row, Column::Carried).into_iter().map(Option::unwrap_or_default).collect()
    }

    /// The text in all columns of a kind; none where the row is too short. Empty if the row is no text or cannot be split.
    fn cells<'r>(&self, row: &'r TargetRow, wanted: Column) -> Vec<Option<Cow<'r, str>>> {
        let TargetRow::Line(line) = row else { return Vec::new() };
        let mut places = (0..self.columns.len()).filter(|at| self.columns[*at].meaning == wanted).peekable();
        if places.peek().is_none() {
            return Vec::new();
        }
        let Ok(cells) = self.separator.split(line) else { return Vec::new() };
        places.map(|at| cells.get(at).cloned().map(trimmed)).collect()
    }

    /// The case of a row. Targets with empty cells are as in the scene, and so are start coordinates.
    ///
    /// # Errors
    /// A cell cannot be read, or all target cells are empty and the scene has no target either. A table that has no columns for
    /// targets needs none.
    pub fn case(&self, scene: &Scene, row: &TargetRow) -> Result<Case, String> {
        let values = match row {
            TargetRow::Line(line) => self.values(line)?,
            TargetRow::Numbers(numbers) if self.has_transforms => self.finite(&places(numbers)?)?,
            TargetRow::Numbers(numbers) => self.finite(numbers)?,
        };
        let mut case = Case::open(scene);
        let mut asked = Vec::new();
        for columns in &self.goals {
            let goal = &mut case.problem.goals[columns.effector];
            let spec = TargetSpec { rank: self.rank(row, columns.rank)?, ..columns.read(&values)? };
            if spec != TargetSpec::default() {
                asked.push(columns.effector);
            }
            spec.apply_to(goal).map_err(|error| error.to_string())?;
        }
        self.soles.complete(&mut case.problem, |at| asked.contains(&at));
        if !self.goals.is_empty() && case.lacks_targets(scene) {
            return Err("the cells of all targets are empty, and the scene has no targets of its own".to_owned());
        }
        let mut is_moved = false;
        for (value, column) in values.iter().zip(&self.columns) {
            if let (Some(value), Column::Start { joint }) = (value, column.meaning) {
                let kind = scene.skeleton.kind(joint);
                if column.unit.is_none() {
                    check_radians(kind, *value, &column.name)?;
                }
                case.start[joint] = Coordinates::scalar(*value);
                let beyond = kind.project(case.start[joint]).value() - value;
                case.clamped = case.clamped.or((beyond.abs() > ROUNDED).then_some(joint));
                is_moved = true;
            }
        }
        if is_moved {
            scene.skeleton.project(&mut case.start);
        }
        Ok(case)
    }

    /// What the target of an effector gives way to; as in the scene without a column of it, and if the cell is empty.
    fn rank(&self, row: &TargetRow, column: Option<usize>) -> Result<Option<GoalRank>, String> {
        let Some(column) = column.map(|at| &self.columns[at]) else { return Ok(None) };
        let word = self.cells(row, column.meaning).pop().flatten().unwrap_or_default();
        if word.is_empty() {
            return Ok(None);
        }
        let known = RANKS.iter().find(|(known, _)| *known == word);
        known.map(|(_, rank)| Some(*rank)).ok_or_else(|| {
            let words: Vec<&str> = RANKS.iter().map(|(word, _)| *word).collect();
            let (name, words, found) = (&column.name, listed(&words), short(&word));
            format!("column `{name}`: expected one of {words}, found {found:?}; a column of something else needs another name")
        })
    }

    fn finite(&self, numbers: &[f64]) -> Result<Vec<Option<f64>>, String> {
        if numbers.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), numbers.len()));
        }
        numbers.iter().zip(&self.columns).map(|(&number, column)| finite(number, &column.name).map(Some)).collect()
    }

    /// The numbers of a line; none for empty cells and columns that hold no numbers.
    fn values(&self, line: &str) -> Result<Vec<Option<f64>>, String> {
        let cells = self.separator.split(line)?;
        let value = |(column, cell): (&TargetColumn, &Cow<'_, str>)| {
            let cell = cell.trim();
            let is_number = column.meaning.is_number() && !cell.is_empty();
            let number =
                || bounded_number(&self.separator.number(cell)).ok_or_else(|| not_a_number(cell, &column.name));
            let in_unit = |number: f64| column.unit.map_or(number, |unit| number * unit);
            is_number.then(|| number().map(in_unit)).transpose()
        };
        let values = self.columns.iter().zip(&cells).map(value).collect::<Result<Vec<_>, String>>()?;
        if cells.len() != self.columns.len() {
            let is_comma = cells.len() > self.columns.len() && matches!(self.separator, Separator::Mark(','));
            let hint = comma_hint(is_comma);
            return Err(format!("expected {} columns, found {}{hint}", self.columns.len(), cells.len()));
        }
        Ok(values)
    }
}

/// The positions and rotations of transforms, row by row as NumPy stores them.
fn places(numbers: &[f64]) -> Result<Vec<f64>, String> {
    let mut places = Vec::new();
    for numbers in numbers.as_chunks::<TRANSFORM>().0 {
        let matrix = DMat4::from_cols_array(numbers).transpose();
        let turn = DMat3::from_mat4(matrix);
        let off = (turn.transpose() * turn - DMat3::IDENTITY).to_cols_array();
        let is_rotation = off.into_iter().all(|off| off.abs() < UNIT_TOLERANCE) && turn.determinant() > 0.0;
        if !is_rotation || matrix.row(3).distance(DVec4::W) > UNIT_TOLERANCE {
            let expected = "a rotation and a position, with 0, 0, 0, 1 as the last row";
            return Err(format!("the 4x4 matrix is no transform: expected {expected}"));
        }
        places.extend(matrix.w_axis.truncate().to_array());
        places.extend(DQuat::from_mat3(&turn).normalize().to_array());
    }
    Ok(places)
}

/// What to say about decimals if there is a comma in one.
fn comma_hint(is_comma: bool) -> &'static str {
    if is_comma { "; decimals follow a point, not a comma" } else { "" }
}

fn not_a_number(cell: &str, column: &str) -> String {
    let short: String = cell.chars().take(40).collect();
    let expected = cell.parse().map_or(A_FINITE_NUMBER, expected_number);
    let is_comma = cell.replacen(',', ".", 1).parse::<f64>().is_ok() && cell.contains(',');
    let hint = comma_hint(is_comma);
    format!("column `{column}`: expected {expected}, found {short:?}{hint}")
}

impl GoalColumns {
    /// What a row asks of the effector. Parts without columns, or with empty cells, stay as they are.
    fn read(&self, values: &[Option<f64>]) -> Result<TargetSpec, String> {
        let part = |first| Ok::<_, String>(self.numbers(values, first)?.map(DVec3::from_array));
        let mut spec = TargetSpec {
            position: part(0)?.into(),
            look_at: part(13)?.into(),
            direction: part(10)?,
            ..TargetSpec::default()
        };
        if let Some(quaternion) = self.numbers(values, 3)? {
            let rotation = rotation_of(quaternion).map_err(|wrong| format!("{wrong}; the identity is 0,0,0,1"))?;
            spec.rotation = Part::Given(rotation);
        }
        if let Some([roll, pitch, yaw]) = self.numbers(values, 7)? {
            let largest = [roll, pitch, yaw].map(f64::abs).into_iter().fold(0.0, f64::max);
            if largest > MOST_TURNS * TAU && !self.says_unit {
                return Err(format!("roll, pitch or yaw is {}: angles are in radians", shown_number(largest)));
            }
            spec.rotation = Part::Given(maths::roll_pitch_yaw(roll, pitch, yaw));
        }
        Ok(spec)
    }

    /// The numbers of the components from `first` on; none without columns, or if the cells are empty.
    fn numbers<const N: usize>(&self, values: &[Option<f64>], first: usize) -> Result<Option<[f64; N]>, String> {
        let cells: [Option<f64>; N] = std::array::from_fn(|at| values[self.components[first + at]?]);
        match cells.iter().flatten().count() {
            0 => Ok(None),
            all if all == N => Ok(Some(cells.map(Option::unwrap_or_default))),
            _ => {
                let named = |is_empty: bool| {
                    let parts = (0..N).filter(|&at| cells[at].is_none() == is_empty);
                    parts.map(|at| COMPONENTS[first + at]).collect::<Vec<_>>().join(", ")
                };
                Err(format!("{} without {}: fill all of them, or leave all empty", named(false), named(true)))
            }
        }
    }
}

/// Refuses an angle that can only be in degrees. Other starts outside the limits begin at the nearest limit.
fn check_radians(kind: &Kind, value: f64, column: &str) -> Result<(), String> {
    let Kind::Hinge { range: Some(range), .. } = kind else { return Ok(()) };
    let beyond = (range.low() - value).max(value - range.high());
    if beyond < TAU {
        return Ok(());
    }
    let (low, high) = (fixed(range.low(), 2), fixed(range.high(), 2));
    Err(format!("column `{column}`: {value} is far outside the limits, {low} to {high}; angles are in radians"))
}

/// A number of a column, if it is finite.
fn finite(number: f64, column: &str) -> Result<f64, String> {
    match number.abs() <= LARGEST {
        true => Ok(number),
        false if number.is_finite() => Err(not_a_number(&shown_number(number), column)),
        false => Err(format!("column `{column}`: the number is not finite")),
    }
}

/// A cell without the blanks around its text.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}
