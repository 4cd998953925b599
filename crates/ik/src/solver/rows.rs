//! Where the problems of a call that solves many come from, and where their poses are: a list of problems with a pose each,
//! or a table of targets and coordinates.

use crate::model::{Coordinates, Kind, Mimic, Pose, Problem, Skeleton, Target, check_number};
use std::sync::Arc;

/// The problems of a call, by index.
pub(crate) trait Rows {
    /// Number of problems that have a pose.
    fn count(&self) -> usize;
    /// Whether the solver accepts a problem and its pose.
    fn fits(&self, at: usize) -> bool;
    /// Whether two problems are known to differ in the numbers of their targets only. Saves a comparison of the whole.
    fn are_alike(&self, one: usize, other: usize) -> bool;
    /// A problem.
    fn problem(&mut self, at: usize) -> &Problem;
    /// A problem with its pose, in which only `joints` and their followers count. [`Rows::close`] keeps what changes.
    fn open(&mut self, at: usize, joints: &[usize]) -> (&Problem, &mut [Coordinates]);
    /// Keeps these joints of the pose that was opened last.
    fn close(&mut self, at: usize, joints: &[usize]);
    /// Reads hinges and slides of a pose.
    fn read(&self, at: usize, joints: &[usize], values: &mut [f64]);
    /// Writes hinges and slides of a pose, and what follows them.
    fn write(&mut self, at: usize, joints: &[usize], values: &[f64]);
    /// Moves joints of a pose inside their limits.
    fn project(&mut self, at: usize, joints: &[usize]);
}

/// Problems with a pose each.
pub(crate) struct Listed<'a> {
    pub skeleton: Arc<Skeleton>,
    pub problems: &'a [Problem],
    pub poses: &'a mut [Pose],
}

impl Rows for Listed<'_> {
    fn count(&self) -> usize {
        self.problems.len().min(self.poses.len())
    }

    fn fits(&self, at: usize) -> bool {
        self.problems[at].check_with(&self.skeleton, &self.poses[at]).is_ok()
    }

    fn are_alike(&self, _: usize, _: usize) -> bool {
        false
    }

    fn problem(&mut self, at: usize) -> &Problem {
        &self.problems[at]
    }

    fn open(&mut self, at: usize, _: &[usize]) -> (&Problem, &mut [Coordinates]) {
        (&self.problems[at], &mut self.poses[at])
    }

    fn close(&mut self, _: usize, _: &[usize]) {}

    fn read(&self, at: usize, joints: &[usize], values: &mut [f64]) {
        let pose = &self.poses[at];
        values.iter_mut().zip(joints).for_each(|(value, &joint)| *value = pose[joint].value());
    }

    fn write(&mut self, at: usize, joints: &[usize], values: &[f64]) {
        let pose = &mut self.poses[at];
        joints.iter().zip(values).for_each(|(&joint, &value)| pose[joint] = Coordinates::scalar(value));
        self.skeleton.follow(pose);
    }

    fn project(&mut self, at: usize, joints: &[usize]) {
        let pose = &mut self.poses[at];
        for &joint in joints {
            pose[joint] = self.skeleton.kind(joint).project(pose[joint]);
        }
        self.skeleton.follow(pose);
    }
}

/// Targets and coordinates as rows of two tables, for the goals of one problem.
pub(crate) struct Table<'a> {
    skeleton: Arc<Skeleton>,
    /// The problem, with the targets of the row that was asked for last.
    problem: Problem,
    /// Whether the problem and the start pose fit the skeleton, targets aside.
    fits: bool,
    /// One per goal and row.
    targets: &'a [Target],
    start: &'a [Coordinates],
    /// Where the coordinates of each joint begin in a row, if it has them.
    places: Vec<Option<usize>>,
    /// Number of coordinates of a row.
    width: usize,
    /// The joints whose coordinates hold a quaternion, which may be none.
    turning: Vec<usize>,
    /// The joints that follow others.
    following: Vec<(usize, Mimic)>,
    coordinates: &'a mut [f64],
    /// The pose that was opened last.
    pose: Pose,
}

