//! The result of a solve as text.

use super::context::Context;
use fabrik3d_ik::arms::Coverage;
use fabrik3d_ik::queries::at_limits;
use fabrik3d_ik::{Kind, Problem, Stop};
use fabrik3d_scene::VERY_FAR;
use fabrik3d_scene::{JointValue, Meaning, Outcome, Scene, Unit, fixed, meaning, printable};
use glam::DVec3;
use std::io::{self, Write};

/// Prints the outcome: a summary line and a line per effector; with `-v` also the joint positions.
pub(super) fn print(
    out: &mut dyn Write,
    scene: &Scene,
    problem: &Problem,
    outcome: &Outcome,
    context: &Context,
) -> io::Result<()> {
    let report = &outcome.report;
    let sentence = match report.stop {
        Stop::TooFar if report.error > VERY_FAR => {
            sentence(report.stop) + ": is it in another unit, such as millimetres?"
        }
        stop => sentence(stop),
    };
    let painted = if report.stop.is_reached() { context.out.good(&sentence) } else { context.out.bad(&sentence) };
    let iterations = if report.iterations == 1 { "iteration" } else { "iterations" };
    write!(out, "{}: {painted} (", printable(&scene.name))?;
    // A closed form and the search for the nearest pose iterate otherwise.
    if report.iterations > 0 {
        write!(out, "{} {iterations}, ", report.iterations)?;
    }
    if report.attempts > 1 {
        write!(out, "{} attempts, ", report.attempts)?;
    }
    writeln!(out, "{:.1} µs)", outcome.micros)?;
    let width = name_width(scene);
    let heading =
        format!("{:width$}  {:>28}  {:>28}  {:>10}  {:>10}", "effector", "target", "position", "distance", "angle");
    writeln!(out, "{}", context.out.strong(&heading))?;
    for ((effector, goal), end) in scene.effectors.iter().zip(&problem.goals).zip(&outcome.effectors) {
        let looks = || goal.target.look_at().map(|place| format!("at {}", point(place)));
        let target = goal.target.position.map(point).or_else(looks).unwrap_or("any".to_owned());
        let distance = end.distance.map_or("-".to_owned(), short);
        let angle = end.angle.map_or("-".to_owned(), |angle| format!("{} deg", fixed(angle.to_degrees(), 3)));
        let position = point(end.position);
        // What is preferred is never missed, whatever its distance.
        let rank = if end.preferred { "  preferred" } else { "" };
        writeln!(
            out,
            "{:width$}  {target:>28}  {position:>28}  {distance:>10}  {angle:>10}{rank}",
            printable(&effector.name)
        )?;
    }
    let unit = if scene.length_unit().is_some() { "metres" } else { "scene units" };
    writeln!(out, "all lengths: in {unit}")?;
    details(out, scene, outcome, width, context)
}

/// Prints the effector frames of given joint values; with `-v` also the joint positions.
pub(super) fn print_forward(
    out: &mut dyn Write,
    scene: &Scene,
    outcome: &Outcome,
    context: &Context,
) -> io::Result<()> {
    writeln!(out, "{}: forward kinematics, nothing is solved", printable(&scene.name))?;
    let width = name_width(scene);
    let heading = format!("{:width$}  {:>28}  {:>36}", "effector", "position", "orientation (x y z w)");
    writeln!(out, "{}", context.out.strong(&heading))?;
    for (effector, end) in scene.effectors.iter().zip(&outcome.effectors) {
        let [x, y, z, w] = end.rotation.to_array();
        let rotation = [x, y, z, w].map(|part| fixed(part, 5)).join(" ");
        writeln!(out, "{:width$}  {:>28}  {rotation:>36}", printable(&effector.name), point(end.position))?;
    }
    details(out, scene, outcome, width, context)
}

