//! The subproblems that closed forms consist of: rotations about given axes that meet given conditions.
//!
//! Sources: B. Paden, *Kinematics and control of robot manipulators*, 1986 (subproblems 1 to 3); A. J. Elias and
//! J. T. Wen, *IK-Geo: unified robot inverse kinematics using subproblem decomposition*, 2022 (subproblems 4 to 6).

use super::quartic::roots_on_circle;
use crate::maths;
use crate::model::wrap;
use glam::{DMat2, DVec2, DVec3};
use std::array::IntoIter;
use std::f64::consts::{PI, TAU};
use std::iter::Flatten;

/// A vector whose part across an axis is shorter than this, relative to the other lengths, does not determine the angle
/// about that axis: targets come with rounding errors, and what remains open is not worth an error of this size.
const FREE: f64 = 1e-10;
/// How far beyond its bounds a sine or cosine may lie and still count as at the bound, where two solutions meet.
const TANGENT: f64 = 1e-9;
/// Two equations depend on an angle in the same way if one of their combinations contains it with a smaller coefficient
/// than this, relative to the other combination. Up to the second bound, they may or may not: robot descriptions contain
/// rounded numbers, such as 1.57 for a right angle.
const SAME_WAY: [f64; 2] = [1e-9, 1e-3];

/// The parts of a vector `v` that turns about `axis` (unit length): `fixed + cos(angle) * cos + sin(angle) * sin`.
pub(super) struct Turning {
    pub fixed: DVec3,
    pub cos: DVec3,
    pub sin: DVec3,
}

impl Turning {
    pub fn new(axis: DVec3, v: DVec3) -> Self {
        let fixed = axis * axis.dot(v);
        Turning { fixed, cos: v - fixed, sin: axis.cross(v) }
    }

    /// The coefficients of cosine and sine in the component along `direction`.
    pub fn along(&self, direction: DVec3) -> DVec2 {
        DVec2::new(self.cos.dot(direction), self.sin.dot(direction))
    }
}

/// Subproblem 1: the angle about `axis` that turns `from` toward `to`. `None` if any angle does, because one of them lies
/// on the axis.
pub(super) fn turn_between(axis: DVec3, from: DVec3, to: DVec3) -> Option<f64> {
    let (a, b) = (from - axis * axis.dot(from), to - axis * axis.dot(to));
    let smallest = FREE * from.length().max(to.length());
    (a.length() > smallest && b.length() > smallest).then(|| maths::atan2(axis.dot(a.cross(b)), a.dot(b)))
}

/// Subproblem 2 for directions: the angles `[a, b]` with `R(first, a) R(second, b) from = to`. All vectors have unit length,
/// and `first` and `second` are not parallel. If `to` lies on the first axis, `a` is free and becomes `near`.
pub(super) fn two_turns(
    first: DVec3,
    second: DVec3,
    from: DVec3,
    to: DVec3,
    near: f64,
) -> impl Iterator<Item = [f64; 2]> {
    let across = first.cross(second);
    let (squared, cos) = (across.length_squared(), first.dot(second));
    let (along_first, along_second) = (first.dot(to), second.dot(from));
    // The vector between both turns has these components along the axes, and unit length. The height over their plane
    // follows from the Gram determinant of the three vectors, in a form that keeps its digits where it is small.
    let (whole, used) = (across.length() * first.cross(to).length(), along_second - cos * along_first);
    let height = ((whole - used) * (whole + used)).max(0.0).sqrt() / squared;
    let in_plane = (first * (along_first - cos * along_second) + second * (along_second - cos * along_first)) / squared;
    let is_met = used.abs() <= whole + TANGENT;
    let heights = [is_met.then_some(height), (is_met && height > 0.0).then_some(-height)];
    heights.into_iter().flatten().map(move |height| {
        let between = in_plane + across * height;
        [turn_between(first, between, to).unwrap_or(near), turn_between(second, from, between).unwrap_or(0.0)]
    })
}

/// Subproblem 4: the angles with `coefficients . (cos, sin) = value`. `None` if the coefficients vanish: any angle.
pub(super) fn angles_with(coefficients: DVec2, value: f64) -> impl Iterator<Item = Option<f64>> {
    let length = coefficients.length();
    let cos = value / length;
    let found = if length < FREE {
        [Some(None), None]
    } else if cos.abs() > 1.0 + TANGENT {
        [None, None]
    } else {
        let (middle, half) = (maths::angle_of(coefficients), maths::acos(cos.clamp(-1.0, 1.0)));
        [Some(Some(middle + half)), (half != 0.0).then_some(Some(middle - half))]
    };
    found.into_iter().flatten()
}

/// Up to two angles, without memory.
pub(super) type Angles = Flatten<IntoIter<Option<f64>, 2>>;

/// A single angle.
pub(super) fn only(angle: f64) -> Angles {
    [Some(angle), None].into_iter().flatten()
}

