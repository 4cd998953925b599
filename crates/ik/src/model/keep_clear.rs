//! Links as capsules that keep clear of each other and of obstacles.

use super::{
    Coordinates, Gap, Hull, Isometry, Obstacle, Part, Reason, Refusal, Skeleton, Solid, check_all, check_point,
    check_size, nearest_along_both, way_apart,
};
use glam::DVec3;

/// The body of a link: all points within a distance of a segment that moves with a joint, or a hull in them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkCapsule {
    /// Index of the joint that carries it.
    pub joint: usize,
    /// Ends of the segment, in the joint's frame. They may coincide: the body is then a ball.
    pub ends: [DVec3; 2],
    /// Radius.
    pub radius: f64,
    /// The shape within the capsule, in the joint's frame. It decides what overlaps; the capsule says where that is worth a
    /// look. None if the capsule is the body itself.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub hull: Option<Hull>,
}

/// What keeps clear of what. The default has no capsules and changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
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

/// The body of a link in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub capsule: &'a LinkCapsule,
    /// The ends of the capsule, world.
    pub ends: [DVec3; 2],
    /// The frame of the joint.
    pub frame: &'a Isometry,
}

/// The distance of a body from another body or an obstacle, and how it changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// Distance of the surfaces; negative if they overlap.
    pub distance: f64,
    /// Unit vector along which the first one moves away from the second one.
    pub normal: DVec3,
    /// The points that the distance depends on, such as those on the axes of two capsules.
    pub points: [DVec3; 2],
    /// How far the surfaces are from them.
    pub radii: [f64; 2],
}

impl LinkCapsule {
    /// A capsule that is the body itself: all points within `radius` of the segment between `ends`, in the joint's frame.
    pub fn new(joint: usize, ends: [DVec3; 2], radius: f64) -> Self {
        LinkCapsule { joint, ends, radius, hull: None }
    }

    /// The body with its joint at `frame`.
    #[inline]
    pub(crate) fn at<'a>(&'a self, frame: &'a Isometry) -> Body<'a> {
        Body { capsule: self, ends: self.ends_at(frame), frame }
    }

    /// The ends of the capsule with its joint at `frame`.
    #[inline]
    pub(crate) fn ends_at(&self, frame: &Isometry) -> [DVec3; 2] {
        self.ends.map(|end| frame.point(end))
    }
}

impl Body<'_> {
    /// The separation from another body. Where both are at least `enough` apart, it may be that of the capsules. Where hulls
    /// overlap, it is that of the capsules too, which are deeper in each other.
    pub(crate) fn separation(&self, other: &Body, enough: f64) -> Separation {
        let [s, t] = nearest_along_both(self.ends, other.ends);
        let points = [self.ends[0].lerp(self.ends[1], s), other.ends[0].lerp(other.ends[1], t)];
        let between = points[0] - points[1];
        let normal = way_apart(between, self.ends[1] - self.ends[0], other.ends[1] - other.ends[0]);
        let radii = [self, other].map(|body| body.capsule.radius);
        let guide = Separation { distance: between.length() - radii[0] - radii[1], normal, points, radii };
        match guide.distance < enough && (self.capsule.hull.is_some() || other.capsule.hull.is_some()) {
            true => guide.between(&self.solid(), &other.solid(), enough),
            false => guide,
        }
    }

    /// The separation from an obstacle, as from another body.
    pub(crate) fn separation_from(&self, obstacle: &Obstacle, enough: f64) -> Separation {
        let [a, b] = self.ends;
        let contact = obstacle.contact(a, b);
        let point = a.lerp(b, contact.along);
        let (radii, points) = ([self.capsule.radius, 0.0], [point, point + contact.normal * contact.depth]);
        let guide = Separation { distance: -contact.depth - radii[0], normal: contact.normal, points, radii };
        if guide.distance >= enough || self.capsule.hull.is_none() {
            return guide;
        }
        let solid = self.solid();
        match obstacle.solid() {
            Some(body) => guide.between(&solid, &body.as_solid(), enough),
            None => {
                let lowest = solid.support(-contact.normal);
                let distance = -obstacle.depth(lowest);
                let points = [lowest, lowest - contact.normal * distance];
                let radii = [solid.radius, 0.0];
                Separation { distance: distance - solid.radius, normal: contact.normal, points, radii }
            }
        }
    }

    /// The hull, or the capsule where there is none.
    fn solid(&self) -> Solid<'_> {
        match &self.capsule.hull {
            Some(hull) => hull.at(*self.frame),
            None => Solid::still(&self.ends, self.capsule.radius),
        }
    }

    /// A ball that holds the body: its center and its radius.
    pub(crate) fn ball(&self) -> (DVec3, f64) {
        let [a, b] = self.ends;
        (a.midpoint(b), 0.5 * a.distance(b) + self.capsule.radius)
    }
}

