//! Queries on a pose: which limits it touches or violates, how deep it is in obstacles, what is nearest to each other, and
//! the errors of its goals and loops.

use super::{
    Body, Contact, Coordinates, Interval, Isometry, KeepClear, Kind, Obstacle, Problem, Separation, Skeleton, Swing,
};
use crate::maths;
use glam::DVec3;

/// A side of a joint limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum LimitSide {
    /// Lower end of a hinge's or a slide's range.
    Low,
    /// Upper end of that range.
    High,
    /// Rim of a ball's swing.
    Rim,
    /// Lower end of a ball's twist.
    TwistLow,
    /// Upper end of a ball's twist.
    TwistHigh,
}

/// A joint that is at one of its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AtLimit {
    /// Index of the joint.
    pub joint: usize,
    /// The limit.
    pub side: LimitSide,
}

/// The limits that `pose` is at, to within `slack` (radians; lengths for slides), in the order of the joints. Locked
/// swings, and ranges no wider than twice the slack, are omitted: such joints are always at their limits.
pub fn at_limits(skeleton: &Skeleton, pose: &[Coordinates], slack: f64) -> Vec<AtLimit> {
    let mut found = Vec::new();
    for (joint, now) in pose.iter().enumerate().take(skeleton.len()) {
        let mut add = |side| found.push(AtLimit { joint, side });
        match *skeleton.kind(joint) {
            Kind::Ball { swing, twist } => {
                if swing.is_some_and(|swing| at_rim(swing, now.tilt(), slack)) {
                    add(LimitSide::Rim);
                }
                side_of(twist, now.twist(), slack, [LimitSide::TwistLow, LimitSide::TwistHigh]).map(add);
            }
            kind => {
                side_of(kind.range(), now.value(), slack, [LimitSide::Low, LimitSide::High]).map(add);
            }
        }
    }
    found
}

fn side_of(range: Option<Interval>, value: f64, slack: f64, [low, high]: [LimitSide; 2]) -> Option<LimitSide> {
    match range.filter(|range| range.width() > 2.0 * slack)? {
        range if range.at_low(value, slack) => Some(low),
        range if range.at_high(value, slack) => Some(high),
        _ => None,
    }
}

fn at_rim(swing: Swing, tilt: [f64; 2], slack: f64) -> bool {
    let length = maths::hypot(tilt[0], tilt[1]);
    let fraction = swing.fraction(tilt);
    swing.locked() != [true; 2] && length > slack && length / fraction - length <= slack
}

/// The largest violation of a limit in `pose`: radians, lengths for slides; 0 if all limits hold.
pub fn worst_violation(skeleton: &Skeleton, pose: &[Coordinates]) -> f64 {
    let outside = (0..skeleton.len()).map(|i| {
        let kind = &skeleton.joints()[i].kind;
        let limited = match kind {
            Kind::Ball { swing, twist } => swing.is_some() || twist.is_some(),
            _ => kind.range().is_some(),
        };
        if !limited {
            return 0.0;
        }
        let inside = kind.project(pose[i]);
        inside.0.iter().zip(pose[i].0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    });
    outside.fold(0.0, f64::max)
}

/// The largest depth of a link (the segment between joints) in an obstacle, including the clearance, in world units; 0 if all
/// links are clear. For capsules, see [`clearance`](crate::queries::clearance()). If
/// one end of a link cannot move, only the depth beyond that end counts.
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
            for obstacle in problem.obstacles.iter() {
                let contact = obstacle.contact(a, b);
                worst = worst.max(excess(&contact, || obstacle.depth(a), anchored, problem.link_radius));
            }
        }
    }
    worst
}

/// The end of a link that starts at a joint: a child joint, or the tip of the effector of a goal (its index).
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

/// The depth of a link in an obstacle plus its clearance `radius`. For a link whose start cannot move (`anchored`),
/// only the part that exceeds the depth of the start.
pub(crate) fn excess(contact: &Contact, start: impl Fn() -> f64, anchored: bool, radius: f64) -> f64 {
    let depth = contact.depth + radius;
    if anchored && depth > 0.0 { depth - (start() + radius).max(0.0) } else { depth }
}

/// The error of one goal in a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoalError {
    /// Distance between effector and target as a fraction of the effector's size; 0 if no position is requested.
    pub position: f64,
    /// The same distance in world units.
    #[cfg_attr(feature = "serde", serde(default))]
    pub distance: f64,
    /// Angle to the requested orientation, radians; 0 if none is requested.
    pub angle: f64,
}

