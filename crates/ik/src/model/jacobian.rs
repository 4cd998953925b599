//! The geometric Jacobian of an effector: how fast its tip moves and turns per unit of each joint coordinate.

use super::joint::{Axes, Kind, swing_rotation};
use super::pose::Coordinates;
use super::problem::Effector;
use super::skeleton::Skeleton;
use super::transform::Isometry;
use glam::DVec3;

/// What one coordinate of one joint does to an effector, world axes: per radian, or per unit of length where the
/// coordinate is a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Column {
    /// Index of the joint.
    pub joint: usize,
    /// Which of the joint's coordinates, from 0; see [`Skeleton::jacobian`].
    pub coordinate: usize,
    /// Velocity of the tip.
    pub velocity: DVec3,
    /// Angular velocity of the effector's joint.
    pub turn: DVec3,
}

impl Column {
    /// The column: three rows of the velocity, three of the angular velocity.
    pub fn values(&self) -> [f64; 6] {
        let ([x, y, z], [a, b, c]) = (self.velocity.to_array(), self.turn.to_array());
        [x, y, z, a, b, c]
    }
}

/// A matrix of six rows: velocity of the tip along the world's x, y, z, then angular velocity about them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeometricJacobian {
    /// The columns, in the order of the skeleton's joints.
    pub columns: Vec<Column>,
}

impl Skeleton {
    /// The geometric Jacobian of an effector in a pose (one entry a joint); the world is the roots' parent. None where
    /// the effector's joint does not exist or the pose is of another length.
    ///
    /// Every joint that moves by itself has its columns, in the skeleton's order, also where they are zero because it does
    /// not carry the effector: matrices of several effectors can be stacked. A joint that follows another has none; what
    /// it does is part of its leader's. The coordinates of a joint are
    ///
    /// | kind | columns |
    /// |---|---|
    /// | hinge | angle |
    /// | slide | distance |
    /// | ball with a limit | tilt toward x, tilt toward y, twist |
    /// | ball without limits | turns about the world's x, y, z |
    /// | free | shifts along the world's x, y, z, turns about them |
    /// | fixed | none |
    pub fn jacobian(&self, pose: &[Coordinates], effector: &Effector) -> Option<GeometricJacobian> {
        self.jacobian_at(Isometry::IDENTITY, pose, effector)
    }

    /// As [`Skeleton::jacobian`]; `base` is the roots' parent.
    pub fn jacobian_at(&self, base: Isometry, pose: &[Coordinates], effector: &Effector) -> Option<GeometricJacobian> {
        if pose.len() != self.len() || effector.joint >= self.len() {
            return None;
        }
        let (columns, first) = self.columns();
        let mut jacobian = GeometricJacobian { columns };
        let frames = self.frames_at(base, pose);
        // What the ancestors move: the tip, or, below a joint that keeps the world's axes, that joint's place alone.
        let mut point = frames[effector.joint].point(effector.tip);
        let mut turns = true;
        let length = effector.chain_length.unwrap_or(usize::MAX);
        for joint in self.ancestors(effector.joint).take(length) {
            let own = &self.joints()[joint];
            let (leader, scale) = own.mimic.map_or((joint, 1.0), |mimic| (mimic.joint, mimic.scale));
            let parent = own.parent.map_or(base, |parent| frames[parent]);
            let rates = rates(self.kind(joint), self.rest_frame(joint, parent), &pose[joint]);
            let arm = point - frames[joint].position;
            for (at, rate) in rates[..column_count(self.kind(joint))].iter().enumerate() {
                let column = &mut jacobian.columns[first[leader] + at];
                column.velocity += (rate.shift + rate.turn.cross(arm)) * scale;
                column.turn += if turns { rate.turn * scale } else { DVec3::ZERO };
            }
            if own.axes == Axes::World {
                point = lever(self, joint, &frames);
                turns = false;
            }
        }
        Some(jacobian)
    }

    /// Empty columns, and for each joint the number of its first.
    fn columns(&self) -> (Vec<Column>, Vec<usize>) {
        let mut columns = Vec::new();
        let mut first = Vec::with_capacity(self.len());
        for (joint, own) in self.joints().iter().enumerate() {
            first.push(columns.len());
            let count = if own.mimic.is_some() { 0 } else { column_count(self.kind(joint)) };
            let empty = |coordinate| Column { joint, coordinate, velocity: DVec3::ZERO, turn: DVec3::ZERO };
            columns.extend((0..count).map(empty));
        }
        (columns, first)
    }
}

