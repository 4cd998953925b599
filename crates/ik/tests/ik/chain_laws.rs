//! Laws that hold for every chain and target, for any stop reason.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Settings, Stop};
use glam::DVec3;
use proptest::prelude::*;

const METHODS: [Method; 2] = [Method::Accelerated, Method::Textbook];

/// A random chain of 1 to 25 links with lengths from 1 to 30, and a target at most 1.3 reaches from its base.
fn problem(seed: u64) -> (Chain, DVec3) {
    let mut random = Random::new(seed);
    let base = random.ball() * 3.0;
    let mut points = vec![base];
    let links = 1 + random.index(25);
    for i in 0..links {
        points.push(points[i] + random.direction() * 30_f64.powf(random.unit()));
    }
    let chain = Chain::new(&points).unwrap();
    let target = base + random.ball() * (1.3 * chain.reach());
    (chain, target)
}

fn settings(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

/// The reachable point nearest to the target, from the definitions of reach and dead zone.
fn nearest_reachable(chain: &Chain, target: DVec3) -> DVec3 {
    let offset = target - chain.base();
    let longest = chain.lengths().iter().copied().fold(0.0, f64::max);
    let reach: f64 = chain.lengths().iter().sum();
    chain.base() + offset.normalize() * offset.length().clamp(f64::max(0.0, 2.0 * longest - reach), reach)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lengths_base_and_report_are_true(seed: u64) {
        for method in METHODS {
            let (mut chain, target) = problem(seed);
            let (lengths, base) = (chain.lengths().to_vec(), chain.base());
            let report = chain.solve(target, &settings(method));
            prop_assert_eq!(chain.points()[0], base);
            for (pair, length) in chain.points().windows(2).zip(&lengths) {
                let error = (pair[0].distance(pair[1]) - length).abs();
                prop_assert!(error <= 1e-12 * length + 1e-15 * (base.length() + chain.reach()), "{:?} {}", method, error);
            }
            let error = chain.tip().distance(target) / chain.reach();
            prop_assert!((report.error - error).abs() < 1e-13, "{} {}", report.error, error);
            prop_assert_eq!(report.stop == Stop::Reached, report.error <= 1e-4);
            prop_assert!(report.iterations <= 100);
        }
    }

    #[test]
    fn the_tip_gets_as_near_as_it_can(seed: u64) {
        let (mut chain, target) = problem(seed);
        let report = chain.solve(target, &Settings::default());
        let miss = chain.tip().distance(nearest_reachable(&chain, target)) / chain.reach();
        match report.stop {
            Stop::Reached => prop_assert!(report.error <= 1e-4),
            Stop::TooFar | Stop::TooClose => prop_assert!(miss < 1e-13, "{}", miss),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn textbook_gets_no_farther_from_the_target(seed: u64) {
        let (mut chain, target) = problem(seed);
        let before = chain.tip().distance(target);
        let _ = chain.solve(target, &settings(Method::Textbook));
        prop_assert!(chain.tip().distance(target) <= before + 1e-12 * chain.reach());
    }

    #[test]
    fn the_same_input_gives_the_same_bits(seed: u64) {
        for method in METHODS {
            let (chain, target) = problem(seed);
            let (mut first, mut second) = (chain.clone(), chain);
            // An earlier solve leaves no trace once the pose is replaced.
            let _ = second.solve(-target, &settings(method));
            second = Chain::new(first.points()).unwrap();
            let reports = (first.solve(target, &settings(method)), second.solve(target, &settings(method)));
            prop_assert_eq!(reports.0, reports.1);
            prop_assert_eq!(first.points(), second.points());
        }
    }

    #[test]
    fn solves_are_independent_of_scale(seed: u64, exponent in -60_i32..60) {
        let scale = 2_f64.powi(exponent);
        for method in METHODS {
            let (mut chain, target) = problem(seed);
            let scaled: Vec<DVec3> = chain.points().iter().map(|point| *point * scale).collect();
            let mut other = Chain::new(&scaled).unwrap();
            let reports = (chain.solve(target, &settings(method)), other.solve(target * scale, &settings(method)));
            prop_assert_eq!(reports.0, reports.1);
            for (point, scaled) in chain.points().iter().zip(other.points()) {
                prop_assert_eq!(*point * scale, *scaled);
            }
        }
    }

    #[test]
    fn solves_are_independent_of_position(seed: u64) {
        let (mut chain, target) = problem(seed);
        let shift = Random::new(!seed).direction() * (1000.0 * chain.reach());
        let shifted: Vec<DVec3> = chain.points().iter().map(|point| *point + shift).collect();
        let mut other = Chain::new(&shifted).unwrap();
        let reports = (chain.solve(target, &Settings::default()), other.solve(target + shift, &Settings::default()));
        prop_assert_eq!(reports.0.stop, reports.1.stop);
        // Such large coordinates are rounded to 1e-13 of the reach, which the bends amplify slightly.
        let apart = chain.points().iter().zip(other.points()).map(|(a, b)| (*a + shift).distance(*b)).fold(0.0, f64::max);
        let same_work = reports.0.iterations == reports.1.iterations && reports.0.refine_steps == reports.1.refine_steps;
        prop_assert!(!same_work || apart <= 1e-6 * chain.reach(), "{}", apart / chain.reach());
    }

    #[test]
    fn one_accelerated_iteration_is_two_passes(seed: u64) {
        let (mut chain, target) = problem(seed);
        let overshot = chain.overshoot_target(target);
        let last = chain.lengths()[chain.lengths().len() - 1];
        prop_assert!(overshot.distance(target) <= 0.5 * last * (1.0 + 1e-12));
        chain.reach_backward(overshot);
        prop_assert_eq!(chain.tip(), overshot);
        let base = chain.base();
        chain.reach_forward(base);
        prop_assert_eq!(chain.points()[0], base);
    }
}

/// The direction of the elbow itself does not say there to which side it bends; the links do.
#[test]
fn two_links_stay_in_their_plane_when_the_target_is_on_the_line_of_the_first() {
    let mut random = Random::new(12);
    for seed in 0..300 {
        let lengths = [random.range(0.5, 2.0), random.range(0.5, 2.0)];
        let (along, bend) = (random.direction(), random.range(0.3, 2.5));
        let across = along.any_orthonormal_vector();
        let elbow = along * lengths[0];
        let tip = elbow + (along * bend.cos() + across * bend.sin()) * lengths[1];
        let normal = along.cross(across);
        let (shortest, longest) = ((lengths[0] - lengths[1]).abs(), lengths[0] + lengths[1]);
        let distance = random.range(shortest + 0.05 * longest, 0.95 * longest);
        let mut chain = Chain::new(&[DVec3::ZERO, elbow, tip]).unwrap();
        assert!(chain.solve(along * distance, &Settings::default()).stop.is_reached());
        let bent = chain.points()[1];
        assert!(normal.dot(bent).abs() < 1e-9, "seed {seed}: {}", normal.dot(bent));
        assert!(bent.dot(across) < -1e-3, "seed {seed}: it bends on");
    }
}
