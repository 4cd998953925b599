//! Singular poses of arms with six hinges: one exact pose for each way to reach the target, with free joints as in the start
//! pose, and the joints that turn freely against each other.
#![allow(clippy::unwrap_used)]

use crate::six_axis_cases::{LAYOUTS, Layout, Ranges};
use fabrik3d_ik::arms::ArmFamily;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Interval, Isometry, Joint, Kind, SixAxisArm, Skeleton};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

struct Case {
    skeleton: Skeleton,
    effector: Effector,
    arm: SixAxisArm,
    size: f64,
}

impl Case {
    fn new(layout: &Layout, ranges: Ranges, random: &mut Random) -> Self {
        let (skeleton, effector) = layout.arm(ranges, random);
        let arm = SixAxisArm::new(&skeleton, &effector).unwrap();
        let size = effector.size(&skeleton);
        Case { skeleton, effector, arm, size }
    }

    fn pose(&self, angles: &[f64; 6]) -> Vec<Coordinates> {
        let mut pose = self.skeleton.rest_pose();
        self.arm.joints().iter().zip(angles).for_each(|(&joint, &angle)| pose[joint] = Coordinates::scalar(angle));
        pose
    }

    /// A point and the direction of each axis.
    fn axes(&self, angles: &[f64; 6]) -> [(DVec3, DVec3); 6] {
        let pose = self.pose(angles);
        std::array::from_fn(|at| {
            let joint = self.arm.joints()[at];
            let Kind::Hinge { axis, .. } = *self.skeleton.kind(joint) else { panic!("not a hinge") };
            let frame = self.skeleton.frame_of(Isometry::IDENTITY, &pose, joint);
            (frame.position, frame.rotation * axis)
        })
    }

    fn range(&self, at: usize) -> Option<Interval> {
        let Kind::Hinge { range, .. } = *self.skeleton.kind(self.arm.joints()[at]) else { panic!("not a hinge") };
        range
    }

    /// Angles inside the limits with which `residual` is zero, by Newton steps in some of the joints from random angles.
    fn angles_with(
        &self,
        joints: &[usize],
        random: &mut Random,
        residual: impl Fn(&[(DVec3, DVec3); 6]) -> [f64; 4],
    ) -> Option<[f64; 6]> {
        let value = |angles: &[f64; 6]| residual(&self.axes(angles));
        'starts: for _ in 0..20 {
            let pose = self.skeleton.random_pose(random);
            let mut angles: [f64; 6] = std::array::from_fn(|at| pose[self.arm.joints()[at]].value());
            for _ in 0..100 {
                let now = value(&angles);
                if now.iter().all(|part| part.abs() < 1e-13) {
                    let inside = |at: usize| self.range(at).is_none_or(|range| range.contains(angles[at]));
                    if (0..6).all(inside) {
                        return Some(angles);
                    }
                    continue 'starts;
                }
                // One joint after the other, each by a step of least squares: slow, and independent of the solver.
                let slopes: Vec<[f64; 4]> = joints.iter().map(|&joint| slope(&value, &angles, joint)).collect();
                let step = least_squares(&slopes, now);
                let longest = step.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
                let scale = if longest > 0.3 { 0.3 / longest } else { 1.0 };
                joints.iter().zip(step).for_each(|(&joint, part)| angles[joint] -= scale * part);
            }
        }
        None
    }

    /// Solutions for where the effector is with `angles`. They are exact and keep the limits.
    fn solutions(&self, angles: &[f64; 6], near: &[f64; 6]) -> Vec<[f64; 6]> {
        let (position, rotation) = self.arm.forward(angles);
        let found = self.arm.solutions(position, rotation, near);
        for own in &found {
            let frame = self.skeleton.frame_of(Isometry::IDENTITY, &self.pose(own), self.effector.joint);
            assert!(frame.point(self.effector.tip).distance(position) < 1e-9 * self.size);
            assert!((frame.rotation.conjugate() * rotation).xyz().length() < 1e-9);
            assert_eq!(worst_violation(&self.skeleton, &self.pose(own)), 0.0);
        }
        found
    }

    /// The pose itself is one of the solutions next to it, and solutions next to other poses are among those next to themselves.
    fn check(&self, name: &str, angles: &[f64; 6], random: &mut Random) {
        assert!(is_listed(angles, &self.solutions(angles, angles)), "{name}: {angles:?}");
        let pose = self.skeleton.random_pose(random);
        let near = std::array::from_fn(|at| pose[self.arm.joints()[at]].value());
        let others = self.solutions(angles, &near);
        assert!(
            !others.is_empty(),
            "{name}: {angles:?} {near:?} {:?} {:?}",
            (0..6).map(|at| self.range(at)).collect::<Vec<_>>(),
            self.arm.free_joints(angles)
        );
        for other in &others {
            assert!(is_listed(other, &self.solutions(angles, other)), "{name}: {other:?}");
        }
    }
}

