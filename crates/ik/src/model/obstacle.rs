//! Obstacles, and how deep a link penetrates them.

use super::{
    Contact, Isometry, Reason, Solid, any_side, box_contact, check_number, check_point, check_rotation, check_size,
    check_unit, nearest_along, nearest_along_both,
};
use glam::{DQuat, DVec3};

/// A region that links must stay out of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Obstacle {
    /// A ball.
    Sphere {
        /// Center, world.
        center: DVec3,
        /// Radius.
        radius: f64,
    },
    /// The half-space below a plane: points with `normal . x >= offset` are free.
    HalfSpace {
        /// Normal of the plane, unit length, toward the free side.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal.
        offset: f64,
    },
    /// All points within a distance of a segment.
    Capsule {
        /// Ends of the segment, world.
        ends: [DVec3; 2],
        /// Radius.
        radius: f64,
    },
    /// A box.
    Box {
        /// Center, world.
        center: DVec3,
        /// Orientation; unit length.
        rotation: DQuat,
        /// Half the lengths of its sides along its own axes.
        half: DVec3,
    },
}

/// All points within a radius of the hull of a few points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedHull {
    points: [DVec3; 8],
    count: usize,
    radius: f64,
    frame: Isometry,
}

impl RoundedHull {
    /// Of at most eight points of a frame.
    fn new(points: &[DVec3], radius: f64, frame: Isometry) -> Self {
        let point = |at: usize| points.get(at).copied().unwrap_or_default();
        RoundedHull { points: std::array::from_fn(point), count: points.len(), radius, frame }
    }

    /// The points of the hull, world.
    pub fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.points[..self.count].iter().map(|point| self.frame.point(*point))
    }

    /// The radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    pub(crate) fn as_solid(&self) -> Solid<'_> {
        Solid { points: &self.points[..self.count], radius: self.radius, frame: self.frame }
    }
}

impl Obstacle {
    /// The contact of the segment from `a` to `b`.
    pub fn contact(&self, a: DVec3, b: DVec3) -> Contact {
        match *self {
            Obstacle::Sphere { center, radius } => {
                let along = nearest_along(a, b, center);
                let from_center = a.lerp(b, along) - center;
                let distance = from_center.length();
                let normal = if distance > 0.0 { from_center / distance } else { DVec3::Z };
                Contact { depth: radius - distance, normal, along }
            }
            Obstacle::HalfSpace { normal, offset } => {
                let heights = [normal.dot(a) - offset, normal.dot(b) - offset];
                let along = if heights[0] <= heights[1] { 0.0 } else { 1.0 };
                Contact { depth: -heights[0].min(heights[1]), normal, along }
            }
            Obstacle::Capsule { ends, radius } => {
                let [along, other] = nearest_along_both([a, b], ends);
                let between = a.lerp(b, along) - ends[0].lerp(ends[1], other);
                let normal = way_apart(between, b - a, ends[1] - ends[0]);
                Contact { depth: radius - between.length(), normal, along }
            }
            Obstacle::Box { center, rotation, half } => {
                let [a, b] = [a, b].map(|point| rotation.conjugate() * (point - center));
                let contact = box_contact(half, a, b);
                Contact { normal: rotation * contact.normal, ..contact }
            }
        }
    }

    /// Its body, if that is the hull of a few points with rounded edges; a half-space is none.
    pub fn solid(&self) -> Option<RoundedHull> {
        let still = |ends: &[DVec3], radius| RoundedHull::new(ends, radius, Isometry::IDENTITY);
        Some(match *self {
            Obstacle::HalfSpace { .. } => return None,
            Obstacle::Sphere { center, radius } => still(&[center], radius),
            Obstacle::Capsule { ends, radius } => still(&ends, radius),
            Obstacle::Box { center, rotation, half } => {
                let side = |at: usize, bit: usize| if at & bit == 0 { -1.0 } else { 1.0 };
                let corner = |at| half * DVec3::new(side(at, 1), side(at, 2), side(at, 4));
                RoundedHull::new(&std::array::from_fn::<_, 8, _>(corner), 0.0, Isometry::new(center, rotation))
            }
        })
    }

