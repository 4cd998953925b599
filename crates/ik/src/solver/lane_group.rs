//! Lane groups: chains with the same number of links, side by side in the lanes of the SIMD batch. Used by `many` and
//! `figures`.

use crate::figure::plain_chain::PlacedChain;
use crate::figure::solver::{Buffers, FigureSolver};
use crate::model::{Coordinates, Method, Problem, Report, Settings, Stop};
use crate::search::Verb;
use crate::search::workspace::Given;
use crate::simd::{Batch, BatchError, Engine, Lengths, Outcome, Threads};
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
    rotations: Vec<DQuat>,
    members: Vec<Member>,
    /// The points of one member in the world.
    world_points: Vec<DVec3>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    /// The indices of its problem and its figure.
    indices: (usize, usize),
    /// Its base and its target in the world.
    ends: [DVec3; 2],
    /// The distance of its tip from the target before the solve, as a fraction of the reach.
    error: f64,
}

/// Smallest tolerance, as a fraction of the reach, that single precision resolves.
const MIN_TOLERANCE_F32: f64 = 1e-5;

impl LaneGroup {
    /// An empty group for chains with this number of links.
    ///
    /// # Errors
    /// [`BatchError`] if the number of links is zero.
    fn new(links: usize, engine: Engine) -> Result<Self, BatchError> {
        Ok(LaneGroup {
            batch: Batch::new(links)?.with_engine(engine),
            points: Vec::new(),
            lengths: Vec::new(),
            targets: Vec::new(),
            outcomes: Vec::new(),
            rotations: Vec::new(),
            members: Vec::new(),
            world_points: Vec::new(),
        })
    }

    /// Whether the lanes support these settings: the accelerated method, and a tolerance that `f32` resolves.
    pub fn supports(settings: &Settings) -> bool {
        settings.method == Method::Accelerated && settings.tolerance >= MIN_TOLERANCE_F32
    }

    /// Number of links of its chains.
    fn links(&self) -> usize {
        self.batch.links()
    }

    /// Removes all members.
    fn clear(&mut self) {
        self.points.clear();
        self.lengths.clear();
        self.targets.clear();
        self.rotations.clear();
        self.members.clear();
    }

    /// Adds a chain with this number of links, in its start pose.
    fn push(&mut self, indices: (usize, usize), placed: &PlacedChain, target: DVec3, pose: &[Coordinates]) {
        let chain = placed.chain;
        self.world_points.clear();
        placed.append_points(pose, &mut self.world_points, &mut self.rotations);
        let (root, tip) = (self.world_points[0], self.world_points[self.links()]);
        self.points.extend(self.world_points.iter().map(|point| (*point - root).as_vec3()));
        self.lengths.extend(chain.lengths().map(|length| length as f32));
        self.targets.push((target - root).as_vec3());
        let error = tip.distance(target) / chain.lengths().sum::<f64>();
        self.members.push(Member { indices, ends: [root, target], error });
    }

    /// Solves all members.
    fn solve(&mut self, settings: &Settings, threads: Threads) {
        self.batch.threads = threads;
        self.outcomes.clear();
        self.outcomes.resize(self.targets.len(), Outcome::default());
        let lengths = Lengths::Each(&self.lengths);
        let solved = self.batch.solve(lengths, &mut self.points, &self.targets, settings, &mut self.outcomes);
        debug_assert!(solved.is_ok(), "members are complete, and bad ones are refused one by one");
    }

    /// Solves member number `at` to the end: writes its rotations to `pose` and returns its report. The answer is that of
    /// [`crate::chain::Chain::solve`] to 1e-5 of the reach. Lengths are exact, because only rotations are stored; the
    /// error is that of the rotations. Where the target is not reached to within the precision of `f32`, the scalar solver
    /// starts from `pose`.
    pub fn finish(
        &mut self,
        at: usize,
        solver: &mut FigureSolver,
        (given, start): (&Given, Verb),
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
    ) -> Report {
        let placed = solver.placed_chain(given.problem.base);
        let tolerance = given.settings.tolerance;
        let answer = placed.and_then(|placed| self.answer(at, &placed, tolerance, pose));
        answer.unwrap_or_else(|| solver.solve(given, start, buffers, pose))
    }

    /// The answer of the lanes; `None`, and `pose` as it was, if they do not reach the target.
    fn answer(&mut self, at: usize, placed: &PlacedChain, tolerance: f64, pose: &mut [Coordinates]) -> Option<Report> {
        let Outcome { stop, iterations, .. } = self.outcomes[at];
        let report = |error| Report { error, iterations, ..Report::AT_REST };
        if stop != Stop::Reached {
            return None;
        }
        if iterations == 0 {
            return Some(report(self.members[at].error)).filter(|report| report.error <= tolerance);
        }
        let (links, [root, target]) = (self.links(), self.members[at].ends);
        self.world_points.clear();
        self.world_points.push(root);
        let (mut point, mut reach) = (root, 0.0);
        let own = &self.points[at * (links + 1)..][..links + 1];
        for (pair, length) in own.windows(2).zip(placed.chain.lengths()) {
            point += (pair[1] - pair[0]).as_dvec3().normalize() * length;
            reach += length;
            self.world_points.push(point);
        }
        let error = point.distance(target) / reach;
        // A link of length zero makes the error NaN.
        if error <= tolerance {
            let (points, rotations) = (&self.world_points, &self.rotations[at * links..][..links]);
            placed.write_rotations(points, rotations, pose);
            return Some(report(error));
        }
        None
    }
}

/// Chains that wait to be solved together, grouped by their number of links.
#[derive(Debug)]
pub(crate) struct LaneGroups {
    /// The instructions of the lanes.
    pub engine: Engine,
    groups: Vec<LaneGroup>,
}

impl LaneGroups {
    /// Groups that are solved with these instructions.
    pub fn new(engine: Engine) -> Self {
        LaneGroups { engine, groups: Vec::new() }
    }

    /// Adds a figure, with the index of its problem and its own. Returns false if it is no chain that fits the lanes.
    pub fn push(
        &mut self,
        indices: (usize, usize),
        solver: &FigureSolver,
        problem: &Problem,
        pose: &[Coordinates],
    ) -> bool {
        let placed = solver.placed_chain(problem.base).filter(|placed| placed.chain.fits_lanes());
        let Some((placed, target)) = placed.and_then(|placed| Some((placed, placed.chain.target(problem)?))) else {
            return false;
        };
        let Some(group) = self.group(placed.chain.len()) else { return false };
        group.push(indices, &placed, target, pose);
        true
    }

    /// Solves all that wait. Calls `finish` with the group and the number in it of each member, and its indices.
    pub fn solve(
        &mut self,
        settings: &Settings,
        threads: Threads,
        mut finish: impl FnMut(&mut LaneGroup, usize, (usize, usize)),
    ) {
        for group in &mut self.groups {
            group.solve(settings, threads);
            (0..group.members.len()).for_each(|member| finish(group, member, group.members[member].indices));
            group.clear();
        }
    }

    /// The group for chains with this number of links; created on first use.
    fn group(&mut self, links: usize) -> Option<&mut LaneGroup> {
        if self.groups.iter().all(|group| group.links() != links) {
            self.groups.push(LaneGroup::new(links, self.engine).ok()?);
        }
        self.groups.iter_mut().find(|group| group.links() == links)
    }
}
