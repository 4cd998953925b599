//! Outcomes and motion as CSV: a header, then one row per case or frame. Angles are radians.

use crate::Scene;
use crate::motion::Motion;
use crate::outcome::Outcome;
use fabrik3d_ik::{Kind, Pose};
use std::borrow::Cow;
use std::fmt::Write;
use std::io;

/// The header of a table of outcomes, without the line end. Cells of `carried` columns follow at the end; a name that
/// occurs already gets the prefix `in.`.
pub fn csv_header<'a>(scene: &Scene, carried: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> =
        ["id", "stop", "reached", "error", "iterations", "attempts", "micros"].map(str::to_owned).to_vec();
    for effector in &scene.effectors {
        let part = |part| format!("{}.{part}", effector.name);
        names.extend(["x", "y", "z", "error", "angle", "distance"].map(part));
    }
    names.extend(coordinate_names(scene));
    names.push("message".to_owned());
    for name in carried {
        let is_taken = names.iter().any(|other| other == name);
        names.push(if is_taken { format!("in.{name}") } else { name.to_owned() });
    }
    let cells: Vec<String> = names.iter().map(|name| quoted(name).into_owned()).collect();
    cells.join(",")
}

/// Appends a row of a table of outcomes, without the line end. `id` is JSON; a string loses its quotes.
pub fn push_csv_row(out: &mut String, scene: &Scene, id: &str, outcome: &Outcome, carried: &[String]) {
    let report = &outcome.report;
    out.push_str(&quoted(&plain(id)));
    let (word, reached, attempts) = (report.stop.word(), report.stop.is_reached(), report.attempts);
    // Writing to a String cannot fail.
    let _ = write!(out, ",{word},{reached}");
    push_number(out, Some(report.error));
    let _ = write!(out, ",{},{attempts},{:.3}", report.iterations, outcome.micros);
    for effector in &outcome.effectors {
        effector.position.to_array().into_iter().for_each(|value| push_number(out, Some(value)));
        push_number(out, effector.error);
        push_number(out, effector.angle);
        push_number(out, effector.distance);
    }
    push_pose(out, scene, &outcome.pose);
    out.push(',');
    carried.iter().for_each(|cell| push_text(out, cell));
}

/// Appends the row of a case that cannot be read, without the line end.
pub fn push_csv_error(out: &mut String, scene: &Scene, id: &str, message: &str, carried: &[String]) {
    let cells = 5 + 6 * scene.effectors.len();
    let cells = cells + scene.skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum::<usize>();
    let _ = write!(out, "{},error{},{}", quoted(&plain(id)), ",".repeat(cells), quoted(message));
    carried.iter().for_each(|cell| push_text(out, cell));
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
pub fn coordinate_names(scene: &Scene) -> impl Iterator<Item = String> {
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
        out.push_str(zmij::Buffer::new().format_finite(value));
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
fn plain(json: &str) -> Cow<'_, str> {
    match json {
        "null" => Cow::Borrowed(""),
        text if text.starts_with('"') => serde_json::from_str(text).map_or(Cow::Borrowed(text), Cow::Owned),
        other => Cow::Borrowed(other),
    }
}

/// A cell, quoted if necessary.
fn quoted(text: &str) -> Cow<'_, str> {
    let needed = text.contains([',', '"', '\n', '\r']);
    if needed { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) } else { Cow::Borrowed(text) }
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
            let mut cell = String::new();
            push_number(&mut cell, Some(value));
            let text = cell.trim_start_matches(',');
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            assert!(text.len() <= 24, "{text}");
        }
        let mut cell = String::new();
        push_number(&mut cell, Some(f64::NAN));
        push_number(&mut cell, None);
        assert_eq!(cell, ",,");
    }
}
