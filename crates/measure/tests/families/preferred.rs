//! What is preferred is met as far as goals leave freedom, and costs none of them.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::goals::{GoalRank, Posture};
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Goal, Joint, Kind, Problem, Settings, Skeleton, Solver, Stop, Target};
use fabrik3d_measure::families::FAMILIES;

/// The tolerance of goals in these tests: what is left of freedom below it, a preference may take.
const EXACT: f64 = 1e-6;

fn exact() -> Settings {
    Settings { tolerance: EXACT, rotation_tolerance: EXACT, ..Settings::default() }
}

/// Adds a random preference: a position, an orientation, or both, of a random joint, and often a posture.
fn with_preferences(skeleton: &Skeleton, problem: &Problem, random: &mut Random) -> Problem {
    let mut soft = problem.clone();
    let joint = random.index(skeleton.len());
    let target = match random.index(3) {
        0 => Target::from(random.ball() * skeleton.extent()),
        1 => Target::from(random.rotation()),
        _ => Target::from((random.ball() * skeleton.extent(), random.rotation())),
    };
    let goal =
        Goal { weight: 0.1 + random.unit(), ..Goal::new(Effector::new(joint, random.direction() * 0.1), target) };
    soft.goals.push(Goal { rank: GoalRank::Preferred, ..goal });
    if random.unit() < 0.5 {
        soft.posture = Posture::new(skeleton.random_pose(random));
        // What is compared here are numbers of hinges and slides.
        let is_scalar = |joint: &Joint| matches!(joint.kind, Kind::Hinge { range: Some(_), .. } | Kind::Slide { .. });
        let weights = skeleton.joints().iter().map(|joint| if is_scalar(joint) { random.unit() } else { 0.0 });
        soft.posture.weights = weights.collect();
    }
    soft
}

