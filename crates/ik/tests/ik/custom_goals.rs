//! Goals of the caller's own: met like those that the solver knows, at any rank, and no number of theirs breaks a pose.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::errors::{Part, Reason};
use fabrik3d_ik::goals::{Attachment, CustomGoal, GoalRank, Residual};
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Settings, Skeleton, Solver};
use glam::DVec3;
use std::f64::consts::PI;

/// The coordinate of a point along an axis, from that of a target on.
#[derive(Debug)]
struct Along(DVec3, DVec3);

impl Residual for Along {
    fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        gradient[0] = self.0;
        self.0.dot(points[0] - self.1)
    }
}

/// Two points that keep a distance.
#[derive(Debug)]
struct Apart(f64);

impl Residual for Apart {
    fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let between = points[0] - points[1];
        gradient[0] = between.normalize();
        gradient[1] = -gradient[0];
        between.length() - self.0
    }
}

/// What is missing of a half space.
#[derive(Debug)]
struct Above(DVec3, f64);

impl Residual for Above {
    fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let missing = self.1 - self.0.dot(points[0]);
        gradient[0] = if missing > 0.0 { -self.0 } else { DVec3::ZERO };
        missing.max(0.0)
    }
}

/// A number that is none below a plane.
#[derive(Debug)]
struct RootOf(DVec3);

impl Residual for RootOf {
    fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let root = self.0.dot(points[0]).sqrt();
        gradient[0] = self.0 / (2.0 * root);
        root - 0.5
    }
}

/// A line of joints, most of them hinges with limits.
fn arm(joints: usize, random: &mut Random) -> Skeleton {
    let joint = |at: usize, random: &mut Random| {
        let range = random.range(1.0, PI);
        let kind = match at % 3 {
            1 => Kind::UNLIMITED_BALL,
            _ => Kind::limited_hinge(random.direction(), -range, range).unwrap(),
        };
        Joint::new(at.to_string(), at.checked_sub(1), random.direction() * random.range(0.3, 1.0), kind)
    };
    Skeleton::new((0..joints).map(|at| joint(at, random)).collect()).unwrap()
}

fn end(joint: usize, point: DVec3) -> Attachment {
    Attachment { joint, point }
}

#[test]
fn three_distances_from_planes_are_met_where_a_position_is() {
    let mut random = Random::new(31);
    let (mut built_in, mut custom) = (0, 0);
    for case in 0..300 {
        let skeleton = arm(4 + case % 5, &mut random);
        let hand = Effector::new(skeleton.len() - 1, random.direction() * 0.3);
        let target = skeleton.frames(&skeleton.random_pose(&mut random))[hand.joint].point(hand.tip);
        let start = skeleton.random_pose(&mut random);
        let mut known = Solver::new(skeleton.clone()).goal(hand, target);
        built_in += usize::from(known.solve(&mut start.clone()).stop.is_reached());
        let mut own = Solver::new(skeleton.clone());
        own.problem.custom_goals =
            DVec3::AXES.map(|axis| CustomGoal::new([end(hand.joint, hand.tip)], Along(axis, target))).to_vec();
        let mut pose = start;
        let report = own.solve(&mut pose);
        custom += usize::from(report.stop.is_reached());
        let gap = skeleton.frames(&pose)[hand.joint].point(hand.tip).distance(target) / hand.size(&skeleton);
        assert!(worst_violation(&skeleton, &pose) < 1e-9, "case {case}");
        assert_eq!(report.stop.is_reached(), report.error <= Settings::default().tolerance, "case {case}: {report}");
        assert!(!report.stop.is_reached() || gap < 2.0 * Settings::default().tolerance, "case {case}: {report} {gap}");
    }
    assert!(built_in == 300 && custom == 300, "{built_in} {custom}");
}

#[test]
fn elbows_stay_above_a_plane_while_hands_are_at_their_targets() {
    let mut random = Random::new(32);
    for case in 0..200 {
        let skeleton = arm(6 + case % 4, &mut random);
        let (hand, elbow) = (Effector::new(skeleton.len() - 1, random.direction() * 0.3), end(3, DVec3::ZERO));
        let frames = skeleton.frames(&skeleton.random_pose(&mut random));
        // As high as in one pose that reaches the target.
        let up = random.direction();
        let height = up.dot(frames[elbow.joint].position);
        let mut solver = Solver::new(skeleton.clone()).goal(hand, frames[hand.joint].point(hand.tip));
        solver.problem.custom_goals = vec![CustomGoal::new([elbow], Above(up, height))];
        let mut pose = skeleton.rest_pose();
        let report = solver.solve(&mut pose);
        assert!(report.stop.is_reached(), "case {case}: {report}");
        let below = height - up.dot(solver.frames()[elbow.joint].position);
        assert!(below < 1e-3 * 2.0 * hand.size(&skeleton), "case {case}: {below}");
        assert!(worst_violation(&skeleton, &pose) < 1e-9, "case {case}");
    }
}

