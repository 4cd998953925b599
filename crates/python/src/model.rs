//! A robot as the solver sees it: the scene, the columns of `q`, and solvers that wait for work.

use crate::errors::value_error;
use crate::numbers::Rows;
use fabrik3d_ik::settings::{Interrupt, Prefer};
use fabrik3d_ik::{Coordinates, Effector, Joint, Kind, Pose, Settings, Skeleton, Solver};
use fabrik3d_scene::{Scene, coordinate_parts};
use pyo3::PyResult;
use std::sync::{Arc, Mutex, PoisonError};

/// A robot. It never changes, so that threads share it.
#[derive(Debug)]
pub struct Model {
    pub scene: Scene,
    pub skeleton: Arc<Skeleton>,
    pub columns: Columns,
    /// Solvers that are not in use.
    idle: Mutex<Vec<Solver>>,
}

impl Model {
    pub fn new(scene: Scene) -> Self {
        Model { skeleton: Arc::clone(&scene.skeleton), columns: Columns::of(&scene), scene, idle: Mutex::default() }
    }

    /// The effector, joint or link with this name, which `argument` gives; without a name, the first effector. The first
    /// result is the index of an effector of the scene.
    pub fn find_effector(&self, argument: &str, name: Option<&str>) -> PyResult<(Option<usize>, Effector)> {
        let effectors = &self.scene.effectors;
        let Some(name) = name else {
            let first = effectors
                .first()
                .ok_or_else(|| value_error("this robot has no effector; name a joint or a link: effector='NAME'"))?;
            return Ok((Some(0), first.effector));
        };
        if let Some(at) = effectors.iter().position(|effector| effector.name == name) {
            return Ok((Some(at), effectors[at].effector));
        }
        match self.scene.find_place(name) {
            Some((joint, tip)) => {
                Ok((None, Effector { chain_length: self.scene.chain_length(joint), ..Effector::new(joint, tip) }))
            }
            None => Err(self.unknown(argument, name)),
        }
    }

    /// The error for a name that is none of an effector, a joint or a link.
    pub fn unknown(&self, argument: &str, name: &str) -> pyo3::PyErr {
        let hint = self.scene.place_hint(name).map(|hint| format!(": {hint}")).unwrap_or_default();
        value_error(format!("{argument}: there is no effector, joint or link `{name}`{hint}"))
    }

    /// The start pose of the scene, with the joints of `q`.
    pub fn pose(&self, q: Option<&[f64]>) -> Pose {
        let mut pose = self.scene.start.clone();
        if let Some(q) = q {
            self.columns.read(&self.skeleton, q, &mut pose);
        }
        pose
    }

    /// The coordinates of a pose.
    pub fn q(&self, pose: &[Coordinates]) -> Vec<f64> {
        let mut q = vec![0.0; self.columns.width];
        self.columns.write(&self.skeleton, pose, &mut q);
        q
    }

    /// Which of several poses is the answer: the nearest if asked for, otherwise as the file says.
    pub fn prefer(&self, nearest: bool) -> Prefer {
        if nearest { Prefer::Nearest } else { self.scene.settings.prefer }
    }

    /// Runs `work` with a solver of this robot that has the settings of the scene.
    pub fn with_solver<T>(&self, prefer: Prefer, interrupt: Interrupt, work: impl FnOnce(&mut Solver) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut solver = idle.unwrap_or_else(|| Solver::new(Arc::clone(&self.skeleton)));
        solver.settings = Settings { prefer, interrupt, ..self.scene.settings };
        let result = work(&mut solver);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(solver);
        result
    }
}

/// The coordinates of one joint in `q`.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub joint: usize,
    /// Index of its first coordinate.
    pub first: usize,
    /// Number of its coordinates.
    pub count: usize,
}

/// The coordinates of all joints that can be set.
#[derive(Clone, Debug)]
pub struct Columns {
    columns: Vec<Column>,
    /// Number of coordinates.
    pub width: usize,
}

impl Columns {
    pub fn of(scene: &Scene) -> Self {
        let mut width = 0;
        let column = |joint: usize| {
            let (first, count) = (width, scene.skeleton.kind(joint).coordinate_count());
            width += count;
            Column { joint, first, count }
        };
        Columns { columns: scene.settable_joints().map(column).collect(), width }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter()
    }

    /// Sets the joints of a pose to the coordinates of `q`. Quaternions are normalized; nothing is limited.
    pub fn read(&self, skeleton: &Skeleton, q: &[f64], pose: &mut Pose) {
        for column in &self.columns {
            let kind = skeleton.kind(column.joint);
            let values = &q[column.first..column.first + column.count];
            // The widths agree by construction.
            let now = Coordinates::from_values(kind, values).unwrap_or_default();
            let has_quaternion = kind.is_unlimited_ball() || *kind == Kind::Free;
            // What is not finite stays as it is, so that the solver refuses it.
            let is_finite = values.iter().all(|value| value.is_finite());
            pose[column.joint] = if has_quaternion && is_finite { kind.project(now) } else { now };
        }
        skeleton.follow(pose);
    }

    /// One number for each joint: its own ones, which are in the order of `q`, combined with `none`, which is that of joints that `q`
    /// does not have.
    pub fn by_joint(&self, skeleton: &Skeleton, q: &[f64], none: f64, combine: fn(f64, f64) -> f64) -> Vec<f64> {
        let mut by_joint = vec![none; skeleton.len()];
        for column in &self.columns {
            let own = &q[column.first..column.first + column.count];
            by_joint[column.joint] = own.iter().copied().fold(none, combine);
        }
        by_joint
    }

    /// Writes the coordinates of a pose to `q`.
    pub fn write(&self, skeleton: &Skeleton, pose: &[Coordinates], q: &mut [f64]) {
        for column in &self.columns {
            let values = pose[column.joint].values(skeleton.kind(column.joint));
            q[column.first..column.first + column.count].copy_from_slice(values);
        }
    }
}

/// The values of a single pose as `--joints` and `pose.glide` take them: degrees, lengths and rotation vectors.
pub fn shown_values(model: &Model, pose: &Rows<'_>) -> PyResult<Vec<f64>> {
    let q = pose.single("q")?;
    if let Some(at) = q.iter().position(|number| !number.is_finite()) {
        return Err(value_error(format!("q[{at}] is not finite; only finite poses can be shown")));
    }
    let pose = model.pose(Some(&q));
    let values = |joint: usize| model.scene.joint_values(joint, &pose);
    Ok(model.columns.iter().flat_map(|column| values(column.joint)).map(|value| value.value).collect())
}

/// The names of the coordinates in `q`, as tables have them.
pub fn coordinate_names(model: &Model) -> Vec<String> {
    let joints = model.columns.iter().map(|column| &model.skeleton.joints()[column.joint]);
    let names =
        joints.flat_map(|joint| coordinate_parts(&joint.kind).iter().map(|part| format!("{}.{part}", joint.name)));
    names.collect()
}

/// `q` of a pose that the program wrote: one list of coordinates per joint.
pub fn from_shown(model: &Model, pose: &[Vec<f64>]) -> PyResult<Vec<f64>> {
    let joints = model.skeleton.joints();
    let read = |(values, joint): (&Vec<f64>, &Joint)| Coordinates::from_values(&joint.kind, values);
    let pose: Option<Vec<Coordinates>> = pose.iter().zip(joints).map(read).collect();
    let pose = pose.filter(|pose| pose.len() == joints.len());
    let pose = pose.ok_or_else(|| value_error("the pose belongs to another robot"))?;
    Ok(model.q(&pose))
}
