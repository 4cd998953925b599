//! Chains as they are given, and their way into the lanes and back.

use super::block::{Aligned, Block, block_len};
use super::scalar::Scalar;
use super::solve::Outcome;
use super::tile::{GROUP, Work};
use crate::ik::{Settings, Stop};

/// Anything that is three `f32`: `[f32; 3]`, `glam::Vec3`, ...
pub trait Point: Copy + From<[f32; 3]> + Into<[f32; 3]> + Send + Sync {}

impl<T: Copy + From<[f32; 3]> + Into<[f32; 3]> + Send + Sync> Point for T {}

/// Whether all three coordinates are.
pub(super) fn is_finite<P: Point>(point: P) -> bool {
    point.into().iter().all(|x| x.is_finite())
}

/// Whether a link can have this length.
pub(super) fn is_length(length: f32) -> bool {
    length > 0.0 && length.is_finite()
}

/// Link lengths of the chains, base first, in the unit of the points.
#[derive(Clone, Copy, Debug)]
pub enum Lengths<'a> {
    /// All chains are alike: one length for each link.
    Shared(&'a [f32]),
    /// Chain after chain.
    Each(&'a [f32]),
}

impl<'a> Lengths<'a> {
    /// The lengths of one chain.
    fn of(self, chain: usize, links: usize) -> &'a [f32] {
        match self {
            Lengths::Shared(lengths) => lengths,
            Lengths::Each(lengths) => &lengths[chain * links..(chain + 1) * links],
        }
    }

    /// The lengths of a run of chains.
    pub(super) fn run(self, links: usize, first: usize, chains: usize) -> Self {
        match self {
            Lengths::Shared(lengths) => Lengths::Shared(lengths),
            Lengths::Each(lengths) => Lengths::Each(&lengths[first * links..(first + chains) * links]),
        }
    }
}

/// A run of chains.
pub(super) struct Chains<'a, P> {
    pub links: usize,
    pub lengths: Lengths<'a>,
    /// Where every chain starts, if not from its own points.
    pub start: Option<&'a [P]>,
    pub points: &'a mut [P],
    pub targets: &'a [P],
    pub outcomes: &'a mut [Outcome],
}

