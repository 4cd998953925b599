//! Targets as arguments: positions, quaternions and matrices, for one effector or for several by name.

use crate::errors::{type_error, value_error};
use crate::model::Model;
use crate::numbers::{Rows, Slice};
use fabrik3d_ik::Effector;
use fabrik3d_scene::{Part, TargetError, TargetSpec, any_rotation};
use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// How far the axes of a matrix may be from orthonormal.
const RIGID: f64 = 1e-3;

/// Where the numbers x, y, z, w of a quaternion are.
type Order = [usize; 4];

fn read_order(text: &str) -> PyResult<Order> {
    match text {
        "xyzw" => Ok([0, 1, 2, 3]),
        "wxyz" => Ok([1, 2, 3, 0]),
        _ => Err(value_error(format!("order must be 'xyzw' or 'wxyz', not '{text}'"))),
    }
}

/// The targets of one effector, row by row.
pub struct Goals<'py> {
    /// Index of the effector in the scene; `None` for a joint or a link that has none.
    pub index: Option<usize>,
    pub effector: Effector,
    /// Positions, rotations and points to look at.
    rows: [Option<Rows<'py>>; 3],
    terms: Terms,
}

/// What holds for all rows of targets of an effector.
struct Terms {
    /// The axis that the call gives in place of the file's: the one that looks, or about which the effector may turn.
    spin_axis: Option<DVec3>,
    order: Order,
    /// What the caller calls the position, the rotation and the point.
    labels: [String; 3],
}

/// The targets of one effector, ready to be read without the interpreter.
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    /// As in [`Goals`], with the numbers of a row.
    rows: [Option<(Slice<'a>, usize)>; 3],
    terms: &'a Terms,
}

/// The arguments that every solve has.
pub struct Asked<'a, 'py> {
    /// Positions and rotations.
    pub targets: [Option<&'a Bound<'py, PyAny>>; 2],
    /// What the caller calls these two.
    pub names: [&'static str; 2],
    pub look_at: Option<&'a Bound<'py, PyAny>>,
    pub spin_axis: Option<&'a Bound<'py, PyAny>>,
    pub effector: Option<&'a str>,
    pub start: Option<&'a Bound<'py, PyAny>>,
    pub obstacles: Option<&'a Bound<'py, PyAny>>,
    pub preferences: Preferences<'a, 'py>,
    pub order: &'a str,
}

/// What a call only prefers.
#[derive(Clone, Copy, Default)]
pub struct Preferences<'a, 'py> {
    /// A pose to keep to, and one weight for all joints or one for each of its numbers.
    pub posture: Option<&'a Bound<'py, PyAny>>,
    pub weights: Option<&'a Bound<'py, PyAny>>,
    /// The effectors whose targets are preferred: a name, or a list of names.
    pub preferred: Option<&'a Bound<'py, PyAny>>,
    /// Points that the robot stands on.
    pub balance: Option<&'a Bound<'py, PyAny>>,
}

/// The names of a single target's arguments.
pub const ONE: [&str; 2] = ["position", "rotation"];
/// The names of the arguments for many targets.
pub const MANY: [&str; 2] = ["positions", "rotations"];

/// What a call says about one effector.
#[derive(Default)]
struct Parts<'py> {
    position: Option<Bound<'py, PyAny>>,
    rotation: Option<Bound<'py, PyAny>>,
    look_at: Option<Bound<'py, PyAny>>,
    spin_axis: Option<Bound<'py, PyAny>>,
}

/// What the caller calls the parts: position, rotation, look_at, spin_axis.
type Names<'a> = [&'a str; 4];

