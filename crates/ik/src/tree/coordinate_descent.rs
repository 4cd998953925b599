//! Cyclic coordinate descent (CCD) on a skeleton: each joint in turn, from the tips to the roots, takes the coordinate
//! inside its limits that is best for everything that it carries.
//!
//! Source: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics problems of
//! mechanical manipulators" (1991). Joints that carry several effectors take the least-squares optimum.

use crate::layout::Path;
use crate::model::{Coordinates, Isometry, Kind, lever};
use crate::tasks::orientation::REACHES_PER_RADIAN;
use crate::tasks::{Objective, closure};
use crate::tree::joint_fit::{Pull, fit_joint};
use crate::tree::passes::{fit_rigid_body, free_coordinates};
use glam::DVec3;

/// One sweep from the tips to the roots. `frames` must be those of `pose`, before and after.
pub(crate) fn sweep(objective: &Objective, pose: &mut [Coordinates], frames: &mut [Isometry]) {
    let (skeleton, problem, layout) = (objective.skeleton, objective.problem, objective.layout);
    let (mut pulls, mut centered) = (Vec::new(), Vec::new());
    for active in layout.active_joints.iter().rev() {
        let joint = active.joint;
        collect_pulls(objective, joint, frames, &mut pulls);
        if pulls.is_empty() {
            continue;
        }
        let rest = skeleton.rest_frame_in(joint, problem.base, frames);
        pose[joint] = match skeleton.kind(joint) {
            Kind::Free => {
                let total = pulls.iter().map(|pull| pull.weight).sum();
                free_coordinates(rest, fit_rigid_body(frames[joint], &pulls, total, &mut centered))
            }
            kind => fit_joint(kind, rest, &pose[joint], frames[joint].rotation, &pulls),
        };
        skeleton.follow(pose);
        objective.update_frames(pose, frames);
    }
}

/// Collects the points that a joint carries, in its own frame, and their desired positions.
fn collect_pulls(objective: &Objective, joint: usize, frames: &[Isometry], pulls: &mut Vec<Pull>) {
    let (problem, layout) = (objective.problem, objective.layout);
    let own = frames[joint];
    // Below a joint that keeps the world's axes, only the origin of that joint is carried.
    let carried_point = |path: &Path, tip: DVec3| {
        let own = path.joints.iter().find(|own| own.joint == joint)?;
        Some(own.lever.map_or(tip, |joint| lever(objective.skeleton, joint, frames)))
    };
    pulls.clear();
    for goal in &layout.goals {
        let request = &problem.goals[goal.index];
        let end = frames[goal.path.end.joint];
        let tip = end.point(goal.path.end.point);
        let Some(carried) = carried_point(&goal.path, tip) else { continue };
        if let Some(target) = request.nearest_position(end) {
            let weight = request.weight / (goal.size * goal.size);
            pulls.push(Pull { point: own.local(carried), goal: target + (carried - tip), weight });
        }
        let turns = goal.path.joints.iter().any(|own| own.joint == joint && own.lever.is_none());
        if let Some(target) = request.nearest_rotation(end).filter(|_| turns) {
            // Three points at the ends of the tip's axes: a turn moves two of them by its angle.
            let desired = target * (own.rotation.conjugate() * end.rotation).conjugate();
            let weight = request.rotation_weight * REACHES_PER_RADIAN * REACHES_PER_RADIAN / 2.0;
            let scale = goal.size * goal.size;
            for axis in DVec3::AXES.map(|axis| axis * goal.size) {
                pulls.push(Pull { point: axis, goal: own.position + desired * axis, weight: weight / scale });
            }
        }
    }
    for closure in &layout.loops {
        let weight = (closure::scale(objective) / layout.length).powi(2);
        let [a, b] = closure.ends.each_ref().map(|path| {
            let point = frames[path.end.joint].point(path.end.point);
            (point, carried_point(path, point))
        });
        if let ((here, Some(carried)), (there, None)) | ((there, None), (here, Some(carried))) = (a, b) {
            pulls.push(Pull { point: own.local(carried), goal: there + (carried - here), weight });
        }
    }
}
