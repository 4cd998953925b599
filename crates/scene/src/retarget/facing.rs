//! The direction that a figure faces, and whether it stands or lies, from joint names and positions.

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::FRAC_PI_4;

/// Parts of the trunk, bottom to top.
pub(crate) const TRUNK: [&str; 5] = ["pelvis", "spine", "chest", "neck", "head"];
/// Upper parts of the limbs. They determine the direction more reliably than the lower parts.
const PROXIMAL: [&str; 3] = ["thigh", "clavicle", "arm"];
const DISTAL: [&str; 5] = ["shin", "foot", "toe", "forearm", "hand"];
/// Smallest horizontal fraction of the vector from right to left that determines the direction.
const MIN_HORIZONTAL: f64 = 0.5;

/// Orientation of a figure at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing {
    /// From right to left; zero if unknown.
    left: DVec3,
    /// Up along the trunk; zero if unknown.
    trunk: DVec3,
}

impl Facing {
    /// Determined from the body parts of the joints, each with the rank of its word (0: most common). `place` returns the
    /// position of a joint, or none to ignore it.
    pub fn new(parts: &[(String, usize)], place: impl Fn(usize) -> Option<DVec3>) -> Self {
        let find = |name: &str| {
            let found = parts.iter().enumerate().filter(|(_, (part, _))| part == name);
            found
                .filter_map(|(at, (_, rank))| Some((rank, place(at)?)))
                .min_by_key(|(rank, _)| **rank)
                .map(|found| found.1)
        };
        let apart = |part: &&str| Some(find(&format!("left {part}"))? - find(&format!("right {part}"))?);
        let proximal: DVec3 = PROXIMAL.iter().filter_map(apart).sum();
        let left = if proximal == DVec3::ZERO { DISTAL.iter().filter_map(apart).sum() } else { proximal };
        let trunk: Vec<DVec3> = TRUNK.iter().filter_map(|part| find(part)).collect();
        let trunk = trunk.last().zip(trunk.first()).map_or(DVec3::ZERO, |(high, low)| *high - *low);
        Facing { left, trunk }
    }

    /// The angle about `up` from this figure's direction to the other's; none if one of them is unknown.
    pub fn heading_to(self, other: Facing, up: DVec3) -> Option<f64> {
        let level = |left: DVec3| {
            let across = left.reject_from_normalized(up);
            (across.length() > MIN_HORIZONTAL * left.length()).then_some(across)
        };
        let (from, to) = (level(self.left)?, level(other.left)?);
        Some(up.dot(from.cross(to)).atan2(from.dot(to)))
    }

    /// The rotation from this figure to the other if one of them lies and the other stands; none if they differ little.
    pub fn tilt_to(self, other: Facing) -> Option<DQuat> {
        let turn = other.rotation()? * self.rotation()?.conjugate();
        (turn.to_axis_angle().1.abs() > FRAC_PI_4).then(|| turn.normalize())
    }

    fn rotation(self) -> Option<DQuat> {
        let [left, trunk, forward] = self.directions()?;
        Some(DQuat::from_mat3(&DMat3::from_cols(left, trunk, forward)))
    }

    /// Axes of the figure: left, up along the trunk, forward.
    pub fn directions(self) -> Option<[DVec3; 3]> {
        let left = self.left.try_normalize()?;
        let trunk = self.trunk.reject_from_normalized(left).try_normalize()?;
        Some([left, trunk, left.cross(trunk)])
    }
}
