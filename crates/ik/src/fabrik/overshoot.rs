//! The accelerated solve: FABRIK that aims past its target by exactly as much as it would fall short.
//!
//! Take a chain of links with exact lengths whose tip is a small `e` away from the target, as a forward pass leaves it. In a
//! pass, every joint passes on the component of its displacement along its link, which shrinks from link to link by the
//! cosine of the bend `a_i` between them. So the backward pass displaces the base by `|e| C`, where `C` is the product of all
//! cosines, and the forward pass leaves the tip `|e| C C` away from the target, along the last link:
//!
//! ```text
//!   every iteration multiplies the error by  R  =  C^2  =  cos^2 a_1 .. cos^2 a_(n-1)
//! ```
//!
//! `docs/fabrik.md` derives this law, and the test `an_iteration_multiplies_the_error_by_the_squared_cosines` measures it.
//! Near full reach all bends are small, `R` is nearly 1, and textbook FABRIK is slow. But an iteration leaves the tip `R` times
//! its initial distance away from whatever point it aims at. One that aims beyond the target by `x`, along the line from the
//! tip, ends on the target if `R (e + x) = x`:
//!
//! ```text
//!   x  =  e R / (1 - R)
//! ```
//!
//! This cancels the error to first order, like Newton's method. It costs a few multiplications, because the forward pass
//! yields the cosines. The overshoot is limited to half of the last link, or long chains would jump. The limit is divided
//! by 4 after an iteration that increased the error.
//!
//! After four iterations, verified closures (`closure.rs`) remove the remaining error. If none works, the solve starts
//! over from planar arcs, and finally uses three straight segments, which exist for every reachable target.

use super::closed_form::{arc_angle, bend_side, lay_along_arc, leave_line, polar, three_segments};
use super::closure::{Closure, least_turn, one_hinge, scale_chord};
use super::observer::{ObservedPoints, Observer, SolveEvent};
use super::pipelined_passes;
use crate::model::{Report, Stop};
use glam::DVec3;

/// Iterations from the given pose before the closures.
const ITERATIONS: u32 = 4;
/// Iterations from an arc before the closures.
const ITERATIONS_FROM_ARC: u32 = 8;
/// Largest overshoot, as a fraction of the last link.
const LARGEST_OVERSHOOT: f64 = 0.5;
/// Lower bound of `1 - R` in the overshoot.
const LEAST_ERROR_LOSS: f64 = 1e-6;
/// Gauss-Newton steps of the first closure.
const LEAST_TURN_STEPS: u32 = 3;
/// Fraction of the error below which a Gauss-Newton step must leave it.
const LEAST_TURN_PROGRESS: f64 = 0.7;
/// Angles in radians of the arcs that are tried after the arc that suits the distance.
const ARC_ANGLES: [f64; 2] = [6.5, 3.0];

/// The point at which one accelerated iteration aims: beyond the target by what the two passes will fall short.
///
/// `points` (one more than `lengths`) have exact link lengths, as a forward pass leaves them. `damping`, from 0 to 1,
/// scales the limit of half a link; the solver divides it by 4 after an iteration that increased the error, and doubles
/// it after any other. The iteration is [`super::passes::backward`] to this point, then [`super::passes::forward`] to
/// the base.
pub fn overshoot_target(points: &[DVec3], lengths: &[f64], target: DVec3, damping: f64) -> DVec3 {
    if lengths.len() < 2 {
        return target;
    }
    overshoot_target_given(cosines(points, lengths), points, lengths, target, damping)
}

/// Product of the cosines of all bends except the last.
fn cosines(points: &[DVec3], lengths: &[f64]) -> f64 {
    let mut product = 1.0;
    for i in 1..lengths.len() - 1 {
        let (before, after) = (points[i] - points[i - 1], points[i + 1] - points[i]);
        product *= before.dot(after) / (lengths[i - 1] * lengths[i]);
    }
    product
}

/// [`overshoot_target`] for given [`cosines`]. The last link is taken as pointing at the target.
///
/// With `g` the vector from the last joint before the tip to the target, `l` the link before that joint and `C` the
/// product of the cosines, the last cosine is `l . g / (|l| |g|)`. So `R / (1 - R) = a / (b - a)` with
/// `a = (C l . g)^2` and `b = |l|^2 |g|^2`.
fn overshoot_target_given(cosines: f64, points: &[DVec3], lengths: &[f64], target: DVec3, damping: f64) -> DVec3 {
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
    let past = (1.0 - last_of_gap) * (a / f64::max(b - a, LEAST_ERROR_LOSS * b));
    let limit = LARGEST_OVERSHOOT * damping * last_of_gap;
    target + gap * past.max(-limit).min(limit)
}

