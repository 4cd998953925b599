//! What a layout depends on: where the joints are on their parents, and which goals, loops, poles, obstacles and
//! capsules there are, but not where. Solvers compare keys to decide whether their layouts are still valid.

use super::share::Share;
use crate::model::problem::{Attachment, Effector, Goal, Problem};
use crate::model::skeleton::Skeleton;
use glam::DVec3;

/// The part of a problem that determines its layouts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LayoutKey {
    /// Offset and stiffness of each joint.
    joints: Vec<(DVec3, f64)>,
    goals: Vec<GoalKey>,
    loops: Vec<(Attachment, Attachment)>,
    poles: Vec<usize>,
    obstacles: bool,
    /// The joint of each capsule, and the pairs that keep clear.
    capsules: Vec<usize>,
    pairs: Vec<[usize; 2]>,
}

/// What a key is about: some joints and a share of the problem, or everything.
pub(crate) type Scope<'a> = Option<(&'a [usize], &'a Share)>;

impl LayoutKey {
    /// The key of a problem.
    pub fn of(skeleton: &Skeleton, problem: &Problem, scope: Scope) -> Self {
        LayoutKey {
            joints: joint_keys(skeleton, scope).collect(),
            goals: goal_keys(problem, scope).collect(),
            loops: loop_keys(problem, scope).collect(),
            poles: pole_keys(problem, scope).collect(),
            obstacles: !problem.obstacles.is_empty(),
            capsules: capsule_keys(problem, scope).collect(),
            pairs: pair_keys(problem, scope).collect(),
        }
    }

    /// Whether a problem has this key, so that layouts made for the key fit it.
    pub fn fits(&self, skeleton: &Skeleton, problem: &Problem, scope: Scope) -> bool {
        self.joints.iter().copied().eq(joint_keys(skeleton, scope))
            && self.obstacles != problem.obstacles.is_empty()
            && self.capsules.iter().copied().eq(capsule_keys(problem, scope))
            && self.pairs.iter().copied().eq(pair_keys(problem, scope))
            && self.loops.iter().copied().eq(loop_keys(problem, scope))
            && self.goals.iter().copied().eq(goal_keys(problem, scope))
            && self.poles.iter().copied().eq(pole_keys(problem, scope))
    }
}

fn joint_keys(skeleton: &Skeleton, scope: Scope) -> impl Iterator<Item = (DVec3, f64)> {
    let joints = numbers(skeleton.len(), scope.map(|(joints, _)| joints));
    joints.map(|at| (skeleton.joints()[at].offset, skeleton.joints()[at].stiffness))
}

/// An effector; whether its position and its orientation are requested, and whether both are fixed.
type GoalKey = (Effector, [bool; 3]);

fn goal_keys(problem: &Problem, scope: Scope) -> impl Iterator<Item = GoalKey> {
    let key = |goal: &Goal| {
        (goal.effector, [goal.requested_position().is_some(), goal.requests_orientation(), goal.is_exact()])
    };
    let goals = numbers(problem.goals.len(), scope.map(|(_, share)| &share.goals[..]));
    goals.map(move |at| key(&problem.goals[at]))
}

fn loop_keys(problem: &Problem, scope: Scope) -> impl Iterator<Item = (Attachment, Attachment)> {
    numbers(problem.loops.len(), scope.map(|(_, share)| &share.loops[..])).map(|at| problem.loops[at])
}

fn pole_keys(problem: &Problem, scope: Scope) -> impl Iterator<Item = usize> {
    numbers(problem.poles.len(), scope.map(|(_, share)| &share.poles[..])).map(|at| problem.poles[at].joint)
}

fn capsule_keys(problem: &Problem, scope: Scope) -> impl Iterator<Item = usize> {
    let capsules = &problem.keep_clear.capsules;
    numbers(capsules.len(), scope.map(|(_, share)| &share.capsules[..])).map(|at| capsules[at].joint)
}

fn pair_keys(problem: &Problem, scope: Scope) -> impl Iterator<Item = [usize; 2]> {
    let pairs = &problem.keep_clear.pairs;
    numbers(pairs.len(), scope.map(|(_, share)| &share.pairs[..])).map(|at| pairs[at])
}

/// Some numbers, or all below `count`.
fn numbers(count: usize, some: Option<&[usize]>) -> impl Iterator<Item = usize> {
    (0..some.map_or(count, <[usize]>::len)).map(move |at| some.map_or(at, |some| some[at]))
}
