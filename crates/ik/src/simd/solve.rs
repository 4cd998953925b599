//! The batch over slices of points.

use super::block::block_len;
use super::blocks::{Blocks, Run};
use super::chains::{Chains, Lengths};
use super::error::BatchError;
use super::level::{Level, Roots};
use super::point::{Point, are_finite, is_length};
use super::reaching::{Bounds, ITERATIONS};
use super::tile;
use super::tile::{Desk, Engine, GROUPS, Orders, Work};
use crate::model::report::{Report, Stop};
use crate::model::settings::{Method, Settings};
use std::sync::{Mutex, PoisonError};

/// Bytes of blocks that are worked on at a time.
const TILE_BYTES: usize = 48 * 1024;
/// Relative tolerance under which `f32` cannot tell, so that all chains are solved in `f64`.
const FINEST: f64 = 2e-6;

/// What happens to a chain with a number that is not finite, or with a length that is not positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadChains {
    /// The whole batch is refused before anything is touched; the error names the chain.
    #[default]
    Fail,
    /// That chain alone is refused ([`Stop::Refused`], its points as they were); the others are solved. For streams.
    Refuse,
}

/// Who computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// The calling thread.
    #[cfg_attr(not(feature = "parallel"), default)]
    One,
    /// All threads of the current rayon pool.
    #[cfg(feature = "parallel")]
    #[default]
    All,
}

/// Outcome of one chain: the short form of a [`Report`].
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Why it stopped.
    pub stop: Stop,
    /// Distance that is left between tip and target, as a fraction of the reach.
    pub error: f32,
    /// Iterations: one backward and one forward reaching pass each.
    pub iterations: u32,
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Outcome { stop: report.stop, error: report.error as f32, iterations: report.iterations }
    }
}

/// Nothing done.
impl Default for Outcome {
    fn default() -> Self {
        Outcome::from(Report::REFUSED)
    }
}

/// Solves many chains of as many links at once; see the [module](super).
#[derive(Debug)]
pub struct Batch {
    links: usize,
    engine: Engine,
    roots: Roots,
    bad_chains: BadChains,
    threads: Threads,
    /// One for each thread.
    desks: Vec<Mutex<Desk>>,
}

impl Batch {
    /// A batch for chains of that many links, at the best level that this processor has.
    pub fn new(links: usize) -> Result<Self, BatchError> {
        if links == 0 {
            return Err(BatchError::NoLinks);
        }
        Ok(Batch {
            links,
            engine: Engine::best(),
            roots: Roots::default(),
            bad_chains: BadChains::default(),
            threads: Threads::default(),
            desks: Vec::new(),
        })
    }

    /// Runs at this level.
    pub fn with_level(self, level: Level) -> Result<Self, BatchError> {
        let engine = Engine::of(level).ok_or(BatchError::Unavailable(level))?;
        Ok(Batch { engine, ..self })
    }

    /// Takes roots in this way.
    #[must_use]
    pub fn with_roots(self, roots: Roots) -> Self {
        Batch { roots, ..self }
    }

    /// Treats bad chains in this way.
    #[must_use]
    pub fn with_bad_chains(self, bad_chains: BadChains) -> Self {
        Batch { bad_chains, ..self }
    }

    /// Computes on these threads.
    #[must_use]
    pub fn with_threads(self, threads: Threads) -> Self {
        Batch { threads, ..self }
    }

    /// Links of every chain.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Who computes.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The level that it runs at.
    pub fn level(&self) -> Level {
        self.engine.level()
    }

    /// Moves the tip of every chain to its target, from the pose that it has in `points`.
    ///
    /// `points` holds `links + 1` points for each chain, base first, chain after chain; there are as many chains as
    /// `targets` and `outcomes`. Points and targets are in one space and of any unit.
    ///
    /// # Errors
    /// Slices that do not fit together; with [`BadChains::Fail`] also the first number that is not finite. Nothing is
    /// touched then.
    pub fn solve<P: Point>(
        &mut self,
        lengths: Lengths<'_>,
        points: &mut [P],
        targets: &[P],
        settings: &Settings,
        outcomes: &mut [Outcome],
    ) -> Result<(), BatchError> {
        self.check(lengths, points, None, targets)?;
        self.check_outcomes(targets.len(), outcomes)?;
        let links = self.links;
        self.dispatch(
            Chains { links, lengths, start: None, points: P::flat_mut(points), targets: P::flat(targets), outcomes },
            settings,
        );
        Ok(())
    }

