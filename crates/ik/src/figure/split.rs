//! Splits a skeleton and a problem into figures.

use crate::figure::Figure;
use crate::figure::near::Range;
use crate::figure::share::{Share, shares};
use crate::model::{Island, Problem, Skeleton};
use std::sync::Arc;

/// The figures of a skeleton with a problem, in the order of their first joints. Each joint belongs to one. The iterator
/// makes them as it advances. The split holds
/// for all problems that ask for the same of the same joints; targets, weights, obstacles, poles and the base may move.
///
/// ```
/// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Skeleton, Solver, figures::split};
/// # use glam::DVec3;
/// // Two arms on one base.
/// let hinge = |name: &str, offset| Joint::new(name, Some(0), offset, Kind::Hinge { axis: DVec3::Z, range: None });
/// let base = Joint::new("base", None, DVec3::ZERO, Kind::Fixed);
/// let both = Skeleton::new(vec![base, hinge("left", DVec3::NEG_X), hinge("right", DVec3::X)])?;
/// let goal = |joint| Goal::new(Effector::new(joint, DVec3::X), DVec3::Y);
/// let problem = Problem { goals: vec![goal(1), goal(2)], ..Problem::default() };
///
/// let both = both.into();
/// let figures: Vec<_> = split(&both, &problem).collect();
/// assert_eq!(figures[1].joints(), [2]);
/// // The right arm alone: its joints are the base and itself.
/// let mut alone = Solver::new(figures[1].skeleton().clone()).problem(figures[1].problem(&problem));
/// let mut pose = alone.skeleton().rest_pose();
/// let report = alone.solve(&mut pose);
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
///
/// # Panics
/// The problem names a joint that does not exist: see [`Problem::check`].
pub fn split<'a>(skeleton: &'a Arc<Skeleton>, problem: &'a Problem) -> impl Iterator<Item = Figure> + use<'a> {
    let islands = skeleton.islands(problem.ties());
    let shares = shares(skeleton, problem, &islands);
    islands.into_iter().zip(shares).map(|(island, share)| figure(skeleton, problem, island, share))
}

fn figure(skeleton: &Arc<Skeleton>, problem: &Problem, island: Island, share: Share) -> Figure {
    let mut numbers = skeleton.joints_with_supports(&island.joints, share.supports(problem));
    let has_size = |&at: &usize| problem.goals[at].is_active() && problem.goals[at].effector.size(skeleton) > 0.0;
    let meets_nothing = problem.obstacles.is_empty() && share.capsules.is_empty();
    // Loops, and goals without a size, are measured by the extent of the figure; any link may meet something.
    if meets_nothing && share.loops.is_empty() && share.goals.iter().any(has_size) {
        numbers = relevant(skeleton, problem, &share, &numbers);
    }
    let own = match numbers.len() == skeleton.len() {
        true => Arc::clone(skeleton),
        false => Arc::new(skeleton.part(&numbers)),
    };
    let range = if problem.obstacles.is_empty() { None } else { Range::of(&own) };
    Figure { skeleton: own, joints: island.joints, numbers, share, range }
}

/// Those of `joints` (ascending, with all parents) that move an effector, a pole's joint or a mass, or follow another joint: in a
/// large tree with few effectors these are few.
fn relevant(skeleton: &Skeleton, problem: &Problem, share: &Share, joints: &[usize]) -> Vec<usize> {
    let mut needed = vec![false; joints.len()];
    let followers = joints.iter().filter_map(|&joint| Some([joint, skeleton.joints()[joint].mimic?.joint]));
    for joint in share.moved(problem).chain(followers.flatten()) {
        joints.binary_search(&joint).into_iter().for_each(|at| needed[at] = true);
    }
    for at in (0..joints.len()).rev() {
        let parent = skeleton.joints()[joints[at]].parent.filter(|_| needed[at]);
        if let Some(Ok(parent)) = parent.map(|parent| joints.binary_search(&parent)) {
            needed[parent] = true;
        }
    }
    joints.iter().zip(needed).filter(|(_, needed)| *needed).map(|(&joint, _)| joint).collect()
}
