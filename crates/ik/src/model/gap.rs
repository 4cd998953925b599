//! The nearest points of two convex hulls.

use super::Isometry;
use glam::DVec3;

/// A hull that moves with a joint, somewhere in the world. A capsule is one of two points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solid<'a> {
    pub points: &'a [DVec3],
    pub radius: f64,
    pub frame: Isometry,
}

/// What [`Solid::gap`] finds out about two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gap {
    /// The surfaces are at least the requested distance apart.
    Enough,
    /// The nearest points of both hulls, which are apart. Their radii may still make them overlap.
    Between([DVec3; 2]),
    /// The hulls themselves overlap.
    None,
}

/// Relative error of a distance at which the search for the nearest points ends.
const PRECISION: f64 = 1e-9;
/// Hulls nearer than this fraction of their extent overlap: rounding errors are as large.
const TOUCHING: f64 = 1e-10;
/// The search takes about ten steps. Rounding errors end it here at the latest.
const MOST_STEPS: usize = 100;

/// A vertex of the difference of two solids: all vectors from points of the second one to points of the first one.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    difference: DVec3,
    points: [DVec3; 2],
}

impl<'a> Solid<'a> {
    /// A solid whose points are those of the world.
    pub fn still(points: &'a [DVec3], radius: f64) -> Self {
        Solid { points, radius, frame: Isometry::IDENTITY }
    }

    /// The index of the point that is farthest in a direction of the solid's own frame.
    pub fn farthest(&self, direction: DVec3) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (at, point) in self.points.iter().enumerate() {
            let along = point.dot(direction);
            if along > best.0 {
                best = (along, at);
            }
        }
        best.1
    }

    /// The point that is farthest in a direction of the world, without the radius.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let own = self.frame.rotation.conjugate() * direction;
        self.frame.point(self.points[self.farthest(own)])
    }

    /// The nearest points of two solids, without their radii, unless their surfaces are at least `enough` apart.
    ///
    /// Source: E. Gilbert, D. Johnson, S. Keerthi, *A fast procedure for computing the distance between complex objects in
    /// three-dimensional space*, 1988. The nearest points end the shortest vector of the difference of both solids. A simplex
    /// in it moves toward the origin, vertex by vertex.
    pub fn gap(&self, other: &Solid, enough: f64) -> Gap {
        let vertex = |direction: DVec3| {
            let points = [self.support(direction), other.support(-direction)];
            Vertex { difference: points[0] - points[1], points }
        };
        let enough = (enough + self.radius + other.radius).max(0.0);
        let start = self.frame.position - other.frame.position;
        let mut simplex = Simplex::at(vertex(if start == DVec3::ZERO { DVec3::X } else { -start }));
        let mut extent = simplex.vertices[0].difference.length();
        for _ in 0..MOST_STEPS {
            let nearest = simplex.nearest();
            let squared = nearest.length_squared();
            if squared <= (TOUCHING * extent).powi(2) {
                return Gap::None;
            }
            if simplex.count == 4 {
                break;
            }
            let next = vertex(-nearest);
            extent = extent.max(next.difference.length());
            // No point of the difference is nearer to the origin than the plane through this vertex.
            let along = nearest.dot(next.difference);
            if along >= enough * squared.sqrt() {
                return Gap::Enough;
            }
            if squared - along <= PRECISION * squared || !simplex.add(next) {
                break;
            }
            if simplex.nearest().length_squared() >= squared {
                break;
            }
        }
        Gap::Between(simplex.witnesses())
    }
}

/// One to four vertices, and the weights of their sum that is nearest to the origin. All weights are positive.
#[derive(Clone, Copy, Debug)]
struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    count: usize,
}

