//! The batch: checks its input, divides it into tiles, and solves these on one or more threads.

use super::block::{BLOCKS_PER_TILE_STEP, Outcome, block_len};
use super::chains::{Chains, Lengths};
use super::error::BatchError;
use super::level::{Engine, Level};
use super::point::{Point, are_finite, is_length};
use super::reaching::ITERATIONS;
use super::tile::{self, Scratch};
use crate::model::{Method, Settings};
use std::sync::{Mutex, PoisonError};

/// Largest size of a tile in bytes, unless the smallest possible tile is larger.
const TILE_BYTES: usize = 48 * 1024;
/// Tolerance, as a fraction of the reach, below which `f32` is too coarse and all chains are solved in `f64`.
const FINEST_TOLERANCE: f64 = 2e-6;

/// What happens to a chain with a coordinate that is not finite, or with a length that is not positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadChains {
    /// The whole batch fails before anything is changed; the error names the chain.
    #[default]
    Fail,
    /// Only that chain is refused ([`Stop::Refused`](crate::Stop::Refused)), and its points stay as they are. The others are solved.
    Refuse,
}

/// The threads that a batch runs on.
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

/// Solves many chains with the same number of links at once; see the [module](super).
#[derive(Debug)]
pub struct Batch {
    links: usize,
    engine: Engine,
    bad_chains: BadChains,
    pub(crate) threads: Threads,
    /// One per thread.
    scratch: Vec<Mutex<Scratch>>,
}

impl Batch {
    /// A batch for chains of `links` links, at the widest level that this processor can run.
    ///
    /// # Errors
    /// No links.
    pub fn new(links: usize) -> Result<Self, BatchError> {
        if links == 0 {
            return Err(BatchError::NoLinks);
        }
        Ok(Batch {
            links,
            engine: Engine::best(),
            bad_chains: BadChains::default(),
            threads: Threads::default(),
            scratch: Vec::new(),
        })
    }

    /// The same batch at this level.
    ///
    /// # Errors
    /// The processor cannot run it.
    pub fn with_level(self, level: Level) -> Result<Self, BatchError> {
        Ok(self.with_engine(Engine::of(level).ok_or(BatchError::Unavailable(level))?))
    }

    pub(crate) fn with_engine(self, engine: Engine) -> Self {
        Batch { engine, ..self }
    }

    /// The same batch with this treatment of bad chains.
    #[must_use]
    pub fn with_bad_chains(self, bad_chains: BadChains) -> Self {
        Batch { bad_chains, ..self }
    }

    /// The same batch on these threads.
    #[must_use]
    pub fn with_threads(self, threads: Threads) -> Self {
        Batch { threads, ..self }
    }

    /// Number of links of every chain.
    pub fn links(&self) -> usize {
        self.links
    }

    /// The level that the batch runs at.
    pub fn level(&self) -> Level {
        self.engine.level()
    }

    /// Moves the tip of every chain to its target, starting from its pose in `points`.
    ///
    /// `points` holds `links + 1` points per chain, base first, chain after chain. `targets` and `outcomes` hold one entry
    /// per chain. Points and targets are in one space and in any unit of length.
    ///
    /// # Errors
    /// The lengths of the slices do not match, or a tolerance is negative or not a number; with [`BadChains::Fail`] also a bad chain. Nothing changes then.
    pub fn solve<P: Point>(
        &mut self,
        lengths: Lengths<'_>,
        points: &mut [P],
        targets: &[P],
        settings: &Settings,
        outcomes: &mut [Outcome],
    ) -> Result<(), BatchError> {
        settings.check()?;
        self.check(lengths, points, targets, outcomes)?;
        let links = self.links;
        self.dispatch(
            Chains { links, lengths, points: P::flat_mut(points), targets: P::flat(targets), outcomes },
            settings,
        );
        Ok(())
    }

    /// Checks the input of a solve.
    fn check<P: Point>(
        &self,
        lengths: Lengths<'_>,
        points: &[P],
        targets: &[P],
        outcomes: &[Outcome],
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
        if outcomes.len() != chains {
            return Err(BatchError::Outcomes { expected: chains, found: outcomes.len() });
        }
        let bad_length = |lengths: &[f32]| lengths.iter().position(|&length| !is_length(length));
        if let Lengths::Shared(lengths) = lengths
            && let Some(link) = bad_length(lengths)
        {
            return Err(BatchError::BadLength { chain: 0, link });
        }
        if self.bad_chains == BadChains::Refuse {
            return Ok(());
        }
        if let Some(at) = first_bad(points) {
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

    /// Number of chains in a tile: as many as fit in multiples of [`BLOCKS_PER_TILE_STEP`] blocks.
    fn tile_chains(&self) -> usize {
        let width = self.level().width();
        let step_bytes = BLOCKS_PER_TILE_STEP * block_len(self.links, width) * size_of::<f32>();
        BLOCKS_PER_TILE_STEP * width * (TILE_BYTES / step_bytes).max(1)
    }

    /// Number of threads for this number of chains: one, unless there is enough work for more.
    #[cfg_attr(not(feature = "parallel"), expect(unused_variables, reason = "there is only one thread"))]
    fn threads_for(&self, chains: usize) -> usize {
        match self.threads {
            #[cfg(feature = "parallel")]
            Threads::All if chains > self.tile_chains() => rayon::current_num_threads(),
            _ => 1,
        }
    }

    /// Divides the chains into tiles and solves these.
    fn dispatch(&mut self, chains: Chains<'_>, settings: &Settings) {
        let size = self.tile_chains();
        let threads = self.threads_for(chains.count());
        if self.scratch.len() < threads {
            self.scratch.resize_with(threads, Mutex::default);
        }
        let Chains { links, lengths, points, targets, outcomes } = chains;
        type Slices<'a> = ((&'a mut [f32], &'a [f32]), &'a mut [Outcome]);
        let solve = |(at, ((points, targets), outcomes)): (usize, Slices<'_>)| {
            let lengths = lengths.run(links, at * size, outcomes.len());
            self.solve_tile(Chains { links, lengths, points, targets, outcomes }, settings);
        };
        let stride = 3 * (links + 1);
        #[cfg(feature = "parallel")]
        if threads > 1 {
            use rayon::prelude::*;
            let tiles = points.par_chunks_mut(size * stride).zip(targets.par_chunks(3 * size));
            return tiles.zip(outcomes.par_chunks_mut(size)).enumerate().for_each(solve);
        }
        let tiles = points.chunks_mut(size * stride).zip(targets.chunks(3 * size));
        tiles.zip(outcomes.chunks_mut(size)).enumerate().for_each(solve);
    }

    /// Solves one tile, with the buffers of the current thread.
    fn solve_tile(&self, mut chains: Chains<'_>, settings: &Settings) {
        let scratch = &self.scratch[self.scratch_index()];
        let mut scratch = scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let suits_lanes = self.links >= 3
            && settings.method == Method::Accelerated
            && settings.tolerance >= FINEST_TOLERANCE
            && settings.max_iterations.get() >= ITERATIONS;
        if suits_lanes {
            return tile::solve(self.engine, chains, &mut scratch, settings);
        }
        (0..chains.count()).for_each(|chain| chains.solve_scalar(chain, &mut scratch.scalar, settings));
    }

    /// Index of the current thread's buffers.
    fn scratch_index(&self) -> usize {
        #[cfg(feature = "parallel")]
        let at = rayon::current_thread_index().unwrap_or(0);
        #[cfg(not(feature = "parallel"))]
        let at = 0;
        if at < self.scratch.len() { at } else { 0 }
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
