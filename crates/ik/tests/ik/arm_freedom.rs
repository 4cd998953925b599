//! Laws of arms in lanes whose targets leave something open, at each SIMD level: the turn about an axis, or the position
//! along axes of the target.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{ArmCase, Wanted, coordinates, errors, fine, lanes, random_case, scalar_reports, solve};
use crate::arm_laws::left_to_the_search;

use fabrik3d_ik::goals::{Freedom, Orientation};
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Goal, Problem, Solver, Stop};
use glam::{DQuat, DVec3};

/// A random arm whose targets leave something open, in one of eight ways. What they accept is within reach, but the targets
/// themselves need not be.
fn open_case(moving: usize, count: usize, seed: u64) -> ArmCase {
    let mut random = Random::new(1000 + seed);
    let (spins, wanted) = match seed % 8 {
        0 => (true, Wanted::Orientation),
        1..=3 => (true, Wanted::Both),
        4 | 5 => (false, Wanted::Both),
        _ => (false, Wanted::Position),
    };
    let mut case = random_case(moving, wanted, count, seed);
    let size = case.effector.error_scale(&case.skeleton, []);
    let slack = match seed % 4 {
        1 => DVec3::ZERO,
        2 => DVec3::new(0.0, f64::INFINITY, 0.0),
        3 => DVec3::new(1e9, 0.0, 1e9),
        _ => DVec3::new(0.05, 0.3, 0.0) * size,
    };
    case.freedom = Freedom { spin_axis: spins.then(|| random.direction() * 2.0), slack };
    let most = slack.min(DVec3::splat(5.0 * size));
    for target in &mut case.targets {
        let axes = target.rotation().unwrap_or(DQuat::IDENTITY);
        let shift = DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0))) * most;
        target.position = target.position.map(|position| position + axes * shift);
        if let Some(axis) = case.freedom.spin_axis.filter(|_| slack == DVec3::ZERO) {
            let turned = axes * DQuat::from_axis_angle(axis.normalize(), random.range(-3.0, 3.0));
            target.orientation = Some(Orientation::Rotation(turned));
        }
    }
    case
}

#[test]
fn answers_are_accepted_inside_all_limits_and_none_is_lost() {
    for seed in 0..48 {
        let case = open_case(3 + seed as usize % 5, 40, seed);
        let size = case.effector.error_scale(&case.skeleton, []);
        for tolerance in [1e-3, 1e-5, 1e-9] {
            let settings = fine(tolerance);
            let scalar = scalar_reports(&case, &settings);
            for mut batch in lanes(&case) {
                let name = format!("arm {seed}, {:?}, {tolerance}, {}", case.freedom, batch.level.name());
                let (answers, reports) = solve(&mut batch, &case.targets, &settings);
                for (at, answer) in answers.chunks(batch.variables.len()).enumerate() {
                    let name = format!("{name}, target {at}");
                    let [distance, angle] = errors(&case, &batch, answer, &case.targets[at]);
                    let noise = 1e-13;
                    if reports[at].stop == Stop::Reached {
                        assert!(distance <= (tolerance + noise) * size, "{name}: {distance} of {size}");
                        assert!(angle <= tolerance + noise, "{name}: {angle} rad");
                    }
                    if scalar[at].stop == Stop::Reached {
                        assert_eq!(reports[at].stop, Stop::Reached, "{name}");
                    }
                    assert_eq!(worst_violation(&case.skeleton, &batch.pose(answer)), 0.0, "{name}");
                }
            }
        }
    }
}

/// The lanes themselves solve all but a few hundredths, in about as many steps as targets that leave nothing open.
#[test]
fn the_lanes_solve_nearly_all() {
    let (mut steps, mut problems) = (0, 0);
    for seed in 100..124 {
        let case = open_case(6 + seed as usize % 2, 200, seed);
        for mut batch in lanes(&case) {
            let name = format!("arm {seed}, {:?}, {}", case.freedom, batch.level.name());
            let (_, reports) = solve(&mut batch, &case.targets, &fine(1e-5));
            assert!(left_to_the_search(&reports) <= 8, "{name}");
            steps += reports.iter().map(|report| u64::from(report.iterations)).sum::<u64>();
            problems += case.targets.len() as u64;
        }
    }
    assert!(steps <= 25 * problems, "{steps} steps for {problems} targets");
}

/// The same problems through `solve_many`, alone and together with others that leave something else open.
#[test]
fn many_problems_get_the_answers_of_tables() {
    for seed in 0..8 {
        let case = open_case(6, 30, seed);
        let start = case.skeleton.rest_pose();
        let problem = |goal| Problem { goals: vec![goal], ..Problem::default() };
        let own: Vec<Problem> = case.targets.iter().map(|&target| problem(case.goal(target))).collect();
        let mixed = own.iter().enumerate().map(|(at, own)| {
            let spin = Freedom::spin(DVec3::new(1.0, at as f64, 0.0));
            [own.clone(), problem(Goal { freedom: spin, ..own.goals[0] })]
        });
        let mixed: Vec<Problem> = mixed.flatten().collect();
        let mut solver = Solver::new(&case.skeleton).settings(fine(1e-6));
        let mut poses = vec![start.clone(); own.len()];
        let reports = solver.solve_many(&own, &mut poses);
        let mut other_poses = vec![start.clone(); mixed.len()];
        let other_reports = solver.solve_many(&mixed, &mut other_poses);
        let mut batch = lanes(&case).pop().unwrap();
        let (answers, batch_reports) = solve(&mut batch, &case.targets, &fine(1e-6));
        for (at, answer) in answers.chunks(batch.variables.len()).enumerate() {
            assert_eq!(coordinates(&poses[at], &batch.variables), answer, "arm {seed}, target {at}");
            assert_eq!(reports[at], batch_reports[at]);
            assert_eq!((&poses[at], reports[at]), (&other_poses[2 * at], other_reports[2 * at]), "arm {seed}: {at}");
        }
    }
}

#[test]
fn freedom_that_makes_no_sense_is_refused() {
    let case = random_case(5, Wanted::Both, 4, 2);
    let mut batch = lanes(&case).pop().unwrap();
    let negative = Freedom { slack: DVec3::new(0.0, -1.0, 0.0), ..Freedom::default() };
    for freedom in [Freedom::spin(DVec3::ZERO), Freedom::spin(DVec3::NAN), negative] {
        batch.solver.problem.goals[0].freedom = freedom;
        let (answers, reports) = solve(&mut batch, &case.targets, &fine(1e-5));
        assert_eq!(answers, batch.start().repeat(case.targets.len()), "{freedom:?}");
        assert!(reports.iter().all(|report| report.stop == Stop::Refused), "{freedom:?}");
    }
    batch.solver.problem.goals[0].freedom = Freedom::default();
    let (_, reports) = solve(&mut batch, &case.targets, &fine(1e-5));
    assert!(reports.iter().all(|report| report.stop == Stop::Reached));
}
