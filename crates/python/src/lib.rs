//! The compiled half of the Python package `fabrik3d`: robots, solves and kinematics on NumPy arrays. The other half, in
//! `python/fabrik3d`, opens the program for pictures and windows.
//!
//! Nothing here computes: each function reads its arguments, calls `fabrik3d-ik` without the interpreter's lock, and hands
//! out arrays. The comments of what Python sees become its docstrings.

mod batch;
mod columns;
mod errors;
mod goals;
mod kinematics;
mod model;
mod numbers;
mod png;
mod problems;
mod robot;
mod solve;
mod sources;
mod threads;

/// The program's examples: one table, compiled into both.
#[path = "../../../src/solve/examples.rs"]
#[allow(dead_code, reason = "the demo that the viewer opens is of no use here")]
mod examples;

use pyo3::prelude::*;

/// Inverse kinematics with FABRIK.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("EXAMPLES", examples::EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    module.add("STOPS", solve::STOPS.map(fabrik3d_ik::Stop::word))?;
    module.add_function(wrap_pyfunction!(sources::chain_state, module)?)?;
    module.add_function(wrap_pyfunction!(png::decode_png, module)?)?;
    module.add_class::<robot::NativeRobot>()?;
    module.add_class::<solve::Info>()?;
    module.add_class::<batch::Batch>()
}
