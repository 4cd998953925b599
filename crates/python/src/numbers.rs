//! Arrays as arguments: float64 and float32 in C order are read where they are, everything else is converted first.

use crate::errors::{type_error, value_error};
use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

/// An array of numbers in C order.
pub enum Numbers<'py> {
    Double(PyReadonlyArrayDyn<'py, f64>),
    Single(PyReadonlyArrayDyn<'py, f32>),
    /// A short list, without the way through NumPy.
    Few([f64; 4], [usize; 1]),
}

/// The numbers of an array, row by row.
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl Slice<'_> {
    pub fn get<const N: usize>(&self, first: usize) -> [f64; N] {
        match self {
            Slice::Double(numbers) => std::array::from_fn(|at| numbers[first + at]),
            Slice::Single(numbers) => std::array::from_fn(|at| f64::from(numbers[first + at])),
        }
    }

    /// Copies `out.len()` numbers.
    pub fn copy(&self, first: usize, out: &mut [f64]) {
        match self {
            Slice::Double(numbers) => out.copy_from_slice(&numbers[first..first + out.len()]),
            Slice::Single(numbers) => {
                out.iter_mut().zip(&numbers[first..]).for_each(|(out, &number)| *out = f64::from(number));
            }
        }
    }
}

impl<'py> Numbers<'py> {
    /// Reads the argument `name`: an array, or anything that NumPy makes one of.
    pub fn read(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let is_array = object.is_instance_of::<PyUntypedArray>();
        if !is_array {
            if let Ok([x, y, z]) = object.extract::<[f64; 3]>() {
                return Ok(Numbers::Few([x, y, z, 0.0], [3]));
            }
            if let Ok(few) = object.extract::<[f64; 4]>() {
                return Ok(Numbers::Few(few, [4]));
            }
        } else if let Some(numbers) = Self::in_place(object)? {
            return Ok(numbers);
        }
        let numpy = object.py().import("numpy")?;
        let fail = |_| {
            let class = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            type_error(format!("{name} must be an array of numbers, not {class}"))
        };
        let array = numpy.call_method1("asarray", (object,)).map_err(fail)?;
        let array = array.cast_into::<PyUntypedArray>().map_err(|error| type_error(error.to_string()))?;
        let kind = array.dtype().kind();
        if !b"fiu".contains(&kind) {
            return Err(type_error(format!("{name} must be an array of numbers; its dtype is {}", array.dtype())));
        }
        let is_single = kind == b'f' && array.dtype().itemsize() == 4;
        let dtype = if is_single { "float32" } else { "float64" };
        // Arrays that come out of a message may lie at any byte.
        let array = numpy.call_method1("require", (&array, dtype, ["C", "A"]))?;
        Self::in_place(&array)?.ok_or_else(|| type_error(format!("{name} must be an array of numbers")))
    }

    /// The numbers of an array, if they can be read where they are.
    fn in_place(object: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let double = readable(object)?.map(Numbers::Double);
        Ok(if double.is_some() { double } else { readable(object)?.map(Numbers::Single) })
    }

    pub fn shape(&self) -> &[usize] {
        match self {
            Numbers::Double(array) => array.shape(),
            Numbers::Single(array) => array.shape(),
            Numbers::Few(_, shape) => shape,
        }
    }

    pub fn slice(&self) -> Slice<'_> {
        // Only arrays in C order are kept.
        match self {
            Numbers::Double(array) => Slice::Double(array.as_slice().unwrap_or_default()),
            Numbers::Single(array) => Slice::Single(array.as_slice().unwrap_or_default()),
            Numbers::Few(few, shape) => Slice::Double(&few[..shape[0]]),
        }
    }
}

/// An array of this type whose numbers are aligned and in C order. `as_slice` alone takes Fortran order too.
fn readable<'py, T: Element>(object: &Bound<'py, PyAny>) -> PyResult<Option<PyReadonlyArrayDyn<'py, T>>> {
    let Ok(array) = object.cast::<PyArrayDyn<T>>() else { return Ok(None) };
    let array = array.try_readonly().map_err(|error| value_error(error.to_string()))?;
    Ok(Some(array).filter(|array| array.is_c_contiguous() && array.as_slice().is_ok()))
}

/// Rows of numbers: an array with one of several shapes, with or without a leading axis.
pub struct Rows<'py> {
    numbers: Numbers<'py>,
    /// Numbers per row.
    pub width: usize,
    /// Number of rows; `None` for a single row without the leading axis.
    pub count: Option<usize>,
}

impl<'py> Rows<'py> {
    /// Reads the argument `name`, whose rows have one of the shapes `rows`.
    pub fn read(name: &str, object: &Bound<'py, PyAny>, rows: &[&[usize]]) -> PyResult<Self> {
        let numbers = Numbers::read(name, object)?;
        let shape = numbers.shape();
        let single = rows.iter().find(|row| shape == **row).map(|row| (row, None));
        let many = || {
            let (&count, rest) = shape.split_first()?;
            rows.iter().find(|row| rest == **row).map(|row| (row, Some(count)))
        };
        let Some((row, count)) = single.or_else(many) else {
            let forms = rows.iter().map(|row| format!("{} or (N, {})", shape_text(row), inner(row)));
            let forms = forms.collect::<Vec<_>>().join(", ");
            return Err(value_error(format!("{name} has the shape {}; it needs {forms}", shape_text(shape))));
        };
        Ok(Rows { width: row.iter().product(), numbers, count })
    }

    pub fn slice(&self) -> Slice<'_> {
        self.numbers.slice()
    }

    /// The numbers of a single pose, the argument `name`.
    pub fn single(&self, name: &str) -> PyResult<Vec<f64>> {
        if let Some(rows) = self.count {
            return Err(value_error(format!("{name} has {rows} rows; a single pose is needed")));
        }
        let mut numbers = vec![0.0; self.width];
        self.slice().copy(0, &mut numbers);
        Ok(numbers)
    }
}

/// A shape as NumPy prints it.
fn shape_text(shape: &[usize]) -> String {
    if let [only] = shape { format!("({only},)") } else { format!("({})", inner(shape)) }
}

fn inner(row: &[usize]) -> String {
    row.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// A result with its shape.
pub type Shaped = (Vec<f64>, Vec<usize>);

pub type Doubles<'py> = Bound<'py, PyArrayDyn<f64>>;

pub fn array(py: Python<'_>, (numbers, shape): Shaped) -> PyResult<Doubles<'_>> {
    PyArray1::from_vec(py, numbers).reshape(shape)
}