#[test]
fn parts_that_share_a_goal_move_for_each_other() {
    let mut random = Random::new(33);
    for case in 0..100 {
        // Two arms of one torso.
        let mut joints = vec![Joint::new("torso", None, DVec3::ZERO, Kind::Fixed)];
        let hands = [-1.0, 1.0].map(|side| {
            for at in 0..4 {
                let parent = if at == 0 { 0 } else { joints.len() - 1 };
                let offset = if at == 0 { DVec3::X * side } else { random.direction() };
                joints.push(Joint::new(format!("{side} {at}"), Some(parent), offset, Kind::UNLIMITED_BALL));
            }
            joints.len() - 1
        });
        let skeleton = Skeleton::new(joints).unwrap();
        let apart = random.range(0.1, 1.5);
        // Only one hand has a target; the other one goes along.
        let target = DVec3::X * -1.0 + random.ball();
        let mut solver = Solver::new(skeleton.clone()).goal(Effector::new(hands[0], DVec3::ZERO), target);
        let bar = hands.map(|hand| end(hand, DVec3::ZERO));
        solver.problem.custom_goals = vec![CustomGoal::new(bar, Apart(apart))];
        let mut pose = skeleton.rest_pose();
        let report = solver.solve(&mut pose);
        assert!(report.stop.is_reached(), "case {case}: {report}");
        let [a, b] = hands.map(|hand| solver.frames()[hand].position);
        assert!(a.distance(target) < 0.01 && (a.distance(b) - apart).abs() < 0.01, "case {case}: {a} {b}");
    }
}

#[test]
fn ranks_say_what_gives_way() {
    let mut random = Random::new(34);
    for case in 0..200 {
        let skeleton = arm(5, &mut random);
        let hand = Effector::new(4, DVec3::X * 0.3);
        let size = hand.size(&skeleton);
        let [place, other] = [(); 2].map(|()| skeleton.frames(&skeleton.random_pose(&mut random))[4].point(hand.tip));
        // The tip cannot be at one place and in a plane through the other.
        let normal = random.direction();
        let solved = |goal_rank, rank| {
            let mut solver = Solver::new(skeleton.clone());
            solver.problem.goals = vec![Goal { rank: goal_rank, ..Goal::new(hand, place) }];
            solver.problem.custom_goals =
                vec![CustomGoal { rank, ..CustomGoal::new([end(4, hand.tip)], Along(normal, other)) }];
            let mut pose = skeleton.rest_pose();
            let stop = solver.solve(&mut pose).stop;
            let tip = solver.frames()[4].point(hand.tip);
            (stop.is_reached(), tip.distance(place) / size, normal.dot(tip - other).abs() / size)
        };
        let is_apart = normal.dot(place - other).abs() / size > 3e-3;
        let (is_reached, from_place, _) = solved(GoalRank::Wanted, GoalRank::Preferred);
        assert!(is_reached && from_place < 2e-3, "case {case}: {from_place}");
        let (is_reached, from_place, _) = solved(GoalRank::Firm, GoalRank::Wanted);
        assert!((!is_reached || !is_apart) && from_place < 2e-3, "case {case}: {from_place}");
        let (is_reached, _, from_plane) = solved(GoalRank::Wanted, GoalRank::Firm);
        assert!((!is_reached || !is_apart) && from_plane < 2e-3, "case {case}: {from_plane}");
    }
}

#[test]
fn numbers_that_are_none_break_nothing_and_are_told() {
    let mut random = Random::new(35);
    let mut met = 0;
    for case in 0..200 {
        let skeleton = arm(5, &mut random);
        let up = random.direction();
        let mut solver = Solver::new(skeleton.clone());
        solver.problem.custom_goals = vec![CustomGoal::new([end(4, DVec3::X)], RootOf(up))];
        let mut pose = skeleton.random_pose(&mut random);
        let height = up.dot(skeleton.frames(&pose)[4].point(DVec3::X));
        let told = solver.check(&pose).map_err(|refusal| (refusal.part, refusal.reason));
        let is_a_number = height >= 0.0;
        assert_eq!(told, if is_a_number { Ok(()) } else { Err((Part::CustomGoal(0), Reason::Number)) }, "{height}");
        let report = solver.solve(&mut pose);
        let height = up.dot(solver.frames()[4].point(DVec3::X));
        assert!(height.is_finite() && worst_violation(&skeleton, &pose) < 1e-9, "case {case}");
        // Met means met: at a quarter of a unit.
        assert!(!report.stop.is_reached() || (height.sqrt() - 0.5).abs() < 0.01, "case {case}: {report} {height}");
        met += usize::from(report.stop.is_reached());
    }
    // Most arms reach above the plane, from wherever they start.
    assert!(met > 180, "{met}");
    let skeleton = arm(3, &mut random);
    let mut solver = Solver::new(skeleton.clone());
    solver.problem.custom_goals = vec![CustomGoal::new([end(7, DVec3::ZERO)], Along(DVec3::X, DVec3::ZERO))];
    assert_eq!(solver.check(&skeleton.rest_pose()).unwrap_err().to_string(), "custom goal 0: there is no joint 7");
}
