//! The geometric Jacobian of an effector: how fast its tip moves and turns per unit of each joint coordinate, and motion at
//! given rates. The Jacobian of the residuals (`tasks/evaluation.rs`) has the same rates of joints.

use super::{Axes, Coordinates, Effector, Isometry, Kind, Pose, Skeleton, swing_rotation};
use crate::linear::{dot, eigen, heights};
use crate::maths;
use glam::{DQuat, DVec3};

/// The effect of one coordinate of one joint on an effector, in world axes: per radian, or per unit of length for distances.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Column {
    /// Index of the joint.
    pub joint: usize,
    /// Index of the coordinate within the joint; see [`Skeleton::jacobian`].
    pub coordinate: usize,
    /// Velocity of the tip.
    pub velocity: DVec3,
    /// Angular velocity of the effector's joint.
    pub turn: DVec3,
}

impl Column {
    /// The six entries of the column: velocity, then angular velocity.
    pub fn values(&self) -> [f64; 6] {
        let ([x, y, z], [a, b, c]) = (self.velocity.to_array(), self.turn.to_array());
        [x, y, z, a, b, c]
    }
}

/// A matrix of six rows: velocity of the tip along the world's x, y and z axes, then angular velocity about them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeometricJacobian {
    /// The columns, in the order of the skeleton's joints.
    pub columns: Vec<Column>,
}

impl Skeleton {
    /// The geometric Jacobian of an effector in `pose` (one entry per joint), with the roots in the world. `None` if
    /// the effector's joint does not exist or the pose has another length than the skeleton.
    ///
    /// Every joint with coordinates of its own has its columns, in the skeleton's order. They are zero if the joint
    /// does not move the effector, so that the matrices of several effectors can be stacked. A mimic joint has no
    /// columns; its motion is added to those of the joint that it follows. The columns of a joint are
    ///
    /// | kind | columns |
    /// |---|---|
    /// | hinge | angle |
    /// | slide | distance |
    /// | ball with a limit | tilt toward x, tilt toward y, twist |
    /// | ball without limits | turns about the world's x, y, z |
    /// | free | shifts along the world's x, y, z, turns about them |
    /// | fixed | none |
    ///
    /// [`Skeleton::integrate`] moves a pose at rates of these columns.
    pub fn jacobian(&self, pose: &[Coordinates], effector: &Effector) -> Option<GeometricJacobian> {
        self.jacobian_at(Isometry::IDENTITY, pose, effector)
    }

    /// As [`Skeleton::jacobian`]; `base` is the parent frame of the roots.
    pub fn jacobian_at(&self, base: Isometry, pose: &[Coordinates], effector: &Effector) -> Option<GeometricJacobian> {
        if pose.len() != self.len() || effector.joint >= self.len() {
            return None;
        }
        let (columns, first) = self.columns();
        let mut jacobian = GeometricJacobian { columns };
        let frames = self.frames_at(base, pose);
        // The point that the ancestors move: the tip, or the origin of a joint that keeps the world's axes if there is
        // one between. Ancestors of such a joint do not turn the effector.
        let mut point = frames[effector.joint].point(effector.tip);
        let mut turns = true;
        let length = effector.chain_length.unwrap_or(usize::MAX);
        for joint in self.ancestors(effector.joint).take(length) {
            let own = &self.joints()[joint];
            let (leader, scale) = own.mimic.map_or((joint, 1.0), |mimic| (mimic.joint, mimic.scale));
            let rest = self.rest_frame_in(joint, base, &frames).rotation;
            let mut rates = [Rate::default(); 6];
            write_rates(self.kind(joint), rest, || rest, &pose[joint], &mut rates);
            let arm = point - frames[joint].position;
            for (at, rate) in rates[..self.kind(joint).degrees_of_freedom()].iter().enumerate() {
                let column = &mut jacobian.columns[first[leader] + at];
                column.velocity += (rate.linear + rate.angular.cross(arm)) * scale;
                column.turn += if turns { rate.angular * scale } else { DVec3::ZERO };
            }
            if own.axes == Axes::World {
                point = lever(self, joint, &frames);
                turns = false;
            }
        }
        Some(jacobian)
    }

