//! Builds layouts: once per topology of skeleton and problem, never during a solve.

use crate::layout::elbow::Elbow;
use crate::layout::shell::shells;
use crate::layout::{
    ActiveJoint, Body, BodyPull, CustomLayout, GoalLayout, JointColumns, Layout, LoopLayout, Path, PathJoint,
    PoleLayout, Segment, Source,
};
use crate::model::{
    Attachment, Axes, CenterOfMass, CustomGoal, Effector, Goal, Isometry, KeepClear, Kind, LinkEnd, Problem, Skeleton,
};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

impl Layout {
    /// The layouts of a figure, one per stage; stages are solved in order. There is one stage unless
    /// the chain of an effector is cut short below joints that move for other goals. Those joints are solved first and
    /// then stay, so that they do not move for that effector.
    pub fn stages(skeleton: &Skeleton, problem: &Problem) -> Vec<Layout> {
        let active = (0..problem.goals.len()).filter(|&k| problem.goals[k].is_active());
        let goals: Vec<(usize, usize)> = active.map(|k| (chain_top(skeleton, &problem.goals[k].effector), k)).collect();
        let mut tops: BTreeSet<usize> = goals.iter().map(|&(top, _)| top).collect();
        let last = tops.pop_last().unwrap_or_default();
        let stage = |most: usize| {
            let considered: Vec<usize> = goals.iter().filter(|(top, _)| *top <= most).map(|&(_, k)| k).collect();
            Layout::new(skeleton, problem, &considered, CustomGoal::is_active)
        };
        let last = stage(last);
        let moves_more = |early: &Layout| early.moving.iter().zip(&last.moving).any(|(&early, &late)| early && !late);
        let mut layouts: Vec<Layout> = tops.into_iter().map(stage).filter(moves_more).collect();
        layouts.push(last);
        layouts
    }

    /// The layout of a figure, for the given goals (indices into the problem) and those custom goals that count.
    pub fn new(skeleton: &Skeleton, problem: &Problem, goals: &[usize], counts: fn(&CustomGoal) -> bool) -> Layout {
        let custom: Vec<usize> = custom_goals(problem, counts).collect();
        let moving = moving(skeleton, problem, goals, custom_ends(skeleton, problem, &custom));
        Layout::of(skeleton, problem, [goals, &custom], moving)
    }

    /// The layout of a figure for its active and its preferred goals, and its posture.
    pub fn with_preferences(skeleton: &Skeleton, problem: &Problem) -> Layout {
        let find = |is: fn(&Goal) -> bool| (0..problem.goals.len()).filter(move |&k| is(&problem.goals[k]));
        let goals: Vec<usize> = find(Goal::is_active).collect();
        let all: Vec<usize> = goals.iter().copied().chain(find(Goal::is_preferred)).collect();
        let custom: Vec<usize> = custom_goals(problem, |goal| goal.is_active() || goal.is_preferred()).collect();
        let kept = problem.posture.joints().chain(custom_ends(skeleton, problem, &custom));
        let moving = moving(skeleton, problem, &all, kept);
        let mut layout = Layout::of(skeleton, problem, [&goals, &custom], moving);
        for &index in &all[goals.len()..] {
            let effector = &problem.goals[index].effector;
            let size = effector.size(skeleton);
            let path = layout.path(skeleton, Attachment { joint: effector.joint, point: effector.tip });
            let size = if size < 1e-9 * layout.length { layout.length } else { size };
            layout.preferred.push(GoalLayout { index, size, path, limb: Vec::new(), shells: Vec::new() });
        }
        layout.find_order(skeleton);
        layout
    }

    /// The size of the largest goal, or else of the largest joint.
    fn largest_size(&self, skeleton: &Skeleton) -> f64 {
        let largest = |sizes: &mut dyn Iterator<Item = f64>| sizes.reduce(f64::max).filter(|size| *size > 0.0);
        let extent = |joint: usize| Effector::new(joint, DVec3::ZERO).size(skeleton);
        largest(&mut self.goals.iter().map(|goal| goal.size))
            .or_else(|| largest(&mut (0..skeleton.len()).map(extent)))
            .unwrap_or(1.0)
    }

