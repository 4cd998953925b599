//! Closed loops. Witnesses are computed in closed form, or by solving the arm that closes the loop.

use super::parts::{FamilyCase, Parts, TargetKind, ball, hinge, looking, slide};
use fabrik3d_ik::goals::Attachment;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Kind, Pose, Skeleton, Solver};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// A crank-rocker in the plane z = 0 with a target for a point of its coupler. It starts closed at another crank angle.
pub fn four_bar(random: &mut Random) -> FamilyCase {
    const CRANK: f64 = 0.2;
    const COUPLER: f64 = 0.5;
    const ROCKER: f64 = 0.35;
    const GROUND: DVec3 = DVec3::new(0.5, 0.0, 0.0);
    let free = Kind::Hinge { axis: DVec3::Z, range: None };
    let mut parts = Parts::default();
    let crank = parts.add(None, DVec3::ZERO, free);
    let coupler = parts.add(Some(crank), DVec3::X * CRANK, free);
    let ground = parts.add(None, GROUND, Kind::Fixed);
    let rocker = parts.add(Some(ground), DVec3::ZERO, free);
    parts.effector(coupler, DVec3::new(0.25, 0.2, 0.0), TargetKind::Position);
    let point = |joint, length: f64| Attachment { joint, point: DVec3::X * length };
    parts.loops.push((point(coupler, COUPLER), point(rocker, ROCKER)));
    let skeleton = parts.skeleton();
    // The joint between coupler and rocker is an intersection of two circles.
    let closed = |angle: f64| {
        let from = DVec3::new(CRANK * angle.cos(), CRANK * angle.sin(), 0.0);
        let base = GROUND - from;
        let distance = base.length();
        let along = (COUPLER * COUPLER - ROCKER * ROCKER + distance * distance) / (2.0 * distance);
        let off = (COUPLER * COUPLER - along * along).max(0.0).sqrt();
        let unit = base / distance;
        let pin = from + unit * along + DVec3::new(-unit.y, unit.x, 0.0) * off;
        let turn = |v: DVec3| v.y.atan2(v.x);
        let mut pose = skeleton.rest_pose();
        pose[crank] = Coordinates::scalar(angle);
        pose[coupler] = Coordinates::scalar(turn(pin - from) - angle);
        pose[rocker] = Coordinates::scalar(turn(pin - GROUND));
        skeleton.project(&mut pose);
        pose
    };
    let angle = random.range(-PI, PI);
    let (witness, start) = (closed(angle), closed(angle + random.range(-1.5, 1.5)));
    parts.case(skeleton, witness, start)
}

/// Six legs (a ball and a slide each) carry a free platform, which has a target pose.
pub fn stewart(random: &mut Random) -> FamilyCase {
    let mut parts = Parts::default();
    let platform = parts.add(None, DVec3::Z * 0.8, Kind::Free);
    let mut legs = Vec::new();
    for leg in 0..6 {
        let side = if leg % 2 == 0 { -1.0 } else { 1.0 };
        let low = 2.0 * PI / 3.0 * f64::from(leg / 2) + 0.2 * side;
        let high = 2.0 * PI / 3.0 * f64::from((leg + 1) / 2) - PI / 3.0 - 0.25 * side;
        let base = DVec3::new(low.cos(), low.sin(), 0.0) * 0.5;
        let top = DVec3::new(high.cos(), high.sin(), 0.0) * 0.3;
        let rest = looking(top + DVec3::Z * 0.8 - base, DVec3::X);
        let foot = parts.add_turned(None, base, rest, ball([45.0; 4], 0.0));
        let rod = parts.add(Some(foot), DVec3::Z * 0.5, slide(DVec3::Z, 0.1, 0.7));
        parts.loops.push((Attachment { joint: rod, point: DVec3::ZERO }, Attachment { joint: platform, point: top }));
        legs.push((foot, rod, parts.joints[foot].offset, rest, top));
    }
    parts.effector(platform, DVec3::ZERO, TargetKind::Both);
    let skeleton = parts.skeleton();
    let rest = skeleton.rest_pose();
    loop {
        let shift = DVec3::new(random.range(-0.2, 0.2), random.range(-0.2, 0.2), random.range(-0.15, 0.2));
        let turn = DQuat::from_scaled_axis(random.direction() * random.range(0.0, 0.5));
        let mut witness = rest.clone();
        witness[platform] = Coordinates::free(shift, turn);
        for &(foot, rod, base, rest, top) in &legs {
            let along = rest.conjugate() * (DVec3::Z * 0.8 + shift + turn * top - base);
            let swing = DQuat::from_rotation_arc(DVec3::Z, along.normalize()).to_scaled_axis();
            witness[foot] = Coordinates::ball([swing.y, -swing.x], 0.0);
            witness[rod] = Coordinates::scalar(along.length() - 0.5);
        }
        let mut inside = witness.clone();
        skeleton.project(&mut inside);
        if inside == witness {
            return parts.case(skeleton, witness, rest);
        }
    }
}

/// A torso with two arms; the left hand holds a bar that the right hand grips.
pub fn two_arms(random: &mut Random) -> FamilyCase {
    let mut parts = Parts::default();
    let torso = parts.add(None, DVec3::ZERO, ball([25.0, 35.0, 25.0, 20.0], 30.0));
    let mut hands = [0; 2];
    for (hand, side) in hands.iter_mut().zip([1.0, -1.0]) {
        let rest = looking(DVec3::new(0.3 * side, 0.9, -0.3), DVec3::X * side);
        let place = DVec3::new(0.2 * side, 0.0, 0.5);
        let shoulder = parts.add_turned(Some(torso), place, rest, ball([80.0; 4], 80.0));
        let elbow = parts.add(Some(shoulder), DVec3::Z * 0.30, hinge(DVec3::Y, -145.0, 0.0));
        *hand = parts.add(Some(elbow), DVec3::Z * 0.26, ball([60.0; 4], 90.0));
    }
    let bar = parts.add_turned(Some(hands[0]), DVec3::Z * 0.08, looking(DVec3::X, DVec3::Y), Kind::Fixed);
    parts.effector(bar, DVec3::Z * -0.2, TargetKind::Position);
    let grip = Attachment { joint: hands[1], point: DVec3::Z * 0.08 };
    parts.loops.push((grip, Attachment { joint: bar, point: DVec3::Z * -0.4 }));
    let skeleton = parts.skeleton();
    loop {
        let witness = skeleton.random_pose(random);
        if let Some(witness) = closed_by_right_arm(&skeleton, witness, grip, bar) {
            let start = skeleton.rest_pose();
            return parts.case(skeleton, witness, start);
        }
    }
}

/// The pose after the right arm alone moves its grip to the end of the bar; `None` if the arm cannot reach it.
fn closed_by_right_arm(skeleton: &Skeleton, mut pose: Pose, grip: Attachment, bar: usize) -> Option<Pose> {
    let target = skeleton.frames(&pose)[bar].point(DVec3::Z * -0.4);
    let hand = Effector { chain_length: Some(3), ..Effector::new(grip.joint, grip.point) };
    let exact = fabrik3d_ik::Settings { tolerance: 1e-12, ..fabrik3d_ik::Settings::default() };
    let report = Solver::new(skeleton).goal(hand, target).settings(exact).solve(&mut pose);
    report.stop.is_reached().then_some(pose)
}
