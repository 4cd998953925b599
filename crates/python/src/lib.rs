//! The compiled half of the Python package `fabrik3d`: robots, solves and kinematics on NumPy arrays. The other half, in
//! `python/fabrik3d`, opens the program for pictures and windows.
//!
//! Nothing here computes: each function reads its arguments, calls `fabrik3d-ik` without the interpreter's lock, and hands
//! out arrays. The comments of what Python sees become its docstrings.

mod batch;
mod errors;
mod goals;
mod interruptible;
mod kinematics;
mod model;
mod numbers;
mod path;
mod python_class;
mod request;
mod robot;
mod solve;
mod sources;

/// The program's examples: one table, compiled into both. File and scenes are links, so that source distributions hold them.
#[allow(dead_code, reason = "the demo that the viewer opens is of no use here")]
mod examples;

use errors::value_error;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// Inverse kinematics with FABRIK.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("EXAMPLES", examples::EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    module.add("STOPS", solve::STOPS.map(fabrik3d_ik::Stop::word))?;
    module.add_function(wrap_pyfunction!(sources::chain_state, module)?)?;
    module.add_function(wrap_pyfunction!(decode_png, module)?)?;
    module.add_class::<robot::NativeRobot>()
}

/// The pixels of a PNG file: (height, width, 4), RGBA.
#[pyfunction]
pub fn decode_png<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let image = image::load_from_memory_with_format(data, image::ImageFormat::Png);
    let image = image.map_err(|error| value_error(format!("this is not a PNG picture: {error}")))?.into_rgba8();
    let (width, height) = image.dimensions();
    PyArray1::from_vec(py, image.into_raw()).reshape([height as usize, width as usize, 4])
}
