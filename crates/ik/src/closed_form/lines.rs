//! Six axes in the order and with the points that a closed form expects.

use super::hinges::{Axis, turn_about};
use crate::model::{Isometry, wrap};
use glam::DVec3;

/// The axes of six hinges. A closed form may use them in reverse: the arm then moves the base relative to the effector.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lines {
    /// Unit directions.
    pub directions: [DVec3; 6],
    /// A point on each axis.
    pub points: [DVec3; 6],
    /// The angle about each direction is this sign times that of the joint.
    signs: [f64; 6],
    reversed: bool,
    /// The size of the arm.
    pub size: f64,
    /// Largest angle between parallel axes in radians, and largest distance between axes that meet, relative to the size.
    tolerance: f64,
}

impl Lines {
    pub fn new(axes: &[Axis; 6], size: f64, tolerance: f64) -> Self {
        let (directions, points) = (axes.map(|axis| axis.direction), axes.map(|axis| axis.point));
        Lines { directions, points, signs: [1.0; 6], reversed: false, size, tolerance }
    }

    /// The arm that moves the base relative to the effector: `(E1 ... E6)^-1 = E6^-1 ... E1^-1`.
    pub fn reversed(mut self) -> Self {
        self.directions.reverse();
        self.points.reverse();
        self.signs.reverse();
        self.signs = self.signs.map(|sign| -sign);
        self.reversed = !self.reversed;
        self
    }

    /// Turns an axis around.
    pub fn flip(&mut self, at: usize) {
        self.directions[at] = -self.directions[at];
        self.signs[at] = -self.signs[at];
    }

    /// The motion that the axes have to bring about together.
    pub fn displacement(&self, target: Isometry, home: Isometry) -> Isometry {
        let (from, to) = if self.reversed { (target, home) } else { (home, target) };
        let rotation = to.rotation * from.rotation.conjugate();
        Isometry::new(to.position - rotation * from.position, rotation)
    }

    /// The angles about the axes from those of the joints.
    pub fn angles_of_joints(&self, angles: &[f64; 6]) -> [f64; 6] {
        std::array::from_fn(|at| self.signs[at] * angles[self.swapped(at)])
    }

    /// The angles of the joints, in `(-PI, PI]`, from those about the axes.
    pub fn joint_angles(&self, angles: &[f64; 6]) -> [f64; 6] {
        std::array::from_fn(|joint| {
            let at = self.swapped(joint);
            wrap(self.signs[at] * angles[at])
        })
    }

    fn swapped(&self, at: usize) -> usize {
        if self.reversed { 5 - at } else { at }
    }

    /// The motion of one axis.
    pub fn turn(&self, at: usize, angle: f64) -> Isometry {
        turn_about(self.points[at], self.directions[at], angle)
    }

    pub fn are_parallel(&self, a: usize, b: usize) -> bool {
        self.directions[a].cross(self.directions[b]).length() < self.tolerance
    }

    /// The points of two axes that are closest to each other; for parallel axes, the point of the first one.
    fn closest(&self, a: usize, b: usize) -> [DVec3; 2] {
        let ([p, q], [u, v]) = ([self.points[a], self.points[b]], [self.directions[a], self.directions[b]]);
        let cos = u.dot(v);
        if self.are_parallel(a, b) {
            return [p, q + v * v.dot(p - q)];
        }
        let (s, t) = (u.dot(q - p), v.dot(q - p));
        let squared = 1.0 - cos * cos;
        [p + u * ((s - cos * t) / squared), q + v * ((cos * s - t) / squared)]
    }

    /// Moves the points of two axes as close to each other as possible: together, if they meet.
    pub fn move_closest(&mut self, a: usize, b: usize) {
        [self.points[a], self.points[b]] = self.closest(a, b);
    }

    /// The point in which three axes meet.
    pub fn common_point(&self, axes: [usize; 3]) -> Option<DVec3> {
        let [a, b, c] = axes;
        if self.are_parallel(a, b) || self.are_parallel(b, c) {
            return None;
        }
        let [p, q] = self.closest(a, b);
        let middle = 0.5 * (p + q);
        let gap = |at: usize| (middle - self.points[at]).cross(self.directions[at]).length();
        axes.into_iter().all(|at| gap(at) < self.tolerance * self.size).then_some(middle)
    }
}
