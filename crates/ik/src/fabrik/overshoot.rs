//! The accelerated solve: FABRIK that aims past its target by just as much as it would fall short.
//!
//! # The law of the error
//!
//! Take a chain of links `d_1 .. d_n` with exact lengths and its tip a small `e` away from the target, as a forward pass
//! leaves it, and follow `e` through one iteration.
//!
//! *Backward.* The tip is put on the target: a displacement `e`. Each joint then goes to the point at the right distance
//! from the joint after it, toward where it was. If the joint after it was displaced by a small `x`, and `u` is the
//! direction of the link between, then a joint that stayed would leave the link too long or too short by `u . x`, and
//! going along the link by that much is all that it does: it is displaced by `(u . x) u`. So every joint hands on the
//! part *along its link*, which from link to link shrinks by the cosine of the bend between them:
//!
//! ```text
//!   e along u_n:  |e|  ->  |e| cos a_(n-1)  ->  ...  ->  |e| cos a_(n-1) .. cos a_1  =  |e| C
//! ```
//!
//! where `a_i` is the angle between the links `i` and `i + 1`, and `C` the product of the cosines. The base comes off its
//! place by `|e| C`, along the first link.
//!
//! *Forward.* The base is put back: a displacement of `|e| C`, handed on in the same way to the tip, which thus comes off
//! the target by `|e| C C`, along the last link. Hence
//!
//! ```text
//!   after one forward pass the error lies along the last link, and every further iteration multiplies it by
//!   R  =  C^2  =  cos^2 a_1 .. cos^2 a_(n-1)
//! ```
//!
//! and changes the bends by no more than the error itself, so that `R` is the rate at which textbook FABRIK converges: `k`
//! iterations leave `R^k`. In a curled chain that is next to nothing. Near full reach all bends are small, `R` is about
//! `1 - (a_1^2 + .. + a_(n-1)^2)`, and plain FABRIK crawls: a thousand iterations at 0.999 of the reach.
//! (`an_iteration_multiplies_the_error_by_the_squared_cosines` in the tests below measures it.)
//!
//! # The overshoot
//!
//! Whoever knows `R` need not wait. The tip falls short of whatever it is aimed at by `R` times what it was off that point.
//! Let it be off the target by `e`; aimed beyond the target by `x` along the same line, it is off that aim by `e + x` and
//! ends off it by `R (e + x)`. That it should then be on the target means `R (e + x) = x`:
//!
//! ```text
//!   x  =  e R / (1 - R)
//! ```
//!
//! This cancels the error to first order: Newton's method, at the price of a few multiplications, because the cosines fall
//! out of the forward pass. The overshoot is capped at half of the last link, or long chains would jump; the cap is divided
//! by 4 when an iteration made things worse.
//!
//! `assets/pictures/convergence.png`, drawn by `examples/convergence.rs`, shows both; `fabrik3d bench convergence` prints
//! the numbers.
//!
//! # What is left
//!
//! After four iterations what is left is closed by exact moves (`closure.rs`), each checked; a pose from which none of them
//! works is replaced by a planar curl, and as a last resort by three straight segments, which always end on a reachable
//! target.

use super::closure::{Closure, least_turn, one_hinge, scale_chord};
use super::observer::{Move, Snapshot};
use super::{closed_form, pipelined_passes, unlock};
use glam::DVec3;

/// Iterations before the closures, from the pose that is given.
pub(crate) const ITERATIONS: u32 = 4;

/// Iterations before the closures, from a curl.
const ITERATIONS_FROM_CURL: u32 = 8;

/// Largest overshoot, as a fraction of the last link.
pub(crate) const CAP: f64 = 0.5;

/// Least value of `1 - R`.
pub(crate) const LEAST_LOSS: f64 = 1e-6;

/// Gauss-Newton steps of the first closure, and the fraction of the error that each may leave at most.
pub(crate) const TURNS: u32 = 3;
pub(crate) const TURN_GAIN: f64 = 0.7;

/// Total turns in radians of the curls that are tried after the one that suits the distance.
const CURLS: [f64; 2] = [6.5, 3.0];

