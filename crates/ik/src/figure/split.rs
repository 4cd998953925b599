//! Splits a skeleton and a problem into figures.

use crate::figure::near::Range;
use crate::figure::{Figure, Share};
use crate::model::islands::Island;
use crate::model::problem::{Attachment, Effector, Problem};
use crate::model::skeleton::Skeleton;
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
    let loops = share.loops.iter().map(|&at| &problem.loops[at]).flat_map(|(a, b)| [a.joint, b.joint]);
    let capsules = share.capsules.iter().map(|&at| problem.keep_clear.capsules[at].joint);
    let masses = mass_joints(problem, &share);
    let mut numbers = skeleton.joints_with_supports(&island.joints, loops.chain(capsules).chain(masses));
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
    let owns_all = numbers.iter().all(|&joint| island.has(joint));
    Figure { skeleton: own, joints: island.joints, numbers, owns_all, share, range }
}

/// Those of `joints` (ascending, with all parents) that move an effector, a pole's joint or a mass, or follow another joint: in a
/// large tree with few effectors these are few.
fn relevant(skeleton: &Skeleton, problem: &Problem, share: &Share, joints: &[usize]) -> Vec<usize> {
    let mut needed = vec![false; joints.len()];
    let goals = share.goals.iter().map(|&at| problem.goals[at].effector.joint);
    let poles = share.poles.iter().map(|&at| problem.poles[at].joint);
    let followers = joints.iter().filter_map(|&joint| Some([joint, skeleton.joints()[joint].mimic?.joint]));
    for joint in goals.chain(poles).chain(mass_joints(problem, share)).chain(followers.flatten()) {
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

/// The joints that carry the masses of a share.
fn mass_joints<'a>(problem: &'a Problem, share: &'a Share) -> impl Iterator<Item = usize> + use<'a> {
    let bodies = share.centers.iter().flat_map(|&at| &problem.centers_of_mass[at].masses);
    bodies.map(|mass| mass.joint)
}

/// The shares of all islands of a skeleton.
fn shares(skeleton: &Skeleton, problem: &Problem, islands: &[Island]) -> Vec<Share> {
    let mut island_of = vec![0; skeleton.len()];
    for (at, island) in islands.iter().enumerate() {
        island.joints.iter().for_each(|&joint| island_of[joint] = at);
    }
    let mut shares = vec![Share::default(); islands.len()];
    for (at, goal) in problem.goals.iter().enumerate() {
        shares[island_of[goal.effector.joint]].goals.push(at);
    }
    for (at, (a, b)) in problem.loops.iter().enumerate() {
        shares[island_of[skeleton.closing_joint(a.joint, b.joint)]].loops.push(at);
    }
    for (at, pole) in problem.poles.iter().enumerate() {
        shares[island_of[pole.joint]].poles.push(at);
    }
    for (at, body) in problem.centers_of_mass.iter().enumerate() {
        let joints = || body.masses.iter().map(|mass| mass.joint);
        let joint = joints().find(|&joint| !skeleton.is_anchored(joint)).or_else(|| joints().next());
        joint.into_iter().for_each(|joint| shares[island_of[joint]].centers.push(at));
    }
    for (at, capsule) in problem.keep_clear.capsules.iter().enumerate() {
        shares[island_of[capsule.joint]].capsules.push(at);
    }
    for (at, (a, b)) in problem.keep_clear.joint_pairs().enumerate() {
        let own = &mut shares[island_of[skeleton.closing_joint(a, b)]];
        own.pairs.push(at);
        own.capsules.extend(problem.keep_clear.pairs[at]);
    }
    for share in &mut shares {
        share.capsules.sort_unstable();
        share.capsules.dedup();
    }
    shares
}

/// Something that a problem asks for. A split, and layouts, hold for all problems that ask for the same; where targets,
/// obstacles and poles are makes no difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// An effector; whether its position and its orientation are requested, and whether both are fixed.
    Goal(Effector, [bool; 3]),
    Loop(Attachment, Attachment),
    /// The joint of a pole.
    Pole(usize),
    /// To balance a body with a mass on this joint.
    Mass(usize, usize),
    /// To keep clear of some obstacles.
    Obstacles,
    /// The joint of a capsule.
    Capsule(usize),
    /// To keep two capsules clear of each other.
    Pair([usize; 2]),
}

/// Everything that a problem asks for.
pub(crate) fn asked(problem: &Problem) -> impl Iterator<Item = Asked> {
    let goals = problem.goals.iter().map(|goal| {
        let parts = [goal.requested_position().is_some(), goal.requests_orientation(), goal.is_exact()];
        Asked::Goal(goal.effector, parts)
    });
    let loops = problem.loops.iter().map(|&(a, b)| Asked::Loop(a, b));
    let poles = problem.poles.iter().map(|pole| Asked::Pole(pole.joint));
    let bodies = problem.centers_of_mass.iter().enumerate();
    let masses = bodies.flat_map(|(body, own)| own.masses.iter().map(move |mass| Asked::Mass(body, mass.joint)));
    let obstacles = (!problem.obstacles.is_empty()).then_some(Asked::Obstacles);
    let capsules = problem.keep_clear.capsules.iter().map(|capsule| Asked::Capsule(capsule.joint));
    let pairs = problem.keep_clear.pairs.iter().map(|&pair| Asked::Pair(pair));
    goals.chain(loops).chain(poles).chain(masses).chain(obstacles).chain(capsules).chain(pairs)
}
