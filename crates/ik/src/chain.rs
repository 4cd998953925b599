//! Unlimited chains: joint positions and link lengths, valid by construction.

use crate::fabrik::observer::{Move, Snapshot};
use crate::fabrik::{closed_form, overshoot, passes, unlock};
use crate::methods;
use crate::model::report::{Report, Stop};
use crate::model::settings::{Method, Settings};
use crate::model::transform::smallest_rotation;
use glam::{DQuat, DVec3};
use overshoot::Workspace;

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
    /// A link so long that its square is not a number any more (about 1e154).
    #[error("link {0} of the chain is too long to compute with")]
    TooLong(usize),
}

/// Rounding that one link may add, as a fraction of the reach, and that of the shortest chain.
const ROUNDING_OF_LINK: f64 = 4.0 * f64::EPSILON;
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Least relative fall of the error in one iteration of textbook FABRIK that counts as progress.
const PROGRESS: f64 = 1e-10;

/// Iterations of textbook FABRIK without progress after which it gives up.
const PATIENCE: u32 = 16;

/// A serial chain of unlimited joints: the fast path of the solver, and FABRIK as the paper prints it.
///
/// Positions are in world units; `points()[0]` is the base, the last point the end effector. Link lengths are those
/// of the points given to [`Chain::new`] and never change. A chain stays valid whatever it is told: numbers that are
/// not finite are not taken in.
#[derive(Clone, Debug)]
pub struct Chain {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
    reach: f64,
    dead_zone: f64,
    base: DVec3,
    pole: Option<DVec3>,
    workspace: Workspace,
}

/// Chains are equal when they look and behave alike: same points, lengths, base and pole.
impl PartialEq for Chain {
    fn eq(&self, other: &Self) -> bool {
        (&self.points, &self.lengths, self.base, self.pole) == (&other.points, &other.lengths, other.base, other.pole)
    }
}

impl Chain {
    /// A chain through these points, the base first: at least two, all finite, no two neighbours alike.
    pub fn new(points: &[DVec3]) -> Result<Self, ChainError> {
        let mut chain = Chain {
            points: Vec::new(),
            lengths: Vec::new(),
            reach: 0.0,
            dead_zone: 0.0,
            base: DVec3::ZERO,
            pole: None,
            workspace: Workspace::default(),
        };
        chain.set_points(points)?;
        Ok(chain)
    }

    /// Makes it the chain through these points, as [`Chain::new`] would, but without allocating where there are not more
    /// of them than before. The pole stays.
    ///
    /// # Errors
    /// As [`Chain::new`]; the chain is then as it was.
    pub fn set_points(&mut self, points: &[DVec3]) -> Result<(), ChainError> {
        check(points)?;
        self.points.clear();
        self.points.extend_from_slice(points);
        self.lengths.clear();
        self.lengths.extend(points.windows(2).map(|pair| pair[0].distance(pair[1])));
        self.reach = self.lengths.iter().sum();
        self.dead_zone = (2.0 * self.lengths[closed_form::longest(&self.lengths)] - self.reach).max(0.0);
        self.base = points[0];
        self.workspace.set_lengths(&self.lengths);
        Ok(())
    }

