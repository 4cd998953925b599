//! The obstacles that a figure can meet. A scene may have thousands of them, and each of its figures is near few.

use crate::model::{Axes, Kind, Obstacle, Problem, Skeleton, travel};
use glam::DVec3;

/// Number of obstacles of which it pays to choose some.
const MANY: usize = 64;
/// Gap within which an obstacle is near, as a fraction of the range. It exceeds the distances at which a solve looks for
/// contacts.
const PADDING: f64 = 0.1;

/// The ball, in the frame of the base, in which the origins of the moving joints of a skeleton are in every pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    center: DVec3,
    radius: f64,
}

impl Range {
    /// The range of a skeleton; none if it is unbounded, or if nothing moves.
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        let joints = skeleton.joints();
        let is_moving = |joint: usize| !skeleton.is_anchored(joint);
        let turns_with_nothing = |joint: usize| skeleton.is_anchored(joint) && joints[joint].axes == Axes::World;
        let first = (0..joints.len()).find(|&joint| is_moving(joint))?;
        if (0..joints.len()).any(turns_with_nothing) {
            return None;
        }
        let rest = skeleton.frames(&skeleton.rest_pose());
        let place = |joint: usize| match joints[joint].parent {
            Some(parent) => rest[parent].point(joints[joint].offset),
            None => joints[joint].offset,
        };
        // Nothing moves the place where the first moving joint hangs.
        let center = place(first);
        let mut radii: Vec<f64> = Vec::with_capacity(joints.len());
        for (at, own) in joints.iter().enumerate() {
            let above = match own.parent.filter(|&parent| is_moving(parent)) {
                Some(parent) => radii[parent] + own.offset.length(),
                None => place(at).distance(center),
            };
            let way = match skeleton.kind(at) {
                Kind::Free | Kind::Slide { range: None, .. } => f64::INFINITY,
                kind => travel(kind),
            };
            radii.push(if is_moving(at) { above + way } else { 0.0 });
        }
        let radius = radii.into_iter().fold(0.0, f64::max);
        radius.is_finite().then_some(Range { center, radius })
    }

    /// Gives `problem`, which is about this skeleton, those of all obstacles that it may have to do with, in their order. With
    /// few of them, all are taken. One always is, because layouts depend on whether there are any.
    pub fn choose_obstacles(range: Option<Self>, all: &Vec<Obstacle>, problem: &mut Problem) {
        let Some(range) = range.filter(|_| all.len() > MANY) else { return problem.obstacles.clone_from(all) };
        let center = problem.base.point(range.center);
        let tips = problem.goals.iter().map(|goal| goal.effector.tip.length());
        let bodies = problem.keep_clear.capsules.iter();
        let bodies = bodies.map(|capsule| capsule.ends.map(DVec3::length)).map(|[a, b]| a.max(b));
        let radii = problem.keep_clear.capsules.iter().map(|capsule| capsule.radius).fold(0.0, f64::max);
        let own = range.radius + tips.chain(bodies).fold(0.0, f64::max) + radii;
        // The passes look for contacts about the targets too.
        let targets = problem.goals.iter().filter_map(|goal| goal.requested_position());
        let away = targets.map(|target| target.distance(center)).fold(0.0, f64::max);
        let distance = (own + away) * (1.0 + PADDING) + problem.link_radius + problem.keep_clear.margin;
        let is_near =
            |obstacle: &&Obstacle| obstacle.may_be_within(distance, center, 0.0) && obstacle.depth(center) > -distance;
        problem.obstacles.clear();
        problem.obstacles.extend(all.iter().filter(is_near));
        if problem.obstacles.is_empty() {
            problem.obstacles.extend(all.first());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Effector, Goal, Joint, KeepClear, LinkCapsule};

    /// Whatever makes the figure larger brings obstacles near: each is the only one that reaches out to a small ball.
    #[test]
    fn all_that_can_be_touched_is_near() {
        let joint = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::UNLIMITED_BALL);
        let skeleton =
            Skeleton::new(vec![joint("a", None, DVec3::ZERO), joint("b", Some(0), DVec3::X)]).expect("a tree");
        let range = Range::of(&skeleton);
        let capsule = |end: DVec3, radius| LinkCapsule { joint: 1, ends: [DVec3::ZERO, end], radius, hull: None };
        let clear = |capsule, margin| KeepClear { capsules: vec![capsule], margin, ..KeepClear::default() };
        let goal = |tip, target| vec![Goal::new(Effector::new(1, tip), target)];
        let problems = [
            Problem { goals: goal(DVec3::Y * 4.0, DVec3::ZERO), ..Problem::default() },
            Problem { goals: goal(DVec3::ZERO, DVec3::Y * 5.0), ..Problem::default() },
            Problem { link_radius: 4.0, ..Problem::default() },
            Problem { keep_clear: clear(capsule(DVec3::Y * 4.0, 0.0), 0.0), ..Problem::default() },
            Problem { keep_clear: clear(capsule(DVec3::ZERO, 4.0), 0.0), ..Problem::default() },
            Problem { keep_clear: clear(capsule(DVec3::ZERO, 0.0), 4.0), ..Problem::default() },
        ];
        let ball = |at: usize, distance: f64| {
            let turn = glam::DQuat::from_rotation_y(at as f64);
            Obstacle::Sphere { center: turn * DVec3::X * distance, radius: 0.1 }
        };
        // The ball at a distance of 5 touches; of the others, none can be touched.
        let all: Vec<Obstacle> = (0..200).map(|at| ball(at, if at == 77 { 5.0 } else { 50.0 })).collect();
        let chosen = |mut problem: Problem| {
            Range::choose_obstacles(range, &all, &mut problem);
            problem.obstacles
        };
        for (at, problem) in problems.into_iter().enumerate() {
            assert_eq!(chosen(problem), [ball(77, 5.0)], "problem {at}");
        }
        assert_eq!(chosen(Problem::default()), [ball(0, 50.0)], "one stands for all");
    }
}
