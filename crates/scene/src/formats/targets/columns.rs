//! The columns of a table of targets: what their names mean.

use super::cells::Separator;
use super::headings::{ANGLES, COMPONENTS, Column, GROUPS, START, TargetColumn};
use crate::Scene;
use crate::feet::Soles;
use crate::formats::csv::coordinate_names;
use crate::formats::npy::{MAX_WIDTH, Shape};
use crate::printable::listed;
use std::collections::{HashMap, HashSet};

/// Components of a row without names: positions, or positions and quaternions.
const BY_POSITION: [usize; 2] = [3, 7];
/// Numbers of a transform, four rows of four.
pub(super) const TRANSFORM: usize = 16;
/// Most columns that a message names.
const NAMED: usize = 8;

/// The meaning of each column.
///
/// | name | meaning |
/// |---|---|
/// | `x`, `y`, `z` | target position of the first effector |
/// | `qx`, `qy`, `qz`, `qw` | its target orientation, as a quaternion |
/// | `roll`, `pitch`, `yaw` | the same as turns about the fixed x, y and z axes, in this order, radians (as in URDF) |
/// | `dx`, `dy`, `dz` | the direction of its axis: its `spin_axis`, or its z axis; it may turn about the axis |
/// | `look_x`, `look_y`, `look_z` | the point that this axis points at; it may turn about the axis |
/// | `rank` | `firm`, `wanted` or `preferred`: what its target gives way to |
/// | `NAME.x` or `NAME_x`, and so on | the same for a named effector |
/// | `q.NAME` | start coordinate of a hinge (radians) or a slide |
/// | `id` | copied to the answer |
/// | `path` | consecutive rows with the same text are a path |
/// | `time`, `t`, `seconds` | ignored |
///
/// A name can say the unit of its lengths or angles: `x [mm]`, `roll (deg)`, `q.NAME_deg`. Other columns are carried to the answers. Columns without names are x, y, z of each effector in turn, or x, y, z, qx,
/// qy, qz, qw of each.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetColumns {
    pub(super) separator: Separator,
    pub(super) columns: Vec<TargetColumn>,
    pub(super) goals: Vec<GoalColumns>,
    /// The feet, which complete what a row asks.
    pub(super) soles: Soles,
    is_named: bool,
    /// Whether rows are transforms in the place of positions and rotations.
    pub(super) has_transforms: bool,
    /// Lines before the first row; `None` for arrays.
    pub(super) lines_before: Option<u64>,
}

/// One row, not yet parsed; [`TargetColumns::case`] parses it.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetRow {
    /// A line of CSV.
    Line(String),
    /// A row of an array.
    Numbers(Vec<f64>),
}

/// The columns of the target of one effector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GoalColumns {
    pub effector: usize,
    /// The column of each component, if there is one. Those that belong together are all there, or none.
    pub components: [Option<usize>; COMPONENTS.len()],
    /// Whether the columns of its angles say their unit.
    pub says_unit: bool,
    /// The column of its rank.
    pub rank: Option<usize>,
}

impl TargetColumns {
    /// Reads the first line of a table. Also returns whether it is a row of numbers; then the columns have no names.
    pub(crate) fn of_line(scene: &Scene, line: &str) -> Result<(Self, bool), String> {
        let separator = Separator::of(line);
        let cells = separator.split(line)?;
        if cells.len() > MAX_WIDTH {
            return Err(format!("the first line has more than {MAX_WIDTH} columns; keep those that are used"));
        }
        let is_number = |cell: &str| cell.trim().is_empty() || separator.number(cell.trim()).parse::<f64>().is_ok();
        if cells.iter().all(|cell| is_number(cell)) {
            return Ok((Self { separator, ..Self::by_position(scene, cells.len())? }, true));
        }
        let names = cells.iter().map(|cell| cell.trim().to_owned()).collect();
        Ok((Self { separator, ..Self::by_name(scene, names)? }, false))
    }

    /// The columns of an array. Each transform takes the place of a position and a rotation.
    pub(crate) fn of_array(scene: &Scene, shape: Shape) -> Result<Self, String> {
        let has_transforms = shape.has_transforms;
        let width = if has_transforms { shape.width / TRANSFORM * BY_POSITION[1] } else { shape.width };
        Ok(TargetColumns { has_transforms, ..Self::by_position(scene, width)? })
    }

    /// `width` columns without names.
    pub(crate) fn by_position(scene: &Scene, width: usize) -> Result<Self, String> {
        let most = scene.effectors.len();
        let fits = |each: &usize| width.is_multiple_of(*each) && (1..=most).contains(&(width / each));
        let each = BY_POSITION.into_iter().find(fits).ok_or_else(|| {
            let effectors = if most == 1 { "the effector".to_owned() } else { format!("each of {most} effectors") };
            format!("{width} columns without names do not fit: expected three for {effectors}, or seven with rotations")
        })?;
        let column = |at: usize| {
            let (effector, component) = (at / each, at % each);
            let name = format!("{}.{}", scene.effectors[effector].name, COMPONENTS[component]);
            TargetColumn { name, meaning: Column::Target { effector, component }, unit: None }
        };
        Ok(Self::new(scene, (0..width).map(column).collect(), false))
    }

