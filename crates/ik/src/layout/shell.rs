//! Bounds of what an effector can reach, whatever the limits of its hinges and balls.
//!
//! Choose one point on the axis of each hinge of a chain. Two axes that follow on each other are on one rigid link, so that the
//! distance between their points is the same in every pose, and the tip is never farther from the first point than the sum of
//! these distances. The shortest such line through all axes gives the best bound. It also bounds where the tool of a goal with
//! position and orientation can be: a point on the last axis keeps its place in the tool, so that the target determines where
//! it is. On arms with a spherical wrist, this is the center of the wrist.

use crate::model::{Axes, Effector, Isometry, Kind, Skeleton};
use glam::DVec3;

/// The distance of a point of the effector from a point that does not move lies between two bounds in every pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell {
    /// The point of the effector, in the frame of its joint.
    pub point: DVec3,
    /// The point that does not move, in the rest frame of a joint.
    pub center: (usize, DVec3),
    pub inner: f64,
    pub outer: f64,
}

/// Passes over the points of a line. Each one shortens it; a line that is not the shortest one is a valid bound too.
const PASSES: usize = 20;

/// The shells of an effector: those of its tip, and one of a point on its last axis. There are none if the base can move, or
/// if a free joint or an unlimited slide in the chain makes the distance unbounded.
pub(crate) fn shells(skeleton: &Skeleton, effector: &Effector, moving: &[bool]) -> Vec<Shell> {
    let chain: Vec<usize> = effector.chain_joints(skeleton).collect();
    let Some(&top) = chain.last() else { return Vec::new() };
    let base_moves = skeleton.joints()[top].parent.is_some_and(|p| skeleton.ancestors(p).any(|i| moving[i]));
    if base_moves || chain.iter().any(|&i| skeleton.kind(i).is_unbounded()) {
        return Vec::new();
    }
    let mut shells = vec![along_origins(skeleton, effector, &chain, top)];
    if let Some(line) = Line::through(skeleton, &chain) {
        shells.push(line.shell(top, Some(effector.tip)));
        shells.push(line.shell(top, None));
    }
    shells
}

/// The shell of the line through the origins of all joints.
fn along_origins(skeleton: &Skeleton, effector: &Effector, chain: &[usize], top: usize) -> Shell {
    let outer = effector.reach(skeleton);
    let links = chain.iter().rev().skip(1).map(|&i| skeleton.joints()[i].offset.length());
    let longest = links.chain([effector.tip.length()]).fold(0.0, f64::max);
    Shell { point: effector.tip, center: (top, DVec3::ZERO), inner: (2.0 * longest - outer).max(0.0), outer }
}

/// Where the line passes a joint: at any point of its axis, or at its origin.
#[derive(Clone, Copy, Debug)]
struct Station {
    origin: DVec3,
    /// The axis of a hinge; zero where only the origin will do.
    axis: DVec3,
}

impl Station {
    /// The point of the station for which the sum of the distances from two points is least.
    fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
        let [along_a, along_b] = [a, b].map(|point| (point - self.origin).dot(self.axis));
        let [from_a, from_b] = [(a, along_a), (b, along_b)].map(|(point, along)| point.distance(self.at(along)));
        let sum = from_a + from_b;
        self.at(if sum > 0.0 { (along_a * from_b + along_b * from_a) / sum } else { along_a })
    }

    fn nearest(&self, point: DVec3) -> DVec3 {
        self.at((point - self.origin).dot(self.axis))
    }

    fn at(&self, along: f64) -> DVec3 {
        self.origin + self.axis * along
    }
}

/// The joints of a chain at zero, in the rest frame of its first joint.
struct Line {
    /// The effector's joint first.
    stations: Vec<Station>,
    /// The frame of the effector's joint.
    effector: Isometry,
    /// How far slides shift what they carry from there, at most.
    travel: f64,
}

impl Line {
    /// `chain` begins with the effector's joint. `None` if no joint of it turns, or if a slide follows another joint
    /// or keeps the world's axes.
    fn through(skeleton: &Skeleton, chain: &[usize]) -> Option<Self> {
        let mut line = Line { stations: Vec::new(), effector: Isometry::IDENTITY, travel: 0.0 };
        let mut frame = Isometry::IDENTITY;
        for (at, &joint) in chain.iter().rev().enumerate() {
            let own = &skeleton.joints()[joint];
            if at > 0 {
                frame = frame.frame(Isometry::new(own.offset, own.rest));
            }
            let is_upright = own.axes == Axes::World;
            match own.kind {
                Kind::Hinge { axis, .. } if !is_upright => {
                    line.stations.push(Station { origin: frame.position, axis: frame.rotation * axis });
                }
                Kind::Slide { axis, range: Some(range) } if !is_upright && own.mimic.is_none() => {
                    frame.position += frame.rotation * axis * range.middle();
                    line.travel += 0.5 * range.width();
                }
                Kind::Slide { .. } => return None,
                Kind::Fixed if !is_upright => {}
                _ => line.stations.push(Station { origin: frame.position, axis: DVec3::ZERO }),
            }
        }
        line.effector = frame;
        line.stations.reverse();
        (!line.stations.is_empty()).then_some(line)
    }

