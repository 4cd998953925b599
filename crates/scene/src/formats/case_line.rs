//! One line of `solve --cases`: a case as JSON.

use super::scene_file::goals::read_obstacle;
use crate::outcome::Case;
use crate::printable::short;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::Item;
use crate::syntax_tree::parse::parse_json;
use crate::target_spec::{Part, TargetSpec};
use crate::{RANKS, Scene, SceneError};
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::{Coordinates, Joint, Pose, Skeleton};
use serde_json::value::RawValue;

const CASE: &str = "id targets start obstacles link_radius";

/// Example for messages.
const EXAMPLE: &str = r#"for example {"id": 1, "targets": {"hand": {"position": [1, 2, 0.5]}}}"#;

impl Case {
    /// Reads a case from JSON: `{"id", "targets", "start", "obstacles", "link_radius"}`, all optional. Absent keys are
    /// as in the scene, a `null` target is no goal, and obstacles are added to those of the scene. If all effectors of the scene
    /// are free, a case needs a target, or `start` without `targets`.
    ///
    /// Also returns the text of `id`, or `null` if there is none.
    pub fn parse<'a>(scene: &Scene, line: &'a str) -> (&'a str, Result<Self, String>) {
        let first = line.len() - line.trim_start().len();
        if !line[first..].starts_with('{') {
            let found = short(line.trim());
            let fault = Fault::new(Some(first), format!("expected a case, a JSON object in one line, found `{found}`"));
            return ("null", Err(in_line(fault.hint(EXAMPLE), line)));
        }
        match parse_json(line) {
            Err(fault) => ("null", Err(in_line(fault, line))),
            Ok(document) => {
                let item = Item::root(&document);
                (id(&item, line), Self::read(scene, &item).map_err(|fault| in_line(fault, line)))
            }
        }
    }

    fn read(scene: &Scene, item: &Item<'_>) -> Read<Self> {
        let fields = item.table(CASE)?;
        let mut case = Case::open(scene);
        let mut asked = Vec::new();
        if let Some(targets) = fields.get("targets") {
            for (name, item) in targets.entries()? {
                let at = scene.effectors.iter().position(|effector| effector.name == name).ok_or_else(|| {
                    let known = scene.effectors.iter().map(|effector| effector.name.as_str());
                    let hint = did_you_mean(name, known);
                    item.fault(format!("there is no effector `{name}`")).hint_some(hint)
                })?;
                let spec = read_target(&item)?;
                spec.apply_to(&mut case.problem.goals[at]).map_err(|error| item.fault(error.to_string()))?;
                asked.push(at);
            }
        }
        scene.soles().complete(&mut case.problem, |at| asked.contains(&at));
        if let Some(start) = fields.get("start").filter(|item| !item.is_none()) {
            case.start = read_start(scene, &start)?;
        }
        for obstacle in fields.list("obstacles")? {
            case.problem.obstacles.push(read_obstacle(&obstacle)?);
        }
        case.problem.link_radius =
            fields.get_or("link_radius", case.problem.link_radius, |item| item.not_negative())?;
        // A start pose alone asks for forward kinematics.
        let is_forward = fields.get("targets").is_none() && fields.get("start").is_some();
        if !is_forward && case.lacks_targets(scene) {
            let message = "the case has no target, and neither has the scene";
            return Err(Fault::new(None, message).hint(EXAMPLE));
        }
        Ok(case)
    }
}

/// `{"position", "rotation", "look_at", "rank"}`, or only the position, or null.
fn read_target(item: &Item<'_>) -> Read<TargetSpec> {
    if item.is_none() {
        return Ok(TargetSpec {
            position: Part::Open,
            rotation: Part::Open,
            look_at: Part::Open,
            ..TargetSpec::default()
        });
    }
    if item.list().is_ok() {
        return Ok(TargetSpec { position: Part::Given(item.vector()?), ..TargetSpec::default() });
    }
    let fields = item.table("position rotation look_at rank")?;
    Ok(TargetSpec {
        position: fields.part("position", Item::vector)?,
        rotation: fields.part("rotation", Item::rotation)?,
        look_at: fields.part("look_at", Item::vector)?,
        rank: fields.get("rank").map(|item| item.word(RANKS)).transpose()?,
        ..TargetSpec::default()
    })
}

