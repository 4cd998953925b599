//! Arms, hands and a whole body. Link axes are local +z; ranges are those of people, roughly.

use super::{Asked, Rig, ball, hinge, looking};
use crate::DVec3;
use crate::ik::Kind;

/// Shoulder (a wide ellipse), elbow (a hinge), wrist (a ball).
pub fn arm(asked: Asked) -> Rig {
    let mut rig = Rig::default();
    let shoulder = rig.add(None, DVec3::ZERO, ball([130.0, 100.0, 50.0, 80.0], 80.0));
    let elbow = rig.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, 0.0, 145.0));
    let wrist = rig.add(Some(elbow), DVec3::Z * 0.26, ball([25.0, 75.0, 35.0, 70.0], 85.0));
    rig.effector(wrist, DVec3::Z * 0.18, asked);
    rig
}

/// An arm whose forearm rolls by a joint of its own; the wrist does not twist.
pub fn arm_with_forearm() -> Rig {
    let mut rig = Rig::default();
    let shoulder = rig.add(None, DVec3::ZERO, ball([130.0, 100.0, 50.0, 80.0], 80.0));
    let elbow = rig.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, 0.0, 145.0));
    let forearm = rig.add(Some(elbow), DVec3::Z * 0.13, hinge(DVec3::Z, -85.0, 85.0));
    let wrist = rig.add(Some(forearm), DVec3::Z * 0.13, ball([25.0, 75.0, 35.0, 70.0], 0.0));
    rig.effector(wrist, DVec3::Z * 0.18, Asked::Both);
    rig
}

/// 22 joints, asked for head, hands and feet. +y up, +x to the left, +z forward.
pub fn body(root: Kind, asked: Asked) -> Rig {
    let mut rig = Rig::default();
    let (up, down) = (looking(DVec3::Y, DVec3::X), looking(DVec3::NEG_Y, DVec3::X));
    let pelvis = rig.add(None, DVec3::ZERO, root);
    let spine = rig.add_turned(Some(pelvis), DVec3::Y * 0.10, up, ball([20.0, 35.0, 20.0, 20.0], 15.0));
    let middle = rig.add(Some(spine), DVec3::Z * 0.14, ball([20.0, 30.0, 20.0, 15.0], 15.0));
    let chest = rig.add(Some(middle), DVec3::Z * 0.14, ball([15.0, 25.0, 15.0, 15.0], 15.0));
    let neck = rig.add(Some(chest), DVec3::Z * 0.24, ball([30.0, 40.0, 30.0, 40.0], 40.0));
    let head = rig.add(Some(neck), DVec3::Z * 0.10, ball([15.0, 25.0, 15.0, 25.0], 30.0));
    rig.effector(head, DVec3::Z * 0.20, asked);
    for side in [1.0, -1.0] {
        let outward = looking(DVec3::X * side, DVec3::Y);
        let place = DVec3::new(0.03 * side, 0.0, 0.18);
        let clavicle = rig.add_turned(Some(chest), place, outward, ball([15.0, 15.0, 15.0, 25.0], 10.0));
        let shoulder = rig.add(Some(clavicle), DVec3::Z * 0.15, ball([85.0, 120.0, 60.0, 60.0], 80.0));
        let elbow = rig.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, 0.0, 145.0));
        let wrist = rig.add(Some(elbow), DVec3::Z * 0.26, ball([25.0, 75.0, 35.0, 70.0], 85.0));
        rig.effector(wrist, DVec3::Z * 0.10, asked);
    }
    for side in [1.0, -1.0] {
        let place = DVec3::new(0.09 * side, -0.05, 0.0);
        let hip = rig.add_turned(Some(pelvis), place, down, ball([45.0, 25.0, 30.0, 110.0], 40.0));
        let knee = rig.add(Some(hip), DVec3::Z * 0.42, hinge(DVec3::X, 0.0, 150.0));
        let ankle = rig.add(Some(knee), DVec3::Z * 0.42, ball([20.0, 25.0, 20.0, 45.0], 15.0));
        rig.add(Some(ankle), DVec3::new(0.0, -0.15, 0.08), hinge(DVec3::X, -45.0, 30.0));
        rig.effector(ankle, DVec3::Z * 0.08, asked);
    }
    rig
}

/// A wrist, four fingers of a knuckle and two hinges, a thumb; asked for the five tips.
pub fn hand() -> Rig {
    let mut rig = Rig::default();
    let wrist = rig.add(None, DVec3::ZERO, ball([30.0, 70.0, 30.0, 70.0], 80.0));
    let bones = [[0.045, 0.026, 0.024], [0.050, 0.030, 0.026], [0.046, 0.028, 0.026], [0.036, 0.021, 0.023]];
    for (finger, [first, second, third]) in bones.into_iter().enumerate() {
        let across = 0.03 - 0.02 * finger as f64;
        let place = DVec3::new(across, 0.0, 0.095 - 0.004 * (finger as f64 - 1.0).abs());
        let knuckle = rig.add(Some(wrist), place, ball([18.0, 30.0, 18.0, 90.0], 0.0));
        let middle = rig.add(Some(knuckle), DVec3::Z * first, hinge(DVec3::X, 0.0, 105.0));
        let last = rig.add(Some(middle), DVec3::Z * second, hinge(DVec3::X, 0.0, 80.0));
        rig.effector(last, DVec3::Z * third, Asked::Position);
    }
    let place = DVec3::new(0.025, -0.01, 0.02);
    let rest = looking(DVec3::new(0.7, -0.3, 0.6), DVec3::X);
    let thumb = rig.add_turned(Some(wrist), place, rest, ball([40.0, 30.0, 25.0, 45.0], 15.0));
    let middle = rig.add(Some(thumb), DVec3::Z * 0.046, hinge(DVec3::X, -10.0, 60.0));
    let last = rig.add(Some(middle), DVec3::Z * 0.032, hinge(DVec3::X, -15.0, 80.0));
    rig.effector(last, DVec3::Z * 0.027, Asked::Position);
    rig
}
