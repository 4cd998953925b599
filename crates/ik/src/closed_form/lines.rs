//! Six axes in the order and with the points that a closed form expects.

use super::hinges::{Axis, turn_about};
use crate::model::{Isometry, wrap};
use glam::DVec3;

/// Axes with a smaller angle, radians, have their closest points so far away that these are inexact.
const NEARLY_PARALLEL: f64 = 1e-3;

/// The axes of six hinges. An arm and its target are a loop of six joints, which a closed form may cut anywhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lines {
    /// Unit directions.
    pub directions: [DVec3; 6],
    /// A point on each axis.
    pub points: [DVec3; 6],
    /// The angle about each direction is this sign times that of the joint.
    signs: [f64; 6],
    /// The joint of the first axis.
    first: usize,
    /// A point of the arm.
    pub origin: DVec3,
    /// The size of the arm.
    pub size: f64,
    /// Largest angle between parallel axes in radians, and largest distance between axes that meet, relative to the size.
    tolerance: f64,
}

impl Lines {
    pub fn new(axes: &[Axis; 6], size: f64, tolerance: f64) -> Self {
        let (directions, points) = (axes.map(|axis| axis.direction), axes.map(|axis| axis.point));
        Lines { directions, points, signs: [1.0; 6], first: 0, origin: points[2], size, tolerance }
    }

    /// The axes from `first` on, if together they have to bring about `motion`. Those before come last, where they are seen
    /// from the target: `E1 E2 ... E6 = M` is the same as `E2 ... E6 (M^-1 E1 M) = M`.
    pub fn cut(&self, first: usize, motion: Isometry) -> Self {
        let mut lines = self.clone();
        for at in 0..first {
            lines.points[at] = motion.local(self.points[at]);
            lines.directions[at] = motion.rotation.conjugate() * self.directions[at];
        }
        lines.points.rotate_left(first);
        lines.directions.rotate_left(first);
        lines.signs.rotate_left(first);
        lines.first = first;
        lines
    }

    /// Turns an axis around.
    pub fn flip(&mut self, at: usize) {
        self.directions[at] = -self.directions[at];
        self.signs[at] = -self.signs[at];
    }

    /// The angles about the axes from those of the joints.
    pub fn angles_of_joints(&self, angles: &[f64; 6]) -> [f64; 6] {
        std::array::from_fn(|at| self.signs[at] * angles[(at + self.first) % 6])
    }

    /// The angles of the joints, in `(-PI, PI]`, from those about the axes.
    pub fn joint_angles(&self, angles: &[f64; 6]) -> [f64; 6] {
        std::array::from_fn(|joint| {
            let at = (joint + 6 - self.first) % 6;
            wrap(self.signs[at] * angles[at])
        })
    }

    /// The motion of one axis.
    pub fn turn(&self, at: usize, angle: f64) -> Isometry {
        turn_about(self.points[at], self.directions[at], angle)
    }

    pub fn are_parallel(&self, a: usize, b: usize) -> bool {
        self.directions[a].cross(self.directions[b]).length() < self.tolerance
    }

    /// The points of two axes that are closest to each other; for nearly parallel axes, which have them far away, the point
    /// of the first one.
    fn closest(&self, a: usize, b: usize) -> [DVec3; 2] {
        let ([p, q], [u, v]) = ([self.points[a], self.points[b]], [self.directions[a], self.directions[b]]);
        let cos = u.dot(v);
        if u.cross(v).length() < NEARLY_PARALLEL {
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