/// Text of the value of `id`.
fn id<'a>(case: &Item<'_>, line: &'a str) -> &'a str {
    let entries = case.entries().unwrap_or_default();
    let place = entries.iter().find(|(key, _)| *key == "id").and_then(|(_, item)| item.node.place);
    let value = place.and_then(|at| serde_json::Deserializer::from_str(&line[at..]).into_iter::<&RawValue>().next());
    value.and_then(Result::ok).map_or("null", RawValue::get)
}

/// A start pose, as a list or by the names of joints. It is clamped to the limits.
fn read_start(scene: &Scene, item: &Item<'_>) -> Read<Pose> {
    let Ok(entries) = item.entries() else { return read_pose(&scene.skeleton, item) };
    let mut pose = scene.start.clone();
    for (name, item) in entries {
        let joint = scene
            .find_joint(name)
            .ok_or_else(|| item.fault(format!("there is no joint `{name}`")).hint_some(scene.joint_hint(name)))?;
        let described = &scene.skeleton.joints()[joint];
        if let Some(mimic) = described.mimic {
            let leader = &scene.skeleton.joints()[mimic.joint].name;
            return Err(item.fault(format!("joint `{name}` follows `{leader}`: set that joint instead")));
        }
        let values = if item.list().is_ok() { read_numbers(&item)? } else { vec![item.number()?] };
        pose[joint] = read_coordinates(described, &values, &item)?;
    }
    scene.skeleton.project(&mut pose);
    Ok(pose)
}

fn read_numbers(item: &Item<'_>) -> Read<Vec<f64>> {
    item.list()?.iter().map(Item::number).collect()
}

fn read_coordinates(joint: &Joint, values: &[f64], item: &Item<'_>) -> Read<Coordinates> {
    Coordinates::from_values(&joint.kind, values).ok_or_else(|| {
        let count = joint.kind.coordinate_count();
        item.fault(format!("joint `{}` has {count} coordinates, found {}", joint.name, values.len()))
    })
}

/// A pose: one list of values per joint, in the skeleton's order. It is clamped to the limits.
fn read_pose(skeleton: &Skeleton, item: &Item<'_>) -> Read<Pose> {
    let items = item.list()?;
    if items.len() != skeleton.len() {
        return Err(item.fault(format!("expected {} lists, one per joint, found {}", skeleton.len(), items.len())));
    }
    let joint = |(item, joint): (&Item<'_>, &Joint)| read_coordinates(joint, &read_numbers(item)?, item);
    let mut pose = items.iter().zip(skeleton.joints()).map(joint).collect::<Read<Pose>>()?;
    skeleton.project(&mut pose);
    Ok(pose)
}

/// Reads obstacles from a JSON array, as in the `obstacles` of a case.
///
/// # Errors
/// Something is no obstacle; the message has the key and the remedy.
pub fn parse_obstacles(text: &str) -> Result<Vec<Obstacle>, String> {
    let read = |document| Item::root(&document).list()?.iter().map(read_obstacle).collect();
    let obstacles: Read<Vec<Obstacle>> = parse_json(text).and_then(read);
    obstacles.map_err(|fault| with_hint(&fault.in_text("", text)))
}

/// A fault in a one-line text, as one line.
fn in_line(fault: Fault, line: &str) -> String {
    let error = fault.in_text("", line);
    let place = error.position.map_or(String::new(), |position| format!("column {}: ", position.column));
    format!("{place}{}", with_hint(&error))
}

fn with_hint(error: &SceneError) -> String {
    let hint = error.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
    format!("{}{hint}", error.message)
}
