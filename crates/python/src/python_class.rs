//! The classes that are written in Python: what solves return, and exceptions.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A class of the Python half of the package.
pub struct PythonClass {
    module: &'static str,
    name: &'static str,
    class: PyOnceLock<Py<PyAny>>,
}

pub static SCENE_ERROR: PythonClass = PythonClass::new("fabrik3d._errors", "SceneError");
pub static INFO: PythonClass = PythonClass::new("fabrik3d._results", "Info");
pub static BATCH: PythonClass = PythonClass::new("fabrik3d._results", "Batch");
pub static PLAN: PythonClass = PythonClass::new("fabrik3d._results", "Plan");

impl PythonClass {
    const fn new(module: &'static str, name: &'static str) -> Self {
        PythonClass { module, name, class: PyOnceLock::new() }
    }

    /// A new object, made from the arguments of its class.
    pub fn make<'py>(&self, py: Python<'py>, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.class.import(py, self.module, self.name)?.call1(arguments)
    }
}
