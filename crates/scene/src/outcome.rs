//! A case to solve, and the outcome of a solve as plain data, for JSON and tables.

use crate::printable::printable_json;
use crate::{EffectorMode, Scene, SceneEffector};
use fabrik3d_ik::queries::{Clearance, angle_between, blocking_joints, clearance};
use fabrik3d_ik::{Coordinates, Goal, Isometry, Pose, Problem, Report, Stop, Target};
use glam::{DQuat, DVec3};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::io;

/// A target that is missed by more than this number of reaches is probably in another unit.
pub const VERY_FAR: f64 = 20.0;

/// What the end of a solve means to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// What happened, in a few words.
    pub what: &'static str,
    /// Why, as a clause.
    pub why: &'static str,
    /// What to do about it, as a clause.
    pub remedy: &'static str,
}

/// What the end of a solve means: the one table for the command line, panels, comparisons and lessons.
pub fn meaning(stop: Stop) -> Meaning {
    let [what, why, remedy] = match stop {
        Stop::Reached => ["reached", "all targets are reached", ""],
        Stop::TooFar => {
            ["out of reach", "the target, or its orientation there, is beyond the reach", "move or turn the target"]
        }
        Stop::TooClose => ["too close", "the target is closer than the links can fold", "move it away from the base"],
        Stop::Limited => [
            "not reached",
            "joint limits, obstacles or other links are in the way",
            "move the target, or free what is pinned",
        ],
        Stop::IterationLimit => ["not reached", "the iteration limit was hit", "allow more iterations"],
        Stop::Interrupted => ["not reached", "the solve was interrupted", "give it more time"],
        Stop::Refused => ["refused", "a number is not finite or too large", "change that number"],
        _ => ["not reached", "no closer pose was found", "move the target, or free what is pinned"],
    };
    Meaning { what, why, remedy }
}

/// The outcome of one solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The solver's report.
    pub report: Report,
    /// Time that the solve took, microseconds.
    pub micros: f64,
    /// The pose found.
    pub pose: Pose,
    /// Positions of the joints in that pose, world space.
    pub joints: Vec<DVec3>,
    /// Result for each effector, in the scene's order.
    pub effectors: Vec<EffectorOutcome>,
    /// The smallest distance of a link from another one or from an obstacle; none unless the scene keeps clear.
    pub clearance: Option<Clearance>,
    /// How far the center of mass is beside what the body stands on, scene units; none unless it keeps its balance.
    pub imbalance: Option<f64>,
    /// Joints that turn freely against each other while the effector stays where it is. Known for the solutions of arms with six
    /// hinges, empty for other poses.
    pub free_joints: Vec<usize>,
    /// The joints whose limits keep it from the targets, ascending, if it is limited; none if something else is in the way.
    pub blocked_by: Vec<usize>,
}

/// Where an effector is after a solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EffectorOutcome {
    /// Position of its tip, world space.
    pub position: DVec3,
    /// Orientation of its joint, world space.
    pub rotation: DQuat,
    /// Distance from the target as a fraction of the effector's size; none without a target position.
    pub error: Option<f64>,
    /// Distance from the target, scene units, or from the nearest position that it accepts; none without a target position.
    pub distance: Option<f64>,
    /// Angle to the target orientation, radians; none without a target orientation.
    pub angle: Option<f64>,
    /// Whether its target is only preferred, and so not among those that are reached or missed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preferred: bool,
}

/// Measures the outcomes of many cases of one scene.
#[derive(Clone, Debug)]
pub struct OutcomeMeter<'a> {
    scene: &'a Scene,
    /// The length that the errors of each effector are relative to.
    sizes: Vec<f64>,
    frames: Vec<Isometry>,
}

impl<'a> OutcomeMeter<'a> {
    /// For cases of this scene.
    pub fn new(scene: &'a Scene) -> Self {
        let sizes = scene.effectors.iter().map(|effector| scene.effector_size(effector)).collect();
        OutcomeMeter { scene, sizes, frames: Vec::new() }
    }

    /// Measures the pose found for `problem`. `micros` is the time of the solve, microseconds.
    pub fn measure(&mut self, problem: &Problem, pose: Pose, report: Report, micros: f64) -> Outcome {
        self.scene.skeleton.forward_kinematics(problem.base, &pose, &mut self.frames);
        let effectors = problem.goals.iter().zip(&self.sizes).map(|(goal, size)| {
            let effector = goal.effector;
            let frame = self.frames[effector.joint];
            let position = frame.point(effector.tip);
            let distance = goal.nearest_position(frame).map(|target| target.distance(position));
            EffectorOutcome {
                position,
                rotation: frame.rotation,
                error: distance.map(|distance| distance / size),
                distance,
                angle: goal.nearest_rotation(frame).map(|target| angle_between(target, frame.rotation)),
                preferred: goal.is_preferred(),
            }
        });
        let effectors = effectors.collect();
        let joints = self.frames.iter().map(|frame| frame.position).collect();
        let keeps_clear = !problem.keep_clear.is_empty();
        let clearance = keeps_clear.then(|| clearance(&self.scene.skeleton, problem, &pose)).flatten();
        let imbalance = problem.imbalance(&self.frames);
        let blocked_by = match report.stop {
            Stop::Limited => blocking_joints(&self.scene.skeleton, problem, &pose),
            _ => Vec::new(),
        };
        let free_joints = Vec::new();
        Outcome { report, micros, pose, joints, effectors, clearance, imbalance, free_joints, blocked_by }
    }
}

