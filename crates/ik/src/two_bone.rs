//! Arms and legs of two links, in closed form.

use crate::fabrik::closed_form::{perpendicular_direction, triangle};
use crate::model::any_side;
use glam::DVec3;

/// Moves a limb of two links, from `base` over `mid` to `tip`, to `target`: its links keep their lengths, and its middle joint
/// comes to lie on the side of `pole`. Out of reach, the tip is on the line from the base to the target, as near to it as the
/// lengths allow. Returns the three new points.
///
/// Where `pole` is on the line from the base to the target, the middle joint stays on the side where it is. A limb that is straight
/// besides bends to any side. Joints and targets that are not finite give points that are not numbers.
///
/// Source: law of cosines. With the lengths `a` and `b` and the distance `d` of the tip from the base, the middle joint is
/// `(a^2 - b^2 + d^2) / 2d` along the line to the tip.
///
/// ```
/// use fabrik3d_ik::{two_bone, glam::DVec3};
///
/// let (hip, knee, ankle) = (DVec3::Y * 2.0, DVec3::new(0.0, 1.0, 0.1), DVec3::ZERO);
/// let [_, bent, lifted] = two_bone(hip, knee, ankle, DVec3::new(0.2, 0.5, 0.3), DVec3::new(0.0, 1.0, 5.0));
/// assert!(lifted.distance(DVec3::new(0.2, 0.5, 0.3)) < 1e-12);
/// assert!((bent.distance(hip) - knee.distance(hip)).abs() < 1e-12 && bent.z > 0.3);
/// ```
pub fn two_bone(base: DVec3, mid: DVec3, tip: DVec3, target: DVec3, pole: DVec3) -> [DVec3; 3] {
    let (upper, way) = (mid - base, target - base);
    let (a, b, wanted) = (upper.length(), tip.distance(mid), way.length());
    if !(a + b + wanted).is_finite() {
        return [DVec3::NAN; 3];
    }
    let distance = wanted.clamp((a - b).abs(), a + b);
    // A target on the base is in the direction in which the tip is, or the limb.
    let line = match wanted > 0.0 {
        true => way / wanted,
        false => (tip - base).try_normalize().or(upper.try_normalize()).unwrap_or(DVec3::X),
    };
    let (along, beside) = if distance > 0.0 { triangle(a, b, distance) } else { (0.0, a) };
    let side = perpendicular_direction(pole - base, line).or_else(|| perpendicular_direction(upper, line));
    let side = side.unwrap_or_else(|| any_side(line));
    [base, base + line * along + side * beside, base + line * distance]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::{Chain, Settings};

    #[test]
    fn lengths_and_sides_are_kept_and_the_tip_is_as_near_as_a_chain_gets() {
        let mut random = Random::new(3);
        for case in 0..20_000 {
            let mut point = |size: f64| random.direction() * size;
            let (base, upper, lower) = (point(3.0), point(1.0), point(0.7));
            let [mut target, mut pole] = [base + point(1.0), base + point(4.0)];
            match case % 8 {
                0 => target = base,
                1 => pole = base + 2.0 * (target - base),
                2 => target = base + 20.0 * (target - base),
                3 => target = base + 0.1 * (target - base),
                _ => target = base + random.range(0.3, 1.7) * (target - base),
            }
            let (mid, tip) = (base + upper, base + upper + lower);
            let [start, bent, end] = two_bone(base, mid, tip, target, pole);
            assert_eq!(start, base);
            assert!((bent.distance(base) - upper.length()).abs() < 1e-12, "{case}");
            assert!(
                (end.distance(bent) - lower.length()).abs() < 1e-12,
                "{case}: {}",
                end.distance(bent) - lower.length()
            );
            let [least, most] = [upper.length() - lower.length(), upper.length() + lower.length()].map(f64::abs);
            let wanted = target.distance(base);
            let due = (wanted - wanted.clamp(least, most)).abs();
            assert!((end.distance(target) - due).abs() < 1e-9, "{case}");
            // A chain that is solved by itself gets no nearer.
            let mut chain = Chain::new(&[base, mid, tip]).expect("finite");
            let _ = chain.solve(target, &Settings::default());
            let by_chain = chain.points()[2].distance(target);
            assert!(end.distance(target) < by_chain + 1e-9, "{case}: {} and {by_chain}", end.distance(target));
            let line = (end - base).normalize();
            let side = (bent - base).reject_from_normalized(line).dot((pole - base).reject_from_normalized(line));
            assert!(side >= -1e-9, "{case}: {side}");
        }
    }

    #[test]
    fn limbs_without_length_and_numbers_that_are_none_end_too() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::splat(f64::NAN), DVec3::splat(f64::INFINITY)];
        let all = (0..4_usize.pow(5)).map(|code| [0, 1, 2, 3, 4].map(|at| points[code / 4_usize.pow(at) % 4]));
        for [base, mid, tip, target, pole] in all {
            let result = two_bone(base, mid, tip, target, pole);
            let is_given = [base, mid, tip, target, pole].iter().all(|point| point.is_finite());
            assert!(!is_given || result.iter().all(|point| point.is_finite()), "{result:?}");
        }
    }
}
