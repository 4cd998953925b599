//! Islands that are a line of unlimited balls: converted to a [`Chain`], solved on the fast path for chains or in SIMD
//! lanes, and converted back to rotations.

use super::share::Share;
use crate::chain::Chain;
use crate::model::islands::Island;
use crate::model::joint::Kind;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::{Isometry, smallest_rotation};
use glam::{DQuat, DVec3};

/// A plain chain in the world: the points of an island of unlimited joints with one position goal.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainChain {
    /// Points from the base to the end effector.
    pub points: Vec<DVec3>,
    /// Target of the end effector.
    pub target: DVec3,
    /// The point that the chain bends toward.
    pub pole: Option<DVec3>,
    /// Whether the base is free, as in a rope.
    pub free_base: bool,
}

/// An island that is a line of unlimited balls with one position goal at its end.
#[derive(Clone, Debug)]
pub(crate) struct ChainIsland {
    joints: Vec<usize>,
    /// For each turning joint, the vector from its origin to that of the next one (to the tip for the last), in its own
    /// frame.
    links: Vec<DVec3>,
    /// Index of its goal in the problem.
    goal: usize,
    /// Index of its pole in the problem.
    pole: Option<usize>,
    free_base: bool,
}

impl ChainIsland {
    /// The chain that an island is. `None` unless it is a line of unlimited balls whose only goal is a position for its
    /// end, without loops and without anything to keep clear of.
    pub fn of(skeleton: &Skeleton, problem: &Problem, island: &Island, share: &Share) -> Option<Self> {
        let joints = &island.joints;
        let goals = share.goals.iter().map(|&at| (at, &problem.goals[at]));
        let mut goals = goals.filter(|(_, goal)| goal.is_active());
        let (goal_index, goal) = goals.next()?;
        let alone = goals.next().is_none() && !goal.requests_orientation() && goal.effector.chain_length.is_none();
        let alone = alone && goal.freedom.is_none();
        let last = *joints.last()?;
        if !alone
            || goal.effector.joint != last
            || !problem.obstacles.is_empty()
            || !share.capsules.is_empty()
            || !share.loops.is_empty()
            || !skeleton.is_simple_chain(joints)
        {
            return None;
        }
        let turning = joints.iter().take_while(|&&i| skeleton.joints()[i].kind != Kind::Fixed).count();
        let mut links: Vec<DVec3> = Vec::with_capacity(turning);
        links.extend(joints[1..turning].iter().map(|&i| skeleton.joints()[i].offset));
        let mut end = Isometry::IDENTITY;
        for &i in &joints[turning..] {
            end = skeleton.rest_frame(i, end);
        }
        links.push(end.point(goal.effector.tip));
        let free_base = skeleton.joints()[joints[0]].kind == Kind::Free;
        // A chain refuses links that are shorter; the search does not.
        links.iter().all(|link| link.length_squared() >= f64::MIN_POSITIVE).then_some(ChainIsland {
            joints: joints.clone(),
            links,
            goal: goal_index,
            pole: share.poles.first().copied(),
            free_base,
        })
    }

    /// The target that a problem has for the chain.
    pub fn target(&self, problem: &Problem) -> Option<DVec3> {
        problem.goals.get(self.goal)?.target.canonical_position()
    }

    /// The pole that a problem has for the chain, if any.
    pub fn pole(&self, problem: &Problem) -> Option<DVec3> {
        problem.poles.get(self.pole?).map(|pole| pole.toward)
    }

    /// Whether the base is free.
    pub fn free_base(&self) -> bool {
        self.free_base
    }

    /// Whether the SIMD batch can solve the chain: its base is fixed and it has no pole.
    pub fn fits_lanes(&self) -> bool {
        !self.free_base && self.pole.is_none()
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Link lengths, base first.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        self.links.iter().map(|link| link.length())
    }

    /// Appends the points of the chain in the world, base first, to `points`, and the world rotations of its turning
    /// joints to `rotations`.
    pub fn append_points(
        &self,
        skeleton: &Skeleton,
        base: Isometry,
        pose: &[Coordinates],
        points: &mut Vec<DVec3>,
        rotations: &mut Vec<DQuat>,
    ) {
        let mut parent = base;
        for (at, (&i, &link)) in self.joints.iter().zip(&self.links).enumerate() {
            parent = skeleton.joints()[i].kind.frame(skeleton.rest_frame(i, parent), &pose[i]);
            if at == 0 {
                points.push(parent.position);
            }
            rotations.push(parent.rotation);
            points.push(parent.point(link));
        }
    }

    /// Writes points back to `pose` as rotations, each turned as little as possible from the one in `rotations`.
    pub fn write_rotations(
        &self,
        skeleton: &Skeleton,
        base: Isometry,
        points: &[DVec3],
        rotations: &[DQuat],
        pose: &mut [Coordinates],
    ) {
        let mut parent = base;
        for (at, (&i, &link)) in self.joints.iter().zip(&self.links).enumerate() {
            let rest = skeleton.rest_frame(i, parent);
            let direction = (points[at + 1] - points[at]).normalize();
            let before = (rotations[at] * link).normalize();
            let world = smallest_rotation(before, direction) * rotations[at];
            let turn = (rest.rotation.conjugate() * world).normalize();
            pose[i] = if at == 0 && self.free_base {
                Coordinates::free(rest.local(points[0]), turn)
            } else {
                Coordinates::rotation(turn)
            };
            parent = skeleton.joints()[i].kind.frame(rest, &pose[i]);
        }
    }
}

/// Buffers for solving chains, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainBuffers {
    points: Vec<DVec3>,
    rotations: Vec<DQuat>,
    chain: Option<Chain>,
}

impl ChainBuffers {
    /// Solves a chain for the target and the pole that a problem has for it.
    pub fn solve(
        &mut self,
        island: &ChainIsland,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        let Some(target) = island.target(problem) else { return Report::REFUSED };
        self.solve_to(island, (skeleton, problem.base), target, island.pole(problem), settings, pose)
    }

    /// Solves a chain for a target and a pole, and writes the rotations to `pose`.
    pub fn solve_to(
        &mut self,
        island: &ChainIsland,
        (skeleton, base): (&Skeleton, Isometry),
        target: DVec3,
        pole: Option<DVec3>,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.points.clear();
        self.rotations.clear();
        island.append_points(skeleton, base, pose, &mut self.points, &mut self.rotations);
        let Ok(chain) = Chain::new_in(&mut self.chain, &self.points) else { return Report::REFUSED };
        chain.set_pole(pole);
        let report = if island.free_base {
            chain.reach_backward(target);
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, refine_steps: 0, attempts: 1 }
        } else {
            chain.solve(target, settings)
        };
        island.write_rotations(skeleton, base, chain.points(), &self.rotations, pose);
        report
    }
}
