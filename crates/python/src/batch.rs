//! Many targets at once, in blocks: on all cores, in SIMD lanes where they fit, and open to Ctrl+C between blocks.

use crate::columns::Column;
use crate::errors::value_error;
use crate::goals::{Asked, Goals, Targets};
use crate::model::Model;
use crate::numbers::{Poses, Slice};
use crate::problems::{goal_indices, problem_of, set_targets};
use crate::threads::pool;
use fabrik3d_ik::simd::{ArmBatch, Starts};
use fabrik3d_ik::{Coordinates, Pose, Prefer, Problem, Report, Skeleton, Stop, Target, goal_errors};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time of a block. Ctrl+C waits for the end of a block.
const BLOCK_TIME: Duration = Duration::from_millis(150);
/// Rows of the first block per thread, in lanes and one by one.
const FIRST_BLOCK: [usize; 2] = [8192, 64];
/// Most rows of a block per thread: what a block needs besides its answers stays in the caches.
const LARGEST_BLOCK: usize = 1 << 13;
/// Most threads of a call. More would end the process before the first row.
const MOST_THREADS: usize = 1024;
/// Rows that a thread solves at once without lanes of arms. Chains fill lanes with them.
const PART: usize = 256;

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

/// How to solve many rows.
pub struct Options<'a, 'py> {
    pub start: Option<Poses<'py>>,
    /// Whether the pose nearest to the start is the answer.
    pub nearest: bool,
    pub threads: Option<usize>,
    pub progress: Option<&'a Bound<'py, PyAny>>,
}

/// Solves all rows of the targets.
pub fn solve_many<'py>(
    py: Python<'py>,
    model: &Model,
    asked: &Asked<'_, 'py>,
    options: &Options<'_, 'py>,
) -> PyResult<Batch> {
    let (goals, count) = Goals::read(model, asked)?;
    let rows = count.ok_or_else(|| {
        value_error(
            "positions, rotations and look_at must hold rows of targets, found a single target, which solve takes",
        )
    })?;
    let targets: Vec<Targets<'_>> = goals.iter().map(Goals::targets).collect();
    let (start, own_starts) = match &options.start {
        Some((_, Some(count))) if *count != rows => {
            return Err(value_error(format!(
                "start has {count} rows for {rows} targets; it needs as many, or one row"
            )));
        }
        Some((numbers, count)) => (Some(numbers.slice()), count.is_some()),
        None => (None, false),
    };
    if model.columns.width() == 0 {
        return Err(value_error("this robot has no joint that can be set, so there is nothing to solve"));
    }
    if options.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
        return Err(value_error(format!(
            "threads must be at least 1 and at most {MOST_THREADS}, or None for all cores"
        )));
    }
    let pool = pool(options.threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let problem = problem_of(model, &goals);
    let prefer = model.prefer(options.nearest);
    // The lanes take the first pose that they find.
    let arm = arm(model, &goals, &problem).filter(|_| prefer == Prefer::First);
    let indices = goal_indices(model, &goals);
    let job = Job { model, targets: &targets, indices, problem, start, own_starts, prefer };
    let width = model.columns.width();
    let mut q = vec![0.0; rows * width];
    let mut answers = Answers::with_capacity(rows);
    let mut arm = arm.map(|arm| ArmJob::new(&job, arm));
    let mut block = FIRST_BLOCK[usize::from(arm.is_none())] * pool.current_num_threads();
    let mut done = 0;
    while done < rows {
        let end = rows.min(done + block);
        let began = Instant::now();
        let out = &mut q[done * width..end * width];
        py.detach(|| match &mut arm {
            Some(arm) => pool.install(|| arm.solve(&job, done..end, out, &mut answers)),
            None => pool.install(|| job.solve(done..end, out, &mut answers)),
        });
        let pace = (end - done) as f64 / began.elapsed().as_secs_f64().max(1e-9);
        let fitting = (pace * BLOCK_TIME.as_secs_f64()) as usize;
        block = fitting.clamp(pool.current_num_threads(), LARGEST_BLOCK * pool.current_num_threads());
        py.check_signals()?;
        if let Some(progress) = options.progress {
            progress.call1((end - done,))?;
        }
        done = end;
    }
    let q = PyArray1::from_vec(py, q).reshape([rows, width])?.unbind();
    let Answers { reached, stop, distance, iterations } = answers;
    Ok(Batch {
        q,
        reached: PyArray1::from_vec(py, reached).unbind(),
        stop: PyArray1::from_vec(py, stop).unbind(),
        distance: PyArray1::from_vec(py, distance).unbind(),
        iterations: PyArray1::from_vec(py, iterations).unbind(),
    })
}

