//! Bending straight limbs, for skeletons with stiff joints.
//!
//! A straight leg does not get shorter to first order, so no small step lowers the hips of a figure that stands on straight
//! legs: it would fold at the waist before it bends a knee. Therefore each step is also tried from slightly bent limbs, with
//! the effectors where they are. If the same step then takes clearly less turning, the limbs stay bent. Limits tell the way
//! in which a limb bends: away from the bound at which it is straight. Limits that a recording has widened let a limb bend a
//! little the other way too; then it is straight where its links are in line.

use crate::layout::{ActiveJoint, make_room};
use crate::maths;
use crate::model::{Coordinates, Kind, Settings, Skeleton};
use crate::search::walk::Walk;
use crate::tasks::{Objective, Score};
use crate::tree::refine::{RefineLimits, Refiner};
use glam::DQuat;

/// A limb that is bent by less than this counts as straight, and is bent this far, radians.
const BEND: f64 = 0.15;
/// Smallest range of a joint at which limbs bend, radians.
const MIN_RANGE: f64 = 1.0;
/// A limb is straight where its links are in line, if a bound is about there: nearer than this ratio of its range. Nearer than
/// [`BEND`], the bound itself counts.
const NEAR_RATIO: f64 = 0.3;
/// Limbs stay bent if the step takes less than this ratio of the turning.
const EASIER_RATIO: f64 = 0.95;
/// A limb bends together with the one that bends most if it bends by more than this ratio of it.
const MIN_SHARE: f64 = 0.25;

/// Buffers for bending limbs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bend {
    limbs: Vec<StraightLimb>,
    /// The problem with its targets where the effectors are.
    stay: Walk,
    bent: Vec<Coordinates>,
    moved: Vec<Coordinates>,
}

/// The joint of a limb at the bound of its limits: without stiffness, with a wide range to one side.
#[derive(Clone, Copy, Debug)]
struct StraightLimb {
    active: ActiveJoint,
    /// Which of the two tilts of a ball bends the limb; 0 for hinges.
    axis: usize,
    /// Where the limb is straight: where its links are in line, or the bound of the limits.
    straight: f64,
    /// 1 or -1: the way in which it bends.
    side: f64,
}

impl Bend {
    /// Makes room for the limbs of an objective.
    pub fn reserve(&mut self, objective: &Objective) {
        let joints = objective.skeleton.len();
        make_room(&mut self.limbs, objective.layout.active_joints.len());
        make_room(&mut self.bent, joints);
        make_room(&mut self.moved, joints);
        self.stay.reserve(objective);
    }
}

impl StraightLimb {
    fn of(skeleton: &Skeleton, active: ActiveJoint, pose: &[Coordinates]) -> Option<Self> {
        let joint = &skeleton.joints()[active.joint];
        if joint.stiffness > 0.0 {
            return None;
        }
        let now = pose[active.joint];
        let at_bound = |axis: usize, value: f64, [low, high]: [f64; 2]| {
            let in_line = in_line_value(skeleton, active.joint, axis);
            let near = |bound: f64| {
                let is_near = |value: &f64| (BEND..NEAR_RATIO * (high - low)).contains(&(value - bound).abs());
                in_line.filter(|value| (low..=high).contains(value) && is_near(value)).unwrap_or(bound)
            };
            let limb = |straight, side| Some(StraightLimb { active, axis, straight, side });
            match (near(low), near(high)) {
                _ if high - low < MIN_RANGE => None,
                (straight, _) if value - straight < BEND => limb(straight, 1.0),
                (_, straight) if straight - value < BEND => limb(straight, -1.0),
                _ => None,
            }
        };
        match &joint.kind {
            Kind::Hinge { range: Some(range), .. } => at_bound(0, now.value(), [range.low(), range.high()]),
            Kind::Ball { swing: Some(swing), .. } => {
                let [right, up, left, down] = swing.tilts();
                let [x, y] = now.tilt();
                at_bound(0, x, [-left, right]).or_else(|| at_bound(1, y, [-down, up]))
            }
            _ => None,
        }
    }

