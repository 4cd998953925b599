//! Small capsules around points.

use fabrik3d_ik::maths;
use glam::{DMat3, DVec2, DVec3};

/// Margin for rounding errors, as a fraction of the size.
const ROUNDING: f64 = 1e-12;

/// The points within a distance of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capsule {
    pub ends: [DVec3; 2],
    pub radius: f64,
}

impl Capsule {
    /// The capsule of least volume around all points, among those along the principal axes of the points and along the
    /// coordinate axes. `None` without points.
    pub fn around(points: &[DVec3]) -> Option<Self> {
        let low = points.iter().copied().reduce(DVec3::min)?;
        let high = points.iter().copied().reduce(DVec3::max)?;
        let middle = low.midpoint(high);
        let capsules = likely_axes(points).map(|axis| around_axis(points, middle, axis));
        let best = capsules.min_by(|a, b| a.volume().total_cmp(&b.volume()))?;
        Some(Capsule { radius: best.radius + ROUNDING * (best.radius + middle.length()), ..best })
    }

    /// Whether a point is in it, up to rounding.
    #[cfg(test)]
    pub fn holds(&self, point: DVec3) -> bool {
        distance(point, self.ends) <= self.radius + 1e-12
    }

    /// Volume, in units of pi.
    fn volume(&self) -> f64 {
        let Capsule { ends: [a, b], radius } = *self;
        radius * radius * (a.distance(b) + radius * 4.0 / 3.0)
    }
}

/// The shortest capsule of least radius whose axis has this direction.
fn around_axis(points: &[DVec3], origin: DVec3, axis: DVec3) -> Capsule {
    let (u, v) = axis.any_orthonormal_pair();
    let flat = |point: &DVec3| DVec2::new(u.dot(*point - origin), v.dot(*point - origin));
    let circle = Circle::around(points.iter().map(flat).collect());
    let radius = circle.radius;
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in points {
        let height = axis.dot(*point - origin);
        // The cap reaches this far beyond the end of the segment.
        let cap = (radius * radius - flat(point).distance_squared(circle.center)).max(0.0).sqrt();
        first = first.min(height + cap);
        last = last.max(height - cap);
    }
    if first > last {
        // One ball holds them all.
        (first, last) = (0.5 * (first + last), 0.5 * (first + last));
    }
    let center = origin + u * circle.center.x + v * circle.center.y;
    let ends = [center + axis * first, center + axis * last];
    // The distances again, so that rounding errors leave no point outside.
    let outside = points.iter().map(|point| distance(*point, ends)).fold(0.0, f64::max);
    Capsule { ends, radius: radius.max(outside) }
}

/// The distance of a point from a segment.
fn distance(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let link = b - a;
    let squared = link.length_squared();
    let along = if squared > 0.0 { ((point - a).dot(link) / squared).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + link * along)
}

/// The axes of small shapes around the points: their principal axes, and those of the coordinates.
pub(crate) fn likely_axes(points: &[DVec3]) -> impl Iterator<Item = DVec3> {
    principal_axes(points).into_iter().chain(DVec3::AXES)
}

/// The eigenvectors of the covariance of the points.
fn principal_axes(points: &[DVec3]) -> [DVec3; 3] {
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let mut matrix = points.iter().fold(DMat3::ZERO, |sum, point| sum + outer(*point - mean));
    let mut axes = DMat3::IDENTITY;
    // Jacobi's method: turns that make one entry beside the diagonal zero.
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(24) {
        let (off, difference) = (matrix.col(q)[p], matrix.col(q)[q] - matrix.col(p)[p]);
        if off == 0.0 {
            continue;
        }
        let angle = 0.5 * maths::atan2(2.0 * off, difference);
        let (sin, cos) = maths::sincos(angle);
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(p)[p] = cos;
        turn.col_mut(q)[q] = cos;
        turn.col_mut(q)[p] = sin;
        turn.col_mut(p)[q] = -sin;
        matrix = turn.transpose() * matrix * turn;
        axes *= turn;
    }
    [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| axis.try_normalize().unwrap_or(DVec3::Z))
}

