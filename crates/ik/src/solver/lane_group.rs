//! Strands of equally many links, side by side in the lanes of the SIMD batch.

use crate::model::pose::Coordinates;
use crate::model::report::{Report, Stop};
use crate::model::settings::{Method, Settings};
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::simd::BatchError;
use crate::simd::Lengths;
use crate::simd::{BadChains, Batch, Outcome, Threads};
use crate::tree::chain_island::ChainIsland;
use glam::{DQuat, DVec3, Vec3};

/// Strands that are solved together. Filled, solved, and read off one by one; the room is kept.
#[derive(Debug)]
pub(crate) struct LaneGroup {
    batch: Batch,
    /// Points of all members, each relative to its base, chain after chain.
    points: Vec<Vec3>,
    lengths: Vec<f32>,
    targets: Vec<Vec3>,
    outcomes: Vec<Outcome>,
    /// Of every member: its base and its target in the world.
    ends: Vec<[DVec3; 2]>,
    /// Of every member: how far its end was from the target, as a fraction of the reach.
    errors: Vec<f64>,
    turns: Vec<DQuat>,
    /// Points of one member in the world.
    unfolded: Vec<DVec3>,
}

/// Finest tolerance that single precision can tell.
const FINEST: f64 = 1e-5;

impl LaneGroup {
    /// Room for chains of so many links.
    ///
    /// # Errors
    /// No links.
    pub fn new(links: usize, threads: Threads) -> Result<Self, BatchError> {
        Ok(LaneGroup {
            batch: Batch::new(links)?.with_bad_chains(BadChains::Refuse).with_threads(threads),
            points: Vec::new(),
            lengths: Vec::new(),
            targets: Vec::new(),
            outcomes: Vec::new(),
            ends: Vec::new(),
            errors: Vec::new(),
            turns: Vec::new(),
            unfolded: Vec::new(),
        })
    }

    /// Whether these settings can be answered by it: the accelerated method, at a tolerance that `f32` can tell.
    pub fn suits(settings: &Settings) -> bool {
        settings.method == Method::Accelerated && settings.tolerance >= FINEST
    }

    /// Links of its chains.
    pub fn links(&self) -> usize {
        self.batch.links()
    }

    /// Sends all members away.
    pub fn clear(&mut self) {
        self.points.clear();
        self.lengths.clear();
        self.targets.clear();
        self.ends.clear();
        self.errors.clear();
        self.turns.clear();
    }

    /// Adds a chain of the right number of links, in the pose that it starts from.
    pub fn push(
        &mut self,
        skeleton: &Skeleton,
        chain: &ChainIsland,
        base: Isometry,
        pose: &[Coordinates],
        target: DVec3,
    ) {
        self.unfolded.clear();
        chain.unfold(skeleton, base, pose, &mut self.unfolded, &mut self.turns);
        let (root, tip) = (self.unfolded[0], self.unfolded[self.links()]);
        self.points.extend(self.unfolded.iter().map(|point| (*point - root).as_vec3()));
        self.lengths.extend(chain.lengths().map(|length| length as f32));
        self.targets.push((target - root).as_vec3());
        self.ends.push([root, target]);
        self.errors.push(tip.distance(target) / chain.lengths().sum::<f64>());
    }

    /// Solves all members.
    pub fn solve(&mut self, settings: &Settings) {
        self.outcomes.clear();
        self.outcomes.resize(self.targets.len(), Outcome::default());
        let lengths = Lengths::Each(&self.lengths);
        let solved = self.batch.solve(lengths, &mut self.points, &self.targets, settings, &mut self.outcomes);
        debug_assert!(solved.is_ok(), "members are complete, and bad ones are refused one by one");
    }

    /// The answer for a member, counted as they were pushed, with its rotations written to `pose`: what
    /// [`crate::chain::Chain::solve`] would have found, to 1e-5 of the reach. Lengths are exact, because only rotations are
    /// stored, and the error is that of the rotations.
    ///
    /// None, and the pose untouched, where the target is not reached or single precision cannot tell: such a chain is
    /// to be solved by itself.
    pub fn answer(
        &mut self,
        at: usize,
        (skeleton, chain, base): (&Skeleton, &ChainIsland, Isometry),
        tolerance: f64,
        pose: &mut [Coordinates],
    ) -> Option<Report> {
        let Outcome { stop, iterations, .. } = self.outcomes[at];
        let report = |error| Report { stop: Stop::Reached, error, iterations, refine_steps: 0, attempts: 1 };
        if stop != Stop::Reached {
            return None;
        }
        if iterations == 0 {
            return Some(report(self.errors[at])).filter(|report| report.error <= tolerance);
        }
        let (links, [root, target]) = (self.links(), self.ends[at]);
        self.unfolded.clear();
        self.unfolded.push(root);
        let (mut point, mut reach) = (root, 0.0);
        let own = &self.points[at * (links + 1)..][..links + 1];
        for (pair, length) in own.windows(2).zip(chain.lengths()) {
            point += (pair[1] - pair[0]).as_dvec3().normalize() * length;
            reach += length;
            self.unfolded.push(point);
        }
        let error = point.distance(target) / reach;
        // A link of no direction makes the error NaN.
        if error <= tolerance {
            chain.store(skeleton, base, &self.unfolded, &self.turns[at * links..][..links], pose);
            return Some(report(error));
        }
        None
    }
}

/// Chains that wait to be solved together, by their number of links.
#[derive(Debug, Default)]
pub(crate) struct LaneGroups {
    pub groups: Vec<LaneGroup>,
    /// For each group, the problem and the island of its members.
    pub waiting: Vec<Vec<(usize, usize)>>,
}

impl LaneGroups {
    /// The group for chains of this many links; made on first use.
    pub fn group(&mut self, links: usize) -> Option<usize> {
        if let Some(present) = self.groups.iter().position(|group| group.links() == links) {
            return Some(present);
        }
        self.groups.push(LaneGroup::new(links, Threads::One).ok()?);
        self.waiting.push(Vec::new());
        Some(self.groups.len() - 1)
    }
}
