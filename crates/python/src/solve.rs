//! One target at a time.

use crate::errors::value_error;
use crate::goals::Asked;
use crate::interruptible::interruptible;
use crate::model::Model;
use crate::numbers::{Rows, Shaped};
use crate::python_class::INFO;
use crate::request::Request;
use fabrik3d_ik::queries::{angle_between, blocking_joints};
use fabrik3d_ik::settings::Interrupt;
use fabrik3d_ik::{Coordinates, Goal, Isometry, Problem, Report, Settings, Stop};
use pyo3::prelude::*;
use std::time::Duration;

/// All reasons to stop, in the order of the enumeration. Their places are the numbers in `Batch.stop`.
pub const STOPS: [Stop; 8] = [
    Stop::Reached,
    Stop::TooFar,
    Stop::TooClose,
    Stop::Limited,
    Stop::Stalled,
    Stop::IterationLimit,
    Stop::Refused,
    Stop::Interrupted,
];

const _: () = {
    let mut at = 0;
    while at < STOPS.len() {
        assert!(STOPS[at] as usize == at, "STOPS has another order than the enumeration");
        at += 1;
    }
};

/// How a solve ended: the fields of `Info` in Python.
pub struct Info {
    report: Report,
    /// Distance and angle.
    misses: [f64; 2],
    /// The argument that was refused, and why.
    refused: Option<String>,
    /// The joints whose limits keep it from the targets.
    blocked_by: Vec<String>,
    /// Distance and angle of the targets that are only preferred, if there are any.
    preferred: Option<[f64; 2]>,
    /// How far the center of mass is beside what the robot stands on, if that is asked.
    imbalance: Option<f64>,
}

impl Info {
    pub fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Info { report, misses: [distance, angle], refused, blocked_by, preferred, imbalance } = self;
        let Report { stop, error, iterations, attempts, .. } = report;
        let reached = stop.is_reached();
        let preferred = preferred.map(|[distance, angle]| (distance, angle));
        INFO.make(
            py,
            (
                stop.word(),
                reached,
                distance,
                angle,
                error,
                iterations,
                attempts,
                refused,
                blocked_by,
                preferred,
                imbalance,
            ),
        )
    }
}

/// Largest distance and angle between the goals at these indices and the frames of a pose, but for preferred goals, besides what the
/// goals leave open. Both are infinite where a number is not finite.
pub fn misses(problem: &Problem, indices: &[usize], frames: &[Isometry]) -> [f64; 2] {
    let required = indices.iter().map(|&at| &problem.goals[at]).filter(|goal| !goal.is_preferred());
    misses_of(required, frames).unwrap_or_default()
}

/// The same for any goals; `None` without one.
fn misses_of<'a>(goals: impl Iterator<Item = &'a Goal>, frames: &[Isometry]) -> Option<[f64; 2]> {
    goals.fold(None, |misses: Option<[f64; 2]>, goal| {
        let [distance, angle] = misses.unwrap_or_default();
        let frame = frames[goal.effector.joint];
        let own = goal.nearest_position(frame).map_or(0.0, |target| frame.point(goal.effector.tip).distance(target));
        let turn = goal.nearest_rotation(frame).map_or(0.0, |target| angle_between(frame.rotation, target));
        Some(if (own + turn).is_finite() { [distance.max(own), angle.max(turn)] } else { [f64::INFINITY; 2] })
    })
}

/// Which pose is the answer, and what bounds a single solve.
pub struct Bounds {
    /// The one close to the start, as a controller needs it.
    track: bool,
    /// Or one elsewhere, where only that reaches the target.
    elsewhere: bool,
    /// Of all that are found, the nearest to the start.
    nearest: bool,
    max_step: Option<LargestStep>,
    time_limit: Option<Duration>,
}

/// The largest move of joints from the start.
enum LargestStep {
    OfAll(f64),
    /// One per joint of the skeleton; infinite for those that `q` does not have.
    OfEach(Vec<f64>),
}

impl Bounds {
    /// Reads whether to track, to look elsewhere and to take the nearest pose, the largest step in radians or lengths or the time
    /// that it takes, and a time limit in seconds.
    pub fn read(
        model: &Model,
        [track, elsewhere, nearest]: [bool; 3],
        (max_step, dt): (Option<&Bound<'_, PyAny>>, Option<f64>),
        seconds: Option<f64>,
    ) -> PyResult<Self> {
        let read_limit = |seconds: f64| {
            let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
            limit
                .ok_or_else(|| value_error(format!("time_limit is {seconds}; it must be a positive number of seconds")))
        };
        match (max_step, dt) {
            _ if track && nearest => return Err(value_error("track and nearest exclude each other")),
            _ if elsewhere && !track => return Err(value_error("elsewhere needs track=True")),
            (Some(_), _) if !track => return Err(value_error("max_step needs track=True")),
            (_, Some(_)) if !track => return Err(value_error("dt needs track=True")),
            (Some(_), Some(_)) => return Err(value_error("max_step and dt exclude each other")),
            _ => {}
        }
        let given = max_step.map(|step| LargestStep::read(model, step));
        let max_step = given.or(dt.map(|dt| LargestStep::in_time(model, dt))).transpose()?;
        Ok(Bounds { track, elsewhere, nearest, max_step, time_limit: seconds.map(read_limit).transpose()? })
    }
}

impl LargestStep {
    /// Reads one number for all joints, or one for each number of `q`.
    fn read(model: &Model, step: &Bound<'_, PyAny>) -> PyResult<Self> {
        match step.extract::<f64>() {
            Ok(step) if step > 0.0 && step.is_finite() => Ok(LargestStep::OfAll(step)),
            _ => Ok(LargestStep::OfEach(joint_bounds(model, "max_step", step)?)),
        }
    }

