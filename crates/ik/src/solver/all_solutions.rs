//! All poses that meet a target, or some of infinitely many.

use crate::closed_form::SixAxisArm;
use crate::model::{Coordinates, Effector, Interval, Kind, Pose, Problem, Skeleton, pose_distance};
use crate::solver::Solver;
use std::f64::consts::PI;

/// Most poses that are listed. An arm with six hinges has at most sixteen.
const MOST: usize = 16;
/// Values of one of seven hinges for which the poses are listed.
const SAMPLES: u32 = 8;

/// Poses that meet all goals: [`Solver::all_solutions`].
#[derive(Clone, Debug, PartialEq)]
pub struct AllSolutions {
    /// The poses, the one nearest to the start first.
    pub poses: Vec<Pose>,
    /// Whether these are all, as for an arm with six hinges. Otherwise a search found them.
    pub is_complete: bool,
    /// The joint for eight of whose values these are the poses: an arm with seven hinges has infinitely many.
    pub sampled: Option<usize>,
}

/// A target that infinitely many poses meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{freedoms} {} a target with {equations} coordinates in infinitely many ways",
    if *has_balls { "degrees of freedom of the joints reach" } else { "joints reach" }
)]
pub struct Redundant {
    /// Degrees of freedom of the joints that move the effector: one per hinge or slide, three per ball, six per free joint.
    pub freedoms: usize,
    /// Whether some of these joints have several.
    pub has_balls: bool,
    /// Coordinates of the target: three of the position, three of the orientation.
    pub equations: usize,
}

impl Solver {
    /// The poses that meet the goals, at most sixteen; of an arm with seven hinges those for eight values of the hinge whose values
    /// leave most poses, as far as the others then are an arm whose solutions can be listed. No pose if `start` is refused or
    /// nothing is found.
    ///
    /// # Errors
    /// The joints of one arm have more degrees of freedom than the target has coordinates.
    pub fn all_solutions(&mut self, start: &[Coordinates]) -> Result<AllSolutions, Redundant> {
        if self.check(start).is_err() {
            return Ok(AllSolutions { poses: Vec::new(), is_complete: false, sampled: None });
        }
        let mut is_complete = false;
        let mut goals = self.problem.goals.iter().filter(|goal| goal.is_active());
        if let (Some(goal), None) = (goals.next(), goals.next()) {
            let effector = goal.effector;
            let freedoms = freedoms(&self.skeleton, &effector);
            let equations = match freedoms[..] {
                // A ball alone turns about the line to its tip. The distance of the target is none of its choices.
                [3] if !goal.requests_orientation() => goal.fixed_coordinates().min(2),
                _ => goal.fixed_coordinates(),
            };
            let [count, most] = [freedoms.iter().sum(), freedoms.iter().copied().max().unwrap_or_default()];
            // The loops take away some of them.
            if self.problem.loops.is_empty() && count > equations {
                let sampled = if (count, equations) == (7, 6) { self.sampled(start, &effector) } else { None };
                return sampled.ok_or(Redundant { freedoms: count, has_balls: most > 1, equations });
            }
            is_complete = equations == 6 && SixAxisArm::new(&self.skeleton, &effector).is_ok();
        }
        Ok(AllSolutions { poses: self.solutions(start, MOST), is_complete, sampled: None })
    }

    /// The poses for evenly spread values of one of seven hinges: of the one whose values leave most poses. `None` if no value
    /// leaves an arm whose solutions can be listed.
    fn sampled(&self, start: &[Coordinates], effector: &Effector) -> Option<AllSolutions> {
        let by = |joint| Some((joint, self.poses_by(start, effector, joint)?));
        // Of joints that leave equally many, the one nearest to the tool.
        let all = effector.chain_joints(&self.skeleton).filter_map(by);
        let (joint, mut poses) = all.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best })?;
        let joints: Vec<usize> = (0..self.skeleton.len()).collect();
        let length = self.skeleton.extent().max(f64::MIN_POSITIVE);
        let moved = |pose: &Pose| pose_distance(&self.skeleton, &joints, start, pose, length);
        poses.sort_by(|a, b| moved(a).total_cmp(&moved(b)));
        Some(AllSolutions { poses, is_complete: true, sampled: Some(joint) })
    }

    /// The poses for evenly spread values of a hinge, if the others are an arm whose solutions can be listed.
    fn poses_by(&self, start: &[Coordinates], effector: &Effector, joint: usize) -> Option<Vec<Pose>> {
        let Kind::Hinge { axis, range } = *self.skeleton.kind(joint) else { return None };
        // Half a turn to either side of the start: whole turns are the same pose.
        let near = start[joint].value();
        let low = range.map_or(near - PI, |range| range.low().max(near - PI));
        let high = range.map_or(near + PI, |range| range.high().min(near + PI));
        let Problem { goals, base, .. } = &self.problem;
        let goal = goals.iter().find(|goal| goal.is_active())?;
        let (position, rotation) = goal.requested_position().zip(goal.requested_rotation())?;
        let mut poses = Vec::new();
        for sample in 0..SAMPLES {
            let value = low + (f64::from(sample) + 0.5) / f64::from(SAMPLES) * (high - low);
            let mut joints = self.skeleton.joints().to_vec();
            joints[joint].kind = Kind::Hinge { axis, range: Some(Interval::new(value, value).ok()?) };
            let skeleton = Skeleton::new(joints).ok()?;
            let mut start = start.to_vec();
            start[joint] = Coordinates::scalar(value);
            let arm = SixAxisArm::at(&skeleton, effector, *base, &start).ok()?;
            // A search for what has no solution would take long.
            if arm.poses(&skeleton, &start, position, rotation).is_empty() {
                continue;
            }
            let mut solver = Solver::new(skeleton).problem(self.problem.clone()).settings(self.settings);
            poses.extend(solver.solutions(&start, MOST));
        }
        Some(poses)
    }
}

/// The degrees of freedom of each joint that moves an effector. Joints that follow one leader count once.
fn freedoms(skeleton: &Skeleton, effector: &Effector) -> Vec<usize> {
    let leader = |joint: usize| skeleton.joints()[joint].mimic.map_or(joint, |mimic| mimic.joint);
    let mut moving: Vec<usize> = effector.chain_joints(skeleton).map(leader).collect();
    moving.sort_unstable();
    moving.dedup();
    let can_move = |joint: &usize| skeleton.kind(*joint).can_move();
    moving.into_iter().filter(can_move).map(|joint| skeleton.kind(joint).degrees_of_freedom()).collect()
}
