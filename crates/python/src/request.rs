//! What a call asks for: its targets and its obstacles, and the problems that they make of the scene's.

use crate::errors::{type_error, value_error};
use crate::goals::{Asked, Goals, Preferences, Targets};
use crate::model::Model;
use crate::numbers::Rows;
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::errors::{Part, Refusal};
use fabrik3d_ik::goals::{CenterOfMass, GoalRank, Posture};
use fabrik3d_ik::settings::{Interrupt, Prefer};
use fabrik3d_ik::{Coordinates, Goal, Pose, Problem, Target};
use fabrik3d_scene::{Soles, parse_obstacles};
use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What a call asks for.
pub struct Request<'py> {
    pub goals: Vec<Goals<'py>>,
    /// The number of rows; `None` for a single target.
    pub count: Option<usize>,
    obstacles: Vec<Obstacle>,
    /// Where the solves start, if not at the start pose of the scene.
    pub start: Option<Rows<'py>>,
    /// The posture that the call gives in place of the scene's.
    posture: Option<Posture>,
    /// The goals of the call whose targets are preferred, by their places among `goals`.
    preferred: Vec<usize>,
    /// The center of mass that the call keeps above points, in place of the scene's.
    balance: Option<CenterOfMass>,
}

impl<'py> Request<'py> {
    pub fn read(model: &Model, asked: &Asked<'_, 'py>) -> PyResult<Self> {
        let (goals, count) = Goals::read(model, asked)?;
        let obstacles = asked.obstacles.map_or(Ok(Vec::new()), read_obstacles)?;
        let poses = |start| Rows::read("start", start, &[&[model.columns.width]]);
        let start = asked.start.map(poses).transpose()?;
        let posture = read_posture(model, &asked.preferences)?;
        let preferred = read_preferred(model, &asked.preferences, &goals)?;
        let balance = asked.preferences.balance.map(|points| read_balance(model, points)).transpose()?;
        Ok(Request { goals, count, obstacles, start, posture, preferred, balance })
    }

    /// The number of rows, for calls that take many.
    pub fn rows(&self) -> PyResult<usize> {
        self.count.ok_or_else(|| {
            value_error(
                "positions, rotations and look_at must hold rows of targets, found a single target, which solve takes",
            )
        })
    }

    /// Checks that there is a single target.
    pub fn single(&self) -> PyResult<()> {
        let Some(count) = self.count else { return Ok(()) };
        Err(value_error(format!(
            "position, rotation and look_at must hold a single target, found {count} rows; solve_many takes rows"
        )))
    }

    /// The single pose from which the call starts.
    pub fn start_pose(&self, model: &Model) -> PyResult<Pose> {
        let q = self.start.as_ref().map(|start| start.single("start")).transpose()?;
        Ok(model.pose(q.as_deref()))
    }

    pub fn problems(&self, model: &Model) -> Problems<'_> {
        let mut added = model.scene.effectors.len()..;
        Problems {
            targets: self.goals.iter().map(Goals::targets).collect(),
            indices: self.goals.iter().filter_map(|goal| goal.index.or_else(|| added.next())).collect(),
            template: self.template(model),
            soles: model.scene.soles(),
        }
    }

    /// The scene's problem without the targets that this call gives. As in `solve --cases`, other effectors that are pinned
    /// keep their targets, and obstacles are added to those of the scene.
    fn template(&self, model: &Model) -> Problem {
        let mut problem = model.scene.open_problem();
        if let Some(posture) = &self.posture {
            problem.posture.clone_from(posture);
        }
        if let Some(balance) = &self.balance {
            problem.centers_of_mass = vec![balance.clone()];
        }
        for (own, goals) in self.goals.iter().enumerate() {
            let at = goals.index.unwrap_or(problem.goals.len());
            if goals.index.is_none() {
                problem.goals.push(Goal::new(goals.effector, Target::default()));
            }
            problem.goals[at].target = Target::default();
            if self.preferred.contains(&own) {
                problem.goals[at].rank = GoalRank::Preferred;
            }
        }
        self.obstacles.iter().for_each(|obstacle| problem.obstacles.push(*obstacle));
        problem
    }
}

/// Reads the pose to keep to with its weights.
fn read_posture(model: &Model, preferences: &Preferences<'_, '_>) -> PyResult<Option<Posture>> {
    let Preferences { posture, weights, .. } = *preferences;
    let Some(posture) = posture else {
        return match weights {
            None => Ok(None),
            Some(_) => Err(type_error("weights belong to a posture: give posture, such as the start pose, too")),
        };
    };
    let width = model.columns.width;
    let pose = model.pose(Some(&Rows::read("posture", posture, &[&[width]])?.single("posture")?));
    let weights = match weights {
        None => vec![1.0; width],
        Some(weights) => match weights.extract::<f64>() {
            Ok(weight) => vec![weight; width],
            Err(_) => Rows::read("weights", weights, &[&[width]])?.single("weights")?,
        },
    };
    if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
        return Err(value_error("weights must be finite and at least 0; 0 leaves a joint free"));
    }
    let weights = model.columns.by_joint(&model.skeleton, &weights, 0.0, f64::max);
    Ok(Some(Posture { weights, pose }))
}