impl Outcome {
    /// Measures the pose found for `problem`. `micros` is the time of the solve, microseconds. [`OutcomeMeter`] is faster
    /// for many.
    pub fn new(scene: &Scene, problem: &Problem, pose: Pose, report: Report, micros: f64) -> Self {
        OutcomeMeter::new(scene).measure(problem, pose, report, micros)
    }

    /// Joints and effectors of the start pose: forward kinematics only, nothing is solved.
    pub fn forward(scene: &Scene) -> Self {
        let mut problem = scene.problem();
        problem.goals.iter_mut().for_each(|goal| goal.target = Target::default());
        Outcome::new(scene, &problem, scene.start.clone(), Report::reached(0.0, 0), 0.0)
    }

    /// The same outcome without a pose: its coordinates and positions are NaN. Errors, distances and angles stay.
    #[must_use]
    pub fn without_pose(mut self) -> Self {
        self.pose.fill(Coordinates::free(DVec3::NAN, DQuat::NAN));
        self.joints.fill(DVec3::NAN);
        for effector in &mut self.effectors {
            (effector.position, effector.rotation) = (DVec3::NAN, DQuat::NAN);
        }
        self
    }

    /// The largest distance of an effector from its target, scene units, but for preferred ones; `None` without target positions.
    pub fn distance(&self) -> Option<f64> {
        self.effectors.iter().filter(|own| !own.preferred).filter_map(|effector| effector.distance).reduce(f64::max)
    }

    /// The largest angle of an effector to its target orientation, radians, but for preferred ones; `None` without target orientations.
    pub fn angle(&self) -> Option<f64> {
        self.effectors.iter().filter(|own| !own.preferred).filter_map(|effector| effector.angle).reduce(f64::max)
    }

    /// Writes the outcome as one line of JSON, without the line end. `id` is JSON; without it there is no `id` key.
    pub fn write_json(
        &self,
        scene: &Scene,
        id: Option<&str>,
        names: JointNames,
        out: &mut (impl io::Write + ?Sized),
    ) -> io::Result<()> {
        let id = id.map(serde_json::from_str::<&RawValue>).transpose()?;
        let Outcome { report, micros, pose, joints, effectors, clearance, imbalance, free_joints, blocked_by } = self;
        let kinds = scene.skeleton.joints().iter().map(|joint| &joint.kind);
        let pose: Vec<&[f64]> = pose.iter().zip(kinds).map(|(coordinates, kind)| coordinates.values(kind)).collect();
        let mut serializer = serde_json::Serializer::new(out);
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = id {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("stop", report.stop.word())?;
        map.serialize_entry("reached", &report.stop.is_reached())?;
        map.serialize_entry("error", &report.error)?;
        map.serialize_entry("iterations", &report.iterations)?;
        map.serialize_entry("attempts", &report.attempts)?;
        map.serialize_entry("micros", &((micros * 1e3).round() / 1e3))?;
        if let Some(clearance) = clearance {
            map.serialize_entry("clearance", &clearance.distance)?;
            map.serialize_entry("nearest", &scene.near_parts(clearance))?;
        }
        if let Some(imbalance) = imbalance {
            map.serialize_entry("imbalance", imbalance)?;
        }
        for (key, joints) in [("free_joints", free_joints), ("blocked_by", blocked_by)] {
            if !joints.is_empty() {
                let names = joints.iter().map(|&joint| scene.skeleton.joints()[joint].name.as_str());
                map.serialize_entry(key, &names.collect::<Vec<_>>())?;
            }
        }
        if names == JointNames::Listed {
            let names = scene.skeleton.joints().iter().map(|joint| joint.name.as_str());
            map.serialize_entry("joint_names", &names.collect::<Vec<_>>())?;
        }
        map.serialize_entry("pose", &pose)?;
        map.serialize_entry("joints", joints)?;
        map.serialize_entry("effectors", &Effectors(scene, effectors))?;
        Ok(map.end()?)
    }
}

/// Whether the JSON of an outcome lists the joint names of the pose. They are the same for all outcomes of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointNames {
    /// In the list `joint_names`.
    Listed,
    /// No names.
    #[default]
    Omitted,
}

/// The line of JSON for a case that cannot be read. `id` is JSON.
pub fn error_json(id: &str, error: &str) -> String {
    let error = printable_json(serde_json::to_string(error).unwrap_or_default());
    format!("{{\"id\":{id},\"error\":{error}}}")
}

struct Effectors<'a>(&'a Scene, &'a [EffectorOutcome]);

impl Serialize for Effectors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.0.effectors.iter().map(|effector| effector.name.as_str());
        serializer.collect_map(names.zip(self.1))
    }
}

/// A problem and the pose to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Goals and constraints.
    pub problem: Problem,
    /// Start pose, inside the limits.
    pub start: Pose,
    /// A joint for which a table asks for a start outside its limits.
    pub clamped: Option<usize>,
}

impl Case {
    /// The scene's own problem and start pose.
    pub fn of(scene: &Scene) -> Self {
        Case { problem: scene.problem(), start: scene.start.clone(), clamped: None }
    }

    /// The same [before the feet of the scene](Scene::open_problem) complete the problem.
    pub(crate) fn open(scene: &Scene) -> Self {
        Case { problem: scene.open_problem(), start: scene.start.clone(), clamped: None }
    }

    /// Whether there is nothing to reach: no target is given, and all effectors of the scene are free, as those of a URDF
    /// file are. Every pose would count as reached.
    pub(crate) fn lacks_targets(&self, scene: &Scene) -> bool {
        let is_free = |effector: &SceneEffector| effector.hold == EffectorMode::Free;
        let is_empty = |goal: &Goal| goal.target == Target::default();
        !scene.effectors.is_empty() && scene.effectors.iter().all(is_free) && self.problem.goals.iter().all(is_empty)
    }
}
