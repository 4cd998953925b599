//! Laws that every method keeps on every chain, for every target and outcome.

use fabrik3d_ik::methods;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Settings, Stop};
use glam::DVec3;
use std::num::NonZeroU32;

/// A start pose and a target.
#[derive(Clone)]
struct Case {
    points: Vec<DVec3>,
    lengths: Vec<f64>,
    target: DVec3,
}

impl Case {
    /// A chain from `base` whose links have these directions.
    fn new(base: DVec3, lengths: Vec<f64>, target: DVec3, mut direction: impl FnMut() -> DVec3) -> Self {
        let mut points = vec![base];
        for &length in &lengths {
            points.push(points[points.len() - 1] + direction() * length);
        }
        Case { points, lengths, target }
    }

    /// A random chain of 1 to 20 links with lengths up to 30 : 1, straight or bent; the target is at most 1.5 reaches
    /// away.
    fn any(random: &mut Random) -> Self {
        let lengths: Vec<f64> = (0..=random.index(20)).map(|_| random.range(0.1, 3.0)).collect();
        let base = random.ball() * 10.0;
        let target = base + random.ball() * (1.5 * lengths.iter().sum::<f64>());
        let straight = random.unit() < 0.2;
        let line = random.direction();
        Case::new(base, lengths, target, || if straight { line } else { random.direction() })
    }

    fn tip(&self) -> DVec3 {
        self.points[self.lengths.len()]
    }

    fn reach(&self) -> f64 {
        self.lengths.iter().sum()
    }

    /// The smallest distance from tip to target of all poses.
    fn least_error(&self) -> f64 {
        let distance = self.points[0].distance(self.target);
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        (distance - self.reach()).max(2.0 * longest - self.reach() - distance).max(0.0)
    }

    fn iterate(&mut self, method: Method) {
        methods::iterate(method, &mut self.points, &self.lengths, self.target);
    }

    fn solve(&mut self, method: Method, tolerance: f64, max_iterations: u32) -> fabrik3d_ik::Report {
        let max_iterations = NonZeroU32::new(max_iterations).unwrap_or(NonZeroU32::MIN);
        let settings = Settings { method, tolerance, max_iterations, ..Settings::default() };
        methods::solve(&mut self.points, &self.lengths, self.target, &settings)
    }

    /// Checks the bits of the base, and every link length to 1e-12.
    fn assert_kept(&self, before: &Case, context: &str) {
        assert_eq!(self.points[0], before.points[0], "{context}: the base moved");
        let size = self.points.iter().map(|point| point.length()).fold(self.reach(), f64::max);
        for (i, (pair, &length)) in self.points.windows(2).zip(&self.lengths).enumerate() {
            let error = (pair[0].distance(pair[1]) - length).abs();
            assert!(error <= 1e-12 * length + 1e-15 * size, "{context}: link {i} is {error} off");
        }
    }
}

#[test]
fn every_iteration_keeps_base_and_lengths() {
    for seed in 0..500 {
        let start = Case::any(&mut Random::new(seed));
        for method in Method::ALL {
            let mut case = start.clone();
            for iteration in 0..20 {
                case.iterate(method);
                case.assert_kept(&start, &format!("seed {seed}, {}, iteration {iteration}", method.name()));
            }
        }
    }
}

#[test]
fn reports_are_true() {
    let tolerance = 1e-4;
    for seed in 0..500 {
        let start = Case::any(&mut Random::new(seed));
        for method in Method::ALL {
            let context = format!("seed {seed}, {}", method.name());
            let mut case = start.clone();
            let report = case.solve(method, tolerance, 300);
            case.assert_kept(&start, &context);
            let error = case.tip().distance(case.target);
            assert!((report.error - error / case.reach()).abs() <= 1e-15 * (1.0 + report.error), "{context}: error");
            assert!(error <= start.tip().distance(start.target), "{context}: worse than the start");
            assert!(error >= case.least_error() - 1e-12 * case.reach(), "{context}: better than possible");
            let nearest = error <= case.least_error() + tolerance * case.reach();
            let distance = case.points[0].distance(case.target);
            match report.stop {
                Stop::Reached => assert!(report.error <= tolerance, "{context}"),
                Stop::TooFar => assert!(nearest && distance > case.reach(), "{context}"),
                Stop::TooClose => assert!(nearest && distance < case.reach(), "{context}"),
                Stop::Stalled => assert!(!nearest && report.iterations < 300, "{context}"),
                Stop::IterationLimit => assert!(!nearest && report.iterations == 300, "{context}"),
                stop => panic!("{context}: {stop:?}"),
            }
        }
    }
}

#[test]
fn same_input_gives_the_same_bits() {
    for seed in 0..100 {
        let start = Case::any(&mut Random::new(seed));
        for method in Method::ALL {
            let (mut one, mut two) = (start.clone(), start.clone());
            assert_eq!(one.solve(method, 1e-6, 200), two.solve(method, 1e-6, 200));
            assert_eq!(one.points, two.points, "seed {seed}, {}", method.name());
        }
    }
}