    /// Depth of a point; negative outside.
    pub fn depth(&self, point: DVec3) -> f64 {
        self.contact(point, point).depth
    }

    /// Whether it may be closer to a ball than this distance, judged by a ball around it.
    pub(crate) fn may_be_within(&self, distance: f64, center: DVec3, radius: f64) -> bool {
        let (own, own_radius) = match *self {
            Obstacle::HalfSpace { .. } => return true,
            Obstacle::Sphere { center, radius } => (center, radius),
            Obstacle::Capsule { ends: [a, b], radius } => (a.midpoint(b), 0.5 * a.distance(b) + radius),
            Obstacle::Box { center, half, .. } => (center, half.length()),
        };
        own.distance(center) - own_radius - radius < distance
    }

    /// Checks that all numbers are finite and at most 1e75, that radii and sides are not negative, and that normals and
    /// rotations have unit length.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), Reason> {
        match *self {
            Obstacle::Sphere { center, radius } => check_point(center).and_then(|()| check_size(radius)),
            Obstacle::HalfSpace { normal, offset } => {
                check_number(offset)?;
                check_point(normal)?;
                check_unit(normal.length_squared())
            }
            Obstacle::Capsule { ends, radius } => {
                ends.into_iter().try_for_each(check_point)?;
                check_size(radius)
            }
            Obstacle::Box { center, rotation, half } => {
                check_point(center)?;
                check_rotation(rotation)?;
                check_unit(rotation.length_squared())?;
                half.to_array().into_iter().try_for_each(check_size)
            }
        }
    }
}

/// The unit vector along `between`, which joins the nearest points of two segments; if they cross, the shortest way apart.
pub(crate) fn way_apart(between: DVec3, first: DVec3, second: DVec3) -> DVec3 {
    between.try_normalize().or_else(|| first.cross(second).try_normalize()).unwrap_or_else(|| {
        let longer = if first.length_squared() > second.length_squared() { first } else { second };
        longer.try_normalize().map_or(DVec3::Z, any_side)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn obstacle(random: &mut Random, place: DVec3, spread: f64) -> Obstacle {
        let (center, size) = (place + random.ball() * spread, random.range(0.0, 0.1) * spread);
        match random.index(4) {
            0 => Obstacle::HalfSpace { normal: random.direction(), offset: random.normal() * spread },
            1 => Obstacle::Capsule { ends: [center, center + random.ball() * size], radius: 0.3 * size },
            2 => Obstacle::Box { center, rotation: random.rotation(), half: random.ball().abs() * size },
            _ => Obstacle::Sphere { center, radius: size },
        }
    }

    /// No obstacle within a distance of a point is missed, at scales from atoms to planets.
    #[test]
    fn what_is_near_may_be_near() {
        let (mut near, mut skipped) = (0, 0);
        for seed in 0..60_000 {
            let mut random = Random::new(seed);
            let spread = 10_f64.powf(random.range(-9.0, 9.0));
            let place = if seed % 3 == 0 { DVec3::splat(1e6 * spread) } else { DVec3::ZERO };
            let obstacle = obstacle(&mut random, place, spread);
            let (point, distance) = (place + random.ball() * 1.5 * spread, random.range(0.0, 0.5) * spread);
            let is_near = obstacle.depth(point) > -distance + 1e-8 * spread;
            let may_be_near = obstacle.may_be_within(distance, point, 0.0);
            assert!(may_be_near || !is_near, "seed {seed}: {obstacle:?} is near {point}, {distance}");
            near += u32::from(is_near);
            skipped += u32::from(!may_be_near);
        }
        assert!(near > 5_000 && skipped > 20_000, "{near} are near, {skipped} are skipped");
    }
}
