//! What belongs to an island of the goals, loops, poles and capsules of a problem.

use crate::model::islands::Island;
use crate::model::problem::Problem;
use crate::model::skeleton::Skeleton;

/// The share of one island: ascending indices into the lists of the problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Share {
    pub goals: Vec<usize>,
    pub loops: Vec<usize>,
    pub poles: Vec<usize>,
    /// The capsules on the island, and those that they keep clear of.
    pub capsules: Vec<usize>,
    /// The pairs of these capsules that keep clear.
    pub pairs: Vec<usize>,
    /// The capsules of the problem that was compared last, so that comparing allocates nothing.
    compared: Vec<usize>,
}

impl Share {
    /// The share of one island.
    pub fn of(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Self {
        let mut share = Share {
            goals: goals(problem, island).collect(),
            loops: loops(skeleton, problem, island).collect(),
            poles: poles(problem, island).collect(),
            pairs: pairs(skeleton, problem, island).collect(),
            ..Share::default()
        };
        list_capsules(skeleton, problem, island, &mut share.capsules);
        share
    }

    /// The shares of all islands of a skeleton.
    pub fn each(skeleton: &Skeleton, problem: &Problem, islands: &[Island]) -> Vec<Share> {
        let mut island_of = vec![0; skeleton.len()];
        for (at, island) in islands.iter().enumerate() {
            island.joints.iter().for_each(|&joint| island_of[joint] = at);
        }
        let mut shares = vec![Share::default(); islands.len()];
        for (at, goal) in problem.goals.iter().enumerate() {
            shares[island_of[goal.effector.joint]].goals.push(at);
        }
        for (at, (a, b)) in problem.loops.iter().enumerate() {
            shares[island_of[skeleton.closing_joint(a.joint, b.joint)]].loops.push(at);
        }
        for (at, pole) in problem.poles.iter().enumerate() {
            shares[island_of[pole.joint]].poles.push(at);
        }
        let mut on_island: Vec<Vec<usize>> = vec![Vec::new(); islands.len()];
        for (at, capsule) in problem.keep_clear.capsules.iter().enumerate() {
            on_island[island_of[capsule.joint]].push(at);
        }
        for (at, (a, b)) in problem.keep_clear.joint_pairs().enumerate() {
            let own = island_of[skeleton.closing_joint(a, b)];
            shares[own].pairs.push(at);
            on_island[own].extend(problem.keep_clear.pairs[at]);
        }
        for (share, mut capsules) in shares.iter_mut().zip(on_island) {
            sort_and_dedup(&mut capsules);
            share.capsules = capsules;
        }
        shares
    }

    /// Whether this is the share that the island has in a problem.
    pub fn fits(&mut self, skeleton: &Skeleton, problem: &Problem, island: &Island) -> bool {
        list_capsules(skeleton, problem, island, &mut self.compared);
        self.goals.iter().copied().eq(goals(problem, island))
            && self.loops.iter().copied().eq(loops(skeleton, problem, island))
            && self.poles.iter().copied().eq(poles(problem, island))
            && self.pairs.iter().copied().eq(pairs(skeleton, problem, island))
            && self.capsules == self.compared
    }
}

fn goals(problem: &Problem, island: &Island) -> impl Iterator<Item = usize> {
    (0..problem.goals.len()).filter(|&at| island.has(problem.goals[at].effector.joint))
}

fn loops(skeleton: &Skeleton, problem: &Problem, island: &Island) -> impl Iterator<Item = usize> {
    let closed = |at: &usize| {
        let (a, b) = &problem.loops[*at];
        island.has(skeleton.closing_joint(a.joint, b.joint))
    };
    (0..problem.loops.len()).filter(closed)
}

fn poles(problem: &Problem, island: &Island) -> impl Iterator<Item = usize> {
    (0..problem.poles.len()).filter(|&at| island.has(problem.poles[at].joint))
}

fn pairs(skeleton: &Skeleton, problem: &Problem, island: &Island) -> impl Iterator<Item = usize> {
    let pairs = problem.keep_clear.joint_pairs().enumerate();
    pairs.filter(|&(_, (a, b))| island.has(skeleton.closing_joint(a, b))).map(|(at, _)| at)
}

/// Writes the capsules on the island and those that they keep clear of into `out`.
fn list_capsules(skeleton: &Skeleton, problem: &Problem, island: &Island, out: &mut Vec<usize>) {
    let all = problem.keep_clear.capsules.iter().enumerate();
    let own = all.filter(|(_, capsule)| island.has(capsule.joint)).map(|(at, _)| at);
    let paired = pairs(skeleton, problem, island).flat_map(|at| problem.keep_clear.pairs[at]);
    out.clear();
    out.extend(own.chain(paired));
    sort_and_dedup(out);
}

fn sort_and_dedup(numbers: &mut Vec<usize>) {
    numbers.sort_unstable();
    numbers.dedup();
}
