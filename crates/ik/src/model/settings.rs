//! The settings of a solve: method, tolerances, bounds and seed.

use super::{Part, Reason, Refusal, check_size};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The algorithm that moves effectors to their targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Method {
    /// The default: FABRIK with closed-form overshoot and exact closures on chains; reaching passes, least-squares
    /// refinement and restarts on skeletons.
    #[default]
    Accelerated,
    /// FABRIK as published: backward and forward passes in a loop.
    Textbook,
    /// Cyclic coordinate descent.
    Ccd,
    /// Jacobian transpose.
    JacobianTranspose,
    /// Damped least squares.
    Dls,
    /// Damped least squares with a singular value decomposition that damps only the small singular values.
    SvdDls,
    /// Triangulation: one joint at a time by the law of cosines.
    Triangulation,
    /// Follow the leader: backward passes only; the base is moved back afterwards.
    Ftl,
}

/// Which of several poses that meet the goals is the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Prefer {
    /// The first one found.
    #[default]
    First,
    /// Of all that are found, the one whose largest joint move from the start pose is least.
    Nearest,
}

/// A flag by which another thread or a signal handler ends a solve early. The solver reads it between its steps. Once it is
/// set, every solve ends with the best pose that it has found so far, and with [`Stop::Interrupted`](crate::Stop) if that
/// misses a goal. For a time limit, there is [`Settings::time_limit`].
///
/// ```
/// # use fabrik3d_ik::{Chain, Settings, settings::Interrupt};
/// # use glam::DVec3;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// static ENOUGH: AtomicBool = AtomicBool::new(false);
/// let settings = Settings { interrupt: Interrupt::by(&ENOUGH), ..Settings::default() };
/// // In a signal handler or in another thread:
/// ENOUGH.store(true, Ordering::Relaxed);
/// assert!(settings.interrupt.is_requested());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Interrupt {
    flag: Option<&'static AtomicBool>,
    /// From then on, no solve begins.
    end: Option<Instant>,
    /// From then on, a solve ends as soon as it has taken a step.
    limit: Option<Instant>,
}

impl Interrupt {
    /// No interrupt.
    pub const NONE: Interrupt = Interrupt { flag: None, end: None, limit: None };

    /// An interrupt that is requested by setting this flag.
    pub const fn by(flag: &'static AtomicBool) -> Self {
        Interrupt { flag: Some(flag), ..Interrupt::NONE }
    }

    /// The same interrupt, also requested from this time on. Unlike [`Settings::time_limit`], it is one end for many solves: none
    /// begins after it. One that has begun takes at least one step.
    #[must_use]
    pub fn until(self, end: Instant) -> Self {
        Interrupt { end: earlier(self.end, Some(end)), ..self }
    }

    /// The same interrupt for a solve that begins however late it is: times end it only after its first step. A loop in
    /// which the time of a round may be over at once thus goes on in every round.
    #[must_use]
    pub fn after_a_step(self) -> Self {
        Interrupt { end: None, limit: earlier(self.limit, self.end), ..self }
    }

    /// Whether solves have to end.
    #[inline]
    pub fn is_requested(self) -> bool {
        self.forbids_start() || is_over(self.limit)
    }

    /// Whether a solve must not begin.
    #[inline]
    pub(crate) fn forbids_start(self) -> bool {
        self.is_set() || is_over(self.end)
    }

    /// Whether a solve has to end that has taken this number of steps, or that is in its first one: a flag ends it at
    /// once, a time after a step.
    #[inline]
    pub(crate) fn ends_after(self, steps: u32) -> bool {
        if steps > 0 { self.is_requested() } else { self.is_set() }
    }

    /// The same interrupt without its times.
    pub(crate) fn by_flag_alone(self) -> Self {
        Interrupt { flag: self.flag, ..Interrupt::NONE }
    }

    #[inline]
    fn is_set(self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// The earlier one of two times, if there are any.
fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    a.into_iter().chain(b).min()
}

#[inline]
fn is_over(time: Option<Instant>) -> bool {
    time.is_some_and(|time| Instant::now() >= time)
}

/// The same flag, or none, whatever the times.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        self.flag.map(std::ptr::from_ref) == other.flag.map(std::ptr::from_ref)
    }
}

