//! Unlimited chains: joint positions and link lengths, valid by construction.

mod textbook;

use crate::fabrik::observer::{ObservedPoints, Observer, SolveEvent};
use crate::fabrik::overshoot::ChainBuffers;
use crate::fabrik::{closed_form, overshoot, passes};
use crate::methods;
use crate::model::{Method, Pole, Report, Settings, Stop, smallest_rotation};
use glam::{DQuat, DVec3};

/// Why a chain cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// Fewer than two points.
    #[error("a chain needs at least two points, not {0}")]
    TooFewPoints(usize),
    /// A coordinate is NaN or infinite.
    #[error("point {0} of the chain is not finite")]
    NotFinite(usize),
    /// Two consecutive points coincide.
    #[error("link {0} of the chain has no length: points {0} and {next} coincide", next = .0 + 1)]
    ZeroLength(usize),
    /// A link whose squared length overflows: longer than about 1e154.
    #[error("link {0} of the chain is too long to compute with")]
    TooLong(usize),
}

/// Rounding error of any chain, as a fraction of the reach.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Rounding error that each link adds, as a fraction of the reach.
const ROUNDING_PER_LINK: f64 = 4.0 * f64::EPSILON;

/// A serial chain of unlimited joints: the fast path of the solver, and FABRIK as the paper prints it.
///
/// Positions are in world space; `points()[0]` is the base, the last point the end effector. The link lengths are those
/// of the points given to [`Chain::new`] and never change. A chain is always valid: methods ignore arguments that are not
/// finite.
#[derive(Clone, Debug)]
pub struct Chain {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
    reach: f64,
    dead_zone: f64,
    base: DVec3,
    pole: Option<Pole>,
    buffers: ChainBuffers,
}

/// Chains are equal if their points, lengths, base and pole are equal.
impl PartialEq for Chain {
    fn eq(&self, other: &Self) -> bool {
        (&self.points, &self.lengths, self.base, self.pole) == (&other.points, &other.lengths, other.base, other.pole)
    }
}

impl Chain {
    /// A chain through these points, base first.
    ///
    /// # Errors
    /// Fewer than two points, a coordinate that is not finite, or a link that is too short or too long.
    pub fn new(points: &[DVec3]) -> Result<Self, ChainError> {
        let mut chain = Chain {
            points: Vec::new(),
            lengths: Vec::new(),
            reach: 0.0,
            dead_zone: 0.0,
            base: DVec3::ZERO,
            pole: None,
            buffers: ChainBuffers::default(),
        };
        chain.set_points(points)?;
        Ok(chain)
    }

    /// Replaces the chain by one through these points, as [`Chain::new`] does, but allocates only if there are more points
    /// than before. The pole stays.
    ///
    /// # Errors
    /// Those of [`Chain::new`]; the chain is then unchanged.
    pub fn set_points(&mut self, points: &[DVec3]) -> Result<(), ChainError> {
        check(points)?;
        points.clone_into(&mut self.points);
        self.lengths.clear();
        self.lengths.extend(points.windows(2).map(|pair| pair[0].distance(pair[1])));
        self.reach = self.lengths.iter().sum();
        self.dead_zone = (2.0 * self.lengths[closed_form::longest(&self.lengths)] - self.reach).max(0.0);
        self.base = points[0];
        self.buffers.set_lengths(&self.lengths);
        Ok(())
    }

