//! The columns of a table of targets: what their names mean.

use super::cells::Separator;
use crate::Scene;
use crate::formats::csv::coordinate_names;
use crate::formats::npy::MAX_WIDTH;
use crate::syntax_tree::fault::{did_you_mean, nearest};
use fabrik3d_ik::Kind;
use std::collections::{HashMap, HashSet};

/// Components of a target that a column can hold.
pub(super) const COMPONENTS: [&str; 16] =
    ["x", "y", "z", "qx", "qy", "qz", "qw", "roll", "pitch", "yaw", "dx", "dy", "dz", "look_x", "look_y", "look_z"];
/// The components that belong together, and what to call them.
const GROUPS: [(std::ops::Range<usize>, &str); 5] = [
    (0..3, "x, y and z"),
    (3..7, "qx, qy, qz and qw"),
    (7..10, "roll, pitch and yaw"),
    (10..13, "dx, dy and dz"),
    (13..16, "look_x, look_y and look_z"),
];
/// Components of a row without names: positions, or positions and quaternions.
const BY_POSITION: [usize; 2] = [3, 7];
/// Most columns that a message names.
const NAMED: usize = 8;

const TIMES: [&str; 3] = ["time", "t", "seconds"];
/// What the name of a column for a start coordinate begins with.
const START: &str = "q.";

/// The meaning of each column.
///
/// | name | meaning |
/// |---|---|
/// | `x`, `y`, `z` | target position of the first effector |
/// | `qx`, `qy`, `qz`, `qw` | its target orientation, as a quaternion |
/// | `roll`, `pitch`, `yaw` | the same as turns about the fixed x, y and z axes, in this order, radians (as in URDF) |
/// | `dx`, `dy`, `dz` | the direction of its axis: its `spin_axis`, or its z axis; it may turn about the axis |
/// | `look_x`, `look_y`, `look_z` | the point that this axis points at; it may turn about the axis |
/// | `NAME.x` or `NAME_x`, and so on | the same for a named effector |
/// | `q.NAME` | start coordinate of a hinge (radians) or a slide |
/// | `id` | copied to the answer |
/// | `path` | consecutive rows with the same text are a path |
/// | `time`, `t`, `seconds` | ignored |
///
/// Other columns are carried to the answers. Columns without names are x, y, z of each effector in turn, or x, y, z, qx,
/// qy, qz, qw of each.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetColumns {
    pub(super) separator: Separator,
    pub(super) columns: Vec<(String, Column)>,
    pub(super) goals: Vec<GoalColumns>,
    is_named: bool,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Column {
    Id,
    Path,
    /// Ignored: rows are used in file order.
    Time,
    Target {
        effector: usize,
        component: usize,
    },
    /// Start coordinate of a joint.
    Start {
        joint: usize,
    },
    /// Copied to the answer.
    Carried,
}

impl Column {
    /// Whether its cells are numbers.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Column::Target { .. } | Column::Start { .. })
    }
}

/// The columns of the target of one effector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GoalColumns {
    pub effector: usize,
    /// The column of each component, if there is one. Those that belong together are all there, or none.
    pub components: [Option<usize>; COMPONENTS.len()],
}

