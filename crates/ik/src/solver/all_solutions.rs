//! The poses that meet all goals: all of them, or some of infinitely many.

use super::figures::Figures;
use crate::closed_form::SixAxisArm;
use crate::model::{Coordinates, Goal, Interval, Kind, Pose, Skeleton, pose_distance};
use crate::search::policy::DIFFERENT;
use crate::solver::Solver;
use std::f64::consts::PI;

/// Most poses that are listed unless the caller says another number: an arm with six hinges has no more.
const MOST: usize = 16;
/// Fewest values of one of seven hinges for which poses are listed.
const SAMPLES: usize = 8;

/// Poses that meet all goals: [`Solver::all_solutions`].
#[derive(Clone, Debug, PartialEq)]
pub struct AllSolutions {
    /// The poses, the one nearest to the start first.
    pub poses: Vec<Pose>,
    /// What they are of all poses that meet the goals.
    pub coverage: Coverage,
}

/// What a list of poses is of all poses that meet the goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coverage {
    /// All of them, as for an arm with six hinges.
    All,
    /// Those that a search has found. There may be others.
    Found,
    /// Some of infinitely many: the joints have more freedom than the goals take. Of an arm with seven hinges, those for evenly spread
    /// values of this joint.
    Some(Option<usize>),
}

impl Solver {
    /// The poses that meet the goals, at most sixteen, as [`Solver::solutions`] lists them, and what they are of all such poses. No
    /// pose if `start` is refused or nothing is found.
    pub fn all_solutions(&mut self, start: &[Coordinates]) -> AllSolutions {
        self.list(start, MOST)
    }

    /// Up to `most` poses that meet the goals.
    pub(super) fn list(&mut self, start: &[Coordinates], most: usize) -> AllSolutions {
        let redundant =
            |Figures { given, figures, .. }: Figures<'_>| figures.iter().any(|own| own.is_redundant(&given));
        let is_redundant = self.ready(start).is_some_and(redundant);
        if is_redundant && let Some((joint, poses)) = self.sampled(start, most) {
            return AllSolutions { poses, coverage: Coverage::Some(Some(joint)) };
        }
        let is_whole = |goal: &&Goal| goal.requested_position().is_some() && goal.requested_rotation().is_some();
        let goal = self.problem.one_exact_goal().filter(is_whole);
        let has_list = goal.is_some_and(|goal| SixAxisArm::new(&self.skeleton, &goal.effector).is_ok());
        let coverage = match has_list {
            _ if is_redundant => Coverage::Some(None),
            true => Coverage::All,
            false => Coverage::Found,
        };
        let mut poses = self.found(start, most);
        if poses.is_empty() && most > 0 {
            // What one solve reaches is a solution.
            let mut pose = start.to_vec();
            poses.extend(self.solve(&mut pose).stop.is_reached().then_some(pose));
        }
        AllSolutions { poses, coverage }
    }

    /// Poses for evenly spread values of one of seven hinges: of the one whose values leave most poses. `None` if this finds no
    /// pose, as where the others are no arm whose solutions can be listed.
    fn sampled(&self, start: &[Coordinates], most: usize) -> Option<(usize, Vec<Pose>)> {
        let goal = self.problem.one_exact_goal()?;
        let samples = SAMPLES.max(most.div_ceil(MOST));
        let by = |joint| Some((joint, self.poses_by(start, goal, joint, samples)?));
        let count = |found: &(usize, Vec<Vec<Pose>>)| found.1.iter().map(Vec::len).sum::<usize>();
        // Of joints that leave equally many, the one nearest to the tool.
        let all = goal.effector.chain_joints(&self.skeleton).filter_map(by);
        let (joint, by_value) = all.reduce(|best, next| if count(&next) > count(&best) { next } else { best })?;
        let joints: Vec<usize> = (0..self.skeleton.len()).collect();
        let length = self.skeleton.extent().max(f64::MIN_POSITIVE);
        let distance = |a: &[Coordinates], b: &[Coordinates]| pose_distance(&self.skeleton, &joints, a, b, length);
        // Of each value the pose nearest to the start, then of each the next one.
        let rounds = by_value.iter().map(Vec::len).max().unwrap_or_default();
        let mut poses: Vec<Pose> = Vec::new();
        for pose in (0..rounds).flat_map(|round| by_value.iter().filter_map(move |own| own.get(round))) {
            if poses.len() < most && poses.iter().all(|other| distance(other, pose) > DIFFERENT) {
                poses.push(pose.clone());
            }
        }
        poses.sort_by(|a, b| distance(start, a).total_cmp(&distance(start, b)));
        Some((joint, poses)).filter(|(_, poses)| !poses.is_empty())
    }

    /// For each of some evenly spread values of a hinge, the poses that have it, if the others are an arm whose solutions can be
    /// listed.
    fn poses_by(&self, start: &[Coordinates], goal: &Goal, joint: usize, samples: usize) -> Option<Vec<Vec<Pose>>> {
        let Kind::Hinge { axis, range } = *self.skeleton.kind(joint) else { return None };
        // Half a turn to either side of the start: whole turns are the same pose.
        let near = start[joint].value();
        let low = range.map_or(near - PI, |range| range.low().max(near - PI));
        let high = range.map_or(near + PI, |range| range.high().min(near + PI));
        let (position, rotation) = goal.requested_position().zip(goal.requested_rotation())?;
        let mut by_value = Vec::with_capacity(samples);
        for sample in 0..samples {
            let value = low + (sample as f64 + 0.5) / samples as f64 * (high - low);
            let mut joints = self.skeleton.joints().to_vec();
            joints[joint].kind = Kind::Hinge { axis, range: Some(Interval::new(value, value).ok()?) };
            let skeleton = Skeleton::new(joints).ok()?;
            let mut start = start.to_vec();
            start[joint] = Coordinates::scalar(value);
            let arm = SixAxisArm::at(&skeleton, &goal.effector, self.problem.base, &start).ok()?;
            // A search for what has no solution would take long.
            if arm.poses(&skeleton, &start, position, rotation).is_empty() {
                by_value.push(Vec::new());
                continue;
            }
            let mut solver = Solver::new(skeleton).problem(self.problem.clone()).settings(self.settings);
            by_value.push(solver.found(&start, MOST));
        }
        Some(by_value)
    }
}