/// Where one accelerated iteration aims: beyond the target by what the two passes are going to fall short.
///
/// `points` (one more than `lengths`) have exact link lengths, as a forward pass leaves them; `damping` from 0 to 1
/// scales the cap of half a link (the solver divides it by 4 when an iteration made things worse, and doubles it
/// again when not). One iteration is then [`super::passes::backward`] to this point and [`super::passes::forward`] to
/// the base.
pub fn overshoot(points: &[DVec3], lengths: &[f64], target: DVec3, damping: f64) -> DVec3 {
    if lengths.len() < 2 {
        return target;
    }
    aim(points, lengths, target, damping, cosines(points, lengths))
}

/// Product of the cosines of all bends but the last one.
fn cosines(points: &[DVec3], lengths: &[f64]) -> f64 {
    let mut product = 1.0;
    for i in 1..lengths.len() - 1 {
        let (before, after) = (points[i] - points[i - 1], points[i + 1] - points[i]);
        product *= before.dot(after) / (lengths[i - 1] * lengths[i]);
    }
    product
}

/// [`overshoot`], given the cosines. The last link is taken as it will lie once it points at the target.
///
/// With `g` from the last joint but one to the target, `l` the link before and `C` the cosines' product, the last
/// cosine is `l . g / (|l| |g|)`, so `R / (1 - R) = a / (b - a)` with `a = (C l . g)^2` and `b = |l|^2 |g|^2`.
fn aim(points: &[DVec3], lengths: &[f64], target: DVec3, damping: f64, cosines: f64) -> DVec3 {
    let links = lengths.len();
    let [before, last] = [lengths[links - 2], lengths[links - 1]];
    let gap = target - points[links - 1];
    let squared = gap.length_squared();
    if squared <= (f64::EPSILON * last).powi(2) {
        return target;
    }
    let a = (cosines * gap.dot(points[links - 1] - points[links - 2])).powi(2);
    let b = squared * before * before;
    let last_of_gap = last / squared.sqrt();
    let past = (1.0 - last_of_gap) * (a / f64::max(b - a, LEAST_LOSS * b));
    let cap = CAP * damping * last_of_gap;
    target + gap * past.max(-cap).min(cap)
}

/// What became of a solve; lengths in the units of the [`Workspace`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Distance from the tip to the target.
    pub error: f64,
    /// Backward and forward passes.
    pub iterations: u32,
    /// Closures and curls.
    pub polish_steps: u32,
}

/// A chain as the accelerated solve sees it: the base in the origin, the reach between 1 and 2. Made once for a
/// chain, so that a solve allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// World units times this are ours; a power of two, so that scaling rounds nothing.
    scale: f64,
    lengths: Vec<f64>,
    reach: f64,
    pose: Vec<DVec3>,
    trial: Vec<DVec3>,
}

impl Workspace {
    /// Makes it the room for a chain of these links.
    pub fn set_lengths(&mut self, lengths: &[f64]) {
        self.scale = power_of_two_under_inverse(lengths.iter().sum());
        self.lengths.clear();
        self.lengths.extend(lengths.iter().map(|length| length * self.scale));
        self.reach = self.lengths.iter().sum();
        for points in [&mut self.pose, &mut self.trial] {
            points.clear();
            points.resize(lengths.len() + 1, DVec3::ZERO);
        }
    }

