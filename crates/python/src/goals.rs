//! Targets as arguments: positions, quaternions and matrices, for one effector or for several by name.

use crate::errors::{type_error, value_error};
use crate::model::Model;
use crate::numbers::{Rows, Slice};
use fabrik3d_ik::{DQuat, DVec3, Effector, Target};
use glam::{DMat3, DMat4};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// How far the axes of a matrix may be from orthonormal.
const RIGID: f64 = 1e-3;

/// The order of the numbers of a quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Xyzw,
    Wxyz,
}

impl Order {
    pub fn read(text: &str) -> PyResult<Self> {
        match text {
            "xyzw" => Ok(Order::Xyzw),
            "wxyz" => Ok(Order::Wxyz),
            _ => Err(value_error(format!("order must be 'xyzw' or 'wxyz', not '{text}'"))),
        }
    }

    fn quaternion(self, [a, b, c, d]: [f64; 4]) -> DQuat {
        match self {
            Order::Xyzw => DQuat::from_xyzw(a, b, c, d),
            Order::Wxyz => DQuat::from_xyzw(b, c, d, a),
        }
    }
}

/// The targets of one effector, row by row.
pub struct Goals<'py> {
    /// Index of the effector in the scene; `None` for a joint or a link that has none.
    pub index: Option<usize>,
    pub effector: Effector,
    positions: Option<Rows<'py>>,
    rotations: Option<Rows<'py>>,
    order: Order,
}

/// The targets of one effector, ready to be read without the interpreter.
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    positions: Option<(Slice<'a>, usize)>,
    rotations: Option<(Slice<'a>, usize)>,
    order: Order,
}

/// The arguments that every solve has.
pub struct Asked<'a, 'py> {
    pub position: Option<&'a Bound<'py, PyAny>>,
    pub rotation: Option<&'a Bound<'py, PyAny>>,
    /// What the caller calls these two.
    pub names: (&'static str, &'static str),
    pub effector: Option<&'a str>,
    pub order: &'a str,
}

/// The names of a single target's arguments.
pub const ONE: (&str, &str) = ("position", "rotation");
/// The names of the arguments for many targets.
pub const MANY: (&str, &str) = ("positions", "rotations");

impl<'py> Goals<'py> {
    /// Reads the arguments of a solve. Returns the goals and the number of rows; `None` for a single target.
    pub fn read(model: &Model, asked: &Asked<'_, 'py>) -> PyResult<(Vec<Self>, Option<usize>)> {
        let order = Order::read(asked.order)?;
        let several = asked.position.and_then(|position| position.cast::<PyDict>().ok());
        let goals = match several {
            Some(_) if asked.effector.is_some() || asked.rotation.is_some() => {
                return Err(type_error(format!(
                    "{} is a dict of targets by effector: effector is not needed, and rotations belong in the dict, as \
                     (position, rotation)",
                    asked.names.0
                )));
            }
            Some(several) => {
                let mut goals = Vec::with_capacity(several.len());
                for (name, target) in several {
                    let name: String = name.extract()?;
                    let label = format!("{}['{name}']", asked.names.0);
                    let (position, rotation) = match target.cast::<PyTuple>() {
                        Ok(pair) if pair.len() == 2 => (Some(pair.get_item(0)?), Some(pair.get_item(1)?)),
                        _ => (Some(target), None),
                    };
                    let [position, rotation] = [position, rotation].map(|part| part.filter(|part| !part.is_none()));
                    goals.push(Self::one(model, (&label, &label), Some(&name), (position, rotation), order)?);
                }
                goals
            }
            None => {
                let parts = (asked.position.cloned(), asked.rotation.cloned());
                vec![Self::one(model, asked.names, asked.effector, parts, order)?]
            }
        };
        let counts: Vec<Option<usize>> = goals.iter().flat_map(Goals::counts).collect();
        let count = counts.first().copied().flatten();
        if let Some(other) = counts.iter().find(|other| **other != count) {
            let text =
                |count: Option<usize>| count.map_or("a single target".to_owned(), |count| format!("{count} rows"));
            return Err(value_error(format!(
                "positions and rotations must have the same number of rows; found {} and {}",
                text(count),
                text(*other)
            )));
        }
        if goals.is_empty() {
            return Err(value_error(format!("{} is an empty dict; give at least one target", asked.names.0)));
        }
        Ok((goals, count))
    }

    fn one(
        model: &Model,
        (position_name, rotation_name): (&str, &str),
        effector: Option<&str>,
        (position, rotation): (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>),
        order: Order,
    ) -> PyResult<Self> {
        let (index, effector) = model.find_effector(effector)?;
        let positions = position.map(|at| Rows::read(position_name, &at, &[&[3], &[4, 4]])).transpose()?;
        let rotations = rotation.map(|at| Rows::read(rotation_name, &at, &[&[4], &[3, 3]])).transpose()?;
        match (&positions, &rotations) {
            (None, None) => return Err(type_error("a target needs a position, a rotation or both")),
            (Some(positions), Some(_)) if positions.row().len() == 2 => {
                return Err(type_error(format!(
                    "{position_name} holds matrices of shape (4, 4), which have a rotation; {rotation_name} must be absent"
                )));
            }
            _ => {}
        }
        Ok(Goals { index, effector, positions, rotations, order })
    }

    fn counts(&self) -> impl Iterator<Item = Option<usize>> {
        [&self.positions, &self.rotations].into_iter().flatten().map(|rows| rows.count)
    }

    pub fn targets(&self) -> Targets<'_> {
        let view = |rows: &'_ Option<Rows<'py>>| rows.as_ref().map(|rows| rows.row().iter().product());
        Targets {
            positions: self.positions.as_ref().map(Rows::slice).zip(view(&self.positions)),
            rotations: self.rotations.as_ref().map(Rows::slice).zip(view(&self.rotations)),
            order: self.order,
        }
    }
}

impl Targets<'_> {
    /// The target of a row. What is no position and no rotation becomes NaN, which solvers refuse.
    pub fn row(&self, row: usize) -> Target {
        if let Some((numbers, 16)) = self.positions {
            let rows = DMat4::from_cols_array(&numbers.get::<16>(16 * row)).transpose();
            let rotation = rotation_of(DMat3::from_mat4(rows));
            return Target::from((rows.w_axis.truncate(), rotation));
        }
        let position = self.positions.map(|(numbers, _)| DVec3::from_array(numbers.get(3 * row)));
        let rotation = self.rotations.map(|(numbers, width)| match width {
            9 => rotation_of(DMat3::from_cols_array(&numbers.get::<9>(9 * row)).transpose()),
            _ => {
                let quaternion = self.order.quaternion(numbers.get(4 * row));
                let squared = quaternion.length_squared();
                // A quaternion near zero has no direction; it is refused.
                let is_done = (squared - 1.0).abs() < 1e-14 || squared <= 1e-12;
                if is_done { quaternion } else { quaternion.normalize() }
            }
        });
        Target { position, rotation, look_at: None }
    }
}

/// The rotation of a matrix; NaN if it is none.
fn rotation_of(matrix: DMat3) -> DQuat {
    let is_orthonormal =
        (matrix * matrix.transpose()).abs_diff_eq(DMat3::IDENTITY, RIGID) && matrix.determinant() > 0.0;
    if is_orthonormal { DQuat::from_mat3(&matrix).normalize() } else { DQuat::from_array([f64::NAN; 4]) }
}
