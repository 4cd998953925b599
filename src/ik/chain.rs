//! Unlimited chains: joint positions and link lengths, valid by construction.

use super::{Method, Report, Settings, Stop, reach};
use glam::DVec3;

/// Why a chain cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// Fewer than two points.
    #[error("a chain needs at least two points, not {0}")]
    TooFewPoints(usize),
    /// A coordinate is NaN or infinite.
    #[error("point {0} of the chain is not finite")]
    NotFinite(usize),
    /// Two neighbouring points coincide.
    #[error("link {0} of the chain has no length: points {0} and {next} coincide", next = .0 + 1)]
    ZeroLength(usize),
}

/// A serial chain of unlimited joints: the fast path of the solver, and FABRIK as the paper prints it.
///
/// Positions are in world units; `points()[0]` is the base, the last point the end effector. Link lengths are those of
/// the points given to [`Chain::new`] and never change.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
    base: DVec3,
    pole: Option<DVec3>,
}

impl Chain {
    /// A chain through these points, the base first: at least two, all finite, no two neighbours alike.
    pub fn new(points: &[DVec3]) -> Result<Self, ChainError> {
        if points.len() < 2 {
            return Err(ChainError::TooFewPoints(points.len()));
        }
        if let Some(at) = points.iter().position(|point| !point.is_finite()) {
            return Err(ChainError::NotFinite(at));
        }
        let lengths: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        if let Some(at) = lengths.iter().position(|&length| !(length > 0.0 && length.is_finite())) {
            return Err(ChainError::ZeroLength(at));
        }
        Ok(Chain { points: points.to_vec(), lengths, base: points[0], pole: None })
    }

    /// Joint positions, base first, end effector last.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Link lengths, base first.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Where the base is fixed.
    pub fn base(&self) -> DVec3 {
        self.base
    }

    /// The end effector.
    pub fn tip(&self) -> DVec3 {
        self.points[self.lengths.len()]
    }

    /// Sum of the link lengths: the farthest that the end effector gets from the base.
    pub fn reach(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// Radius of the ball around the base that the end effector cannot enter: zero unless the longest link exceeds the
    /// sum of the others.
    pub fn dead_zone(&self) -> f64 {
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        (2.0 * longest - self.reach()).max(0.0)
    }

    /// Moves the base: the next solve starts with the whole chain carried there.
    pub fn set_base(&mut self, base: DVec3) {
        let shift = base - self.base;
        self.points.iter_mut().for_each(|point| *point += shift);
        self.base = base;
    }

    /// Point that the inner joints lean toward when the chain bends from a straight line; world space. No effect when
    /// it lies on the line from base to target.
    pub fn set_pole(&mut self, pole: Option<DVec3>) {
        self.pole = pole;
    }

    /// Backward reaching pass, tip to base: puts the end effector on `target`; the base comes off its place.
    pub fn reach_backward(&mut self, target: DVec3) {
        reach::backward(&mut self.points, &self.lengths, target);
    }

    /// Forward reaching pass, base to tip: puts the base back on `base`.
    pub fn reach_forward(&mut self, base: DVec3) {
        self.base = base;
        reach::forward(&mut self.points, &self.lengths, base);
    }

    /// Moves the end effector to `target` (for an unreachable target: as near as it gets) with the base in place.
    ///
    /// A target that is not finite is refused: [`Stop::Refused`], nothing moves.
    pub fn solve(&mut self, target: DVec3, settings: &Settings) -> Report {
        if !target.is_finite() {
            return Report::REFUSED;
        }
        self.textbook(target, settings)
    }

    /// FABRIK as printed: exact answers for targets out of reach, then the two passes in a loop.
    fn textbook(&mut self, target: DVec3, settings: &Settings) -> Report {
        debug_assert!(settings.method == Method::Textbook || settings.method != Method::Textbook);
        let reach = self.reach();
        let mut iterations = 0;
        let report = |stop, error: f64, iterations| Report {
            stop,
            error: error / reach,
            iterations,
            polish_steps: 0,
            attempts: 1,
        };
        loop {
            let error = self.tip().distance(target);
            if error <= settings.tolerance * reach {
                return report(Stop::Reached, error, iterations);
            }
            if iterations >= settings.max_iterations.get() {
                return report(Stop::IterationLimit, error, iterations);
            }
            self.reach_backward(target);
            self.reach_forward(self.base);
            iterations += 1;
        }
    }
}
