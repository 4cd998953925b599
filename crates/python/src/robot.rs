//! `Robot` as Python sees it: reads files and arguments, and hands out arrays.

use crate::batch::solve_many;
use crate::errors::type_error;
use crate::goals::{Asked, MANY, ONE, Preferences};
use crate::kinematics::{errors, forward, frame_names, integrate, jacobian, limits};
use crate::model::{coordinate_names, from_shown, shown_values};
use crate::numbers::{Doubles, Rows, array};
use crate::path::{Following, plan};
use crate::solve::{Bounds, solutions, solve};
use crate::sources::{self, Opened, State};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The half of `fabrik3d.Robot` that computes.
#[pyclass(name = "Robot", frozen, subclass, module = "fabrik3d._native")]
pub struct NativeRobot(Opened);

#[pymethods]
impl NativeRobot {
    #[new]
    #[pyo3(signature = (
        path, *, packages=None, set=None, base=None, base_kind="fixed", hard_limits=false, _state=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        packages: Option<BTreeMap<String, PathBuf>>,
        set: Option<&Bound<'_, PyDict>>,
        base: Option<&str>,
        base_kind: &str,
        hard_limits: bool,
        _state: Option<State>,
    ) -> PyResult<Self> {
        match (path, _state) {
            (Some(path), _) => {
                sources::open(py, &path, packages.unwrap_or_default(), set, (base, base_kind), hard_limits)
                    .map(NativeRobot)
            }
            (None, Some(state)) => sources::restore(py, state).map(NativeRobot),
            (None, None) => Err(type_error("path must be the path of a file, the text of a URDF, or 'example:NAME'")),
        }
    }

    /// What `pickle` stores.
    #[getter]
    fn _state(&self) -> State {
        sources::state(&self.0.model.scene, self.0.source.clone(), self.0.flags.clone())
    }

    /// The robot as a scene file, without meshes.
    fn to_toml(&self) -> String {
        self.0.model.scene.to_toml()
    }

    /// Name of the robot.
    #[getter]
    fn name(&self) -> &str {
        &self.0.model.scene.name
    }

    /// The file or `example:NAME` that it was read from; None if it was built from points.
    #[getter]
    fn source(&self) -> Option<&str> {
        self.0.source.as_deref()
    }

    #[getter]
    fn _flags(&self) -> Vec<String> {
        self.0.flags.clone()
    }

    /// Number of coordinates of a pose, the columns of `q`.
    #[getter]
    fn dof(&self) -> usize {
        self.0.model.columns.width
    }

    /// The joints that can be set, in the order of `q`. Joints that follow others (mimic) and fixed ones are absent.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.0.model.columns.iter().map(|column| self.0.model.skeleton.joints()[column.joint].name.as_str()).collect()
    }

    /// For each joint, its columns in `q`.
    ///
    /// A hinge has an angle, a slide a distance, a ball with limits tilt x, tilt y and twist, a ball without limits a
    /// quaternion x, y, z, w, and a free joint a position and a quaternion.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in self.0.model.columns.iter() {
            let (first, end) = (column.first as isize, (column.first + column.count) as isize);
            columns.set_item(&self.0.model.skeleton.joints()[column.joint].name, PySlice::new(py, first, end, 1))?;
        }
        Ok(columns)
    }

    /// The names of the coordinates in `q`, as tables have them.
    #[getter]
    fn _coordinate_names(&self) -> Vec<String> {
        coordinate_names(&self.0.model)
    }

    /// The effectors. The first one is meant where none is named.
    #[getter]
    fn effector_names(&self) -> Vec<&str> {
        self.0.model.scene.effectors.iter().map(|effector| effector.name.as_str()).collect()
    }

    /// The frames that `forward` returns: joints, then effectors and links with a name of their own.
    #[getter]
    fn frame_names(&self) -> Vec<String> {
        frame_names(&self.0.model)
    }

    /// What of the file was not read, one sentence each, and which links have no shape to keep clear with.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.model.scene.warnings().into_iter().map(Cow::into_owned).collect()
    }

    /// The velocity limits of the file, radians or lengths per second, (dof,); infinite where it has none.
    #[getter]
    fn velocity_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let model = &self.0.model;
        let limit = |joint: usize| model.scene.velocity_limits.get(joint).copied().flatten().unwrap_or(f64::INFINITY);
        let columns = model.columns.iter().flat_map(|column| std::iter::repeat_n(limit(column.joint), column.count));
        PyArray1::from_iter(py, columns)
    }

    /// The pose of the file, (dof,).
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.model.q(&self.0.model.scene.start))
    }

    /// Lower and upper bound of each coordinate, (dof, 2); infinite where there is none.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Doubles<'py>> {
        array(py, limits(&self.0.model))
    }

    /// Moves an effector to a target.
    ///
    /// Effectors of the file that are pinned there keep their targets; those of a .urdf file are free.
    ///
    /// Args:
    ///     position: target position (3,), a 4x4 matrix, or a dict of targets by effector.
    ///     rotation: target orientation, a quaternion (4,) or a 3x3 matrix.
    ///     look_at: instead of a rotation, a point in the world, (3,), that the effector's `spin_axis` points at, as a
    ///         camera or a head does; the turn about the axis is free. Without a position, from anywhere. Targets of
    ///         several effectors have a dict here, too.
    ///     spin_axis: axis in the frame of the effector's joint, (3,), about which the effector may turn, and which looks
    ///         at `look_at`; without it, that of the file, and to look otherwise z.
    ///     effector: name of an effector, a joint or a link.
    ///     start: the pose to start from, (dof,); without it, that of the file.
    ///     obstacles: what links keep out of, besides the obstacles of the file: dicts such as `{"sphere": {"center":
    ///         [x, y, z], "radius": r}}`, with "capsule", "box" or "plane" as in scene files.
    ///     posture: a pose, (dof,), that the joints keep to as far as the targets leave freedom.
    ///     weights: how strongly, one number for all joints or (dof,); 0 leaves a joint free, and 1 counts a radian as much as a
    ///         preferred target that is missed by the effector's size.
    ///     preferred: the names of effectors, or one name, whose targets are met only as far as all others leave freedom. They are
    ///         never missed.
    ///     balance: points in the world that the robot stands on, (N, 3), such as the corners of its soles: its center of mass stays
    ///         above them, between the outermost ones, as far as the targets leave freedom. The file must say the masses of the
    ///         links.
    ///     track: stay next to `start`, as a controller needs it from step to step: no joint goes farther than the move of the
    ///         effector explains.
    ///     elsewhere: with `track`, jump to another pose where only that reaches the target, or comes much nearer to it.
    ///     nearest: of all poses that are found, the one whose largest joint move from `start` is least.
    ///     max_step: with `track`, the largest move of a joint from `start`: radians, or lengths for slides; one number for all, or
    ///         (dof,), such as velocity limits times the time between two calls. A target that takes more is "limited", and the
    ///         pose is the best one within the bound.
    ///     dt: with `track`, instead of `max_step`: the seconds since `start`. No joint goes farther than it gets in this time at the
    ///         velocity limit of the file.
    ///     time_limit: seconds after which the solve ends with the best pose so far, "interrupted" if that misses the
    ///         target. The result then depends on the clock.
    ///     order: order of the numbers of quaternions, "xyzw" or "wxyz".
    ///
    /// Returns:
    ///     The pose (dof,), inside all limits, and how the solve ended. Input that is not finite, or no rigid
    ///     transformation, is refused: the pose is NaN, and `refused` says why.
    #[pyo3(signature = (
        position=None, rotation=None, *, look_at=None, spin_axis=None, effector=None, start=None, obstacles=None, posture=None,
        weights=None, preferred=None, balance=None, track=false, elsewhere=false, nearest=false, max_step=None, dt=None,
        time_limit=None, order="xyzw"
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        position: Option<&Bound<'py, PyAny>>,
        rotation: Option<&Bound<'py, PyAny>>,
        look_at: Option<&Bound<'py, PyAny>>,
        spin_axis: Option<&Bound<'py, PyAny>>,
        effector: Option<&str>,
        start: Option<&Bound<'py, PyAny>>,
        obstacles: Option<&Bound<'py, PyAny>>,
        posture: Option<&Bound<'py, PyAny>>,
        weights: Option<&Bound<'py, PyAny>>,
        preferred: Option<&Bound<'py, PyAny>>,
        balance: Option<&Bound<'py, PyAny>>,
        track: bool,
        elsewhere: bool,
        nearest: bool,
        max_step: Option<&Bound<'py, PyAny>>,
        dt: Option<f64>,
        time_limit: Option<f64>,
        order: &str,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyAny>)> {
        let (targets, preferences) = ([position, rotation], Preferences { posture, weights, preferred, balance });
        let asked = Asked { targets, names: ONE, look_at, spin_axis, effector, start, obstacles, preferences, order };
        let bounds = Bounds::read(&self.0.model, [track, elsewhere, nearest], (max_step, dt), time_limit)?;
        let (q, info) = solve(py, &self.0.model, &asked, &bounds)?;
        Ok((PyArray1::from_vec(py, q), info.into_python(py)?))
    }

    /// Solves for many targets, each on its own. Arms and chains run in SIMD lanes.
    ///
    /// An answer depends on its own row alone, bit for bit: neither on the other rows nor on the number of threads.
    /// Ctrl+C ends it within a fraction of a second.
    ///
    /// Args:
    ///     positions: target positions (N, 3), matrices (N, 4, 4), or a dict of targets by effector.
    ///     rotations: target orientations, quaternions (N, 4) or matrices (N, 3, 3).
    ///     look_at: instead of rotations, points to look at, (N, 3).
    ///     spin_axis, effector, obstacles, posture, weights, preferred, balance, order: as for `solve`.
    ///     start: the poses to start from, (N, dof), or one for all, (dof,).
    ///     nearest: as for `solve`; each row from its own start.
    ///     threads: number of threads; without it, one per core.
    ///     progress: called about twenty times a second with the number of rows since the last call, which may be 0, such as
    ///         `tqdm.update`. An exception ends the batch.
    #[pyo3(signature = (
        positions=None, rotations=None, *, look_at=None, spin_axis=None, effector=None, start=None, obstacles=None, posture=None,
        weights=None, preferred=None, balance=None, nearest=false, order="xyzw", threads=None, progress=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn solve_many<'py>(
        &self,
        py: Python<'py>,
        positions: Option<&Bound<'py, PyAny>>,
        rotations: Option<&Bound<'py, PyAny>>,
        look_at: Option<&Bound<'py, PyAny>>,
        spin_axis: Option<&Bound<'py, PyAny>>,
        effector: Option<&str>,
        start: Option<&Bound<'py, PyAny>>,
        obstacles: Option<&Bound<'py, PyAny>>,
        posture: Option<&Bound<'py, PyAny>>,
        weights: Option<&Bound<'py, PyAny>>,
        preferred: Option<&Bound<'py, PyAny>>,
        balance: Option<&Bound<'py, PyAny>>,
        nearest: bool,
        order: &str,
        threads: Option<usize>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (targets, preferences) = ([positions, rotations], Preferences { posture, weights, preferred, balance });
        let asked = Asked { targets, names: MANY, look_at, spin_axis, effector, start, obstacles, preferences, order };
        solve_many(py, &self.0.model, &asked, nearest, threads, progress)
    }

    /// The path through many targets: the poses of all rows are chosen together, so that no joint jumps where that can be
    /// avoided, and the joints move as little as possible.
    ///
    /// Args:
    ///     positions, rotations, look_at, spin_axis, effector, obstacles, order: as for `solve_many`, in the order of the path.
    ///     start: the pose before the first row, (dof,); without it, that of the file. The first pose may be far from it.
    ///     from_start: begin at `start`: the move to the first row counts like those from row to row.
    ///     path_tolerance: how far the tool may leave the straight lines between the rows, in scene units; without it, a thousandth
    ///         of its largest distance from the base. Where it cannot keep to that, a joint jumps, or `departure` says how far.
    ///     velocity_limits: largest velocity of the joints, radians or lengths per second: one number for all, or one for each
    ///         number of `q`, as `velocity_limits` of the robot has them. `motion` of the answer has rows added for it.
    ///     dt: with `velocity_limits`, seconds between two rows of `motion`; without it, a thirtieth.
    ///
    /// Returns:
    ///     The path. Look at its `jumps`: a redundant arm has infinitely many poses, of which some are tried.
    ///
    /// Raises:
    ///     ValueError: a row is refused; the message names it.
    #[pyo3(signature = (
        positions=None, rotations=None, *, look_at=None, spin_axis=None, effector=None, start=None, from_start=false,
        obstacles=None, path_tolerance=None, velocity_limits=None, dt=None, order="xyzw"
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        positions: Option<&Bound<'py, PyAny>>,
        rotations: Option<&Bound<'py, PyAny>>,
        look_at: Option<&Bound<'py, PyAny>>,
        spin_axis: Option<&Bound<'py, PyAny>>,
        effector: Option<&str>,
        start: Option<&Bound<'py, PyAny>>,
        from_start: bool,
        obstacles: Option<&Bound<'py, PyAny>>,
        path_tolerance: Option<f64>,
        velocity_limits: Option<&Bound<'py, PyAny>>,
        dt: Option<f64>,
        order: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let targets = [positions, rotations];
        let preferences = Preferences::default();
        let asked = Asked { targets, names: MANY, look_at, spin_axis, effector, start, obstacles, preferences, order };
        let following = Following { from_start, tolerance: path_tolerance, velocity_limits, dt };
        plan(py, &self.0.model, &asked, &following)
    }

    /// The clearly different poses that reach a target, nearest to `start` first: (K, dof), K up to `most`.
    ///
    /// An arm with six joints usually has up to eight. A redundant arm has infinitely many, of which some are returned: with seven
    /// joints, those for evenly spread values of one of them.
    #[pyo3(signature = (
        position=None, rotation=None, *, look_at=None, spin_axis=None, effector=None, start=None, obstacles=None, most=16, order="xyzw"
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn solutions<'py>(
        &self,
        py: Python<'py>,
        position: Option<&Bound<'py, PyAny>>,
        rotation: Option<&Bound<'py, PyAny>>,
        look_at: Option<&Bound<'py, PyAny>>,
        spin_axis: Option<&Bound<'py, PyAny>>,
        effector: Option<&str>,
        start: Option<&Bound<'py, PyAny>>,
        obstacles: Option<&Bound<'py, PyAny>>,
        most: usize,
        order: &str,
    ) -> PyResult<Doubles<'py>> {
        let (targets, preferences) = ([position, rotation], Preferences::default());
        let asked = Asked { targets, names: ONE, look_at, spin_axis, effector, start, obstacles, preferences, order };
        array(py, solutions(py, &self.0.model, &asked, most)?)
    }

    /// Forward kinematics: frames in the world as 4x4 matrices.
    ///
    /// Args:
    ///     q: poses, (dof,) or (N, dof). Limits are not applied.
    ///     frames: a name, or names; without it, all of `frame_names`.
    ///
    /// Returns:
    ///     (F, 4, 4) or (N, F, 4, 4); for a single name (4, 4) or (N, 4, 4).
    #[pyo3(signature = (q, frames=None))]
    fn forward<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        frames: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Doubles<'py>> {
        array(py, forward(py, &self.0.model, &self.poses(q)?, frames)?)
    }

    /// Geometric Jacobians of an effector: velocity of the tip in the first three rows, angular velocity in the others.
    ///
    /// The columns are in the order of `q`: one per hinge and slide; three per ball, which without limits are turns
    /// about the world's axes; six per free joint. Joints that follow others add to the columns of their leaders.
    ///
    /// Args:
    ///     q: poses, (dof,) or (N, dof).
    ///     effector: name of an effector, a joint or a link.
    ///
    /// Returns:
    ///     (6, columns) or (N, 6, columns).
    #[pyo3(signature = (q, effector=None))]
    fn jacobian<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>, effector: Option<&str>) -> PyResult<Doubles<'py>> {
        array(py, jacobian(py, &self.0.model, &self.poses(q)?, effector)?)
    }

    /// How far poses are from targets: distances and angles in radians, the largest of all targets of a row.
    ///
    /// `q`, `position`, `rotation` and `look_at` hold one row each, or N rows each. The results are () or (N,), infinite for
    /// what `solve` would refuse.
    #[pyo3(signature = (
        q, position=None, rotation=None, *, look_at=None, spin_axis=None, effector=None, order="xyzw"
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn errors<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        position: Option<&Bound<'py, PyAny>>,
        rotation: Option<&Bound<'py, PyAny>>,
        look_at: Option<&Bound<'py, PyAny>>,
        spin_axis: Option<&Bound<'py, PyAny>>,
        effector: Option<&str>,
        order: &str,
    ) -> PyResult<(Doubles<'py>, Doubles<'py>)> {
        let (targets, names) = ([position, rotation], ONE);
        let preferences = Preferences::default();
        let (start, obstacles) = (None, None);
        let asked = Asked { targets, names, look_at, spin_axis, effector, start, obstacles, preferences, order };
        let [distance, angle] = errors(py, &self.0.model, &self.poses(q)?, &asked)?;
        Ok((array(py, distance)?, array(py, angle)?))
    }

    /// The poses after one unit of time at the rates `dq`, one for each column of `jacobian`. Limits are not applied.
    ///
    /// `q` is (dof,) or (N, dof), `dq` (columns,) or (N, columns). Angles and distances change by their rates; the axes of balls and
    /// free joints are the world's, as they are in `q`. A free joint moves as a screw (the exponential of SE(3)).
    fn integrate<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>, dq: &Bound<'py, PyAny>) -> PyResult<Doubles<'py>> {
        array(py, integrate(py, &self.0.model, &self.poses(q)?, dq)?)
    }

    /// The values of a pose as `--joints` and `pose.glide` take them: degrees, lengths and rotation vectors.
    fn _joint_values(&self, q: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        shown_values(&self.0.model, &self.poses(q)?)
    }

    /// The coordinates of a pose that the program wrote: one list per joint.
    fn _coordinates<'py>(&self, py: Python<'py>, pose: Vec<Vec<f64>>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, from_shown(&self.0.model, &pose)?))
    }
}

impl NativeRobot {
    /// Reads rows of joint coordinates.
    fn poses<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
        Rows::read("q", q, &[&[self.0.model.columns.width]])
    }
}
