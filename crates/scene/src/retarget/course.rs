//! Trunks and fingers, which have other numbers of joints in other figures: each joint follows what lies at the same height of the
//! other figure's.

use crate::coordinates::zero_frames;
use fabrik3d_ik::{Isometry, Skeleton};
use glam::{DQuat, DVec3};

/// Difference of marks, and share of a stretch, that is rounding.
const ROUNDING: f64 = 1e-9;

/// A point in the frame of a joint.
type Point = (usize, DVec3);

/// What carries a line: the joint of this figure, the one of the other figure, and the rotation from the frame of that one to the frame of
/// this one. A finger bends in the frame of its hand, wherever the palm looks at rest.
pub(super) type Carrier = (usize, usize, DQuat);

/// The line through the joints of a trunk or a finger.
#[derive(Clone, Debug)]
pub(super) struct Course {
    points: Vec<Point>,
    /// How far along the line each point is at rest, ascending: at a whole number for each point that both figures have.
    marks: Vec<f64>,
}

/// What a joint follows of the other figure, instead of one joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Share {
    /// The joints that carry the stretch beside its link, each with its share. They add up to 1.
    joints: Vec<(usize, f64)>,
    /// The end of its link in its own frame, and the ends of that stretch; none without a link.
    link: Option<(DVec3, [Place; 2])>,
    /// What carries both.
    pub carrier: Option<Carrier>,
}

/// A place between two points, with the share of the second one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place(Point, Point, f64);

impl Place {
    fn of(self, frames: &[Isometry]) -> DVec3 {
        let Place(from, to, part) = self;
        let [from, to] = [from, to].map(|(joint, point)| frames[joint].point(point));
        from.lerp(to, part)
    }
}

impl Course {
    /// The line through these points, of which `common` are those that both figures have: the first and the last, and others
    /// between, ascending.
    pub fn new(skeleton: &Skeleton, points: Vec<Point>, common: &[usize]) -> Self {
        let rest = zero_frames(skeleton, Isometry::IDENTITY);
        let places: Vec<DVec3> = points.iter().map(|&(joint, point)| rest[joint].point(point)).collect();
        let mut marks = vec![0.0; points.len()];
        for (whole, ends) in common.windows(2).enumerate() {
            let way =
                |to: usize| -> f64 { places[ends[0]..=to].windows(2).map(|step| step[0].distance(step[1])).sum() };
            let (length, steps) = (way(ends[1]), (ends[1] - ends[0]) as f64);
            for (step, mark) in marks[ends[0]..=ends[1]].iter_mut().enumerate() {
                let part = if length > 0.0 { way(ends[0] + step) / length } else { step as f64 / steps };
                *mark = whole as f64 + part;
            }
        }
        Course { points, marks }
    }

    /// The number of the last point that is not beyond a mark.
    fn point_before(&self, mark: f64) -> usize {
        self.marks.partition_point(|&other| other <= mark + ROUNDING).saturating_sub(1)
    }

    /// The number of the first point that is not before a mark.
    fn point_from(&self, mark: f64) -> usize {
        self.marks.partition_point(|&other| other < mark - ROUNDING)
    }

    /// Where a mark is: the number of the point before it, and the place.
    fn place(&self, mark: f64) -> (usize, Place) {
        let from = self.point_before(mark).min(self.marks.len() - 2);
        let [low, high] = [self.marks[from], self.marks[from + 1]];
        let part = if high > low { ((mark - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        (from, Place(self.points[from], self.points[from + 1], part))
    }

    /// What its joints follow on the same line of another figure, except for the one at its base.
    pub fn shares<'a>(
        &'a self,
        other: &'a Course,
        rest: &'a [Isometry],
        carrier: Option<Carrier>,
    ) -> impl Iterator<Item = (usize, Share)> + 'a {
        (1..self.points.len()).filter(|&at| self.points[at].1 == DVec3::ZERO).map(move |at| {
            let joint = self.points[at].0;
            let Some(&end) = self.marks.get(at + 1).filter(|end| **end > self.marks[at] + ROUNDING) else {
                // Points at the same place have an order.
                let before = at - self.point_from(self.marks[at]);
                let only = (other.point_from(self.marks[at]) + before).min(other.point_before(self.marks[at]));
                return (joint, Share { joints: vec![(other.points[only].0, 1.0)], link: None, carrier });
            };
            let ((first, from), (last, to)) = (other.place(self.marks[at]), other.place(end));
            let start = self.marks[at];
            let overlap = |step: usize| other.marks[step + 1].min(end) - other.marks[step].max(start);
            let joints = (first..=last).map(|step| (other.points[step].0, overlap(step) / (end - start)));
            let (next, point) = self.points[at + 1];
            let link = rest[joint].local(rest[next].point(point));
            let joints = joints.filter(|(_, share)| *share > ROUNDING).collect();
            (joint, Share { joints, link: Some((link, [from, to])), carrier })
        })
    }
}

impl Share {
    /// The joint that carries most of the stretch.
    pub fn main(&self) -> Option<usize> {
        self.joints.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| *joint)
    }

    /// The joints that it follows.
    pub fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.joints.iter().map(|(joint, _)| *joint)
    }

    /// The mean of rotations of the joints that it follows.
    pub fn mean(&self, rotation: impl Fn(usize) -> DQuat) -> DQuat {
        let Some(first) = self.main().map(&rotation) else { return DQuat::IDENTITY };
        let near = |turn: DQuat| if turn.dot(first) < 0.0 { -turn } else { turn };
        let sum = self
            .joints
            .iter()
            .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &(joint, share)| sum + near(rotation(joint)) * share);
        if sum.length_squared() > 0.0 { sum.normalize() } else { first }
    }

    /// Its link in its own frame, and the direction of the stretch that it follows, for these frames of the other figure.
    pub fn link(&self, frames: &[Isometry]) -> Option<(DVec3, DVec3)> {
        let (own, [from, to]) = self.link?;
        Some((own.try_normalize()?, (to.of(frames) - from.of(frames)).try_normalize()?))
    }
}
