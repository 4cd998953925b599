//! What of a skeleton and a problem stays the same from solve to solve: which joints move, which column of the Jacobian
//! and which row each of them has to do with, what pulls on which body.

use super::limb::{Limbs, ancestors, shell};
use super::{Attachment, Axes, Effector, Goal, Island, Isometry, Kind, Problem, Skeleton};
use std::ops::Range;

/// Everything about one island that depends on the topology alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Joints whose frames a solve needs, parents first.
    pub order: Vec<usize>,
    /// Goals that count.
    pub goals: Vec<GoalPlan>,
    /// Loops to close.
    pub loops: Vec<LoopPlan>,
    /// Poles to lean toward.
    pub hints: Vec<HintPlan>,
    /// For each joint of the skeleton whether it may move.
    pub moving: Vec<bool>,
    /// The joints that move by themselves, with their columns.
    pub movers: Vec<Mover>,
    /// For each joint of the skeleton the columns that it moves by: its own, or those of the joint that it follows.
    pub shares: Vec<Option<Share>>,
    /// Number of columns.
    pub columns: usize,
    /// Rigid bodies that the reaching passes carry, parents first.
    pub bodies: Vec<Body>,
    /// What pulls on them; each body knows its part.
    pub pulls: Vec<BodyPull>,
    /// Links that can get into obstacles.
    pub segments: Vec<Segment>,
    /// The largest reach: the unit of lengths.
    pub length: f64,
    /// Whether some joints follow others.
    pub has_followers: bool,
}

/// A goal of the problem.
#[derive(Clone, Debug)]
pub(crate) struct GoalPlan {
    /// Index in the problem.
    pub index: usize,
    /// Link lengths from the first joint that moves for it to its tip.
    pub reach: f64,
    /// How its tip moves.
    pub path: Path,
    /// Joints to start anew when the goal fails: up to the nearest sub-base.
    pub limb: Vec<usize>,
    /// Exact bounds of its tip's distance from a point that cannot move, where there is one.
    pub shell: Option<Shell>,
}

/// The tip's distance from the origin of joint `center`'s rest frame lies between the bounds, whatever the pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell {
    pub center: usize,
    pub inner: f64,
    pub outer: f64,
}

/// Two points that coincide.
#[derive(Clone, Debug)]
pub(crate) struct LoopPlan {
    pub ends: [Path; 2],
    pub limbs: [Vec<usize>; 2],
}

/// A pole for one joint.
#[derive(Clone, Debug)]
pub(crate) struct HintPlan {
    pub index: usize,
    pub path: Path,
    /// First joint of the limb: where the line to the tip starts.
    pub base: usize,
    /// The goal at whose tip it ends, as an index of `goals`.
    pub goal: usize,
}

/// A point fixed to a joint's frame, and the joints that move it, from its own up.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub end: Attachment,
    pub steps: Vec<Step>,
}

/// One moving joint above a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub joint: usize,
    /// The joint whose origin stands in for the point: a joint that keeps the world's axes passes on where it is, not
    /// how its ancestors turn.
    pub lever: Option<usize>,
}

/// A joint with coordinates of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    pub joint: usize,
    pub column: usize,
}

/// Columns of a joint, and how much its coordinate changes per unit of them: distances are counted in the plan's
/// length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub column: usize,
    pub factor: f64,
}

/// A moving joint together with the fixed ones that it carries.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub joint: usize,
    pub pulls: Range<usize>,
}

/// Something that pulls on a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPull {
    pub source: Source,
    /// For a child body its rest frame, otherwise the frame of the joint that bears the point; in the body's frame.
    pub local: Isometry,
}

/// Where a pull comes from; goals and loops by their index in the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Goal(usize),
    LoopEnd(usize, usize),
    Body(usize),
}

/// A link that obstacles may touch: from a joint's origin to a child's, or to an effector's tip.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub joint: usize,
    pub end: SegmentEnd,
    pub path: Path,
    /// Whether its first end cannot move: how deep that lies is not the solver's fault.
    pub anchored: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SegmentEnd {
    Joint(usize),
    Tip(usize),
}

