//! Several poses that meet the same goals: the branches of an arm.

use crate::blend::pose_distance;
use crate::model::joint::Kind;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::random::Random;
use crate::tree::island::Workspace;
use crate::tree::layout::Plan;
use crate::tree::objective::{CLOSURE, Task};
use crate::tree::restart::{Restart, start_anew};
use crate::tree::search::Manner;
use std::f64::consts::TAU;
use std::num::NonZeroU32;

/// Poses count as different where some joint is turned by so many radians, or has slid by this share of the reach.
const DIFFERENT: f64 = 0.2;

/// Up to `most` clearly different poses that meet all goals, all inside the limits, those next to `start` first: an arm
/// of six joints usually has up to eight.
///
/// They differ by a fifth of a radian (of a slide: a fifth of the reach) in at least one joint; poses that are a whole
/// turn of a hinge apart count as one, and what is returned has the turns nearest to `start`. An arm with joints to spare
/// has any number: those are returned that are found first. Distances are those of [`pose_distance`]: of the joint that moves
/// farthest.
///
/// They are sought from `start` and from random poses, `most` times [`Settings::max_attempts`] altogether; the same input
/// gives the same poses. None are returned where none is found, or the problem does not fit the skeleton.
///
/// ```
/// # use crate::{Effector, Goal, Problem, solutions};
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Joint, Kind, Settings, Skeleton};
/// // Two hinges in a plane: elbow up or down.
/// let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
/// let arm = Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, hinge),
///     Joint::new("elbow", Some(0), DVec3::X, hinge),
/// ])?;
/// let goal = Goal::new(Effector::new(1, DVec3::X), DVec3::new(1.0, 1.0, 0.0));
/// let problem = Problem { goals: vec![goal], ..Problem::default() };
/// let poses = solutions(&arm, &problem, &Settings::default(), &arm.rest_pose(), 8);
/// assert_eq!(poses.len(), 2);
/// # Ok::<(), crate::model::skeleton::SkeletonError>(())
/// ```
pub fn solutions(
    skeleton: &Skeleton,
    problem: &Problem,
    settings: &Settings,
    start: &[Coordinates],
    most: usize,
) -> Vec<Pose> {
    if most == 0 || !problem.fits_pose(skeleton, start) {
        return Vec::new();
    }
    let mut start = start.to_vec();
    skeleton.project(&mut start);
    let mut islands: Vec<Workspace> = Workspace::each(skeleton, problem).collect();
    let plans: Vec<Plan> =
        islands.iter().filter_map(|island| Plan::stages(skeleton, problem, island.island()).pop()).collect();
    let length = plans.iter().map(|plan| plan.length).fold(0.0, f64::max);
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    let distance = |a: &[Coordinates], b: &[Coordinates]| pose_distance(skeleton, &joints, a, b, length);
    let once = Settings { max_attempts: NonZeroU32::MIN, ..*settings };
    let tries = settings.max_attempts.get().saturating_mul(u32::try_from(most).unwrap_or(u32::MAX));
    let mut random = Random::new(settings.seed);
    let mut found: Vec<Pose> = Vec::new();
    for attempt in 0..tries {
        let mut pose = start.clone();
        for plan in plans.iter().filter(|_| attempt > 0) {
            let task = Task { skeleton, problem, plan, settings: &once, leans: &[], closure: CLOSURE };
            start_anew(&task, &mut random, &Restart { start: &start, best: &start, attempt }, &mut pose);
        }
        let solve = |island: &mut Workspace| island.solve_sound(Manner::Anew, skeleton, problem, &once, &mut pose);
        let report = islands.iter_mut().map(solve).reduce(Report::or_worse);
        if report.is_some_and(|report| report.stop.is_reached()) {
            take_near_turns(skeleton, &start, &mut pose);
            if found.iter().all(|other| distance(other, &pose) > DIFFERENT) {
                found.push(pose);
            }
            if found.len() == most {
                break;
            }
        }
    }
    found.sort_by(|a, b| distance(&start, a).total_cmp(&distance(&start, b)));
    found
}

/// Shifts hinges that may turn more than once by whole turns, as near to `start` as their ranges allow. Those that others
/// follow stay: a whole turn of them need not be one of the follower.
fn take_near_turns(skeleton: &Skeleton, start: &[Coordinates], pose: &mut [Coordinates]) {
    let mut leads = vec![false; skeleton.len()];
    skeleton.joints().iter().filter_map(|joint| joint.mimic).for_each(|mimic| leads[mimic.joint] = true);
    for (joint, now) in pose.iter_mut().enumerate() {
        let Kind::Hinge { range: Some(range), .. } = skeleton.kind(joint) else { continue };
        if leads[joint] || skeleton.joints()[joint].mimic.is_some() {
            continue;
        }
        let turns = |to: f64| (to - now.value()) / TAU;
        let (fewest, most) = (turns(range.low()).ceil(), turns(range.high()).floor());
        if fewest < most {
            let near = turns(start[joint].value()).round().clamp(fewest, most);
            *now = Coordinates::scalar(range.clamp(now.value() + near * TAU));
        }
    }
}