    /// The shell of a point in the frame of the effector's joint; without one, of the point of the last axis that has the smallest
    /// shell.
    fn shell(&self, top: usize, end: Option<DVec3>) -> Shell {
        let stations = &self.stations;
        let origins = stations.iter().map(|station| station.origin);
        let mut points: Vec<DVec3> = end.map(|end| self.effector.point(end)).into_iter().chain(origins).collect();
        let first = usize::from(end.is_some());
        for _ in 0..PASSES {
            for (at, station) in (first..).zip(stations) {
                let before = at.checked_sub(1).map(|before| points[before]);
                let after = points.get(at + 1).copied();
                points[at] = match (before, after) {
                    (Some(before), Some(after)) => station.between(before, after),
                    (Some(near), None) | (None, Some(near)) => station.nearest(near),
                    (None, None) => station.origin,
                };
            }
        }
        let links = points.windows(2).map(|pair| pair[0].distance(pair[1]));
        let (sum, longest) = links.fold((0.0, 0.0), |(sum, longest): (f64, f64), link| (sum + link, longest.max(link)));
        Shell {
            // The tip exactly, since a target without a rotation tells nothing of other points.
            point: end.unwrap_or_else(|| self.effector.local(points[0])),
            center: (top, points[points.len() - 1]),
            inner: (2.0 * longest - sum - self.travel).max(0.0),
            outer: sum + self.travel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, Joint, Mimic, Pose};
    use crate::random::Random;

    /// A chain of joints of all kinds.
    fn chain(random: &mut Random) -> Skeleton {
        let count = 2 + random.index(7);
        let mut joints: Vec<Joint> = Vec::new();
        for at in 0..count {
            let axis = random.direction();
            let kind = match random.index(10) {
                0 => Kind::Fixed,
                1 => Kind::UNLIMITED_BALL,
                2 => Kind::Slide { axis, range: Interval::new(-random.unit(), random.unit()).ok() },
                3 => Kind::Hinge { axis, range: Interval::new(-0.5, 1.0).ok() },
                _ => Kind::Hinge { axis, range: None },
            };
            let offset = if random.index(3) == 0 { DVec3::ZERO } else { random.direction() * random.range(0.1, 1.0) };
            let rest = random.rotation();
            let axes = if random.index(12) == 0 { Axes::World } else { Axes::Parent };
            let mut joint = Joint { rest, axes, ..Joint::new(format!("{at}"), at.checked_sub(1), offset, kind) };
            if let (Kind::Hinge { range: None, .. }, Some(leader), 0) = (kind, at.checked_sub(1), random.index(6))
                && matches!(joints[leader].kind, Kind::Hinge { .. })
                && joints[leader].mimic.is_none()
            {
                joint.mimic = Some(Mimic { joint: leader, scale: random.range(-2.0, 2.0), offset: 0.2 });
            }
            joints.push(joint);
        }
        Skeleton::new(joints).expect("a chain")
    }

    /// No pose leaves a shell, and the shortest line is no longer than the one through the origins.
    #[test]
    fn poses_stay_in_their_shells() {
        let mut random = Random::new(5);
        let (mut count, mut tighter) = (0, 0);
        for _ in 0..2000 {
            let skeleton = chain(&mut random);
            let effector = Effector::new(skeleton.len() - 1, random.direction() * random.unit());
            let shells = shells(&skeleton, &effector, &vec![true; skeleton.len()]);
            if let [origins, line, _] = &shells[..] {
                count += 1;
                tighter += usize::from(line.outer < 0.9 * origins.outer);
                assert!(line.outer <= origins.outer + 1e-9, "{line:?} {origins:?}");
                assert_eq!((line.point, origins.point), (effector.tip, effector.tip));
            }
            for _ in 0..50 {
                let pose: Pose = skeleton.random_pose(&mut random);
                let base = Isometry::new(random.direction() * 3.0, random.rotation());
                let frames = skeleton.frames_at(base, &pose);
                for Shell { point, center: (joint, center), inner, outer } in &shells {
                    let center = skeleton.rest_frame_in(*joint, base, &frames).point(*center);
                    let distance = frames[effector.joint].point(*point).distance(center);
                    assert!(distance <= outer + 1e-9 && distance >= inner - 1e-9, "{distance} {inner} {outer}");
                }
            }
        }
        assert!(count > 1000 && tighter > 500, "{tighter} of {count}");
    }
}
