//! Poles: bends joints toward their poles as far as the goals leave freedom. Runs after the goals are met, or as nearly
//! met as possible.

use crate::layout::{Layout, PoleLayout, make_room};
use crate::maths;
use crate::model::{Coordinates, Isometry, Kind};
use crate::tasks::{Objective, PolePull};
use crate::tree::refine::{MAX_MOTION_PER_FRAME, RefineLimits, Refined, Refiner, shorten};
use glam::DVec3;

/// Number of rounds that set new pole pulls.
const PULL_ROUNDS: u32 = 12;
/// A joint closer than this to the line from base to tip is pulled out to this distance, as a fraction of the layout's
/// length.
const MIN_POLE_OFFSET: f64 = 0.02;

/// A joint within this distance of where its pole pulls it, as a fraction of the layout's length, is there.
const ROUNDING: f64 = 1e-12;

/// Buffers for moving joints toward their poles.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoleRefiner {
    pole_pulls: Vec<PolePull>,
    /// The best turned pose.
    turned: Vec<Coordinates>,
    /// The pose before a slow run.
    before: Vec<Coordinates>,
}

/// Position of a pole's joint relative to the line from the base of its branch to the tip.
struct Bend {
    /// The position, in the world.
    joint: DVec3,
    /// Direction of the line, and the point on it next to the joint.
    axis: DVec3,
    foot: DVec3,
    /// Distance of the joint from the line, and the direction away from it (`None` on the line).
    distance: f64,
    side: Option<DVec3>,
    /// Direction from the line to the pole.
    pole_side: DVec3,
}

impl PoleRefiner {
    /// Makes room for the poles of a layout of this number of joints.
    pub fn reserve(&mut self, layout: &Layout, joints: usize) {
        if !layout.poles.is_empty() {
            make_room(&mut self.pole_pulls, layout.poles.len());
            make_room(&mut self.turned, joints);
            make_room(&mut self.before, joints);
        }
    }

    /// Moves the joints of `pose` toward their poles, then refines for the goals alone. The result may miss a goal. With
    /// `slowly`, only a short way, so that the pose does not jump from frame to frame.
    pub fn run(
        &mut self,
        objective: &Objective,
        refiner: &mut Refiner,
        slowly: bool,
        pose: &mut [Coordinates],
    ) -> Refined {
        pose.clone_into(&mut self.before);
        for pole in &objective.layout.poles {
            // Limits may be on the way to where another joint turns.
            if !slowly || objective.skeleton.kind(pole.base).is_unlimited_ball() {
                self.swivel(objective, refiner, pole, pose);
            }
        }
        (0..if slowly { 1 } else { PULL_ROUNDS }).for_each(|_| self.pull(objective, refiner, pose));
        if slowly {
            shorten(objective, &self.before, MAX_MOTION_PER_FRAME, pose);
            if let Some(refined) = refiner.shorten(objective, pose) {
                return refined;
            }
        }
        refiner.run(objective, RefineLimits::ATTEMPT, pose)
    }

    /// Takes a few steps toward goals and poles together. There are none if all joints are on the sides of their poles.
    fn pull(&mut self, objective: &Objective, refiner: &mut Refiner, pose: &mut [Coordinates]) {
        objective.update_frames(pose, &mut refiner.evaluation.frames);
        self.pole_pulls.clear();
        let length = objective.layout.length;
        let mut is_there = true;
        let poles = objective.layout.poles.iter().enumerate();
        self.pole_pulls.extend(poles.filter_map(|(at, pole)| {
            let bend = bend(objective, &refiner.evaluation.frames, pole)?;
            let distance = bend.distance.max(MIN_POLE_OFFSET * length);
            let pull = PolePull { pole: at, goal: bend.foot + bend.pole_side * distance };
            is_there &= pull.goal.distance(bend.joint) <= ROUNDING * length;
            Some(pull)
        }));
        if !is_there {
            let with_poles = Objective { pole_pulls: &self.pole_pulls, ..*objective };
            refiner.run(&with_poles, RefineLimits::ROUND, pose);
        }
    }

    /// Turns a branch about the line from base to tip until its joint is on the side of its pole, at the ball joint that
    /// suits best. The first joint of the branch always suits, if it has no limits.
    fn swivel(&mut self, objective: &Objective, refiner: &mut Refiner, pole: &PoleLayout, pose: &mut [Coordinates]) {
        let frames = &mut refiner.evaluation.frames;
        objective.update_frames(pose, frames);
        let Some(now) = bend(objective, frames, pole) else { return };
        let Some(side) = now.side else { return };
        let angle = maths::atan2(now.axis.dot(side.cross(now.pole_side)), side.dot(now.pole_side));
        let turn = maths::turn(now.axis, angle);
        let tip = |frames: &[Isometry]| {
            let end = objective.layout.goals[pole.goal].path.end;
            frames[end.joint].point(end.point)
        };
        let before = tip(frames);
        let mut best = f64::INFINITY;
        for joint in pole.path.joints.iter().skip(1).map(|above| above.joint) {
            let kind = objective.skeleton.kind(joint);
            if !matches!(kind, Kind::Ball { .. }) {
                continue;
            }
            objective.update_frames(pose, frames);
            let rest = objective.skeleton.rest_frame_in(joint, objective.problem.base, frames);
            let local = (rest.rotation.conjugate() * turn * frames[joint].rotation).normalize();
            let kept = std::mem::replace(&mut pose[joint], kind.coordinates_of(local));
            objective.update_frames(pose, frames);
            let missed = tip(frames).distance(before) / objective.layout.length;
            let far_side = bend(objective, frames, pole).and_then(|bend| Some(1.0 - bend.side?.dot(bend.pole_side)));
            let badness = missed + far_side.unwrap_or(2.0);
            if badness < best {
                best = badness;
                pose.clone_into(&mut self.turned);
            }
            pose[joint] = kept;
            if joint == pole.base {
                break;
            }
        }
        // Take the turned branch only if it is better than the present side.
        if best < 1.0 - side.dot(now.pole_side) {
            pose.copy_from_slice(&self.turned);
        }
    }
}

/// The bend of a pole's joint; `None` if base and tip coincide or the pole is on the line.
fn bend(objective: &Objective, frames: &[Isometry], pole: &PoleLayout) -> Option<Bend> {
    let base = frames[pole.base].position;
    let end = objective.layout.goals[pole.goal].path.end;
    let axis = (frames[end.joint].point(end.point) - base).try_normalize()?;
    let joint = frames[pole.path.end.joint].position;
    let pole_side = (objective.problem.poles[pole.index].toward - base).reject_from_normalized(axis).try_normalize()?;
    let across = (joint - base).reject_from_normalized(axis);
    let distance = across.length();
    let side = (distance > 1e-9 * objective.layout.length).then(|| across / distance);
    Some(Bend { joint, axis, foot: base + axis * axis.dot(joint - base), distance, side, pole_side })
}