/// Every method reaches targets well within reach from a bent start pose.
#[test]
fn easy_targets_are_reached() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let lengths = vec![1.0; 4 + random.index(8)];
        let target = random.direction() * random.range(0.3, 0.7) * lengths.len() as f64;
        let start = Case::new(DVec3::ZERO, lengths, target, || (random.direction() + 0.5 * DVec3::X).normalize());
        for method in Method::ALL {
            let report = start.clone().solve(method, 1e-4, 3000);
            assert_eq!(report.stop, Stop::Reached, "seed {seed}, {}: {report:?}", method.name());
        }
    }
}

/// For a target beyond the reach the chain ends stretched toward it, which is the answer of FABRIK's shortcut.
#[test]
fn far_targets_end_in_the_stretched_pose() {
    for seed in 0..100 {
        let random = &mut Random::new(seed);
        let lengths: Vec<f64> = (0..2 + random.index(10)).map(|_| random.range(0.5, 2.0)).collect();
        let reach: f64 = lengths.iter().sum();
        let direction = random.direction();
        let distance = random.range(1.05, 2.0) * reach;
        let start = Case::new(DVec3::ZERO, lengths, direction * distance, || random.direction());
        for method in Method::ALL {
            let mut case = start.clone();
            let report = case.solve(method, 1e-4, 20_000);
            assert_eq!(report.stop, Stop::TooFar, "seed {seed}, {}: {report:?}", method.name());
            let aside = case.tip().reject_from_normalized(direction).length();
            assert!(aside <= 0.05 * reach, "seed {seed}, {}: {aside} beside the line", method.name());
        }
    }
}

/// One iteration of triangulation leaves the smallest possible error, for any lengths, start pose and target.
#[test]
fn triangulation_needs_one_iteration() {
    for seed in 0..5000 {
        let mut case = Case::any(&mut Random::new(seed));
        case.iterate(Method::Triangulation);
        let excess = case.tip().distance(case.target) - case.least_error();
        assert!(excess.abs() <= 1e-9 * case.reach(), "seed {seed}: {excess} above the least error");
    }
}

/// For a straight chain with the target on its line, only triangulation leaves the line. The others report that they
/// make no progress.
#[test]
fn dead_locks_are_reported() {
    let target = DVec3::new(3.5, 0.0, 0.0);
    let start = Case::new(DVec3::ZERO, vec![1.0; 8], target, || DVec3::X);
    for method in Method::ALL {
        let mut case = start.clone();
        let report = case.solve(method, 1e-4, 1000);
        let off_line =
            case.points.iter().map(|point| point.reject_from_normalized(DVec3::X).length()).fold(0.0, f64::max);
        match method {
            Method::Triangulation => assert_eq!((report.stop, report.iterations), (Stop::Reached, 1)),
            _ => {
                assert_eq!(report.stop, Stop::Stalled, "{}: {report:?}", method.name());
                assert!(off_line <= 1e-12, "{}: {off_line} off the line", method.name());
            }
        }
    }
}

#[test]
fn malformed_input_is_refused_and_unchanged() {
    let points = [DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0];
    let target = DVec3::X;
    let not_finite = DVec3::new(0.0, f64::NAN, 0.0);
    let refused = |points: &[DVec3], lengths: &[f64], target: DVec3| {
        for method in Method::ALL {
            let mut moved = points.to_vec();
            let settings = Settings { method, ..Settings::default() };
            let report = methods::solve(&mut moved, lengths, target, &settings);
            assert_eq!(report.stop, Stop::Refused);
            assert_eq!(format!("{moved:?}"), format!("{points:?}"));
        }
    };
    refused(&points, &[1.0, 1.0], not_finite);
    refused(&points, &[1.0, 1.0], DVec3::splat(f64::INFINITY));
    refused(&[DVec3::ZERO, not_finite, DVec3::Y], &[1.0, 1.0], target);
    refused(&points, &[1.0, 0.0], target);
    refused(&points, &[1.0, f64::NAN], target);
    refused(&points, &[1.0, -1.0], target);
    refused(&points, &[1.0], target);
    refused(&points[..1], &[], target);
    refused(&[], &[], target);
}

/// Numbers near the limits of `f64` may give a bad answer, but no panic.
#[test]
fn extreme_sizes_do_not_panic() {
    for scale in [1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300] {
        for method in Method::ALL {
            let mut case = Case::new(DVec3::ZERO, vec![scale; 3], DVec3::splat(scale), || DVec3::X);
            let report = case.solve(method, 1e-4, 100);
            assert_ne!(report.stop, Stop::Refused, "{}", method.name());
        }
    }
}
