//! The other methods on skeletons keep all limits and report correctly whether they reach the goals. On a skeleton that
//! is a chain without limits, their steps equal those on a chain of points.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::queries::{goal_errors, loop_gaps, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Settings, Skeleton, Stop};
use fabrik3d_ik::{Solver, methods};
use fabrik3d_measure::families::FAMILIES;
use glam::DVec3;
use std::num::NonZeroU32;

const METHODS: [Method; 4] = [Method::Ccd, Method::JacobianTranspose, Method::Dls, Method::SvdDls];

#[test]
fn limits_hold_and_reports_are_correct() {
    let mut random = Random::new(11);
    let mut reached = [0; METHODS.len()];
    for family in FAMILIES {
        for _ in 0..3 {
            let case = family.case(&mut random);
            for (method, reached) in METHODS.into_iter().zip(&mut reached) {
                let settings = Settings { method, tolerance: 1e-3, rotation_tolerance: 1e-3, ..Settings::default() };
                let (mut solver, mut pose) = (case.solver().settings(settings), case.start.clone());
                let report = solver.solve(&mut pose);
                assert!(worst_violation(&case.skeleton, &pose) <= 1e-12, "{} {method:?}", family.name);
                let errors = goal_errors(&case.skeleton, &case.problem, &pose);
                let met = errors.iter().all(|error| error.position <= 1.001e-3 && error.angle <= 1.001e-3)
                    && loop_gaps(&case.skeleton, &case.problem, &pose).iter().all(|&gap| gap <= 3e-6);
                assert!(!report.stop.is_reached() || met, "{} {method:?}: {report:?}, {errors:?}", family.name);
                // A goal with a chain length is solved after the rest of the skeleton, so there are two solves.
                assert!(report.iterations <= 2 * settings.max_iterations.get() && report.refine_steps == 0);
                *reached += usize::from(report.stop == Stop::Reached);
                // Solving again gives the same bits.
                let first = std::mem::replace(&mut pose, case.start.clone());
                let _ = solver.solve(&mut pose);
                assert_eq!(pose, first, "{} {method:?}", family.name);
            }
        }
    }
    assert!(reached.iter().all(|&count| count > FAMILIES.len()), "of {}: {reached:?}", 3 * FAMILIES.len());
}

#[test]
fn steps_on_an_unlimited_skeleton_match_steps_on_points() {
    let mut random = Random::new(12);
    for links in [2, 5, 12] {
        for _ in 0..20 {
            let joints = (0..links).map(|i| {
                let (parent, offset) = if i == 0 { (None, DVec3::ZERO) } else { (Some(i - 1), DVec3::Z * 0.4) };
                Joint::new(format!("{i}"), parent, offset, Kind::UNLIMITED_BALL)
            });
            let skeleton = Skeleton::new(joints.collect()).unwrap();
            let effector = Effector::new(links - 1, DVec3::Z * 0.4);
            let start = skeleton.random_pose(&mut random);
            let points_of = |pose: &[_]| {
                let frames = skeleton.frames(pose);
                let tip = frames[links - 1].point(effector.tip);
                frames.iter().map(|frame| frame.position).chain([tip]).collect::<Vec<_>>()
            };
            let lengths = vec![0.4; links];
            // A step combines rotations in a different order, which has a second-order effect.
            let small = random.direction() * 1e-5;
            for method in METHODS {
                let mut points = points_of(&start);
                let target = points[links] + small;
                // Even a distant obstacle makes the solver treat the figure as a skeleton and not as a plain chain.
                let far = Obstacle::Sphere { center: DVec3::X * 1e3, radius: 0.1 };
                let goals = vec![Goal::new(effector, target)];
                let problem = Problem { goals, obstacles: vec![far], ..Problem::default() };
                let mut pose = start.clone();
                let once = NonZeroU32::MIN;
                let settings = Settings { method, tolerance: 1e-15, max_iterations: once, ..Settings::default() };
                let mut iterated = pose.clone();
                let mut solver = Solver::new(&skeleton).problem(problem).settings(settings);
                let _ = solver.solve_observed(&mut pose, |step, _, pose| {
                    if !matches!(step, SolveEvent::Backward { .. }) {
                        iterated = pose.to_vec();
                    }
                });
                let pose = iterated;
                methods::iterate(method, &mut points, &lengths, target);
                let apart = points.iter().zip(points_of(&pose)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
                assert!(apart < 1e-8, "{method:?}, {links} links: {apart:e}");
                let moved = points.iter().zip(points_of(&start)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
                assert!(moved > 1e-7, "{method:?} moves");
            }
        }
    }
}