    fn of(skeleton: &Skeleton, problem: &Problem, [goals, custom]: [&[usize]; 2], moving: Vec<bool>) -> Layout {
        let mut layout = Layout { moving, ..Layout::default() };
        layout.number_columns(skeleton);
        let ends = goals.iter().map(|&k| problem.goals[k].effector.joint);
        let ends = ends.chain(problem.loops.iter().flat_map(|(a, b)| [a.joint, b.joint]));
        let limbs = Limbs::new(skeleton, &layout.moving, ends);
        for &index in goals {
            let effector = &problem.goals[index].effector;
            layout.goals.push(GoalLayout {
                index,
                size: effector.size(skeleton),
                path: layout.path(skeleton, Attachment { joint: effector.joint, point: effector.tip }),
                limb: limbs.with_freedom(skeleton, effector.joint, residual_count(&problem.goals[index])),
                shells: shells(skeleton, effector, &layout.moving),
            });
        }
        if layout.has_stiffness {
            layout.hanging = layout.hanging_columns(skeleton, problem);
        }
        if layout.has_stiffness || !problem.centers_of_mass.is_empty() {
            layout.elbows =
                layout.active_joints.iter().flat_map(|own| Elbow::of(skeleton, own.joint, own.column)).collect();
        }
        layout.length = layout.largest_size(skeleton);
        for (joint, columns) in layout.joint_columns.iter_mut().enumerate() {
            let leader = skeleton.joints()[joint].mimic.map_or(joint, |mimic| mimic.joint);
            if let (Some(columns), Kind::Slide { .. }) = (columns, skeleton.kind(leader)) {
                columns.scale *= layout.length;
            }
        }
        layout.slides = layout.sliding_columns(skeleton);
        for goal in layout.goals.iter_mut().filter(|goal| goal.size < 1e-9 * layout.length) {
            goal.size = layout.length;
        }
        for &(a, b) in &problem.loops {
            layout.loops.push(LoopLayout {
                ends: [a, b].map(|end| layout.path(skeleton, end)),
                limbs: [a, b].map(|end| limbs.with_freedom(skeleton, end.joint, 3)),
            });
        }
        for &index in custom {
            let points = problem.custom_goals[index].points.iter().map(|&end| layout.path(skeleton, end)).collect();
            layout.custom_goals.push(CustomLayout { index, points });
        }
        layout.find_poles(skeleton, problem, &limbs);
        let measured: BTreeSet<usize> = problem.measured_joints().collect();
        layout.measured = measured.into_iter().map(|joint| layout.path(skeleton, origin(joint))).collect();
        if !problem.keep_clear.is_empty() {
            layout.find_capsules(skeleton, problem);
        } else if !problem.obstacles.is_empty() {
            layout.find_segments(skeleton, problem);
        }
        layout.find_order(skeleton);
        layout.find_bodies(skeleton);
        layout
    }

    fn sliding_columns(&self, skeleton: &Skeleton) -> Vec<usize> {
        let slides = |joint: usize| matches!(skeleton.kind(joint), Kind::Slide { .. });
        let turns = |follower: usize, leader| {
            !slides(follower) && skeleton.joints()[follower].mimic.is_some_and(|mimic| mimic.joint == leader)
        };
        let only_slides = |joint| slides(joint) && !(0..skeleton.len()).any(|follower| turns(follower, joint));
        self.active_joints.iter().filter(|active| only_slides(active.joint)).map(|active| active.column).collect()
    }

    fn hanging_columns(&self, skeleton: &Skeleton, problem: &Problem) -> Vec<usize> {
        let [mut has_goal, mut needs_turn, mut carries] = [(); 3].map(|()| vec![false; skeleton.len()]);
        for goal in self.goals.iter().map(|goal| &problem.goals[goal.index]) {
            let joint = goal.effector.joint;
            has_goal[joint] = true;
            needs_turn[joint] |= goal.effector.tip != DVec3::ZERO || goal.requested_orientation().is_some();
            skeleton.ancestors(joint).skip(1).for_each(|above| carries[above] = true);
        }
        let mut hangs = vec![false; skeleton.len()];
        for (at, joint) in skeleton.joints().iter().enumerate() {
            let is_end = |at: usize| has_goal[at] && !carries[at];
            let only_turns = matches!(joint.kind, Kind::Hinge { .. } | Kind::Ball { .. });
            hangs[at] = joint.parent.is_some_and(|parent| hangs[parent] || is_end(parent))
                || is_end(at) && only_turns && !needs_turn[at];
        }
        let hanging = self.active_joints.iter().filter(|active| hangs[active.joint]);
        hanging.flat_map(|active| active.columns(skeleton)).collect()
    }

