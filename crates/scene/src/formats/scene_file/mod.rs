//! Our own scene files: the document of a TOML or JSON text to a [`Scene`] and back.
//!
//! Angles are degrees in files (or texts such as `"1.57 rad"`) and radians in the scene. Joints may stand in any order;
//! the skeleton holds them parents first, otherwise in file order, the joints of `[[chain]]`s last. That order is the
//! order of poses. What is written reads back as the same scene, to the bit.

pub(crate) mod chains;
pub(crate) mod goals;
pub(crate) mod joints;
pub(crate) mod write;

pub(crate) use goals::read_obstacle;
pub(crate) use joints::read_limits;
pub(crate) use write::write;

use crate::syntax_tree::Node;
use crate::syntax_tree::fault::{Fault, Read};
use crate::syntax_tree::fields::{Fields, Item};
use crate::{CameraSpec, Scene, Up};
use fabrik3d_ik::{Method, Settings};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Keys of a scene.
const SCENE: &[&str] = &[
    "name",
    "up",
    "link_radius",
    "joint",
    "effector",
    "pole",
    "loop",
    "obstacle",
    "chain",
    "solver",
    "smoothing",
    "camera",
];
const SOLVER: &[&str] =
    &["method", "tolerance", "rotation_tolerance", "max_iterations", "max_attempts", "iterations_per_frame", "seed"];

/// Seconds that a blend takes unless the file says otherwise.
const SMOOTHING: f64 = 1.0;
/// Passes that the viewer runs each frame unless the file says otherwise.
const ITERATIONS_PER_FRAME: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// The words for [`Up`].
const UP: &[(&str, Up)] = &[("y", Up::Y), ("z", Up::Z)];

/// Reads a scene; `name` is used where the document gives none.
pub(crate) fn read(document: &Node, name: &str) -> Read<Scene> {
    let fields = Item::root(document).table(SCENE)?;
    let mut drafts = joints::read_joints(&fields)?;
    let chain_effectors = chains::read_chains(&fields, &mut drafts)?;
    let figure = joints::assemble(drafts, document)?;
    let effectors = goals::read_effectors(&fields, &figure, chain_effectors)?;
    let (settings, iterations_per_frame) = read_solver(&fields)?;
    Ok(Scene {
        name: fields.get_or("name", name.to_owned(), |item| item.text().map(str::to_owned))?,
        up: fields.get_or("up", Up::Y, |item| item.word(UP))?,
        effectors,
        hints: goals::read_poles(&fields, &figure)?,
        loops: goals::read_loops(&fields, &figure)?,
        obstacles: goals::read_obstacles(&fields)?,
        link_radius: fields.get_or("link_radius", 0.0, |item| item.not_negative())?,
        settings,
        iterations_per_frame,
        smoothing: read_smoothing(&fields)?,
        camera: read_camera(&fields)?,
        assets: Arc::default(),
        skeleton: figure.skeleton,
        start: figure.start,
    })
}

fn read_solver(fields: &Fields<'_>) -> Read<(Settings, NonZeroU32)> {
    let defaults = Settings::default();
    let Some(item) = fields.get("solver") else { return Ok((defaults, ITERATIONS_PER_FRAME)) };
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
    };
    Ok((settings, solver.get_or("iterations_per_frame", ITERATIONS_PER_FRAME, count)?))
}

fn read_smoothing(fields: &Fields<'_>) -> Read<f64> {
    let Some(item) = fields.get("smoothing") else { return Ok(SMOOTHING) };
    item.table(&["duration"])?.get_or("duration", SMOOTHING, |item| item.not_negative())
}

fn read_camera(fields: &Fields<'_>) -> Read<Option<CameraSpec>> {
    let Some(item) = fields.get("camera") else { return Ok(None) };
    let camera = item.table(&["position", "look_at"])?;
    let position = camera.require("position", "[4, 3, 6]")?.vector()?;
    let look_at = camera.require("look_at", "[0, 1, 0]")?.vector()?;
    if position == look_at {
        return Err(camera.fault("the camera cannot look at the place where it stands"));
    }
    Ok(Some(CameraSpec { position, look_at }))
}

/// A fault for a joint name that no joint bears.
fn unknown_joint<'n>(item: &Item<'_>, name: &str, names: impl IntoIterator<Item = &'n str>) -> Fault {
    let hint = crate::syntax_tree::fault::did_you_mean(name, names);
    item.fault(format!("there is no joint `{name}`")).hint_some(hint)
}
