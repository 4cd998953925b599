//! The top level of a scene file.

use super::{goals, joints};
use crate::builder::ITERATIONS_PER_FRAME;
use crate::retarget::{NAMED_PARTS, NamedPart};
use crate::syntax_tree::Node;
use crate::syntax_tree::fault::{Fault, Read, did_you_mean};
use crate::syntax_tree::fields::{Fields, Item};
use crate::{Assets, CameraSpec, Scene, Smoothing, Up};
use fabrik3d_ik::Settings;
use fabrik3d_ik::settings::{Method, Prefer};
use std::num::NonZeroU32;
use std::sync::Arc;

const SCENE: &str = "name up unit link_radius keep_clear margin balance joint joint_order effector pole loop obstacle capsule \
    disable_collisions mass end_site names chain solver smoothing camera";
const SOLVER: &str = "method tolerance distance_tolerance rotation_tolerance max_iterations max_attempts \
    iterations_per_frame seed prefer";
pub(crate) const PREFER: &[(&str, Prefer)] = &[("first", Prefer::First), ("nearest", Prefer::Nearest)];

/// The only unit that lengths can have.
const METRES: &[(&str, bool)] = &[("m", true)];
pub(crate) const UP: &[(&str, Up)] = &[("y", Up::Y), ("z", Up::Z)];

/// Reads a scene. `name` is the name if the document has none.
pub(crate) fn read(document: &Node, name: &str) -> Read<Scene> {
    let root = Item::root(document);
    let entries = root.entries().unwrap_or_default();
    if let Some((_, item)) = entries.iter().find(|(key, _)| *key == "frame_time") {
        let hint = "`convert` writes motion as JSON for other programs; .csv, .bvh and .glb are read again";
        return Err(item.fault("this is motion, not a scene").hint(hint));
    }
    let fields = root.table(SCENE)?;
    let (figure, chain_effectors) = joints::read_figure(&fields, document)?;
    let effectors = goals::read_effectors(&fields, &figure, chain_effectors)?;
    let (settings, iterations_per_frame, distance_tolerance) = read_solver(&fields)?;
    let mut scene = Scene {
        name: fields.get_or("name", name.to_owned(), |item| item.text().map(str::to_owned))?,
        up: fields.get_or("up", Up::Y, |item| item.word(UP))?,
        effectors,
        poles: goals::read_poles(&fields, &figure)?,
        loops: goals::read_loops(&fields, &figure)?,
        obstacles: goals::read_obstacles(&fields)?,
        link_radius: fields.get_or("link_radius", 0.0, |item| item.not_negative())?,
        capsules: goals::read_capsules(&fields, &figure)?,
        disabled_collisions: goals::read_disabled_collisions(&fields, &figure)?,
        margin: fields.get("margin").map(|item| item.not_negative()).transpose()?,
        masses: goals::read_masses(&fields, &figure)?,
        keep_clear: None,
        balance: fields.get_or("balance", true, |item| item.truth())?,
        overlapping: Vec::new(),
        settings,
        iterations_per_frame,
        smoothing: read_smoothing(&fields)?,
        camera: read_camera(&fields)?,
        morph_weights: Vec::new(),
        assets: Arc::new(Assets {
            end_sites: goals::read_end_sites(&fields, &figure)?,
            named_parts: read_named_parts(&fields, &figure)?,
            file_order: read_joint_order(&fields, &figure)?,
            // The description that a robot was converted from is in metres.
            in_metres: fields.get_or("unit", !figure.links.is_empty(), |item| item.word(METRES))?,
            links: figure.links,
            ..Assets::default()
        }),
        skeleton: figure.skeleton.into(),
        velocity_limits: figure.velocity_limits,
        posture_weights: figure.posture_weights,
        start: figure.start,
    };
    scene.set_keep_clear(fields.get_or("keep_clear", false, |item| item.truth())?);
    if let Some(distance) = distance_tolerance {
        scene.set_distance_tolerance(distance);
    }
    Ok(scene)
}

/// The joints in the order of the file that the scene was converted from, if that is not their order here.
fn read_joint_order(fields: &Fields<'_>, figure: &joints::Assembly) -> Read<Vec<usize>> {
    let Some(item) = fields.get("joint_order") else { return Ok(Vec::new()) };
    let order = item.list()?.iter().map(|item| figure.joint(item)).collect::<Read<Vec<usize>>>()?;
    let mut is_missing = vec![true; figure.skeleton.len()];
    order.iter().for_each(|&joint| is_missing[joint] = false);
    match is_missing.iter().position(|missing| *missing) {
        Some(joint) => {
            let name = &figure.skeleton.joints()[joint].name;
            Err(item.fault(format!("the joint `{name}` is missing")).hint("list all joints, or leave joint_order out"))
        }
        None if order.len() > is_missing.len() => {
            Err(item.fault("a joint is listed twice").hint("list each joint once, or leave joint_order out"))
        }
        None => Ok(order),
    }
}

