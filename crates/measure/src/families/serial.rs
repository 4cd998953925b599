//! Serial chains of ball joints.

use super::parts::{FamilyCase, Parts, TargetKind, ball};
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Kind};
use glam::DVec3;

/// `count` links of equal length along +z, each on a joint of this kind.
pub fn chain(count: usize, length: f64, kind: Kind) -> Parts {
    let mut parts = Parts::default();
    let link = DVec3::Z * length;
    for at in 0..count {
        parts.add(at.checked_sub(1), if at == 0 { DVec3::ZERO } else { link }, kind);
    }
    parts.effector(count - 1, link, TargetKind::Position);
    parts
}

/// A chain of ten joints of which only the last five may move for the tip. A second effector, with a target pose so
/// that the tip stays reachable, bends the first five.
pub fn cut_short() -> Parts {
    let mut parts = chain(10, 0.1, ball([60.0; 4], 30.0));
    parts.effectors[0].0.chain_length = Some(5);
    parts.effector(4, DVec3::Z * 0.1, TargetKind::Both);
    parts
}

/// A free root with ten links and targets for both ends.
pub fn rope() -> Parts {
    let mut parts = Parts::default();
    let root = parts.add(None, DVec3::ZERO, Kind::Free);
    let first = parts.add(Some(root), DVec3::ZERO, ball([60.0; 4], 30.0));
    let mut at = first;
    for _ in 1..10 {
        at = parts.add(Some(at), DVec3::Z * 0.1, ball([60.0; 4], 30.0));
    }
    parts.effector(at, DVec3::Z * 0.1, TargetKind::Position);
    parts.effectors.push((Effector::new(first, DVec3::ZERO), TargetKind::Position));
    parts
}

/// A chain between four spheres above a floor; the witness does not touch them.
pub fn among_obstacles(count: usize, length: f64, swing: f64, random: &mut Random) -> FamilyCase {
    const RADIUS: f64 = 0.015;
    let parts = chain(count, length, ball([swing; 4], 30.0));
    loop {
        let mut case = parts.random_case(random);
        case.problem.link_radius = RADIUS;
        case.problem.obstacles.push(Obstacle::HalfSpace { normal: DVec3::Z, offset: -0.05 });
        let mut clear = true;
        for _ in 0..4 {
            let center = DVec3::new(random.range(-0.7, 0.7), random.range(-0.7, 0.7), random.range(0.1, 0.9));
            let radius = random.range(0.06, 0.16);
            clear &= center.length() > radius + 0.05;
            case.problem.obstacles.push(Obstacle::Sphere { center, radius });
        }
        let frames = case.skeleton.frames(&case.witness);
        let mut points: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
        points.extend(frames.last().map(|frame| frame.point(DVec3::Z * length)));
        let free = |obstacle: &Obstacle| {
            points.windows(2).all(|link| obstacle.contact(link[0], link[1]).depth + RADIUS <= -0.002)
        };
        if clear && case.problem.obstacles.iter().all(free) {
            return case;
        }
    }
}