impl GeometricJacobian {
    /// The six rows, each as long as there are columns.
    pub fn rows(&self) -> [Vec<f64>; 6] {
        std::array::from_fn(|row| self.columns.iter().map(|column| column.values()[row]).collect())
    }

    /// Yoshikawa's manipulability, `sqrt(det(J J^T))`, of some of the rows (those from 6 on do not count): the volume that
    /// unit joint velocities span. `&[0, 1, 2]` asks for the tip's place, `&[0, 1]` for an arm that works in the x-y plane,
    /// `&[0, 1, 2, 3, 4, 5]` for everything. It is 0 in a singular pose.
    ///
    /// Source: T. Yoshikawa, *Manipulability of robotic mechanisms*, International Journal of Robotics Research 4, 1985.
    pub fn manipulability(&self, rows: &[usize]) -> f64 {
        let all = self.rows();
        let mut done: Vec<Vec<f64>> = Vec::new();
        let mut volume = 1.0;
        for row in rows.iter().filter_map(|&row| all.get(row)) {
            // The volume is the product of the heights: what of each row the ones before leave (Gram and Schmidt).
            let mut left = row.clone();
            for unit in &done {
                let along = dot(&left, unit);
                left.iter_mut().zip(unit).for_each(|(value, unit)| *value -= along * unit);
            }
            let height = dot(&left, &left).sqrt();
            if height <= SINGULAR * dot(row, row).sqrt() {
                return 0.0;
            }
            left.iter_mut().for_each(|value| *value /= height);
            done.push(left);
            volume *= height;
        }
        volume
    }
}

/// A height that is rounding, as a share of the row.
const SINGULAR: f64 = 1e-14;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// How a joint's frame moves per unit of each of its coordinates, world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    /// Angular velocity.
    pub turn: DVec3,
    /// Velocity of the origin.
    pub shift: DVec3,
}

/// Origin of the rest frame of a joint that keeps the world's axes: what its ancestors carry.
pub(crate) fn lever(skeleton: &Skeleton, joint: usize, frames: &[Isometry]) -> DVec3 {
    let own = &skeleton.joints()[joint];
    own.parent.map_or(frames[joint].position, |parent| frames[parent].point(own.offset))
}

/// Rates of a joint's coordinates. A quaternion's are turns about the world's axes, a free joint's first three shifts
/// along them.
pub(crate) fn rates(kind: &Kind, rest: Isometry, now: &Coordinates) -> [Rate; 6] {
    let turn = |axis: DVec3| Rate { turn: axis, shift: DVec3::ZERO };
    let shift = |axis: DVec3| Rate { turn: DVec3::ZERO, shift: axis };
    let mut rates = [Rate::default(); 6];
    match kind {
        Kind::Ball { swing: None, twist: None } => {
            rates[..3].copy_from_slice(&DVec3::AXES.map(turn));
        }
        Kind::Ball { .. } => {
            let [a, b] = now.tilt();
            let swing = DVec3::new(-b, a, 0.0);
            let twist = swing_rotation([a, b]) * DVec3::Z;
            let local = [left_jacobian(swing, DVec3::Y), left_jacobian(swing, DVec3::NEG_X), twist];
            rates[..3].copy_from_slice(&local.map(|axis| turn(rest.rotation * axis)));
        }
        Kind::Hinge { axis, .. } => rates[0] = turn(rest.rotation * *axis),
        Kind::Slide { axis, .. } => rates[0] = shift(rest.rotation * *axis),
        Kind::Fixed => {}
        Kind::Free => {
            rates[..3].copy_from_slice(&DVec3::AXES.map(shift));
            rates[3..].copy_from_slice(&DVec3::AXES.map(turn));
        }
    }
    rates
}

/// The left Jacobian of SO(3) at the rotation vector `r`, applied to `v`: the angular velocity of `exp(r)` while `r`
/// changes by `v`.
fn left_jacobian(r: DVec3, v: DVec3) -> DVec3 {
    let angle = r.length();
    if angle < 1e-6 {
        return v + r.cross(v) * 0.5;
    }
    let squared = angle * angle;
    let (sin, cos) = angle.sin_cos();
    v + r.cross(v) * ((1.0 - cos) / squared) + r.cross(r.cross(v)) * ((angle - sin) / (squared * angle))
}

/// Number of columns of the Jacobian: degrees of freedom.
pub(crate) fn column_count(kind: &Kind) -> usize {
    match kind {
        Kind::Ball { .. } => 3,
        Kind::Hinge { .. } | Kind::Slide { .. } => 1,
        Kind::Fixed => 0,
        Kind::Free => 6,
    }
}