fn slope(value: &impl Fn(&[f64; 6]) -> [f64; 4], angles: &[f64; 6], joint: usize) -> [f64; 4] {
    let at = |by: f64| {
        let mut moved = *angles;
        moved[joint] += by;
        value(&moved)
    };
    let (low, high) = (at(-1e-5), at(1e-5));
    std::array::from_fn(|row| (high[row] - low[row]) / 2e-5)
}

/// The shortest `x` with the least `|sum(x slopes) - value|`, by conjugate gradients.
fn least_squares(slopes: &[[f64; 4]], value: [f64; 4]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut x, mut rest) = (vec![0.0; slopes.len()], value);
    let mut gradient: Vec<f64> = slopes.iter().map(|slope| dot(slope, &rest)).collect();
    let mut way = gradient.clone();
    for _ in 0..8 {
        let before = dot(&gradient, &gradient);
        if before < 1e-40 {
            break;
        }
        let moved: [f64; 4] =
            std::array::from_fn(|row| slopes.iter().zip(&way).map(|(slope, part)| slope[row] * part).sum());
        let length = before / dot(&moved, &moved);
        x.iter_mut().zip(&way).for_each(|(x, way)| *x += length * way);
        rest.iter_mut().zip(moved).for_each(|(rest, moved)| *rest -= length * moved);
        gradient = slopes.iter().map(|slope| dot(slope, &rest)).collect();
        let turn = dot(&gradient, &gradient) / before;
        way.iter_mut().zip(&gradient).for_each(|(way, part)| *way = part + turn * *way);
    }
    x
}

fn is_listed(angles: &[f64; 6], found: &[[f64; 6]]) -> bool {
    let apart = |a: f64, b: f64| ((a - b) - TAU * ((a - b) / TAU).round()).abs();
    found.iter().any(|own| own.iter().zip(angles).all(|(&a, &b)| apart(a, b) < 1e-4))
}

/// How far a point is from an axis, in two directions across it.
fn off_axis(point: DVec3, (through, direction): (DVec3, DVec3), size: f64) -> [f64; 2] {
    let (one, other) = direction.any_orthonormal_pair();
    [(point - through).dot(one) / size, (point - through).dot(other) / size]
}

/// The point of an axis next to another one.
fn closest((point, direction): (DVec3, DVec3), (other, along): (DVec3, DVec3)) -> DVec3 {
    let cos = direction.dot(along);
    let between = other - point;
    point + direction * ((direction.dot(between) - cos * along.dot(between)) / (1.0 - cos * cos))
}

#[test]
fn wrist_centers_on_the_first_axis_leave_it_free() {
    let mut random = Random::new(51);
    for layout in LAYOUTS.iter().filter(|layout| layout.family == Some(ArmFamily::SphericalWrist)) {
        let mut cases = 0;
        for ranges in [Ranges::None, Ranges::Mixed].into_iter().cycle().take(40) {
            let case = Case::new(layout, ranges, &mut random);
            let on_axis = |axes: &[(DVec3, DVec3); 6]| {
                let [x, y] = off_axis(closest(axes[3], axes[4]), axes[0], case.size);
                [x, y, 0.0, 0.0]
            };
            let Some(angles) = case.angles_with(&[1, 2], &mut random, on_axis) else { continue };
            cases += 1;
            case.check(layout.name, &angles, &mut random);
            let free = case.arm.free_joints(&angles);
            assert!(free[0] && !free[1] && !free[2] && free[3..].iter().filter(|&&free| free).count() > 1, "{free:?}");
            if layout.name == "wrist, all in a plane" && ranges == Ranges::None {
                let near: [f64; 6] = std::array::from_fn(|_| random.range(-PI, PI));
                let found = case.solutions(&angles, &near);
                // Two elbows, and the wrist turned over or not.
                assert_eq!(found.len(), 4, "{angles:?}");
                assert!(found.iter().all(|own| (own[0] - near[0]).abs() < 1e-9));
            }
        }
        assert!(
            cases > 10 || !layout.name.contains("plane") && !layout.name.contains("any"),
            "{}: {cases}",
            layout.name
        );
    }
}

