//! Cyclic coordinate descent on a skeleton: each joint in turn, from the tips up, takes inside its limits the coordinate
//! that is best for all that it carries.
//!
//! Source: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics problems of
//! mechanical manipulators" (1991); joints that fit_rotation several effectors do what is best for them by least squares.

use super::joint_fit::{Pull, fit_joint};
use super::layout::Path;
use super::objective::{RADIAN, Task};
use super::passes::{fit, free};
use crate::model::jacobian::lever;
use crate::model::joint::Kind;
use crate::model::pose::Coordinates;
use crate::model::transform::Isometry;
use glam::DVec3;

/// One sweep from the tips to the roots. `frames` are the pose's, and are so again afterwards.
pub(crate) fn sweep(task: &Task, pose: &mut [Coordinates], frames: &mut [Isometry]) {
    let (skeleton, problem, layout) = (task.skeleton, task.problem, task.layout);
    let (mut pulls, mut room) = (Vec::new(), Vec::new());
    for mover in layout.movers.iter().rev() {
        let joint = mover.joint;
        gather(task, joint, frames, &mut pulls);
        if pulls.is_empty() {
            continue;
        }
        let parent = skeleton.joints()[joint].parent.map_or(problem.base, |parent| frames[parent]);
        let rest = skeleton.rest_frame(joint, parent);
        pose[joint] = match skeleton.kind(joint) {
            Kind::Free => {
                let total = pulls.iter().map(|pull| pull.weight).sum();
                free(rest, fit(frames[joint], &pulls, total, &mut room))
            }
            kind => fit_joint(kind, rest, &pose[joint], frames[joint].rotation, &pulls),
        };
        skeleton.follow(pose);
        skeleton.update_frames(problem.base, &layout.order, pose, frames);
    }
}

/// What a joint carries, in its own frame, and where it should be.
fn gather(task: &Task, joint: usize, frames: &[Isometry], pulls: &mut Vec<Pull>) {
    let (problem, layout) = (task.problem, task.layout);
    let own = frames[joint];
    // Of what hangs below a joint that keeps the world's axes, only that joint's origin goes along.
    let handle = |path: &Path, tip: DVec3| {
        let step = path.steps.iter().find(|step| step.joint == joint)?;
        Some(step.lever.map_or(tip, |joint| lever(task.skeleton, joint, frames)))
    };
    pulls.clear();
    for goal in &layout.goals {
        let asked = &problem.goals[goal.index];
        let end = frames[goal.path.end.joint];
        let tip = end.point(goal.path.end.point);
        let Some(held) = handle(&goal.path, tip) else { continue };
        if let Some(target) = asked.asked_position() {
            let weight = asked.weight / (goal.reach * goal.reach);
            pulls.push(Pull { point: own.local(held), goal: target + (held - tip), weight });
        }
        let turns = goal.path.steps.iter().any(|step| step.joint == joint && step.lever.is_none());
        if let Some(target) = asked.asked_rotation().filter(|_| turns) {
            // Three points at the ends of the tip's axes: turning by an angle moves two of them by it.
            let desired = target * (own.rotation.conjugate() * end.rotation).conjugate();
            let weight = asked.rotation_weight * RADIAN * RADIAN / 2.0;
            let scale = goal.reach * goal.reach;
            for axis in DVec3::AXES.map(|axis| axis * goal.reach) {
                pulls.push(Pull { point: axis, goal: own.position + desired * axis, weight: weight / scale });
            }
        }
    }
    for closure in &layout.loops {
        let weight = task.closure * task.closure / (layout.length * layout.length);
        let [a, b] = closure.ends.each_ref().map(|path| {
            let point = frames[path.end.joint].point(path.end.point);
            (point, handle(path, point))
        });
        if let ((here, Some(held)), (there, None)) | ((there, None), (here, Some(held))) = (a, b) {
            pulls.push(Pull { point: own.local(held), goal: there + (held - here), weight });
        }
    }
}