impl TargetColumns {
    /// Reads the first line of a table. Also returns whether it is a row of numbers; then the columns have no names.
    pub(crate) fn of_line(scene: &Scene, line: &str) -> Result<(Self, bool), String> {
        let separator = Separator::of(line);
        let cells = separator.split(line)?;
        if cells.len() > MAX_WIDTH {
            return Err(format!("the first line has more than {MAX_WIDTH} columns; keep those that are used"));
        }
        let is_number = |cell: &str| cell.trim().is_empty() || cell.trim().parse::<f64>().is_ok();
        if cells.iter().all(|cell| is_number(cell)) {
            return Ok((Self { separator, ..Self::by_position(scene, cells.len())? }, true));
        }
        let names = cells.iter().map(|cell| cell.trim().to_owned()).collect();
        Ok((Self { separator, ..Self::by_name(scene, names)? }, false))
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
            (name, Column::Target { effector, component })
        };
        Ok(Self::new(scene, (0..width).map(column).collect(), false))
    }

    fn by_name(scene: &Scene, names: Vec<String>) -> Result<Self, String> {
        let column = |name: String| Self::column(scene, &name).map(|column| (name, column));
        let columns = names.into_iter().map(column).collect::<Result<Vec<_>, String>>()?;
        let mut seen = HashSet::new();
        // Columns that are carried differ by their names, others by their meaning.
        let key = |(name, column): &'_ (String, Column)| (*column, (*column == Column::Carried).then(|| name.clone()));
        if let Some((name, _)) = columns.iter().find(|column| !seen.insert(key(column))) {
            return Err(format!("the column `{name}` appears twice"));
        }
        let is_carried = |(_, column): &(String, Column)| *column == Column::Carried;
        if columns.iter().any(is_carried) && !columns.iter().any(|(_, column)| column.is_number()) {
            let found: Vec<&str> = columns.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
            let (found, more) = (found.join(", "), if columns.len() > NAMED { ", .." } else { "" });
            let has_values = coordinate_names(scene).any(|value| columns.iter().any(|(name, _)| *name == value));
            let advice = if has_values { "; `convert --motion` and `view --motion` read joint values" } else { "" };
            return Err(format!("no target columns: expected x, y, z (or NAME.x, ..); found {found}{more}{advice}"));
        }
        let table = Self::new(scene, columns, true);
        table.check_groups(scene)?;
        Ok(table)
    }

    fn new(scene: &Scene, columns: Vec<(String, Column)>, is_named: bool) -> Self {
        let places: HashMap<Column, usize> =
            columns.iter().enumerate().map(|(at, (_, column))| (*column, at)).collect();
        let find = |effector, component| places.get(&Column::Target { effector, component }).copied();
        let goal = |effector| GoalColumns { effector, components: std::array::from_fn(|at| find(effector, at)) };
        let has_any = |goal: &GoalColumns| goal.components.iter().any(Option::is_some);
        let goals = (0..scene.effectors.len()).map(goal).filter(has_any).collect();
        TargetColumns { separator: Separator::Blanks, columns, goals, is_named, lines_before: None }
    }

    /// Checks that the components of each target are complete, and that it has one orientation.
    fn check_groups(&self, scene: &Scene) -> Result<(), String> {
        for goal in &self.goals {
            let name = &scene.effectors[goal.effector].name;
            let mut rotations = 0;
            for (part, what) in GROUPS {
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

    fn column(scene: &Scene, name: &str) -> Result<Column, String> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        match () {
            () if is("id") => return Ok(Column::Id),
            () if is("path") => return Ok(Column::Path),
            () if TIMES.iter().any(|known| is(known)) => return Ok(Column::Time),
            () => {}
        }
        let component = |text: &str| COMPONENTS.iter().position(|known| known.eq_ignore_ascii_case(text));
        if let Some(component) = component(name).filter(|_| !scene.effectors.is_empty()) {
            return Ok(Column::Target { effector: 0, component });
        }
        let is_start = |text: &str| text.eq_ignore_ascii_case(START);
        let bare = ["_deg", "_degrees"].iter().find_map(|unit| name.strip_suffix(unit));
        if bare.and_then(component).is_some_and(|component| GROUPS[2].0.contains(&component)) {
            return Err(format!("the column `{name}`: angles are in radians, in columns roll, pitch and yaw"));
        }
        let separators = name.match_indices(['.', '_']).map(|(at, _)| at);
        let mut owned = separators.filter_map(|at| Some((&name[..at], component(&name[at + 1..])?))).peekable();
        let is_owned = owned.peek().is_some();
        let find = |owner: &str| scene.effectors.iter().position(|effector| effector.name == owner);
        if let Some((effector, component)) = owned.find_map(|(owner, component)| Some((find(owner)?, component))) {
            return Ok(Column::Target { effector, component });
        }
        if is_owned && !name.get(..START.len()).is_some_and(is_start) {
            let separators = name.match_indices(['.', '_']).map(|(at, _)| &name[..at]);
            let place = separators.rev().find(|owner| scene.find_place(owner).is_some());
            return Err(match place {
                Some(place) => {
                    format!("the column `{name}`: `{place}` is no effector; --effector {place} makes it one")
                }
                None => unknown(scene, name),
            });
        }
        match name.split_at_checked(START.len()).filter(|(start, _)| is_start(start)).map(|(_, joint)| joint) {
            Some(joint) => Self::start_column(scene, name, joint),
            None if nearest(name, known(scene).iter().map(String::as_str)).is_some() => Err(unknown(scene, name)),
            None => Ok(Column::Carried),
        }
    }

    fn start_column(scene: &Scene, name: &str, joint: &str) -> Result<Column, String> {
        let joint = scene.find_joint(joint).ok_or_else(|| {
            let hint = scene.joint_hint(joint).map_or(String::new(), |hint| format!("; {hint}"));
            format!("the column `{name}`: there is no joint `{joint}`{hint}")
        })?;
        let is_scalar = matches!(scene.skeleton.kind(joint), Kind::Hinge { .. } | Kind::Slide { .. });
        match (is_scalar, scene.skeleton.joints()[joint].mimic) {
            (true, None) => Ok(Column::Start { joint }),
            (true, Some(_)) => Err(format!("the column `{name}`: this joint follows another one; give that one")),
            (false, _) => Err(format!("the column `{name}`: only hinges and slides have start columns")),
        }
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
        self.columns.iter().filter(|(_, column)| *column == Column::Carried).map(|(name, _)| name.as_str())
    }

    /// Whether there is an `id` column.
    pub fn has_ids(&self) -> bool {
        self.columns.iter().any(|(_, column)| *column == Column::Id)
    }

    /// Whether there is a `time` column.
    pub fn has_times(&self) -> bool {
        self.columns.iter().any(|(_, column)| *column == Column::Time)
    }

    /// Whether there are columns for start coordinates.
    pub fn has_starts(&self) -> bool {
        self.columns.iter().any(|(_, column)| matches!(column, Column::Start { .. }))
    }

    /// Whether there is a `path` column.
    pub fn has_paths(&self) -> bool {
        self.columns.iter().any(|(_, column)| *column == Column::Path)
    }

    /// What may not be as meant: columns that are copied although a joint has their name; the order of columns without names.
    pub fn note(&self, scene: &Scene) -> Option<String> {
        let mut joints = self.carried().filter(|name| scene.find_joint(name).is_some());
        if let Some(name) = joints.next() {
            return Some(format!(
                "the column `{name}` is copied to the answers; `{START}{name}` is where the joint starts"
            ));
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

/// Names that a column may have.
fn known(scene: &Scene) -> Vec<String> {
    let effectors = scene.effectors.iter().take(4).map(|effector| format!("{}.x", effector.name));
    COMPONENTS.into_iter().map(str::to_owned).chain(effectors).collect()
}

/// The message for a column whose name is not known.
fn unknown(scene: &Scene, name: &str) -> String {
    let known = known(scene);
    let hint = did_you_mean(name, ["id"].into_iter().chain(known.iter().map(String::as_str)));
    format!("the column `{name}` is not known{}", hint.map_or(String::new(), |hint| format!("; {hint}")))
}
