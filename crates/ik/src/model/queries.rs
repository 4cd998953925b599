//! What can be read off a pose: which limits it stands at, and whether it leaves any.

use super::joint::Kind;
use super::limits::{Interval, Swing};
use super::obstacle::Contact;
use super::pose::Coordinates;
use super::problem::Problem;
use super::skeleton::Skeleton;
use super::transform::{Isometry, angle_between};
use glam::DVec3;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum LimitSide {
    /// Lower end of a hinge's or a slide's range.
    Low,
    /// Upper end of it.
    High,
    /// Rim of a ball's swing.
    Rim,
    /// Lower end of a ball's twist.
    TwistLow,
    /// Upper end of it.
    TwistHigh,
}

/// A joint that stands at a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AtLimit {
    /// Index of the joint.
    pub joint: usize,
    /// Which of its limits.
    pub side: LimitSide,
}

/// The limits that a pose stands at, to within `slack` (radians; lengths for slides); by joint. A joint that a limit
/// locks altogether is left out: it always stands at it.
pub fn at_limits(skeleton: &Skeleton, pose: &[Coordinates], slack: f64) -> Vec<AtLimit> {
    let mut found = Vec::new();
    for (joint, now) in pose.iter().enumerate().take(skeleton.len()) {
        let mut add = |side| found.push(AtLimit { joint, side });
        match skeleton.kind(joint) {
            Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
                side_of(*range, now.value(), slack, [LimitSide::Low, LimitSide::High]).map(&mut add);
            }
            Kind::Ball { swing, twist } => {
                if swing.is_some_and(|swing| at_rim(swing, now.tilt(), slack)) {
                    add(LimitSide::Rim);
                }
                if let Some(range) = twist {
                    side_of(*range, now.twist(), slack, [LimitSide::TwistLow, LimitSide::TwistHigh]).map(&mut add);
                }
            }
            _ => {}
        }
    }
    found
}

fn side_of(range: Interval, value: f64, slack: f64, [low, high]: [LimitSide; 2]) -> Option<LimitSide> {
    match range.high() - range.low() > 2.0 * slack {
        true if value <= range.low() + slack => Some(low),
        true if value >= range.high() - slack => Some(high),
        _ => None,
    }
}

fn at_rim(swing: Swing, tilt: [f64; 2], slack: f64) -> bool {
    let length = tilt[0].hypot(tilt[1]);
    let fraction = swing.fraction(tilt);
    swing.locked() != [true; 2] && length > slack && length / fraction - length <= slack
}

/// How far the worst coordinate of a pose is outside its limits: radians, lengths for slides; 0 where all hold.
pub fn worst_violation(skeleton: &Skeleton, pose: &[Coordinates]) -> f64 {
    let outside = (0..skeleton.len()).map(|i| {
        let kind = &skeleton.joints()[i].kind;
        let limited = match kind {
            Kind::Ball { swing, twist } => swing.is_some() || twist.is_some(),
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => range.is_some(),
            Kind::Fixed | Kind::Free => false,
        };
        if !limited {
            return 0.0;
        }
        let inside = kind.project(pose[i]);
        inside.0.iter().zip(pose[i].0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    });
    outside.fold(0.0, f64::max)
}

/// Depth of the worst link in an obstacle, world units; 0 where all keep clear. Links that cannot move are not counted
/// at their fixed ends.
pub fn penetration(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> f64 {
    let frames = skeleton.frames_at(problem.base, pose);
    let mut worst: f64 = 0.0;
    for joint in 0..skeleton.len() {
        let children = skeleton.children(joint).iter().filter(|&&child| *skeleton.kind(child) != Kind::Free);
        let tips = (0..problem.goals.len()).filter(|&k| problem.goals[k].effector.joint == joint);
        let links = children.map(|&child| LinkEnd::Joint(child)).chain(tips.map(LinkEnd::Tip));
        let anchored = skeleton.joints()[joint].parent.is_none() && *skeleton.kind(joint) != Kind::Free;
        for end in links {
            let (a, b) = link_ends(problem, joint, end, &frames);
            for obstacle in &problem.obstacles {
                let contact = obstacle.contact(a, b);
                worst = worst.max(excess(&contact, || obstacle.depth(a), anchored, problem.link_radius));
            }
        }
    }
    worst
}

/// Where a link that starts at a joint ends: at a child joint, or at the tip of a goal's effector (index of the goal).
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkEnd {
    Joint(usize),
    Tip(usize),
}

/// The two ends of a link.
pub(crate) fn link_ends(problem: &Problem, joint: usize, end: LinkEnd, frames: &[Isometry]) -> (DVec3, DVec3) {
    let start = frames[joint];
    let end = match end {
        LinkEnd::Joint(child) => frames[child].position,
        LinkEnd::Tip(goal) => start.point(problem.goals[goal].effector.tip),
    };
    (start.position, end)
}

/// How much too near a link is; of a link that begins at a point which cannot move, how much more than that point.
pub(crate) fn excess(contact: &Contact, start: impl Fn() -> f64, anchored: bool, radius: f64) -> f64 {
    let depth = contact.depth + radius;
    if anchored && depth > 0.0 { depth - (start() + radius).max(0.0) } else { depth }
}

/// What is left of one goal in a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoalError {
    /// Distance between the effector and its target, as a fraction of the reach; 0 where no position is asked.
    pub position: f64,
    /// Angle between the orientation and the one wanted, radians; 0 where none is asked.
    pub angle: f64,
}

/// What is left of each goal of the problem in a pose, in the problem's order.
pub fn goal_errors(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Vec<GoalError> {
    let frames = skeleton.frames_at(problem.base, pose);
    let errors = problem.goals.iter().map(|goal| {
        let frame = frames[goal.effector.joint];
        let scale = goal.effector.error_scale(skeleton, problem.goals.iter().map(|goal| &goal.effector));
        let position = goal.asked_position().map_or(0.0, |target| frame.point(goal.effector.tip).distance(target));
        GoalError {
            position: position / scale,
            angle: goal.asked_rotation().map_or(0.0, |target| angle_between(frame.rotation, target)),
        }
    });
    errors.collect()
}

/// Distance between the two points of each loop of the problem in a pose, in world units.
pub fn loop_gaps(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Vec<f64> {
    let frames = skeleton.frames_at(problem.base, pose);
    let gaps =
        problem.loops.iter().map(|(a, b)| frames[a.joint].point(a.point).distance(frames[b.joint].point(b.point)));
    gaps.collect()
}
