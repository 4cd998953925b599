//! Lines of unlimited balls inside a skeleton: solved by the fast path for chains.

use super::{Chain, Coordinates, Island, Isometry, Kind, Problem, Report, Settings, Skeleton, Stop};
use glam::{DQuat, DVec3};

/// A line of unlimited balls with one position goal at its end: the same thing as a [`Chain`].
#[derive(Clone, Debug)]
pub(crate) struct Strand {
    joints: Vec<usize>,
    /// For each turning joint, the vector from its origin to the next pivot, in its own frame.
    links: Vec<DVec3>,
    target: DVec3,
    pole: Option<DVec3>,
    free_base: bool,
}

impl Strand {
    /// The strand that an island is, where nothing but its end is asked to go somewhere.
    pub fn of(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Option<Self> {
        let joints = &island.joints;
        let mut goals = problem.goals.iter().filter(|goal| joints.contains(&goal.effector.joint));
        let goal = goals.next()?;
        let target = goal.target.position.filter(|_| goal.weight > 0.0)?;
        let alone = goals.next().is_none() && goal.target.rotation.is_none() && goal.effector.chain_length.is_none();
        let last = *joints.last()?;
        if !alone
            || goal.effector.joint != last
            || !problem.obstacles.is_empty()
            || !problem.loops.is_empty()
            || !skeleton.is_strand(joints)
        {
            return None;
        }
        let turning = joints.iter().take_while(|&&i| skeleton.joints()[i].kind != Kind::Fixed).count();
        let mut links: Vec<DVec3> = joints[1..turning].iter().map(|&i| skeleton.joints()[i].offset).collect();
        let mut end = Isometry::IDENTITY;
        for &i in &joints[turning..] {
            end = skeleton.rest_frame(i, end);
        }
        links.push(end.point(goal.effector.tip));
        let mut poles = problem.hints.iter().filter(|hint| joints.contains(&hint.joint)).map(|hint| hint.toward);
        let pole = poles.next();
        let free_base = skeleton.joints()[joints[0]].kind == Kind::Free;
        links.iter().all(|link| link.length_squared() > 0.0).then_some(Strand {
            joints: joints.clone(),
            links,
            target,
            pole,
            free_base,
        })
    }

    /// Solves it as a chain and writes the rotations back.
    pub fn solve(
        &self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        let (points, turns) = self.unfold(skeleton, problem.base, pose);
        let Ok(mut chain) = Chain::new(&points) else { return Report::REFUSED };
        chain.set_pole(self.pole);
        let report = if self.free_base {
            chain.reach_backward(self.target);
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
        } else {
            chain.solve(self.target, settings)
        };
        self.store(skeleton, problem.base, chain.points(), &turns, pose);
        report
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether the base may move.
    pub fn is_rope(&self) -> bool {
        self.free_base
    }

    /// Point that the strand leans toward, if any.
    pub fn pole(&self) -> Option<DVec3> {
        self.pole
    }

    /// Link lengths, base first.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        self.links.iter().map(|link| link.length())
    }

    /// Its points in the world, base first, and the rotations of its turning joints.
    pub fn unfold(&self, skeleton: &Skeleton, base: Isometry, pose: &[Coordinates]) -> (Vec<DVec3>, Vec<DQuat>) {
        let mut points = Vec::with_capacity(self.links.len() + 1);
        let mut turns = Vec::with_capacity(self.links.len());
        let mut parent = base;
        for (&i, &link) in self.joints.iter().zip(&self.links) {
            parent = skeleton.joints()[i].kind.place(skeleton.rest_frame(i, parent), &pose[i]);
            if points.is_empty() {
                points.push(parent.position);
            }
            turns.push(parent.rotation);
            points.push(parent.point(link));
        }
        (points, turns)
    }

    /// Writes positions back as rotations, each turned as little as possible from what it was.
    pub fn store(
        &self,
        skeleton: &Skeleton,
        base: Isometry,
        points: &[DVec3],
        turns: &[DQuat],
        pose: &mut [Coordinates],
    ) {
        let mut parent = base;
        for (at, (&i, &link)) in self.joints.iter().zip(&self.links).enumerate() {
            let rest = skeleton.rest_frame(i, parent);
            let direction = (points[at + 1] - points[at]).normalize();
            let before = (turns[at] * link).normalize();
            let world = DQuat::from_rotation_arc(before, direction) * turns[at];
            let turn = (rest.rotation.conjugate() * world).normalize();
            pose[i] = if at == 0 && self.free_base {
                Coordinates::free(rest.local(points[0]), turn)
            } else {
                Coordinates::rotation(turn)
            };
            parent = skeleton.joints()[i].kind.place(rest, &pose[i]);
        }
    }
}