impl<'py> Goals<'py> {
    /// Reads the arguments of a solve. Returns the goals and the number of rows; `None` for a single target.
    pub fn read(model: &Model, asked: &Asked<'_, 'py>) -> PyResult<(Vec<Self>, Option<usize>)> {
        let order = read_order(asked.order)?;
        let [position, rotation] = asked.names;
        let names = [position, rotation, "look_at", "spin_axis"];
        let by_effector =
            [asked.targets[0], asked.look_at].into_iter().flatten().any(|it| it.is_instance_of::<PyDict>());
        let goals = if by_effector {
            let several = parts_by_effector(asked, names)?;
            let one = |(name, parts): (String, Parts<'py>)| {
                let of = |argument: &str| format!("{argument}['{name}']");
                let labels = [of(position), of(position), of("look_at"), of("spin_axis")];
                let labels = labels.each_ref().map(String::as_str);
                let only_looks = parts.position.is_none() && parts.rotation.is_none();
                let effector = model.find_effector(if only_looks { "look_at" } else { position }, Some(&name))?;
                Self::one(effector, labels, parts, order)
            };
            several.into_iter().map(one).collect::<PyResult<Vec<_>>>()?
        } else {
            let parts = Parts {
                position: asked.targets[0].cloned(),
                rotation: asked.targets[1].cloned(),
                look_at: asked.look_at.cloned(),
                spin_axis: asked.spin_axis.cloned(),
            };
            vec![Self::one(model.find_effector("effector", asked.effector)?, names, parts, order)?]
        };
        let count = goals.iter().flat_map(Goals::counts).next().flatten();
        if let Some(other) = goals.iter().flat_map(Goals::counts).find(|other| *other != count) {
            let text =
                |count: Option<usize>| count.map_or("a single target".to_owned(), |count| format!("{count} rows"));
            return Err(value_error(format!(
                "all parts of the targets ({position}, {rotation}, look_at) must have the same number of rows; found {} and {}",
                text(count),
                text(other)
            )));
        }
        Ok((goals, count))
    }

    fn one(
        (index, effector): (Option<usize>, Effector),
        names: Names<'_>,
        parts: Parts<'py>,
        order: Order,
    ) -> PyResult<Self> {
        let [position, rotation, look_at, spin_axis] = names;
        let positions = parts.position.map(|at| Rows::read(position, &at, &[&[3], &[4, 4]])).transpose()?;
        let rotations = parts.rotation.map(|at| Rows::read(rotation, &at, &[&[4], &[3, 3]])).transpose()?;
        let points = parts.look_at.map(|at| Rows::read(look_at, &at, &[&[3]])).transpose()?;
        let axis = parts.spin_axis.map(|axis| read_axis(spin_axis, &axis)).transpose()?;
        let has_matrices = positions.as_ref().is_some_and(|positions| positions.width == 16);
        if positions.is_none() && rotations.is_none() && points.is_none() {
            return Err(type_error(format!("a target needs a {position}, a {rotation} or both, or {look_at}")));
        }
        if has_matrices && rotations.is_some() {
            return Err(type_error(format!(
                "{position} holds matrices of shape (4, 4), which have a rotation; {rotation} must be absent"
            )));
        }
        TargetError::check_turning([has_matrices || rotations.is_some(), false, points.is_some()])
            .map_err(|error| type_error(format!("{look_at}: {error}")))?;
        if axis.is_some() && !has_matrices && rotations.is_none() && points.is_none() {
            return Err(type_error(format!(
                "{spin_axis} belongs to a rotation or to {look_at}; this target has neither"
            )));
        }
        let labels = [position, rotation, look_at].map(str::to_owned);
        let terms = Terms { spin_axis: axis, order, labels };
        Ok(Goals { index, effector, rows: [positions, rotations, points], terms })
    }

    /// Whether the effector looks at points.
    pub fn looks(&self) -> bool {
        self.rows[2].is_some()
    }

    fn counts(&self) -> impl Iterator<Item = Option<usize>> {
        self.rows.iter().flatten().map(|rows| rows.count)
    }

    pub fn targets(&self) -> Targets<'_> {
        let rows = self.rows.each_ref().map(|rows| rows.as_ref().map(|rows| (rows.slice(), rows.width)));
        Targets { rows, terms: &self.terms }
    }
}

/// Why a row holds no target: the argument, and what is wrong with it.
pub type Fault<'a> = (&'a str, &'static str);

impl<'a> Targets<'a> {
    /// What a row asks of the effector.
    pub fn read(&self, row: usize) -> Result<TargetSpec, Fault<'a>> {
        let Terms { spin_axis, order, labels: [position, rotation, look_at] } = self.terms;
        let [positions, rotations, points] = self.rows;
        let spec = TargetSpec { spin_axis: *spin_axis, ..TargetSpec::default() };
        if let Some((numbers, 16)) = positions {
            let (place, turn) = rigid(numbers.get(16 * row)).map_err(|why| (position.as_str(), why))?;
            return Ok(TargetSpec { position: Part::Given(place), rotation: Part::Given(turn), ..spec });
        }
        let point = |(numbers, _): (Slice<'_>, usize), label: &'a str| {
            finite(numbers.get(3 * row)).map(DVec3::from_array).map_err(|why| (label, why))
        };
        let place = positions.map(|numbers| point(numbers, position)).transpose()?;
        let turn = rotations.map(|(numbers, width)| match width {
            9 => finite(numbers.get::<9>(9 * row))
                .and_then(|rows| rotation_of(DMat3::from_cols_array(&rows).transpose())),
            _ => finite(numbers.get::<4>(4 * row))
                .map(|numbers| DQuat::from_array(order.map(|at| numbers[at])))
                .and_then(|quaternion| any_rotation(quaternion).ok_or("the quaternion is zero")),
        });
        let turn = turn.transpose().map_err(|why| (rotation.as_str(), why))?;
        let looks = points.map(|numbers| point(numbers, look_at)).transpose()?;
        Ok(TargetSpec { position: place.into(), rotation: turn.into(), look_at: looks.into(), ..spec })
    }
}

