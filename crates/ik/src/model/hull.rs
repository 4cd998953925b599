//! Convex hulls of points.

use super::{Gap, Isometry, Reason, Solid, check_point, check_size};
use glam::DVec3;
use std::collections::HashSet;
use std::sync::Arc;

/// All points within a distance of the convex hull of some points.
///
/// Clones share the points.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(into = "Parts", try_from = "Parts"))]
pub struct Hull {
    points: Arc<[DVec3]>,
    radius: f64,
}

/// A hull in a file, where its numbers are not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    points: Vec<DVec3>,
    radius: f64,
}

#[cfg(feature = "serde")]
impl From<Hull> for Parts {
    fn from(hull: Hull) -> Self {
        Parts { points: hull.points.to_vec(), radius: hull.radius }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Hull {
    type Error = Reason;

    fn try_from(parts: Parts) -> Result<Self, Reason> {
        Hull::new(&parts.points, parts.radius)
    }
}

/// Points that [`Hull::around`] leaves out are at most this far from the hull of the others, as a fraction of the extent.
const COARSENESS: f64 = 2e-3;

impl Hull {
    /// The hull of all points within `radius` of the convex hull of `points`.
    ///
    /// # Errors
    /// There is no point, one is not finite, or the radius is negative or not finite.
    pub fn new(points: &[DVec3], radius: f64) -> Result<Self, Reason> {
        check_points(points)?;
        check_size(radius)?;
        Ok(Hull { points: points.into(), radius })
    }

    /// A hull that holds all points: the convex hull of few of them, with a radius of at most 0.2 % of their extent.
    ///
    /// # Errors
    /// There is no point, or one is not finite.
    pub fn around(points: &[DVec3]) -> Result<Self, Reason> {
        check_points(points)?;
        let mut seen = HashSet::new();
        let is_new = |point: &&DVec3| seen.insert(point.to_array().map(f64::to_bits));
        let points: Vec<DVec3> = points.iter().filter(is_new).copied().collect();
        let solid = Solid::still(&points, 0.0);
        let extent = DVec3::AXES.map(|axis| (solid.support(axis) - solid.support(-axis)).dot(axis));
        let coarseness = COARSENESS * DVec3::from(extent).length();
        let mut chosen: Vec<usize> = directions().map(|direction| solid.farthest(direction)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let mut chosen: Vec<DVec3> = chosen.into_iter().map(|at| points[at]).collect();
        let mut radius = 0.0_f64;
        for &point in &points {
            while let Gap::Between([own, nearest]) =
                Solid::still(&[point], 0.0).gap(&Solid::still(&chosen, 0.0), f64::INFINITY)
            {
                let distance = own.distance(nearest);
                let farthest = solid.support(own - nearest);
                if distance <= coarseness || chosen.contains(&farthest) {
                    radius = radius.max(distance);
                    break;
                }
                chosen.push(farthest);
            }
        }
        Hull::new(&chosen, radius)
    }

    /// The points.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The distance from their convex hull.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The hull with its joint at `frame`.
    pub(crate) fn at(&self, frame: Isometry) -> Solid<'_> {
        Solid { points: &self.points, radius: self.radius, frame }
    }
}

fn check_points(points: &[DVec3]) -> Result<(), Reason> {
    match points.is_empty() {
        true => Err(Reason::NoPoint),
        false => points.iter().try_for_each(|&point| check_point(point)),
    }
}

/// Problems are compared before they are solved again: clones of a hull are equal without a look at their points.
impl PartialEq for Hull {
    fn eq(&self, other: &Self) -> bool {
        self.radius == other.radius && (Arc::ptr_eq(&self.points, &other.points) || self.points == other.points)
    }
}

/// The 26 directions from the center of a cube to its corners and to the middles of its edges and faces.
fn directions() -> impl Iterator<Item = DVec3> {
    (0..27).map(|at| DVec3::new((at % 3) as f64, (at / 3 % 3) as f64, (at / 9) as f64) - DVec3::ONE)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A hull holds all points that it was made around, and is hardly larger.
    #[test]
    fn a_hull_holds_its_points_and_is_tight() {
        let mut random = Random::new(5);
        for case in 0..40 {
            let scale = DVec3::new(1.0, random.unit(), if case % 5 == 0 { 0.0 } else { random.unit() });
            let points: Vec<DVec3> = (0..1500).map(|_| random.direction() * scale).collect();
            let hull = Hull::around(&points).unwrap();
            assert!(
                hull.radius() <= 2e-3 * 12_f64.sqrt() && hull.points().len() < points.len(),
                "case {case}: {}",
                hull.points().len()
            );
            assert!(hull.points().iter().all(|point| points.contains(point)), "case {case}");
            for &point in &points {
                let own = Hull::new(&[point], 0.0).unwrap();
                let gap = own.at(Isometry::IDENTITY).gap(&hull.at(Isometry::IDENTITY), f64::INFINITY);
                let distance = if let Gap::Between([a, b]) = gap { a.distance(b) } else { 0.0 };
                assert!(distance <= hull.radius() + 1e-9, "case {case}: {distance}");
            }
        }
        assert_eq!(Hull::around(&[]), Err(Reason::NoPoint));
        assert_eq!(Hull::around(&[DVec3::NAN]), Err(Reason::Number));
        assert_eq!(Hull::new(&[DVec3::X], -1.0), Err(Reason::Negative));
    }
}