/// Reads what the robot stands on.
fn read_balance(model: &Model, points: &Bound<'_, PyAny>) -> PyResult<CenterOfMass> {
    let masses = model.scene.body_masses();
    if masses.is_empty() {
        return Err(value_error(
            "balance: the file says no masses; links of a .urdf file have them as <inertial>, a scene file as [[mass]]",
        ));
    }
    let rows = Rows::read("balance", points, &[&[3]])?;
    let support = (0..rows.count.unwrap_or(1)).map(|row| DVec3::from_array(rows.slice().get(3 * row))).collect();
    Ok(CenterOfMass { masses, support, up: model.scene.up.axis() })
}

/// Reads which of the targets of a call are preferred.
fn read_preferred(model: &Model, preferences: &Preferences<'_, '_>, goals: &[Goals<'_>]) -> PyResult<Vec<usize>> {
    let Some(names) = preferences.preferred else { return Ok(Vec::new()) };
    let names = names.extract::<String>().map(|name| vec![name]).or_else(|_| names.extract::<Vec<String>>());
    let names = names.map_err(|_| type_error("preferred must be the name of an effector, or a list of names"))?;
    let place = |name: String| {
        let (index, effector) = model.find_effector("preferred", Some(&name))?;
        let is_it = |goal: &Goals<'_>| goal.index == index && goal.effector == effector;
        let at = goals.iter().position(is_it);
        at.ok_or_else(|| value_error(format!("preferred: `{name}` has no target in this call")))
    };
    names.into_iter().map(place).collect()
}

/// Reads obstacles: dicts as in a case of `solve --cases`. Arrays of NumPy are lists, too.
fn read_obstacles(obstacles: &Bound<'_, PyAny>) -> PyResult<Vec<Obstacle>> {
    let py = obstacles.py();
    let to_list = py.import("operator")?.call_method1("methodcaller", ("tolist",))?;
    let options = PyDict::new(py);
    options.set_item("default", to_list)?;
    options.set_item("allow_nan", false)?;
    let text = py.import("json")?.call_method("dumps", (obstacles,), Some(&options));
    let text: String =
        text.and_then(|text| text.extract()).map_err(|error| value_error(format!("obstacles: {}", error.value(py))))?;
    parse_obstacles(&text).map_err(|error| value_error(format!("obstacles: {error}")))
}

/// The problems of a call, row by row. They can be made without the interpreter.
pub struct Problems<'a> {
    targets: Vec<Targets<'a>>,
    /// The goals of the call among those of the problem.
    pub indices: Vec<usize>,
    /// The problem without targets.
    pub template: Problem,
    soles: Soles,
}

impl Problems<'_> {
    pub fn at(&self, row: usize) -> Problem {
        let mut problem = self.template.clone();
        self.set(&mut problem, row);
        problem
    }

    /// Sets the targets of one row. Where it holds none, the solver gets one that it refuses.
    pub fn set(&self, problem: &mut Problem, row: usize) {
        problem.goals.clone_from(&self.template.goals);
        for (&at, targets) in self.indices.iter().zip(&self.targets) {
            let goal = &mut problem.goals[at];
            let is_read = targets.read(row).is_ok_and(|spec| spec.apply_to(goal).is_ok());
            if !is_read {
                goal.target = Target::from(DVec3::NAN);
            }
        }
        self.soles.complete(problem, |at| self.indices.contains(&at));
    }

    /// Why the solver of a model refuses a row, if it does: the argument and the reason. `pose` is where the solve starts.
    pub fn refusal(&self, model: &Model, row: usize, pose: &[Coordinates]) -> Option<String> {
        if let Some((label, why)) = self.targets.iter().find_map(|targets| targets.read(row).err()) {
            return Some(format!("{label}: {why}"));
        }
        let Refusal { part, reason } = model.with_solver(Prefer::First, Interrupt::NONE, |solver| {
            solver.problem = self.at(row);
            solver.check(pose).err()
        })?;
        Some(match part {
            Part::Joint(joint) => format!("start: `{}`: {reason}", model.skeleton.joints()[joint].name),
            part => format!("{part}: {reason}"),
        })
    }

    /// The same, after a solver refused the row. Starts near the largest number pass the check and overflow on the way.
    pub fn reason(&self, model: &Model, row: usize, pose: &[Coordinates]) -> String {
        self.refusal(model, row, pose).unwrap_or_else(|| "start: a number is too large".to_owned())
    }
}
