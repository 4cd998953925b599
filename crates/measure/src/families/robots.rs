//! Robots with hinges and slides.

use super::parts::{Parts, TargetKind, ball, hinge, looking, slide};
use fabrik3d_ik::joints::{Axes, Mimic};
use fabrik3d_ik::{Interval, Kind};
use glam::{DQuat, DVec3};

fn about_x(degrees: f64) -> DQuat {
    DQuat::from_rotation_x(degrees.to_radians())
}

/// An arm with the dimensions and ranges of the KUKA LBR iiwa 14. All axes are local z.
pub fn iiwa(target: TargetKind) -> Parts {
    let ranges = [170.0, 120.0, 170.0, 120.0, 170.0, 120.0, 175.0];
    let turns = [0.0, 90.0, -90.0, -90.0, 90.0, 90.0, -90.0];
    let offsets = [
        DVec3::Z * 0.1575,
        DVec3::Z * 0.2025,
        DVec3::Y * 0.2045,
        DVec3::Z * 0.2155,
        DVec3::Y * -0.1845,
        DVec3::Z * 0.2155,
        DVec3::Y * 0.081,
    ];
    let mut parts = Parts::default();
    for at in 0..7_usize {
        let kind = hinge(DVec3::Z, -ranges[at], ranges[at]);
        parts.add_turned(at.checked_sub(1), offsets[at], about_x(turns[at]), kind);
    }
    parts.effector(6, DVec3::Z * 0.045, target);
    parts
}

/// An arm with the dimensions and ranges of the Franka Emika Panda (modified Denavit-Hartenberg parameters).
pub fn panda(target: TargetKind) -> Parts {
    let parameters = [
        (0.0, 0.333, 0.0),
        (0.0, 0.0, -90.0),
        (0.0, 0.316, 90.0),
        (0.0825, 0.0, 90.0),
        (-0.0825, 0.384, -90.0),
        (0.0, 0.0, 90.0),
        (0.088, 0.0, 90.0),
    ];
    let ranges = [
        [-2.8973, 2.8973],
        [-1.7628, 1.7628],
        [-2.8973, 2.8973],
        [-3.0718, -0.0698],
        [-2.8973, 2.8973],
        [-0.0175, 3.7525],
        [-2.8973, 2.8973],
    ];
    let mut parts = Parts::default();
    for (at, ((a, d, alpha), [low, high])) in parameters.into_iter().zip(ranges).enumerate() {
        let rest = about_x(alpha);
        let kind = Kind::Hinge { axis: DVec3::Z, range: Interval::new(low, high).ok() };
        parts.add_turned(at.checked_sub(1), DVec3::X * a + rest * (DVec3::Z * d), rest, kind);
    }
    parts.effector(6, DVec3::Z * 0.107, target);
    parts
}

/// A SCARA arm: hinge, hinge, slide, hinge, all along z.
pub fn scara() -> Parts {
    let mut parts = Parts::default();
    let base = parts.add(None, DVec3::Z * 0.3, hinge(DVec3::Z, -150.0, 150.0));
    let elbow = parts.add(Some(base), DVec3::X * 0.3, hinge(DVec3::Z, -145.0, 145.0));
    let quill = parts.add(Some(elbow), DVec3::X * 0.25, slide(DVec3::NEG_Z, 0.0, 0.2));
    let wrist = parts.add(Some(quill), DVec3::ZERO, hinge(DVec3::Z, -170.0, 170.0));
    parts.effector(wrist, DVec3::new(0.05, 0.0, -0.05), TargetKind::Both);
    parts
}

/// A crane: slew, boom, a telescope of two slides, a hook on a ball.
pub fn crane() -> Parts {
    let mut parts = Parts::default();
    let slew = parts.add(None, DVec3::ZERO, hinge(DVec3::Z, -170.0, 170.0));
    let boom = parts.add(Some(slew), DVec3::Z * 0.2, hinge(DVec3::Y, -80.0, 10.0));
    let first = parts.add(Some(boom), DVec3::X * 0.4, slide(DVec3::X, 0.0, 0.3));
    let second = parts.add(Some(first), DVec3::X * 0.1, slide(DVec3::X, 0.0, 0.3));
    let rest = looking(DVec3::X, DVec3::NEG_Z);
    let hook = parts.add_turned(Some(second), DVec3::X * 0.1, rest, ball([80.0, 60.0, 80.0, 60.0], 90.0));
    parts.effector(hook, DVec3::Z * 0.15, TargetKind::Position);
    parts
}

/// Two balls, a hinge with world axes, another ball.
pub fn global_hinge() -> Parts {
    let mut parts = Parts::default();
    let first = parts.add(None, DVec3::ZERO, ball([70.0; 4], 90.0));
    let second = parts.add(Some(first), DVec3::Z * 0.3, ball([60.0; 4], 30.0));
    let global = parts.add(Some(second), DVec3::Z * 0.3, hinge(DVec3::Y, -100.0, 100.0));
    parts.joints[global].axes = Axes::World;
    let last = parts.add(Some(global), DVec3::Z * 0.2, ball([60.0, 30.0, 60.0, 30.0], 0.0));
    parts.effector(last, DVec3::Z * 0.2, TargetKind::Position);
    parts
}

/// Three hinges and a ball wrist carry a gripper whose second finger mimics the first, with targets for both
/// fingertips.
pub fn gripper() -> Parts {
    let mut parts = Parts::default();
    let base = parts.add(None, DVec3::ZERO, hinge(DVec3::Z, -160.0, 160.0));
    let shoulder = parts.add(Some(base), DVec3::Z * 0.3, hinge(DVec3::Y, -100.0, 100.0));
    let elbow = parts.add(Some(shoulder), DVec3::Z * 0.4, hinge(DVec3::Y, -140.0, 140.0));
    let wrist = parts.add(Some(elbow), DVec3::Z * 0.3, ball([80.0; 4], 90.0));
    let first = parts.add(Some(wrist), DVec3::Z * 0.1, slide(DVec3::X, 0.0, 0.04));
    let second = parts.add(Some(wrist), DVec3::Z * 0.1, slide(DVec3::X, -0.06, 0.0));
    parts.joints[second].mimic = Some(Mimic { joint: first, scale: -1.0, offset: 0.0 });
    for finger in [first, second] {
        parts.effector(finger, DVec3::Z * 0.05, TargetKind::Position);
    }
    parts
}
