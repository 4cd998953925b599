//! Trees: walking machines, nested sub-bases, and random trees.

use super::parts::{Parts, TargetKind, ball, hinge, interval, looking, slide};
use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Kind, Swing};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A body with `legs` legs of three hinges and targets for the feet. `body_rotation` adds a target for the orientation
/// of the body.
pub fn walker(legs: usize, root: Kind, body_rotation: bool) -> Parts {
    let mut parts = Parts::default();
    let body = parts.add(None, DVec3::ZERO, root);
    for leg in 0..legs {
        let angle = TAU * (leg as f64 + 0.5) / legs as f64;
        let out = DVec3::new(angle.cos(), 0.0, angle.sin());
        let rest = looking(out, -out.cross(DVec3::Y));
        let coxa = parts.add_turned(Some(body), out * 0.12, rest, hinge(DVec3::Y, -50.0, 50.0));
        let femur = parts.add(Some(coxa), DVec3::Z * 0.05, hinge(DVec3::X, -75.0, 60.0));
        let tibia = parts.add(Some(femur), DVec3::Z * 0.10, hinge(DVec3::X, 10.0, 140.0));
        parts.effector(tibia, DVec3::Z * 0.16, TargetKind::Position);
    }
    if body_rotation {
        parts.effector(body, DVec3::ZERO, TargetKind::Rotation);
    }
    parts
}

/// A trunk of four joints, two branches of three, each with two twigs of three: four effectors.
pub fn nested() -> Parts {
    let mut parts = Parts::default();
    let mut trunk = parts.add(None, DVec3::ZERO, ball([40.0; 4], 30.0));
    for _ in 1..4 {
        trunk = parts.add(Some(trunk), DVec3::Z * 0.15, ball([40.0; 4], 30.0));
    }
    for side in [1.0, -1.0] {
        let rest = DQuat::from_rotation_y(0.6 * side);
        let mut branch = parts.add_turned(Some(trunk), DVec3::Z * 0.15, rest, ball([45.0; 4], 30.0));
        for _ in 1..3 {
            branch = parts.add(Some(branch), DVec3::Z * 0.12, ball([45.0; 4], 30.0));
        }
        for side in [1.0, -1.0] {
            let rest = DQuat::from_rotation_x(0.6 * side);
            let swing = [50.0, 35.0, 50.0, 35.0];
            let mut twig = parts.add_turned(Some(branch), DVec3::Z * 0.12, rest, ball(swing, 30.0));
            for _ in 1..3 {
                twig = parts.add(Some(twig), DVec3::Z * 0.09, ball(swing, 30.0));
            }
            parts.effector(twig, DVec3::Z * 0.09, TargetKind::Position);
        }
    }
    parts
}

/// 4 to 20 joints with random kinds, limits, offsets and rest rotations; an effector on every leaf.
pub fn random(random: &mut Random) -> Parts {
    let count = 4 + random.index(17);
    let mut parts = Parts::default();
    let mut children = vec![0_usize; count];
    for at in 0..count {
        let leaves = children[..at].iter().filter(|&&count| count == 0).count();
        let parent = match at {
            0 => None,
            // Most joints extend the newest branch; at most five branches.
            _ if random.unit() < 0.85 || leaves >= 5 => (0..at).rev().find(|&i| children[i] == 0),
            _ => Some(random.index(at)),
        };
        let length = if at == 0 || random.unit() < 0.1 { 0.0 } else { random.range(0.05, 0.3) };
        let direction = if random.unit() < 0.6 { DVec3::Z } else { random.direction() };
        let rest = if random.unit() < 0.5 { DQuat::IDENTITY } else { random.rotation() };
        let kind = if at == 0 { random_root(random) } else { random_kind(random) };
        let joint = parts.add_turned(parent, direction * length, rest, kind);
        if at > 1 && matches!(kind, Kind::Hinge { .. }) && random.unit() < 0.05 {
            parts.joints[joint].axes = Axes::World;
        }
        if let Some(parent) = parent {
            children[parent] += 1;
        }
    }
    for leaf in (0..count).filter(|&i| children[i] == 0) {
        let target = if random.unit() < 0.4 { TargetKind::Both } else { TargetKind::Position };
        parts.effector(leaf, DVec3::Z * random.range(0.05, 0.25), target);
    }
    parts
}

fn random_axis(random: &mut Random) -> DVec3 {
    match random.index(4) {
        3 => random.direction(),
        axis => DVec3::AXES[axis],
    }
}

fn random_ball(random: &mut Random, narrowest: f64, widest: f64, twist: f64) -> Kind {
    let swing = [0; 4].map(|_| random.range(narrowest, widest).to_radians());
    Kind::Ball {
        swing: Swing::new(swing).ok(),
        twist: interval(-random.range(0.0, twist).to_radians(), random.range(0.0, twist).to_radians()),
    }
}

fn random_root(random: &mut Random) -> Kind {
    match random.unit() {
        share if share < 0.3 => Kind::Free,
        share if share < 0.6 => random_ball(random, 20.0, 150.0, 170.0),
        share if share < 0.8 => hinge(random_axis(random), -random.range(30.0, 170.0), random.range(30.0, 170.0)),
        _ => Kind::Fixed,
    }
}

fn random_kind(random: &mut Random) -> Kind {
    match random.unit() {
        share if share < 0.4 => {
            let twist = if random.unit() < 0.25 { 0.0 } else { 150.0 };
            random_ball(random, 8.0, 140.0, twist)
        }
        share if share < 0.8 => {
            let (middle, half) = (random.range(-60.0, 60.0), random.range(10.0, 110.0));
            hinge(random_axis(random), middle - half, middle + half)
        }
        share if share < 0.88 => {
            let low = random.range(-0.1, 0.1);
            slide(random_axis(random), low, low + random.range(0.05, 0.3))
        }
        share if share < 0.95 => Kind::Fixed,
        _ => Kind::UNLIMITED_BALL,
    }
}
