//! The two reaching passes, rearranged so that a processor waits less.
//!
//! A pass is one long chain of dependencies: the direction to the next joint needs the new position of this one, and
//! that needs a square root and a division. Let `q` be the new position of this joint's anchor, `w = p - q` the vector
//! to the joint's old position, and `s` the factor that moves the joint to `q' = q + s w`, at distance `d` from `q`.
//! Then the next squared distance is
//!
//! ```text
//! |p_next - q'|^2 = |p_next - q|^2 + d^2 - 2 s (p_next - q) . w
//! ```
//!
//! Everything in it but `s` is known before the square root is finished. And with `l = |w|^2`,
//! `s = d / sqrt(l) = sqrt(l) * (d / l)`, where root and division run in parallel. Where the difference cancels, and
//! every few joints, the squared distance is measured instead, so that lengths stay exact to rounding.
//!
//! The base is the origin. Results equal those of [`super::passes`] up to rounding.

use super::passes::COINCIDENT_SQUARED;
use glam::DVec3;

/// A predicted squared distance below this fraction of its terms has lost too many digits to cancellation.
const CANCELLATION_LIMIT: f64 = 0.1;

/// The relative error of one squared distance returns in the next one, multiplied by the ratio of the squared link
/// length to that distance. Below this fraction of the squared link length the error would grow too much.
const ERROR_GROWTH_LIMIT: f64 = 0.8;

/// The squared distance is measured at every joint whose index is a multiple of this.
const JOINTS_BETWEEN_MEASUREMENTS: usize = 8;

/// Whether the predicted squared distance is too inaccurate and must be measured.
#[inline]
fn must_measure(squared: f64, sum: f64, length: f64, joint: usize) -> bool {
    squared < f64::max(CANCELLATION_LIMIT * sum, ERROR_GROWTH_LIMIT * length * length)
        || joint.is_multiple_of(JOINTS_BETWEEN_MEASUREMENTS)
}

/// Vector and squared distance from `anchor` to `toward`; if they coincide, those of the old link `was`.
#[inline(always)]
fn measured(anchor: DVec3, toward: DVec3, length: f64, was: impl Fn() -> DVec3) -> (DVec3, f64) {
    let along = toward - anchor;
    let squared = along.length_squared();
    if squared > COINCIDENT_SQUARED * length * length { (along, squared) } else { with_old_direction(was(), length) }
}

#[cold]
fn with_old_direction(link: DVec3, length: f64) -> (DVec3, f64) {
    let along = link.try_normalize().unwrap_or(DVec3::Y) * length;
    (along, along.length_squared())
}

/// Backward reaching that leaves the first point where it is, because the forward pass that follows puts it on the base
/// in any case.
pub(crate) fn backward(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let links = lengths.len();
    let points = &mut points[..=links];
    let was = points[links];
    let mut at = target;
    points[links] = at;
    let (mut along, mut squared) = measured(at, points[links - 1], lengths[links - 1], || points[links - 1] - was);
    for i in (1..links).rev() {
        let length = lengths[i];
        let next = points[i - 1];
        let ahead = next - at;
        let sum = ahead.length_squared() + length * length;
        let overlap = 2.0 * ahead.dot(along);
        let scale = squared.sqrt() * (length / squared);
        squared = sum - scale * overlap;
        at += along * scale;
        along = next - at;
        if must_measure(squared, sum, length, i) {
            (along, squared) = measured(at, next, lengths[i - 1], || next - points[i]);
        }
        points[i] = at;
    }
}

/// Forward reaching from the origin. Returns the product of the cosines of all bends except the last.
pub(crate) fn forward(points: &mut [DVec3], lengths: &[f64]) -> f64 {
    let links = lengths.len();
    let points = &mut points[..=links];
    let mut at = DVec3::ZERO;
    let (mut along, mut squared) = measured(at, points[1], lengths[0], || points[1] - points[0]);
    points[0] = at;
    let mut cosines = 1.0;
    let mut last_link = DVec3::ZERO;
    for i in 0..links - 1 {
        let length = lengths[i];
        let next = points[i + 2];
        let ahead = next - at;
        let sum = ahead.length_squared() + length * length;
        let overlap = 2.0 * ahead.dot(along);
        let scale = squared.sqrt() * (length / squared);
        squared = sum - scale * overlap;
        let link = along * scale;
        at += link;
        if i > 0 {
            cosines *= link.dot(last_link) / (length * lengths[i - 1]);
        }
        last_link = link;
        along = next - at;
        if must_measure(squared, sum, length, i) {
            (along, squared) = measured(at, next, lengths[i + 1], || next - points[i + 1]);
        }
        points[i + 1] = at;
    }
    points[links] = at + along * (lengths[links - 1] / squared.sqrt());
    cosines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabrik::{bent_chain, passes};
    use crate::random::Random;

    #[test]
    fn both_passes_agree_with_the_simple_versions() {
        let mut random = Random::new(1);
        for case in 0..2000 {
            let lengths: Vec<f64> = (0..3 + random.index(40)).map(|_| 30_f64.powf(random.unit())).collect();
            let direction = random.direction();
            let points = bent_chain(&mut random, &lengths, direction, [0.0, 0.1, 0.9][case % 3]);
            let reach: f64 = lengths.iter().sum();
            let target = random.ball() * reach;
            let (mut plain, mut pipelined) = (points.clone(), points);
            passes::backward(&mut plain, &lengths, target);
            backward(&mut pipelined, &lengths, target);
            for (a, b) in plain.iter().zip(&pipelined).skip(1) {
                assert!(a.distance(*b) <= 1e-9 * reach, "case {case}: {a} {b}");
            }
            plain.clone_from(&pipelined);
            passes::forward(&mut plain, &lengths, DVec3::ZERO);
            forward(&mut pipelined, &lengths);
            for (a, b) in plain.iter().zip(&pipelined) {
                assert!(a.distance(*b) <= 1e-9 * reach, "case {case}: {a} {b}");
            }
            for (pair, length) in pipelined.windows(2).zip(&lengths) {
                assert!((pair[0].distance(pair[1]) - length).abs() <= 1e-12 * length, "case {case}");
            }
        }
    }

    #[test]
    fn a_joint_at_its_anchor_keeps_the_direction_of_its_link() {
        let lengths = [1.0, 1.0, 1.0];
        let mut points = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0];
        backward(&mut points, &lengths, DVec3::X * 2.0);
        assert_eq!(points[2], DVec3::X);
        let mut points = [DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        forward(&mut points, &lengths);
        assert_eq!(points[1], -DVec3::Y);
    }
}
