//! Lines of unlimited balls inside a skeleton: solved by the fast path for chains.

use crate::chain::Chain;
use crate::model::joint::Kind;
use crate::model::pose::Coordinates;
use crate::model::problem::{Goal, Problem};
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::{Island, Skeleton};
use crate::model::transform::Isometry;
use crate::model::transform::smallest_rotation;
use glam::{DQuat, DVec3};

/// A line of unlimited balls with one position goal at its end: the same thing as a [`Chain`].
#[derive(Clone, Debug)]
pub(crate) struct Strand {
    joints: Vec<usize>,
    /// For each turning joint, the vector from its origin to the next pivot, in its own frame.
    links: Vec<DVec3>,
    /// Index of its goal among the problem's.
    goal: usize,
    /// Index of its pole among the problem's hints.
    hint: Option<usize>,
    free_base: bool,
}

impl Strand {
    /// The strand that an island is, where nothing but its end is asked to go somewhere.
    pub fn of(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Option<Self> {
        let joints = &island.joints;
        let on_island = |goal: &Goal| goal.asks() && joints.contains(&goal.effector.joint);
        let mut goals = problem.goals.iter().enumerate().filter(|(_, goal)| on_island(goal));
        let (goal_index, goal) = goals.next()?;
        let alone = goals.next().is_none() && goal.asked_rotation().is_none() && goal.effector.chain_length.is_none();
        let last = *joints.last()?;
        if !alone
            || goal.effector.joint != last
            || !problem.obstacles.is_empty()
            || !problem.loops.is_empty()
            || !skeleton.is_simple_chain(joints)
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
        let free_base = skeleton.joints()[joints[0]].kind == Kind::Free;
        links.iter().all(|link| link.length_squared() > 0.0).then_some(Strand {
            joints: joints.clone(),
            links,
            goal: goal_index,
            hint: problem.hints.iter().position(|hint| joints.contains(&hint.joint)),
            free_base,
        })
    }

    /// Where a problem wants its end.
    pub fn target(&self, problem: &Problem) -> Option<DVec3> {
        problem.goals.get(self.goal)?.target.position
    }

    /// Point that it leans toward, if any.
    pub fn pole(&self, problem: &Problem) -> Option<DVec3> {
        problem.hints.get(self.hint?).map(|hint| hint.toward)
    }

    /// Whether the SIMD batch can solve it: a base in its place, and no pole.
    pub fn fits_lanes(&self) -> bool {
        !self.free_base && self.hint.is_none()
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Link lengths, base first.
    pub fn lengths(&self) -> impl Iterator<Item = f64> {
        self.links.iter().map(|link| link.length())
    }

    /// Adds its points in the world, base first, and the rotations of its turning joints to what is there.
    pub fn unfold(
        &self,
        skeleton: &Skeleton,
        base: Isometry,
        pose: &[Coordinates],
        points: &mut Vec<DVec3>,
        turns: &mut Vec<DQuat>,
    ) {
        let mut parent = base;
        for (at, (&i, &link)) in self.joints.iter().zip(&self.links).enumerate() {
            parent = skeleton.joints()[i].kind.frame(skeleton.rest_frame(i, parent), &pose[i]);
            if at == 0 {
                points.push(parent.position);
            }
            turns.push(parent.rotation);
            points.push(parent.point(link));
        }
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
            let world = smallest_rotation(before, direction) * turns[at];
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

/// A strand with the room to solve it again and again.
#[derive(Clone, Debug)]
pub(crate) struct StrandSolver {
    strand: Strand,
    points: Vec<DVec3>,
    turns: Vec<DQuat>,
    chain: Option<Chain>,
}

impl StrandSolver {
    /// Room for a strand.
    pub fn new(strand: Strand) -> Self {
        StrandSolver { strand, points: Vec::new(), turns: Vec::new(), chain: None }
    }

    /// What it solves.
    pub fn strand(&self) -> &Strand {
        &self.strand
    }

    /// Solves it for the target and the pole that a problem has for it.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        let Some(target) = self.strand.target(problem) else { return Report::REFUSED };
        let pole = self.strand.pole(problem);
        self.solve_to(skeleton, problem.base, target, pole, settings, pose)
    }

    /// Solves it as a chain and writes the rotations back.
    pub fn solve_to(
        &mut self,
        skeleton: &Skeleton,
        base: Isometry,
        target: DVec3,
        pole: Option<DVec3>,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.points.clear();
        self.turns.clear();
        self.strand.unfold(skeleton, base, pose, &mut self.points, &mut self.turns);
        let Ok(chain) = Chain::new_in(&mut self.chain, &self.points) else { return Report::REFUSED };
        chain.set_pole(pole);
        let report = if self.strand.free_base {
            chain.reach_backward(target);
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
        } else {
            chain.solve(target, settings)
        };
        self.strand.store(skeleton, base, chain.points(), &self.turns, pose);
        report
    }
}