impl<'a> Table<'a> {
    /// The tables of [`Solver::solve_rows`](super::Solver::solve_rows).
    pub fn new(
        skeleton: Arc<Skeleton>,
        mut problem: Problem,
        start: &'a [Coordinates],
        joints: &'a [usize],
        targets: &'a [Target],
        coordinates: &'a mut [f64],
    ) -> Self {
        problem.goals.iter_mut().for_each(|goal| goal.target = Target::default());
        let (mut places, mut width) = (vec![None; skeleton.len()], 0);
        let exist = joints.iter().all(|&joint| joint < skeleton.len());
        let known = if exist { joints } else { &[] };
        for &joint in known {
            places[joint] = Some(width);
            width += skeleton.kind(joint).coordinate_count();
        }
        let fits = exist && problem.check_with(&skeleton, start).is_ok();
        let holds_quaternion = |joint: &usize| {
            let kind = skeleton.kind(*joint);
            kind.is_unlimited_ball() || *kind == Kind::Free
        };
        let turning = known.iter().copied().filter(holds_quaternion).collect();
        let mimic = |&joint: &usize| Some((joint, skeleton.joints()[joint].mimic?));
        let following = known.iter().filter_map(mimic).collect();
        let pose = start.to_vec();
        Table { fits, problem, targets, start, places, width, turning, following, coordinates, pose, skeleton }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self.problem.goals.len() {
            0 => self.coordinates.len().checked_div(self.width).unwrap_or(0),
            goals => self.targets.len() / goals,
        }
    }

    /// The targets of a row.
    fn targets(&self, at: usize) -> &'a [Target] {
        let goals = self.problem.goals.len();
        &self.targets[at * goals..][..goals]
    }

    /// Index of the first coordinate of a joint.
    fn place(&self, at: usize, joint: usize) -> Option<usize> {
        Some(at * self.width + self.places[joint]?)
    }

    fn load_targets(&mut self, at: usize) {
        let targets = self.targets(at);
        self.problem.goals.iter_mut().zip(targets).for_each(|(goal, target)| goal.target = *target);
    }

    /// The coordinates of a joint.
    fn coordinates(&self, at: usize, joint: usize) -> Coordinates {
        let Some(place) = self.place(at, joint) else { return self.start[joint] };
        let kind = self.skeleton.kind(joint);
        let values = &self.coordinates[place..place + kind.coordinate_count()];
        Coordinates::from_values(kind, values).unwrap_or_default()
    }

    /// Writes what follows other joints.
    fn follow(&mut self, at: usize) {
        for number in 0..self.following.len() {
            let (joint, mimic) = self.following[number];
            self.set_coordinates(at, joint, mimic.follow(self.coordinates(at, mimic.joint)));
        }
    }

    fn set_coordinates(&mut self, at: usize, joint: usize, coordinates: Coordinates) {
        if let Some(place) = self.place(at, joint) {
            let values = coordinates.values(self.skeleton.kind(joint));
            self.coordinates[place..place + values.len()].copy_from_slice(values);
        }
    }
}

impl Rows for Table<'_> {
    fn count(&self) -> usize {
        self.coordinates.len().checked_div(self.width).map_or(self.rows(), |poses| poses.min(self.rows()))
    }

    fn fits(&self, at: usize) -> bool {
        self.fits
            && self.targets(at).iter().all(|target| target.check().is_ok())
            && self.coordinates[at * self.width..][..self.width].iter().all(|&number| check_number(number).is_ok())
            && self.turning.iter().all(|&joint| self.skeleton.kind(joint).check(&self.coordinates(at, joint)).is_ok())
    }

    fn are_alike(&self, one: usize, other: usize) -> bool {
        let parts =
            |target: &Target| [target.position.is_some(), target.rotation().is_some(), target.look_at().is_some()];
        self.targets(one).iter().map(parts).eq(self.targets(other).iter().map(parts))
    }

    fn problem(&mut self, at: usize) -> &Problem {
        self.load_targets(at);
        &self.problem
    }

    fn open(&mut self, at: usize, joints: &[usize]) -> (&Problem, &mut [Coordinates]) {
        self.load_targets(at);
        for &joint in joints {
            self.pose[joint] = self.coordinates(at, joint);
        }
        self.skeleton.follow(&mut self.pose);
        (&self.problem, &mut self.pose)
    }

    fn close(&mut self, at: usize, joints: &[usize]) {
        for &joint in joints {
            self.set_coordinates(at, joint, self.pose[joint]);
        }
    }

    fn read(&self, at: usize, joints: &[usize], values: &mut [f64]) {
        for (value, &joint) in values.iter_mut().zip(joints) {
            *value = self.place(at, joint).map_or(self.start[joint].value(), |place| self.coordinates[place]);
        }
    }

    fn write(&mut self, at: usize, joints: &[usize], values: &[f64]) {
        for (&value, &joint) in values.iter().zip(joints) {
            if let Some(place) = self.place(at, joint) {
                self.coordinates[place] = value;
            }
        }
        self.follow(at);
    }

    fn project(&mut self, at: usize, joints: &[usize]) {
        for &joint in joints {
            if self.places[joint].is_some() {
                let projected = self.skeleton.kind(joint).project(self.coordinates(at, joint));
                self.set_coordinates(at, joint, projected);
            }
        }
        self.follow(at);
    }
}
