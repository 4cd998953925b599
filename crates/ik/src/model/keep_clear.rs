//! Links as capsules that keep clear of each other and of obstacles.

use super::distance::nearest_along_both;
use super::obstacle::{Obstacle, way_apart};
use super::pose::Coordinates;
use super::refusal::{Part, Reason, Refusal, check_point, check_size};
use super::skeleton::Skeleton;
use super::transform::Isometry;
use glam::DVec3;

/// The body of a link: all points within a distance of a segment that moves with a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkCapsule {
    /// Index of the joint that carries it.
    pub joint: usize,
    /// Ends of the segment, in the joint's frame. They may coincide: the body is then a ball.
    pub ends: [DVec3; 2],
    /// Radius.
    pub radius: f64,
}

/// What keeps clear of what. The default has no capsules and changes nothing.
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct KeepClear {
    /// The bodies of the links. All of them keep out of the obstacles of the problem. A link may have several, or none.
    pub capsules: Vec<LinkCapsule>,
    /// Pairs of capsules, by their indices, that keep clear of each other.
    pub pairs: Vec<[usize; 2]>,
    /// The distance that capsules keep from each other and from obstacles where the goals leave the freedom to. Whatever
    /// the margin, no goal counts as reached while something overlaps.
    pub margin: f64,
}

impl Clone for KeepClear {
    fn clone(&self) -> Self {
        KeepClear { capsules: self.capsules.clone(), pairs: self.pairs.clone(), margin: self.margin }
    }

    /// Keeps the memory of both lists.
    fn clone_from(&mut self, other: &Self) {
        self.capsules.clone_from(&other.capsules);
        self.pairs.clone_from(&other.pairs);
        self.margin = other.margin;
    }
}

/// The axis of a capsule in the world, and its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Body {
    pub ends: [DVec3; 2],
    pub radius: f64,
}

/// The distance of a body from another body or an obstacle, and how it changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// Distance of the surfaces; negative if they overlap.
    pub distance: f64,
    /// Unit vector along which the first one moves away from the second one.
    pub normal: DVec3,
    /// The points that the distance depends on: on the axis of the first one, and on that of the second one or on the
    /// surface of the obstacle.
    pub points: [DVec3; 2],
}

impl LinkCapsule {
    /// The capsule with its joint at `frame`.
    #[inline]
    pub(crate) fn at(&self, frame: Isometry) -> Body {
        Body { ends: self.ends.map(|end| frame.point(end)), radius: self.radius }
    }
}

impl Body {
    /// The separation from another body.
    pub(crate) fn separation(&self, other: &Body) -> Separation {
        let [s, t] = nearest_along_both(self.ends, other.ends);
        let points = [self.ends[0].lerp(self.ends[1], s), other.ends[0].lerp(other.ends[1], t)];
        let between = points[0] - points[1];
        let normal = way_apart(between, self.ends[1] - self.ends[0], other.ends[1] - other.ends[0]);
        Separation { distance: between.length() - self.radius - other.radius, normal, points }
    }

    /// The separation from an obstacle.
    pub(crate) fn separation_from(&self, obstacle: &Obstacle) -> Separation {
        let [a, b] = self.ends;
        let contact = obstacle.contact(a, b);
        let point = a.lerp(b, contact.along);
        let surface = point + contact.normal * contact.depth;
        Separation { distance: -contact.depth - self.radius, normal: contact.normal, points: [point, surface] }
    }

    /// A ball that holds the body: its center and its radius.
    pub(crate) fn ball(&self) -> (DVec3, f64) {
        let [a, b] = self.ends;
        (a.midpoint(b), 0.5 * a.distance(b) + self.radius)
    }
}

impl KeepClear {
    /// The joints of each pair.
    pub(crate) fn joint_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pairs.iter().map(|pair| pair.map(|capsule| self.capsules[capsule].joint)).map(|[a, b]| (a, b))
    }

    /// Whether there is nothing to keep clear.
    pub fn is_empty(&self) -> bool {
        self.capsules.is_empty()
    }

    /// The pairs of capsules that can touch and are apart in `pose` (one entry per joint): all but those on one rigid body,
    /// those on two bodies that one joint connects, and those that overlap in `pose`.
    ///
    /// # Panics
    /// The pose has fewer entries than the skeleton has joints, or a capsule is on a joint that does not exist.
    pub fn separable_pairs(skeleton: &Skeleton, capsules: &[LinkCapsule], pose: &[Coordinates]) -> Vec<[usize; 2]> {
        let frames = skeleton.frames(pose);
        let bodies: Vec<Body> = capsules.iter().map(|capsule| capsule.at(frames[capsule.joint])).collect();
        // The joint that moves the rigid body of each capsule; none for what cannot move.
        let carrier = |joint: usize| skeleton.ancestors(joint).find(|&i| skeleton.kind(i).can_move());
        let parent = |joint: usize| skeleton.joints()[joint].parent.map(&carrier);
        let are_neighbors = |a: Option<usize>, b: Option<usize>| {
            let carries = |lower: Option<usize>, upper| lower.is_some_and(|lower| parent(lower) == Some(upper));
            a == b || carries(a, b) || carries(b, a)
        };
        let mut pairs = Vec::new();
        for second in 0..capsules.len() {
            for first in 0..second {
                let [a, b] = [first, second].map(|at| carrier(capsules[at].joint));
                if !are_neighbors(a, b) && bodies[first].separation(&bodies[second]).distance > 0.0 {
                    pairs.push([first, second]);
                }
            }
        }
        pairs
    }

    /// Checks that all joints and capsules exist and that no size is negative.
    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), Refusal> {
        check_size(self.margin).map_err(|reason| reason.of(Part::Margin))?;
        for (at, capsule) in self.capsules.iter().enumerate() {
            let checked = skeleton.check_joint(capsule.joint);
            let checked = checked.and_then(|()| capsule.ends.into_iter().try_for_each(check_point));
            let checked = checked.and_then(|()| check_size(capsule.radius));
            checked.map_err(|reason| reason.of(Part::Capsule(at)))?;
        }
        let is_pair = |&[a, b]: &[usize; 2]| a.max(b) < self.capsules.len() && a != b;
        match self.pairs.iter().position(|pair| !is_pair(pair)) {
            Some(at) => Err(Reason::NoPair.of(Part::Pair(at))),
            None => Ok(()),
        }
    }
}
