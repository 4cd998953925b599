//! Poles: joints bend toward them as far as the goals and the limits leave freedom.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::glam::{DMat3, DQuat, DVec3};
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Chain, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Stop, Swing,
};
use std::f64::consts::TAU;

/// A bent chain of this many links, and a target in its reach.
fn chain(random: &mut Random, links: usize) -> (Vec<DVec3>, DVec3) {
    let mut points = vec![random.ball() * 3.0];
    for at in 0..links {
        points.push(points[at] + random.direction() * random.range(0.3, 1.5));
    }
    let lengths: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let reach: f64 = lengths.iter().sum();
    let dead = (2.0 * lengths.iter().copied().fold(0.0, f64::max) - reach).max(0.0);
    let target = points[0] + random.direction() * random.range(dead + 0.05 * reach, 0.95 * reach);
    (points, target)
}

/// A skeleton of unlimited balls with the points of a chain, the goal of its tip, and its pose.
fn balls(points: &[DVec3]) -> (Skeleton, Effector) {
    let offset = |at: usize| if at == 0 { points[0] } else { points[at] - points[at - 1] };
    let parent = |at: usize| at.checked_sub(1);
    let last = points.len() - 2;
    let joints = (0..=last).map(|at| Joint::new(at.to_string(), parent(at), offset(at), Kind::UNLIMITED_BALL));
    (Skeleton::new(joints.collect()).unwrap(), Effector::new(last, offset(last + 1)))
}

/// The points of the joints of a chain, and of its tip.
fn points_of(skeleton: &Skeleton, effector: &Effector, pose: &Pose) -> Vec<DVec3> {
    let frames = skeleton.frames(pose);
    let tip = frames[effector.joint].point(effector.tip);
    frames.iter().map(|frame| frame.position).chain([tip]).collect()
}

fn assert_lengths(before: &[DVec3], after: &[DVec3], what: &str) {
    for (old, new) in before.windows(2).zip(after.windows(2)) {
        let (old, new) = (old[0].distance(old[1]), new[0].distance(new[1]));
        assert!((old - new).abs() <= 1e-12 * old, "{what}: a link of {old} has the length {new}");
    }
}

/// The angle about the line from the base to the tip by which joint `at` is off the half plane of the pole.
fn off_half_plane(points: &[DVec3], at: usize, pole: DVec3) -> f64 {
    let (base, tip) = (points[0], points[points.len() - 1]);
    let axis = (tip - base).normalize();
    let (off, side) = (points[at] - base, pole - base);
    let (off, side) = (off.reject_from_normalized(axis), side.reject_from_normalized(axis));
    off.cross(side).length().atan2(off.dot(side))
}

#[test]
fn the_elbow_of_two_links_follows_its_pole_in_all_directions() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let (points, target) = chain(&mut random, 2);
        let axis = (target - points[0]).normalize();
        let side = axis.any_orthonormal_vector();
        let (skeleton, effector) = balls(&points);
        let mut chain = Chain::new(&points).unwrap();
        let mut solver = Solver::new(&skeleton).goal(effector, target);
        let (mut solved, mut tracked) = (skeleton.rest_pose(), skeleton.rest_pose());
        for quarter in 0..4 {
            let around = DQuat::from_axis_angle(axis, f64::from(quarter) * TAU / 4.0);
            let toward = points[0] + axis * random.range(-2.0, 2.0) + around * side * random.range(0.1, 5.0);
            let pole = Pole { joint: 1, toward };
            chain.set_pole(Some(pole));
            assert_eq!(chain.solve(target, &Settings::default()).stop, Stop::Reached);
            solver.problem.poles = vec![pole];
            assert_eq!(solver.solve(&mut solved).stop, Stop::Reached);
            assert_eq!(solver.track(&mut tracked).stop, Stop::Reached);
            let poses = [&solved, &tracked].map(|pose| points_of(&skeleton, &effector, pose));
            for answer in [chain.points(), &poses[0], &poses[1]] {
                let off = off_half_plane(answer, 1, toward);
                assert!(off < 1e-9, "seed {seed}, quarter {quarter}: off by {off}");
                assert!(answer[2].distance(target) < 1e-4, "seed {seed}: misses");
                assert_lengths(&points, answer, "two links");
            }
        }
    }
}

