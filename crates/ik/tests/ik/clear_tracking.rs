//! Targets that move through obstacles: an arm that starts clear stays clear, misses its target instead, and waits: it does
//! not try another configuration in every frame.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::collision::{KeepClear, LinkCapsule, Obstacle};
use fabrik3d_ik::queries::clearance;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Interval, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Swing};
use glam::DVec3;

const LINK: f64 = 0.4;
const REACH: f64 = 4.0 * LINK;

/// Four links with limits and a radius.
fn arm() -> (Skeleton, KeepClear) {
    let shoulder = Kind::Ball { swing: Swing::cone(2.8).ok(), twist: None };
    let hinge = |axis| Kind::Hinge { axis, range: Interval::new(-2.4, 2.4).ok() };
    let kinds = [shoulder, hinge(DVec3::Y), hinge(DVec3::X), hinge(DVec3::Y)];
    let joint = |(at, kind): (usize, Kind)| {
        let offset = if at == 0 { DVec3::ZERO } else { DVec3::Z * LINK };
        Joint::new(format!("{at}"), at.checked_sub(1), offset, kind)
    };
    let capsule = |joint| LinkCapsule::new(joint, [DVec3::ZERO, DVec3::Z * LINK], 0.04);
    let keep_clear = KeepClear { capsules: (0..4).map(capsule).collect(), ..KeepClear::default() };
    (Skeleton::new(kinds.into_iter().enumerate().map(joint).collect()).unwrap(), keep_clear)
}

/// Balls around the base, which stays free.
fn balls(random: &mut Random) -> Vec<Obstacle> {
    let mut ball = || Obstacle::Sphere { center: random.direction() * 0.9, radius: random.range(0.15, 0.35) };
    (0..4).map(|_| ball()).collect()
}

fn clear_pose(skeleton: &Skeleton, problem: &Problem, random: &mut Random) -> Pose {
    let mut poses = (0..10_000).map(|_| skeleton.random_pose(random));
    poses.find(|pose| clearance(skeleton, problem, pose).unwrap().distance > 0.02).unwrap()
}

/// What is seen along paths.
#[derive(Debug, Default)]
struct Seen {
    /// The smallest clearance.
    least: f64,
    /// Targets met.
    reached: usize,
    /// Frames in which a joint moves by more than half a radian, while the target moves by a hundredth of its way.
    jumps: usize,
}

/// A path through the obstacles and back.
fn follow(settings: Settings, seed: u64) -> Seen {
    let mut random = Random::new(seed);
    let (skeleton, keep_clear) = arm();
    let mut problem = Problem { obstacles: balls(&mut random), keep_clear, ..Problem::default() };
    let mut pose = clear_pose(&skeleton, &problem, &mut random);
    let hand = Effector::new(3, DVec3::Z * LINK);
    let from = skeleton.frames(&pose)[3].point(hand.tip);
    let Obstacle::Sphere { center: through, .. } = problem.obstacles[random.index(4)] else { unreachable!() };
    problem.goals = vec![Goal::new(hand, from)];
    let mut solver = Solver::new(skeleton).problem(problem).settings(settings);
    let mut seen = Seen { least: f64::INFINITY, ..Seen::default() };
    for frame in 0..200 {
        let along = f64::from(frame) / 100.0;
        solver.set_target(0, from.lerp(through, 2.0 * (along - 2.0 * (along - 1.0).max(0.0))));
        let before = pose.clone();
        seen.reached += usize::from(solver.track(&mut pose).stop.is_reached());
        seen.least = seen.least.min(clearance(solver.skeleton(), &solver.problem, &pose).unwrap().distance);
        let joints = solver.skeleton().joints().iter().zip(before.iter().zip(pose.iter()));
        let turns = joints.map(|(joint, (a, b))| joint.kind.rotation(a).angle_between(joint.kind.rotation(b)));
        seen.jumps += usize::from(turns.fold(0.0, f64::max) > 0.5);
    }
    seen
}

#[test]
fn a_target_in_an_obstacle_draws_no_link_into_it() {
    let in_parts = Settings::realtime();
    for settings in [Settings::default(), in_parts] {
        let (mut reached, mut jumps) = (0, 0);
        for seed in 0..40 {
            let seen = follow(settings, seed);
            assert!(seen.least > -0.002 * REACH, "seed {seed}, {settings:?}: {seen:?}");
            (reached, jumps) = (reached + seen.reached, jumps + seen.jumps);
        }
        assert!(reached > 4_000 && jumps < 180, "{reached} of 8000 reached, {jumps} jumps");
    }
}