/// The joints that are parts of a body, whatever their names say.
fn read_named_parts(fields: &Fields<'_>, figure: &joints::Assembly) -> Read<Vec<NamedPart>> {
    let (names, faults) = read_names(fields)?;
    match faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => names.iter().map(|name| Ok((figure.joint(&name.item)?, name.part))).collect(),
    }
}

/// A line of `[names]`.
pub(crate) struct Name<'a> {
    pub part: &'static str,
    pub joint: &'a str,
    pub item: Item<'a>,
}

/// Reads `[names]`: the lines that can be used, and what is wrong with the others.
pub(crate) fn read_names<'a>(fields: &Fields<'a>) -> Read<(Vec<Name<'a>>, Vec<Fault>)> {
    let (mut names, mut faults): (Vec<Name<'_>>, Vec<Fault>) = Default::default();
    let Some(table) = fields.get("names") else { return Ok((names, faults)) };
    let mut lines = table.entries()?;
    lines.sort_by_key(|(_, item)| item.node.place);
    for (key, item) in lines {
        let keys = NAMED_PARTS.iter().map(|(key, _)| *key);
        let Some((_, part)) = NAMED_PARTS.iter().find(|(known, _)| *known == key) else {
            faults.push(item.fault("this is no part of a body").hint_some(did_you_mean(key, keys)));
            continue;
        };
        match item.text() {
            Err(fault) => faults.push(fault.hint("write the name of a joint")),
            Ok(joint) => match names.iter().find(|name| name.joint == joint) {
                Some(first) => {
                    let message = format!("the joint `{joint}` is already `{}`", first.item.path);
                    faults.push(item.fault(message).hint("each part is a joint of its own"));
                }
                None => names.push(Name { part, joint, item }),
            },
        }
    }
    Ok((names, faults))
}

/// The settings, the iterations per frame, and the distance that all targets may be missed by.
fn read_solver(fields: &Fields<'_>) -> Read<(Settings, NonZeroU32, Option<f64>)> {
    let defaults = Settings::default();
    let Some(item) = fields.get("solver") else { return Ok((defaults, ITERATIONS_PER_FRAME, None)) };
    let solver = item.table(SOLVER)?;
    let methods = Method::ALL.map(|method| (method.key(), method));
    let count = |item: Item<'_>| {
        let count: u32 = item.integer(1, "a whole number from 1 to 4294967295")?;
        NonZeroU32::new(count).ok_or_else(|| item.fault("expected at least 1"))
    };
    let settings = Settings {
        method: solver.get_or("method", defaults.method, |item| item.word(&methods))?,
        tolerance: solver.get_or("tolerance", defaults.tolerance, |item| item.positive())?,
        rotation_tolerance: solver.get_or("rotation_tolerance", defaults.rotation_tolerance, |item| {
            let angle = item.angle()?;
            if angle > 0.0 { Ok(angle) } else { Err(item.fault("expected an angle above 0")) }
        })?,
        max_iterations: solver.get_or("max_iterations", defaults.max_iterations, count)?,
        max_attempts: solver.get_or("max_attempts", defaults.max_attempts, count)?,
        seed: solver.get_or("seed", defaults.seed, |item| item.integer(0, "a whole number that is not negative"))?,
        prefer: solver.get_or("prefer", defaults.prefer, |item| item.word(PREFER))?,
        ..defaults
    };
    let distance = solver.get("distance_tolerance").map(|item| item.positive()).transpose()?;
    Ok((settings, solver.get_or("iterations_per_frame", ITERATIONS_PER_FRAME, count)?, distance))
}

fn read_smoothing(fields: &Fields<'_>) -> Read<Smoothing> {
    let defaults = Smoothing::default();
    let Some(item) = fields.get("smoothing") else { return Ok(defaults) };
    let smoothing = item.table("duration keys")?;
    Ok(Smoothing {
        duration: smoothing.get_or("duration", defaults.duration, |item| item.not_negative())?,
        keys: smoothing.get_or("keys", defaults.keys, |item| item.not_negative())?,
    })
}

fn read_camera(fields: &Fields<'_>) -> Read<Option<CameraSpec>> {
    let Some(item) = fields.get("camera") else { return Ok(None) };
    let camera = item.table("position look_at")?;
    let position = camera.require("position", "[4, 3, 6]")?.vector()?;
    let look_at = camera.require("look_at", "[0, 1, 0]")?.vector()?;
    if position == look_at {
        return Err(item.fault("the camera cannot look at its own position"));
    }
    Ok(Some(CameraSpec { position, look_at }))
}
