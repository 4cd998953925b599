//! Where a figure faces, and whether it stands or lies, by what its joints are called.

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::FRAC_PI_4;

/// Parts along the trunk, from below.
pub(crate) const TRUNK: [&str; 5] = ["pelvis", "spine", "chest", "neck", "head"];
/// Where limbs begin: that tells more of where a figure faces than where they happen to end.
const BEGINNINGS: [&str; 3] = ["thigh", "clavicle", "arm"];
const ENDS: [&str; 5] = ["shin", "foot", "toe", "forearm", "hand"];
/// How much of what lies between left and right has to lie across the up axis, to tell where a figure faces.
const LEVEL: f64 = 0.5;

/// How a figure stands at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing {
    /// From right to left; zero where no part says so.
    left: DVec3,
    /// Up along the trunk; zero where that is not known.
    trunk: DVec3,
}

impl Facing {
    /// By the parts that joints stand for, each with how usual its word is (0: the most); `place` says where one of the
    /// joints is, if it counts.
    pub fn new(parts: &[(String, usize)], place: impl Fn(usize) -> Option<DVec3>) -> Self {
        let find = |wanted: &str| {
            let found = parts.iter().enumerate().filter(|(_, (part, _))| part == wanted);
            found
                .filter_map(|(at, (_, rank))| Some((rank, place(at)?)))
                .min_by_key(|(rank, _)| **rank)
                .map(|found| found.1)
        };
        let apart = |part: &&str| Some(find(&format!("left {part}"))? - find(&format!("right {part}"))?);
        let firm: DVec3 = BEGINNINGS.iter().filter_map(apart).sum();
        let left = if firm == DVec3::ZERO { ENDS.iter().filter_map(apart).sum() } else { firm };
        let trunk: Vec<DVec3> = TRUNK.iter().filter_map(|part| find(part)).collect();
        let trunk = trunk.last().zip(trunk.first()).map_or(DVec3::ZERO, |(high, low)| *high - *low);
        Facing { left, trunk }
    }

    /// The angle about `up` from where this figure faces to where the other one does; none where one of them does not say.
    pub fn heading_to(self, other: Facing, up: DVec3) -> Option<f64> {
        let level = |left: DVec3| {
            let across = left.reject_from_normalized(up);
            (across.length() > LEVEL * left.length()).then_some(across)
        };
        let (from, to) = (level(self.left)?, level(other.left)?);
        Some(up.dot(from.cross(to)).atan2(from.dot(to)))
    }

    /// The turn from this figure's stance to the other's where one of them lies and the other stands; none where they
    /// stand alike, if not quite.
    pub fn tilt_to(self, other: Facing) -> Option<DQuat> {
        let turn = other.rotation()? * self.rotation()?.conjugate();
        (turn.to_axis_angle().1.abs() > FRAC_PI_4).then(|| turn.normalize())
    }

    /// Its axes: to the left, up along the trunk, and ahead.
    fn rotation(self) -> Option<DQuat> {
        let left = self.left.try_normalize()?;
        let trunk = self.trunk.reject_from_normalized(left).try_normalize()?;
        Some(DQuat::from_mat3(&DMat3::from_cols(left, trunk, left.cross(trunk))))
    }
}
