//! The ground under a recorded figure and under the one that follows it.

use super::body::{RankedPart, joints_of};
use crate::Scene;
use crate::coordinates::zero_frames;
use fabrik3d_ik::{Isometry, Kind, Pose};
use glam::{DQuat, DVec3};

/// Most frames of a clip in which the lowest place of a foot is sought: it stands for many frames.
const MOST_FRAMES: usize = 256;
/// Largest displacement, relative to the height of the driven figure: one that swims or flies in its recording stays there. Test:
/// `who_never_stands_is_not_put_on_the_ground` if larger.
const MOST: f64 = 0.15;

/// How two figures are matched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matched<'a> {
    /// For each driven joint, the recorded one that it follows.
    pub partners: &'a [Option<usize>],
    /// Size of the driven figure relative to the recorded one.
    pub scale: f64,
    /// Base frame of the recorded figure as it is turned.
    pub base: Isometry,
    /// Rotation from the turned recorded figure to the driven one at rest.
    pub tilt: DQuat,
}

/// Displacements that make a figure stand on its own ground where the recorded one stands on its.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ground {
    /// Of everything.
    pub all: DVec3,
    /// Of the base. The legs are as long as the recorded ones, to scale, but they may start lower, and the ankles may be higher
    /// above the toes.
    pub base: DVec3,
    /// Of everything but the feet of a figure that follows the recording.
    pub followed: DVec3,
}

/// Share of a rise of the base that a figure takes which follows: its feet have to reach the same places with bent knees. Test:
/// `planted_feet_stay_planted` if larger.
const FOLLOWED_RISE: f64 = 0.5;

impl Ground {
    /// No displacement if a figure has no feet or no recording, or if it does not stand in it.
    pub fn between(matched: Matched<'_>, recorded: &Scene, driven: &Scene, parts: &[RankedPart]) -> Self {
        let displacement = displacements(matched, recorded, driven, parts);
        let up = driven.up.axis();
        let heights = driven.skeleton.frames(&driven.start).into_iter().map(|frame| frame.position.dot(up));
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        let [all, drop] = displacement.filter(|by| by[0].abs() < MOST * (high - low)).unwrap_or_default();
        Ground { all: all * up, base: (all + drop) * up, followed: (all + drop.min(FOLLOWED_RISE * drop)) * up }
    }
}

/// How much higher the ground of the driven figure is, and how much longer the way down from its base to its toes.
fn displacements(matched: Matched<'_>, recorded: &Scene, driven: &Scene, parts: &[RankedPart]) -> Option<[f64; 2]> {
    let (skeleton, up, scale) = (&driven.skeleton, driven.up.axis(), matched.scale);
    let find = |sought: &str| joints_of(parts, sought).into_iter().find(|&at| matched.partners[at].is_some());
    let both = |part: &str| Some([find(&format!("left {part}"))?, find(&format!("right {part}"))?]);
    let (thighs, ankles) = (both("thigh")?, both("foot")?);
    let soles = both("toe").unwrap_or(ankles);
    let is_base = |&at: &usize| skeleton.joints()[at].kind == Kind::Free && matched.partners[at].is_some();
    let base = skeleton.ancestors(thighs[0]).find(is_base)?;
    let rest = [zero_frames(skeleton, Isometry::IDENTITY), zero_frames(&recorded.skeleton, matched.base)];
    // Down from one joint to another at rest: on the driven figure, and on the recorded one to scale.
    let down = |from: usize, to: usize| {
        let [from_there, to_there] = [from, to].map(|at| matched.partners[at].map(|at| rest[1][at].position));
        let there = matched.tilt * (from_there? - to_there?) * scale;
        Some((rest[0][from].position - rest[0][to].position - there).dot(up))
    };
    let drops = [0, 1].map(|side| Some(down(base, thighs[side])? + down(ankles[side], soles[side])?));
    let drop = 0.5 * (drops[0]? + drops[1]?);
    let partners = [matched.partners[soles[0]]?, matched.partners[soles[1]]?];
    let there = lowest(recorded, matched.base, partners, up);
    Some([lowest(driven, Isometry::IDENTITY, soles, up) - scale * there, drop])
}

/// The lowest place of two joints in all clips of a figure; without a clip, in the pose in which it opens.
fn lowest(scene: &Scene, base: Isometry, joints: [usize; 2], up: DVec3) -> f64 {
    let height = |pose: &Pose| {
        let [one, other] = joints.map(|joint| scene.skeleton.frame_of(base, pose, joint).position.dot(up));
        one.min(other)
    };
    let heights = scene.assets.motions.iter().flat_map(|motion| {
        let step = motion.len().div_ceil(MOST_FRAMES).max(1);
        (0..motion.len()).step_by(step).map(move |frame| height(&motion.pose(&scene.skeleton, frame)))
    });
    heights.reduce(f64::min).unwrap_or_else(|| height(&scene.start))
}
