//! Paths: the poses of all rows of targets, chosen together.

use crate::errors::value_error;
use crate::goals::Asked;
use crate::interruptible::interruptible;
use crate::model::{Model, coordinate_names};
use crate::python_class::PLAN;
use crate::request::Request;
use crate::solve::{joint_bounds, misses, seconds};
use fabrik3d_ik::paths::{DEFAULT_TOLERANCE, Jump, Way, Ways};
use fabrik3d_ik::{Pose, Problem, Report, Solver, Stop};
use fabrik3d_scene::Motion;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// Most rows of a motion that keeps to velocity limits, per row of the path.
const MOST_ADDED: usize = 10_000;

/// How a path is followed.
pub struct Following<'a, 'py> {
    pub from_start: bool,
    pub tolerance: Option<f64>,
    pub velocity_limits: Option<&'a Bound<'py, PyAny>>,
    pub dt: Option<f64>,
}

/// A path with what leads from row to row.
struct Followed {
    rows: Vec<(Pose, Report)>,
    /// One per pose of the motion but the first; none across a jump.
    ways: Vec<Option<Way>>,
    jumps: Vec<Jump>,
}

/// Plans the path through all rows of the targets.
pub fn plan<'py>(
    py: Python<'py>,
    model: &Model,
    asked: &Asked<'_, '_>,
    following: &Following<'_, '_>,
) -> PyResult<Bound<'py, PyAny>> {
    let request = Request::read(model, asked)?;
    let (rows, all) = (request.rows()?, request.problems(model));
    let start = request.start_pose(model)?;
    let problems: Vec<Problem> = (0..rows).map(|row| all.at(row)).collect();
    let tolerance = path_tolerance(model, following.tolerance)?;
    let limits = following.velocity_limits.map(|limits| joint_bounds(model, "velocity_limits", limits)).transpose()?;
    let dt = seconds("dt", following.dt.unwrap_or(1.0 / 30.0))?;
    if following.dt.is_some() && limits.is_none() {
        return Err(value_error("dt needs velocity_limits"));
    }
    let from_start = following.from_start;
    let followed =
        interruptible(py, model, |solver| follow(solver, model, &problems, (&start, from_start), tolerance))?;
    let Followed { rows: solved, ways, jumps } = followed;
    if let Some(row) = solved.iter().position(|(_, report)| report.stop == Stop::Refused) {
        return Err(value_error(format!("row {row}: {}", all.reason(model, row, &start))));
    }
    let distance = problems.iter().zip(&solved).map(|(problem, (pose, _))| {
        let [distance, _] = misses(problem, &all.indices, &model.skeleton.frames_at(problem.base, pose));
        distance
    });
    let reports = || solved.iter().map(|(_, report)| report.stop);
    let (reached, stop) = (reports().map(Stop::is_reached), reports().map(|stop| stop as u8));
    let (reached, stop) = (PyArray1::from_iter(py, reached), PyArray1::from_iter(py, stop));
    let distance = PyArray1::from_iter(py, distance);
    let jumps = PyArray1::from_iter(py, jumps.into_iter().map(|jump| jump.row as i64));
    let departure = ways.iter().flatten().map(|way| way.departure.distance).fold(0.0, f64::max);
    let q = table(py, model, solved.iter().map(|(pose, _)| pose))?;
    let begin = from_start.then_some(start);
    let motion: Vec<Pose> = begin.into_iter().chain(solved.into_iter().map(|(pose, _)| pose)).collect();
    let motion = match limits {
        Some(limits) if !motion.is_empty() => slow_down(model, motion, &limits, ways, dt)?,
        _ => motion,
    };
    let motion = table(py, model, motion.iter())?;
    PLAN.make(py, (q, reached, stop, distance, coordinate_names(model), jumps, departure, motion))
}

/// The tolerance of the path, in the unit of the scene; by default a thousandth of the largest effector's size.
fn path_tolerance(model: &Model, given: Option<f64>) -> PyResult<f64> {
    match given {
        None => Ok(DEFAULT_TOLERANCE * model.scene.largest_effector_size()),
        Some(tolerance) if tolerance > 0.0 && tolerance.is_finite() => Ok(tolerance),
        Some(tolerance) => Err(value_error(format!("path_tolerance is {tolerance}; it must be a positive distance"))),
    }
}

/// Solves the path, and finds the ways from row to row.
fn follow(
    solver: &mut Solver,
    model: &Model,
    problems: &[Problem],
    (start, from_start): (&Pose, bool),
    tolerance: f64,
) -> Followed {
    let rows = match from_start {
        true => solver.solve_path_from(problems, start),
        false => solver.solve_path(problems, start),
    };
    // Refused rows are told instead.
    if rows.iter().any(|(_, report)| report.stop == Stop::Refused) {
        return Followed { rows, ways: Vec::new(), jumps: Vec::new() };
    }
    let mut ways = Ways::new(Arc::clone(&model.skeleton), solver.settings, tolerance);
    if let Some(first) = problems.first().filter(|_| from_start) {
        ways.begin(first, start);
    }
    problems.iter().zip(&rows).for_each(|(problem, (pose, _))| ways.push(problem, pose));
    let (ways, jumps) = ways.finish();
    Followed { rows, ways, jumps }
}

/// The motion with rows added where a joint would exceed its velocity limit, but not across jumps.
fn slow_down(model: &Model, poses: Vec<Pose>, limits: &[f64], ways: Vec<Option<Way>>, dt: f64) -> PyResult<Vec<Pose>> {
    let ways: Vec<Option<Vec<Pose>>> = ways.into_iter().map(|way| way.map(|way| way.poses)).collect();
    let limits: Vec<Option<f64>> = limits.iter().map(|&limit| Some(limit).filter(|limit| limit.is_finite())).collect();
    let most = poses.len().saturating_mul(MOST_ADDED);
    let slow = Motion::new("path", dt, poses).within_velocities(&model.skeleton, &limits, &ways, most);
    let slow = slow.map_err(|error| {
        let joint = &model.skeleton.joints()[error.joint].name;
        value_error(format!("velocity_limits: `{joint}` is so slow that the motion would have more than {most} rows"))
    })?;
    Ok((0..slow.len()).map(|frame| slow.pose(&model.skeleton, frame)).collect())
}

/// Poses as rows of `q`.
fn table<'py, 'a>(
    py: Python<'py>,
    model: &Model,
    poses: impl ExactSizeIterator<Item = &'a Pose>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, width) = (poses.len(), model.columns.width);
    let mut q = vec![0.0; rows * width];
    for (row, pose) in poses.enumerate() {
        model.columns.write(&model.skeleton, pose, &mut q[row * width..(row + 1) * width]);
    }
    PyArray1::from_vec(py, q).reshape([rows, width])
}