/// Without random frames, coefficients that vanish are exactly 0.
#[test]
fn arms_along_the_axes_of_the_world_have_four_poses_there() {
    let mut random = Random::new(55);
    for _ in 0..40 {
        let mut length = || random.range(0.1, 0.6);
        let [side, lift, upper, lower] = [length(), length(), length(), length()];
        let offsets = [[0.0, 0.0, 0.4], [side, 0.0, lift], [0.0, 0.0, upper], [lower, 0.0, 0.05], [0.0; 3], [0.0; 3]];
        let axes = [DVec3::Z, -DVec3::Y, -DVec3::Y, DVec3::X, DVec3::Y, DVec3::X];
        let hinge = |(at, (offset, axis)): (usize, ([f64; 3], DVec3))| {
            let range = Interval::new(-PI, PI).ok();
            Joint::new(format!("hinge {at}"), at.checked_sub(1), DVec3::from(offset), Kind::Hinge { axis, range })
        };
        let skeleton = Skeleton::new(offsets.into_iter().zip(axes).enumerate().map(hinge).collect()).unwrap();
        let effector = Effector::new(5, DVec3::X * 0.1);
        let arm = SixAxisArm::new(&skeleton, &effector).unwrap();
        let case = Case { size: effector.size(&skeleton), skeleton, effector, arm };
        let on_axis = |axes: &[(DVec3, DVec3); 6]| {
            let [x, y] = off_axis(axes[3].0, axes[0], case.size);
            [x, y, 0.0, 0.0]
        };
        let Some(angles) = case.angles_with(&[1, 2], &mut random, on_axis) else { continue };
        case.check("along the axes of the world", &angles, &mut random);
        let found = case.solutions(&angles, &[0.3; 6]);
        assert_eq!(found.len(), 4, "{angles:?}");
        assert!(found.iter().all(|own| (own[0] - 0.3).abs() < 1e-9), "{found:?}");
    }
}

#[test]
fn wrists_in_line_leave_their_outer_joints_free() {
    let mut random = Random::new(52);
    for layout in LAYOUTS.iter().filter(|layout| layout.name.starts_with("wrist, ") && !layout.name.contains("first")) {
        for ranges in [Ranges::None, Ranges::Mixed].into_iter().cycle().take(40) {
            let case = Case::new(layout, ranges, &mut random);
            let in_line = |axes: &[(DVec3, DVec3); 6]| {
                let [x, y, z] = axes[3].1.cross(axes[5].1).to_array();
                [x, y, z, 0.0]
            };
            let Some(angles) = case.angles_with(&[4], &mut random, in_line) else { continue };
            case.check(layout.name, &angles, &mut random);
            assert_eq!(case.arm.free_joints(&angles), [false, false, false, true, false, true]);
            if ranges == Ranges::None {
                let near: [f64; 6] = std::array::from_fn(|_| random.range(-PI, PI));
                let found = case.solutions(&angles, &near);
                let in_line = |own: &&[f64; 6]| case.arm.free_joints(own)[3];
                assert!(found.iter().filter(in_line).all(|own| (own[3] - near[3]).abs() < 1e-9));
                assert!(found.iter().any(|own| in_line(&own)));
            }
        }
    }
}

#[test]
fn a_last_axis_along_three_parallel_ones_leaves_four_joints_free() {
    let mut random = Random::new(53);
    let layout = LAYOUTS.iter().find(|layout| layout.name == "three parallel axes as on real arms").unwrap();
    for ranges in [Ranges::None, Ranges::Mixed].into_iter().cycle().take(80) {
        let case = Case::new(layout, ranges, &mut random);
        let parallel = |axes: &[(DVec3, DVec3); 6]| {
            let [x, y, z] = axes[1].1.cross(axes[5].1).to_array();
            [x, y, z, 0.0]
        };
        let Some(angles) = case.angles_with(&[4], &mut random, parallel) else { continue };
        case.check(layout.name, &angles, &mut random);
        assert_eq!(case.arm.free_joints(&angles), [false, true, true, true, false, true]);
    }
}

/// The first and the last joint then turn against each other, whatever the axes between them.
#[test]
fn a_last_axis_on_the_first_one_leaves_both_free() {
    let mut random = Random::new(54);
    let mut cases = 0;
    for layout in &LAYOUTS {
        for ranges in [Ranges::None, Ranges::Mixed].into_iter().cycle().take(10) {
            let case = Case::new(layout, ranges, &mut random);
            let on_axis = |axes: &[(DVec3, DVec3); 6]| {
                let (point, direction) = axes[5];
                let ([a, b], [c, d]) =
                    (off_axis(point, axes[0], case.size), off_axis(axes[0].0 + direction, (axes[0].0, axes[0].1), 1.0));
                [a, b, c, d]
            };
            let Some(angles) = case.angles_with(&[1, 2, 3, 4], &mut random, on_axis) else { continue };
            cases += 1;
            case.check(layout.name, &angles, &mut random);
            let free = case.arm.free_joints(&angles);
            assert!(free[0] && free[5], "{}: {free:?}", layout.name);
        }
    }
    assert!(cases > 50, "{cases}");
}