/// The columns of the answers besides `q`.
#[derive(Default)]
struct Answers {
    reached: Vec<bool>,
    stop: Vec<u8>,
    distance: Vec<f64>,
    iterations: Vec<u32>,
}

impl Answers {
    fn with_capacity(rows: usize) -> Self {
        Answers {
            reached: Vec::with_capacity(rows),
            stop: Vec::with_capacity(rows),
            distance: Vec::with_capacity(rows),
            iterations: Vec::with_capacity(rows),
        }
    }

    fn push(&mut self, report: Report, distance: f64) {
        self.reached.push(report.stop.is_reached());
        self.stop.push(report.stop as u8);
        self.distance.push(distance);
        self.iterations.push(report.iterations);
    }
}

/// What every block needs.
struct Job<'a> {
    model: &'a Model,
    targets: &'a [Targets<'a>],
    /// Indices of the goals of `targets` in the problem.
    indices: Vec<usize>,
    problem: Problem,
    start: Option<Slice<'a>>,
    own_starts: bool,
    prefer: Prefer,
}

impl Job<'_> {
    /// The start pose of a row.
    fn start(&self, row: usize) -> Pose {
        match self.start {
            Some(starts) if self.own_starts => self.pose(starts, row),
            _ => self.shared_start(),
        }
    }

    /// The start pose of all rows that have none of their own.
    fn shared_start(&self) -> Pose {
        match self.start {
            Some(start) if !self.own_starts => self.pose(start, 0),
            _ => self.model.pose(None),
        }
    }

    fn pose(&self, starts: Slice<'_>, row: usize) -> Pose {
        let mut q = vec![0.0; self.model.columns.width()];
        starts.copy(row * q.len(), &mut q);
        self.model.pose(Some(&q))
    }

    /// Solves rows problem by problem.
    fn solve(&self, rows: std::ops::Range<usize>, q: &mut [f64], answers: &mut Answers) {
        let (model, width) = (self.model, self.model.columns.width());
        let rows: Vec<usize> = rows.collect();
        let part = |(rows, q): (&[usize], &mut [f64])| {
            let problem = |&row: &usize| {
                let mut problem = self.problem.clone();
                set_targets(&mut problem, &self.indices, self.targets, row);
                problem
            };
            let problems: Vec<Problem> = rows.iter().map(problem).collect();
            let mut poses: Vec<Pose> = rows.iter().map(|&row| self.start(row)).collect();
            let reports = model.with_solver(self.prefer, |solver| solver.solve_many(&problems, &mut poses));
            let answer = |(((report, pose), problem), q): (((Report, Pose), Problem), &mut [f64])| {
                if report.stop == Stop::Refused {
                    q.fill(f64::NAN);
                    return (report, f64::INFINITY);
                }
                model.columns.write(&model.skeleton, &pose, q);
                // Starts near the largest number overflow on the way.
                if q.iter().any(|number| !number.is_finite()) {
                    q.fill(f64::NAN);
                    return (Report::REFUSED, f64::INFINITY);
                }
                let errors = goal_errors(&model.skeleton, &problem, &pose);
                let distance = self.indices.iter().map(|&at| errors[at].distance).fold(0.0, f64::max);
                (report, distance)
            };
            let rows = reports.into_iter().zip(poses).zip(problems).zip(q.chunks_exact_mut(width));
            rows.map(answer).collect::<Vec<_>>()
        };
        let size = rows.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, PART);
        let parts = rows.par_chunks(size).zip(q.par_chunks_mut(size * width));
        let solved: Vec<Vec<(Report, f64)>> = parts.map(part).collect();
        solved.into_iter().flatten().for_each(|(report, distance)| answers.push(report, distance));
    }
}