impl Plan {
    /// The plans of an island, to be solved one after the other. One, but where an effector's chain ends below joints
    /// that move for others: those are solved first and then kept, so that they do not move for it.
    pub fn stages(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Vec<Plan> {
        let on_island = |joint: usize| island.joints.binary_search(&joint).is_ok();
        let goals = (0..problem.goals.len())
            .filter(|&k| on_island(problem.goals[k].effector.joint) && problem.goals[k].asks())
            .map(|k| (chain_top(skeleton, &problem.goals[k].effector), k));
        let mut goals: Vec<(usize, usize)> = goals.collect();
        goals.sort_unstable();
        let mut tops: Vec<usize> = goals.iter().map(|&(top, _)| top).collect();
        tops.dedup();
        if tops.is_empty() {
            tops.push(0);
        }
        let plans = tops.iter().map(|&last| {
            let mut considered: Vec<usize> = goals.iter().filter(|(top, _)| *top <= last).map(|&(_, k)| k).collect();
            considered.sort_unstable();
            Plan::new(skeleton, problem, island, &considered)
        });
        let mut plans: Vec<Plan> = plans.collect();
        let last = plans.last().map(|plan| plan.moving.clone()).unwrap_or_default();
        let count = plans.len();
        let mut at = 0;
        plans.retain(|plan| {
            at += 1;
            at == count || plan.moving.iter().zip(&last).any(|(&early, &late)| early && !late)
        });
        plans
    }

    /// The plan of an island for some of its goals (indices into the problem).
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island, goals: &[usize]) -> Plan {
        let mut plan = Plan { moving: moving(skeleton, problem, island, goals), ..Plan::default() };
        plan.number_columns(skeleton, island);
        let loops = (0..problem.loops.len()).filter(|&k| island.joints.contains(&problem.loops[k].0.joint));
        let loops: Vec<usize> = loops.collect();
        let ends = goals.iter().map(|&k| problem.goals[k].effector.joint);
        let ends = ends.chain(loops.iter().flat_map(|&k| [problem.loops[k].0.joint, problem.loops[k].1.joint]));
        let limbs = Limbs::new(skeleton, &plan.moving, ends);
        for &index in goals {
            let effector = &problem.goals[index].effector;
            plan.goals.push(GoalPlan {
                index,
                reach: effector.reach(skeleton),
                path: plan.path(skeleton, Attachment { joint: effector.joint, point: effector.tip }),
                limb: limbs.able(skeleton, effector.joint, rows(&problem.goals[index])),
                shell: shell(skeleton, effector, &plan.moving),
            });
        }
        plan.length = plan.goals.iter().map(|goal| goal.reach).fold(0.0, f64::max);
        if plan.length <= 0.0 {
            let extent = |i: &usize| Effector::new(*i, glam::DVec3::ZERO).reach(skeleton);
            plan.length = island.joints.iter().map(extent).fold(0.0, f64::max);
        }
        if plan.length <= 0.0 {
            plan.length = 1.0;
        }
        for (joint, share) in plan.shares.iter_mut().enumerate() {
            let leader = skeleton.joints()[joint].mimic.map_or(joint, |mimic| mimic.joint);
            if let (Some(share), Kind::Slide { .. }) = (share, skeleton.kind(leader)) {
                share.factor *= plan.length;
            }
        }
        for goal in plan.goals.iter_mut().filter(|goal| goal.reach < 1e-9 * plan.length) {
            goal.reach = plan.length;
        }
        for index in loops {
            let (a, b) = problem.loops[index];
            plan.loops.push(LoopPlan {
                ends: [a, b].map(|end| plan.path(skeleton, end)),
                limbs: [a, b].map(|end| limbs.able(skeleton, end.joint, 3)),
            });
        }
        plan.find_hints(skeleton, problem, &limbs);
        if !problem.obstacles.is_empty() {
            plan.find_segments(skeleton, problem, island);
        }
        plan.find_order(skeleton, island);
        plan.find_bodies(skeleton);
        plan
    }

    /// Whether something free moves: a body that walks, a rope.
    pub fn floats(&self, skeleton: &Skeleton) -> bool {
        self.movers.iter().any(|mover| *skeleton.kind(mover.joint) == Kind::Free)
    }

    fn number_columns(&mut self, skeleton: &Skeleton, island: &Island) {
        self.shares = vec![None; skeleton.len()];
        for &joint in island.joints.iter().filter(|&&i| self.moving[i] && skeleton.joints()[i].mimic.is_none()) {
            let count = column_count(skeleton.kind(joint));
            if count > 0 {
                self.shares[joint] = Some(Share { column: self.columns, factor: 1.0 });
                self.movers.push(Mover { joint, column: self.columns });
                self.columns += count;
            }
        }
        for &joint in island.joints.iter().filter(|&&i| self.moving[i]) {
            if let Some(mimic) = skeleton.joints()[joint].mimic {
                self.shares[joint] = self.shares[mimic.joint].map(|share| Share { factor: mimic.scale, ..share });
                self.has_followers = true;
            }
        }
    }

