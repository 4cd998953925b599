//! Abrupt changes in the motion of a solved pose: joints that reach their limits, chains at full stretch, figures that
//! change to another branch of solutions.

use super::effector_state::EffectorState;
use fabrik3d_ik::{Coordinates, Isometry, Skeleton, Target};
use glam::DVec3;

/// Change of velocity between frames that passes, as a fraction of the motion's peak speed. A held key changes the speed
/// by 0.17 of it in a frame, and that change is explained by its target.
const SMOOTH: f64 = 0.1;
/// Change of velocity that is never worth an ease, in units of the reach per second.
const NEGLIGIBLE: f64 = 0.02;
/// Most that a figure may move faster than its targets for a change of velocity that its targets explain.
const MAX_GAIN: f64 = 3.0;
/// Tolerance on that.
const SLACK: f64 = 1.2;
/// Distance of the points that show how a frame turns, as a fraction of the reach.
const ARM: f64 = 0.2;

/// Points for each frame.
const POINTS: usize = 3;

/// Points that move with the targets of effectors.
pub(super) struct TargetPoints {
    points: Vec<DVec3>,
    /// For each effector, whether its points count as resting.
    rest: Vec<bool>,
}

/// Follows the motion of one island from frame to frame.
#[derive(Clone, Debug, Default)]
pub(super) struct KinkDetector {
    figure: Motion,
    targets: Motion,
    /// Highest speed since the figure last rested.
    peak: f64,
}

/// Points that move.
#[derive(Clone, Debug, Default)]
struct Motion {
    points: Vec<DVec3>,
    /// Velocities in the last frame; empty before the second frame.
    velocities: Vec<DVec3>,
}

impl Motion {
    /// Takes the points of a frame, of which some count as resting. Returns the largest change of a velocity.
    fn advance(&mut self, points: Vec<DVec3>, rests: impl Fn(usize) -> bool, dt: f64) -> f64 {
        let comparable = points.len() == self.points.len();
        let velocity = |(at, (now, before)): (usize, (&DVec3, &DVec3))| {
            if rests(at) { DVec3::ZERO } else { (*now - *before) / dt }
        };
        let velocities: Vec<DVec3> =
            if comparable { points.iter().zip(&self.points).enumerate().map(velocity).collect() } else { Vec::new() };
        let before = std::mem::replace(&mut self.velocities, velocities);
        self.points = points;
        if before.len() != self.velocities.len() {
            return 0.0;
        }
        self.velocities.iter().zip(before).map(|(now, before)| now.distance(before)).fold(0.0, f64::max)
    }

    /// Highest speed of a point.
    fn speed(&self) -> f64 {
        self.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max)
    }
}

impl KinkDetector {
    /// Forgets the motion so far: what comes next starts from rest.
    pub fn rest(&mut self) {
        self.peak = 0.0;
        for motion in [&mut self.figure, &mut self.targets] {
            motion.velocities = vec![DVec3::ZERO; motion.points.len()];
        }
    }

    /// Takes the poses after a jump of the targets, which is eased anyway.
    pub fn jump(&mut self, figure: Vec<DVec3>, targets: TargetPoints) {
        (self.figure.points, self.targets.points) = (figure, targets.points);
        self.rest();
    }

    /// The least change of velocity that is eased.
    pub fn visible_change(&self, reach: f64) -> f64 {
        (SMOOTH * self.peak).max(NEGLIGIBLE * reach)
    }

    /// Takes the poses of a frame of `dt` seconds. Returns the largest change of velocity that the targets do not explain.
    pub fn advance(&mut self, figure: Vec<DVec3>, targets: TargetPoints, dt: f64) -> f64 {
        // From rest, a figure is expected to be as fast as its targets.
        let gain = if self.targets.speed() > 0.0 { self.figure.speed() / self.targets.speed() } else { 1.0 };
        let TargetPoints { points, rest } = targets;
        let explained = SLACK * gain.min(MAX_GAIN) * self.targets.advance(points, |at| rest[at / POINTS], dt);
        self.figure.advance(figure, |_| false, dt) - explained
    }

    /// Counts the speed of this frame, which changed smoothly.
    pub fn raise_peak(&mut self) {
        self.peak = self.peak.max(self.figure.speed());
    }
}

/// Points that move with these joints, in ascending order, and show how they turn. The pose is that of the whole skeleton.
pub(super) fn figure_points(skeleton: &Skeleton, joints: &[usize], pose: &[Coordinates], reach: f64) -> Vec<DVec3> {
    let mut frames: Vec<Isometry> = Vec::with_capacity(joints.len());
    for &joint in joints {
        let parent = skeleton.joints()[joint].parent.and_then(|parent| joints.binary_search(&parent).ok());
        let parent = parent.map_or(Isometry::IDENTITY, |at| frames[at]);
        frames.push(skeleton.kind(joint).frame(skeleton.rest_frame(joint, parent), &pose[joint]));
    }
    frames.into_iter().flat_map(|frame| frame_points(frame, reach)).collect()
}

/// Points that move with the targets of these effectors. Those of free ones move with the figure: they count as resting.
pub(super) fn target_points(effectors: &[usize], states: &[EffectorState], reach: f64) -> TargetPoints {
    let target = |&effector: &usize| states[effector].target;
    let frame = |it: Target| Isometry::new(it.place().unwrap_or_default(), it.rotation().unwrap_or_default());
    TargetPoints {
        points: effectors.iter().map(target).flat_map(|target| frame_points(frame(target), reach)).collect(),
        rest: effectors.iter().map(|&effector| states[effector].free).collect(),
    }
}

fn frame_points(frame: Isometry, reach: f64) -> [DVec3; POINTS] {
    [DVec3::ZERO, DVec3::X * (ARM * reach), DVec3::Y * (ARM * reach)].map(|point| frame.point(point))
}