#[test]
fn a_long_chain_turns_about_its_line_until_its_joint_is_nearest_to_the_pole() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let links = 3 + random.index(10);
        let (points, target) = chain(&mut random, links);
        let joint = 1 + random.index(links - 1);
        let pole = Pole { joint, toward: points[0] + random.direction() * random.range(0.5, 9.0) };
        let mut chain = Chain::new(&points).unwrap();
        chain.set_pole(Some(pole));
        assert_eq!(chain.solve(target, &Settings::default()).stop, Stop::Reached);
        let answer = chain.points();
        assert_lengths(&points, answer, "a long chain");
        assert!(answer[links].distance(target) <= 1e-4 * chain.reach(), "seed {seed}: misses");
        assert_eq!(answer[0], points[0]);
        // No turn of the whole chain about its line brings the joint nearer to the pole.
        let axis = (answer[links] - answer[0]).normalize();
        let angle = |turn: f64| {
            let mut turned = answer.to_vec();
            turned[joint] = answer[0] + DQuat::from_axis_angle(axis, turn) * (answer[joint] - answer[0]);
            off_half_plane(&turned, joint, pole.toward)
        };
        let (own, best) = (angle(0.0), (0..720).map(|at| angle(f64::from(at) * TAU / 720.0)).fold(TAU, f64::min));
        assert!(own <= best + 1e-9, "seed {seed}: off by {own}, a turn would leave {best}");
        let again = answer.to_vec();
        assert_eq!(chain.solve(target, &Settings::default()).stop, Stop::Reached);
        assert_eq!(chain.points(), again, "seed {seed}: what stands still has the same bits");
    }
}

#[test]
fn a_chain_follows_several_poles() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let (points, target) = chain(&mut random, 6);
        let (skeleton, effector) = balls(&points);
        let toward = |random: &mut Random| points[0] + random.direction() * 9.0;
        let poles = [2, 4].map(|joint| Pole { joint, toward: toward(&mut random) });
        let mut solver = Solver::new(&skeleton).goal(effector, target);
        solver.problem.poles.extend(poles);
        let mut pose = skeleton.rest_pose();
        assert_eq!(solver.solve(&mut pose).stop, Stop::Reached);
        let answer = points_of(&skeleton, &effector, &pose);
        let off = poles.map(|pole| off_half_plane(&answer, pole.joint, pole.toward));
        assert!(off.iter().all(|&off| off < 0.01), "seed {seed}: off by {off:?}");
    }
}

#[test]
fn a_rope_turns_toward_its_pole_where_it_is_dragged() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let links = 2 + random.index(6);
        let (points, target) = chain(&mut random, links);
        let (skeleton, effector) = balls(&points);
        let mut joints = skeleton.joints().to_vec();
        joints[0].kind = Kind::Free;
        let skeleton = Skeleton::new(joints).unwrap();
        let pole = Pole { joint: 1 + random.index(links - 1), toward: random.direction() * 9.0 };
        let mut solver = Solver::new(&skeleton).goal(effector, target);
        solver.problem.poles.push(pole);
        let mut pose = skeleton.rest_pose();
        assert_eq!(solver.solve(&mut pose).stop, Stop::Reached);
        let answer = points_of(&skeleton, &effector, &pose);
        assert_lengths(&points, &answer, "a rope");
        assert!(answer[links].distance(target) < 1e-9);
        let off = off_half_plane(&answer, pole.joint, pole.toward);
        assert!(off < 1e-7, "seed {seed}: off by {off}");
    }
}

#[test]
fn the_chain_follows_a_moving_pole_without_a_jump() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let links = 2 + random.index(5);
        let (points, target) = chain(&mut random, links);
        let (skeleton, effector) = balls(&points);
        let (base, axis) = (points[0], (target - points[0]).normalize());
        let side = axis.any_orthonormal_vector();
        let mut solver = Solver::new(&skeleton).goal(effector, target);
        let mut pose = skeleton.rest_pose();
        let mut last: Option<Vec<DVec3>> = None;
        for frame in 0..300 {
            let turned = 0.03 * f64::from(frame);
            let toward = base + axis * turned.sin() + DQuat::from_axis_angle(axis, turned) * side * 2.0;
            solver.problem.poles = vec![Pole { joint: 1, toward }];
            assert_eq!(solver.track(&mut pose).stop, Stop::Reached);
            let now = points_of(&skeleton, &effector, &pose);
            assert_lengths(&points, &now, "a moving pole");
            if let Some(last) = last {
                for (before, after) in last.iter().zip(&now) {
                    let radius = (*before - base).reject_from_normalized(axis).length();
                    let moved = before.distance(*after);
                    assert!(moved <= 0.03 * radius + 1e-3, "seed {seed}, frame {frame}: {moved} at {radius}");
                }
            }
            last = Some(now);
        }
    }
}

