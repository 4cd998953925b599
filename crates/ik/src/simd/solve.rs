//! The batch: checks its input, divides it into tiles, and solves these on one or more threads.

use super::block::{BLOCKS_PER_TILE_STEP, Outcome, block_len};
use super::chains::{Chains, Lengths};
use super::level::{Engine, Level};
use super::point::{Point, flat, flat_mut};
use super::reaching::ITERATIONS;
use super::tile::{self, Scratch};
use crate::model::{Method, Refusal, Report, Settings};
use std::sync::{Mutex, PoisonError};

/// Largest size of a tile in bytes, unless the smallest possible tile is larger.
const TILE_BYTES: usize = 48 * 1024;
/// Tolerance, as a fraction of the reach, below which `f32` is too coarse and all chains are solved in `f64`.
const FINEST_TOLERANCE: f64 = 2e-6;

/// Why a batch fails before it changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] Refusal),
    /// The number of links is zero.
    #[error("a chain needs at least one link")]
    NoLinks,
    /// The processor lacks the instructions of this level.
    #[error("this processor cannot run the batch at level {}", .0.name())]
    Unavailable(Level),
    /// The number of points does not match the number of targets.
    #[error("expected {expected} points (links + 1 per target), found {found}")]
    Points {
        /// Number of targets times (links + 1).
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The number of lengths matches neither one chain nor all of them.
    #[error("expected {expected} link lengths, found {found}")]
    Lengths {
        /// Number of links, times the number of targets unless all chains share their lengths.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The number of outcomes does not match the number of targets.
    #[error("expected {expected} outcomes (one per target), found {found}")]
    Outcomes {
        /// Number of targets.
        expected: usize,
        /// Number given.
        found: usize,
    },
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
    #[cfg_attr(not(feature = "parallel"), allow(dead_code, reason = "there is only one thread"))]
    pub(crate) threads: Threads,
    /// Buffers that no thread uses at the moment: in the end one set per thread.
    free: Mutex<Vec<Scratch>>,
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
        Ok(Batch { links, engine: Engine::best(), threads: Threads::default(), free: Mutex::default() })
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
    /// per chain. Points and targets are in one space and in any unit of length. A chain with a coordinate that is not finite,
    /// or with a length that is not finite and positive, is refused ([`Stop::Refused`](crate::Stop::Refused)): its points stay
    /// as they are, and all others are solved. After an interrupt, chains that have not begun stay as they are too
    /// ([`Stop::Interrupted`](crate::Stop::Interrupted)).
    ///
    /// # Errors
    /// The lengths of the slices do not match, or a tolerance is negative or not a number. Nothing changes then.
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
        self.dispatch(Chains { links, lengths, points: flat_mut(points), targets: flat(targets), outcomes }, settings);
        Ok(())
    }

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
        Ok(())
    }

    /// Number of chains in a tile: as many as fit in multiples of [`BLOCKS_PER_TILE_STEP`] blocks.
    fn tile_chains(&self) -> usize {
        let width = self.level().width();
        let step_bytes = BLOCKS_PER_TILE_STEP * block_len(self.links, width) * size_of::<f32>();
        BLOCKS_PER_TILE_STEP * width * (TILE_BYTES / step_bytes).max(1)
    }

    /// Divides the chains into tiles and solves these.
    fn dispatch(&self, chains: Chains<'_>, settings: &Settings) {
        let size = self.tile_chains();
        let Chains { links, lengths, points, targets, outcomes } = chains;
        type Slices<'a> = ((&'a mut [f32], &'a [f32]), &'a mut [Outcome]);
        let solve = |(at, ((points, targets), outcomes)): (usize, Slices<'_>)| {
            let lengths = lengths.run(links, at * size, outcomes.len());
            self.solve_tile(Chains { links, lengths, points, targets, outcomes }, settings);
        };
        let stride = 3 * (links + 1);
        #[cfg(feature = "parallel")]
        if self.threads == Threads::All && outcomes.len() > size {
            use rayon::prelude::*;
            let tiles = points.par_chunks_mut(size * stride).zip(targets.par_chunks(3 * size));
            return tiles.zip(outcomes.par_chunks_mut(size)).enumerate().for_each(solve);
        }
        let tiles = points.chunks_mut(size * stride).zip(targets.chunks(3 * size));
        tiles.zip(outcomes.chunks_mut(size)).enumerate().for_each(solve);
    }

    /// Solves the chains of a tile. An interrupt leaves tiles out that have not begun.
    fn solve_tile(&self, mut chains: Chains<'_>, settings: &Settings) {
        if settings.interrupt.forbids_start() {
            return chains.outcomes.fill(Outcome::from(Report::NOT_BEGUN));
        }
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = free().pop().unwrap_or_default();
        let suits_lanes = self.links >= 3
            && settings.method == Method::Accelerated
            && settings.tolerance >= FINEST_TOLERANCE
            && settings.max_iterations.get() >= ITERATIONS;
        if suits_lanes {
            tile::solve(self.engine, chains, &mut scratch, settings);
        } else {
            (0..chains.count()).for_each(|chain| chains.solve_scalar(chain, &mut scratch.scalar, settings));
        }
        free().push(scratch);
    }
}
