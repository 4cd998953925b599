//! How far the joints of a figure move from one pose to another.

use crate::layout::Layout;
use crate::model::{Coordinates, Interval, Kind, Skeleton, nearest_rounded_turn, pose_distance, wrap};
use std::f64::consts::PI;

/// The moves of the joints of a layout: radians, or translations as fractions of its length.
#[derive(Clone, Debug)]
pub(super) struct Moves<'a> {
    skeleton: &'a Skeleton,
    /// The layout's length.
    length: f64,
    /// The hinges that reach a pose after whole turns too, with their ranges.
    pub circles: Vec<(usize, Option<Interval>)>,
    /// All other joints that move.
    others: Vec<usize>,
}

impl<'a> Moves<'a> {
    pub fn new(skeleton: &'a Skeleton, layout: &'a Layout) -> Self {
        let circle = |&hinge: &usize| match skeleton.kind(hinge) {
            Kind::Hinge { range, .. } if layout.moving[hinge] => Some((hinge, *range)),
            _ => None,
        };
        let is_circle = |joint: &usize| skeleton.circles.binary_search(joint).is_ok();
        let others = layout.active_joints.iter().map(|active| active.joint).filter(|joint| !is_circle(joint));
        let circles = skeleton.circles.iter().filter_map(circle).collect();
        Moves { skeleton, length: layout.length, circles, others: others.collect() }
    }

    /// The largest move of a joint. Hinges without limits take the shorter way around.
    pub fn largest(&self, from: &[Coordinates], to: &[Coordinates]) -> f64 {
        let circles = self.circles.iter().map(|&(hinge, range)| {
            let turn = to[hinge].value() - from[hinge].value();
            if range.is_none() { wrap(turn).abs() } else { turn.abs() }
        });
        circles.fold(self.largest_of_others(from, to), f64::max)
    }

    /// The largest move of a joint, where all circles take the shorter way around: after whole turns, it is no less. `others`
    /// is that of the other joints.
    pub fn least(&self, from: &[Coordinates], to: &[Coordinates], others: f64) -> f64 {
        let circles = self.circles.iter().map(|&(hinge, _)| wrap(to[hinge].value() - from[hinge].value()).abs());
        circles.fold(others, f64::max)
    }

    /// Whether the angles of a pose are after the same whole turns. Circles without a range have no turns.
    pub fn are_same_turns(&self, one: &[f64], other: &[f64]) -> bool {
        let mut limited = self.circles.iter().zip(one.iter().zip(other)).filter(|((_, range), _)| range.is_some());
        limited.all(|(_, (one, other))| (one - other).abs() < PI)
    }

    /// The largest move of a joint that is no circle.
    pub fn largest_of_others(&self, from: &[Coordinates], to: &[Coordinates]) -> f64 {
        pose_distance(self.skeleton, &self.others, from, to, self.length)
    }

    /// The angles of the circles in a pose.
    pub fn angles(&self, pose: &[Coordinates]) -> Vec<f64> {
        self.circles.iter().map(|&(hinge, _)| pose[hinge].value()).collect()
    }

    /// A pose with other angles of the circles.
    pub fn with_angles(&self, pose: &[Coordinates], angles: &[f64]) -> Vec<Coordinates> {
        let mut pose = pose.to_vec();
        for (&(hinge, _), &angle) in self.circles.iter().zip(angles) {
            pose[hinge] = Coordinates::scalar(angle);
        }
        self.skeleton.follow(&mut pose);
        pose
    }

    /// The angles that differ by whole turns and lie next to `near`, inside the ranges.
    pub fn turned(&self, angles: &[f64], near: &[f64]) -> Vec<f64> {
        let turned = |((&(_, range), &angle), &near): ((&(usize, Option<Interval>), &f64), &f64)| {
            nearest_rounded_turn(range, angle, near).unwrap_or(range.map_or(angle, |range| range.clamp(angle)))
        };
        self.circles.iter().zip(angles).zip(near).map(turned).collect()
    }
}