/// The angles at which `coefficients . (cos, sin)` lies between two bounds are one or two intervals: the angle of each that is
/// next to `near`. If there are none, the angle that comes closest to the bounds.
pub(super) fn angles_between(coefficients: DVec2, bounds: [f64; 2], near: f64) -> Angles {
    let length = coefficients.length();
    if length < FREE {
        return only(near);
    }
    // The intervals are mirror images: both ends of one as distances from the middle between them.
    let [end, start] = bounds.map(|bound| maths::acos((bound / length).clamp(-1.0, 1.0)));
    let away = wrap(near - maths::angle_of(coefficients));
    let own = away.abs().max(start).min(end) - away.abs();
    let (forth, back) = (TAU - end - away.abs(), away.abs() + start);
    let other = near + if forth < back { forth.copysign(away) } else { -back.copysign(away) };
    let has_other = start > 0.0 && end < PI;
    [Some(near + own * 1_f64.copysign(away)), has_other.then_some(other)].into_iter().flatten()
}

/// Subproblem 6: two equations `first . (cos a, sin a) + second . (cos b, sin b) = value` for the angles `a` and `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwoCircles {
    pub first: [DVec2; 2],
    pub second: [DVec2; 2],
    pub values: [f64; 2],
}

impl TwoCircles {
    /// All `[a, b]`, some perhaps twice. `None` if any angle is a solution.
    pub fn solve(self) -> Vec<[Option<f64>; 2]> {
        let normal = self.normalized();
        let (first, second) = (normal.swapped().isolating_second(), normal.isolating_second());
        let swap = |found: Vec<[Option<f64>; 2]>| found.into_iter().map(|[b, a]| [a, b]);
        let (in_first, in_second) = match [first.second_rank(), second.second_rank()] {
            [None, _] => return second.solve_in_turn(),
            [_, None] => return swap(first.solve_in_turn()).collect(),
            [Some(in_first), Some(in_second)] => (in_first, in_second),
        };
        let mut found = Vec::new();
        if in_second <= in_first && in_second < SAME_WAY[1] {
            found = second.solve_in_turn();
        } else if in_first < SAME_WAY[1] {
            found.extend(swap(first.solve_in_turn()));
        }
        if in_first.min(in_second) > SAME_WAY[0] {
            match in_second >= in_first {
                true => found.extend(normal.solve_together()),
                false => found.extend(swap(normal.swapped().solve_together())),
            }
        }
        found
    }

    /// How differently the two equations depend on the second angle, from 0 to 1, after [`TwoCircles::isolating_second`]. `None`
    /// if they do not depend on it.
    fn second_rank(&self) -> Option<f64> {
        let [large, small] = self.second.map(DVec2::length);
        (large > FREE).then_some(small / large)
    }

    fn swapped(self) -> Self {
        TwoCircles { first: self.second, second: self.first, ..self }
    }

    /// The same equations with coefficients of the order of 1.
    fn normalized(mut self) -> Self {
        for row in 0..2 {
            let size = self.first[row].length() + self.second[row].length();
            if size > FREE {
                self.first[row] /= size;
                self.second[row] /= size;
                self.values[row] /= size;
            }
        }
        self
    }

    /// Orthogonal combinations of the equations, such that the second angle has the smallest possible coefficient in the
    /// second equation.
    fn isolating_second(self) -> Self {
        let [a, b] = self.second;
        let (sin, cos) = maths::sincos(0.5 * maths::atan2(2.0 * a.dot(b), a.length_squared() - b.length_squared()));
        let mix = |[a, b]: [DVec2; 2]| [a * cos + b * sin, b * cos - a * sin];
        let [a, b] = self.values;
        TwoCircles { first: mix(self.first), second: mix(self.second), values: [a * cos + b * sin, b * cos - a * sin] }
    }

    /// The second equation determines the first angle, then the first equation the second one.
    fn solve_in_turn(self) -> Vec<[Option<f64>; 2]> {
        let mut found = Vec::new();
        for a in angles_with(self.first[1], self.values[1]) {
            // A first angle that is free has no part in the first equation either.
            let rest = self.values[0] - a.map_or(0.0, |a| self.first[0].dot(maths::at_angle(a)));
            found.extend(angles_with(self.second[0], rest).map(|b| [a, b]));
        }
        found
    }

    /// Both equations together: `(cos b, sin b) = e - C (cos a, sin a)` has unit length, a polynomial of degree four.
    fn solve_together(self) -> Vec<[Option<f64>; 2]> {
        let matrix = |rows: [DVec2; 2]| DMat2::from_cols(rows[0], rows[1]).transpose();
        let inverse = matrix(self.second).inverse();
        let (shape, shift) = (inverse * matrix(self.first), inverse * DVec2::from(self.values));
        let (x, y) = (shape.x_axis, shape.y_axis);
        let quadratic = [x.length_squared(), x.dot(y), y.length_squared()];
        let linear = [-2.0 * shift.dot(x), -2.0 * shift.dot(y)];
        let angles = roots_on_circle(quadratic, linear, shift.length_squared() - 1.0);
        angles.into_iter().map(|a| [Some(a), Some(maths::angle_of(shift - shape * maths::at_angle(a)))]).collect()
    }
}
