//! Reads CSV tables of poses over time: motion as `convert` writes it, and answers of `solve`.

use super::csv::coordinate_parts;
use super::table::{FileFormat, Reader, Rows};
use super::targets::cells::Separator;
use super::targets::headings::{Quantity, unit_size, without_unit};
use crate::Scene;
use crate::blocks::LineBlocks;
use crate::files::Files;
use crate::joint_values::fixed;
use crate::motion::MAX_FRAMES;
use crate::motion::Motion;
use crate::printable::{short, shown_number};
use fabrik3d_ik::{Coordinates, Joint, Kind, Pose};
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// Rows per second of a table without times.
const RATE: f64 = 30.0;
/// A table without times that has no more rows is a list of poses to look at: it has one row per second.
const LIST: usize = 20;
/// Largest difference of a time step from the mean, as a fraction of the mean.
const UNEVEN: f64 = 0.01;

/// Largest difference of a value from the limit of its joint that is rounding, radians or lengths.
const ROUNDING: f64 = 1e-6;

/// A table of poses.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTable {
    /// The poses, inside the limits of the joints.
    pub motion: Motion,
    /// A sentence about values beyond these limits, which are at the limit in the motion; none if there are none.
    pub beyond_limits: Option<String>,
}

/// Reads a table that has a column for every coordinate that can be set, such as `JOINT.angle`, and may have a column
/// `time` in seconds. Other columns are ignored. `None`: the first line names no such columns, or the file is no
/// text, so that this is another table.
///
/// # Errors
/// The file cannot be read, a column is missing, a cell is no number, or the rows are not evenly spaced. The message does not
/// name the file.
pub fn read_pose_table(path: &Path, scene: &Scene) -> Result<Option<PoseTable>, String> {
    read_pose_table_of(path, &Files::System, scene)
}

