//! The columns of a table of targets.

use super::cells::Separator;
use crate::Scene;
use crate::cases::Case;
use crate::syntax_tree::fault::did_you_mean;
use crate::syntax_tree::fields::rotation_of;
use glam::DVec3;

/// Components of a target that a column can hold.
const COMPONENTS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];

/// Names of time columns.
const TIMES: [&str; 3] = ["time", "t", "seconds"];

/// Largest magnitude of a number; its square is finite.
const LARGEST: f64 = 1e100;

/// The meaning of each column. The names are `x`, `y`, `z`, `qx`, `qy`, `qz`, `qw` for the first effector, `NAME.x` or
/// `NAME_x` and so on for a named one, `id`, and `time`, which is ignored. Columns without names are x, y, z of each effector
/// in turn, or x, y, z, qx, qy, qz, qw of each.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetColumns {
    separator: Separator,
    columns: Vec<(String, Column)>,
    is_named: bool,
}

/// One row, not yet parsed; [`TargetColumns::case`] parses it.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetRow {
    /// A line of CSV.
    Line(String),
    /// A row of an array.
    Numbers(Vec<f64>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Id,
    /// Ignored: rows are used in file order.
    Time,
    Target {
        effector: usize,
        component: usize,
    },
}

impl TargetColumns {
    /// Reads the first line of a table. Also returns whether it is a row of numbers; then the columns have no names.
    pub(crate) fn of_line(scene: &Scene, line: &str) -> Result<(Self, bool), String> {
        let separator = Separator::of(line);
        let cells = separator.split(line)?;
        let is_number = |cell: &String| cell.trim().is_empty() || cell.trim().parse::<f64>().is_ok();
        if cells.iter().all(is_number) {
            return Ok((Self { separator, ..Self::by_position(scene, cells.len())? }, true));
        }
        Ok((Self { separator, ..Self::by_name(scene, cells)? }, false))
    }

    /// `width` columns without names.
    pub(crate) fn by_position(scene: &Scene, width: usize) -> Result<Self, String> {
        let most = scene.effectors.len();
        let each = [3, 7].into_iter().find(|each| width.is_multiple_of(*each) && (1..=most).contains(&(width / each)));
        let each = each.ok_or_else(|| {
            let effectors = if most == 1 { "the effector".to_owned() } else { format!("each of {most} effectors") };
            format!("{width} columns without names do not fit: expected three for {effectors}, or seven with rotations")
        })?;
        let column = |at: usize| {
            let (effector, component) = (at / each, at % each);
            let name = format!("{}.{}", scene.effectors[effector].name, COMPONENTS[component]);
            (name, Column::Target { effector, component })
        };
        Ok(TargetColumns { separator: Separator::Blanks, columns: (0..width).map(column).collect(), is_named: false })
    }

    fn by_name(scene: &Scene, names: Vec<String>) -> Result<Self, String> {
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
                return Err(format!("the column `{name}` appears twice"));
            }
        }
        let table = TargetColumns { separator: Separator::Blanks, columns, is_named: true };
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
        if TIMES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Some(Column::Time);
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

    /// A note on the meaning of columns without names; none if they have names or belong to one effector.
    pub fn note_by_position(&self, scene: &Scene) -> Option<String> {
        let names: Vec<&str> = self.effectors().map(|effector| scene.effectors[effector].name.as_str()).collect();
        let (each, is_named) = (self.columns.len() / names.len().max(1), self.is_named);
        (!is_named && names.len() > 1)
            .then(|| format!("columns without names: {each} for each of {}", names.join(", ")))
    }

    /// Indices of the effectors that the table has positions for.
    pub fn effectors(&self) -> impl Iterator<Item = usize> {
        let mut effectors: Vec<usize> = self
            .columns
            .iter()
            .filter_map(|(_, column)| match column {
                Column::Target { effector, component: 0 } => Some(*effector),
                _ => None,
            })
            .collect();
        effectors.sort_unstable();
        effectors.into_iter()
    }

    /// The id of a row as JSON, if there is an `id` column.
    pub fn id(&self, row: &TargetRow) -> Option<String> {
        let at = self.columns.iter().position(|(_, column)| *column == Column::Id)?;
        let TargetRow::Line(line) = row else { return None };
        let cell = self.separator.split(line).ok()?.into_iter().nth(at)?;
        serde_json::to_string(cell.trim()).ok()
    }

    /// The case of a row. Targets with empty cells are as in the scene.
    pub fn case(&self, scene: &Scene, row: &TargetRow) -> Result<Case, String> {
        let values = match row {
            TargetRow::Line(line) => self.values(line)?,
            TargetRow::Numbers(numbers) => numbers.iter().copied().map(Some).collect(),
        };
        if values.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), values.len()));
        }
        let is_finite = |value: f64| value.abs() <= LARGEST;
        if let Some(at) = values.iter().position(|value| !value.is_none_or(is_finite)) {
            return Err(format!("column `{}`: the number is not finite", self.columns[at].0));
        }
        let mut case = Case::of(scene);
        for (effector, goal) in case.problem.goals.iter_mut().enumerate() {
            if let Some(position) = self.numbers(&values, effector, 0)? {
                goal.target.position = Some(DVec3::from_array(position));
            }
            if let Some(rotation) = self.numbers(&values, effector, 3)? {
                let rotation = rotation_of(rotation).map_err(|wrong| format!("{wrong}; the identity is 0,0,0,1"))?;
                goal.target.rotation = Some(rotation);
            }
        }
        Ok(case)
    }

    /// The numbers of a line; none for empty cells, ids and times.
    fn values(&self, line: &str) -> Result<Vec<Option<f64>>, String> {
        let cells = self.separator.split(line)?;
        if cells.len() != self.columns.len() {
            return Err(format!("expected {} columns, found {}", self.columns.len(), cells.len()));
        }
        let value = |(cell, (name, column)): (&String, &(String, Column))| {
            let cell = cell.trim();
            if matches!(column, Column::Id | Column::Time) || cell.is_empty() {
                return Ok(None);
            }
            let value = cell.parse().ok().filter(|value: &f64| value.abs() <= LARGEST);
            let short: String = cell.chars().take(40).collect();
            let fault = || format!("column `{}`: expected a finite number, found {short:?}", name.trim());
            value.map(Some).ok_or_else(fault)
        };
        cells.iter().zip(&self.columns).map(value).collect()
    }

    /// `N` components of an effector, starting with `first`; none without columns for them, or if the cells are empty.
    fn numbers<const N: usize>(
        &self,
        values: &[Option<f64>],
        effector: usize,
        first: usize,
    ) -> Result<Option<[f64; N]>, String> {
        let mut numbers = [0.0; N];
        let mut given = 0;
        for (at, number) in numbers.iter_mut().enumerate() {
            let Some(column) = self.find(effector, first + at) else { return Ok(None) };
            if let Some(value) = values[column] {
                *number = value;
                given += 1;
            }
        }
        match given {
            0 => Ok(None),
            all if all == N => Ok(Some(numbers)),
            _ => Err("some cells of a target are empty, others are not".into()),
        }
    }
}