/// Method, tolerances and bounds of a solve. Write those that differ from the default: settings may be added in later versions.
///
/// ```
/// # use fabrik3d_ik::Settings;
/// let exact = Settings { tolerance: 1e-9, rotation_tolerance: 1e-9, ..Settings::default() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Algorithm.
    pub method: Method,
    /// Largest distance from the target that counts as reached, as a fraction of the effector's size
    /// ([`Effector::size`](crate::Effector::size)): its reach without what slides add.
    pub tolerance: f64,
    /// Largest angle from the requested orientation that counts as reached, radians.
    pub rotation_tolerance: f64,
    /// Largest number of iterations (backward and forward pass) per attempt.
    pub max_iterations: NonZeroU32,
    /// Largest number of start poses tried: 50 by default. Robot arms in SIMD lanes try up to twice as many, in shorter attempts.
    pub max_attempts: NonZeroU32,
    /// Seed of the random restarts; the same seed gives the same bits.
    pub seed: u64,
    /// Which pose is the answer if several meet the goals. Only [`Solver::solve`](crate::Solver::solve) and
    /// [`Solver::solve_many`](crate::Solver::solve_many) look for the nearest one.
    pub prefer: Prefer,
    /// Largest move of a joint in one call of [`Solver::track`](crate::Solver::track), such as its velocity limit times the
    /// time between two calls: radians, or units of length for slides. A target that takes more is missed, with
    /// [`Stop::Limited`](crate::Stop), and the pose is the best one within the bound; the next calls go on from there. They can
    /// end where a joint stands at its limit, although another pose far away meets the target. What brings a pose from
    /// outside its limits to the nearest one inside is not counted.
    pub max_step: Option<f64>,
    /// Whether [`Solver::track`](crate::Solver::track) may leave the last pose: where the one next to it misses the goals, it looks
    /// for a pose elsewhere that meets them or comes far closer, and the joints jump there. Off by default, as a machine needs it: a
    /// target that only another pose reaches is missed. With
    /// [`max_step`](Settings::max_step), nothing jumps either way.
    pub may_jump: bool,
    /// With [`may_jump`](Settings::may_jump), divides the search of [`Solver::track`](crate::Solver::track) among its calls. A call that
    /// meets its target mostly takes one step, for which it solves one system of equations. One that misses its target solves at most
    /// about this number of them where it follows the target, and as many again where it looks for another pose: a
    /// step that limits stop, or that does not come nearer at once, solves several, and is completed. The next call goes on from
    /// there, until `max_attempts` start poses have failed for goals that rest. A figure with stiff joints goes to far
    /// targets step by step: it solves up to 20 times as many on the way, and the next call goes on from where it is then. What must
    /// hold is restored whatever that takes. None by default: each call that may jump searches to the end, which costs up to
    /// thousands of times what a call costs that reaches its target.
    ///
    /// The solver keeps the search. With one solver for many characters, each of them ends the search of the one before, and a
    /// character whose target rests can miss it for good: clone the solver for each one.
    pub steps_per_call: Option<NonZeroU32>,
    /// Ends a solve after this time, with the best pose so far, and with [`Stop::Interrupted`](crate::Stop) if that misses a
    /// goal. Each figure takes at least one step, however short the time: calls that repeat reach their targets all the same.
    /// None by default: this is the one setting by which results depend on a clock. It holds for single solves; tables and
    /// paths ignore it.
    pub time_limit: Option<Duration>,
    /// Ends solves early; none by default. Chains and arms in SIMD lanes, which take little time each, do not read it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub interrupt: Interrupt,
}

impl Settings {
    /// The default settings.
    pub const DEFAULT: Settings = Settings {
        method: Method::Accelerated,
        tolerance: 1e-4,
        rotation_tolerance: 0.1_f64.to_radians(),
        max_iterations: NonZeroU32::new(100).unwrap(),
        max_attempts: NonZeroU32::new(50).unwrap(),
        seed: 1,
        prefer: Prefer::First,
        max_step: None,
        may_jump: false,
        steps_per_call: None,
        time_limit: None,
        interrupt: Interrupt::NONE,
    };

    /// For games, in which characters may jump to another pose and the next call goes on anyway: a call of
    /// [`Solver::track`](crate::Solver::track) that misses does the work of about 8 steps to follow its target, and of 8 in which it
    /// looks for another pose. It counts its work and reads no clock, so that the same calls give the same bits. Such a call costs
    /// 2 to 10 times what one costs that meets its target, and up to 14 times where goals give way to firm ones. Once a missed
    /// target rests and the search has ended, a call costs less than one that meets its target.
    ///
    /// Each character needs a solver of its own, since the solver keeps what the next call goes on with. Begin with
    /// [`Solver::solve`](crate::Solver::solve): the first target is usually far from the first pose.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use fabrik3d_ik::{Effector, Joint, Kind, Settings, Skeleton, Solver};
    /// let skeleton = Skeleton::new(vec![
    ///     Joint::new("hip", None, DVec3::ZERO, Kind::limited_ball(1.2, 0.6)?).along(DVec3::NEG_Y),
    ///     Joint::new("knee", Some(0), DVec3::Z * 0.5, Kind::limited_hinge(DVec3::X, 0.0, 2.4)?),
    /// ])?;
    /// let rest = skeleton.rest_pose();
    /// let foot = Effector::new(1, DVec3::Z * 0.5);
    /// let solver = Solver::new(skeleton).settings(Settings::realtime()).goal(foot, DVec3::ZERO);
    /// let mut legs = vec![(solver, rest); 100];
    /// for frame in 0..60 {
    ///     for (solver, pose) in &mut legs {
    ///         solver.set_target(0, DVec3::new(0.0, -0.8, 0.005 * f64::from(frame)));
    ///         let report = if frame == 0 { solver.solve(pose) } else { solver.track(pose) };
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn realtime() -> Self {
        Settings { may_jump: true, steps_per_call: NonZeroU32::new(8), ..Settings::DEFAULT }
    }

    /// The same with a thousandth of the tolerances, for poses that are compared or follow each other smoothly.
    pub(crate) fn stricter(&self) -> Self {
        const RATIO: f64 = 1e-3;
        let rotation_tolerance = RATIO * self.rotation_tolerance;
        Settings { tolerance: RATIO * self.tolerance, rotation_tolerance, ..*self }
    }

    /// The settings of a solve that begins now.
    pub(crate) fn begun(&self) -> Self {
        let end = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        Settings { interrupt: Interrupt { limit: earlier(self.interrupt.limit, end), ..self.interrupt }, ..*self }
    }

    /// Checks that the tolerances and the largest step are finite, and not negative; the step is not zero.
    ///
    /// # Errors
    /// What a solve would refuse.
    pub fn check(&self) -> Result<(), Refusal> {
        check_size(self.tolerance).map_err(|reason| reason.of(Part::Tolerance))?;
        check_size(self.rotation_tolerance).map_err(|reason| reason.of(Part::RotationTolerance))?;
        match self.max_step {
            Some(0.0) => Err(Reason::NoStep.of(Part::MaxStep)),
            step => step.map_or(Ok(()), check_size).map_err(|reason| reason.of(Part::MaxStep)),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings::DEFAULT
    }
}