/// The lanes of an arm, if they can solve these goals alone: one goal that looks at no point, and nothing else to meet.
fn arm(model: &Model, goals: &[Goals<'_>], problem: &Problem) -> Option<ArmBatch> {
    let [goal] = goals else { return None };
    if goal.looks() {
        return None;
    }
    let is_alone = problem.goals.iter().all(|goal| !goal.is_active()) && problem.has_only_goals();
    let weights = problem.goals.iter().map(|goal| [goal.weight, goal.rotation_weight]);
    if !is_alone || weights.flatten().any(|weight| weight <= 0.0) {
        return None;
    }
    let skeleton = &model.skeleton;
    // The lanes do not know stiffness.
    if skeleton.ancestors(goal.effector.joint).any(|joint| skeleton.joints()[joint].stiffness > 0.0) {
        return None;
    }
    let freedom = problem.goals[goal.index.unwrap_or(model.scene.effectors.len())].freedom;
    let batch = ArmBatch::new(Arc::clone(skeleton), goal.effector).ok()?.with_freedom(freedom);
    // The lanes keep all other joints at rest.
    let moves = |&joint: &usize| skeleton.kind(joint).can_move() && skeleton.joints()[joint].mimic.is_none();
    let mut movers = skeleton.ancestors(goal.effector.joint).filter(moves);
    let in_columns = batch.variables().iter().all(|&joint| model.columns.of_joint(joint).is_some());
    (in_columns && movers.all(|joint| batch.variables().contains(&joint))).then_some(batch)
}

/// A batch of an arm on blocks of rows.
struct ArmJob {
    batch: ArmBatch,
    /// For each variable of the arm, its place in `q`.
    places: Vec<usize>,
    /// Whether the variables are `q` itself.
    is_whole: bool,
    /// The columns of `q` that the arm does not move. They keep their start, inside the limits.
    others: Vec<Column>,
    /// The start of all rows that have none of their own, as `q`.
    start: Vec<f64>,
    /// The length that errors are fractions of.
    scale: f64,
    targets: Vec<Target>,
    coordinates: Vec<f64>,
    reports: Vec<Report>,
}

impl ArmJob {
    fn new(job: &Job<'_>, batch: ArmBatch) -> Self {
        let columns = &job.model.columns;
        let places: Vec<usize> =
            batch.variables().iter().filter_map(|&joint| Some(columns.of_joint(joint)?.first)).collect();
        let effector = job.problem.goals[job.indices[0]].effector;
        let is_other = |column: &&Column| !batch.variables().contains(&column.joint);
        ArmJob {
            others: columns.iter().filter(is_other).copied().collect(),
            is_whole: places.iter().copied().eq(0..columns.width()),
            start: job.model.q(&job.shared_start()),
            scale: effector.error_scale(&job.model.skeleton, []),
            places,
            batch,
            targets: Vec::new(),
            coordinates: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Solves rows in lanes.
    fn solve(&mut self, job: &Job<'_>, rows: std::ops::Range<usize>, q: &mut [f64], answers: &mut Answers) {
        let ArmJob { batch, places, is_whole, others, start, scale, targets, coordinates, reports } = self;
        let width = job.model.columns.width();
        targets.clear();
        targets.extend(rows.clone().map(|row| job.targets[0].row(row)));
        reports.clear();
        reports.resize(rows.len(), Report::REFUSED);
        let own_starts = job.start.filter(|_| job.own_starts);
        match own_starts {
            Some(starts) => starts.copy(rows.start * width, q),
            None => q.chunks_exact_mut(width).for_each(|q| q.copy_from_slice(start)),
        }
        q.chunks_exact_mut(width).for_each(|q| project(&job.model.skeleton, others, q));
        let shared: Vec<f64> = places.iter().map(|&place| start[place]).collect();
        let starts = if own_starts.is_some() { Starts::Own } else { Starts::Shared(&shared) };
        let settings = &job.model.scene.settings;
        let solved = if *is_whole {
            batch.solve(targets, starts, settings, q, reports)
        } else {
            coordinates.resize(rows.len() * places.len(), 0.0);
            if own_starts.is_some() {
                let own = q.chunks_exact(width).flat_map(|q| places.iter().map(|&place| q[place]));
                coordinates.iter_mut().zip(own).for_each(|(coordinate, own)| *coordinate = own);
            }
            let solved = batch.solve(targets, starts, settings, coordinates, reports);
            for (q, coordinates) in q.chunks_exact_mut(width).zip(coordinates.chunks_exact(places.len().max(1))) {
                places.iter().zip(coordinates).for_each(|(&place, &coordinate)| q[place] = coordinate);
            }
            solved
        };
        debug_assert!(solved.is_ok(), "all slices have the length of the targets");
        for (report, q) in reports.iter_mut().zip(q.chunks_exact_mut(width)) {
            // The lanes do not see the start of joints that they do not move.
            if report.stop == Stop::Refused || q.iter().any(|number| !number.is_finite()) {
                *report = Report::REFUSED;
                q.fill(f64::NAN);
            }
            answers.push(*report, report.error * *scale);
        }
    }
}

/// Moves these columns of `q` inside their limits.
fn project(skeleton: &Skeleton, columns: &[Column], q: &mut [f64]) {
    for &Column { joint, first, count } in columns {
        let kind = skeleton.kind(joint);
        let values = &mut q[first..first + count];
        if values.iter().all(|value| value.is_finite())
            && let Some(coordinates) = Coordinates::from_values(kind, values)
        {
            values.copy_from_slice(kind.project(coordinates).values(kind));
        }
    }
}
