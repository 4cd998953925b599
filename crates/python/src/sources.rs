//! Where robots come from: files, points, and other processes.

use crate::errors::{scene_error, value_error};
use crate::examples;
use crate::model::Model;
use crate::numbers::Rows;
use fabrik3d_scene::{
    ChainSpec, Change, OpenOptions, OptionNames, RobotBase, RobotLimits, Scene, SceneBuilder, Surfaces, Syntax,
    ros_package_folders,
};
use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest coordinate of a point. Scene files hold lengths up to 1e100; the difference of two points may be twice as long.
const LARGEST: f64 = 1e99;

/// A robot and where it comes from.
pub struct Opened {
    pub model: Model,
    /// The file or example that it was read from; none for a robot that was built from points.
    pub source: Option<String>,
    /// The flags with which the program reads the same scene from that file.
    pub flags: Vec<String>,
}

/// What `pickle` stores: the scene as text, the source and the flags.
pub type State = (String, Option<String>, Vec<String>);

/// The origin of a robot that is given as text, as its messages name it.
const TEXT: &str = "<text>.urdf";

/// Reads a robot from a file, or from the text of a URDF. `set` holds values of the scene that replace those of the file.
/// What `base` carries moves; the joints above it keep still.
pub fn open(
    py: Python<'_>,
    path: &Path,
    packages: BTreeMap<String, PathBuf>,
    set: Option<&Bound<'_, PyDict>>,
    (base, base_kind): (Option<&str>, &str),
    hard_limits: bool,
) -> PyResult<Opened> {
    let (surfaces, names) = (Surfaces::Skip, OptionNames::Arguments);
    let mut options = OpenOptions { surfaces, names, package_folders: ros_package_folders(), ..OpenOptions::default() };
    let mut flags = Vec::new();
    options.robot_base = match base_kind {
        "fixed" => RobotBase::Fixed,
        "free" => RobotBase::Free,
        "planar" => RobotBase::Planar,
        _ => return Err(value_error(format!("base_kind must be 'fixed', 'free' or 'planar', not '{base_kind}'"))),
    };
    if options.robot_base != RobotBase::Fixed {
        flags.extend(["--base-kind".to_owned(), base_kind.to_owned()]);
    }
    if hard_limits {
        options.robot_limits = RobotLimits::Hard;
        flags.push("--hard-limits".to_owned());
    }
    for (name, folder) in packages {
        flags.extend(["--package-path".to_owned(), format!("{name}={}", folder.display())]);
        options.packages.push((name, folder));
    }
    for (key, value) in set.into_iter().flatten() {
        let (text, change) = read_change(&key, &value)?;
        options.changes.push(change);
        flags.extend(["--set".to_owned(), text]);
    }
    let text = path.to_string_lossy();
    let is_text = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
    // The program finds the file after a change of the working folder, too.
    let source = match text.starts_with(examples::PREFIX) {
        _ if is_text => None,
        true => Some(text.to_string()),
        false => Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()),
    };
    let opened = py.detach(|| match is_text {
        true => Scene::from_bytes(text.as_bytes().to_vec(), TEXT, &options),
        false => examples::open(path, &options),
    });
    let mut scene = opened.map_err(|error| scene_error(py, &error))?;
    if let Some(base) = base {
        scene.set_base(base).map_err(|error| value_error(format!("base: {error}")))?;
        flags.extend(["--base".to_owned(), base.to_owned()]);
    }
    scene.free_robot_effectors();
    Ok(Opened { model: Model::new(scene), source, flags })
}

/// A value of `set`, as the flag `--set` has it, too.
fn read_change(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<(String, Change)> {
    // A text may be a word or a value of TOML.
    let value = value.extract::<String>().or_else(|_| toml_value(value));
    let fault = |error: String| value_error(format!("set: {key}: {error}"));
    let text = format!("{key}={}", value.map_err(|error| fault(error.to_string()))?);
    let change = text.parse().map_err(fault)?;
    Ok((text, change))
}

/// A value as TOML writes it.
fn toml_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(array) = value.getattr("tolist") {
        return toml_value(&array.call0()?);
    }
    if let Ok(is_true) = value.extract::<bool>() {
        return Ok(is_true.to_string());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(toml_text(&text));
    }
    if let Ok(table) = value.cast::<PyDict>() {
        let entry = |(key, value): (Bound<'_, PyAny>, _)| {
            Ok(format!("{} = {}", toml_text(&key.str()?.to_string()), toml_value(&value)?))
        };
        return Ok(format!("{{{}}}", table.iter().map(entry).collect::<PyResult<Vec<_>>>()?.join(", ")));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| toml_value(&item?));
        return Ok(format!("[{}]", items.collect::<PyResult<Vec<_>>>()?.join(", ")));
    }
    Ok(value.str()?.to_string())
}

/// A text in quotes, with escapes that TOML knows.
fn toml_text(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

pub fn restore(py: Python<'_>, (text, source, flags): State) -> PyResult<Opened> {
    let origin = source.as_deref().unwrap_or("robot");
    let scene = Scene::parse(&text, Syntax::Toml, origin).map_err(|error| scene_error(py, &error))?;
    Ok(Opened { model: Model::new(scene), source, flags })
}

/// The state of a robot from the points of a chain.
#[pyfunction]
pub fn chain_state(points: &Bound<'_, PyAny>, name: String, free_base: bool) -> PyResult<State> {
    if name.is_empty() {
        return Err(value_error("name must not be empty"));
    }
    let rows = Rows::read("points", points, &[&[3]])?;
    let count = rows.count.filter(|count| *count >= 2);
    let count = count.ok_or_else(|| value_error("points must have the shape (N, 3) with at least two points"))?;
    let slice = rows.slice();
    let points: Vec<DVec3> = (0..count).map(|at| DVec3::from_array(slice.get(3 * at))).collect();
    if let Some(at) = points.iter().position(|point| !point.is_finite() || point.abs().max_element() > LARGEST) {
        return Err(value_error(format!("points[{at}] is not finite, or beyond {LARGEST:e}")));
    }
    if let Some(at) = points.windows(2).position(|pair| pair[0] == pair[1]) {
        return Err(value_error(format!("points[{at}] and points[{}] coincide; a link needs a length", at + 1)));
    }
    let mut builder = SceneBuilder::default();
    builder.chain(ChainSpec { name: name.clone(), points, free_base, target: None, presets: Vec::new() });
    let scene = builder.build(name).map_err(|error| value_error(error.to_string()))?;
    Ok(state(&scene, None, Vec::new()))
}

pub fn state(scene: &Scene, source: Option<String>, flags: Vec<String>) -> State {
    (scene.to_toml(), source, flags)
}