/// The accelerated solve and its buffers, with the chain in its coordinates: base at the origin, reach between 1 and 2. They
/// are sized once per chain, so that a solve allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainBuffers {
    /// Factor from world units to these coordinates: a power of two, so that scaling causes no rounding.
    scale: f64,
    lengths: Vec<f64>,
    reach: f64,
    target: DVec3,
    /// Largest distance of the tip from the target that counts as reached.
    tolerance: f64,
    pose: Vec<DVec3>,
    trial: Vec<DVec3>,
    /// Distance from the tip to the target.
    error: f64,
    /// Pairs of a backward and a forward pass.
    iterations: u32,
    /// Closures and poses to start over from.
    refine_steps: u32,
}

impl ChainBuffers {
    /// Prepares the buffers for a chain with these link lengths.
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

    /// Moves the tip of `points` to the reachable `target` and keeps the first point in place. All are in world space,
    /// and there are at least three links. Stops once the tip is within `tolerance`, a fraction of the reach. `observer`
    /// gets every event.
    pub fn solve(
        &mut self,
        points: &mut [DVec3],
        target: DVec3,
        pole: Option<DVec3>,
        tolerance: f64,
        max_iterations: u32,
        observer: &mut impl Observer,
    ) -> Report {
        let base = points[0];
        for (ours, world) in self.pose.iter_mut().zip(&*points) {
            *ours = (*world - base) * self.scale;
        }
        (self.target, self.tolerance) = ((target - base) * self.scale, tolerance * self.reach);
        let pole = pole.map(|pole| (pole - base) * self.scale);
        let unscale = 1.0 / self.scale;
        let mut observer = |event: SolveEvent, points: &[DVec3]| {
            observer(event.in_world(base, unscale), ObservedPoints::scaled(points, base, unscale));
        };
        if leave_line(&mut self.pose, &self.lengths, self.reach, self.target, pole) {
            observer(SolveEvent::Bend, &self.pose);
        }
        (self.iterations, self.refine_steps) = (0, 0);
        self.iterate(ITERATIONS.min(max_iterations), &mut observer);
        if !self.is_there() {
            self.close(&mut observer);
        }
        if !self.is_there() {
            self.start_over(pole, max_iterations, &mut observer);
        }
        for (ours, world) in self.pose.iter().zip(points).skip(1) {
            *world = base + *ours * unscale;
        }
        let error = self.error / self.reach;
        let stop = if error <= tolerance { Stop::Reached } else { Stop::Stalled };
        Report { stop, error, iterations: self.iterations, refine_steps: self.refine_steps, attempts: 1 }
    }

    fn is_there(&self) -> bool {
        self.error <= self.tolerance
    }

    /// At most `count` accelerated iterations.
    fn iterate(&mut self, count: u32, observer: &mut impl FnMut(SolveEvent, &[DVec3])) {
        let ChainBuffers { lengths, pose, target, tolerance, .. } = self;
        let (links, target) = (lengths.len(), *target);
        let within = *tolerance * *tolerance;
        let mut damping = 1.0;
        let mut cosines = cosines(pose, lengths);
        let mut squared = pose[links].distance_squared(target);
        for _ in 0..count {
            if squared <= within {
                break;
            }
            let overshot = overshoot_target_given(cosines, pose, lengths, target, damping);
            pipelined_passes::backward(pose, lengths, overshot);
            observer(SolveEvent::Backward { target: overshot }, pose);
            cosines = pipelined_passes::forward(pose, lengths);
            observer(SolveEvent::Forward, pose);
            let last = squared;
            squared = pose[links].distance_squared(target);
            damping = if squared > last { damping / 4.0 } else { f64::min(damping * 2.0, 1.0) };
            self.iterations += 1;
        }
        self.error = squared.sqrt();
    }

    /// The closures in turn, until the tip is within the tolerance.
    fn close(&mut self, observer: &mut impl FnMut(SolveEvent, &[DVec3])) {
        for _ in 0..LEAST_TURN_STEPS {
            if !self.try_closure(least_turn, LEAST_TURN_PROGRESS) {
                break;
            }
            observer(SolveEvent::LeastTurn, &self.pose);
            if self.is_there() {
                return;
            }
        }
        for (closure, event) in [(scale_chord as Closure, SolveEvent::ScaledChord), (one_hinge, SolveEvent::OneHinge)] {
            if self.try_closure(closure, 1.0) {
                observer(event, &self.pose);
                if self.is_there() {
                    return;
                }
            }
        }
    }

