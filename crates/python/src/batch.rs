//! Many targets at once: on all cores, in SIMD lanes where they fit.

use crate::errors::value_error;
use crate::goals::Asked;
use crate::interruptible::{all_cores, each_piece};
use crate::model::{Model, coordinate_names};
use crate::numbers::{Rows, Slice};
use crate::python_class::BATCH;
use crate::request::{Problems, Request};
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::settings::{Interrupt, Prefer};
use fabrik3d_ik::{Pose, Problem, Report, Stop};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Most threads of a call. More would end the process before the first row.
const MOST_THREADS: usize = 1024;
/// Rows that a thread solves at once in lanes: at their end, lanes wait for the hardest ones. What more rows need besides
/// their answers would leave the caches.
const LANES_PART: RangeInclusive<usize> = 4096..=8192;
/// The same without lanes, where no row waits for another.
const PART: RangeInclusive<usize> = 1..=256;
/// Parts per thread without lanes: the last ones end at about the same time.
const PARTS_PER_THREAD: usize = 4;
/// Most rows whose refusal is explained.
const MOST_REASONS: usize = 1000;

/// Why the solve of a row stopped, its iterations, and its largest distance from a target.
type Answer = (Stop, u32, f64);

/// Solves all rows of the targets. With `nearest`, the pose nearest to the start is the answer.
pub fn solve_many<'py>(
    py: Python<'py>,
    model: &Model,
    asked: &Asked<'_, '_>,
    nearest: bool,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let request = Request::read(model, asked)?;
    let (rows, problems) = (request.rows()?, request.problems(model));
    let (start, own_starts) = match &request.start {
        Some(Rows { count: Some(count), .. }) if *count != rows => {
            return Err(value_error(format!(
                "start has {count} rows for {rows} targets; it needs as many, or one row"
            )));
        }
        Some(start) => (Some(start.slice()), start.count.is_some()),
        None => (None, false),
    };
    if model.columns.width == 0 {
        return Err(value_error("this robot has no joint that can be set, so there is nothing to solve"));
    }
    if threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
        return Err(value_error(format!(
            "threads must be at least 1 and at most {MOST_THREADS}, or None for all cores"
        )));
    }
    let joints = model.columns.iter().map(|column| column.joint).collect();
    let prefer = model.prefer(nearest);
    // Nearest poses come with the error 0, not with the rest that rounding leaves.
    let scale = lone_scale(model, &request, &problems.template).filter(|_| prefer == Prefer::First);
    // Rows are like the first one.
    let in_lanes =
        rows > 0 && model.with_solver(prefer, Interrupt::NONE, |solver| solver.runs_in_lanes(&problems.at(0)));
    let job = Job { model, problems: &problems, joints, start, own_starts, prefer, scale, in_lanes };
    let mut q = vec![0.0; rows * model.columns.width];
    let answers = job.run(py, threads.unwrap_or_else(all_cores), progress, &mut q)?;
    let refused = (0..rows).filter(|&row| answers[row].0 == Stop::Refused).take(MOST_REASONS);
    let why = |row| problems.reason(model, row, &job.start_of(row));
    let refused: BTreeMap<usize, String> = refused.map(|row| (row, why(row))).collect();
    let q = PyArray1::from_vec(py, q).reshape([rows, model.columns.width])?;
    let reached = PyArray1::from_iter(py, answers.iter().map(|(stop, ..)| stop.is_reached()));
    let stop = PyArray1::from_iter(py, answers.iter().map(|(stop, ..)| *stop as u8));
    let distance = PyArray1::from_iter(py, answers.iter().map(|(.., distance)| *distance));
    let iterations = PyArray1::from_iter(py, answers.iter().map(|(_, iterations, _)| *iterations));
    BATCH.make(py, (q, reached, stop, distance, coordinate_names(model), iterations, refused))
}

/// What every part needs.
struct Job<'a> {
    model: &'a Model,
    problems: &'a Problems<'a>,
    /// The joints of `q`.
    joints: Vec<usize>,
    start: Option<Slice<'a>>,
    own_starts: bool,
    prefer: Prefer,
    /// The length that errors are fractions of, if there is only one.
    scale: Option<f64>,
    in_lanes: bool,
}