    fn path(&self, skeleton: &Skeleton, end: Attachment) -> Path {
        let mut steps = Vec::new();
        let mut lever = None;
        let mut at = Some(end.joint);
        while let Some(joint) = at {
            if self.shares[joint].is_some() {
                steps.push(Step { joint, lever });
            }
            if skeleton.joints()[joint].axes == Axes::World {
                lever = Some(joint);
            }
            at = skeleton.joints()[joint].parent;
        }
        Path { end, steps }
    }

    fn find_hints(&mut self, skeleton: &Skeleton, problem: &Problem, limbs: &Limbs) {
        for (index, hint) in problem.hints.iter().enumerate() {
            let goal = self.goals.iter().position(|goal| {
                let effector = &problem.goals[goal.index].effector;
                problem.goals[goal.index].target.position.is_some()
                    && effector.limb(skeleton).any(|joint| joint == hint.joint)
            });
            let (Some(goal), Some(&base)) = (goal, limbs.limb(skeleton, hint.joint).last()) else { continue };
            let path = self.path(skeleton, Attachment { joint: hint.joint, point: glam::DVec3::ZERO });
            self.hints.push(HintPlan { index, path, base, goal });
        }
    }

    fn find_segments(&mut self, skeleton: &Skeleton, problem: &Problem, island: &Island) {
        let carried = |joint: usize| ancestors_to_root(skeleton, joint).any(|i| self.moving[i]);
        let mut segments = Vec::new();
        for &joint in island.joints.iter().filter(|&&joint| carried(joint)) {
            let links = skeleton.children(joint).iter().filter(|&&child| *skeleton.kind(child) != Kind::Free);
            let tips = self.goals.iter().filter(|goal| {
                let effector = &problem.goals[goal.index].effector;
                effector.joint == joint && effector.tip != glam::DVec3::ZERO
            });
            let ends = links.map(|&child| SegmentEnd::Joint(child)).chain(tips.map(|g| SegmentEnd::Tip(g.index)));
            for end in ends {
                let path = self.path(skeleton, Attachment { joint, point: glam::DVec3::ZERO });
                let own_place_moves = matches!(skeleton.kind(joint), Kind::Free | Kind::Slide { .. });
                let parent = skeleton.joints()[joint].parent;
                let origin_moves = own_place_moves && self.moving[joint] || parent.is_some_and(carried);
                segments.push(Segment { joint, end, path, anchored: !origin_moves });
            }
        }
        self.segments = segments;
    }

    fn find_order(&mut self, skeleton: &Skeleton, island: &Island) {
        let mut needed = vec![false; skeleton.len()];
        let ends = self.goals.iter().map(|goal| goal.path.end.joint);
        let ends = ends.chain(self.loops.iter().flat_map(|l| l.ends.iter().map(|end| end.end.joint)));
        let ends = ends.chain(self.segments.iter().map(|segment| match segment.end {
            SegmentEnd::Joint(child) => child,
            SegmentEnd::Tip(_) => segment.joint,
        }));
        let movers = self.movers.iter().map(|mover| mover.joint);
        for end in ends.chain(movers) {
            ancestors_to_root(skeleton, end).for_each(|i| needed[i] = true);
        }
        self.order = island.joints.iter().copied().filter(|&i| needed[i]).collect();
    }

