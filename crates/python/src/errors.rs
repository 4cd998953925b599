//! Exceptions: `SceneError` with the place in the file, `ValueError` and `TypeError` that name the argument.

use fabrik3d_scene::SceneError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

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
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        CLASS.get_or_try_init(py, || PyResult::Ok(py.import("fabrik3d._errors")?.getattr("SceneError")?.unbind()));
    let (line, column) = error.position.map(|at| (at.line, at.column)).unzip();
    let arguments = (error.to_string(), &error.origin, line, column, &error.message, &error.hint);
    match class.and_then(|class| class.bind(py).call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}
