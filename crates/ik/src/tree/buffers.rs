//! The buffers of a solve, which islands that are solved one after the other share.

use super::bend::Bend;
use super::chain_island::ChainBuffers;
use super::island::IslandSolver;
use super::lazy::Lazy;
use super::part::PartCase;
use super::passes::Passes;
use super::poles::PoleRefiner;
use super::refine::Refiner;
use super::scratch::Poses;
use super::share::Share;
use super::walk::Walk;
use crate::model::problem::Problem;
use crate::model::skeleton::Skeleton;
use std::mem::swap;

/// The buffers of a solve. They hold nothing from one solve to the next, so one thread needs one set for any number of
/// islands: see [`IslandSolver::with_buffers`].
#[derive(Clone, Debug, Default)]
pub struct SolveBuffers {
    case: Lazy<PartCase>,
    chain: Lazy<ChainBuffers>,
    passes: Lazy<Passes>,
    refiner: Lazy<Refiner>,
    poses: Lazy<Poses>,
    poles: Lazy<PoleRefiner>,
    walk: Lazy<Walk>,
    bend: Lazy<Bend>,
}

impl IslandSolver {
    /// One solver per island, created as the iterator advances. The problem must fit the skeleton.
    pub(crate) fn each(
        skeleton: &Skeleton,
        problem: &Problem,
        buffers: &mut SolveBuffers,
    ) -> impl Iterator<Item = Self> {
        let islands = skeleton.islands(problem.ties());
        let shares = Share::each(skeleton, problem, &islands);
        islands.into_iter().zip(shares).map(move |(island, share)| {
            let mut solver = IslandSolver::unprepared(island);
            solver.with_buffers(buffers, |solver| solver.build(skeleton, problem, share));
            solver
        })
    }

    /// Does `work`, such as a solve, with these buffers in place of its own. A program with thousands of islands thus needs
    /// the memory for the buffers of one. The results are the same, bit by bit.
    pub fn with_buffers<R>(&mut self, buffers: &mut SolveBuffers, work: impl FnOnce(&mut Self) -> R) -> R {
        self.swap_buffers(buffers);
        let result = work(self);
        self.swap_buffers(buffers);
        result
    }

    fn swap_buffers(&mut self, buffers: &mut SolveBuffers) {
        let SolveBuffers { case, chain, passes, refiner, poses, poles, walk, bend } = buffers;
        swap(&mut self.case, case);
        swap(&mut self.chain_buffers, chain);
        swap(&mut self.passes, passes);
        swap(&mut self.refiner, refiner);
        swap(&mut self.poses, poses);
        swap(&mut self.poles, poles);
        swap(&mut self.walk, walk);
        swap(&mut self.bend, bend);
    }
}