    /// The chain through these points, without a pole, in the room of another one, if there is one.
    pub(crate) fn renewed<'a>(room: &'a mut Option<Chain>, points: &[DVec3]) -> Result<&'a mut Chain, ChainError> {
        match room {
            Some(chain) => {
                chain.set_points(points)?;
                chain.pole = None;
                Ok(chain)
            }
            None => Ok(room.insert(Chain::new(points)?)),
        }
    }

    /// Joint positions, base first, end effector last.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// How its links have turned since its points were `before` (base first, as [`Chain::points`] gave them): for each link
    /// the least rotation, in the world, from its direction then to its direction now. A bone that lies along the link
    /// and had the world rotation `r` then has `rotation * r` now, without any twist of its own. Where the link points
    /// to the opposite of where it did, any axis across it is as good as another.
    ///
    /// ```
    /// # use glam::{DQuat, DVec3};
    /// # use fabrik3d_ik::{Chain, Settings};
    /// let rest = [DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0];
    /// let mut chain = Chain::new(&rest)?;
    /// let _ = chain.solve(DVec3::new(1.0, 1.0, 0.0), &Settings::default());
    /// let bones: Vec<DQuat> = chain.rotations_from(&rest).collect();
    /// assert!((chain.points()[0] + bones[0] * DVec3::Y).distance(chain.points()[1]) < 1e-12);
    /// # Ok::<(), self::ChainError>(())
    /// ```
    pub fn rotations_from<'a>(&'a self, before: &'a [DVec3]) -> impl Iterator<Item = DQuat> + 'a {
        let directions = |points: &'a [DVec3]| points.windows(2).map(|pair| (pair[1] - pair[0]).normalize_or(DVec3::Z));
        directions(before).zip(directions(&self.points)).map(|(from, to)| smallest_rotation(from, to))
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
        self.reach
    }

    /// Radius of the ball around the base that the end effector cannot enter: zero unless the longest link exceeds
    /// the sum of the others.
    pub fn dead_zone(&self) -> f64 {
        self.dead_zone
    }

    /// Moves the base: the whole chain is carried along, and the next solve starts from there.
    pub fn set_base(&mut self, base: DVec3) {
        if base.is_finite() {
            let shift = base - self.base;
            self.points.iter_mut().for_each(|point| *point += shift);
            self.points[0] = base;
            self.base = base;
        }
    }

    /// Point that the inner joints lean toward when the chain bends from a straight line; world space. No effect when
    /// it lies on the line from base to target.
    pub fn set_pole(&mut self, pole: Option<DVec3>) {
        self.pole = pole.filter(|pole| pole.is_finite());
    }

    /// Backward reaching pass, tip to base: puts the end effector on `target`; the base comes off its place until
    /// [`Chain::reach_forward`] or a solve puts it back.
    pub fn reach_backward(&mut self, target: DVec3) {
        if target.is_finite() {
            passes::backward(&mut self.points, &self.lengths, target);
        }
    }

    /// Forward reaching pass, base to tip: puts the base on `base`, where it stays.
    pub fn reach_forward(&mut self, base: DVec3) {
        if base.is_finite() {
            self.base = base;
            passes::forward(&mut self.points, &self.lengths, base);
        }
    }

    /// Where one iteration of the accelerated solve aims, to be shown: [`Chain::reach_backward`] to this point, then
    /// [`Chain::reach_forward`] to the base, is that iteration. See [`overshoot::overshoot`].
    pub fn overshoot(&self, target: DVec3) -> DVec3 {
        overshoot::overshoot(&self.points, &self.lengths, target, 1.0)
    }

    /// Drags the chain by its tip, like a rope with a free base: one backward pass; the base is where it ends up.
    pub fn drag_tip(&mut self, to: DVec3) {
        self.reach_backward(to);
        self.base = self.points[0];
    }

    /// Drags the chain by its base, like a rope with a free tip: one forward pass.
    pub fn drag_base(&mut self, to: DVec3) {
        self.reach_forward(to);
    }

    /// Moves the end effector to `target` (for an unreachable target: as near as it gets) with the base in place.
    ///
    /// Tolerances finer than rounding (2e-14 of the reach for 10 links) count as that much. [`Stop::TooFar`] and
    /// [`Stop::TooClose`] are decided before anything iterates; a target that misses the reachable shell by less than
    /// the tolerance is still [`Stop::Reached`]. A target that is not finite is refused: [`Stop::Refused`], nothing
    /// moves. Nothing is allocated.
    pub fn solve(&mut self, target: DVec3, settings: &Settings) -> Report {
        self.solve_watched(target, settings, |_, _| {})
    }

    /// [`Chain::solve`], and `watch` hears of every move as it was made: for teaching and comparisons.
    pub fn solve_watched(
        &mut self,
        target: DVec3,
        settings: &Settings,
        mut watch: impl FnMut(Move, Snapshot<'_>),
    ) -> Report {
        if !(target - self.base).is_finite() {
            return Report::REFUSED;
        }
        if self.points[0] != self.base {
            passes::forward(&mut self.points, &self.lengths, self.base);
        }
        match settings.method {
            Method::Accelerated => self.accelerated(target, settings, &mut watch),
            Method::Textbook => self.textbook(target, settings, &mut watch),
            _ => methods::solve_watched(&mut self.points, &self.lengths, target, settings, |points| {
                watch(Move::Iteration, Snapshot::world(points));
            }),
        }
    }

    /// The default: two links by their triangle, more by iterations with an overshoot and exact closures.
    fn accelerated(
        &mut self,
        target: DVec3,
        settings: &Settings,
        watch: &mut impl FnMut(Move, Snapshot<'_>),
    ) -> Report {
        let tolerance = settings.tolerance.max(self.rounding());
        if let Some(report) = self.without_iterating(target, tolerance * self.reach, watch) {
            return report;
        }
        if self.lengths.len() == 2 {
            closed_form::two_links(&mut self.points, &self.lengths, self.base, target, self.pole);
            watch(Move::Triangle, Snapshot::world(&self.points));
            return self.report(Stop::Reached, self.tip().distance(target), 0);
        }
        let cap = settings.max_iterations.get();
        let outcome = self.workspace.solve(&mut self.points, target, self.pole, tolerance, cap, watch);
        Report {
            stop: if outcome.error <= tolerance { Stop::Reached } else { Stop::Stalled },
            error: outcome.error,
            iterations: outcome.iterations,
            refine_steps: outcome.polish_steps,
            attempts: 1,
        }
    }

    /// FABRIK as printed: exact answers for targets out of reach, then the two passes in a loop.
    ///
    /// No pose needs to be remembered as the best one, because the error never grows: the point that a pass places is
    /// as far from the joint it replaces as the one before or nearer (triangle inequality), so the base comes off its
    /// place by no more than the tip was off the target, and the other way round. (A straight chain that has to leave
    /// its line is bent first; that pose counts as the start.)
    fn textbook(&mut self, target: DVec3, settings: &Settings, watch: &mut impl FnMut(Move, Snapshot<'_>)) -> Report {
        let tolerance = settings.tolerance.max(self.rounding()) * self.reach;
        if let Some(report) = self.without_iterating(target, tolerance, watch) {
            return report;
        }
        if unlock::unlock(&mut self.points, &self.lengths, self.reach, target, self.pole) {
            watch(Move::Bend, Snapshot::world(&self.points));
        }
        let mut error = self.tip().distance(target);
        let mut idle = 0;
        for iterations in 0..settings.max_iterations.get() {
            if error <= tolerance {
                return self.report(Stop::Reached, error, iterations);
            }
            if idle == PATIENCE {
                return self.report(Stop::Stalled, error, iterations);
            }
            self.reach_backward(target);
            watch(Move::Backward { aim: target }, Snapshot::world(&self.points));
            self.reach_forward(self.base);
            watch(Move::Forward, Snapshot::world(&self.points));
            let last = error;
            error = self.tip().distance(target);
            idle = if error < last * (1.0 - PROGRESS) { 0 } else { idle + 1 };
        }
        let stop = if error <= tolerance { Stop::Reached } else { Stop::IterationLimit };
        self.report(stop, error, settings.max_iterations.get())
    }

    /// What needs no iteration: a target beyond the reach or inside the dead zone (the chain is stretched or folded
    /// so that its tip is the nearest reachable point), and one that is met already.
    fn without_iterating(
        &mut self,
        target: DVec3,
        tolerance: f64,
        watch: &mut impl FnMut(Move, Snapshot<'_>),
    ) -> Option<Report> {
        let (distance, direction) = closed_form::polar(target - self.base);
        let edge = self.rounding() * self.reach;
        if let Some(direction) = direction.filter(|_| distance >= self.reach - edge) {
            closed_form::stretch(&mut self.points, &self.lengths, self.base, direction);
            watch(Move::Stretch, Snapshot::world(&self.points));
            return Some(self.report_nearest(Stop::TooFar, (distance - self.reach).abs(), tolerance));
        }
        if distance <= self.dead_zone + edge && self.dead_zone > edge {
            let present =
                self.points[closed_form::longest(&self.lengths) + 1] - self.points[closed_form::longest(&self.lengths)];
            let direction = direction.or_else(|| closed_form::polar(self.tip() - self.base).1);
            let direction = direction.unwrap_or_else(|| present.normalize());
            closed_form::fold(&mut self.points, &self.lengths, self.base, direction);
            watch(Move::Fold, Snapshot::world(&self.points));
            return Some(self.report_nearest(Stop::TooClose, (self.dead_zone - distance).abs(), tolerance));
        }
        let error = self.tip().distance(target);
        (error <= tolerance).then(|| self.report(Stop::Reached, error, 0))
    }

    /// Room for rounding, as a fraction of the reach: no tolerance is finer, and a target this near to the edge of
    /// what is reachable counts as lying on it.
    fn rounding(&self) -> f64 {
        ROUNDING + ROUNDING_OF_LINK * self.lengths.len() as f64
    }

    fn report_nearest(&self, stop: Stop, error: f64, tolerance: f64) -> Report {
        self.report(if error <= tolerance { Stop::Reached } else { stop }, error, 0)
    }

    fn report(&self, stop: Stop, error: f64, iterations: u32) -> Report {
        Report { stop, error: error / self.reach, iterations, refine_steps: 0, attempts: 1 }
    }
}

/// Whether a chain goes through these points.
fn check(points: &[DVec3]) -> Result<(), ChainError> {
    if points.len() < 2 {
        return Err(ChainError::TooFewPoints(points.len()));
    }
    if let Some(at) = points.iter().position(|point| !point.is_finite()) {
        return Err(ChainError::NotFinite(at));
    }
    for (at, pair) in points.windows(2).enumerate() {
        let squared = pair[0].distance_squared(pair[1]);
        if squared < f64::MIN_POSITIVE {
            return Err(ChainError::ZeroLength(at));
        }
        if !squared.is_finite() {
            return Err(ChainError::TooLong(at));
        }
    }
    Ok(())
}