    /// A chain through these points, without a pole, that reuses the memory of the chain in `slot`.
    pub(crate) fn new_in<'a>(slot: &'a mut Option<Chain>, points: &[DVec3]) -> Result<&'a mut Chain, ChainError> {
        match slot {
            Some(chain) => {
                chain.set_points(points)?;
                chain.pole = None;
                Ok(chain)
            }
            None => Ok(slot.insert(Chain::new(points)?)),
        }
    }

    /// Joint positions, base first, end effector last.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// For each link, the smallest rotation in world space from its direction in the points `before` to its present
    /// direction.
    ///
    /// `before` are points as [`Chain::points`] returned them. A bone along the link that had the world rotation `r` now has
    /// `rotation * r`, without additional twist. For a link that now points the opposite way, the rotation axis is any axis
    /// perpendicular to it.
    ///
    /// ```
    /// # use glam::{DQuat, DVec3};
    /// # use fabrik3d_ik::{Chain, Settings};
    /// let rest = [DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0];
    /// let mut chain = Chain::new(&rest)?;
    /// let _ = chain.solve(DVec3::new(1.0, 1.0, 0.0), &Settings::default());
    /// let bones: Vec<DQuat> = chain.rotations_from(&rest).collect();
    /// assert!((chain.points()[0] + bones[0] * DVec3::Y).distance(chain.points()[1]) < 1e-12);
    /// # Ok::<(), fabrik3d_ik::errors::ChainError>(())
    /// ```
    pub fn rotations_from<'a>(&'a self, before: &'a [DVec3]) -> impl Iterator<Item = DQuat> + 'a {
        let directions = |points: &'a [DVec3]| points.windows(2).map(|pair| (pair[1] - pair[0]).normalize_or(DVec3::Z));
        directions(before).zip(directions(&self.points)).map(|(from, to)| smallest_rotation(from, to))
    }

    /// Link lengths, base first.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Position of the base.
    pub fn base(&self) -> DVec3 {
        self.base
    }

    /// Position of the end effector.
    pub fn tip(&self) -> DVec3 {
        self.points[self.lengths.len()]
    }

    /// Sum of the link lengths: the largest distance of the end effector from the base.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Radius of the ball around the base that the end effector cannot enter. Zero unless the longest link is longer than
    /// all others together.
    pub fn dead_zone(&self) -> f64 {
        self.dead_zone
    }

    /// Moves the base and the whole chain with it. The next solve starts from there.
    pub fn set_base(&mut self, base: DVec3) {
        if base.is_finite() {
            let shift = base - self.base;
            self.points.iter_mut().for_each(|point| *point += shift);
            self.points[0] = base;
            self.base = base;
        }
    }

    /// Sets the point in world space that one of the joints bends toward; joint `i` is at `points()[i]`. FABRIK ends each
    /// solve with [`Chain::turn_to_pole`]. The other [methods](Method) only bend a straight chain toward it, or ignore it.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use fabrik3d_ik::{Chain, Settings, goals::Pole};
    /// let mut arm = Chain::new(&[DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)])?;
    /// for toward in [DVec3::Y, DVec3::Z, DVec3::NEG_Y, DVec3::NEG_Z] {
    ///     arm.set_pole(Some(Pole { joint: 1, toward }));
    ///     let _ = arm.solve(DVec3::X, &Settings::default());
    ///     let elbow = arm.points()[1];
    ///     assert!((elbow - DVec3::X * 0.5).normalize().distance(toward) < 1e-12);
    /// }
    /// # Ok::<(), fabrik3d_ik::errors::ChainError>(())
    /// ```
    pub fn set_pole(&mut self, pole: Option<Pole>) {
        self.pole = pole.filter(|pole| pole.toward.is_finite());
    }

    /// Turns the chain about the line from base to tip, until the joint of the pole is on the side of that line on which the
    /// pole is. Base and tip stay. Returns whether the chain moved: not if there is no pole, if its joint is the base, the
    /// tip or none of the chain's, or if the joint or the pole is on the line.
    pub fn turn_to_pole(&mut self) -> bool {
        let rounding = self.rounding() * self.reach;
        let Some(pole) = self.inner_pole() else { return false };
        closed_form::turn_to_pole(&mut self.points, &self.lengths, pole.joint, pole.toward, rounding)
    }

    /// The pole, if its joint is between the base and the tip.
    fn inner_pole(&self) -> Option<Pole> {
        self.pole.filter(|pole| (1..self.lengths.len()).contains(&pole.joint))
    }

    /// The point that a straight chain bends toward.
    fn bend_toward(&self) -> Option<DVec3> {
        self.inner_pole().map(|pole| pole.toward)
    }

    /// Backward reaching pass, from tip to base: puts the end effector on `target`. The first point leaves the base until
    /// [`Chain::reach_forward`] or a solve puts it back.
    pub fn reach_backward(&mut self, target: DVec3) {
        if target.is_finite() {
            passes::backward(&mut self.points, &self.lengths, target);
        }
    }

    /// Forward reaching pass, from base to tip: moves the base to `base` for good.
    pub fn reach_forward(&mut self, base: DVec3) {
        if base.is_finite() {
            self.base = base;
            passes::forward(&mut self.points, &self.lengths, base);
        }
    }

    /// The point at which one iteration of the accelerated solve aims. That iteration is [`Chain::reach_backward`] to this
    /// point, then [`Chain::reach_forward`] to the base. See [`overshoot::overshoot_target`].
    pub fn overshoot_target(&self, target: DVec3) -> DVec3 {
        overshoot::overshoot_target(&self.points, &self.lengths, target, 1.0)
    }

    /// Drags the chain by its tip, like a rope with a free base: one backward pass. The base moves with the first point.
    pub fn drag_tip(&mut self, to: DVec3) {
        self.reach_backward(to);
        self.base = self.points[0];
    }

    /// Drags the chain by its base, like a rope with a free tip: one forward pass.
    pub fn drag_base(&mut self, to: DVec3) {
        self.reach_forward(to);
    }

    /// Moves the end effector to `target`, or as near as possible to an unreachable target. The base stays in place.
    ///
    /// The tolerance is at least the rounding error: 2e-14 of the reach for 10 links. FABRIK decides [`Stop::TooFar`] and
    /// [`Stop::TooClose`] before it iterates; a target that misses the reachable shell by less than the tolerance still
    /// gives [`Stop::Reached`]. For a target that is not finite, or a tolerance that is
    /// not a number or negative, nothing moves: [`Stop::Refused`]. FABRIK allocates
    /// nothing.
    pub fn solve(&mut self, target: DVec3, settings: &Settings) -> Report {
        self.solve_observed(target, settings, |_, _| {})
    }

    /// [`Chain::solve`] that reports each event, with the points after it, to `observer`: for lessons and comparisons.
    pub fn solve_observed(
        &mut self,
        target: DVec3,
        settings: &Settings,
        mut observer: impl FnMut(SolveEvent, ObservedPoints<'_>),
    ) -> Report {
        if !(target - self.base).is_finite() || settings.check().is_err() {
            return Report::REFUSED;
        }
        if self.points[0] != self.base {
            passes::forward(&mut self.points, &self.lengths, self.base);
        }
        match settings.method {
            Method::Accelerated => {
                let report = self.accelerated(target, settings, &mut observer);
                if self.turn_to_pole() {
                    observer(SolveEvent::TurnToPole, ObservedPoints::world(&self.points));
                }
                report
            }
            Method::Textbook => self.textbook(target, settings, &mut observer),
            _ => methods::solve_observed(&mut self.points, &self.lengths, target, settings, |points| {
                observer(SolveEvent::Iteration, ObservedPoints::world(points));
            }),
        }
    }

    /// The default method: closed form for two links, iterations with an overshoot and exact closures for more.
    fn accelerated(&mut self, target: DVec3, settings: &Settings, observer: &mut impl Observer) -> Report {
        let tolerance = settings.tolerance.max(self.rounding());
        if let Some(report) = self.without_iterating(target, tolerance * self.reach, observer) {
            return report;
        }
        let pole = self.bend_toward();
        if self.lengths.len() == 2 {
            closed_form::two_links(&mut self.points, &self.lengths, self.base, target, pole);
            observer(SolveEvent::Triangle, ObservedPoints::world(&self.points));
            return self.report(Stop::Reached, self.tip().distance(target), 0);
        }
        let most = settings.max_iterations.get();
        self.buffers.solve(&mut self.points, target, pole, tolerance, most, observer)
    }

    /// Handles what needs no iteration: a target beyond the reach or inside the dead zone, for which the chain is stretched
    /// or folded so that its tip is the nearest reachable point, and a target that is already reached.
    fn without_iterating(&mut self, target: DVec3, tolerance: f64, observer: &mut impl Observer) -> Option<Report> {
        let (distance, direction) = closed_form::polar(target - self.base);
        let edge = self.rounding() * self.reach;
        if let Some(direction) = direction.filter(|_| distance >= self.reach - edge) {
            closed_form::stretch(&mut self.points, &self.lengths, self.base, direction);
            observer(SolveEvent::Stretch, ObservedPoints::world(&self.points));
            return Some(self.report_nearest(Stop::TooFar, (distance - self.reach).abs(), tolerance));
        }
        if distance <= self.dead_zone + edge && self.dead_zone > edge {
            // With a dead zone, the tip is never on the base.
            let direction = direction.or_else(|| closed_form::polar(self.tip() - self.base).1).unwrap_or(DVec3::X);
            closed_form::fold(&mut self.points, &self.lengths, self.base, direction);
            observer(SolveEvent::Fold, ObservedPoints::world(&self.points));
            return Some(self.report_nearest(Stop::TooClose, (self.dead_zone - distance).abs(), tolerance));
        }
        let error = self.tip().distance(target);
        (error <= tolerance).then(|| self.report(Stop::Reached, error, 0))
    }

    /// Rounding error as a fraction of the reach. No tolerance is finer, and a target this close to the boundary of the
    /// reachable shell counts as lying on it.
    fn rounding(&self) -> f64 {
        ROUNDING + ROUNDING_PER_LINK * self.lengths.len() as f64
    }

    fn report_nearest(&self, stop: Stop, error: f64, tolerance: f64) -> Report {
        self.report(if error <= tolerance { Stop::Reached } else { stop }, error, 0)
    }

    fn report(&self, stop: Stop, error: f64, iterations: u32) -> Report {
        Report { stop, error: error / self.reach, iterations, refine_steps: 0, attempts: 1 }
    }
}

/// Whether these points define a chain.
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
