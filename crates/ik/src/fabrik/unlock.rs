//! Leaving a straight line. The reaching passes never do that by themselves when the target lies on the line too (the
//! dead-lock of section 5.4 in the paper). No random numbers: the pole decides, then the pose, then a fixed plane.

use super::closed_form::polar;
use glam::DVec3;

/// Distance from a line, as a fraction of the reach, under which a joint counts as lying on it.
pub(crate) const LINE: f64 = 1e-6;

/// Unit vector of the part of `vector` across the unit vector `axis`; none where the two are (nearly) parallel.
pub(crate) fn across(vector: DVec3, axis: DVec3) -> Option<DVec3> {
    let (_, direction) = polar(vector);
    let across = direction?.reject_from_normalized(axis);
    (across.length_squared() > LINE * LINE).then(|| across.normalize())
}

/// Bends a straight chain, if it needs that to get to `target`: toward `pole` where one is set, otherwise only when
/// the target lies on the chain's line. Any other pose stays as it is. Whether it was bent.
///
/// `points` start at the base; `target` and `pole` are where they are in the same space.
pub(crate) fn unlock(points: &mut [DVec3], lengths: &[f64], reach: f64, target: DVec3, pole: Option<DVec3>) -> bool {
    let base = points[0];
    let line = (points[1] - base) / lengths[0];
    let on_line =
        |point: &DVec3| (*point - base).reject_from_normalized(line).length_squared() <= (LINE * reach).powi(2);
    if !points[2..].iter().all(on_line) {
        return false;
    }
    let (distance, direction) = polar(target - base);
    let axis = direction.unwrap_or(line);
    let toward_pole = pole.and_then(|pole| across(pole - base, axis));
    let side = match toward_pole {
        Some(side) => side,
        None if on_line(&target) => axis.any_orthonormal_vector(),
        None => return false,
    };
    curl(points, lengths, axis, side, turn_for(distance / reach));
    true
}

/// Total turn of a circular arc whose chord is this fraction of its length, in radians.
///
/// Half of it solves `sin x / x = chord`; Newton from slightly above the series `chord = 1 - x^2 / 6` of a flat arc.
pub(crate) fn turn_for(chord: f64) -> f64 {
    let flat = (6.0 * (1.0 - chord).max(0.0)).sqrt();
    if flat < 0.1 {
        return 2.0 * flat;
    }
    let mut half = 1.06 * flat;
    for _ in 0..4 {
        half -= (half.sin() - chord * half) / (half.cos() - chord);
    }
    2.0 * half
}

/// Lays the chain along a circular arc from `points[0]`: its chord along `axis`, bulging toward `side` (orthonormal),
/// the direction turning by `turn` radians in all, in proportion to the length.
pub(crate) fn curl(points: &mut [DVec3], lengths: &[f64], axis: DVec3, side: DVec3, turn: f64) {
    let rate = turn / lengths.iter().sum::<f64>();
    let mut angle = turn / 2.0;
    for (i, &length) in lengths.iter().enumerate() {
        let half = rate * length / 2.0;
        let (sin, cos) = (angle - half).sin_cos();
        points[i + 1] = points[i] + (axis * cos + side * sin) * length;
        angle -= 2.0 * half;
    }
}

/// Unit vector across `axis` toward the joint farthest from the line through `points[0]` along it: the side to which
/// the chain bends at present. For a straight chain toward `pole`, else any fixed side.
pub(crate) fn side(points: &[DVec3], axis: DVec3, reach: f64, pole: Option<DVec3>) -> DVec3 {
    let mut farthest = DVec3::ZERO;
    for point in &points[1..] {
        let off = (*point - points[0]).reject_from_normalized(axis);
        if off.length_squared() > farthest.length_squared() {
            farthest = off;
        }
    }
    if farthest.length_squared() > (LINE * reach).powi(2) {
        return farthest.normalize();
    }
    pole.and_then(|pole| across(pole - points[0], axis)).unwrap_or_else(|| axis.any_orthonormal_vector())
}

#[cfg(test)]
mod tests {
    use super::turn_for;

    #[test]
    fn an_arc_has_the_chord_that_was_asked_for() {
        for step in 0..=1000 {
            let chord = f64::from(step) / 1000.0;
            let half = turn_for(chord) / 2.0;
            let sinc = if half > 0.0 { half.sin() / half } else { 1.0 };
            assert!((sinc - chord).abs() < 1e-5, "{chord}: {sinc}");
        }
    }
}
