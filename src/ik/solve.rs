//! Solving a skeleton: island by island, lines of unlimited balls by the fast path for chains.

use super::{
    Chain, Coordinates, Effector, Goal, Island, Isometry, Kind, Problem, Report, Settings, Skeleton, Stop, Target,
};
use glam::{DQuat, DVec3};

/// Solves a problem on a skeleton. Made for one set of effectors; targets may change from solve to solve.
///
/// ```
/// # use fabrik3d::{ik::Effector, DVec3, Joint, Kind, Skeleton, Solver, Stop};
/// let skeleton = Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
///     Joint::new("elbow", Some(0), DVec3::Y, Kind::UNLIMITED_BALL),
/// ])?;
/// let hand = Effector::new(1, DVec3::Y);
/// let mut pose = skeleton.rest_pose();
/// let report = Solver::new(&skeleton).goal(hand, DVec3::new(1.0, 1.0, 0.0)).solve(&mut pose);
/// assert_eq!(report.stop, Stop::Reached);
/// # Ok::<(), fabrik3d::SkeletonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solver<'a> {
    skeleton: &'a Skeleton,
    problem: Problem,
    settings: Settings,
}

impl<'a> Solver<'a> {
    /// A solver for `skeleton`, with no goals yet and the default settings.
    pub fn new(skeleton: &'a Skeleton) -> Self {
        Solver { skeleton, problem: Problem::default(), settings: Settings::default() }
    }

    /// Adds a goal of ordinary weight.
    #[must_use]
    pub fn goal(mut self, effector: Effector, target: impl Into<Target>) -> Self {
        self.problem.goals.push(Goal::new(effector, target));
        self
    }

    /// Replaces everything that is asked for.
    #[must_use]
    pub fn problem(mut self, problem: Problem) -> Self {
        self.problem = problem;
        self
    }

    /// Replaces tolerances and bounds.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Carries `pose` (one entry a joint) as near to the goals as it gets; the worst island's report.
    pub fn solve(&self, pose: &mut [Coordinates]) -> Report {
        let ties = self.problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
        let reports = self.skeleton.islands(ties).into_iter().map(|island| self.solve_island(&island, pose));
        reports
            .max_by(|a, b| {
                (!a.stop.is_reached(), a.error)
                    .partial_cmp(&(!b.stop.is_reached(), b.error))
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
            .unwrap_or(Report::REFUSED)
    }

    /// Solves the joints of one island only.
    pub fn solve_island(&self, island: &Island, pose: &mut [Coordinates]) -> Report {
        match Strand::of(self.skeleton, &self.problem, island) {
            Some(strand) => strand.solve(self.skeleton, &self.problem, &self.settings, pose),
            None => Report { stop: Stop::Stalled, error: 0.0, iterations: 0, polish_steps: 0, attempts: 0 },
        }
    }
}

/// A line of unlimited balls with one position goal at its end: the same thing as a [`Chain`].
struct Strand<'a> {
    joints: &'a [usize],
    /// For each turning joint, the vector from its origin to the next pivot, in its own frame.
    links: Vec<DVec3>,
    target: DVec3,
    free_base: bool,
}

impl<'a> Strand<'a> {
    fn of(skeleton: &Skeleton, problem: &Problem, island: &'a Island) -> Option<Self> {
        let joints = &island.joints;
        let mut goals = problem.goals.iter().filter(|goal| joints.contains(&goal.effector.joint));
        let goal = goals.next()?;
        let target = goal.target.position?;
        let alone = goals.next().is_none() && goal.target.rotation.is_none() && goal.effector.chain_length.is_none();
        let last = *joints.last()?;
        if !alone || goal.effector.joint != last || !problem.obstacles.is_empty() || !skeleton.is_strand(joints) {
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
        links.iter().all(|link| link.length_squared() > 0.0).then_some(Strand { joints, links, target, free_base })
    }

    fn solve(&self, skeleton: &Skeleton, problem: &Problem, settings: &Settings, pose: &mut [Coordinates]) -> Report {
        let mut points = Vec::with_capacity(self.links.len() + 1);
        let mut turns: Vec<DQuat> = Vec::with_capacity(self.links.len());
        let mut parent = problem.base;
        for (&i, &link) in self.joints.iter().zip(&self.links) {
            parent = skeleton.joints()[i].kind.place(skeleton.rest_frame(i, parent), &pose[i]);
            if points.is_empty() {
                points.push(parent.position);
            }
            turns.push(parent.rotation);
            points.push(parent.point(link));
        }
        let Ok(mut chain) = Chain::new(&points) else { return Report::REFUSED };
        let report = if self.free_base {
            if !self.target.is_finite() {
                return Report::REFUSED;
            }
            chain.reach_backward(self.target);
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
        } else {
            chain.solve(self.target, settings)
        };
        self.store(skeleton, problem.base, chain.points(), &turns, pose);
        report
    }

    /// Writes positions back as rotations, each turned as little as possible from what it was.
    fn store(&self, skeleton: &Skeleton, base: Isometry, points: &[DVec3], turns: &[DQuat], pose: &mut [Coordinates]) {
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
