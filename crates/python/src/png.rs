//! Pictures that the program has drawn.

use crate::errors::value_error;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// The pixels of a PNG file: (height, width, 4), RGBA.
#[pyfunction]
pub fn decode_png<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let image = image::load_from_memory_with_format(data, image::ImageFormat::Png);
    let image = image.map_err(|error| value_error(format!("this is not a PNG picture: {error}")))?.into_rgba8();
    let (width, height) = image.dimensions();
    PyArray1::from_vec(py, image.into_raw()).reshape([height as usize, width as usize, 4])
}