    fn number_columns(&mut self, skeleton: &Skeleton) {
        self.joint_columns = vec![None; skeleton.len()];
        for joint in (0..skeleton.len()).filter(|&i| self.moving[i] && skeleton.joints()[i].mimic.is_none()) {
            let count = skeleton.kind(joint).degrees_of_freedom();
            if count > 0 {
                self.joint_columns[joint] = Some(JointColumns { first: self.columns, scale: 1.0 });
                self.active_joints.push(ActiveJoint { joint, column: self.columns });
                self.columns += count;
                // The last column of a ball with limits is its twist.
                let kind = skeleton.kind(joint);
                let has_twist = matches!(kind, Kind::Ball { .. }) && *kind != Kind::UNLIMITED_BALL;
                let own = |at| skeleton.joints()[joint].compliance(has_twist && at + 1 == count);
                self.compliance.extend((0..count).map(own));
            }
        }
        self.has_stiffness = self.compliance.iter().any(|&own| own < 1.0);
        for joint in (0..skeleton.len()).filter(|&i| self.moving[i]) {
            if let Some(mimic) = skeleton.joints()[joint].mimic {
                self.joint_columns[joint] =
                    self.joint_columns[mimic.joint].map(|columns| JointColumns { scale: mimic.scale, ..columns });
                self.has_followers = true;
            }
        }
    }

    fn path(&self, skeleton: &Skeleton, end: Attachment) -> Path {
        let mut joints = Vec::new();
        let mut lever = None;
        let mut at = Some(end.joint);
        while let Some(joint) = at {
            if self.joint_columns[joint].is_some() {
                joints.push(PathJoint { joint, lever });
            }
            if skeleton.joints()[joint].axes == Axes::World {
                lever = Some(joint);
            }
            at = skeleton.joints()[joint].parent;
        }
        joints.shrink_to_fit();
        Path { end, joints }
    }

    fn find_poles(&mut self, skeleton: &Skeleton, problem: &Problem, limbs: &Limbs) {
        for (index, pole) in problem.poles.iter().enumerate() {
            let goal = self.goals.iter().position(|goal| {
                let effector = &problem.goals[goal.index].effector;
                problem.goals[goal.index].requested_position().is_some()
                    && effector.chain_joints(skeleton).any(|joint| joint == pole.joint)
            });
            let (Some(goal), Some(&base)) = (goal, limbs.limb(skeleton, pole.joint).last()) else { continue };
            let path = self.path(skeleton, origin(pole.joint));
            self.poles.push(PoleLayout { index, path, base, goal });
        }
    }

    fn find_capsules(&mut self, skeleton: &Skeleton, problem: &Problem) {
        let KeepClear { capsules, pairs, .. } = &problem.keep_clear;
        let paths: Vec<Path> = capsules.iter().map(|capsule| self.path(skeleton, origin(capsule.joint))).collect();
        let movers = |at: usize| paths[at].joints.iter().map(|above| above.joint);
        let mut by_joints: BTreeMap<[usize; 2], Vec<[usize; 2]>> = BTreeMap::new();
        for &pair in pairs.iter().filter(|&&[a, b]| !movers(a).eq(movers(b))) {
            by_joints.entry(pair.map(|at| capsules[at].joint)).or_default().push(pair);
        }
        self.pairs = by_joints.into_iter().collect();
        self.capsules = paths;
    }

