//! Outcomes and motion as CSV: a header, then one row per case or frame. Angles are radians.

use crate::Scene;
use crate::motion::Motion;
use crate::outcome::Outcome;
use fabrik3d_ik::{Kind, Pose};
use std::fmt::Write;
use std::io;

/// The header of a table of outcomes.
pub fn csv_header(scene: &Scene) -> String {
    let mut out = String::from("id,stop,reached,error,iterations,attempts,micros");
    for effector in &scene.effectors {
        for part in ["x", "y", "z", "error", "angle", "distance"] {
            push_text(&mut out, &format!("{}.{part}", effector.name));
        }
    }
    coordinate_names(scene).for_each(|name| push_text(&mut out, &name));
    out.push_str(",message");
    out
}

/// A row of a table of outcomes. `id` is JSON; a string loses its quotes.
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
        push_number(&mut out, effector.distance);
    }
    push_pose(&mut out, scene, &outcome.pose);
    out.push(',');
    out
}

/// The row of a case that cannot be read.
pub fn csv_error(scene: &Scene, id: &str, message: &str) -> String {
    let cells = 5 + 6 * scene.effectors.len();
    let cells = cells + scene.skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum::<usize>();
    format!("{},error{},{}", quoted(&plain(id)), ",".repeat(cells), quoted(message))
}

/// Writes a table of poses over time: a header, then for each frame its time and the coordinates of all joints.
pub(crate) fn write_motion(scene: &Scene, motion: &Motion, out: &mut dyn io::Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let mut header = String::from("time");
    coordinate_names(scene).for_each(|name| push_text(&mut header, &name));
    writeln!(out, "{header}")?;
    for frame in 0..motion.len() {
        // Times are multiples of the frame time; rounding removes the noise of the multiplication.
        let seconds = (frame as f64 * motion.frame_time * 1e9).round() / 1e9;
        let mut row = seconds.to_string();
        push_pose(&mut row, scene, &motion.pose(skeleton, frame));
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// Names of all coordinates of a pose in the order of the file, such as `JOINT.angle`.
fn coordinate_names(scene: &Scene) -> impl Iterator<Item = String> {
    let of = |at: usize| {
        let joint = &scene.skeleton.joints()[at];
        parts(&joint.kind).iter().map(|part| format!("{}.{part}", joint.name))
    };
    scene.joints_in_file_order().flat_map(of)
}

fn push_pose(out: &mut String, scene: &Scene, pose: &Pose) {
    scene.pose_numbers(pose).for_each(|value| push_number(out, Some(value)));
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
fn parts(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Ball { swing: None, twist: None } => &["x", "y", "z", "w"],
        Kind::Ball { .. } => &["a", "b", "twist"],
        Kind::Hinge { .. } => &["angle"],
        Kind::Slide { .. } => &["distance"],
        Kind::Fixed => &[],
        Kind::Free => &["px", "py", "pz", "x", "y", "z", "w"],
    }
}

/// JSON as a cell: a string without its quotes, other values unchanged.
fn plain(json: &str) -> String {
    if json == "null" { String::new() } else { serde_json::from_str(json).unwrap_or_else(|_| json.to_owned()) }
}

/// A cell, quoted if necessary.
fn quoted(text: &str) -> String {
    let needed = text.contains([',', '"', '\n', '\r']);
    if needed { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
