//! Tracking as it is by default: joints go no farther than the moves of their effectors explain, and a call that misses costs
//! little.
#![allow(clippy::unwrap_used)]

use super::largest_steps::moved;
use fabrik3d_ik::queries::angle_between;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Pose, Report, Settings};
use fabrik3d_measure::families::{FAMILIES, FamilyCase};

/// Largest move that counts as none, radians.
const SMALL: f64 = 0.08;

/// One call: the pose before, the pose after, and the report.
type Call = (Pose, Pose, Report);

/// Tracks targets that go out along a random way, by more than a third of the size, and back, and rest.
fn out_and_back(case: &FamilyCase, settings: Settings, random: &mut Random) -> Vec<Call> {
    let mut solver = case.solver().settings(settings);
    let mut pose = case.start.clone();
    let direction = random.direction();
    if !solver.solve(&mut pose).stop.is_reached() {
        return Vec::new();
    }
    let places: Vec<_> = case.problem.goals.iter().map(|goal| goal.target.position).collect();
    let step = 0.004 * case.skeleton.extent().max(0.1);
    let frames = (0..240_u32).map(|frame| f64::from(if frame < 100 { frame } else { 200_u32.saturating_sub(frame) }));
    let call = |frame: f64| {
        for (goal, place) in solver.problem.goals.iter_mut().zip(&places) {
            goal.target.position = place.map(|place| place + direction * (step * frame));
        }
        let before = pose.clone();
        let report = solver.track(&mut pose);
        (before, pose.clone(), report)
    };
    frames.map(call).collect()
}

/// How far the farthest effector moves: as a fraction of its size, or radians.
fn effectors_move(case: &FamilyCase, from: &[Coordinates], to: &[Coordinates]) -> f64 {
    let [from, to] = [from, to].map(|pose| case.skeleton.frames_at(case.problem.base, pose));
    let moves = case.problem.goals.iter().map(|goal| {
        let (joint, tip) = (goal.effector.joint, goal.effector.tip);
        let all = || case.problem.goals.iter().map(|goal| &goal.effector);
        let size = goal.effector.error_scale(&case.skeleton, all());
        let way = from[joint].point(tip).distance(to[joint].point(tip)) / size;
        let turn = goal.target.orientation.map_or(0.0, |_| angle_between(from[joint].rotation, to[joint].rotation));
        way.max(turn)
    });
    moves.fold(0.0, f64::max)
}

#[test]
fn joints_go_no_farther_than_their_effectors_explain_and_misses_cost_little() {
    let (mut jumps, mut all) = (0, [0, 0]);
    for family in FAMILIES {
        let mut farthest: f64 = 0.0;
        let (mut met, mut missed, mut reached) = ([0, 0], [0, 0], [0, 0]);
        for seed in 0..3 {
            let case = family.case(&mut Random::new(seed)).with_random_start(&mut Random::new(seed));
            let [calls, jumping] = [false, true].map(|may_jump| {
                out_and_back(&case, Settings { may_jump, ..Settings::default() }, &mut Random::new(seed))
            });
            let is_plain = case.problem.loops.is_empty() && case.problem.obstacles.is_empty();
            for (before, after, report) in &calls {
                let way = moved(&case.skeleton, before, after);
                let most = (16.0 * effectors_move(&case, before, after)).sqrt().max(SMALL);
                farthest = farthest.max(if is_plain { way / most } else { 0.0 });
                let [calls, steps] = if report.stop.is_reached() { &mut met } else { &mut missed };
                *calls += 1;
                *steps += report.refine_steps;
            }
            // Until a call misses or would go too far, the pose is that of a solver that may jump.
            let near = |call: &&Call| call.2.stop.is_reached() && moved(&case.skeleton, &call.0, &call.1) < SMALL;
            let same = jumping.iter().take_while(near).zip(&calls);
            same.for_each(|(jumping, staying)| assert_eq!(jumping.1, staying.1, "{}, {seed}", family.name));
            jumps += jumping.iter().filter(|(before, after, _)| moved(&case.skeleton, before, after) > 1.0).count();
            let count = |calls: &[Call]| calls.iter().filter(|call| call.2.stop.is_reached()).count();
            reached = [reached[0] + count(&calls), reached[1] + count(&jumping)];
        }
        let mean = |[calls, steps]: [u32; 2]| f64::from(steps) / f64::from(calls.max(1));
        println!(
            "{}: moves of {farthest:.2}, {reached:?} reached, steps of a call {:.1}, of a miss {:.1}",
            family.name,
            mean(met),
            mean(missed)
        );
        // What is shortened moves its effectors less.
        assert!(farthest < 1.5, "{}: {farthest} times as far as effectors explain", family.name);
        assert!(mean(missed) <= 35.0 * mean(met).max(1.0), "{}: {missed:?}", family.name);
        all = [all[0] + reached[0], all[1] + reached[1]];
    }
    assert!(all[0] * 10 >= all[1] * 9, "{all:?} calls meet their goals");
    assert!(jumps > 2, "{jumps} jumps of a solver that may jump");
}
