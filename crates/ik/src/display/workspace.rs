//! The workspace of an effector: the positions that it can reach.
//!
//! [`WorkspaceShell`] follows from link lengths alone and is exact for chains without limits. [`WorkspaceSurface`]
//! includes joint limits: it encloses the tips of many random poses.

use crate::display::isosurface::{Corner, surface};
use crate::joints::Axes;
use crate::model::travel;
use crate::random::Random;
use crate::{Coordinates, Effector, Isometry, Kind, Skeleton};
use glam::DVec3;

/// Bounds that link lengths set to the distance of an effector from its first moving joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkspaceShell {
    /// First joint that moves the effector; world.
    pub center: DVec3,
    /// Largest distance from the centre.
    pub outer: f64,
    /// Smallest distance from the centre; 0 where there is no dead zone.
    pub inner: f64,
}

impl WorkspaceShell {
    /// The shell of an effector in a pose; none where no joint turns it. Joints above an unbounded one (see
    /// [`unbounded_joint`]) count as fixed. A free joint counts as a ball.
    pub fn of(skeleton: &Skeleton, effector: &Effector, pose: &[Coordinates]) -> Option<Self> {
        // From the tip upward: everything rigid between two pivots counts as one link.
        let (mut lengths, mut slack) = (Vec::new(), 0.0);
        let (mut pivot, mut rigid) = (None, effector.tip);
        for i in effector.chain_joints(skeleton) {
            let joint = &skeleton.joints()[i];
            match joint.kind {
                Kind::Fixed => {
                    rigid = joint.offset + joint.rest * rigid;
                    continue;
                }
                Kind::Slide { range: None, .. } => break,
                kind => slack += travel(&kind),
            }
            lengths.push(rigid.length());
            (pivot, rigid) = (Some(i), joint.offset);
            if joint.kind == Kind::Free {
                break;
            }
        }
        let outer = lengths.iter().sum::<f64>() + slack;
        let longest = lengths.into_iter().fold(0.0, f64::max);
        let center = skeleton.frame_of(Isometry::IDENTITY, pose, pivot?).position;
        (outer > 0.0).then(|| WorkspaceShell { center, outer, inner: (2.0 * longest - outer).max(0.0) })
    }
}

/// The joint nearest to an effector that can move it arbitrarily far, if any: a free joint or a slide without limits. The
/// workspace below it is bounded only while that joint stays in place.
pub fn unbounded_joint(skeleton: &Skeleton, effector: &Effector) -> Option<usize> {
    effector.chain_joints(skeleton).find(|&joint| skeleton.kind(joint).is_unbounded())
}

/// Most joint frames computed for all samples together, and bounds of the number of samples.
const MAX_FRAMES: usize = 1_500_000;
const MAX_SAMPLES: usize = 60_000;
const MIN_SAMPLES: usize = 4_000;
/// Cells along the longest side of the density grid.
const GRID_CELLS: f64 = 30.0;
/// Share of joints that a sample moves to a limit: the boundary of the workspace comes from such poses.
const AT_LIMIT_SHARE: f64 = 0.3;
/// Smoothed density at which the surface lies.
const DENSITY_LEVEL: f32 = 0.3;

/// The workspace of an effector inside its joint limits, as a closed triangle mesh with a resolution of 1/30 of its extent.
#[derive(Clone, Debug)]
pub struct WorkspaceSurface {
    effector: Effector,
    skeleton: Skeleton,
    /// Joint whose frame the corners are expressed in; none for the world.
    pub parent: Option<usize>,
    /// Three consecutive corners per triangle: position and outward unit normal.
    pub corners: Vec<(glam::Vec3, glam::Vec3)>,
}

impl WorkspaceSurface {
    /// Samples the workspace while unbounded joints stay in place. None where [`WorkspaceShell`] already tells all,
    /// because no joint has limits, or where a joint with [`Axes::World`] hangs on a moving one.
    pub fn sample(skeleton: &Skeleton, effector: Effector) -> Option<Self> {
        let joints = skeleton.joints();
        let bounded = effector.chain_joints(skeleton).take_while(|&joint| !skeleton.kind(joint).is_unbounded());
        let mut chain: Vec<usize> = bounded.collect();
        chain.reverse();
        let parent = joints[*chain.first()?].parent;
        let is_limited = |&joint: &usize| {
            let kind = skeleton.kind(joint);
            !(kind.is_unlimited_ball() || *kind == Kind::Fixed)
        };
        let follows_world = parent.is_some() && chain.iter().any(|&joint| joints[joint].axes == Axes::World);
        if !chain.iter().any(is_limited) || follows_world {
            return None;
        }
        let mut random = Random::new(1);
        let count = (MAX_FRAMES / skeleton.len()).clamp(MIN_SAMPLES, MAX_SAMPLES);
        let tips: Vec<DVec3> = (0..count).map(|_| random_tip(skeleton, &chain, effector, &mut random)).collect();
        Some(WorkspaceSurface { effector, skeleton: skeleton.clone(), parent, corners: enclosing(&tips) })
    }