/// The errors of all goals of the problem in `pose`, in the problem's order.
pub fn goal_errors(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Vec<GoalError> {
    let frames = skeleton.frames_at(problem.base, pose);
    let errors = problem.goals.iter().map(|goal| {
        let scale = goal.effector.error_scale(skeleton, problem.goals.iter().map(|goal| &goal.effector));
        let (distance, angle) = goal.error(frames[goal.effector.joint]);
        GoalError { position: distance / scale, distance, angle }
    });
    errors.collect()
}

/// The largest error of an active goal or a loop, as in [`Report::error`](crate::Report::error).
pub(crate) fn worst_error(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> f64 {
    let errors = goal_errors(skeleton, problem, pose).into_iter().zip(&problem.goals);
    let goals = errors.filter(|(_, goal)| goal.is_active()).map(|(error, _)| error.position);
    let length = Some(skeleton.extent()).filter(|&extent| extent > 0.0).unwrap_or(1.0);
    let gaps = loop_gaps(skeleton, problem, pose).into_iter().map(|gap| gap / length);
    goals.chain(gaps).fold(0.0, f64::max)
}

/// The distance between the two points of each loop of the problem in `pose`, in world units.
pub fn loop_gaps(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Vec<f64> {
    let frames = skeleton.frames_at(problem.base, pose);
    let gaps =
        problem.loops.iter().map(|(a, b)| frames[a.joint].point(a.point).distance(frames[b.joint].point(b.point)));
    gaps.collect()
}

/// What a capsule is nearest to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum NearPart {
    /// Another capsule, by its index.
    Capsule(usize),
    /// An obstacle, by its index.
    Obstacle(usize),
}

/// The distance of a capsule from another one or from an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// Distance of the surfaces; negative if they overlap: the shortest way to move them apart, or for hulls the one to move
    /// their capsules apart, which is longer.
    pub distance: f64,
    /// Index of the capsule.
    pub capsule: usize,
    /// The other one of the two.
    pub other: NearPart,
    /// The nearest points of the two surfaces, or the deepest ones, world. If hulls overlap, those of their capsules.
    pub points: [DVec3; 2],
}

/// The smallest distance in `pose` (one entry per joint) between the pairs of capsules of the problem, and between capsules
/// that can move and obstacles. `None` without any.
pub fn clearance(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Option<Clearance> {
    let KeepClear { capsules, pairs, .. } = &problem.keep_clear;
    let frames = skeleton.frames_at(problem.base, pose);
    let bodies: Vec<Body> = capsules.iter().map(|capsule| capsule.at(&frames[capsule.joint])).collect();
    let mut nearest: Option<Clearance> = None;
    let balls: Vec<(DVec3, f64)> = bodies.iter().map(Body::ball).collect();
    for &[a, b] in pairs {
        let least = nearest.map_or(f64::INFINITY, |nearest| nearest.distance);
        let [(center, radius), (other, other_radius)] = [balls[a], balls[b]];
        if center.distance(other) - radius - other_radius >= least {
            continue;
        }
        let separation = bodies[a].separation(&bodies[b], least);
        if separation.distance < least {
            nearest = Some(Clearance::of(&separation, a, NearPart::Capsule(b)));
        }
    }
    let moving = (0..capsules.len()).filter(|&at| !skeleton.is_anchored(capsules[at].joint));
    let from_obstacles = moving.filter_map(|capsule| nearest_obstacle(&problem.obstacles, capsule, &bodies[capsule]));
    nearest.into_iter().chain(from_obstacles).min_by(|a, b| a.distance.total_cmp(&b.distance))
}

impl Clearance {
    fn of(separation: &Separation, capsule: usize, other: NearPart) -> Self {
        Clearance { distance: separation.distance, capsule, other, points: separation.surfaces() }
    }
}

/// The obstacle that is nearest to the body of a capsule; of several, the first one.
fn nearest_obstacle(obstacles: &[Obstacle], capsule: usize, body: &Body) -> Option<Clearance> {
    let (center, radius) = body.ball();
    let mut nearest: Option<(Separation, usize)> = None;
    for (at, obstacle) in obstacles.iter().enumerate() {
        let least = nearest.map_or(f64::INFINITY, |(least, _)| least.distance);
        if obstacle.may_be_within(least, center, radius) {
            let own = body.separation_from(obstacle, least);
            nearest = Some((own, at)).filter(|_| own.distance < least).or(nearest);
        }
    }
    nearest.map(|(separation, at)| Clearance::of(&separation, capsule, NearPart::Obstacle(at)))
}