    /// Applies one closure, restores the link lengths if needed, and keeps the pose only if less than `ratio` of the error is
    /// left.
    fn try_closure(&mut self, closure: Closure, ratio: f64) -> bool {
        self.refine_steps += 1;
        if !closure(&self.pose, &self.lengths, self.target, &mut self.trial) {
            return false;
        }
        if !self.trial_keeps_lengths() {
            pipelined_passes::forward(&mut self.trial, &self.lengths);
        }
        let error = self.trial[self.lengths.len()].distance(self.target);
        let is_better = error < ratio * self.error;
        if is_better {
            std::mem::swap(&mut self.pose, &mut self.trial);
            self.error = error;
        }
        is_better
    }

    /// Whether all links of the trial pose have their lengths: to 1e-13, or as precisely as coordinates below 2 allow.
    fn trial_keeps_lengths(&self) -> bool {
        self.trial.windows(2).zip(&self.lengths).all(|(pair, &length)| {
            let excess = pair[0].distance_squared(pair[1]) - length * length;
            excess.abs() <= 2.0 * length * (1e-13 * length + 2.0 * f64::EPSILON)
        })
    }

    /// Iterations and closures from planar arcs; finally three straight segments, which always end on the target.
    fn start_over(
        &mut self,
        pole: Option<DVec3>,
        max_iterations: u32,
        observer: &mut impl FnMut(SolveEvent, &[DVec3]),
    ) {
        let (distance, direction) = polar(self.target);
        let axis = direction.unwrap_or_else(|| self.pose[1] / self.lengths[0]);
        let side = bend_side(&self.pose, axis, self.reach, pole);
        for angle in std::iter::once(arc_angle(distance / self.reach)).chain(ARC_ANGLES) {
            lay_along_arc(&mut self.pose, &self.lengths, axis, side, angle);
            self.refine_steps += 1;
            observer(SolveEvent::Curl, &self.pose);
            self.iterate(ITERATIONS_FROM_ARC.min(max_iterations - self.iterations), observer);
            if !self.is_there() {
                self.close(observer);
            }
            if self.is_there() {
                return;
            }
        }
        three_segments(&mut self.pose, &self.lengths, distance, axis, side);
        observer(SolveEvent::ThreeSegments, &self.pose);
        self.refine_steps += 1;
        self.error = self.pose[self.lengths.len()].distance(self.target);
    }
}

/// The power of two that scales a positive number into `1..2`.
fn power_of_two_under_inverse(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52) & 0x7FF;
    f64::from_bits((2046 - exponent.min(2045)) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabrik::{bent_chain, passes};
    use crate::random::Random;

    /// A chain of equal links with moderate bends, and a target somewhat off its tip.
    fn problem(random: &mut Random) -> (Vec<DVec3>, Vec<f64>, DVec3) {
        let lengths = vec![1.0; 3 + random.index(12)];
        let direction = random.direction();
        let points = bent_chain(random, &lengths, direction, 0.6);
        let target = points[lengths.len()] + random.direction() * 1e-5;
        (points, lengths, target)
    }

    #[test]
    fn an_iteration_multiplies_the_error_by_the_squared_cosines() {
        let mut random = Random::new(4);
        for _ in 0..500 {
            let (mut points, lengths, target) = problem(&mut random);
            let links = lengths.len();
            let iterate = |points: &mut [DVec3]| {
                passes::iterate(points, &lengths, target);
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
    fn an_overshot_iteration_leaves_almost_no_error() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let (mut points, lengths, target) = problem(&mut random);
            let before = points[lengths.len()].distance(target);
            let overshot = overshoot_target(&points, &lengths, target, 1.0);
            passes::iterate(&mut points, &lengths, overshot);
            assert!(points[lengths.len()].distance(target) <= 0.02 * before);
        }
    }

    #[test]
    fn chains_are_scaled_by_powers_of_two() {
        for number in [1e-150, 1e-6, 0.7, 1.0, 1.5, 2.0, 3.0, 1e6, 1e150] {
            let scale = power_of_two_under_inverse(number);
            assert!((1.0..2.0).contains(&(number * scale)));
            assert_eq!(scale.to_bits() << 12, 0, "the mantissa is zero");
        }
    }
}