    fn by_name(scene: &Scene, names: Vec<String>) -> Result<Self, String> {
        let read = |name: String| TargetColumn::read(scene, name);
        let columns = names.into_iter().map(read).collect::<Result<Vec<_>, String>>()?;
        let mut seen = HashSet::new();
        // Columns that are carried differ by their names, others by their meaning.
        let key = |column: &TargetColumn| (column.meaning, column.is_carried().then(|| column.name.clone()));
        if let Some(column) = columns.iter().find(|column| !seen.insert(key(column))) {
            return Err(format!("the column `{}` appears twice", column.name));
        }
        let mut carried = columns.iter().filter(|column| column.is_carried());
        carried.try_for_each(|column| column.check_carried(scene, &columns))?;
        let has_carried = columns.iter().any(TargetColumn::is_carried);
        if has_carried && !columns.iter().any(|column| column.meaning.is_number()) {
            let found: Vec<&str> = columns.iter().take(NAMED).map(|column| column.name.as_str()).collect();
            let (found, more) = (found.join(", "), if columns.len() > NAMED { ", .." } else { "" });
            let has_values = coordinate_names(scene).any(|value| columns.iter().any(|column| column.name == value));
            let advice = if has_values { "; `convert --motion` and `view --motion` read joint values" } else { "" };
            return Err(format!("no target columns: expected x, y, z (or NAME.x, ..); found {found}{more}{advice}"));
        }
        let table = Self::new(scene, columns, true);
        table.check_groups(scene)?;
        Ok(table)
    }

    fn new(scene: &Scene, columns: Vec<TargetColumn>, is_named: bool) -> Self {
        let places: HashMap<Column, usize> =
            columns.iter().enumerate().map(|(at, column)| (column.meaning, at)).collect();
        let find = |effector, component| places.get(&Column::Target { effector, component }).copied();
        let goal = |effector| {
            let components: [_; COMPONENTS.len()] = std::array::from_fn(|at| find(effector, at));
            let says_unit = components[ANGLES].iter().flatten().any(|&at| columns[at].unit.is_some());
            let rank = places.get(&Column::Rank { effector }).copied();
            GoalColumns { effector, components, says_unit, rank }
        };
        let has_any = |goal: &GoalColumns| goal.rank.is_some() || goal.components.iter().any(Option::is_some);
        let goals = (0..scene.effectors.len()).map(goal).filter(has_any).collect();
        TargetColumns {
            separator: Separator::Blanks,
            columns,
            goals,
            soles: scene.soles(),
            is_named,
            has_transforms: false,
            lines_before: None,
        }
    }

    /// Checks that the components of each target are complete, and that it has one orientation.
    fn check_groups(&self, scene: &Scene) -> Result<(), String> {
        for goal in &self.goals {
            let name = &scene.effectors[goal.effector].name;
            let mut rotations = 0;
            for (part, what, _) in GROUPS {
                let present = goal.components[part.clone()].iter().flatten().count();
                if present != 0 && present != part.len() {
                    return Err(format!("the columns of `{name}` are not complete; expected {what}"));
                }
                rotations += usize::from(present != 0 && part.start > 0);
            }
            if rotations > 1 {
                return Err(format!(
                    "`{name}` has two orientations; keep the columns of one of them: qx, qy, qz, qw, or roll, pitch, yaw, or dx, dy, \
                     dz, or look_x, look_y, look_z"
                ));
            }
        }
        Ok(())
    }

    /// The line of a row in the file; `None` for arrays.
    pub fn line(&self, row: u64) -> Option<u64> {
        self.lines_before.map(|before| before + row)
    }

    /// Where a row is, for messages: `row 7 (line 8)`.
    pub fn place(&self, row: u64) -> String {
        self.line(row).map_or_else(|| format!("row {row}"), |line| format!("row {row} (line {line})"))
    }

    /// Names of the columns that are carried to the answers.
    pub fn carried(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.is_carried()).map(|column| column.name.as_str())
    }

    fn has(&self, is_wanted: impl Fn(Column) -> bool) -> bool {
        self.columns.iter().any(|column| is_wanted(column.meaning))
    }

    /// Whether there is an `id` column.
    pub fn has_ids(&self) -> bool {
        self.has(|column| column == Column::Id)
    }

    /// Whether there is a `time` column.
    pub fn has_times(&self) -> bool {
        self.has(|column| column == Column::Time)
    }

    /// Whether there are columns for start coordinates.
    pub fn has_starts(&self) -> bool {
        self.has(|column| matches!(column, Column::Start { .. }))
    }

    /// Whether there is a `path` column.
    pub fn has_paths(&self) -> bool {
        self.has(|column| column == Column::Path)
    }

    /// What may not be as meant: columns that are only copied; the order of columns without names.
    pub fn note(&self, scene: &Scene) -> Option<String> {
        let carried: Vec<&str> = self.carried().collect();
        if !carried.is_empty() {
            let which = match carried.as_slice() {
                [only] => format!("column `{only}` is"),
                all => format!("columns {} are", listed(all)),
            };
            let joint = carried.iter().find(|name| scene.find_joint(name).is_some());
            let start = joint.map_or(String::new(), |joint| format!("; `{START}{joint}` is where the joint starts"));
            return Some(format!("the {which} copied to the answers{start}"));
        }
        let names: Vec<&str> = self.effectors().map(|effector| scene.effectors[effector].name.as_str()).collect();
        let each = self.columns.len() / names.len().max(1);
        (!self.is_named && names.len() > 1)
            .then(|| format!("columns without names: {each} for each of {}", names.join(", ")))
    }

    /// Indices of the effectors that the table has positions for.
    pub fn effectors(&self) -> impl Iterator<Item = usize> {
        self.goals.iter().filter(|goal| goal.components[0].is_some()).map(|goal| goal.effector)
    }

    /// Whether the table has orientations, directions or points to look at for an effector.
    pub fn has_turns(&self, effector: usize) -> bool {
        self.goals.iter().any(|goal| goal.effector == effector && goal.components[3..].iter().any(Option::is_some))
    }
}