    fn find_segments(&mut self, skeleton: &Skeleton, problem: &Problem) {
        let mut carried: Vec<bool> = Vec::with_capacity(skeleton.len());
        for (joint, own) in skeleton.joints().iter().enumerate() {
            carried.push(self.moving[joint] || own.parent.is_some_and(|parent| carried[parent]));
        }
        let mut segments = Vec::new();
        for joint in (0..skeleton.len()).filter(|&joint| carried[joint]) {
            let links = skeleton.children(joint).iter().filter(|&&child| *skeleton.kind(child) != Kind::Free);
            let tips = self.goals.iter().filter(|goal| {
                let effector = &problem.goals[goal.index].effector;
                effector.joint == joint && effector.tip != DVec3::ZERO
            });
            let ends = links.map(|&child| LinkEnd::Joint(child)).chain(tips.map(|g| LinkEnd::Tip(g.index)));
            for end in ends {
                let path = self.path(skeleton, origin(joint));
                let own_place_moves = matches!(skeleton.kind(joint), Kind::Free | Kind::Slide { .. });
                let parent = skeleton.joints()[joint].parent;
                let origin_moves =
                    own_place_moves && self.moving[joint] || parent.is_some_and(|parent| carried[parent]);
                segments.push(Segment { joint, end, path, anchored: !origin_moves });
            }
        }
        self.segments = segments;
    }

    fn find_order(&mut self, skeleton: &Skeleton) {
        let mut needed = vec![false; skeleton.len()];
        let ends = self.goals.iter().chain(&self.preferred).map(|goal| goal.path.end.joint);
        let ends = ends.chain(self.loops.iter().flat_map(|l| l.ends.iter().map(|end| end.end.joint)));
        let ends = ends.chain(self.segments.iter().map(|segment| match segment.end {
            LinkEnd::Joint(child) => child,
            LinkEnd::Tip(_) => segment.joint,
        }));
        let moved = self.capsules.iter().filter(|path| !path.joints.is_empty());
        let ends = ends.chain(moved.map(|path| path.end.joint));
        let points = self.custom_goals.iter().flat_map(|goal| &goal.points).chain(&self.measured);
        let ends = ends.chain(points.map(|path| path.end.joint));
        let active_joints = self.active_joints.iter().map(|active| active.joint);
        ends.chain(active_joints).for_each(|joint| needed[joint] = true);
        for (joint, own) in skeleton.joints().iter().enumerate().rev() {
            if let (Some(parent), true) = (own.parent, needed[joint]) {
                needed[parent] = true;
            }
        }
        self.order = (0..skeleton.len()).filter(|&i| needed[i]).collect();
    }

    fn find_bodies(&mut self, skeleton: &Skeleton) {
        // For each joint, the body that it belongs to and its frame relative to that body.
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
        // A body without pulls keeps its pose. Whether a child pulls is known only after all goals have been added.
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

/// The origin of a joint's frame.
fn origin(joint: usize) -> Attachment {
    Attachment { joint, point: DVec3::ZERO }
}

/// Number of residuals of a goal.
fn residual_count(goal: &Goal) -> usize {
    3 * (usize::from(goal.requested_position().is_some()) + usize::from(goal.requests_orientation()))
}

/// The custom goals of a problem that count.
fn custom_goals(problem: &Problem, counts: fn(&CustomGoal) -> bool) -> impl Iterator<Item = usize> {
    (0..problem.custom_goals.len()).filter(move |&at| counts(&problem.custom_goals[at]))
}

/// The joints that move for these custom goals.
fn custom_ends(skeleton: &Skeleton, problem: &Problem, custom: &[usize]) -> impl Iterator<Item = usize> {
    let points = custom.iter().flat_map(|&at| &problem.custom_goals[at].points);
    points.flat_map(|end| skeleton.ancestors_within_body(end.joint))
}

/// Number of joints above the chain of an effector; 0 if the chain is not cut short.
fn chain_top(skeleton: &Skeleton, effector: &Effector) -> usize {
    let Some(length) = effector.chain_length else { return 0 };
    skeleton.ancestors(effector.joint).count().saturating_sub(length)
}

/// For each joint, whether it may move: those in the chains of goals and loops, those that carry bodies and those `kept` in a posture or by custom goals,
/// without those above a chain that is cut short.
fn moving(skeleton: &Skeleton, problem: &Problem, goals: &[usize], kept: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut moving = vec![false; skeleton.len()];
    kept.for_each(|joint| moving[joint] = true);
    for &k in goals {
        problem.goals[k].effector.chain_joints(skeleton).for_each(|i| moving[i] = true);
    }
    for end in problem.loops.iter().flat_map(|&(a, b)| [a, b]) {
        skeleton.ancestors_within_body(end.joint).for_each(|i| moving[i] = true);
    }
    for body in &problem.centers_of_mass {
        carriers(skeleton, body).for_each(|i| moving[i] = true);
    }
    // A mimic joint moves with the joint that it follows, which in turn moves for the mimic joint.
    for (i, joint) in skeleton.joints().iter().enumerate() {
        if let (Some(mimic), true) = (joint.mimic, moving[i]) {
            moving[mimic.joint] = true;
        }
    }
    for &k in goals {
        let effector = &problem.goals[k].effector;
        if let Some(length) = effector.chain_length {
            skeleton.ancestors(effector.joint).skip(length).for_each(|i| moving[i] = false);
        }
    }
    for (i, joint) in skeleton.joints().iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            moving[i] = moving[mimic.joint];
        }
    }
    moving
}

