//! Many targets at once, in blocks: on all cores, in SIMD lanes where they fit, and open to Ctrl+C between blocks.

use crate::errors::value_error;
use crate::goals::Asked;
use crate::model::Model;
use crate::numbers::{Rows, Slice};
use crate::request::{Problems, Request};
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Pose, Problem, Report, Stop};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time of a block. Ctrl+C waits for the end of a block.
const BLOCK_TIME: Duration = Duration::from_millis(150);
/// Rows of the first block per thread, in lanes and one by one.
const FIRST_BLOCK: [usize; 2] = [8192, 64];
/// Most rows of a block per thread: what a block needs besides its answers stays in the caches.
const LARGEST_BLOCK: usize = 1 << 13;
/// Most threads of a call. More would end the process before the first row.
const MOST_THREADS: usize = 1024;
/// Fewest rows that a thread solves at once in lanes, if there are so many. At their end, lanes wait for the hardest ones.
const LANES_PART: usize = 4096;
/// Most rows that a thread solves at once without lanes.
const PART: usize = 256;
/// Most rows whose refusal is explained.
const MOST_REASONS: usize = 1000;

/// The answers to many targets, one row each.
#[pyclass(frozen, get_all, module = "fabrik3d")]
pub struct Batch {
    /// Joint coordinates, (N, dof); NaN where the input was refused.
    q: Py<PyArray2<f64>>,
    /// Whether all targets of the row are met, (N,).
    reached: Py<PyArray1<bool>>,
    /// Why the solve stopped, (N,): places in `STOPS`.
    stop: Py<PyArray1<u8>>,
    /// Largest distance from a target in scene units, (N,); infinity where the input was refused.
    distance: Py<PyArray1<f64>>,
    /// Iterations, (N,).
    iterations: Py<PyArray1<u32>>,
    /// For the first 1000 rows that were refused, the argument that was, and why: `rotations: the quaternion is zero`.
    refused: BTreeMap<usize, String>,
}

#[pymethods]
impl Batch {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.reached.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (rows, reached) = (self.__len__(py)?, self.reached.bind(py).try_readonly());
        let reached = reached.map_or(0, |rows| rows.as_array().iter().filter(|reached| **reached).count());
        Ok(format!("Batch({rows} rows, {reached} reached)"))
    }
}

/// Why the solve of a row stopped, its iterations, and its largest distance from a target.
type Answer = (Stop, u32, f64);

/// Solves all rows of the targets. With `nearest`, the pose nearest to the start is the answer.
pub fn solve_many(
    py: Python<'_>,
    model: &Model,
    asked: &Asked<'_, '_>,
    nearest: bool,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Batch> {
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
    let pool = pool(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let joints = model.columns.iter().map(|column| column.joint).collect();
    let prefer = model.prefer(nearest);
    // Nearest poses come with the error 0, not with the rest that rounding leaves.
    let scale = lone_scale(model, &request, &problems.template).filter(|_| prefer == Prefer::First);
    // Rows are like the first one.
    let in_lanes = rows > 0 && model.with_solver(prefer, |solver| solver.runs_in_lanes(&problems.at(0)));
    let job = Job { model, problems: &problems, joints, start, own_starts, prefer, scale, in_lanes };
    let mut q = vec![0.0; rows * model.columns.width];
    let answers = job.run(py, &pool, progress, &mut q)?;
    let refused = (0..rows).filter(|&row| answers[row].0 == Stop::Refused).take(MOST_REASONS);
    let why = |row| problems.reason(model, row, &job.start_of(row));
    let refused = refused.map(|row| (row, why(row))).collect();
    let q = PyArray1::from_vec(py, q).reshape([rows, model.columns.width])?.unbind();
    Ok(Batch {
        q,
        reached: PyArray1::from_iter(py, answers.iter().map(|(stop, ..)| stop.is_reached())).unbind(),
        stop: PyArray1::from_iter(py, answers.iter().map(|(stop, ..)| *stop as u8)).unbind(),
        distance: PyArray1::from_iter(py, answers.iter().map(|(.., distance)| *distance)).unbind(),
        iterations: PyArray1::from_iter(py, answers.iter().map(|(_, iterations, _)| *iterations)).unbind(),
        refused,
    })
}

/// What every block needs.
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
    /// Solves all rows, block by block, so that Ctrl+C and `progress` get their turns.
    fn run(
        &self,
        py: Python<'_>,
        pool: &ThreadPool,
        progress: Option<&Bound<'_, PyAny>>,
        q: &mut [f64],
    ) -> PyResult<Vec<Answer>> {
        let (width, threads) = (self.model.columns.width, pool.current_num_threads());
        let rows = q.len() / width;
        let mut answers = Vec::with_capacity(rows);
        let mut block = FIRST_BLOCK[usize::from(!self.in_lanes)] * threads;
        let mut done = 0;
        while done < rows {
            let end = rows.min(done + block);
            let began = Instant::now();
            let out = &mut q[done * width..end * width];
            py.detach(|| pool.install(|| self.solve(done..end, out, &mut answers)));
            let pace = (end - done) as f64 / began.elapsed().as_secs_f64().max(1e-9);
            block = ((pace * BLOCK_TIME.as_secs_f64()) as usize).clamp(threads, LARGEST_BLOCK * threads);
            py.check_signals()?;
            if let Some(progress) = progress {
                progress.call1((end - done,))?;
            }
            done = end;
        }
        Ok(answers)
    }

    /// Solves rows, in parts that threads share.
    fn solve(&self, rows: Range<usize>, q: &mut [f64], answers: &mut Vec<Answer>) {
        let width = self.model.columns.width;
        self.write_starts(rows.start, q);
        let threads = rayon::current_num_threads();
        let size = match self.in_lanes {
            true => rows.len().div_ceil(threads).max(LANES_PART),
            false => rows.len().div_ceil(4 * threads).clamp(1, PART),
        };
        let parts = q.par_chunks_mut(size * width).enumerate();
        let solved: Vec<_> = parts.map(|(part, q)| self.solve_part(rows.start + part * size, q)).collect();
        answers.extend(solved.into_iter().flatten());
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
    fn solve_part(&self, first: usize, q: &mut [f64]) -> Vec<Answer> {
        let (model, width) = (self.model, self.model.columns.width);
        let mut problem = self.problems.template.clone();
        let mut targets = Vec::with_capacity(q.len() / width * problem.goals.len());
        for row in first..first + q.len() / width {
            self.problems.set(&mut problem, row);
            targets.extend(problem.goals.iter().map(|goal| goal.target));
        }
        let reports = model.with_solver(self.prefer, |solver| {
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
        self.problems.indices.iter().map(|&at| errors[at].distance).fold(0.0, f64::max)
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

/// The pool of all cores, and the process that started its threads.
static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// A pool of this many threads; `None`: one per core. Pools of all cores are shared by all calls of a process. A child
/// process that was forked has none of its parent's threads, so it gets a pool of its own.
///
/// # Errors
/// The system starts no more threads.
pub fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
    if let Some(threads) = threads {
        return Ok(Arc::new(ThreadPoolBuilder::new().num_threads(threads).build()?));
    }
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = shared.as_ref().filter(|(process, _)| *process == std::process::id()) {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(ThreadPoolBuilder::new().build()?);
    if let Some((_, parents)) = shared.replace((std::process::id(), Arc::clone(&pool))) {
        // Dropping it would wait for threads that do not exist here.
        std::mem::forget(parents);
    }
    Ok(pool)
}