#[derive(Clone, Copy, Debug)]
struct Circle {
    center: DVec2,
    radius: f64,
}

impl Circle {
    /// The smallest circle around the points.
    ///
    /// Source: E. Welzl, *Smallest enclosing disks (balls and ellipsoids)*, 1991. Each point that is outside the circle of
    /// those before it is on the rim of the new one.
    fn around(mut points: Vec<DVec2>) -> Circle {
        shuffle(&mut points);
        let mut circle = Circle { center: points.first().copied().unwrap_or_default(), radius: 0.0 };
        for i in 0..points.len() {
            if circle.holds(points[i]) {
                continue;
            }
            circle = Circle { center: points[i], radius: 0.0 };
            for j in 0..i {
                if circle.holds(points[j]) {
                    continue;
                }
                circle = Circle::between(points[i], points[j]);
                for k in 0..j {
                    if !circle.holds(points[k]) {
                        circle = Circle::through(points[i], points[j], points[k]);
                    }
                }
            }
        }
        circle
    }

    fn holds(&self, point: DVec2) -> bool {
        self.center.distance_squared(point) <= self.radius * self.radius * (1.0 + 1e-12)
    }

    fn between(a: DVec2, b: DVec2) -> Circle {
        Circle { center: a.midpoint(b), radius: 0.5 * a.distance(b) }
    }

    /// The circle through three points; for points on a line, around the two that are farthest apart.
    fn through(a: DVec2, b: DVec2, c: DVec2) -> Circle {
        let (p, q) = (b - a, c - a);
        let area = 2.0 * p.perp_dot(q);
        let to_center = DVec2::new(
            q.y * p.length_squared() - p.y * q.length_squared(),
            p.x * q.length_squared() - q.x * p.length_squared(),
        ) / area;
        if to_center.is_finite() {
            return Circle { center: a + to_center, radius: to_center.length() };
        }
        let pairs = [(a, b), (a, c), (b, c)].map(|(a, b)| Circle::between(a, b));
        pairs.into_iter().fold(pairs[0], |widest, pair| if pair.radius > widest.radius { pair } else { widest })
    }
}

/// Puts the points in a random order, the same for every run: the expected time of the search is then linear.
fn shuffle(points: &mut [DVec2]) {
    let mut random = fabrik3d_ik::random::Random::new(1);
    for last in (1..points.len()).rev() {
        points.swap(last, random.index(last + 1));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn a_capsule_holds_all_its_points_and_is_hardly_larger_than_needed() {
        let mut random = Random::new(7);
        for case in 0..300 {
            // Points on and in a capsule of known size.
            let (turn, shift) = (random.rotation(), random.ball() * 10.0);
            let (length, radius) = (random.range(0.0, 2.0), random.range(0.05, 0.5));
            let mut point = || {
                let on_axis = DVec3::Z * (length * (random.unit() - 0.5));
                turn * (on_axis + random.direction() * radius) + shift
            };
            let points: Vec<DVec3> = (0..2000).map(|_| point()).collect();
            let fitted = Capsule::around(&points).unwrap();
            assert!(points.iter().all(|point| distance(*point, fitted.ends) <= fitted.radius), "case {case}");
            let ends = [DVec3::ZERO, DVec3::Z * length];
            let ratio = fitted.volume() / Capsule { ends, radius }.volume();
            assert!(ratio < 1.4, "case {case}: {ratio}");
        }
    }

    #[test]
    fn few_points_have_a_capsule_too() {
        assert_eq!(Capsule::around(&[]), None);
        let mut random = Random::new(8);
        for count in 1..6 {
            for flat in [false, true] {
                let points: Vec<DVec3> =
                    (0..count).map(|_| random.ball() * if flat { DVec3::X } else { DVec3::ONE }).collect();
                let Capsule { ends, radius } = Capsule::around(&points).unwrap();
                assert!(points.iter().all(|point| distance(*point, ends) <= radius), "{points:?}");
                assert!(radius <= 1.0 && ends[0].distance(ends[1]) <= 2.0);
            }
        }
    }
}