    fn find_bodies(&mut self, skeleton: &Skeleton) {
        // For each joint the body it belongs to, and its frame in that body's.
        let mut owners: Vec<Option<(usize, Isometry)>> = vec![None; skeleton.len()];
        let mut pulls: Vec<(usize, BodyPull)> = Vec::new();
        for &joint in &self.order {
            let own = &skeleton.joints()[joint];
            let above = own.parent.and_then(|parent| owners[parent]);
            let rest = Isometry::new(own.offset, own.rest);
            if own.kind == Kind::Fixed && own.axes == Axes::Parent && above.is_some() {
                owners[joint] = above.map(|(body, frame)| (body, frame.frame(rest)));
                continue;
            }
            if !self.moving[joint] {
                continue;
            }
            owners[joint] = Some((joint, Isometry::IDENTITY));
            if let (Some((body, frame)), false) = (above, own.kind == Kind::Free) {
                pulls.push((body, BodyPull { source: Source::Body(joint), local: frame.frame(rest) }));
            }
        }
        let goals = self.goals.iter().enumerate().map(|(k, goal)| (goal.path.end.joint, Source::Goal(k)));
        let loops = self.loops.iter().enumerate().flat_map(|(k, closure)| {
            closure.ends.iter().enumerate().map(move |(side, end)| (end.end.joint, Source::LoopEnd(k, side)))
        });
        for (joint, source) in goals.chain(loops) {
            if let Some((body, local)) = owners[joint] {
                pulls.push((body, BodyPull { source, local }));
            }
        }
        // A body that nothing pulls stays as it is; whether a child pulls is known once all goals are in.
        let mut pulled = vec![false; skeleton.len()];
        for &(body, _) in pulls.iter().filter(|(_, pull)| !matches!(pull.source, Source::Body(_))) {
            let mut at = Some(body);
            while let Some(i) = at {
                pulled[i] = true;
                at = skeleton.joints()[i].parent.and_then(|parent| owners[parent]).map(|(owner, _)| owner);
                if *skeleton.kind(i) == Kind::Free {
                    break;
                }
            }
        }
        pulls.retain(|(_, pull)| !matches!(pull.source, Source::Body(child) if !pulled[child]));
        pulls.sort_by_key(|(body, _)| *body);
        for &joint in self.order.iter().filter(|&&i| pulled[i]) {
            let start = pulls.partition_point(|(body, _)| *body < joint);
            let end = pulls.partition_point(|(body, _)| *body <= joint);
            self.bodies.push(Body { joint, pulls: start..end });
        }
        self.pulls = pulls.into_iter().map(|(_, pull)| pull).collect();
    }
}

/// Number of rows that a goal asks to be zero.
fn rows(goal: &Goal) -> usize {
    let position = goal.target.position.is_some() && goal.weight > 0.0;
    let rotation = goal.target.rotation.is_some() && goal.rotation_weight > 0.0;
    3 * (usize::from(position) + usize::from(rotation))
}

/// Number of columns of the Jacobian: degrees of freedom.
pub(crate) fn column_count(kind: &Kind) -> usize {
    match kind {
        Kind::Ball { .. } => 3,
        Kind::Hinge { .. } | Kind::Slide { .. } => 1,
        Kind::Fixed => 0,
        Kind::Free => 6,
    }
}

/// A joint and all above it.
pub(crate) fn ancestors_to_root(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> + use<'_> {
    std::iter::successors(Some(joint), |&i| skeleton.joints()[i].parent)
}

/// Number of joints above the chain of an effector; 0 where the chain is not cut short.
fn chain_top(skeleton: &Skeleton, effector: &Effector) -> usize {
    let Some(length) = effector.chain_length else { return 0 };
    ancestors_to_root(skeleton, effector.joint).count().saturating_sub(length)
}

/// The joints that may move: those in the chains of goals and loops, less those above a chain that is cut short.
fn moving(skeleton: &Skeleton, problem: &Problem, island: &Island, goals: &[usize]) -> Vec<bool> {
    let mut moving = vec![false; skeleton.len()];
    for &k in goals {
        problem.goals[k].effector.limb(skeleton).for_each(|i| moving[i] = true);
    }
    let on_island = |joint: usize| island.joints.binary_search(&joint).is_ok();
    for end in problem.loops.iter().flat_map(|&(a, b)| [a, b]).filter(|end| on_island(end.joint)) {
        ancestors(skeleton, end.joint).for_each(|i| moving[i] = true);
    }
    // Who follows moves when its leader does, and a leader moves for who follows it.
    for (i, joint) in skeleton.joints().iter().enumerate() {
        if let (Some(mimic), true) = (joint.mimic, moving[i]) {
            moving[mimic.joint] = true;
        }
    }
    for &k in goals {
        let effector = &problem.goals[k].effector;
        if let Some(length) = effector.chain_length {
            ancestors_to_root(skeleton, effector.joint).skip(length).for_each(|i| moving[i] = false);
        }
    }
    for (i, joint) in skeleton.joints().iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            moving[i] = moving[mimic.joint];
        }
    }
    moving
}
