//! The batch over slices of points.

use super::block::block_len;
use super::chains::{Chains, Lengths};
use super::error::BatchError;
use super::level::{Level, Roots};
use super::point::{Point, are_finite, is_length};
use super::reaching::{Bounds, ITERATIONS};
use super::tile::{self, Desk, Engine, GROUPS, Orders};
use crate::ik::{Method, Report, Settings, Stop};
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
        self.check(lengths, points, None, targets, outcomes)?;
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
        self.check(lengths, points, Some(start), targets, outcomes)?;
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

    /// Everything that can be wrong with the input.
    fn check<P: Point>(
        &self,
        lengths: Lengths<'_>,
        points: &[P],
        start: Option<&[P]>,
        targets: &[P],
        outcomes: &[Outcome],
    ) -> Result<(), BatchError> {
        let (links, chains) = (self.links, targets.len());
        if points.len() != chains * (links + 1) {
            return Err(BatchError::Points { expected: chains * (links + 1), found: points.len() });
        }
        if outcomes.len() != chains {
            return Err(BatchError::Outcomes { expected: chains, found: outcomes.len() });
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

    fn dispatch(&mut self, chains: Chains<'_>, settings: &Settings) {
        match self.threads() {
            Threads::One => self.dispatch_here(chains, settings),
            #[cfg(feature = "parallel")]
            Threads::All if chains.count() <= self.tile_chains() => self.dispatch_here(chains, settings),
            #[cfg(feature = "parallel")]
            Threads::All => self.dispatch_to_all(chains, settings),
        }
    }

    /// Tiles to whichever thread has time.
    #[cfg(feature = "parallel")]
    fn dispatch_to_all(&mut self, chains: Chains<'_>, settings: &Settings) {
        use rayon::prelude::*;
        let size = self.tile_chains();
        let threads = rayon::current_num_threads();
        if self.desks.len() < threads {
            self.desks.resize_with(threads, Mutex::default);
        }
        let this = &*self;
        let Chains { links, lengths, start, points, targets, outcomes } = chains;
        points
            .par_chunks_mut(size * 3 * (links + 1))
            .zip(targets.par_chunks(3 * size))
            .zip(outcomes.par_chunks_mut(size))
            .enumerate()
            .for_each(|(at, ((points, targets), outcomes))| {
                let lengths = lengths.run(links, at * size, outcomes.len());
                let desk = &this.desks[rayon::current_thread_index().unwrap_or(0)];
                let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
                this.solve_tile(&mut desk, Chains { links, lengths, start, points, targets, outcomes }, settings);
            });
    }

    /// Tile by tile on the calling thread.
    fn dispatch_here(&mut self, chains: Chains<'_>, settings: &Settings) {
        if self.desks.is_empty() {
            self.desks.push(Mutex::default());
        }
        let mut desk = self.desks[0].lock().unwrap_or_else(PoisonError::into_inner);
        let size = self.tile_chains();
        let Chains { links, lengths, start, points, targets, outcomes } = chains;
        let points = points.chunks_mut(size * 3 * (links + 1));
        let tiles = points.zip(targets.chunks(3 * size)).zip(outcomes.chunks_mut(size));
        for (at, ((points, targets), outcomes)) in tiles.enumerate() {
            let lengths = lengths.run(links, at * size, outcomes.len());
            self.solve_tile(&mut desk, Chains { links, lengths, start, points, targets, outcomes }, settings);
        }
    }

    fn solve_tile(&self, desk: &mut Desk, mut chains: Chains<'_>, settings: &Settings) {
        let suits = self.links >= 3
            && settings.method == Method::Accelerated
            && settings.tolerance >= FINEST
            && settings.max_iterations.get() >= ITERATIONS;
        if suits {
            let bounds = Bounds { tolerance: settings.tolerance as f32, iterations: ITERATIONS };
            tile::solve(self.engine, &mut chains, desk, Orders { roots: self.roots, bounds, settings });
        } else {
            (0..chains.count()).for_each(|chain| chains.solve_alone(chain, &mut desk.scalar, settings));
        }
    }
}

/// Index of the first point that is not finite.
fn first_bad<P: Point>(points: &[P]) -> Option<usize> {
    let numbers = P::flat(points);
    if are_finite(numbers) {
        return None;
    }
    numbers.iter().position(|number| !number.is_finite()).map(|at| at / 3)
}
