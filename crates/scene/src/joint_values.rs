//! Joint values: the coordinates of joints as people read and set them, in degrees and lengths, with limits.

use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Interval, Kind, Swing};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Unit of a joint value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Degrees.
    Degrees,
    /// The scene's unit of length.
    Length,
}

impl Unit {
    /// A value with its unit, for people.
    pub fn text(self, value: f64) -> String {
        match self {
            Unit::Degrees => format!("{}°", fixed(value, 1)),
            Unit::Length => fixed(value, 3),
        }
    }
}

/// A number with this many decimals. Values that round to zero have no sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let is_zero = !text.contains(|letter| ('1'..='9').contains(&letter));
    if is_zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// One value of a joint.
///
/// | kind | values |
/// |---|---|
/// | hinge | angle |
/// | slide | distance along the axis |
/// | ball with a limit | tilt x, tilt y, twist |
/// | ball without limits | turn x, turn y, turn z: rotation vector |
/// | free | x, y, z, turn x, turn y, turn z |
/// | fixed | none |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointValue {
    /// Name, as in the table.
    pub name: &'static str,
    /// Current value.
    pub value: f64,
    /// Limits, given the joint's other values; none: unlimited.
    pub range: Option<(f64, f64)>,
    /// Unit of value and range.
    pub unit: Unit,
}

/// Ranges above this number of turns count as unlimited.
const MOST_TURNS: f64 = 100.0;

/// Cosine of half the smallest angle that is shown as 180.0°, and parts of an axis that count as zero.
const HALF_TURN: f64 = 4.3e-4;
const NO_PART: f64 = 1e-3;

/// The values of a joint of this kind.
pub fn joint_values(kind: &Kind, coordinates: &Coordinates) -> Vec<JointValue> {
    let degrees = |name, value: f64, range: Option<(f64, f64)>| JointValue {
        name,
        value: value.to_degrees(),
        range: range
            .filter(|(low, high)| high - low < MOST_TURNS * TAU)
            .map(|(low, high)| (low.to_degrees(), high.to_degrees())),
        unit: Unit::Degrees,
    };
    let length = |name, value, range| JointValue { name, value, range, unit: Unit::Length };
    let ends = |range: &Interval| (range.low(), range.high());
    let turns = |rotation: DQuat| {
        // Axis times angle, at most half a turn, or what is shown as half a turn. That has two axes: the positive one is chosen,
        // so that equal rotations have equal values.
        let [x, y, z, w] = rotation.to_array();
        let first = [x, y, z].into_iter().find(|part| part.abs() > NO_PART).unwrap_or(0.0);
        let is_turned = if w.abs() < HALF_TURN { first < 0.0 } else { w < 0.0 };
        let turn = maths::logarithm(if is_turned { -rotation } else { rotation });
        [("turn x", turn.x), ("turn y", turn.y), ("turn z", turn.z)].map(|(name, value)| degrees(name, value, None))
    };
    match kind {
        Kind::Ball { swing: None, twist: None } => turns(coordinates.ball_rotation()).to_vec(),
        Kind::Ball { swing, twist } => {
            let [a, b] = coordinates.tilt();
            let tilts = swing.map(|swing| tilt_ranges(swing, [a, b]));
            vec![
                degrees("tilt x", a, tilts.map(|[x, _]| x)),
                degrees("tilt y", b, tilts.map(|[_, y]| y)),
                degrees("twist", coordinates.twist(), twist.as_ref().map(ends)),
            ]
        }
        Kind::Hinge { range, .. } => vec![degrees("angle", coordinates.value(), range.as_ref().map(ends))],
        Kind::Slide { range, .. } => vec![length("distance", coordinates.value(), range.as_ref().map(ends))],
        Kind::Fixed => Vec::new(),
        Kind::Free => {
            let place = coordinates.free_position();
            let place = [("x", place.x), ("y", place.y), ("z", place.z)].map(|(name, at)| length(name, at, None));
            place.into_iter().chain(turns(coordinates.free_rotation())).collect()
        }
    }
}

/// Names of the values of a joint, for messages: `tilt x`, `tilt y`, `twist`.
pub fn joint_value_names(kind: &Kind) -> Vec<&'static str> {
    joint_values(kind, &kind.rest()).into_iter().map(|value| value.name).collect()
}

/// The coordinates for all values of a joint, clamped to the limits. None if the number of values is wrong or a value is not finite.
pub fn coordinates_from_values(kind: &Kind, values: &[f64]) -> Option<Coordinates> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let turn = |x: f64, y: f64, z: f64| maths::turn_by(DVec3::new(x, y, z) * 1_f64.to_radians());
    let requested = match (kind, values) {
        (Kind::Ball { swing: None, twist: None }, &[x, y, z]) => Coordinates::rotation(turn(x, y, z)),
        (Kind::Ball { .. }, &[a, b, c]) => Coordinates::ball([a.to_radians(), b.to_radians()], c.to_radians()),
        (Kind::Hinge { .. }, &[angle]) => Coordinates::scalar(angle.to_radians()),
        (Kind::Slide { .. }, &[way]) => Coordinates::scalar(way),
        (Kind::Fixed, []) => Coordinates::default(),
        (Kind::Free, &[x, y, z, a, b, c]) => Coordinates::free(DVec3::new(x, y, z), turn(a, b, c)),
        _ => return None,
    };
    Some(kind.project(requested))
}

/// Range of each tilt while the other one keeps its value.
fn tilt_ranges(swing: Swing, [a, b]: [f64; 2]) -> [(f64, f64); 2] {
    let [east, north, west, south] = swing.tilts();
    let left = |tilt: f64, extent: f64| {
        let share = if extent > 0.0 { (tilt.abs() / extent).min(1.0) } else { 0.0 };
        (1.0 - share * share).sqrt()
    };
    let across = |tilt: f64, [plus, minus]: [f64; 2]| left(tilt, if tilt >= 0.0 { plus } else { minus });
    let (x, y) = (across(b, [north, south]), across(a, [east, west]));
    [(-west * x, east * x), (-south * y, north * y)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn half_a_turn_is_shown_alike_from_either_side_and_values_read_back() {
        let ball = Kind::Ball { swing: None, twist: None };
        let values = |rotation: DQuat| -> Vec<f64> {
            joint_values(&ball, &Coordinates::rotation(rotation)).iter().map(|value| value.value).collect()
        };
        let mut random = Random::new(9);
        for _ in 0..500 {
            let axis = random.direction();
            let [before, after] = [-1e-5, 1e-5].map(|by| values(DQuat::from_axis_angle(axis, 0.5 * TAU + by)));
            assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 0.01), "{axis}: {before:?} {after:?}");
            let rotation = random.rotation();
            let read = coordinates_from_values(&ball, &values(rotation)).expect("three values").ball_rotation();
            assert!(read.dot(rotation).abs() > 1.0 - 1e-12, "{rotation}");
        }
        let shown = values(DQuat::from_rotation_y(-0.5 * TAU)).into_iter().map(|value| Unit::Degrees.text(value));
        assert_eq!(shown.collect::<Vec<_>>(), ["0.0°", "180.0°", "0.0°"]);
    }
}