    /// Carries the tip of `points`, whose first stays in place, to the reachable `target`; all in world units, three
    /// links or more. Afterwards the tip is within `tolerance`, a fraction of the reach. `watch` hears of every move.
    pub fn solve(
        &mut self,
        points: &mut [DVec3],
        target: DVec3,
        pole: Option<DVec3>,
        tolerance: f64,
        max_iterations: u32,
        mut watch: impl FnMut(Move, Snapshot<'_>),
    ) -> Outcome {
        let base = points[0];
        for (ours, world) in self.pose.iter_mut().zip(&*points) {
            *ours = (*world - base) * self.scale;
        }
        let target = (target - base) * self.scale;
        let pole = pole.map(|pole| (pole - base) * self.scale);
        let unscale = 1.0 / self.scale;
        let mut watch = |step: Move, points: &[DVec3]| {
            watch(step.in_world(base, unscale), Snapshot::scaled(points, base, unscale));
        };
        let mut outcome = self.search(target, pole, tolerance * self.reach, max_iterations, &mut watch);
        for (ours, world) in self.pose.iter().zip(points).skip(1) {
            *world = base + *ours * unscale;
        }
        outcome.error /= self.reach;
        outcome
    }

    fn search(
        &mut self,
        target: DVec3,
        pole: Option<DVec3>,
        tolerance: f64,
        max_iterations: u32,
        watch: &mut impl FnMut(Move, &[DVec3]),
    ) -> Outcome {
        if unlock::unlock(&mut self.pose, &self.lengths, self.reach, target, pole) {
            watch(Move::Bend, &self.pose);
        }
        let mut outcome = Outcome { error: 0.0, iterations: 0, polish_steps: 0 };
        self.iterate(target, tolerance, ITERATIONS.min(max_iterations), &mut outcome, watch);
        if outcome.error > tolerance {
            self.close(target, tolerance, &mut outcome, watch);
        }
        if outcome.error > tolerance {
            self.start_over(target, pole, tolerance, max_iterations, &mut outcome, watch);
        }
        outcome
    }

    /// At most `count` accelerated iterations.
    fn iterate(
        &mut self,
        target: DVec3,
        tolerance: f64,
        count: u32,
        outcome: &mut Outcome,
        watch: &mut impl FnMut(Move, &[DVec3]),
    ) {
        let Workspace { lengths, pose, .. } = self;
        let links = lengths.len();
        let enough = tolerance * tolerance;
        let mut damping = 1.0;
        let mut cosines = cosines(pose, lengths);
        let mut squared = pose[links].distance_squared(target);
        for _ in 0..count {
            if squared <= enough {
                break;
            }
            let aim = aim(pose, lengths, target, damping, cosines);
            pipelined_passes::backward(pose, lengths, aim);
            watch(Move::Backward { aim }, pose);
            cosines = pipelined_passes::forward(pose, lengths);
            watch(Move::Forward, pose);
            let last = squared;
            squared = pose[links].distance_squared(target);
            damping = if squared > last { damping / 4.0 } else { f64::min(damping * 2.0, 1.0) };
            outcome.iterations += 1;
        }
        outcome.error = squared.sqrt();
    }

    /// The closures in turn, until one of them gets there.
    fn close(&mut self, target: DVec3, tolerance: f64, outcome: &mut Outcome, watch: &mut impl FnMut(Move, &[DVec3])) {
        for _ in 0..TURNS {
            let last = outcome.error;
            if !self.attempt(least_turn, target, TURN_GAIN * last, outcome) {
                break;
            }
            watch(Move::LeastTurn, &self.pose);
            if outcome.error <= tolerance {
                return;
            }
        }
        for (closure, name) in [(scale_chord as Closure, Move::ScaledChord), (one_hinge, Move::OneHinge)] {
            let last = outcome.error;
            if self.attempt(closure, target, last, outcome) {
                watch(name, &self.pose);
                if outcome.error <= tolerance {
                    return;
                }
            }
        }
    }

    /// One closure: link lengths checked and, if need be, restored; the pose kept only if it then leaves less than
    /// `limit` of the error.
    fn attempt(&mut self, closure: Closure, target: DVec3, limit: f64, outcome: &mut Outcome) -> bool {
        outcome.polish_steps += 1;
        if !closure(&self.pose, &self.lengths, target, &mut self.trial) {
            return false;
        }
        if !self.trial_keeps_lengths() {
            pipelined_passes::forward(&mut self.trial, &self.lengths);
        }
        let error = self.trial[self.lengths.len()].distance(target);
        let is_better = error < limit;
        if is_better {
            std::mem::swap(&mut self.pose, &mut self.trial);
            outcome.error = error;
        }
        is_better
    }

    /// Whether all links of the trial have their lengths: to 1e-13, or as exactly as coordinates under 2 can say.
    fn trial_keeps_lengths(&self) -> bool {
        self.trial.windows(2).zip(&self.lengths).all(|(pair, &length)| {
            let excess = pair[0].distance_squared(pair[1]) - length * length;
            excess.abs() <= 2.0 * length * (1e-13 * length + 2.0 * f64::EPSILON)
        })
    }

    /// From planar curls, with iterations and closures; at last the three segments that cannot fail.
    fn start_over(
        &mut self,
        target: DVec3,
        pole: Option<DVec3>,
        tolerance: f64,
        max_iterations: u32,
        outcome: &mut Outcome,
        watch: &mut impl FnMut(Move, &[DVec3]),
    ) {
        let (distance, direction) = closed_form::polar(target);
        let axis = direction.unwrap_or_else(|| self.pose[1] / self.lengths[0]);
        let side = unlock::side(&self.pose, axis, self.reach, pole);
        for turn in std::iter::once(unlock::turn_for(distance / self.reach)).chain(CURLS) {
            unlock::curl(&mut self.pose, &self.lengths, axis, side, turn);
            outcome.polish_steps += 1;
            watch(Move::Curl, &self.pose);
            let count = ITERATIONS_FROM_CURL.min(max_iterations - outcome.iterations);
            self.iterate(target, tolerance, count, outcome, watch);
            if outcome.error > tolerance {
                self.close(target, tolerance, outcome, watch);
            }
            if outcome.error <= tolerance {
                return;
            }
        }
        closed_form::three_segments(&mut self.pose, &self.lengths, distance, axis, side);
        watch(Move::ThreeSegments, &self.pose);
        outcome.polish_steps += 1;
        outcome.error = self.pose[self.lengths.len()].distance(target);
    }
}

/// The power of two that brings a positive number into `1..2`.
fn power_of_two_under_inverse(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52) & 0x7FF;
    f64::from_bits((2046 - exponent.min(2045)) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabrik::passes;
    use crate::random::Random;

    /// A chain of equal links with moderate bends, and a target somewhat off its tip.
    fn problem(random: &mut Random) -> (Vec<DVec3>, Vec<f64>, DVec3) {
        let links = 3 + random.index(12);
        let mut direction = random.direction();
        let mut points = vec![DVec3::ZERO];
        for i in 0..links {
            direction = (direction + random.direction() * 0.6).normalize_or(direction);
            points.push(points[i] + direction);
        }
        let target = points[links] + random.direction() * 1e-5;
        (points, vec![1.0; links], target)
    }

    #[test]
    fn an_iteration_multiplies_the_error_by_the_squared_cosines() {
        let mut random = Random::new(4);
        for _ in 0..500 {
            let (mut points, lengths, target) = problem(&mut random);
            let links = lengths.len();
            let iterate = |points: &mut [DVec3]| {
                passes::backward(points, &lengths, target);
                passes::forward(points, &lengths, DVec3::ZERO);
                points[links].distance(target)
            };
            let before = iterate(&mut points);
            let last = (points[links - 1] - points[links - 2]).dot(points[links] - points[links - 1]);
            let rate = (cosines(&points, &lengths) * last).powi(2);
            let after = iterate(&mut points);
            assert!((after - rate * before).abs() <= 0.01 * before, "{} {rate}", after / before);
        }
    }

    #[test]
    fn an_overshot_iteration_leaves_next_to_nothing() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let (mut points, lengths, target) = problem(&mut random);
            let before = points[lengths.len()].distance(target);
            let aim = overshoot(&points, &lengths, target, 1.0);
            passes::backward(&mut points, &lengths, aim);
            passes::forward(&mut points, &lengths, DVec3::ZERO);
            assert!(points[lengths.len()].distance(target) <= 0.02 * before);
        }
    }

    #[test]
    fn scaling_is_by_powers_of_two() {
        for number in [1e-150, 1e-6, 0.7, 1.0, 1.5, 2.0, 3.0, 1e6, 1e150] {
            let scale = power_of_two_under_inverse(number);
            assert!((1.0..2.0).contains(&(number * scale)));
            assert_eq!(scale.to_bits() << 12, 0, "no mantissa");
        }
    }
}
