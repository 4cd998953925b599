//! Paths: the poses of all rows of targets, chosen together.

use crate::errors::value_error;
use crate::goals::Asked;
use crate::interruptible::interruptible;
use crate::model::Model;
use crate::python_class::PLAN;
use crate::request::Request;
use crate::solve::misses;
use fabrik3d_ik::{Problem, Stop};
use fabrik3d_scene::Motion;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Plans the path through all rows of the targets.
pub fn plan<'py>(py: Python<'py>, model: &Model, asked: &Asked<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
    let request = Request::read(model, asked)?;
    let (rows, all) = (request.rows()?, request.problems(model));
    let start = request.start_pose(model)?;
    let problems: Vec<Problem> = (0..rows).map(|row| all.at(row)).collect();
    let solved = interruptible(py, model, |solver| solver.solve_path(&problems, &start))?;
    if let Some(row) = solved.iter().position(|(_, report)| report.stop == Stop::Refused) {
        return Err(value_error(format!("row {row}: {}", all.reason(model, row, &start))));
    }
    let width = model.columns.width;
    let mut q = vec![0.0; rows * width];
    for (row, (pose, _)) in solved.iter().enumerate() {
        model.columns.write(&model.skeleton, pose, &mut q[row * width..(row + 1) * width]);
    }
    let distance = problems.iter().zip(&solved).map(|(problem, (pose, _))| {
        let [distance, _] = misses(problem, &all.indices, &model.skeleton.frames_at(problem.base, pose));
        distance
    });
    let reports = || solved.iter().map(|(_, report)| report.stop);
    let (reached, stop) = (reports().map(Stop::is_reached), reports().map(|stop| stop as u8));
    let (reached, stop) = (PyArray1::from_iter(py, reached), PyArray1::from_iter(py, stop));
    let distance = PyArray1::from_iter(py, distance);
    let motion = Motion::new("path", 1.0, solved.into_iter().map(|(pose, _)| pose).collect());
    let jumps = if rows > 0 { motion.jumps(&model.skeleton) } else { Vec::new() };
    let jumps = PyArray1::from_iter(py, jumps.into_iter().map(|jump| jump.frame as i64));
    let q = PyArray1::from_vec(py, q).reshape([rows, width])?;
    PLAN.make(py, (q, reached, stop, distance, jumps))
}