/// A trunk with two arms of three unlimited balls each, an effector at the end of each, and a pole for each elbow.
fn two_arms(random: &mut Random) -> (Skeleton, Problem) {
    let mut joints = vec![
        Joint::new("hips", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
        Joint::new("chest", Some(0), DVec3::Y * 0.5, Kind::UNLIMITED_BALL),
    ];
    let mut problem = Problem::default();
    for side in [-1.0, 1.0] {
        let shoulder = joints.len();
        let offsets = [DVec3::new(side * 0.2, 0.1, 0.0), DVec3::X * side * 0.3, DVec3::X * side * 0.28];
        for (at, offset) in offsets.into_iter().enumerate() {
            let parent = if at == 0 { 1 } else { shoulder + at - 1 };
            joints.push(Joint::new((shoulder + at).to_string(), Some(parent), offset, Kind::UNLIMITED_BALL));
        }
        let target = DVec3::new(side * 0.3, 0.6, 0.0) + random.ball() * 0.4;
        problem.goals.push(Goal::new(Effector::new(shoulder + 2, DVec3::X * side * 0.1), target));
        problem.poles.push(Pole { joint: shoulder + 1, toward: random.direction() * random.range(1.0, 9.0) });
    }
    (Skeleton::new(joints).unwrap(), problem)
}

/// The largest angle by which a joint is off the half plane of its pole. The line begins at the joint above, and ends at the
/// tip of the goal.
fn off_poles(skeleton: &Skeleton, problem: &Problem, pose: &Pose) -> f64 {
    let frames = skeleton.frames(pose);
    let off = |(pole, goal): (&Pole, &Goal)| {
        let base = frames[skeleton.joints()[pole.joint].parent.unwrap()].position;
        let tip = frames[goal.effector.joint].point(goal.effector.tip);
        off_half_plane(&[base, frames[pole.joint].position, tip], 1, pole.toward)
    };
    problem.poles.iter().zip(&problem.goals).map(off).fold(0.0, f64::max)
}

fn largest_move(skeleton: &Skeleton, before: &Pose, after: &Pose) -> f64 {
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    pose_distance(skeleton, &joints, before, after, 1.0)
}

/// Largest motion of a joint toward its pole in one frame, radians.
const PER_FRAME: f64 = 0.08;

#[test]
fn the_elbows_of_a_tree_follow_their_poles() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let (skeleton, problem) = two_arms(&mut random);
        let mut solver = Solver::new(&skeleton).problem(problem);
        let mut pose = skeleton.rest_pose();
        for round in 0..3 {
            assert_eq!(solver.solve(&mut pose).stop, Stop::Reached, "seed {seed}");
            let off = off_poles(&skeleton, &solver.problem, &pose);
            assert!(off < 1e-9, "seed {seed}, round {round}: off by {off}");
            solver.problem.poles.iter_mut().for_each(|pole| pole.toward = random.direction() * 5.0);
        }
    }
}

#[test]
fn the_elbows_of_a_tree_follow_moving_poles_without_a_jump() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let (skeleton, problem) = two_arms(&mut random);
        let mut solver = Solver::new(&skeleton).problem(problem);
        let mut pose = skeleton.rest_pose();
        solver.problem.poles.clear();
        assert_eq!(solver.solve(&mut pose).stop, Stop::Reached, "seed {seed}");
        solver.problem.poles.clone_from(&two_arms(&mut random).1.poles);
        let axis = random.direction();
        for frame in 0..200 {
            // The poles stand still for a while.
            let turn = DQuat::from_axis_angle(axis, if frame < 50 { 0.0 } else { 0.02 });
            solver.problem.poles.iter_mut().for_each(|pole| pole.toward = turn * pole.toward);
            let last = pose.clone();
            let before = off_poles(&skeleton, &solver.problem, &last);
            assert_eq!(solver.track(&mut pose).stop, Stop::Reached, "seed {seed}, frame {frame}");
            let off = off_poles(&skeleton, &solver.problem, &pose);
            assert!(off <= (before - 0.9 * PER_FRAME).max(1e-9), "seed {seed}, frame {frame}: {before} to {off}");
            let moved = largest_move(&skeleton, &last, &pose);
            assert!(moved <= 1.01 * PER_FRAME, "seed {seed}, frame {frame}: {moved}");
        }
    }
}

