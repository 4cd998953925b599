//! Balance: the masses of a body, and what it stands on.

use super::{Isometry, Reason, Skeleton, check_point, check_size, check_unit, nearest_along};
use glam::DVec3;

/// A mass on a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointMass {
    /// Index of the joint.
    pub joint: usize,
    /// Where it is, in the joint's frame.
    pub point: DVec3,
    /// In any unit, the same for all masses of a body.
    pub mass: f64,
}

/// A body that keeps its balance: its center of mass stays above its support, as far as the goals leave freedom. It never costs
/// a goal more than its tolerance; goals that are missed stay as near as they are. Joints that carry a tenth of the mass or more
/// move for it, also where no goal moves them.
///
/// ```
/// # use fabrik3d_ik::{Effector, Isometry, Joint, Kind, Skeleton, Solver};
/// # use fabrik3d_ik::goals::{CenterOfMass, PointMass};
/// # use glam::DVec3;
/// let ball = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::UNLIMITED_BALL);
/// let mut body = Solver::new(Skeleton::new(vec![
///     ball("ankle", None, DVec3::ZERO),
///     ball("knee", Some(0), DVec3::Z),
///     ball("hip", Some(1), DVec3::Z),
///     ball("neck", Some(2), DVec3::Z),
/// ])?)
/// .goal(Effector::new(3, DVec3::Z * 0.5), DVec3::new(0.5, 0.0, 2.5));
/// // A kilogram in the middle of each link.
/// let middle = |joint| PointMass { joint, point: DVec3::Z * 0.5, mass: 1.0 };
/// let body_mass = CenterOfMass {
///     masses: (0..3).map(middle).collect(),
///     support: vec![DVec3::NEG_X * 0.1, DVec3::X * 0.1],
///     up: DVec3::Z,
/// };
/// body.problem.centers_of_mass.push(body_mass);
/// let mut pose = body.skeleton().rest_pose();
/// assert!(body.solve(&mut pose).stop.is_reached());
/// let body_mass = &body.problem.centers_of_mass[0];
/// assert!(body_mass.beside_support(body_mass.place(body.frames())).length() < 1e-3);
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct CenterOfMass {
    /// Its masses. One of them at least is not zero.
    pub masses: Vec<PointMass>,
    /// Points that the body stands on, in the world: their convex hull, seen from above, is the support. Points a little inside
    /// of what the feet cover leave a margin. Without any, the body has no balance to keep.
    pub support: Vec<DVec3>,
    /// The direction against gravity; length 1.
    pub up: DVec3,
}

impl Clone for CenterOfMass {
    fn clone(&self) -> Self {
        let mut copy = CenterOfMass::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory of the lists, as that of [`Problem`](crate::Problem) does.
    fn clone_from(&mut self, other: &Self) {
        let CenterOfMass { masses, support, up } = other;
        self.masses.clone_from(masses);
        self.support.clone_from(support);
        self.up = *up;
    }
}

impl CenterOfMass {
    /// Where the center of mass is while the joints have these frames, one per joint of the skeleton.
    pub fn place(&self, frames: &[Isometry]) -> DVec3 {
        let moments = self.masses.iter().map(|own| frames[own.joint].point(own.point) * own.mass);
        moments.sum::<DVec3>() / self.total()
    }

    /// The horizontal way to a point from where the support is nearest to it, seen from above; zero above the support, and
    /// without one.
    pub fn beside_support(&self, point: DVec3) -> DVec3 {
        let ways = || self.support.iter().map(|stands| (point - stands).reject_from_normalized(self.up));
        // The shortest vector of the convex hull of the ways: it lies on a segment between two of them.
        let segments = ways()
            .enumerate()
            .flat_map(|(at, a)| ways().take(at + 1).map(move |b| a + (b - a) * nearest_along(a, b, DVec3::ZERO)));
        let Some(least) = segments.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())) else {
            return DVec3::ZERO;
        };
        // It is the shortest one if and only if the whole hull is beyond it. Otherwise the hull holds the origin.
        let rounding = 1e-9 * least.length();
        let is_beyond = |way: DVec3| way.dot(least) >= least.length_squared() - rounding * way.length();
        if ways().all(is_beyond) { least } else { DVec3::ZERO }
    }

    /// The sum of the masses.
    pub(crate) fn total(&self) -> f64 {
        self.masses.iter().map(|own| own.mass).sum()
    }

    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), Reason> {
        for own in &self.masses {
            skeleton.check_joint(own.joint)?;
            check_point(own.point)?;
            check_size(own.mass)?;
        }
        if self.total() <= 0.0 {
            return Err(Reason::NoMass);
        }
        self.support.iter().try_for_each(|&point| check_point(point))?;
        check_point(self.up)?;
        check_unit(self.up.length_squared())
    }
}
