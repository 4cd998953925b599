//! The batch of arms: checks its input, divides it among threads, and solves one by one what the lanes do not solve.

use super::part::{Part, PartInput, PlacedArm, Starts};
use super::run::ArmCounts;
use crate::model::freedom::Freedom;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Effector;
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::model::target::Target;
use crate::model::transform::Isometry;
use crate::model::unsupported_arm::UnsupportedArm;
use crate::simd::error::BatchError;
use crate::simd::level::Level;
use crate::simd::types::Threads;
use std::sync::Arc;

/// Fewest problems that are worth a thread. At the end of its problems, a thread waits for the lanes with the hardest
/// ones; this many make that wait short in comparison.
#[cfg(feature = "parallel")]
const LEAST_PER_THREAD: usize = 4096;

/// Why a batch of arms fails before it changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmBatchError {
    /// The number of coordinates does not match the number of targets.
    #[error("expected {expected} coordinates ({variables} per target), found {found}")]
    Coordinates {
        /// Targets times variables.
        expected: usize,
        /// Number of variables.
        variables: usize,
        /// Number given.
        found: usize,
    },
    /// The start pose has another number of coordinates than the arm.
    #[error("expected a start pose of {expected} coordinates, found {found}")]
    Start {
        /// Number of variables.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The number of reports does not match the number of targets.
    #[error("expected {expected} reports (one per target), found {found}")]
    Reports {
        /// Number of targets.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// Paths have no rows, or their rows do not divide the targets.
    #[error("{targets} targets are not a number of paths of {rows} rows each; give at least one row per path")]
    Paths {
        /// Number of targets.
        targets: usize,
        /// Rows per path.
        rows: usize,
    },
}

/// Solves many targets of one serial arm, in SIMD lanes; see [Arms](crate::simd#arms).
#[derive(Clone, Debug)]
pub struct ArmBatch {
    arm: PlacedArm,
    threads: Threads,
}

impl ArmBatch {
    /// A batch for the arm of `effector`: the joints that move it, which must be hinges, slides and fixed joints.
    ///
    /// # Errors
    /// [`UnsupportedArm`] names the first joint that does not fit the lanes. [`Solver`](crate::Solver) solves any
    /// skeleton.
    pub fn new(skeleton: impl Into<Arc<Skeleton>>, effector: Effector) -> Result<Self, UnsupportedArm> {
        Ok(ArmBatch { arm: PlacedArm::new(skeleton.into(), effector)?, threads: Threads::default() })
    }

    /// The same batch at this level.
    ///
    /// # Errors
    /// The processor cannot run it.
    pub fn with_level(self, level: Level) -> Result<Self, BatchError> {
        let lanes = self.arm.lanes.with_level(level).ok_or(BatchError::Unavailable(level))?;
        Ok(ArmBatch { arm: PlacedArm { lanes, ..self.arm }, ..self })
    }

    /// The same batch on these threads.
    #[must_use]
    pub fn with_threads(self, threads: Threads) -> Self {
        ArmBatch { threads, ..self }
    }

    /// The same batch with this parent frame of the roots.
    #[must_use]
    pub fn with_base(self, base: Isometry) -> Self {
        ArmBatch { arm: PlacedArm { base, ..self.arm }, ..self }
    }

    /// The same batch with targets that leave this open, for example the turn about the tool's axis. Targets are refused if
    /// the numbers make no sense: a slack below zero, or an axis without direction.
    #[must_use]
    pub fn with_freedom(self, freedom: Freedom) -> Self {
        let lanes = self.arm.lanes.with_freedom(freedom);
        ArmBatch { arm: PlacedArm { lanes, ..self.arm }, ..self }
    }

    /// The threads that the batch runs on.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The level that the batch runs at.
    pub fn level(&self) -> Level {
        self.arm.lanes.level()
    }

    /// The skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.arm.skeleton
    }

    /// The joints whose coordinates are solved for, base first: those that move the effector and follow no other.
    pub fn variables(&self) -> &[usize] {
        &self.arm.lanes.mount.variables
    }

    /// The pose with these coordinates of the [variables](ArmBatch::variables): all other joints at rest, except those
    /// that follow.
    pub fn pose(&self, coordinates: &[f64]) -> Pose {
        let mut pose = self.arm.pose.clone();
        for (&joint, &coordinate) in self.variables().iter().zip(coordinates) {
            pose[joint] = Coordinates::scalar(coordinate);
        }
        self.arm.skeleton.follow(&mut pose);
        pose
    }

    /// Moves the effector to every target. `coordinates` holds one number per target and [variable](ArmBatch::variables)
    /// and receives the answers; `reports` receives one report per target. A target that is not finite, or a start pose
    /// of its own that is not, is refused ([`Stop::Refused`](crate::Stop::Refused)) and its coordinates stay as they are.
    ///
    /// # Errors
    /// The lengths of the slices do not match. Nothing changes then.
    pub fn solve(
        &mut self,
        targets: &[Target],
        starts: Starts<'_>,
        settings: &Settings,
        coordinates: &mut [f64],
        reports: &mut [Report],
    ) -> Result<ArmCounts, ArmBatchError> {
        let rows = self.check(targets, starts, coordinates, reports)?;
        let variables = self.variables().len();
        let mut size = targets.len().max(1);
        #[cfg(feature = "parallel")]
        if self.threads == Threads::All {
            size = size.div_ceil(rayon::current_num_threads()).max(LEAST_PER_THREAD).next_multiple_of(rows);
        }
        size = size.next_multiple_of(rows);
        let arm = &self.arm;
        let solve = |((targets, coordinates), reports)| {
            Part::new(arm, PartInput { targets, starts, rows, settings }, coordinates, reports).solve()
        };
        #[cfg(feature = "parallel")]
        if targets.len() > size {
            use rayon::prelude::*;
            let parts = targets.par_chunks(size).zip(coordinates.par_chunks_mut(size * variables));
            let counts = parts.zip(reports.par_chunks_mut(size)).map(solve);
            return Ok(counts.reduce(ArmCounts::default, ArmCounts::plus));
        }
        let parts = targets.chunks(size).zip(coordinates.chunks_mut(size * variables));
        let counts = parts.zip(reports.chunks_mut(size)).map(solve);
        Ok(counts.fold(ArmCounts::default(), ArmCounts::plus))
    }

    /// Checks the lengths, and returns the number of rows per path.
    fn check(
        &self,
        targets: &[Target],
        starts: Starts<'_>,
        coordinates: &[f64],
        reports: &[Report],
    ) -> Result<usize, ArmBatchError> {
        let (variables, found) = (self.variables().len(), coordinates.len());
        if found != targets.len() * variables {
            return Err(ArmBatchError::Coordinates { expected: targets.len() * variables, variables, found });
        }
        if reports.len() != targets.len() {
            return Err(ArmBatchError::Reports { expected: targets.len(), found: reports.len() });
        }
        if let Starts::Shared(start) | Starts::Paths { start, .. } = starts
            && start.len() != variables
        {
            return Err(ArmBatchError::Start { expected: variables, found: start.len() });
        }
        match starts {
            Starts::Paths { rows, .. } if rows == 0 || !targets.len().is_multiple_of(rows) => {
                Err(ArmBatchError::Paths { targets: targets.len(), rows })
            }
            Starts::Paths { rows, .. } => Ok(rows),
            _ => Ok(1),
        }
    }
}
