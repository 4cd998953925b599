//! Groups of islands that are chains with the same number of links: solved together in SIMD lanes. For programs that
//! schedule islands themselves; [`Solver`](crate::Solver) does the same for many problems.

use super::lane_group::LaneGroup;
use crate::model::islands::Island;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::simd::{Engine, Threads};
use crate::tree::chain_island::{ChainBuffers, ChainIsland};
use crate::tree::share::Share;
use glam::DVec3;

/// Chains of a skeleton that are solved together. Gathered once; targets may change from solve to solve.
#[derive(Debug)]
pub struct ChainGroup {
    members: Vec<Member>,
    group: LaneGroup,
    /// The members that have a target in this solve (indices), and their targets.
    busy: Vec<(usize, DVec3)>,
    buffers: ChainBuffers,
}

#[derive(Clone, Debug)]
struct Member {
    /// Index of the island among those passed to [`ChainGroup::gather`].
    island: usize,
    chain: ChainIsland,
}

/// Smallest number of chains for which a group pays.
const MIN_GROUP_SIZE: usize = 16;

impl ChainGroup {
    /// Groups the islands, each given with its problem, by their number of links. Only chains with a fixed base and a
    /// single position goal are grouped. All other islands must be solved one by one.
    pub fn gather<'a>(
        skeleton: &Skeleton,
        islands: impl IntoIterator<Item = (&'a Island, &'a Problem)>,
    ) -> Vec<ChainGroup> {
        let mut groups: Vec<Vec<Member>> = Vec::new();
        for (at, (island, problem)) in islands.into_iter().enumerate() {
            let chain = ChainIsland::of(skeleton, problem, island, &Share::of(skeleton, problem, island))
                .filter(ChainIsland::fits_lanes);
            let Some(chain) = chain else { continue };
            let links = chain.len();
            let member = Member { island: at, chain };
            match groups.iter_mut().find(|group| group[0].chain.len() == links) {
                Some(group) => group.push(member),
                None => groups.push(vec![member]),
            }
        }
        groups.retain(|group| group.len() >= MIN_GROUP_SIZE);
        groups.into_iter().filter_map(ChainGroup::of).collect()
    }

    fn of(members: Vec<Member>) -> Option<Self> {
        let group = LaneGroup::new(members[0].chain.len(), Engine::best(), Threads::default()).ok()?;
        Some(ChainGroup { busy: Vec::with_capacity(members.len()), members, group, buffers: ChainBuffers::default() })
    }

    /// Indices of the islands in the group.
    pub fn islands(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|member| member.island)
    }

    /// Whether the lanes support these settings: the accelerated method, and a tolerance within single precision.
    pub fn supports(settings: &Settings) -> bool {
        LaneGroup::supports(settings)
    }

    /// Solves all members. `target` returns the target of an island (`None` leaves it as it is), `report` receives its
    /// outcome.
    ///
    /// The lanes compute in `f32`, relative to each base. Lengths stay exact, because only rotations are stored.
    /// Members whose targets the lanes do not reach are solved one by one.
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
            self.group.push(skeleton, &member.chain, base, pose, target);
            self.busy.push((at, target));
        }
        self.group.solve(settings);
        for (at, &(member, target)) in self.busy.iter().enumerate() {
            let Member { island, chain } = &self.members[member];
            let answer = self.group.answer(at, (skeleton, chain, base), settings.tolerance, pose);
            let answer =
                answer.unwrap_or_else(|| self.buffers.solve_to(chain, (skeleton, base), target, None, settings, pose));
            report(*island, answer);
        }
    }
}
