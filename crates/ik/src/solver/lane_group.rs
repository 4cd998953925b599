//! Lane groups: chains with the same number of links, side by side in the lanes of the SIMD batch. Used by `many` and
//! `chain_groups`.

use crate::model::pose::Coordinates;
use crate::model::report::{Report, Stop};
use crate::model::settings::{Method, Settings};
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::simd::{BadChains, Batch, BatchError, Engine, Lengths, Outcome, Threads};
use crate::tree::chain_island::ChainIsland;
use glam::{DQuat, DVec3, Vec3};

/// Chains that are solved together: pushed, solved, and read one by one. The buffers are kept.
#[derive(Debug)]
pub(crate) struct LaneGroup {
    batch: Batch,
    /// The points of all members, each relative to its base, chain after chain.
    points: Vec<Vec3>,
    lengths: Vec<f32>,
    targets: Vec<Vec3>,
    outcomes: Vec<Outcome>,
    /// For each member, its base and its target in the world.
    ends: Vec<[DVec3; 2]>,
    /// For each member, the distance of its tip from the target before the solve, as a fraction of the reach.
    errors: Vec<f64>,
    rotations: Vec<DQuat>,
    /// The points of one member in the world.
    world_points: Vec<DVec3>,
}

/// Smallest tolerance, as a fraction of the reach, that single precision resolves.
const MIN_TOLERANCE_F32: f64 = 1e-5;

impl LaneGroup {
    /// An empty group for chains with this number of links.
    ///
    /// # Errors
    /// [`BatchError`] if the number of links is zero.
    pub fn new(links: usize, engine: Engine, threads: Threads) -> Result<Self, BatchError> {
        let batch = Batch::new(links)?.with_engine(engine);
        Ok(LaneGroup {
            batch: batch.with_bad_chains(BadChains::Refuse).with_threads(threads),
            points: Vec::new(),
            lengths: Vec::new(),
            targets: Vec::new(),
            outcomes: Vec::new(),
            ends: Vec::new(),
            errors: Vec::new(),
            rotations: Vec::new(),
            world_points: Vec::new(),
        })
    }

    /// Whether the lanes support these settings: the accelerated method, and a tolerance that `f32` resolves.
    pub fn supports(settings: &Settings) -> bool {
        settings.method == Method::Accelerated && settings.tolerance >= MIN_TOLERANCE_F32
    }

    /// Number of links of its chains.
    pub fn links(&self) -> usize {
        self.batch.links()
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.points.clear();
        self.lengths.clear();
        self.targets.clear();
        self.ends.clear();
        self.errors.clear();
        self.rotations.clear();
    }

    /// Adds a chain with this number of links, in its start pose.
    pub fn push(
        &mut self,
        skeleton: &Skeleton,
        chain: &ChainIsland,
        base: Isometry,
        pose: &[Coordinates],
        target: DVec3,
    ) {
        self.world_points.clear();
        chain.append_points(skeleton, base, pose, &mut self.world_points, &mut self.rotations);
        let (root, tip) = (self.world_points[0], self.world_points[self.links()]);
        self.points.extend(self.world_points.iter().map(|point| (*point - root).as_vec3()));
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

    /// Writes the rotations of member number `at` to `pose` and returns its report. The answer is that of
    /// [`crate::chain::Chain::solve`] to 1e-5 of the reach. Lengths are exact, because only rotations are stored; the
    /// error is that of the rotations.
    ///
    /// Returns `None` and leaves the pose if the target is not reached to within the precision of `f32`: solve such a
    /// chain by itself.
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
        self.world_points.clear();
        self.world_points.push(root);
        let (mut point, mut reach) = (root, 0.0);
        let own = &self.points[at * (links + 1)..][..links + 1];
        for (pair, length) in own.windows(2).zip(chain.lengths()) {
            point += (pair[1] - pair[0]).as_dvec3().normalize() * length;
            reach += length;
            self.world_points.push(point);
        }
        let error = point.distance(target) / reach;
        // A link of length zero makes the error NaN.
        if error <= tolerance {
            chain.write_rotations(skeleton, base, &self.world_points, &self.rotations[at * links..][..links], pose);
            return Some(report(error));
        }
        None
    }
}

/// Chains that wait to be solved together, grouped by their number of links.
#[derive(Debug, Default)]
pub(crate) struct LaneGroups {
    pub groups: Vec<LaneGroup>,
    /// For each group, the indices of the problem and the island of its members.
    pub waiting: Vec<Vec<(usize, usize)>>,
}

impl LaneGroups {
    /// The index of the group for chains with this number of links; created on first use.
    pub fn group(&mut self, links: usize, engine: Engine) -> Option<usize> {
        if let Some(present) = self.groups.iter().position(|group| group.links() == links) {
            return Some(present);
        }
        self.groups.push(LaneGroup::new(links, engine, Threads::One).ok()?);
        self.waiting.push(Vec::new());
        Some(self.groups.len() - 1)
    }
}