    /// Whether this surface was sampled for this effector of this skeleton.
    pub fn is_of(&self, skeleton: &Skeleton, effector: Effector) -> bool {
        self.effector == effector && self.skeleton == *skeleton
    }
}

/// Position of the effector in a random pose, in the frame of the joint above `chain`.
fn random_tip(skeleton: &Skeleton, chain: &[usize], effector: Effector, random: &mut Random) -> DVec3 {
    let mut pose = skeleton.random_pose(random);
    for &joint in chain {
        if random.unit() < AT_LIMIT_SHARE {
            pose[joint] = at_limit(skeleton.kind(joint), pose[joint], random);
        }
    }
    skeleton.follow(&mut pose);
    let frame = chain.iter().fold(Isometry::IDENTITY, |parent, &joint| {
        skeleton.joints()[joint].kind.frame(skeleton.rest_frame(joint, parent), &pose[joint])
    });
    frame.point(effector.tip)
}

/// These coordinates moved to a limit.
fn at_limit(kind: &Kind, at: Coordinates, random: &mut Random) -> Coordinates {
    match kind {
        Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
            Coordinates::scalar(if random.unit() < 0.5 { range.low() } else { range.high() })
        }
        Kind::Ball { swing: Some(swing), .. } => {
            let [a, b] = at.tilt();
            Coordinates::ball(swing.clamp([a * 1e3, b * 1e3]), at.twist())
        }
        _ => at,
    }
}

/// The surface that encloses most of these points.
fn enclosing(points: &[DVec3]) -> Vec<Corner> {
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let cell = (high - low).max_element() / GRID_CELLS;
    if cell <= 0.0 || !cell.is_finite() {
        return Vec::new();
    }
    // Smoothing spreads each point over two cells; the boundary of the grid must stay empty.
    const MARGIN: f64 = 4.0;
    let origin = low - DVec3::splat(MARGIN * cell);
    let size = ((high - low) / cell + DVec3::splat(2.0 * MARGIN)).ceil().as_usizevec3().to_array().map(|side| side + 1);
    let mut density = vec![0.0_f32; size.iter().product()];
    for point in points {
        let [x, y, z] = ((*point - origin) / cell).round().as_usizevec3().to_array();
        density[(z * size[1] + y) * size[0] + x] = 1.0;
    }
    for _ in 0..2 {
        for (side, stride) in [(size[0], 1), (size[1], size[0]), (size[2], size[0] * size[1])] {
            smooth(&mut density, side, stride);
        }
    }
    let mut corners = surface(&density, size, DENSITY_LEVEL);
    for (position, _) in &mut corners {
        *position = (origin + position.as_dvec3() * cell).as_vec3();
    }
    corners
}

/// Averages each value with its neighbours along one axis, weighted 1 : 2 : 1.
fn smooth(density: &mut [f32], side: usize, stride: usize) {
    let before = density.to_vec();
    for (at, value) in density.iter_mut().enumerate() {
        let along = at / stride % side;
        let near = |is_inside: bool, at: usize| if is_inside { before[at] } else { 0.0 };
        let [less, more] = [near(along > 0, at.wrapping_sub(stride)), near(along + 1 < side, at + stride)];
        *value = 0.25 * (less + more) + 0.5 * before[at];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of points: the surface is a sphere, wherever it lies and however large it is, and its normals point outward.
    #[test]
    fn the_surface_lies_around_its_points() {
        let mut random = Random::new(3);
        for (center, radius) in [(DVec3::ZERO, 1.0), (DVec3::new(30.0, -8.0, 5.0), 0.02), (DVec3::splat(-7.0), 300.0)] {
            let points: Vec<DVec3> =
                (0..40_000).map(|_| center + random.direction() * (radius * random.unit().cbrt())).collect();
            let corners = enclosing(&points);
            assert!(!corners.is_empty() && corners.len().is_multiple_of(3));
            let cell = 2.0 * radius / GRID_CELLS;
            for (at, normal) in corners {
                let out = at.as_dvec3() - center;
                assert!((out.length() - radius).abs() < 1.5 * cell, "{out} of {radius}");
                assert!(out.normalize().dot(normal.as_dvec3()) > 0.7, "{out}: {normal}");
            }
        }
    }
}