    /// The same chain to many targets: every solve begins with the pose `start` (`links + 1` points), and `points` is
    /// written only.
    ///
    /// # Errors
    /// As for [`Batch::solve`]; a bad `start` or length is always an error.
    pub fn solve_from<P: Point>(
        &mut self,
        start: &[P],
        lengths: &[f32],
        targets: &[P],
        settings: &Settings,
        points: &mut [P],
        outcomes: &mut [Outcome],
    ) -> Result<(), BatchError> {
        let lengths = Lengths::Shared(lengths);
        self.check(lengths, points, Some(start), targets)?;
        self.check_outcomes(targets.len(), outcomes)?;
        let links = self.links;
        self.dispatch(
            Chains {
                links,
                lengths,
                start: Some(P::flat(start)),
                points: P::flat_mut(points),
                targets: P::flat(targets),
                outcomes,
            },
            settings,
        );
        Ok(())
    }

    /// Brings chains into the lanes, to be solved there by [`Batch::solve_blocks`] again and again. Slices as for
    /// [`Batch::solve`].
    ///
    /// # Errors
    /// As for [`Batch::solve`].
    pub fn blocks<P: Point>(&self, lengths: Lengths<'_>, points: &[P], targets: &[P]) -> Result<Blocks, BatchError> {
        self.check(lengths, points, None, targets)?;
        Ok(Blocks::new(self.links, self.level().width(), lengths, P::flat(points), P::flat(targets)))
    }

    /// Moves the tip of every chain to its target, inside the blocks. The answers are those of [`Batch::solve`].
    ///
    /// # Errors
    /// Blocks of a batch of another level or number of links; outcomes that are not one for each chain.
    pub fn solve_blocks(
        &mut self,
        blocks: &mut Blocks,
        settings: &Settings,
        outcomes: &mut [Outcome],
    ) -> Result<(), BatchError> {
        let (links, width) = (self.links, self.level().width());
        if (blocks.links(), blocks.width()) != (links, width) {
            let (found_links, found_width) = (blocks.links(), blocks.width());
            return Err(BatchError::OtherBlocks { links, width, found_links, found_width });
        }
        self.check_outcomes(blocks.len(), outcomes)?;
        let size = self.tile_chains();
        let numbers = size / width * block_len(links, width);
        let shared = self.is_shared(outcomes.len());
        self.furnish(shared);
        let solve = |(numbers, outcomes)| self.solve_tile(Work::Blocks(Run { links, numbers, outcomes }), settings);
        #[cfg(feature = "parallel")]
        if shared {
            use rayon::prelude::*;
            let tiles = blocks.numbers_mut().par_chunks_mut(numbers);
            tiles.zip(outcomes.par_chunks_mut(size)).for_each(solve);
            return Ok(());
        }
        blocks.numbers_mut().chunks_mut(numbers).zip(outcomes.chunks_mut(size)).for_each(solve);
        Ok(())
    }

    fn check_outcomes(&self, expected: usize, outcomes: &[Outcome]) -> Result<(), BatchError> {
        match outcomes.len() {
            found if found == expected => Ok(()),
            found => Err(BatchError::Outcomes { expected, found }),
        }
    }

    /// Everything that can be wrong with the input.
    fn check<P: Point>(
        &self,
        lengths: Lengths<'_>,
        points: &[P],
        start: Option<&[P]>,
        targets: &[P],
    ) -> Result<(), BatchError> {
        let (links, chains) = (self.links, targets.len());
        if points.len() != chains * (links + 1) {
            return Err(BatchError::Points { expected: chains * (links + 1), found: points.len() });
        }
        let (expected, found) = match lengths {
            Lengths::Shared(lengths) => (links, lengths.len()),
            Lengths::Each(lengths) => (chains * links, lengths.len()),
        };
        if expected != found {
            return Err(BatchError::Lengths { expected, found });
        }
        let bad_length = |lengths: &[f32]| lengths.iter().position(|&length| !is_length(length));
        if let Lengths::Shared(lengths) = lengths
            && let Some(link) = bad_length(lengths)
        {
            return Err(BatchError::BadLength { chain: 0, link });
        }
        if let Some(start) = start {
            if start.len() != links + 1 {
                return Err(BatchError::Points { expected: links + 1, found: start.len() });
            }
            if let Some(point) = first_bad(start) {
                return Err(BatchError::PointNotFinite { chain: 0, point });
            }
        }
        if self.bad_chains == BadChains::Refuse {
            return Ok(());
        }
        if start.is_none()
            && let Some(at) = first_bad(points)
        {
            return Err(BatchError::PointNotFinite { chain: at / (links + 1), point: at % (links + 1) });
        }
        if let Some(chain) = first_bad(targets) {
            return Err(BatchError::TargetNotFinite { chain });
        }
        if let Lengths::Each(lengths) = lengths
            && let Some(at) = bad_length(lengths)
        {
            return Err(BatchError::BadLength { chain: at / links, link: at % links });
        }
        Ok(())
    }