/// The parts of a call with dicts, by the names of the effectors.
fn parts_by_effector<'py>(asked: &Asked<'_, 'py>, names: Names<'_>) -> PyResult<Vec<(String, Parts<'py>)>> {
    let [position, _, look_at, spin_axis] = names;
    if asked.effector.is_some() || asked.targets[1].is_some() {
        return Err(type_error(format!(
            "with a dict of targets by effector, effector is not needed, and rotations belong in the dict {position}, as \
             (position, rotation)"
        )));
    }
    let mut several: Vec<(String, Parts<'py>)> = Vec::new();
    for (name, target) in entries(position, asked.targets[0])? {
        let (position, rotation) = match target.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
            _ => (target, None),
        };
        let [position, rotation] = [Some(position), rotation].map(|part| part.filter(|part| !part.is_none()));
        several.push((name, Parts { position, rotation, ..Parts::default() }));
    }
    for (name, point) in entries(look_at, asked.look_at)? {
        match several.iter_mut().find(|(other, _)| *other == name) {
            Some((_, parts)) => parts.look_at = Some(point),
            None => several.push((name, Parts { look_at: Some(point), ..Parts::default() })),
        }
    }
    for (name, axis) in entries(spin_axis, asked.spin_axis)? {
        let parts = several.iter_mut().find(|(other, _)| *other == name);
        let (_, parts) =
            parts.ok_or_else(|| value_error(format!("{spin_axis}: `{name}` has no target in this call")))?;
        parts.spin_axis = Some(axis);
    }
    if several.is_empty() {
        return Err(value_error(format!("{position} is an empty dict; give at least one target")));
    }
    Ok(several)
}

/// The entries of an argument that is a dict by effector.
fn entries<'py>(argument: &str, dict: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let Some(dict) = dict else { return Ok(Vec::new()) };
    let dict = dict.cast::<PyDict>().map_err(|_| {
        type_error(format!("{argument} must be a dict by effector, as the other targets of this call are"))
    })?;
    let entry = |(name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        let name =
            name.extract().map_err(|_| type_error(format!("the keys of {argument} must be names of effectors")))?;
        Ok((name, value))
    };
    dict.iter().map(entry).collect()
}

/// Reads an axis: a direction of any length.
fn read_axis(name: &str, object: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    let rows = Rows::read(name, object, &[&[3]])?;
    if let Some(count) = rows.count {
        return Err(value_error(format!(
            "{name} has {count} rows; it is a single axis (3,), the same for all targets"
        )));
    }
    let axis = DVec3::from_array(rows.slice().get(0)).try_normalize();
    axis.ok_or_else(|| value_error(format!("{name} must be a direction: finite, and not zero")))
}

/// Numbers that are all finite.
fn finite<const N: usize>(numbers: [f64; N]) -> Result<[f64; N], &'static str> {
    if numbers.iter().all(|number| number.is_finite()) { Ok(numbers) } else { Err("a number is not finite") }
}

/// Position and rotation of a 4x4 matrix, row by row.
fn rigid(numbers: [f64; 16]) -> Result<(DVec3, DQuat), &'static str> {
    let rows = DMat4::from_cols_array(&finite(numbers)?).transpose();
    if rows.row(3).distance_squared(DVec4::W) > RIGID * RIGID {
        return Err("the last row of the matrix is not 0, 0, 0, 1; is it transposed?");
    }
    Ok((rows.w_axis.truncate(), rotation_of(DMat3::from_mat4(rows))?))
}

/// The rotation of a matrix.
fn rotation_of(matrix: DMat3) -> Result<DQuat, &'static str> {
    if !(matrix * matrix.transpose()).abs_diff_eq(DMat3::IDENTITY, RIGID) {
        return Err("the matrix is no rotation: its axes are not orthonormal");
    }
    if matrix.determinant() < 0.0 {
        return Err("the matrix is no rotation: it mirrors, its determinant is -1");
    }
    Ok(DQuat::from_mat3(&matrix).normalize())
}
