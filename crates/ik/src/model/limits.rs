//! Joint limits. Every allowed set is convex in the coordinates, so clamping, mixing and nearest points are simple.

use super::check_number;
use crate::maths;
use std::f64::consts::{PI, TAU};

/// Why a limit cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// A bound is NaN, infinite, or beyond 1e75.
    #[error("a limit is not a finite number, or larger than 1e75")]
    NotFinite,
    /// The lower bound exceeds the upper one.
    #[error("the lower limit {low} is above the upper limit {high}; swap the two")]
    Reversed {
        /// Lower bound as given.
        low: f64,
        /// Upper bound as given.
        high: f64,
    },
    /// A swing bound is negative, or half a turn or more.
    #[error("a swing limit must be at least 0 and below 180 degrees, not {0} rad")]
    Swing(f64),
}

/// Closed interval of angles (radians) or distances; it need not contain 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "[f64; 2]", into = "[f64; 2]")
)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// The interval from `low` to `high`, both inclusive.
    ///
    /// # Errors
    /// [`LimitError`] if a bound is not finite or too large, or if `low` exceeds `high`.
    pub fn new(low: f64, high: f64) -> Result<Self, LimitError> {
        if check_number(low).and_then(|()| check_number(high)).is_err() {
            return Err(LimitError::NotFinite);
        }
        if low > high {
            return Err(LimitError::Reversed { low, high });
        }
        Ok(Interval { low, high })
    }

    /// Lower bound.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Upper bound.
    pub fn high(self) -> f64 {
        self.high
    }

    /// Upper minus lower bound.
    pub(crate) fn width(self) -> f64 {
        self.high - self.low
    }

    /// Whether `value` is at the lower bound, to within `slack`, or beyond it.
    pub(crate) fn at_low(self, value: f64, slack: f64) -> bool {
        value <= self.low + slack
    }

    /// Whether `value` is at the upper bound, to within `slack`, or beyond it.
    pub(crate) fn at_high(self, value: f64, slack: f64) -> bool {
        value >= self.high - slack
    }

    /// Middle of the interval.
    pub fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// The nearest value inside.
    pub fn clamp(self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }

    /// The nearest angle inside, measured on the circle. An angle outside goes to the end that is nearer on the circle.
    /// An angle inside is returned unchanged, also beyond half a turn.
    pub fn clamp_angle(self, angle: f64) -> f64 {
        if self.contains(angle) {
            return angle;
        }
        let middle = self.middle();
        self.clamp(middle + wrap(angle - middle))
    }

    /// Whether the interval, as a range of angles, covers the whole circle; a gap of less than a degree is ignored.
    pub fn is_whole_turn(self) -> bool {
        self.width() > 2.0 * PI - 0.017
    }

    /// Whether `value` lies inside.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

impl TryFrom<[f64; 2]> for Interval {
    type Error = LimitError;

    fn try_from([low, high]: [f64; 2]) -> Result<Self, LimitError> {
        Interval::new(low, high)
    }
}

/// Lower and upper bound.
impl From<Interval> for [f64; 2] {
    fn from(Interval { low, high }: Interval) -> Self {
        [low, high]
    }
}

/// The angle inside `range` that differs from `angle` by whole turns and lies next to `near`; `None` if there is none.
pub(crate) fn nearest_turn(range: Option<Interval>, angle: f64, near: f64) -> Option<f64> {
    // No turn at all, as nearly always.
    if (near - angle).abs() < 0.999 * PI && range.is_none_or(|range| range.contains(angle)) {
        return Some(angle + 0.0);
    }
    let turns = |to: f64| (to - angle) / TAU;
    let Some(range) = range else { return Some(angle + turns(near).round() * TAU) };
    let (fewest, most) = (turns(range.low()).ceil(), turns(range.high()).floor());
    (fewest <= most).then(|| range.clamp(angle + turns(near).round().clamp(fewest, most) * TAU))
}

/// The same for an angle with rounding errors: a hinge at one end of a range of a whole turn may be at the other one.
pub(crate) fn nearest_rounded_turn(range: Option<Interval>, angle: f64, near: f64) -> Option<f64> {
    let wide = range.map(|Interval { low, high }| Interval { low: low - TURN_ROUNDING, high: high + TURN_ROUNDING });
    let turned = nearest_turn(wide, angle, near)?;
    Some(range.map_or(turned, |range| range.clamp(turned)))
}

/// How far beyond a limit a hinge may be by rounding, radians.
const TURN_ROUNDING: f64 = 1e-9;

/// The equivalent angle in `(-PI, PI]`.
pub(crate) fn wrap(angle: f64) -> f64 {
    if angle > -PI && angle <= PI {
        return angle;
    }
    let wrapped = (angle + PI).rem_euclid(2.0 * PI) - PI;
    if wrapped <= -PI { wrapped + 2.0 * PI } else { wrapped }
}

/// The swing limit of a ball joint: how far its link axis may tilt toward +x, +y, -x and -y of the rest frame, radians.
///
/// A tilt of `a` toward x and `b` toward y is allowed if `(a/ex)^2 + (b/ey)^2 <= 1`, with the `ex` and `ey` of its
/// quadrant. These are the four quarter ellipses of the 2011 paper (its theta 1 to 4), laid on the sphere instead of a
/// plane, so that they remain valid above 90 degrees. The set is convex and its boundary is smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "[f64; 4]", into = "[f64; 4]")
)]
pub struct Swing([f64; 4]);