/// What a pose misses of the preferences of a problem: by the public errors of goals, and by the differences of coordinates.
fn missed(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> f64 {
    let errors = goal_errors(skeleton, problem, pose).into_iter().zip(&problem.goals);
    let goals = errors
        .filter(|(_, goal)| goal.rank == GoalRank::Preferred)
        .map(|(error, goal)| goal.weight * error.position.powi(2) + goal.rotation_weight * (0.3 * error.angle).powi(2));
    let required = problem.goals.iter().filter(|goal| goal.is_active()).map(|goal| goal.effector.size(skeleton));
    let length = required.fold(0.0, f64::max);
    let Posture { pose: kept, weights } = &problem.posture;
    let joints = weights.iter().enumerate().map(|(joint, weight)| {
        let unit = if matches!(skeleton.kind(joint), Kind::Slide { .. }) { length } else { 1.0 };
        weight * ((pose[joint].value() - kept[joint].value()) / unit).powi(2)
    });
    goals.sum::<f64>() + joints.filter(|part| part.is_finite()).sum::<f64>()
}

#[test]
fn preferences_cost_no_goal_and_are_met_as_far_as_goals_leave_freedom() {
    let (mut all, mut lower, mut downhill, mut neighbors) = (0, 0, 0, 0);
    for family in FAMILIES {
        let mut random = Random::new(21);
        for seed in 0..6 {
            let case = family.case(&mut Random::new(seed));
            let skeleton = &case.skeleton;
            let soft = with_preferences(skeleton, &case.problem, &mut random);
            let solve = |problem: &Problem| {
                let mut pose = case.start.clone();
                let report = Solver::new(skeleton).problem(problem.clone()).settings(exact()).solve(&mut pose);
                (report, pose)
            };
            let ((plain, without), (preferring, with)) = (solve(&case.problem), solve(&soft));
            assert_eq!(plain.stop, preferring.stop, "{} {seed}", family.name);
            assert!(preferring.error <= plain.error.max(EXACT), "{} {seed}: {preferring:?} {plain:?}", family.name);
            assert!(worst_violation(skeleton, &with) <= 1e-12, "{} {seed}", family.name);
            let [before, after] = [&without, &with].map(|pose| missed(skeleton, &soft, pose));
            assert!(after <= before + 1e-4 * before, "{} {seed}: {before} {after}", family.name);
            (all, lower) = (all + 1, lower + u32::from(after < before));
            // No pose beside it that meets the goals too misses clearly less.
            for _ in 0..if plain.stop.is_reached() { 12 } else { 0 } {
                let columns: usize = skeleton.joints().iter().map(|joint| joint.kind.degrees_of_freedom()).sum();
                let rates: Vec<f64> = (0..columns).map(|_| random.range(-1e-3, 1e-3)).collect();
                let Some(mut beside) = skeleton.integrate(&with, &rates) else { continue };
                skeleton.project(&mut beside);
                let mut solver = Solver::new(skeleton).problem(case.problem.clone()).settings(exact());
                if solver.track(&mut beside).stop.is_reached() {
                    neighbors += 1;
                    downhill += u32::from(missed(skeleton, &soft, &beside) < after - 1e-5 * after.max(1e-3));
                }
            }
        }
    }
    println!("{lower} of {all} miss less, {downhill} of {neighbors} neighbors miss clearly less");
    assert!(10 * lower > 9 * all, "{lower} of {all}");
    assert!(50 * downhill < neighbors, "{downhill} of {neighbors}");
}

#[test]
fn tracking_with_preferences_meets_the_same_goals_in_twice_the_steps_and_comes_to_rest() {
    let (mut steps, mut calls, mut met, mut moving) = ([0, 0], 0, [0, 0], 0);
    for family in FAMILIES {
        let mut random = Random::new(5);
        let case = family.case(&mut random);
        let soft = with_preferences(&case.skeleton, &case.problem, &mut random);
        let direction = random.direction();
        let mut solvers = [&case.problem, &soft].map(|problem| Solver::new(&case.skeleton).problem(problem.clone()));
        let mut poses = [case.start.clone(), case.start.clone()];
        if solvers.iter_mut().zip(&mut poses).any(|(solver, pose)| !solver.solve(pose).stop.is_reached()) {
            continue;
        }
        let step = 0.002 * case.skeleton.extent().max(0.1);
        for frame in 0..200_u32 {
            let way = f64::from(if frame < 40 { frame } else { 80_u32.saturating_sub(frame) });
            for (at, (solver, pose)) in solvers.iter_mut().zip(&mut poses).enumerate() {
                for (goal, first) in solver.problem.goals.iter_mut().zip(&case.problem.goals) {
                    goal.target.position = first.target.position.map(|place| place + direction * (step * way));
                }
                let before = pose.clone();
                let report = solver.track(pose);
                assert!(worst_violation(&case.skeleton, pose) <= 1e-12, "{} {frame}", family.name);
                met[at] += u32::from(report.stop.is_reached());
                steps[at] += report.refine_steps;
                moving += u32::from(
                    at == 1 && frame == 199 && super::largest_steps::moved(&case.skeleton, &before, pose) > 1e-3,
                );
            }
            calls += 1;
        }
    }
    println!("{steps:?} steps, {met:?} met of {calls}, {moving} of {} figures still move", calls / 200);
    assert!(met[1] >= met[0], "{met:?} of {calls}");
    assert!(steps[1] <= 2 * steps[0] + calls, "{steps:?} in {calls} calls");
    assert!(moving <= calls / 2000, "{moving}");
}

#[test]
fn many_poses_with_preferences_are_those_of_single_solves() {
    for family in FAMILIES.iter().take(12) {
        let mut random = Random::new(9);
        let case = family.case(&mut random);
        let soft = with_preferences(&case.skeleton, &case.problem, &mut random);
        let mut single = case.start.clone();
        let report = Solver::new(&case.skeleton).problem(soft.clone()).solve(&mut single);
        let mut poses = vec![case.start.clone(); 3];
        let problems = vec![soft.clone(); 3];
        let reports = Solver::new(&case.skeleton).solve_many(&problems, &mut poses);
        for (own, pose) in reports.iter().zip(&poses) {
            assert_eq!(own.stop, report.stop, "{}", family.name);
            let [one, many] = [&single, pose].map(|pose| missed(&case.skeleton, &soft, pose));
            assert!((one - many).abs() <= 1e-6 * (1.0 + one), "{}: {one} {many}", family.name);
        }
    }
}

#[test]
fn preferences_that_cannot_be_meant_are_refused() {
    let skeleton = FAMILIES[0].case(&mut Random::new(1)).skeleton;
    let pose = skeleton.rest_pose();
    let refused = |posture: Posture| {
        let solver = Solver::new(&skeleton).problem(Problem { posture, ..Problem::default() });
        assert_eq!(solver.clone().solve(&mut pose.clone()).stop, Stop::Refused);
        solver.check(&pose).unwrap_err().to_string()
    };
    let posture = Posture::new(pose.clone());
    let short = Posture { weights: vec![1.0], ..posture.clone() };
    assert!(refused(short).starts_with("the posture: it needs one entry per joint"));
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        let wrong = Posture { weights: vec![weight; skeleton.len()], ..posture.clone() };
        assert!(refused(wrong).starts_with("the posture: "));
    }
}