impl Job<'_> {
    /// Solves all rows, in parts that threads share.
    fn run(
        &self,
        py: Python<'_>,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
        q: &mut [f64],
    ) -> PyResult<Vec<Answer>> {
        let width = self.model.columns.width;
        let mut answers = vec![(Stop::Interrupted, 0, f64::INFINITY); q.len() / width];
        let (parts, bounds) = if self.in_lanes { (1, LANES_PART) } else { (PARTS_PER_THREAD, PART) };
        let size = answers.len().div_ceil(parts * threads).clamp(*bounds.start(), *bounds.end());
        let threads = threads.min(answers.len().div_ceil(size));
        let pieces = q.chunks_mut(size * width).zip(answers.chunks_mut(size)).enumerate();
        let solve = |(part, (q, answers)): (usize, (&mut [f64], &mut [Answer])), interrupt| {
            self.write_starts(part * size, q);
            answers.copy_from_slice(&self.solve_part(part * size, interrupt, q));
            answers.len()
        };
        let report = |rows: usize| progress.map_or(Ok(()), |progress| progress.call1((rows,)).map(|_| ()));
        each_piece(py, threads, pieces, solve, report)?;
        Ok(answers)
    }

    /// The pose from which a row starts.
    fn start_of(&self, row: usize) -> Pose {
        let mut q = vec![0.0; self.model.columns.width];
        self.write_starts(row, &mut q);
        self.model.pose(Some(&q))
    }

    /// Writes the start poses of the rows from `first` on.
    fn write_starts(&self, first: usize, q: &mut [f64]) {
        let (model, width) = (self.model, self.model.columns.width);
        match self.start {
            Some(starts) if self.own_starts => starts.copy(first * width, q),
            _ => {
                let mut start = model.q(&model.scene.start);
                if let Some(shared) = self.start {
                    shared.copy(0, &mut start);
                }
                q.chunks_exact_mut(width).for_each(|q| q.copy_from_slice(&start));
            }
        }
    }

    /// Solves the rows from `first` on.
    fn solve_part(&self, first: usize, interrupt: Interrupt, q: &mut [f64]) -> Vec<Answer> {
        let (model, width) = (self.model, self.model.columns.width);
        let mut problem = self.problems.template.clone();
        let mut targets = Vec::with_capacity(q.len() / width * problem.goals.len());
        for row in first..first + q.len() / width {
            self.problems.set(&mut problem, row);
            targets.extend(problem.goals.iter().map(|goal| goal.target));
        }
        let reports = model.with_solver(self.prefer, interrupt, |solver| {
            solver.problem.clone_from(&problem);
            solver.solve_rows(&targets, &model.scene.start, &self.joints, q)
        });
        let rows = reports.into_iter().zip(q.chunks_exact_mut(width)).enumerate();
        let answer = |(at, (report, q)): (usize, (Report, &mut [f64]))| {
            // Starts near the largest number overflow on the way.
            if report.stop == Stop::Refused || q.iter().any(|number| !number.is_finite()) {
                q.fill(f64::NAN);
                return (Stop::Refused, 0, f64::INFINITY);
            }
            let distance =
                self.scale.map_or_else(|| self.distance(first + at, &mut problem, q), |scale| report.error * scale);
            (report.stop, report.iterations, distance)
        };
        rows.map(answer).collect()
    }

    /// The largest distance of a pose from the targets of a row.
    fn distance(&self, row: usize, problem: &mut Problem, q: &[f64]) -> f64 {
        self.problems.set(problem, row);
        let errors = goal_errors(&self.model.skeleton, problem, &self.model.pose(Some(q)));
        let required = self.problems.indices.iter().filter(|at| !problem.goals[**at].is_preferred());
        required.map(|&at| errors[at].distance).fold(0.0, f64::max)
    }
}

/// The length that the errors of reports are fractions of, if those are the distances from the targets: there is one goal,
/// which looks at no point, and nothing else to meet.
fn lone_scale(model: &Model, request: &Request<'_>, problem: &Problem) -> Option<f64> {
    let [goal] = request.goals.as_slice() else { return None };
    let others_rest = problem.goals.iter().all(|goal| !goal.is_active()) && problem.has_only_goals();
    let is_alone = others_rest && !goal.looks();
    let size = goal.effector.size(&model.skeleton);
    (is_alone && size > 0.0).then_some(size)
}