    /// At the velocity limits of the file.
    fn in_time(model: &Model, dt: f64) -> PyResult<Self> {
        let steps = model.scene.max_steps(seconds("dt", dt)?);
        if steps.is_empty() {
            return Err(value_error("dt: the file has no velocity limits; give max_step instead"));
        }
        if let Some(still) = steps.iter().position(|&step| step == 0.0) {
            let joint = &model.skeleton.joints()[still].name;
            return Err(value_error(format!("dt: the velocity limit of `{joint}` is 0; give max_step instead")));
        }
        Ok(LargestStep::OfEach(steps))
    }
}

/// Checks an argument that is a time.
pub fn seconds(argument: &str, seconds: f64) -> PyResult<f64> {
    let wrong = || value_error(format!("{argument} is {seconds}; it must be a positive number of seconds"));
    if seconds > 0.0 && seconds.is_finite() { Ok(seconds) } else { Err(wrong()) }
}

/// Reads bounds of joints, one number for all or one for each number of `q`: one per joint of the skeleton, infinite for those
/// that `q` does not have.
pub fn joint_bounds(model: &Model, argument: &str, bounds: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let wrong = |bound: f64| value_error(format!("{argument} is {bound}; it must be a positive number"));
    let each = match bounds.extract::<f64>() {
        Ok(bound) if bound.is_finite() => vec![bound; model.columns.width],
        Ok(bound) => return Err(wrong(bound)),
        Err(_) => Rows::read(argument, bounds, &[&[model.columns.width]])?.single(argument)?,
    };
    if let Some(&bound) = each.iter().find(|bound| bound.is_nan() || **bound <= 0.0) {
        return Err(wrong(bound));
    }
    Ok(model.columns.by_joint(&model.skeleton, &each, f64::INFINITY, f64::min))
}

/// The names of the joints whose limits keep a pose from its goals.
fn blocking(model: &Model, problem: &Problem, pose: &[Coordinates]) -> Vec<String> {
    let joints = blocking_joints(&model.skeleton, problem, pose).into_iter();
    joints.map(|joint| model.skeleton.joints()[joint].name.clone()).collect()
}

/// Solves for one row of targets. Returns the coordinates of the pose; NaN if the input is refused.
pub fn solve(py: Python<'_>, model: &Model, asked: &Asked<'_, '_>, bounds: &Bounds) -> PyResult<(Vec<f64>, Info)> {
    let &Bounds { track, elsewhere, nearest, ref max_step, time_limit } = bounds;
    let request = Request::read(model, asked)?;
    request.single()?;
    let (problems, start) = (request.problems(model), request.start_pose(model)?);
    let (mut q, mut pose) = (vec![f64::NAN; model.columns.width], start.clone());
    let info = py.detach(|| {
        model.with_solver(model.prefer(nearest), Interrupt::NONE, |solver| {
            solver.problem = problems.at(0);
            let max_step = match max_step {
                Some(LargestStep::OfAll(step)) => Some(*step),
                Some(LargestStep::OfEach(steps)) => {
                    solver.problem.max_steps.clone_from(steps);
                    None
                }
                None => None,
            };
            solver.settings = Settings { max_step, time_limit, may_jump: elsewhere, ..solver.settings };
            let report = if track { solver.track(&mut pose) } else { solver.solve(&mut pose) };
            if report.stop == Stop::Refused {
                return None;
            }
            model.columns.write(&model.skeleton, &pose, &mut q);
            // Starts near the largest number overflow on the way.
            let is_finite = q.iter().all(|number| number.is_finite());
            let misses = || misses(&solver.problem, &problems.indices, solver.frames());
            let blocked_by = || match report.stop {
                Stop::Limited => blocking(model, &solver.problem, &pose),
                _ => Vec::new(),
            };
            is_finite.then(|| Info {
                report,
                misses: misses(),
                refused: None,
                blocked_by: blocked_by(),
                preferred: misses_of(solver.problem.goals.iter().filter(|goal| goal.is_preferred()), solver.frames()),
                imbalance: solver.problem.imbalance(solver.frames()),
            })
        })
    });
    let info = info.unwrap_or_else(|| {
        q.fill(f64::NAN);
        let refused = Some(problems.reason(model, 0, &start));
        let (misses, blocked_by) = ([f64::INFINITY; 2], Vec::new());
        Info { report: Report::REFUSED, misses, refused, blocked_by, preferred: None, imbalance: None }
    });
    Ok((q, info))
}

/// Most poses that `solutions` returns. An arm has infinitely many for a position alone.
const MOST_BRANCHES: usize = 1000;

/// The poses that meet one row of targets in clearly different ways, nearest to the start first.
pub fn solutions(py: Python<'_>, model: &Model, asked: &Asked<'_, '_>, most: usize) -> PyResult<Shaped> {
    if most > MOST_BRANCHES {
        return Err(value_error(format!("most is {most}; it may be at most {MOST_BRANCHES}")));
    }
    let request = Request::read(model, asked)?;
    request.single()?;
    let (problems, start) = (request.problems(model), request.start_pose(model)?);
    if let Some(why) = problems.refusal(model, 0, &start) {
        return Err(value_error(why));
    }
    let mut q = vec![0.0; model.columns.width];
    let found = interruptible(py, model, |solver| {
        solver.problem = problems.at(0);
        solver.solutions(&start, most)
    })?;
    let mut rows = Vec::with_capacity(found.len() * q.len());
    for pose in &found {
        model.columns.write(&model.skeleton, pose, &mut q);
        rows.extend_from_slice(&q);
    }
    Ok((rows, vec![found.len(), q.len()]))
}