    /// Chains in a tile: as many as fit, in whole groups of blocks for every size of group.
    fn tile_chains(&self) -> usize {
        let width = self.level().width();
        let unit_bytes = GROUPS * block_len(self.links, width) * size_of::<f32>();
        GROUPS * width * (TILE_BYTES / unit_bytes).max(1)
    }

    /// Whether there is work for more than one thread in so many chains.
    #[cfg_attr(not(feature = "parallel"), expect(unused_variables, reason = "one thread does all"))]
    fn is_shared(&self, chains: usize) -> bool {
        match self.threads {
            Threads::One => false,
            #[cfg(feature = "parallel")]
            Threads::All => chains > self.tile_chains(),
        }
    }

    /// Makes sure that every thread that will work has a desk.
    fn furnish(&mut self, shared: bool) {
        let desks = if shared { most_threads() } else { 1 };
        if self.desks.len() < desks {
            self.desks.resize_with(desks, Mutex::default);
        }
    }

    fn dispatch(&mut self, chains: Chains<'_>, settings: &Settings) {
        let size = self.tile_chains();
        let shared = self.is_shared(chains.count());
        self.furnish(shared);
        let Chains { links, lengths, start, points, targets, outcomes } = chains;
        type Slices<'a> = ((&'a mut [f32], &'a [f32]), &'a mut [Outcome]);
        let solve = |(at, ((points, targets), outcomes)): (usize, Slices<'_>)| {
            let lengths = lengths.run(links, at * size, outcomes.len());
            self.solve_tile(Work::Chains(Chains { links, lengths, start, points, targets, outcomes }), settings);
        };
        let stride = 3 * (links + 1);
        #[cfg(feature = "parallel")]
        if shared {
            use rayon::prelude::*;
            let tiles = points.par_chunks_mut(size * stride).zip(targets.par_chunks(3 * size));
            return tiles.zip(outcomes.par_chunks_mut(size)).enumerate().for_each(solve);
        }
        let tiles = points.chunks_mut(size * stride).zip(targets.chunks(3 * size));
        tiles.zip(outcomes.chunks_mut(size)).enumerate().for_each(solve);
    }

    /// One tile, at the desk of the thread that this runs on.
    fn solve_tile(&self, work: Work<'_>, settings: &Settings) {
        let desk = &self.desks[self.desk_here()];
        let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        let suits = self.links >= 3
            && settings.method == Method::Accelerated
            && settings.tolerance >= FINEST
            && settings.max_iterations.get() >= ITERATIONS;
        if suits {
            let bounds = Bounds { tolerance: settings.tolerance as f32, iterations: ITERATIONS };
            return tile::solve(self.engine, work, &mut desk, Orders { roots: self.roots, bounds, settings });
        }
        match work {
            Work::Chains(mut chains) => {
                (0..chains.count()).for_each(|chain| chains.solve_alone(chain, &mut desk.scalar, settings));
            }
            Work::Blocks(run) => run.solve_alone(self.level(), &mut desk.scalar, settings),
        }
    }

    /// Index of this thread's desk.
    fn desk_here(&self) -> usize {
        #[cfg(feature = "parallel")]
        let at = rayon::current_thread_index().unwrap_or(0);
        #[cfg(not(feature = "parallel"))]
        let at = 0;
        if at < self.desks.len() { at } else { 0 }
    }
}

/// Threads that can work at once.
fn most_threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    return 1;
}

/// Index of the first point that is not finite.
fn first_bad<P: Point>(points: &[P]) -> Option<usize> {
    let numbers = P::flat(points);
    if are_finite(numbers) {
        return None;
    }
    numbers.iter().position(|number| !number.is_finite()).map(|at| at / 3)
}
