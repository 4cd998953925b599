//! The row of an answer in tables: the names of its cells, and their values. Angles are radians.

use crate::Scene;
use crate::cell::Cell;
use crate::outcome::Outcome;
use crate::printable::printable;
use fabrik3d_ik::Kind;
use std::borrow::Cow;

/// The cells of a row before those of the effectors.
const FIRST: [&str; 7] = ["id", "stop", "reached", "error", "iterations", "attempts", "micros"];
/// The cells of each effector.
const EFFECTOR: [&str; 6] = ["x", "y", "z", "error", "angle", "distance"];

/// Whether rows have a cell for the smallest distance between links, and of links from obstacles.
fn has_clearance(scene: &Scene) -> bool {
    scene.keep_clear.is_some()
}

/// The names of all cells. `carried` columns follow at the end; a name that occurs already gets the prefix `in.`.
pub(crate) fn answer_names<'a>(scene: &Scene, carried: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names = FIRST.map(str::to_owned).to_vec();
    for effector in &scene.effectors {
        names.extend(EFFECTOR.map(|part| format!("{}.{part}", effector.name)));
    }
    names.extend(coordinate_names(scene));
    if has_clearance(scene) {
        names.push("clearance".to_owned());
    }
    names.push("message".to_owned());
    for name in carried {
        let is_taken = names.iter().any(|other| other == name);
        names.push(if is_taken { format!("in.{name}") } else { name.to_owned() });
    }
    names
}

/// Calls `push` with each cell of the answer to a solved row.
pub(crate) fn outcome_cells<'a>(
    scene: &Scene,
    id: Cell<'a>,
    outcome: &Outcome,
    carried: &'a [Cell<'a>],
    mut push: impl FnMut(Cell<'a>),
) {
    let report = &outcome.report;
    push(id);
    push(Cell::Text(Cow::Borrowed(report.stop.word())));
    push(Cell::Flag(report.stop.is_reached()));
    push(Cell::of_number(report.error));
    push(Cell::Integer(i64::from(report.iterations)));
    push(Cell::Integer(i64::from(report.attempts)));
    // Clocks are not more precise.
    push(Cell::of_number((outcome.micros * 1e3).round() / 1e3));
    for effector in &outcome.effectors {
        effector.position.to_array().into_iter().for_each(|value| push(Cell::of_number(value)));
        [effector.error, effector.angle, effector.distance].into_iter().for_each(|value| push(Cell::of_number(value)));
    }
    scene.pose_numbers(&outcome.pose).for_each(|value| push(Cell::of_number(value)));
    if has_clearance(scene) {
        push(Cell::of_number(outcome.clearance.map(|clearance| clearance.distance)));
    }
    push(Cell::Empty);
    carried.iter().for_each(|cell| push(cell.borrowed()));
}

/// Calls `push` with each cell of the answer to a row that is not solved.
pub(crate) fn error_cells<'a>(
    scene: &Scene,
    id: Cell<'a>,
    message: &'a str,
    carried: &'a [Cell<'a>],
    mut push: impl FnMut(Cell<'a>),
) {
    let coordinates = scene.skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum::<usize>();
    let empty =
        FIRST.len() - 2 + EFFECTOR.len() * scene.effectors.len() + coordinates + usize::from(has_clearance(scene));
    push(id);
    push(Cell::Text(Cow::Borrowed("error")));
    (0..empty).for_each(|_| push(Cell::Empty));
    // The message may quote a line of the input.
    push(Cell::Text(printable(message)));
    carried.iter().for_each(|cell| push(cell.borrowed()));
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
