//! Many islands that are chains of equally many links: solved together by the SIMD batch.

use super::batch::{Batch, Lengths, Outcome};
use super::strand::Strand;
use super::{Coordinates, Island, Isometry, Method, Problem, Report, Settings, Skeleton, Stop};
use glam::{DQuat, DVec3, Vec3};

/// Chains of a skeleton that are solved at once. Gathered once; targets may change from solve to solve.
#[derive(Debug)]
pub struct Crowd {
    members: Vec<Member>,
    batch: Batch,
    /// Points of all members, each relative to its base, chain after chain.
    points: Vec<Vec3>,
    lengths: Vec<f32>,
    targets: Vec<Vec3>,
    outcomes: Vec<Outcome>,
    turns: Vec<Vec<DQuat>>,
}

#[derive(Clone, Debug)]
struct Member {
    /// Index of the island among those that the crowd was gathered from.
    island: usize,
    strand: Strand,
}

/// Fewer equal chains than this are not worth a batch.
const LEAST: usize = 16;

impl Crowd {
    /// The crowds among some islands, each with what is asked of it: chains of equally many links with a fixed base and
    /// nothing but a position to reach. Islands in none of them are to be solved one by one.
    pub fn gather<'a>(skeleton: &Skeleton, islands: impl IntoIterator<Item = (&'a Island, &'a Problem)>) -> Vec<Crowd> {
        let mut groups: Vec<Vec<Member>> = Vec::new();
        for (at, (island, problem)) in islands.into_iter().enumerate() {
            let Some(strand) = Strand::of(skeleton, problem, island) else { continue };
            if strand.is_rope() || strand.pole().is_some() {
                continue;
            }
            let member = Member { island: at, strand };
            match groups.iter_mut().find(|group| group[0].strand.len() == member.strand.len()) {
                Some(group) => group.push(member),
                None => groups.push(vec![member]),
            }
        }
        groups.retain(|group| group.len() >= LEAST);
        groups.into_iter().filter_map(Crowd::of).collect()
    }

    fn of(members: Vec<Member>) -> Option<Self> {
        let batch = Batch::new(members[0].strand.len()).ok()?;
        let lengths = members.iter().flat_map(|member| member.strand.lengths()).map(|length| length as f32).collect();
        let count = members.len();
        Some(Crowd {
            points: Vec::new(),
            lengths,
            targets: vec![Vec3::ZERO; count],
            outcomes: vec![Outcome::default(); count],
            turns: vec![Vec::new(); count],
            batch,
            members,
        })
    }

    /// Indices of the islands in it.
    pub fn islands(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|member| member.island)
    }

    /// Whether these settings can be answered by it: the accelerated method, at a tolerance that `f32` can tell.
    pub fn suits(settings: &Settings) -> bool {
        settings.method == Method::Accelerated && settings.tolerance >= 1e-5
    }

    /// Solves all members: `target` gives an island's target, `report` takes its outcome.
    ///
    /// The batch computes in `f32`, relative to each base; lengths stay exact, because only rotations are stored.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        settings: &Settings,
        pose: &mut [Coordinates],
        target: impl Fn(usize) -> Option<DVec3>,
        mut report: impl FnMut(usize, Report),
    ) {
        self.points.clear();
        let mut bases = Vec::with_capacity(self.members.len());
        for (at, member) in self.members.iter().enumerate() {
            let (points, turns) = member.strand.unfold(skeleton, Isometry::IDENTITY, pose);
            let base = points[0];
            self.targets[at] = (target(member.island).unwrap_or(base) - base).as_vec3();
            self.points.extend(points.iter().map(|point| (*point - base).as_vec3()));
            self.turns[at] = turns;
            bases.push(base);
        }
        let lengths = Lengths::Each(&self.lengths);
        let solved = self.batch.solve(lengths, &mut self.points, &self.targets, settings, &mut self.outcomes);
        if solved.is_err() {
            // A target that is not finite in `f32`: nothing was touched, everyone is told.
            return self.islands().for_each(|island| report(island, Report::REFUSED));
        }
        let links = self.batch.links();
        for (at, member) in self.members.iter().enumerate() {
            let own = &self.points[at * (links + 1)..][..links + 1];
            let points: Vec<DVec3> = own.iter().map(|point| bases[at] + point.as_dvec3()).collect();
            member.strand.store(skeleton, Isometry::IDENTITY, &points, &self.turns[at], pose);
            let Outcome { stop, error, iterations } = self.outcomes[at];
            let attempts = u32::from(stop != Stop::Refused);
            let error = f64::from(error);
            report(member.island, Report { stop, error, iterations, polish_steps: 0, attempts });
        }
    }
}
