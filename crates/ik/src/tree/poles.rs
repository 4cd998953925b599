//! Poles: joints pole toward them as far as the goals leave a choice.

use super::layout::PoleLayout;
use super::objective::{PolePull, Task};
use super::refine::{AtEnd, RefineLimits, Refined, Refiner};
use crate::blend::{mix_joint, pose_distance};
use crate::model::joint::Kind;
use crate::model::pose::Coordinates;
use crate::model::transform::Isometry;
use glam::{DQuat, DVec3};

/// Rounds of leaning, and refiner steps of each.
const ROUNDS: u32 = 12;
const STEPS: u32 = 4;
/// The farthest that a joint pole_pulls in one frame while targets glide, radians.
const CREEP: f64 = 0.08;
/// A joint nearer to the line from base to tip than this, as a fraction of the length, is asked to come out so far.
const LEAST: f64 = 0.02;

/// Buffers for leaning.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoleRefiner {
    pole_pulls: Vec<PolePull>,
    turned: Vec<Coordinates>,
}

/// How a joint lies to the line from its branch's base to the tip.
struct Bend {
    /// Where the line starts, and its direction.
    base: DVec3,
    axis: DVec3,
    /// How far along the line the joint is.
    along: f64,
    /// How far off the line, and to which side (none when it is on it).
    off: f64,
    side: Option<DVec3>,
    /// The side that the pole is on.
    pole: DVec3,
}

impl PoleRefiner {
    /// Leans the joints of `pose` toward their poles, then polishes the goals alone; the result may have lost a goal.
    pub fn run(&mut self, task: &Task, refiner: &mut Refiner, pose: &mut [Coordinates]) -> Refined {
        for pole in &task.layout.poles {
            self.swivel(task, refiner, pole, pose);
        }
        let steps: u32 = (0..ROUNDS).map(|_| self.pull(task, refiner, pose)).sum();
        let refined = refiner.run(task, RefineLimits::ATTEMPT, pose);
        Refined { steps: steps + refined.steps, ..refined }
    }

    /// As [`PoleRefiner::run`], but a little way only, so that what pole_pulls from frame to frame does not jump.
    pub fn creep(&mut self, task: &Task, refiner: &mut Refiner, pose: &mut [Coordinates]) -> Refined {
        self.turned.clear();
        self.turned.extend_from_slice(pose);
        let steps = self.pull(task, refiner, pose);
        let joints = &task.layout.order;
        let way = pose_distance(task.skeleton, joints, &self.turned, pose, task.layout.length);
        if way > CREEP {
            for mover in &task.layout.movers {
                let (kind, joint) = (task.skeleton.kind(mover.joint), mover.joint);
                pose[joint] = mix_joint(kind, &self.turned[joint], &pose[joint], CREEP / way);
            }
            task.skeleton.follow(pose);
        }
        let refined = refiner.run(task, RefineLimits::ATTEMPT, pose);
        Refined { steps: steps + refined.steps, ..refined }
    }

    /// A few steps toward goals and poles together; their number.
    fn pull(&mut self, task: &Task, refiner: &mut Refiner, pose: &mut [Coordinates]) -> u32 {
        task.skeleton.update_frames(task.problem.base, &task.layout.order, pose, &mut refiner.evaluation.frames);
        self.pole_pulls.clear();
        let poles = task.layout.poles.iter().enumerate();
        self.pole_pulls.extend(poles.filter_map(|(at, pole)| {
            let bend = bend(task, &refiner.evaluation.frames, pole)?;
            let off = bend.off.max(LEAST * task.layout.length);
            Some(PolePull { pole: at, goal: bend.base + bend.axis * bend.along + bend.pole * off })
        }));
        let leaning = Task { pole_pulls: &self.pole_pulls, ..*task };
        refiner.run(&leaning, RefineLimits { steps: STEPS, stall: 1.0, at_end: AtEnd::Stop }, pose).steps
    }

    /// Turns a branch that bends away from its pole about the line from base to tip, at the ball that can turn it best:
    /// from the far side no small step leads there.
    fn swivel(&mut self, task: &Task, refiner: &mut Refiner, pole: &PoleLayout, pose: &mut [Coordinates]) {
        let frames = &mut refiner.evaluation.frames;
        task.skeleton.update_frames(task.problem.base, &task.layout.order, pose, frames);
        let Some(now) = bend(task, frames, pole) else { return };
        let Some(side) = now.side else { return };
        if side.dot(now.pole) > 0.0 {
            return;
        }
        let angle = now.axis.dot(side.cross(now.pole)).atan2(side.dot(now.pole));
        let turn = DQuat::from_axis_angle(now.axis, angle);
        let tip = |frames: &[Isometry]| {
            let end = task.layout.goals[pole.goal].path.end;
            frames[end.joint].point(end.point)
        };
        let before = tip(frames);
        let mut best = f64::INFINITY;
        for step in pole.path.steps.iter().skip(1) {
            let joint = step.joint;
            let kind = task.skeleton.kind(joint);
            let parent = task.skeleton.joints()[joint].parent;
            task.skeleton.update_frames(task.problem.base, &task.layout.order, pose, frames);
            let rest = task.skeleton.rest_frame(joint, parent.map_or(task.problem.base, |parent| frames[parent]));
            let local = (rest.rotation.conjugate() * turn * frames[joint].rotation).normalize();
            let turned = match kind {
                Kind::Ball { swing: None, twist: None } => Coordinates::rotation(local),
                Kind::Ball { .. } => kind.project(Kind::ball_coordinates(local)),
                _ => continue,
            };
            let kept = std::mem::replace(&mut pose[joint], turned);
            task.skeleton.update_frames(task.problem.base, &task.layout.order, pose, frames);
            let missed = tip(frames).distance(before) / task.layout.length;
            let off = bend(task, frames, pole).and_then(|bend| Some(1.0 - bend.side?.dot(bend.pole)));
            let badness = missed + off.unwrap_or(2.0);
            if badness < best {
                best = badness;
                self.turned.clear();
                self.turned.extend_from_slice(pose);
            }
            pose[joint] = kept;
            if joint == pole.base {
                break;
            }
        }
        // Better than the side it is on now?
        if best < 1.0 - side.dot(now.pole) {
            pose.copy_from_slice(&self.turned);
        }
    }
}

fn bend(task: &Task, frames: &[Isometry], pole: &PoleLayout) -> Option<Bend> {
    let base = frames[pole.base].position;
    let end = task.layout.goals[pole.goal].path.end;
    let axis = (frames[end.joint].point(end.point) - base).try_normalize()?;
    let joint = frames[pole.path.end.joint].position - base;
    let pole = (task.problem.poles[pole.index].toward - base).reject_from_normalized(axis).try_normalize()?;
    let across = joint.reject_from_normalized(axis);
    let off = across.length();
    let side = if off > 1e-9 * task.layout.length { Some(across / off) } else { None };
    Some(Bend { base, axis, along: axis.dot(joint), off, side, pole })
}