    /// Zero columns, and the index of the first column of each joint.
    fn columns(&self) -> (Vec<Column>, Vec<usize>) {
        let mut columns = Vec::new();
        let mut first = Vec::with_capacity(self.len());
        for (joint, own) in self.joints().iter().enumerate() {
            first.push(columns.len());
            let count = if own.mimic.is_some() { 0 } else { self.kind(joint).degrees_of_freedom() };
            let empty = |coordinate| Column { joint, coordinate, velocity: DVec3::ZERO, turn: DVec3::ZERO };
            columns.extend((0..count).map(empty));
        }
        (columns, first)
    }
}

impl GeometricJacobian {
    /// The six rows, each with one entry per column.
    pub fn rows(&self) -> [Vec<f64>; 6] {
        std::array::from_fn(|row| self.columns.iter().map(|column| column.values()[row]).collect())
    }

    /// The singular values of the given rows, the largest first; indices from 6 on are ignored. There are as many as rows or
    /// columns, whichever are fewer. The smallest one is 0 in a singular pose: some direction of motion is lost. Values
    /// below 1e-8 of the largest are rounding errors.
    pub fn singular_values(&self, rows: &[usize]) -> Vec<f64> {
        let all = self.rows();
        let rows: Vec<&Vec<f64>> = rows.iter().filter_map(|&row| all.get(row)).collect();
        let vectors: Vec<Vec<f64>> = match self.columns.len() > rows.len() {
            true => rows.into_iter().cloned().collect(),
            false => (0..self.columns.len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect(),
        };
        // The eigenvalues of the smaller one of the two products of the matrix with its transpose.
        let count = vectors.len();
        let mut product: Vec<f64> = vectors.iter().flat_map(|a| vectors.iter().map(move |b| dot(a, b))).collect();
        eigen(&mut product, &mut vec![0.0; count * count], count);
        let mut values: Vec<f64> = (0..count).map(|at| product[at * count + at].max(0.0).sqrt()).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    /// Yoshikawa's manipulability, `sqrt(det(J J^T))`, of the given rows; indices from 6 on are ignored. It is the
    /// volume that unit joint velocities span, and 0 in a singular pose. Use `&[0, 1, 2]` for the position of the tip,
    /// `&[0, 1]` for an arm in the x-y plane, `&[0, 1, 2, 3, 4, 5]` for the full pose.
    ///
    /// Source: T. Yoshikawa, *Manipulability of robotic mechanisms*, International Journal of Robotics Research 4, 1985.
    pub fn manipulability(&self, rows: &[usize]) -> f64 {
        let all = self.rows();
        let rows = rows.iter().filter_map(|&row| all.get(row)).map(Vec::as_slice);
        // The volume is the product of the heights.
        heights(rows, SINGULAR_HEIGHT_RATIO).map_or(0.0, |heights| heights.iter().product())
    }
}

/// A height below this fraction of its row is rounding error.
const SINGULAR_HEIGHT_RATIO: f64 = 1e-14;

/// How a joint's frame moves per unit of each of its coordinates, world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    /// Angular velocity.
    pub angular: DVec3,
    /// Velocity of the origin.
    pub linear: DVec3,
}

/// The origin of the rest frame of a joint that keeps the world's axes: the point that its ancestors carry along.
pub(crate) fn lever(skeleton: &Skeleton, joint: usize, frames: &[Isometry]) -> DVec3 {
    let own = &skeleton.joints()[joint];
    own.parent.map_or(frames[joint].position, |parent| frames[parent].point(own.offset))
}

/// Writes the rates of a joint's coordinates, in the order of the columns in [`Skeleton::jacobian`]. `own` is the rotation of
/// its frame or, for hinges and slides the same, of its rest frame; only balls with limits need `rest`, that of the rest frame. Entries that the joint has not are unspecified.
pub(crate) fn write_rates(
    kind: &Kind,
    own: DQuat,
    rest: impl FnOnce() -> DQuat,
    now: &Coordinates,
    rates: &mut [Rate; 6],
) {
    let turn = |axis: DVec3| Rate { angular: axis, linear: DVec3::ZERO };
    let shift = |axis: DVec3| Rate { angular: DVec3::ZERO, linear: axis };
    match kind {
        Kind::Ball { swing: None, twist: None } => rates[..3].copy_from_slice(&DVec3::AXES.map(turn)),
        Kind::Ball { .. } => {
            let (rest, [a, b]) = (rest(), now.tilt());
            let swing = DVec3::new(-b, a, 0.0);
            let twist = swing_rotation([a, b]) * DVec3::Z;
            let local = [left_jacobian(swing, DVec3::Y), left_jacobian(swing, DVec3::NEG_X), twist];
            rates[..3].copy_from_slice(&local.map(|axis| turn(rest * axis)));
        }
        // A joint does not move its own axis.
        Kind::Hinge { axis, .. } => rates[0] = turn(own * *axis),
        Kind::Slide { axis, .. } => rates[0] = shift(own * *axis),
        Kind::Fixed => {}
        Kind::Free => {
            rates[..3].copy_from_slice(&DVec3::AXES.map(shift));
            rates[3..].copy_from_slice(&DVec3::AXES.map(turn));
        }
    }
}

/// The left Jacobian of SO(3) at the rotation vector `r`, applied to `v`: how fast `exp(r)` turns while `r` changes by `v`.
fn left_jacobian(r: DVec3, v: DVec3) -> DVec3 {
    let angle = r.length();
    if angle < 1e-6 {
        return v + r.cross(v) * 0.5;
    }
    let squared = angle * angle;
    let (sin, cos) = maths::sincos(angle);
    v + r.cross(v) * ((1.0 - cos) / squared) + r.cross(r.cross(v)) * ((angle - sin) / (squared * angle))
}

impl Skeleton {
    /// The pose after one unit of time from `pose` at these rates, one for each column of [`Skeleton::jacobian`]; the roots are in
    /// the world. `None` if there are more or fewer rates, or the pose has another length than the skeleton.
    ///
    /// Angles and distances change by their rates. The axes of balls and free joints are the world's, as they are in `pose`. A
    /// free joint moves as a screw: its velocity and its angular velocity stay the same in its own frame (the exponential
    /// of SE(3)). Joints that follow others go with them. Limits are not applied.
    pub fn integrate(&self, pose: &[Coordinates], rates: &[f64]) -> Option<Pose> {
        let leads = |joint: &usize| self.joints()[*joint].mimic.is_none();
        let count: usize = (0..self.len()).filter(leads).map(|joint| self.kind(joint).degrees_of_freedom()).sum();
        if pose.len() != self.len() || rates.len() != count {
            return None;
        }
        let frames = self.frames(pose);
        let mut moved = pose.to_vec();
        let mut rest = rates;
        for joint in (0..self.len()).filter(leads) {
            let (own, later) = rest.split_at(self.kind(joint).degrees_of_freedom());
            rest = later;
            let turn = self.rest_frame_in(joint, Isometry::IDENTITY, &frames).rotation;
            moved[joint] = advance(self.kind(joint), turn.conjugate(), &pose[joint], own);
        }
        self.follow(&mut moved);
        Some(moved)
    }
}

/// The coordinates of a joint after one unit of time; `to_rest` takes the world's axes to those of its rest frame.
fn advance(kind: &Kind, to_rest: DQuat, now: &Coordinates, rates: &[f64]) -> Coordinates {
    let vector = |first: usize| to_rest * DVec3::from_slice(&rates[first..]);
    let turned = |by: DVec3, from: DQuat| (maths::turn_by(by) * from).normalize();
    match kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(turned(vector(0), now.ball_rotation())),
        Kind::Free => {
            let (shift, turn) = (vector(0), vector(3));
            let position = now.free_position() + left_jacobian(turn, shift);
            Coordinates::free(position, turned(turn, now.free_rotation()))
        }
        _ => {
            let mut moved = *now;
            moved.0.iter_mut().zip(rates).for_each(|(value, rate)| *value += rate);
            moved
        }
    }
}
