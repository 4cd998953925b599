//! Elbows: joints between two links that bend to one side from where these are in line.
//!
//! A straight limb does not get shorter to first order, so no small step lowers the hips of a figure that stands on straight
//! legs: it would fold at the waist before it bends a knee. Therefore the derivative by an elbow is that in the middle of the step,
//! wherever bending is what lowers the cost: a chord instead of a tangent.
//!
//! A limb of two equal links that is bent by `b` is shorter by `k b^2`, so that a step from `b` to `b + t` shortens it by `2 k (b + t / 2) t`:
//! as much as a step by `s` of one that stays bent by `B`, if `t^2 + 2 b t = 2 B s`. How much is asked of an elbow must not depend on
//! how straight its limb is. So `s` comes from a step for which all count as bent by `B`; the column is then that in the
//! middle of `t`, and its compliance grows by the square of the ratio of the two bends: the same shortening weighs the same.

use crate::maths;
use crate::model::{Coordinates, Kind, Skeleton};
use glam::DQuat;

/// A limb that is bent by less than this counts as straight, radians, and bending it costs as much as if it were bent this far.
const BEND: f64 = 0.15;
/// Least bend that one counts for, radians: less would only make the system of a step ill-conditioned.
const LEAST_BEND: f64 = 1e-3;
/// An elbow bends to the other side by less than this ratio of its range: limits that are taken from a recording, or are soft, let
/// a limb bend a little the wrong way.
const OTHER_SIDE: f64 = 0.3;

/// A joint without stiffness, or one of the two tilts of one, that bends to one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elbow {
    pub joint: usize,
    /// Its column among those of the joint, and among all.
    pub axis: usize,
    pub column: usize,
    /// Its coordinate where the links are in line, or as nearly as limits allow.
    straight: f64,
    /// 1 or -1: the way in which it bends.
    pub side: f64,
    /// How far it counts as bent, radians.
    bend: f64,
}

impl Elbow {
    /// The elbows of a joint with these columns from `first`.
    pub fn of(skeleton: &Skeleton, at: usize, first: usize) -> impl Iterator<Item = Elbow> {
        let joint = &skeleton.joints()[at];
        let ranges = match &joint.kind {
            Kind::Hinge { range: Some(range), .. } => [Some([range.low(), range.high()]), None],
            Kind::Ball { swing: Some(swing), .. } => {
                let [right, up, left, down] = swing.tilts();
                [Some([-left, right]), Some([-down, up])]
            }
            _ => [None, None],
        };
        let is_stiff = joint.stiffness > 0.0;
        ranges.into_iter().enumerate().filter(move |_| !is_stiff).filter_map(move |(axis, range)| {
            let [low, high] = range?;
            let straight = in_line(skeleton, at, axis)?.clamp(low, high);
            let other_side = (straight - low).min(high - straight);
            let side = if straight - low < high - straight { 1.0 } else { -1.0 };
            let elbow = Elbow { joint: at, axis, column: first + axis, straight, side, bend: BEND };
            (other_side < OTHER_SIDE * (high - low)).then_some(elbow)
        })
    }

    /// Whether it is so nearly straight in a pose that it counts as bent.
    pub fn is_straight(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> bool {
        self.bend_in(skeleton, pose) < self.bend
    }

    /// The turn from where it is in a pose to where it counts as bent, radians.
    pub fn turn_ahead(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> f64 {
        self.side * (self.bend - self.bend_in(skeleton, pose))
    }

    /// From now on, it counts as bent as in the middle of the step that shortens its limb as much as a step by `turn` of one that is as
    /// bent as this one counts. Returns the ratio of the two bends.
    pub fn set_bend_for(&mut self, turn: f64, skeleton: &Skeleton, pose: &[Coordinates]) -> f64 {
        let now = self.bend_in(skeleton, pose).max(0.0);
        let then = (now * now + 2.0 * self.bend * (self.side * turn).max(0.0)).sqrt();
        let before = std::mem::replace(&mut self.bend, (0.5 * (now + then)).clamp(LEAST_BEND, BEND));
        before / self.bend
    }

    /// How far it is bent in a pose, radians.
    fn bend_in(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> f64 {
        let now = &pose[self.joint];
        let value = match skeleton.kind(self.joint) {
            Kind::Ball { .. } => now.tilt()[self.axis],
            _ => now.value(),
        };
        self.side * (value - self.straight)
    }
}

/// The angle of a hinge, or the tilt of a ball along an axis, at which the only link below a joint continues the one above.
fn in_line(skeleton: &Skeleton, at: usize, axis: usize) -> Option<f64> {
    let joint = &skeleton.joints()[at];
    let &[child] = skeleton.children(at) else { return None };
    let above = (joint.rest.conjugate() * joint.offset).try_normalize()?;
    let below = skeleton.joints()[child].offset.try_normalize()?;
    match joint.kind {
        Kind::Hinge { axis, .. } => Some(maths::atan2(
            axis.dot(below.cross(above)),
            below.reject_from_normalized(axis).dot(above.reject_from_normalized(axis)),
        )),
        _ => Some(Kind::ball_coordinates(DQuat::from_rotation_arc(below, above)).tilt()[axis]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Joint;
    use crate::random::Random;
    use glam::DVec3;

    /// A step of a nearly straight limb shortens it as much as the shorter step of one that is bent.
    #[test]
    fn a_step_shortens_a_limb_as_much_as_that_of_a_bent_one() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let link = random.direction();
            let axis = link.any_orthonormal_vector();
            let [side, now, turn] =
                [random.range(-1.0, 1.0).signum(), random.range(0.0, 0.1), random.range(0.001, 0.1)];
            let range = if side > 0.0 { [0.0, 2.0] } else { [-2.0, 0.0] };
            let knee = Kind::limited_hinge(axis, range[0], range[1]).expect("a range");
            let joints = vec![
                Joint::new("hip", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
                Joint::new("knee", Some(0), link, knee),
                Joint::new("ankle", Some(1), link, Kind::Fixed),
            ];
            let skeleton = Skeleton::new(joints).expect("a limb");
            let bent = |angle: f64| {
                let mut pose = skeleton.rest_pose();
                pose[1] = Coordinates::scalar(side * angle);
                pose
            };
            let length = |angle: f64| skeleton.frames(&bent(angle))[2].position.length();
            let [mut elbow] = Elbow::of(&skeleton, 1, 0).collect::<Vec<_>>()[..] else { panic!("one elbow") };
            assert!(elbow.is_straight(&skeleton, &bent(now)), "{seed}");
            elbow.set_bend_for(side * turn, &skeleton, &bent(now));
            // The step of which its bend is the middle.
            let step = 2.0 * (elbow.bend - now);
            if elbow.bend < BEND {
                let [own, other] =
                    [length(now) - length(now + step), length(BEND - turn / 2.0) - length(BEND + turn / 2.0)];
                assert!((own - other).abs() < 0.01 * other, "{seed}: {own} and {other}");
            }
        }
    }
}