/// Prints poses that all reach the target: a column per joint that can be set, a row per pose, in degrees.
pub(super) fn print_branches(
    out: &mut dyn Write,
    scene: &Scene,
    outcomes: &[Outcome],
    context: &Context,
) -> io::Result<()> {
    let count = outcomes.len();
    writeln!(out, "{}: {count} {}", printable(&scene.name), if count == 1 { "pose" } else { "poses" })?;
    writeln!(out, "{}", context.out.strong(&format!("{:>3}{}", "", joint_names(scene))))?;
    for (at, outcome) in outcomes.iter().enumerate() {
        writeln!(out, "{:>3}{}", at + 1, joint_cells(scene, outcome))?;
    }
    for (at, outcome) in outcomes.iter().enumerate().filter(|(_, outcome)| !outcome.free_joints.is_empty()) {
        let name = |&joint: &usize| printable(&scene.skeleton.joints()[joint].name).to_string();
        let names: Vec<String> = outcome.free_joints.iter().map(name).collect();
        writeln!(out, "{:>3}  singular: {} turn freely against each other", at + 1, names.join(", "))?;
    }
    Ok(())
}

/// What the poses of a list are of all poses that reach the target; nothing if they are all.
pub(super) fn coverage(scene: &Scene, coverage: Coverage) -> Option<String> {
    match coverage {
        Coverage::All => None,
        Coverage::Some(None) => Some("there are infinitely many poses; these are some of them".to_owned()),
        Coverage::Some(Some(joint)) => {
            let name = printable(&scene.skeleton.joints()[joint].name);
            Some(format!(
                "there are infinitely many poses; these are some of them, for evenly spread values of `{name}`"
            ))
        }
        _ => Some("these poses come from a search, and there may be others".to_owned()),
    }
}

/// The heading of a table of answers to targets.
pub(super) fn answers_heading(scene: &Scene) -> String {
    format!("{:>8}  {:>11}  {:>12}{}", "row", "", "distance", joint_names(scene))
}

/// A row of the table of answers to targets.
pub(super) fn answer_line(scene: &Scene, id: &str, outcome: &Outcome) -> String {
    let reached = match outcome.report.stop {
        stop @ (Stop::Reached | Stop::TooFar | Stop::TooClose) => stop.word().replace('_', " "),
        _ => "not reached".to_owned(),
    };
    let unit = scene.length_unit().map_or(String::new(), |unit| format!(" {unit}"));
    let distance = outcome.distance().map_or("-".to_owned(), |distance| short(distance) + &unit);
    format!("{:>8}  {reached:>11}  {distance:>12}{}", printable(id), joint_cells(scene, outcome))
}

/// A joint this close to its limit is at it, radians or lengths; a balance is kept as exactly, in parts of the reach.
const AT_LIMIT: f64 = 1e-5;

/// Width of a value of a joint: -179.999°.
const VALUE_WIDTH: usize = 9;

/// The joints that can be set, each with the heading of its column. Headings lack the words that all names begin or end with.
fn joint_headings(scene: &Scene) -> Vec<(usize, String)> {
    let name = |joint: usize| (joint, printable(&scene.skeleton.joints()[joint].name));
    let names: Vec<(usize, String)> = scene.settable_joints().map(name).collect();
    let mut short: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    strip_words(&mut short, |name| name.split_once('_'));
    strip_words(&mut short, |name| name.rsplit_once('_').map(|(rest, last)| (last, rest)));
    let heading = |(joint, name): (usize, &str)| {
        let width = scene.joint_values(joint, &scene.start).len() * (VALUE_WIDTH + 1) - 1;
        (joint, format!("{name:>width$}"))
    };
    names.iter().map(|(joint, _)| *joint).zip(short).map(heading).collect()
}

/// Removes words that all names share; `split` gives a word and the rest.
fn strip_words<'a>(names: &mut [&'a str], split: fn(&'a str) -> Option<(&'a str, &'a str)>) {
    while names.len() > 1
        && let Some((word, _)) = split(names[0])
        && names.iter().all(|name| split(name).is_some_and(|(own, _)| own == word))
    {
        names.iter_mut().for_each(|name| *name = split(name).map_or(*name, |(_, rest)| rest));
    }
}

fn joint_names(scene: &Scene) -> String {
    joint_headings(scene).iter().map(|(_, heading)| format!("  {heading}")).collect()
}

/// The values of the joints that can be set, in degrees and lengths.
fn joint_cells(scene: &Scene, outcome: &Outcome) -> String {
    let text = |value: &JointValue| match value.unit {
        Unit::Degrees => format!("{}°", fixed(value.value, 3)),
        Unit::Length => fixed(value.value, 5),
    };
    let cell = |(joint, heading): &(usize, String)| {
        let values: Vec<String> = scene.joint_values(*joint, &outcome.pose).iter().map(text).collect();
        format!("  {:>width$}", values.join(" "), width = heading.chars().count())
    };
    joint_headings(scene).iter().map(cell).collect()
}

