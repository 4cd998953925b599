//! Arms, hands and a whole body. Link axes are local +z; ranges are approximately human.

use super::parts::{Parts, TargetKind, ball, hinge, looking};
use fabrik3d_ik::Kind;
use glam::DVec3;

/// Shoulder (ball with a wide elliptic swing), elbow (hinge), wrist (ball).
pub fn arm(target: TargetKind) -> Parts {
    let mut parts = Parts::default();
    let shoulder = parts.add(None, DVec3::ZERO, ball([130.0, 100.0, 50.0, 80.0], 80.0));
    let elbow = parts.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, 0.0, 145.0));
    let wrist = parts.add(Some(elbow), DVec3::Z * 0.26, ball([25.0, 75.0, 35.0, 70.0], 85.0));
    parts.effector(wrist, DVec3::Z * 0.18, target);
    parts
}

/// An arm with a separate joint for the roll of the forearm; the wrist does not twist.
pub fn arm_with_forearm() -> Parts {
    let mut parts = Parts::default();
    let shoulder = parts.add(None, DVec3::ZERO, ball([130.0, 100.0, 50.0, 80.0], 80.0));
    let elbow = parts.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, 0.0, 145.0));
    let forearm = parts.add(Some(elbow), DVec3::Z * 0.13, hinge(DVec3::Z, -85.0, 85.0));
    let wrist = parts.add(Some(forearm), DVec3::Z * 0.13, ball([25.0, 75.0, 35.0, 70.0], 0.0));
    parts.effector(wrist, DVec3::Z * 0.18, TargetKind::Both);
    parts
}

/// A body of 22 joints with targets for head, hands and feet. +y is up, +x left, +z forward.
pub fn body(root: Kind, target: TargetKind) -> Parts {
    let mut parts = Parts::default();
    let (up, down) = (looking(DVec3::Y, DVec3::X), looking(DVec3::NEG_Y, DVec3::X));
    let pelvis = parts.add(None, DVec3::ZERO, root);
    let spine = parts.add_turned(Some(pelvis), DVec3::Y * 0.10, up, ball([20.0, 35.0, 20.0, 20.0], 15.0));
    let middle = parts.add(Some(spine), DVec3::Z * 0.14, ball([20.0, 30.0, 20.0, 15.0], 15.0));
    let chest = parts.add(Some(middle), DVec3::Z * 0.14, ball([15.0, 25.0, 15.0, 15.0], 15.0));
    let neck = parts.add(Some(chest), DVec3::Z * 0.24, ball([30.0, 40.0, 30.0, 40.0], 40.0));
    let head = parts.add(Some(neck), DVec3::Z * 0.10, ball([15.0, 25.0, 15.0, 25.0], 30.0));
    parts.effector(head, DVec3::Z * 0.20, target);
    for side in [1.0, -1.0] {
        let outward = looking(DVec3::X * side, DVec3::Y);
        let place = DVec3::new(0.03 * side, 0.0, 0.18);
        let clavicle = parts.add_turned(Some(chest), place, outward, ball([15.0, 15.0, 15.0, 25.0], 10.0));
        let shoulder = parts.add(Some(clavicle), DVec3::Z * 0.15, ball([85.0, 120.0, 60.0, 60.0], 80.0));
        let elbow = parts.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, 0.0, 145.0));
        let wrist = parts.add(Some(elbow), DVec3::Z * 0.26, ball([25.0, 75.0, 35.0, 70.0], 85.0));
        parts.effector(wrist, DVec3::Z * 0.10, target);
    }
    for side in [1.0, -1.0] {
        let place = DVec3::new(0.09 * side, -0.05, 0.0);
        let hip = parts.add_turned(Some(pelvis), place, down, ball([45.0, 25.0, 30.0, 110.0], 40.0));
        let knee = parts.add(Some(hip), DVec3::Z * 0.42, hinge(DVec3::X, 0.0, 150.0));
        let ankle = parts.add(Some(knee), DVec3::Z * 0.42, ball([20.0, 25.0, 20.0, 45.0], 15.0));
        parts.add(Some(ankle), DVec3::new(0.0, -0.15, 0.08), hinge(DVec3::X, -45.0, 30.0));
        parts.effector(ankle, DVec3::Z * 0.08, target);
    }
    parts
}

/// A wrist, four fingers (a knuckle and two hinges each) and a thumb, with targets for the five tips.
pub fn hand() -> Parts {
    let mut parts = Parts::default();
    let wrist = parts.add(None, DVec3::ZERO, ball([30.0, 70.0, 30.0, 70.0], 80.0));
    let bones = [[0.045, 0.026, 0.024], [0.050, 0.030, 0.026], [0.046, 0.028, 0.026], [0.036, 0.021, 0.023]];
    for (finger, [first, second, third]) in bones.into_iter().enumerate() {
        let across = 0.03 - 0.02 * finger as f64;
        let place = DVec3::new(across, 0.0, 0.095 - 0.004 * (finger as f64 - 1.0).abs());
        let knuckle = parts.add(Some(wrist), place, ball([18.0, 30.0, 18.0, 90.0], 0.0));
        let middle = parts.add(Some(knuckle), DVec3::Z * first, hinge(DVec3::X, 0.0, 105.0));
        let last = parts.add(Some(middle), DVec3::Z * second, hinge(DVec3::X, 0.0, 80.0));
        parts.effector(last, DVec3::Z * third, TargetKind::Position);
    }
    let place = DVec3::new(0.025, -0.01, 0.02);
    let rest = looking(DVec3::new(0.7, -0.3, 0.6), DVec3::X);
    let thumb = parts.add_turned(Some(wrist), place, rest, ball([40.0, 30.0, 25.0, 45.0], 15.0));
    let middle = parts.add(Some(thumb), DVec3::Z * 0.046, hinge(DVec3::X, -10.0, 60.0));
    let last = parts.add(Some(middle), DVec3::Z * 0.032, hinge(DVec3::X, -15.0, 80.0));
    parts.effector(last, DVec3::Z * 0.027, TargetKind::Position);
    parts
}