    /// How far the limb is bent in a pose, radians.
    fn angle(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> f64 {
        let now = &pose[self.active.joint];
        let value = match skeleton.kind(self.active.joint) {
            Kind::Ball { .. } => now.tilt()[self.axis],
            _ => now.value(),
        };
        self.side * (value - self.straight)
    }

    fn bend(&self, skeleton: &Skeleton, pose: &mut [Coordinates]) {
        let value = self.straight + self.side * BEND;
        let kind = skeleton.kind(self.active.joint);
        let now = &mut pose[self.active.joint];
        *now = match kind {
            Kind::Ball { .. } => {
                let mut tilt = now.tilt();
                tilt[self.axis] = value;
                kind.project(Coordinates::ball(tilt, now.twist()))
            }
            _ => Coordinates::scalar(value),
        };
    }
}

/// The angle of a hinge, or the tilt of a ball along an axis, at which the only link below a joint continues the one above.
fn in_line_value(skeleton: &Skeleton, at: usize, axis: usize) -> Option<f64> {
    let joint = &skeleton.joints()[at];
    let &[child] = skeleton.children(at) else { return None };
    let above = (joint.rest.conjugate() * joint.offset).try_normalize()?;
    let below = skeleton.joints()[child].offset.try_normalize()?;
    match joint.kind {
        Kind::Hinge { axis, .. } => Some(maths::atan2(
            axis.dot(below.cross(above)),
            below.reject_from_normalized(axis).dot(above.reject_from_normalized(axis)),
        )),
        _ => Some(Kind::ball_coordinates(DQuat::from_rotation_arc(below, above)).tilt()[axis]),
    }
}

impl Bend {
    /// Tries the step to the goals from bent limbs. `pose` is the result of the step from the pose `start`, with the score
    /// `straight`. If bent limbs make the step easier, the result from there replaces `pose`, and its score is returned.
    pub fn run(
        &mut self,
        objective: &Objective,
        refiner: &mut Refiner,
        start: &[Coordinates],
        straight: Score,
        pose: &mut [Coordinates],
    ) -> Option<Score> {
        let Objective { skeleton, settings, .. } = *objective;
        self.find_straight(objective, start);
        if self.limbs.is_empty() {
            return None;
        }
        // A step may be no longer than the tolerance: its turning counts only if the targets are met exactly.
        let exact = &Objective { settings: &settings.stricter(), ..*objective };
        let mut turning = f64::INFINITY;
        if straight.reached(settings) {
            pose.clone_into(&mut self.moved);
            refiner.run(exact, RefineLimits::ATTEMPT, &mut self.moved);
            turning = refiner.turning_between(objective, start, &self.moved);
        }
        while !self.limbs.is_empty() {
            let Some((score, bent_turning)) = self.step_from_bent(exact, settings, refiner, start) else {
                break;
            };
            let growth = |limb: &StraightLimb| limb.angle(skeleton, &self.moved) - limb.angle(skeleton, &self.bent);
            let most = self.limbs.iter().map(growth).fold(0.0, f64::max);
            let before = self.limbs.len();
            self.limbs.retain(|limb| growth(limb) > MIN_SHARE * most);
            if self.limbs.len() < before {
                // The others stay straight: try again without them.
                continue;
            }
            if bent_turning >= EASIER_RATIO * turning {
                break;
            }
            pose.copy_from_slice(&self.moved);
            return Some(score);
        }
        refiner.evaluation.evaluate(objective, pose);
        None
    }

    /// Holds the joints at which limbs are straight in `pose`. Returns whether there are any.
    pub fn hold_straight(&mut self, objective: &Objective, pose: &[Coordinates], refiner: &mut Refiner) -> bool {
        self.find_straight(objective, pose);
        refiner.held.extend(self.limbs.iter().flat_map(|limb| limb.active.columns(objective.skeleton)));
        !self.limbs.is_empty()
    }

    fn find_straight(&mut self, objective: &Objective, pose: &[Coordinates]) {
        self.limbs.clear();
        let straight_limb = |active: &ActiveJoint| StraightLimb::of(objective.skeleton, *active, pose);
        self.limbs.extend(objective.layout.active_joints.iter().filter_map(straight_limb));
    }

    /// Bends the limbs of the pose `start` with the effectors where they are, then takes the step to the goals. Returns the
    /// score and the turning of the step; none if it fails to meet its targets to within the tolerances of `settings`.
    fn step_from_bent(
        &mut self,
        objective: &Objective,
        settings: &Settings,
        refiner: &mut Refiner,
        start: &[Coordinates],
    ) -> Option<(Score, f64)> {
        let skeleton = objective.skeleton;
        objective.update_frames(start, &mut refiner.evaluation.frames);
        self.stay.begin(objective, &refiner.evaluation.frames);
        self.stay.take_step(objective, 0.0);
        start.clone_into(&mut self.bent);
        self.limbs.iter().for_each(|limb| limb.bend(skeleton, &mut self.bent));
        skeleton.follow(&mut self.bent);
        refiner.held.extend(self.limbs.iter().flat_map(|limb| limb.active.columns(skeleton)));
        let stay = Objective { problem: &self.stay.problem, ..*objective };
        let stayed = refiner.run(&stay, RefineLimits::ATTEMPT, &mut self.bent);
        refiner.held.clear();
        // A figure at full stretch cannot stay where it is with bent limbs: bending them is then a part of the step.
        let from = if stayed.score.reached(settings) { &self.bent } else { start };
        self.moved.clone_from(&self.bent);
        let moved = refiner.run(objective, RefineLimits::ATTEMPT, &mut self.moved);
        let turning = refiner.turning_between(objective, from, &self.moved);
        moved.score.reached(settings).then_some((moved.score, turning))
    }
}