fn name_width(scene: &Scene) -> usize {
    let names = scene.effectors.iter().map(|effector| effector.name.chars().count());
    let width = names.chain(scene.skeleton.joints().iter().map(|joint| joint.name.chars().count())).max().unwrap_or(0);
    width.clamp(8, 32)
}

/// Prints the smallest distance between links that keep clear, or from an obstacle, whether the balance is kept, the values of hinges, slides and floating
/// bases by name, and the joint positions with `-v`.
fn details(out: &mut dyn Write, scene: &Scene, outcome: &Outcome, width: usize, context: &Context) -> io::Result<()> {
    if let Some(clearance) = &outcome.clearance {
        let [first, second] = scene.near_parts(clearance);
        let [first, second] = [printable(&first), printable(&second)];
        let distance = clearance.distance;
        match distance < 0.0 {
            true => writeln!(out, "clearance: {distance:.5}: {first} and {second} overlap")?,
            false => {
                let is_near = distance < scene.margin();
                let margin =
                    if is_near { format!(", the margin is {}", fixed(scene.margin(), 5)) } else { String::new() };
                writeln!(out, "clearance: {distance:.5} between {first} and {second}{margin}")?;
            }
        }
    }
    if let Some(imbalance) = outcome.imbalance {
        match imbalance > AT_LIMIT * scene.skeleton.extent() {
            true => {
                writeln!(out, "balance: the center of mass is {} beside what the body stands on", short(imbalance))?
            }
            false => writeln!(out, "balance: kept")?,
        }
    }
    let limited = at_limits(&scene.skeleton, &outcome.pose, AT_LIMIT);
    let is_listed = |at: &usize| !matches!(scene.skeleton.joints()[*at].kind, Kind::Ball { .. } | Kind::Fixed);
    let listed: Vec<usize> = scene.joints_in_file_order().filter(is_listed).collect();
    if !listed.is_empty() {
        writeln!(out, "{}", context.out.strong(&format!("{:width$}  {:>16}", "joint", "coordinate")))?;
    }
    for at in listed {
        let (name, values) = (&scene.skeleton.joints()[at].name, scene.joint_values(at, &outcome.pose));
        for JointValue { name: part, value, unit, .. } in &values {
            let name = if values.len() == 1 { name.clone() } else { format!("{name} {part}") };
            let name = printable(&name);
            let limit = match limited.iter().any(|limited| limited.joint == at) {
                _ if outcome.blocked_by.contains(&at) => "  at its limit, which keeps the effector from its target",
                true => "  at its limit",
                false => "",
            };
            match unit {
                Unit::Length => writeln!(out, "{name:width$}  {:>16}{limit}", fixed(*value, 5))?,
                Unit::Degrees => {
                    let (degrees, radians) = (fixed(*value, 3), fixed(value.to_radians(), 6));
                    writeln!(out, "{name:width$}  {degrees:>12} deg  {radians:>12} rad{limit}")?;
                }
            }
        }
    }
    if context.verbose > 0 {
        writeln!(out, "{}", context.out.strong(&format!("{:width$}  {:>28}", "joint", "position")))?;
        for (joint, &position) in scene.skeleton.joints().iter().zip(&outcome.joints) {
            writeln!(out, "{:width$}  {:>28}", printable(&joint.name), point(position))?;
        }
    }
    Ok(())
}

fn point(point: DVec3) -> String {
    point.to_array().map(|part| fixed(part, 4)).join(" ")
}

/// A distance: with decimals, or, if it is tiny, with its power of ten.
fn short(distance: f64) -> String {
    if distance == 0.0 || distance >= 1e-3 { fixed(distance, 4) } else { format!("{distance:.1e}") }
}

/// What the end of a solve means: `not reached, the target is closer than the links can fold`.
pub(super) fn sentence(stop: Stop) -> String {
    let Meaning { what, why, .. } = meaning(stop);
    if stop.is_reached() { what.to_owned() } else { format!("not reached, {why}") }
}
