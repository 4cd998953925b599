//! Exceptions: `SceneError` with the place in the file, `ValueError` and `TypeError` that name the argument.

use crate::python_class::SCENE_ERROR;
use fabrik3d_scene::SceneError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The exception for an argument with a wrong value or shape.
pub fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// The exception for an argument of a wrong type.
pub fn type_error(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(message.into())
}

/// `fabrik3d.SceneError`, which is written in Python because it has attributes.
pub fn scene_error(py: Python<'_>, error: &SceneError) -> PyErr {
    let (line, column) = error.position.map(|at| (at.line, at.column)).unzip();
    let arguments = (error.to_string(), &error.origin, line, column, &error.message, &error.hint);
    SCENE_ERROR.make(py, arguments).map_or_else(|failure| failure, PyErr::from_value)
}
