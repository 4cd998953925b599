//! Many islands that are chains of equally many links: solved together by the SIMD batch.

use super::lane_group::LaneGroup;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::{Island, Skeleton};
use crate::model::transform::Isometry;
use crate::simd::Threads;
use crate::tree::chain_island::{ChainIsland, ChainIslandSolver};
use glam::DVec3;

/// Chains of a skeleton that are solved at once. Gathered once; targets may change from solve to solve.
#[derive(Debug)]
pub struct ChainGroup {
    members: Vec<Member>,
    group: LaneGroup,
    /// Those that have something to reach for, of all members, with it.
    busy: Vec<(usize, DVec3)>,
}

#[derive(Clone, Debug)]
struct Member {
    /// Index of the island among those that the group was gathered from.
    island: usize,
    solver: ChainIslandSolver,
}

/// Fewer equal chains than this are not worth a batch.
const LEAST: usize = 16;

impl ChainGroup {
    /// The groups among some islands, each with what is asked of it: chains of equally many links with a fixed base and
    /// nothing but a position to reach. Islands in none of them are to be solved one by one.
    pub fn gather<'a>(
        skeleton: &Skeleton,
        islands: impl IntoIterator<Item = (&'a Island, &'a Problem)>,
    ) -> Vec<ChainGroup> {
        let mut groups: Vec<Vec<Member>> = Vec::new();
        for (at, (island, problem)) in islands.into_iter().enumerate() {
            let chain = ChainIsland::of(skeleton, problem, island).filter(ChainIsland::fits_lanes);
            let Some(chain) = chain else { continue };
            let links = chain.len();
            let member = Member { island: at, solver: ChainIslandSolver::new(chain) };
            match groups.iter_mut().find(|group| group[0].solver.chain().len() == links) {
                Some(group) => group.push(member),
                None => groups.push(vec![member]),
            }
        }
        groups.retain(|group| group.len() >= LEAST);
        groups.into_iter().filter_map(ChainGroup::of).collect()
    }

    fn of(members: Vec<Member>) -> Option<Self> {
        let group = LaneGroup::new(members[0].solver.chain().len(), Threads::default()).ok()?;
        Some(ChainGroup { busy: Vec::with_capacity(members.len()), members, group })
    }

    /// Indices of the islands in it.
    pub fn islands(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|member| member.island)
    }

    /// Whether these settings can be answered by it: the accelerated method, at a tolerance that `f32` can tell.
    pub fn suits(settings: &Settings) -> bool {
        LaneGroup::suits(settings)
    }

    /// Solves all members: `target` gives an island's target (without one it rests), `report` takes its outcome.
    ///
    /// The batch computes in `f32`, relative to each base; lengths stay exact, because only rotations are stored.
    /// Members that it cannot fit_rotation to their targets are solved one by one.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        settings: &Settings,
        pose: &mut [Coordinates],
        target: impl Fn(usize) -> Option<DVec3>,
        mut report: impl FnMut(usize, Report),
    ) {
        let base = Isometry::IDENTITY;
        self.group.clear();
        self.busy.clear();
        for (at, member) in self.members.iter().enumerate() {
            let Some(target) = target(member.island) else { continue };
            self.group.push(skeleton, member.solver.chain(), base, pose, target);
            self.busy.push((at, target));
        }
        self.group.solve(settings);
        for (at, &(member, target)) in self.busy.iter().enumerate() {
            let Member { island, solver } = &mut self.members[member];
            let answer = self.group.answer(at, (skeleton, solver.chain(), base), settings.tolerance, pose);
            let answer = answer.unwrap_or_else(|| solver.solve_to(skeleton, base, target, None, settings, pose));
            report(*island, answer);
        }
    }
}