impl Simplex {
    fn at(vertex: Vertex) -> Self {
        Simplex { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    /// The point of the simplex that is nearest to the origin.
    fn nearest(&self) -> DVec3 {
        (0..self.count).map(|at| self.vertices[at].difference * self.weights[at]).sum()
    }

    /// The points of both solids that it is the difference of.
    fn witnesses(&self) -> [DVec3; 2] {
        [0, 1].map(|side| (0..self.count).map(|at| self.vertices[at].points[side] * self.weights[at]).sum())
    }

    /// Adds a vertex, and keeps the smallest face that holds the nearest point. Returns false if rounding errors leave none.
    fn add(&mut self, vertex: Vertex) -> bool {
        if (0..self.count).any(|at| self.vertices[at].difference == vertex.difference) {
            return false;
        }
        self.vertices[self.count] = vertex;
        let all = (1_u32 << (self.count + 1)) - 1;
        // The new vertex is in the face. Of all faces whose own nearest point has positive weights, the nearest counts.
        let newest = 1 << self.count;
        let faces = (newest..=all).filter_map(|face| Some((face, self.weights_of(face)?)));
        let squared = |weights: &[f64; 4]| {
            let sum: DVec3 =
                self.vertices.iter().zip(weights).map(|(vertex, weight)| vertex.difference * *weight).sum();
            sum.length_squared()
        };
        let Some((face, weights)) = faces.min_by(|a, b| squared(&a.1).total_cmp(&squared(&b.1))) else { return false };
        let kept = (0..4).filter(|at| face & (1 << at) != 0);
        let mut count = 0;
        let old = *self;
        for at in kept {
            (self.vertices[count], self.weights[count]) = (old.vertices[at], weights[at]);
            count += 1;
        }
        self.count = count;
        true
    }

    /// The weights of the point nearest to the origin on the flat through the vertices of a face, a set of bits; none unless it
    /// is within the face.
    fn weights_of(&self, face: u32) -> Option<[f64; 4]> {
        let mut members = (0..4).filter(|at| face & (1 << at) != 0);
        let first = members.next()?;
        let origin = self.vertices[first].difference;
        let mut weights = [0.0; 4];
        let others = [members.next(), members.next(), members.next()];
        let edge = |at: usize| self.vertices[at].difference - origin;
        match others {
            [None, ..] => {}
            [Some(b), None, _] => {
                let along = edge(b);
                weights[b] = -origin.dot(along) / along.length_squared();
            }
            [Some(b), Some(c), None] => {
                let (u, v) = (edge(b), edge(c));
                let normal = u.cross(v);
                let squared = normal.length_squared();
                weights[b] = -origin.cross(v).dot(normal) / squared;
                weights[c] = -u.cross(origin).dot(normal) / squared;
            }
            [Some(b), Some(c), Some(d)] => {
                let (u, v, w) = (edge(b), edge(c), edge(d));
                let volume = u.dot(v.cross(w));
                weights[b] = -origin.dot(v.cross(w)) / volume;
                weights[c] = -u.dot(origin.cross(w)) / volume;
                weights[d] = -u.dot(v.cross(origin)) / volume;
            }
        }
        weights[first] = 1.0 - weights.iter().sum::<f64>();
        let is_within = |at: usize| face & (1 << at) == 0 || weights[at] > 0.0;
        (0..4).all(is_within).then_some(weights)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::{Hull, nearest_along_both};
    use crate::random::Random;
    use glam::DMat3;

    /// Whether no plane separates two tetrahedra: neither one along a face of them nor one along an edge of each.
    fn overlap(both: [[DVec3; 4]; 2]) -> bool {
        let edges = |corners: [DVec3; 4]| {
            let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
            pairs.map(|[from, to]| (corners[to] - corners[from]).normalize())
        };
        let edges: Vec<DVec3> = both.into_iter().flat_map(edges).collect();
        let mut normals = edges.iter().flat_map(|a| edges.iter().map(|b| a.cross(*b)));
        normals.all(|normal| {
            let [first, second] = both.map(|corners| corners.map(|corner| normal.dot(corner)));
            first.iter().any(|a| second.iter().any(|b| a >= b))
        })
    }

    /// Whether a point is in a tetrahedron, to within a fraction of its size.
    fn is_inside(point: DVec3, [a, b, c, d]: [DVec3; 4]) -> bool {
        let [x, y, z] = (DMat3::from_cols(b - a, c - a, d - a).inverse() * (point - a)).to_array();
        [x, y, z, 1.0 - x - y - z].into_iter().all(|share| share > -1e-6)
    }

    /// The points that it finds are in the tetrahedra, and both are beyond the planes across the ends of the line between them.
    #[test]
    fn the_gap_of_two_tetrahedra_is_between_their_nearest_points() {
        let mut random = Random::new(3);
        let mut overlaps = 0;
        for case in 0..4000 {
            // Some are flat as a knife.
            let flat = if case % 4 == 0 { DVec3::new(1.0, 1.0, 1e-3) } else { DVec3::ONE };
            let scale = 10_f64.powi(case % 7 - 3);
            let shift = random.direction() * random.range(0.0, 2.5) * scale;
            let first: [DVec3; 4] = std::array::from_fn(|_| random.ball() * flat * scale);
            let second: [DVec3; 4] = std::array::from_fn(|_| random.ball() * scale);
            let frame = Isometry::new(shift, random.rotation());
            let placed = second.map(|point| frame.point(point));
            let [own, other] = [Hull::new(&first, 0.0).unwrap(), Hull::new(&second, 0.0).unwrap()];
            let [own, other] = [own.at(Isometry::IDENTITY), other.at(frame)];
            let Gap::Between([a, b]) = own.gap(&other, f64::INFINITY) else {
                assert!(overlap([first, placed]), "case {case}: there is a gap");
                overlaps += 1;
                continue;
            };
            assert!(is_inside(a, first) && is_inside(b, placed), "case {case}: {a} {b}");
            let (distance, way) = (a.distance(b), (a - b).normalize());
            let is_beyond = |point: &DVec3, end: DVec3, way: DVec3| way.dot(*point - end) > -1e-7 * scale;
            assert!(first.iter().all(|point| is_beyond(point, a, way)), "case {case}: {a} {b}");
            assert!(placed.iter().all(|point| is_beyond(point, b, -way)), "case {case}: {a} {b}");
            let swapped = other.gap(&own, f64::INFINITY);
            assert!(matches!(swapped, Gap::Between([c, d]) if (c.distance(d) - distance).abs() < 1e-8 * scale));
            // What is enough, and what is not.
            let enough = |share: f64| own.gap(&other, share * distance) == Gap::Enough;
            assert!(enough(0.99) && !enough(1.01), "case {case}");
        }
        assert!((500..3500).contains(&overlaps), "{overlaps}");
    }

    /// Segments are hulls of two points, and points hulls of one.
    #[test]
    fn hulls_of_few_points_have_the_gap_of_segments() {
        let mut random = Random::new(4);
        for case in 0..2000 {
            let mut segment = || [random.ball(), random.ball()];
            let (mut a, b) = (segment(), segment());
            if case % 3 == 0 {
                a[1] = a[0];
            }
            let [own, other] = [Hull::new(&a, 0.0).unwrap(), Hull::new(&b, 0.0).unwrap()];
            let [s, t] = nearest_along_both(a, b);
            let expected = a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t));
            let gap = own.at(Isometry::IDENTITY).gap(&other.at(Isometry::IDENTITY), f64::INFINITY);
            assert!(
                matches!(gap, Gap::Between([p, q]) if (p.distance(q) - expected).abs() < 1e-8),
                "case {case}: {gap:?}"
            );
        }
    }
}