impl Separation {
    /// The nearest points of both surfaces.
    pub(crate) fn surfaces(&self) -> [DVec3; 2] {
        [self.points[0] - self.normal * self.radii[0], self.points[1] + self.normal * self.radii[1]]
    }

    /// The separation of two solids within the capsules that are separated like this.
    fn between(self, first: &Solid, second: &Solid, enough: f64) -> Separation {
        let radii = [first.radius, second.radius];
        match first.gap(second, enough) {
            Gap::Enough => Separation { distance: enough, ..self },
            Gap::Between(points) => {
                let between = points[0] - points[1];
                let distance = between.length() - radii[0] - radii[1];
                Separation { distance, normal: between.normalize_or(self.normal), points, radii }
            }
            // The capsules hold the solids, so they overlap at least as far.
            Gap::None => self,
        }
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

    /// The pairs of capsules that can touch: all but those on one rigid body, and those on two bodies that one joint connects.
    /// The first list has those that are apart in `pose` (one entry per joint), the second one those that overlap there, which
    /// nothing could keep clear.
    pub fn pairs_in(skeleton: &Skeleton, capsules: &[LinkCapsule], pose: &[Coordinates]) -> [Vec<[usize; 2]>; 2] {
        let frames = skeleton.frames(pose);
        let bodies: Vec<Body> = capsules.iter().map(|capsule| capsule.at(&frames[capsule.joint])).collect();
        // The joint that moves the rigid body of each capsule; none for what cannot move.
        let carrier = |joint: usize| skeleton.ancestors(joint).find(|&i| skeleton.kind(i).can_move());
        let carriers: Vec<Option<usize>> = capsules.iter().map(|capsule| carrier(capsule.joint)).collect();
        let parent = |joint: usize| skeleton.joints()[joint].parent.map(carrier);
        let are_neighbors = |a: Option<usize>, b: Option<usize>| {
            let carries = |lower: Option<usize>, upper| lower.is_some_and(|lower| parent(lower) == Some(upper));
            a == b || carries(a, b) || carries(b, a)
        };
        let pairs = (0..capsules.len()).flat_map(|second| (0..second).map(move |first| [first, second]));
        let pairs = pairs.filter(|&[a, b]| !are_neighbors(carriers[a], carriers[b]));
        // How far they are apart does not matter.
        let are_apart = |&[a, b]: &[usize; 2]| bodies[a].separation(&bodies[b], f64::MIN_POSITIVE).distance > 0.0;
        let (apart, overlapping) = pairs.partition(are_apart);
        [apart, overlapping]
    }

    /// Checks that all joints and capsules exist and that no size is negative.
    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), Refusal> {
        check_size(self.margin).map_err(|reason| reason.of(Part::Margin))?;
        check_all(&self.capsules, Part::Capsule, |capsule| {
            skeleton.check_joint(capsule.joint)?;
            capsule.ends.into_iter().try_for_each(check_point)?;
            check_size(capsule.radius)
        })?;
        let is_pair = |[a, b]: [usize; 2]| a.max(b) < self.capsules.len() && a != b;
        check_all(&self.pairs, Part::Pair, |&pair| if is_pair(pair) { Ok(()) } else { Err(Reason::NoPair) })
    }
}