impl Swing {
    /// A side with a smaller extent than this, radians, is locked.
    pub(crate) const LOCKED: f64 = 1e-9;

    /// A limit of these largest tilts toward `[+x, +y, -x, -y]`, radians, each in `[0, PI)`.
    ///
    /// # Errors
    /// [`LimitError`] if a tilt is not finite or outside that range.
    pub fn new(tilts: [f64; 4]) -> Result<Self, LimitError> {
        for tilt in tilts {
            if !tilt.is_finite() {
                return Err(LimitError::NotFinite);
            }
            if !(0.0..PI).contains(&tilt) {
                return Err(LimitError::Swing(tilt));
            }
        }
        Ok(Swing(tilts))
    }

    /// A round cone with this half-angle, radians.
    pub fn cone(tilt: f64) -> Result<Self, LimitError> {
        Self::new([tilt; 4])
    }

    /// Largest tilts toward `[+x, +y, -x, -y]`.
    pub fn tilts(self) -> [f64; 4] {
        self.0
    }

    /// The semi-axes of the ellipse in whose quadrant the tilt `[a, b]` lies.
    pub fn extents(self, tilt: [f64; 2]) -> [f64; 2] {
        [if tilt[0] >= 0.0 { self.0[0] } else { self.0[2] }, if tilt[1] >= 0.0 { self.0[1] } else { self.0[3] }]
    }

    /// The nearest allowed tilt: the nearest point of the ellipse, found by Newton's method on the secular equation
    /// `(ex x/(t+ex^2))^2 + (ey y/(t+ey^2))^2 = 1`. From below the root the iteration is monotone, so it always converges.
    pub fn clamp(self, tilt: [f64; 2]) -> [f64; 2] {
        let [ex, ey] = self.extents(tilt);
        if ex < Self::LOCKED || ey < Self::LOCKED {
            let flat = |x: f64, e: f64| if e < Self::LOCKED { 0.0 } else { x.clamp(-e, e) };
            return [flat(tilt[0], ex), flat(tilt[1], ey)];
        }
        let (x, y) = (tilt[0].abs(), tilt[1].abs());
        // A point that was clamped to the rim before is returned unchanged.
        if (x / ex).powi(2) + (y / ey).powi(2) <= 1.0 + 8.0 * f64::EPSILON {
            return tilt;
        }
        let (ex2, ey2) = (ex * ex, ey * ey);
        // The root is larger: there, neither part of the sum exceeds 1.
        let mut t = (ex * x - ex2).max(ey * y - ey2).max(0.0);
        for _ in 0..40 {
            let (u, v) = (ex * x / (t + ex2), ey * y / (t + ey2));
            let value = u * u + v * v - 1.0;
            let slope = -2.0 * (u * u / (t + ex2) + v * v / (t + ey2));
            let step = -value / slope;
            t += step;
            if step.abs() <= 1e-15 * (1.0 + t) {
                break;
            }
        }
        let (px, py) = (ex2 * x / (t + ex2), ey2 * y / (t + ey2));
        let over = maths::hypot(px / ex, py / ey).max(1.0);
        [(px / over).copysign(tilt[0]), (py / over).copysign(tilt[1])]
    }

    /// How far out `tilt` lies: 0 at the center, 1 on the rim, more outside. Infinite beyond a locked side.
    pub fn fraction(self, tilt: [f64; 2]) -> f64 {
        let [ex, ey] = self.extents(tilt);
        let ratio = |x: f64, e: f64| match e < Self::LOCKED {
            true if x == 0.0 => 0.0,
            true => f64::INFINITY,
            false => x / e,
        };
        maths::hypot(ratio(tilt[0], ex), ratio(tilt[1], ey))
    }

    /// Whether `tilt` is allowed.
    pub fn contains(self, tilt: [f64; 2]) -> bool {
        self.clamp(tilt) == tilt
    }

    /// Whether both sides of the tilt toward x, and of the tilt toward y, are locked.
    pub(crate) fn locked(self) -> [bool; 2] {
        [0, 1].map(|axis| self.0[axis] < Self::LOCKED && self.0[axis + 2] < Self::LOCKED)
    }

    /// The outward unit normal of the ellipse through `tilt`. `None` at the center, and in a quadrant with a locked side.
    pub(crate) fn outward(self, tilt: [f64; 2]) -> Option<[f64; 2]> {
        let [ex, ey] = self.extents(tilt);
        if ex < Self::LOCKED || ey < Self::LOCKED {
            return None;
        }
        let (x, y) = (tilt[0] / (ex * ex), tilt[1] / (ey * ey));
        let length = maths::hypot(x, y);
        (length > 0.0).then(|| [x / length, y / length])
    }
}

impl TryFrom<[f64; 4]> for Swing {
    type Error = LimitError;

    fn try_from(tilts: [f64; 4]) -> Result<Self, LimitError> {
        Swing::new(tilts)
    }
}

impl From<Swing> for [f64; 4] {
    fn from(Swing(tilts): Swing) -> Self {
        tilts
    }
}