const UPPER: f64 = 0.3;
const LOWER: f64 = 0.26;

/// An arm with limits: a shoulder and a hinge as elbow.
fn limited_arm(random: &mut Random) -> Skeleton {
    let swing = Swing::new(std::array::from_fn(|_| random.range(0.8, 2.6))).ok();
    let twist = Interval::new(random.range(-2.5, -0.5), random.range(0.5, 2.5)).ok();
    let elbow = Kind::Hinge { axis: DVec3::Y, range: Interval::new(0.0, 2.6).ok() };
    let mut shoulder = Joint::new("shoulder", None, DVec3::ZERO, Kind::Ball { swing, twist });
    shoulder.rest = random.rotation();
    Skeleton::new(vec![shoulder, Joint::new("elbow", Some(0), DVec3::Z * UPPER, elbow)]).unwrap()
}

/// The smallest angle between the elbow and the pole about the line to the hand that the limits allow, by trying all.
fn least_off(skeleton: &Skeleton, hand: DVec3, pole: DVec3) -> Option<f64> {
    let axis = hand.normalize();
    let distance = hand.length();
    let along = (UPPER * UPPER - LOWER * LOWER + distance * distance) / (2.0 * distance);
    let across = (UPPER * UPPER - along * along).max(0.0).sqrt();
    let side = pole.reject_from_normalized(axis).normalize();
    let shoulder = &skeleton.joints()[0];
    let allows = |turn: f64| {
        let elbow = axis * along + DQuat::from_axis_angle(axis, turn) * side * across;
        let z = elbow / UPPER;
        let x = (hand - elbow).reject_from_normalized(z).normalize();
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        let coordinates = Kind::ball_coordinates((shoulder.rest.conjugate() * rotation).normalize());
        shoulder.kind.project(coordinates) == coordinates
    };
    (0..=1800).map(|at| f64::from(at) * TAU / 3600.0).find(|&turn| allows(turn) || allows(-turn))
}

#[test]
fn a_limited_arm_turns_to_its_pole_as_far_as_its_limits_allow() {
    let (mut solved_off, mut tracked_off) = (Vec::new(), Vec::new());
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let skeleton = limited_arm(&mut random);
        let effector = Effector::new(1, DVec3::Z * LOWER);
        let hand = skeleton.frames(&skeleton.random_pose(&mut random))[1].point(effector.tip);
        let toward = random.direction() * 3.0;
        let Some(least) = least_off(&skeleton, hand, toward) else { continue };
        let mut solver = Solver::new(&skeleton).goal(effector, hand);
        let mut tracked = skeleton.rest_pose();
        assert_eq!(solver.solve(&mut tracked).stop, Stop::Reached, "seed {seed}");
        solver.problem.poles.push(Pole { joint: 1, toward });
        let mut solved = tracked.clone();
        assert_eq!(solver.solve(&mut solved).stop, Stop::Reached, "seed {seed}");
        for frame in 0..100 {
            let last = tracked.clone();
            assert_eq!(solver.track(&mut tracked).stop, Stop::Reached, "seed {seed}, frame {frame}");
            let moved = largest_move(&skeleton, &last, &tracked);
            assert!(moved <= 2.0 * PER_FRAME, "seed {seed}, frame {frame}: {moved}");
        }
        for (pose, all) in [(&solved, &mut solved_off), (&tracked, &mut tracked_off)] {
            assert!(worst_violation(&skeleton, pose) <= 1e-12, "seed {seed}");
            let off = off_poles(&skeleton, &solver.problem, pose);
            all.push(off - least);
        }
    }
    for (what, all) in [("solved", solved_off), ("tracked", tracked_off)] {
        let good = all.iter().filter(|&&off| off < 0.05).count();
        // Limits may block both ways round to a pole that another part of the circle is nearer to.
        assert!(100 * good >= 93 * all.len(), "{what}: {good} of {} are as near as the limits allow", all.len());
    }
}