/// Joints that carry a smaller share of a body's mass do not move for its balance alone: arms and heads. Test:
/// `the_trunk_is_a_counterweight`.
const LEAST_CARRIED: f64 = 0.1;

/// The joints that move for the balance of a body, if goals do not move them: those that carry much of it.
fn carriers(skeleton: &Skeleton, body: &CenterOfMass) -> impl Iterator<Item = usize> {
    let mut carried = vec![0.0; skeleton.len()];
    for mass in &body.masses {
        skeleton.ancestors_within_body(mass.joint).for_each(|i| carried[i] += mass.mass);
    }
    let least = LEAST_CARRIED * body.total();
    (0..carried.len()).filter(move |&i| carried[i] >= least)
}

/// Finds limbs. A limb begins at a root, or at a child of a sub-base (a joint from which several ends are reached).
pub(crate) struct Limbs {
    moving: Vec<bool>,
    /// For each joint, the number of its children that lead to ends, plus the ends on the joint itself.
    end_counts: Vec<usize>,
}

impl Limbs {
    /// `ends` are the joints that carry goals and ends of loops.
    pub fn new(skeleton: &Skeleton, moving: &[bool], ends: impl Iterator<Item = usize>) -> Self {
        let mut end_counts = vec![0; skeleton.len()];
        ends.for_each(|end| end_counts[end] += 1);
        for i in (0..skeleton.len()).rev() {
            if let (Some(parent), true) = (skeleton.joints()[i].parent, end_counts[i] > 0) {
                end_counts[parent] += 1;
            }
        }
        Limbs { moving: moving.to_vec(), end_counts }
    }

    /// The limb of `joint`, extended by the limbs above it until it has at least as many degrees of freedom as `rows`, the
    /// number of residuals that it must bring to zero: a finger that only slides includes its arm.
    pub fn with_freedom(&self, skeleton: &Skeleton, joint: usize, rows: usize) -> Vec<usize> {
        let mut limb = self.limb(skeleton, joint);
        while let Some(parent) = limb.last().and_then(|&top| skeleton.joints()[top].parent) {
            let freedom: usize = limb.iter().map(|&i| skeleton.kind(i).degrees_of_freedom()).sum();
            let above = self.limb(skeleton, parent);
            if freedom >= rows || above.is_empty() {
                break;
            }
            limb.extend(above);
        }
        limb
    }

    /// The joints from `joint` up to the last one below a sub-base, a free joint, or one that does not move.
    pub fn limb(&self, skeleton: &Skeleton, joint: usize) -> Vec<usize> {
        let mut limb = Vec::new();
        let mut at = joint;
        while self.moving[at] && *skeleton.kind(at) != Kind::Free {
            limb.push(at);
            match skeleton.joints()[at].parent {
                Some(parent) if self.end_counts[parent] <= 1 => at = parent,
                _ => break,
            }
        }
        limb
    }
}
