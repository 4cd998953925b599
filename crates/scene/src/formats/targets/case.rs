//! The case in a row of a table of targets.

use super::columns::{Column, GoalColumns, TargetColumns, TargetRow};
use crate::Scene;
use crate::cases::Case;
use crate::syntax_tree::fields::rotation_of;
use fabrik3d_ik::{Coordinates, Goal, Target};
use glam::{DQuat, DVec3, EulerRot};
use std::borrow::Cow;

/// Largest magnitude of a number; its square is finite.
const LARGEST: f64 = 1e100;

impl TargetColumns {
    /// The id of a row as JSON, if there is an `id` column.
    pub fn id(&self, row: &TargetRow) -> Option<String> {
        serde_json::to_string(&self.cell(row, Column::Id)?).ok()
    }

    /// The text in the `path` column of a row, if there is one.
    pub fn path(&self, row: &TargetRow) -> Option<String> {
        self.cell(row, Column::Path)
    }

    /// The cells of the [carried](TargetColumns::carried) columns; empty if the row cannot be split.
    pub fn carried_cells(&self, row: &TargetRow) -> Vec<String> {
        let TargetRow::Line(line) = row else { return Vec::new() };
        if self.carried().next().is_none() {
            return Vec::new();
        }
        let cells = self.separator.split(line).unwrap_or_default();
        let is_carried = |at: &usize| self.columns[*at].1 == Column::Carried;
        let cell = |at: usize| cells.get(at).map_or(String::new(), |cell| cell.trim().to_owned());
        (0..self.columns.len()).filter(is_carried).map(cell).collect()
    }

    fn cell(&self, row: &TargetRow, column: Column) -> Option<String> {
        let at = self.columns.iter().position(|(_, own)| *own == column)?;
        let TargetRow::Line(line) = row else { return None };
        Some(self.separator.split(line).ok()?.get(at)?.trim().to_owned())
    }

    /// The case of a row. Targets with empty cells are as in the scene, and so are start coordinates.
    pub fn case(&self, scene: &Scene, row: &TargetRow) -> Result<Case, String> {
        let values = match row {
            TargetRow::Line(line) => self.values(line)?,
            TargetRow::Numbers(numbers) => self.finite(numbers)?,
        };
        let mut case = Case::of(scene);
        for columns in &self.goals {
            columns.read(&values, &mut case.problem.goals[columns.effector])?;
        }
        let mut is_moved = false;
        for (value, (_, column)) in values.iter().zip(&self.columns) {
            if let (Some(value), Column::Start { joint }) = (value, column) {
                case.start[*joint] = Coordinates::scalar(*value);
                is_moved = true;
            }
        }
        if is_moved {
            scene.skeleton.project(&mut case.start);
        }
        Ok(case)
    }

    fn finite(&self, numbers: &[f64]) -> Result<Vec<Option<f64>>, String> {
        if numbers.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), numbers.len()));
        }
        let value = |(&number, (name, _)): (&f64, &(String, Column))| match number.abs() <= LARGEST {
            true => Ok(Some(number)),
            false => Err(format!("column `{name}`: the number is not finite")),
        };
        numbers.iter().zip(&self.columns).map(value).collect()
    }

    /// The numbers of a line; none for empty cells and columns that hold no numbers.
    fn values(&self, line: &str) -> Result<Vec<Option<f64>>, String> {
        let cells = self.separator.split(line)?;
        if cells.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), cells.len()));
        }
        let value = |(cell, (name, column)): (&Cow<str>, &(String, Column))| {
            let cell = cell.trim();
            if !column.is_number() || cell.is_empty() {
                return Ok(None);
            }
            let value = cell.parse().ok().filter(|value: &f64| value.abs() <= LARGEST);
            let fault = || {
                let short: String = cell.chars().take(40).collect();
                format!("column `{name}`: expected a finite number, found {short:?}")
            };
            value.map(Some).ok_or_else(fault)
        };
        cells.iter().zip(&self.columns).map(value).collect()
    }
}

impl GoalColumns {
    /// Reads a target. Parts without columns, or with empty cells, stay as they are.
    fn read(&self, values: &[Option<f64>], goal: &mut Goal) -> Result<(), String> {
        let target = &mut goal.target;
        if let Some(position) = numbers(values, self.position)? {
            target.position = Some(DVec3::from_array(position));
        }
        if let Some(quaternion) = numbers(values, self.quaternion)? {
            let rotation = rotation_of(quaternion).map_err(|wrong| format!("{wrong}; the identity is 0,0,0,1"))?;
            target.orient(rotation);
        }
        if let Some([roll, pitch, yaw]) = numbers(values, self.turns)? {
            target.orient(DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll));
        }
        if let Some(point) = numbers(values, self.look_at)? {
            target.aim_at(DVec3::from_array(point));
        }
        if let Some(direction) = numbers(values, self.direction)? {
            let direction = DVec3::from_array(direction).try_normalize();
            let direction = direction.ok_or("a direction cannot be zero; downward is 0,0,-1")?;
            let position = goal.target.position;
            let axis = goal.freedom.spin_axis.unwrap_or(DVec3::Z);
            let pointing = Goal::pointing(goal.effector, DVec3::ZERO, axis, direction);
            goal.target = Target { position, ..pointing.target };
            goal.freedom.spin_axis = Some(axis);
        }
        Ok(())
    }
}

/// The numbers in these columns; none without columns, or if the cells are empty.
fn numbers<const N: usize>(values: &[Option<f64>], columns: Option<[usize; N]>) -> Result<Option<[f64; N]>, String> {
    let Some(columns) = columns else { return Ok(None) };
    let cells = columns.map(|column| values[column]);
    match cells.iter().flatten().count() {
        0 => Ok(None),
        all if all == N => Ok(Some(cells.map(Option::unwrap_or_default))),
        _ => Err("some cells of a target are empty, others are not".into()),
    }
}