/// As [`read_pose_table`], from these files.
///
/// # Errors
/// As there.
pub fn read_pose_table_of(path: &Path, files: &Files, scene: &Scene) -> Result<Option<PoseTable>, String> {
    // Other formats name no columns.
    if FileFormat::of_file(path, files).is_some_and(|format| !matches!(format.read, Reader::Targets(Rows::Lines))) {
        return Ok(None);
    }
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let mut lines = LineBlocks::new(files.open(path).map_err(unreadable)?).lines();
    let Some(first) = lines.next() else { return Ok(None) };
    let Ok(header) = first.map_err(unreadable)?.1 else { return Ok(None) };
    let separator = Separator::of(&header);
    let Ok(names) = separator.split(&header) else { return Ok(None) };
    let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
    let joints = scene.settable_joints().map(|joint| coordinate_columns(scene, &names, joint));
    let joints: Option<Vec<JointColumns>> = joints.collect::<Result<_, String>>()?;
    let Some(joints) = joints.filter(|joints| !joints.is_empty()) else {
        return missing_column(&names, scene).map_or(Ok(None), Err);
    };
    let time = names.iter().position(|name| name == "time" || without_unit(name) == Some(("time", "s")));
    let (mut poses, mut times): (Vec<Pose>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut beyond = BeyondLimits::default();
    for line in lines {
        let (line_number, line) = line.map_err(unreadable)?;
        let in_line = |error: String| format!("line {line_number}: {error}");
        let line = line.map_err(in_line)?;
        let cells = separator.split(&line).map_err(in_line)?;
        let number = |at: usize| {
            let cell = cells.get(at).map_or("", |cell| cell.trim());
            let value = separator.number(cell).parse().ok().filter(|value: &f64| value.is_finite());
            let wrong = || format!("column `{}`: expected a finite number, found {:?}", names[at], short(cell));
            value.ok_or_else(|| in_line(wrong()))
        };
        if poses.len() == MAX_FRAMES {
            return Err(format!("there are more than {MAX_FRAMES} rows"));
        }
        let mut given = scene.start.clone();
        for (joint, places) in &joints {
            let value = |&(at, size): &(usize, f64)| number(at).map(|value| value * size);
            let values = places.iter().map(value).collect::<Result<Vec<f64>, String>>()?;
            given[*joint] = Coordinates::from_values(scene.skeleton.kind(*joint), &values).unwrap_or(given[*joint]);
        }
        let mut pose = given.clone();
        scene.skeleton.project(&mut pose);
        beyond.note(scene, line_number, [&given, &pose]);
        poses.push(pose);
        times.extend(time.map(number).transpose()?);
    }
    if poses.is_empty() {
        return Err("the table has no rows".to_owned());
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let step = frame_time(&times, poses.len())?;
    Ok(Some(PoseTable { motion: Motion::new(name, step, poses), beyond_limits: beyond.sentence() }))
}

/// A joint, and for each of its coordinates the column and the size of its unit.
type JointColumns = (usize, Vec<(usize, f64)>);

/// The columns of a joint; none if one is missing.
fn coordinate_columns(scene: &Scene, names: &[String], joint: usize) -> Result<Option<JointColumns>, String> {
    let Joint { name, kind, .. } = &scene.skeleton.joints()[joint];
    let column = |part: &&str| {
        let wanted = format!("{name}.{part}");
        if let Some(at) = names.iter().position(|own| *own == wanted) {
            return Ok(Some((at, 1.0)));
        }
        let split = |own: &String| without_unit(own).is_some_and(|(stem, _)| stem == wanted);
        let Some(at) = names.iter().position(split) else { return Ok(None) };
        let unit = without_unit(&names[at]).map_or("", |(_, unit)| unit);
        let size = unit_size(scene, Quantity::of(kind), unit);
        size.map(|size| Some((at, size))).map_err(|error| format!("the column `{}`: {error}", names[at]))
    };
    let columns: Option<Vec<_>> = coordinate_parts(kind).iter().map(column).collect::<Result<_, String>>()?;
    Ok(columns.map(|columns| (joint, columns)))
}

/// The values of a table that are beyond the limits of their joints.
#[derive(Default)]
struct BeyondLimits {
    count: usize,
    /// Where the first one is.
    first: String,
}

impl BeyondLimits {
    /// Takes the hinges and slides of a line whose given values differ from those that the limits allow.
    fn note(&mut self, scene: &Scene, line: u64, [given, allowed]: [&Pose; 2]) {
        for joint in scene.settable_joints() {
            let [value, limit] = [given, allowed].map(|pose| pose[joint].value());
            let apart = match scene.skeleton.kind(joint) {
                Kind::Hinge { .. } => (value - limit + PI).rem_euclid(TAU) - PI,
                Kind::Slide { .. } => value - limit,
                Kind::Ball { .. } | Kind::Fixed | Kind::Free => continue,
            };
            if apart.abs() > ROUNDING {
                if self.count == 0 {
                    let (name, value, limit) =
                        (&scene.skeleton.joints()[joint].name, shown_number(value), fixed(limit, 4));
                    self.first = format!("in line {line}, {name} is {value} and its limit {limit}");
                }
                self.count += 1;
            }
        }
    }

    fn sentence(self) -> Option<String> {
        let (values, them) = match self.count {
            0 => return None,
            1 => ("One value is".to_owned(), "It is"),
            count => (format!("{count} values are"), "They are"),
        };
        let first = self.first;
        Some(format!(
            "{values} beyond the limits of the joints: {first}. {them} put at the limit. Angles in tables are radians."
        ))
    }
}

/// What is missing in the first line of a table that gives the values of some hinges or slides, but not of all joints.
fn missing_column(names: &[String], scene: &Scene) -> Option<String> {
    let is_given = |name: &String| names.contains(name);
    let of_joint = |joint: usize| {
        let described = &scene.skeleton.joints()[joint];
        coordinate_parts(&described.kind).iter().map(|part| format!("{}.{part}", described.name))
    };
    let is_simple = |&joint: &usize| matches!(scene.skeleton.kind(joint), Kind::Hinge { .. } | Kind::Slide { .. });
    scene.settable_joints().filter(is_simple).flat_map(of_joint).find(is_given)?;
    let missing = scene.settable_joints().flat_map(of_joint).find(|name| !is_given(name))?;
    Some(format!("a table of joint values needs a column for every joint: `{missing}` is missing"))
}

/// Seconds between the rows of a table of this many rows without times.
pub fn row_time(rows: usize) -> f64 {
    if rows <= LIST { 1.0 } else { 1.0 / RATE }
}

/// The time between two rows, seconds.
fn frame_time(times: &[f64], rows: usize) -> Result<f64, String> {
    let [first, .., last] = times else { return Ok(row_time(rows)) };
    let step = (last - first) / (times.len() - 1) as f64;
    let is_even = times.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() <= UNEVEN * step);
    match step > 0.0 && is_even {
        true => Ok(step),
        false => Err("the times of the rows are not evenly spaced\n  sample the motion at a fixed rate".to_owned()),
    }
}