impl<P: Point> Chains<'_, P> {
    /// The pose from which a chain starts.
    fn pose(&self, chain: usize) -> &[P] {
        match self.start {
            Some(start) => start,
            None => &self.points[chain * (self.links + 1)..(chain + 1) * (self.links + 1)],
        }
    }

    /// All chains into the lanes of a tile, each relative to its base and in units of its reach. `reaches` has one number
    /// for each lane: zero for one that stays idle, because there is no chain for it or a bad one.
    pub fn load<const W: usize>(&self, tile: &mut Aligned, reaches: &mut Vec<f32>) {
        let (links, count) = (self.links, self.targets.len());
        let len = block_len(links, W);
        tile.resize(count.div_ceil(GROUP * W) * GROUP * len);
        reaches.clear();
        let shared = match self.lengths {
            Lengths::Shared(lengths) => Some(lengths.iter().sum::<f32>()),
            Lengths::Each(_) => None,
        };
        for (at, numbers) in tile.as_mut_slice().chunks_exact_mut(len).enumerate() {
            let mut block = Block::<W>::of(numbers, links);
            for lane in 0..W {
                let chain = at * W + lane;
                let reach = if chain < count { self.load_lane(chain, &mut block, lane, shared) } else { 0.0 };
                if reach == 0.0 {
                    block.clear_lane(lane);
                }
                reaches.push(reach);
            }
        }
    }

    /// One chain into a lane; its reach, or zero if it holds something bad.
    #[inline(always)]
    fn load_lane<const W: usize>(
        &self,
        chain: usize,
        block: &mut Block<'_, W>,
        lane: usize,
        shared_reach: Option<f32>,
    ) -> f32 {
        let lengths = self.lengths.of(chain, self.links);
        let pose = self.pose(chain);
        let reach = match shared_reach {
            Some(reach) => reach,
            None if lengths.iter().all(|&length| is_length(length)) => lengths.iter().sum(),
            None => return 0.0,
        };
        let scale = 1.0 / reach;
        let [x, y, z]: [f32; 3] = pose[0].into();
        // The largest bit pattern without its sign tells of infinities and NaN.
        let mut largest = 0;
        let mut put = |rows: &mut [[f32; W]; 3], point: P| {
            let point: [f32; 3] = point.into();
            largest = point.iter().fold(largest, |largest: u32, x| largest.max(x.to_bits() & 0x7FFF_FFFF));
            rows[0][lane] = (point[0] - x) * scale;
            rows[1][lane] = (point[1] - y) * scale;
            rows[2][lane] = (point[2] - z) * scale;
        };
        block.joints.iter_mut().zip(pose).for_each(|(rows, &point)| put(rows, point));
        put(block.target, self.targets[chain]);
        block.lengths.iter_mut().zip(lengths).for_each(|(row, &length)| row[lane] = length * scale);
        if largest < f32::INFINITY.to_bits() { reach } else { 0.0 }
    }

    /// All lanes of a solved tile back to their chains; those that could not be solved there by the scalar path.
    pub fn store<const W: usize>(
        &mut self,
        tile: &mut Aligned,
        reaches: &[f32],
        work: &Work,
        scalar: &mut Scalar,
        settings: &Settings,
    ) {
        let (links, count) = (self.links, self.targets.len());
        let len = block_len(links, W);
        let blocks = tile.as_mut_slice().chunks_exact_mut(len).zip(&work.tallies);
        for (at, (numbers, tally)) in blocks.enumerate() {
            let block = Block::<W>::of(numbers, links);
            for lane in 0..W.min(count.saturating_sub(at * W)) {
                let chain = at * W + lane;
                let bit = 1 << lane;
                if reaches[chain] == 0.0 {
                    self.refuse(chain);
                } else if tally.special & bit != 0 {
                    self.solve_alone(chain, scalar, settings);
                } else {
                    self.outcomes[chain] = Outcome {
                        stop: if tally.far & bit != 0 { Stop::TooFar } else { Stop::Reached },
                        error: work.errors.as_slice()[chain].sqrt(),
                        iterations: work.counts.as_slice()[chain] as u32,
                    };
                    if tally.moved & bit != 0 || self.start.is_some() {
                        self.store_lane(chain, &block, lane, reaches[chain]);
                    }
                }
            }
        }
    }

    /// One lane back to its chain.
    #[inline(always)]
    fn store_lane<const W: usize>(&mut self, chain: usize, block: &Block<'_, W>, lane: usize, reach: f32) {
        let base = self.pose(chain)[0];
        let [x, y, z]: [f32; 3] = base.into();
        let points = &mut self.points[chain * (self.links + 1)..(chain + 1) * (self.links + 1)];
        points[0] = base;
        for (point, rows) in points.iter_mut().zip(block.joints.iter()).skip(1) {
            *point = P::from([x + rows[0][lane] * reach, y + rows[1][lane] * reach, z + rows[2][lane] * reach]);
        }
    }

    /// A chain that cannot be solved.
    fn refuse(&mut self, chain: usize) {
        self.outcomes[chain] = Outcome::default();
        if let Some(start) = self.start {
            self.points[chain * (self.links + 1)..(chain + 1) * (self.links + 1)].copy_from_slice(start);
        }
    }

    /// One chain by the scalar path.
    pub fn solve_alone(&mut self, chain: usize, scalar: &mut Scalar, settings: &Settings) {
        let lengths = self.lengths.of(chain, self.links);
        let target = self.targets[chain];
        let pose = self.pose(chain);
        let is_bad = !pose.iter().chain([&target]).all(|&point| is_finite(point))
            || !lengths.iter().all(|&length| is_length(length));
        if is_bad {
            return self.refuse(chain);
        }
        let report = scalar.solve(pose.iter().map(|&point| point.into()), lengths, target.into(), settings);
        self.outcomes[chain] = Outcome::from(report);
        let points = &mut self.points[chain * (self.links + 1)..(chain + 1) * (self.links + 1)];
        points.iter_mut().zip(scalar.points()).for_each(|(point, solved)| *point = P::from(solved));
    }
}
