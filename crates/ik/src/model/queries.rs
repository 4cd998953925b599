//! What can be read off a pose: which limits it stands at, and whether it leaves any.

use super::joint::Kind;
use super::limits::{Interval, Swing};
use super::pose::Coordinates;
use super::problem::Problem;
use super::skeleton::Skeleton;
use crate::tree::layout::SegmentEnd;
use crate::tree::objective::{ends, excess};

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
        let links = children.map(|&child| SegmentEnd::Joint(child)).chain(tips.map(SegmentEnd::Tip));
        let anchored = skeleton.joints()[joint].parent.is_none() && *skeleton.kind(joint) != Kind::Free;
        for end in links {
            let (a, b) = ends(problem, joint, end, &frames);
            for obstacle in &problem.obstacles {
                let contact = obstacle.contact(a, b);
                worst = worst.max(excess(&contact, || obstacle.depth(a), anchored, problem.link_radius));
            }
        }
    }
    worst
}
