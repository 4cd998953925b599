//! Laws that every batch keeps: at each SIMD level, on any number of threads.
#![allow(clippy::unwrap_used)]

use crate::simd_cases;

use fabrik3d_ik::settings::Method;
use fabrik3d_ik::simd::{Batch, BatchError, Lengths, Level, Outcome, Threads};
use fabrik3d_ik::{Settings, Stop};
use glam::Vec3;
use simd_cases::{Cases, Reference};

/// Required agreement with the scalar path, as a fraction of the reach.
const AGREEMENT: f64 = 1e-5;

/// Fraction of chains that may miss it, because rounding decides: the error passes the tolerance by less than `f32`
/// resolves, the ends of a link nearly coincide, or a nearly straight chain must bend. They keep all other laws.
const ROUNDING_DECIDES: f64 = 0.005;

/// A batch for each level that this machine can run.
fn batches(links: usize) -> Vec<(&'static str, Batch)> {
    let batch = |level: Level| (level.name(), Batch::new(links).unwrap().with_level(level).unwrap());
    Level::available().map(batch).collect()
}

/// Solves cases with a batch and returns the points and outcomes.
fn solve(batch: &mut Batch, cases: &Cases, settings: &Settings) -> (Vec<Vec3>, Vec<Outcome>) {
    let mut points = cases.points.clone();
    let mut outcomes = vec![Outcome::default(); cases.targets.len()];
    batch.solve(Lengths::Each(&cases.lengths), &mut points, &cases.targets, settings, &mut outcomes).unwrap();
    (points, outcomes)
}

/// Checks the laws for every answer, and returns the fraction of answers that agree with the scalar path.
fn check(name: &str, cases: &Cases, points: &[Vec3], outcomes: &[Outcome], settings: &Settings) -> f64 {
    let reference: Vec<Reference> = cases.solve_one_by_one(settings);
    let mut agreeing = 0;
    for (i, (expected, outcome)) in reference.iter().zip(outcomes).enumerate() {
        let pose = &points[i * (cases.links + 1)..(i + 1) * (cases.links + 1)];
        let start = &cases.points[i * (cases.links + 1)..(i + 1) * (cases.links + 1)];
        let target = cases.targets[i].as_dvec3();
        let lengths = &cases.lengths[i * cases.links..(i + 1) * cases.links];
        let reach = expected.reach;
        // The rounding of coordinates.
        let grain = f64::from(f32::EPSILON) * pose.iter().map(|p| p.abs().max_element()).fold(0.0, f32::max) as f64;
        assert_eq!(pose[0], start[0], "{name}: the base of chain {i} moved");
        for (link, (ends, &length)) in pose.windows(2).zip(lengths).enumerate() {
            let found = ends[0].as_dvec3().distance(ends[1].as_dvec3());
            let allowed = 2e-5 * f64::from(length) + 2.0 * grain;
            assert!(
                (found - f64::from(length)).abs() <= allowed,
                "{name}: link {link} of chain {i}: {found} not {length}"
            );
        }
        assert_eq!(outcome.stop, expected.report.stop, "{name}: chain {i} of {} links", cases.links);
        let error = pose[cases.links].as_dvec3().distance(target);
        let slack = 4.0 * grain + 1e-6 * error;
        assert!((error - f64::from(outcome.error) * reach).abs() <= slack + 1e-6 * reach, "{name}: chain {i}'s error");
        if outcome.stop == Stop::Reached {
            assert!(error <= settings.tolerance * reach + slack + 1e-6 * reach, "{name}: chain {i} is off by {error}");
        }
        let apart = pose.iter().zip(&expected.points).map(|(a, b)| a.as_dvec3().distance(*b)).fold(0.0, f64::max);
        let agrees = apart <= AGREEMENT * reach + 2.0 * grain;
        if matches!(outcome.stop, Stop::TooFar | Stop::TooClose) {
            assert!(agrees, "{name}: chain {i} is not the nearest pose: {apart}");
        }
        agreeing += usize::from(agrees);
    }
    agreeing as f64 / outcomes.len() as f64
}

#[test]
fn every_level_keeps_the_laws_and_agrees_with_the_scalar_path() {
    let settings = Settings::default();
    for (family, cases) in Cases::families() {
        for (name, mut batch) in batches(cases.links) {
            let name = format!("{family}, {} links, {name}", cases.links);
            let (points, outcomes) = solve(&mut batch, &cases, &settings);
            let agreeing = check(&name, &cases, &points, &outcomes, &settings);
            assert!(agreeing >= 1.0 - ROUNDING_DECIDES, "{name}: only {agreeing} agree");
        }
    }
}

#[test]
fn other_settings_agree() {
    let cases = Cases::in_ball(7, 200, 3);
    for settings in [
        Settings { tolerance: 1e-2, ..Settings::default() },
        Settings { tolerance: 1e-5, ..Settings::default() },
        Settings { tolerance: 1e-9, ..Settings::default() },
        Settings { method: Method::Textbook, ..Settings::default() },
        Settings { max_iterations: std::num::NonZeroU32::new(2).unwrap(), ..Settings::default() },
    ] {
        for (name, mut batch) in batches(cases.links) {
            let (points, outcomes) = solve(&mut batch, &cases, &settings);
            let agreeing = check(name, &cases, &points, &outcomes, &settings);
            assert!(agreeing >= 0.98, "{name}, {settings:?}: only {agreeing} agree");
        }
    }
}

#[test]
fn an_answer_depends_on_its_own_chain_only() {
    let settings = Settings::default();
    for links in [2, 3, 7, 10] {
        let cases = Cases::mixed(links, 101);
        for (name, mut batch) in batches(links) {
            let (points, outcomes) = solve(&mut batch, &cases, &settings);
            // Another order gives other neighbours, lanes and blocks.
            for order in [cases.reversed(), cases.rotated(37)] {
                let (cases, indices) = order;
                let (moved_points, moved_outcomes) = solve(&mut batch, &cases, &settings);
                for (i, &at) in indices.iter().enumerate() {
                    assert_eq!(outcomes[at], moved_outcomes[i], "{name}: chain {at}");
                    let stride = links + 1;
                    let (a, b) = (&points[at * stride..][..stride], &moved_points[i * stride..][..stride]);
                    assert!(a == b, "{name}: chain {at} at index {i}");
                }
            }
            // Alone.
            for i in (0..cases.targets.len()).step_by(9) {
                let (alone, outcome) = solve(&mut batch, &cases.only(i), &settings);
                assert_eq!(outcome[0], outcomes[i], "{name}: chain {i} alone");
                assert!(alone == points[i * (links + 1)..][..links + 1], "{name}: chain {i} alone");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let settings = Settings::default();
    let cases = Cases::mixed(5, 3000);
    for (name, batch) in batches(cases.links) {
        let mut batch = batch.with_threads(Threads::One);
        let one = solve(&mut batch, &cases, &settings);
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let batch = Batch::new(cases.links).unwrap().with_level(batch.level()).unwrap();
            let many = pool.install(|| solve(&mut batch.with_threads(Threads::All), &cases, &settings));
            assert!(one == many, "{name} on {threads} threads");
        }
        assert!(one == solve(&mut batch, &cases, &settings), "{name} again");
    }
}

#[test]
fn the_fused_levels_agree_in_every_bit() {
    if !(Level::Avx2.is_available() && Level::Avx512.is_available()) {
        eprintln!("skipped: this machine lacks AVX2 or AVX-512");
        return;
    }
    let settings = Settings::default();
    for (family, cases) in Cases::families() {
        let [a, b] = [Level::Avx2, Level::Avx512]
            .map(|level| solve(&mut Batch::new(cases.links).unwrap().with_level(level).unwrap(), &cases, &settings));
        assert!(a == b, "{family}, {} links", cases.links);
    }
}

#[test]
fn solving_again_moves_nothing_and_poses_fed_back_do_not_drift() {
    let settings = Settings::default();
    let mut cases = Cases::in_ball(10, 64, 5);
    for (name, mut batch) in batches(cases.links) {
        let (points, outcomes) = solve(&mut batch, &cases, &settings);
        let again = Cases { points: points.clone(), ..cases.clone() };
        assert!(solve(&mut batch, &again, &settings).0 == points, "{name}: answers moved when solved again");
        assert!(outcomes.iter().all(|outcome| outcome.stop == Stop::Reached));
    }
    // A thousand frames of a rotating target.
    let mut batch = Batch::new(cases.links).unwrap();
    for frame in 0..1000 {
        let turn = glam::Quat::from_rotation_y(frame as f32 * 0.05);
        let now = Cases { targets: cases.targets.iter().map(|&target| turn * target).collect(), ..cases.clone() };
        let (points, outcomes) = solve(&mut batch, &now, &settings);
        let stretched = points.chunks_exact(11).zip(cases.lengths.chunks_exact(10)).any(|(pose, lengths)| {
            pose.windows(2).zip(lengths).any(|(ends, length)| (ends[0].distance(ends[1]) / length - 1.0).abs() > 5e-5)
        });
        assert!(!stretched, "frame {frame}");
        assert!(outcomes.iter().all(|outcome| matches!(outcome.stop, Stop::Reached | Stop::TooFar)), "frame {frame}");
        cases.points = points;
    }
}

#[test]
fn arrays_and_vectors_give_the_same_answers() {
    let cases = Cases::in_ball(4, 50, 2);
    let mut batch = Batch::new(4).unwrap();
    let (points, outcomes) = solve(&mut batch, &cases, &Settings::default());
    let mut arrays: Vec<[f32; 3]> = cases.points.iter().map(Vec3::to_array).collect();
    let targets: Vec<[f32; 3]> = cases.targets.iter().map(Vec3::to_array).collect();
    let mut array_outcomes = vec![Outcome::default(); 50];
    let lengths = Lengths::Each(&cases.lengths);
    batch.solve(lengths, &mut arrays, &targets, &Settings::default(), &mut array_outcomes).unwrap();
    assert_eq!(arrays, points.iter().map(Vec3::to_array).collect::<Vec<_>>());
    assert_eq!(array_outcomes, outcomes);
}

#[test]
fn errors_name_the_slice_that_does_not_fit_and_nothing_changes() {
    let settings = Settings::default();
    let good = Cases::in_ball(5, 40, 4);
    let mut outcomes = vec![Outcome::default(); 40];
    let mut batch = Batch::new(5).unwrap();
    let mut refused = |cases: &Cases, outcomes: &mut [Outcome]| {
        let mut points = cases.points.clone();
        let error = batch.solve(Lengths::Each(&cases.lengths), &mut points, &cases.targets, &settings, outcomes);
        let same = points
            .iter()
            .zip(&cases.points)
            .all(|(a, b)| a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits));
        assert!(same, "points changed");
        error.unwrap_err()
    };
    let mut cases = good.clone();
    cases.points.pop();
    assert_eq!(refused(&cases, &mut outcomes), BatchError::Points { expected: 240, found: 239 });
    let mut cases = good.clone();
    cases.lengths.pop();
    assert_eq!(refused(&cases, &mut outcomes), BatchError::Lengths { expected: 200, found: 199 });
    assert_eq!(refused(&good, &mut outcomes[1..]), BatchError::Outcomes { expected: 40, found: 39 });
    assert_eq!(Batch::new(0).unwrap_err(), BatchError::NoLinks);
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        assert_eq!(Batch::new(1).unwrap().with_level(level).unwrap_err(), BatchError::Unavailable(level));
    }
}

#[test]
fn a_refused_chain_does_not_affect_its_neighbours() {
    let settings = Settings::default();
    for links in [2, 6] {
        let good = Cases::in_ball(links, 40, 6);
        let bad = good.with_bad_chains();
        for (name, mut batch) in batches(links) {
            let (expected_points, expected) = solve(&mut batch, &good, &settings);
            let (points, outcomes) = solve(&mut batch, &bad, &settings);
            for i in 0..40 {
                let (from, to) = (i * (links + 1), (i + 1) * (links + 1));
                if Cases::BAD.contains(&i) {
                    assert_eq!(outcomes[i].stop, Stop::Refused, "{name}: chain {i}");
                    let bits =
                        |points: &[Vec3]| points.iter().map(|p| p.to_array().map(f32::to_bits)).collect::<Vec<_>>();
                    assert_eq!(bits(&points[from..to]), bits(&bad.points[from..to]), "{name}: chain {i} changed");
                } else {
                    assert_eq!(outcomes[i], expected[i], "{name}: chain {i}");
                    assert!(points[from..to] == expected_points[from..to], "{name}: chain {i}");
                }
            }
        }
    }
}

#[test]
fn a_bad_shared_length_refuses_every_chain() {
    for links in [2, 6] {
        let cases = Cases::in_ball(links, 40, 6);
        for bad in [0.0, -1.0, f32::INFINITY, f32::NAN] {
            let mut lengths = vec![1.0; links];
            lengths[links - 1] = bad;
            for (name, mut batch) in batches(links) {
                let mut points = cases.points.clone();
                let mut outcomes = vec![Outcome { stop: Stop::Reached, ..Outcome::default() }; 40];
                let lengths = Lengths::Shared(&lengths);
                batch.solve(lengths, &mut points, &cases.targets, &Settings::default(), &mut outcomes).unwrap();
                assert!(points == cases.points, "{name}, length {bad}");
                assert!(outcomes.iter().all(|outcome| outcome.stop == Stop::Refused), "{name}, length {bad}");
            }
        }
    }
}

#[test]
fn an_empty_batch_is_solved() {
    let none: [Vec3; 0] = [];
    Batch::new(3).unwrap().solve(Lengths::Shared(&[1.0; 3]), &mut [], &none, &Settings::default(), &mut []).unwrap();
}

#[test]
fn straight_chains_fold_toward_targets_on_their_line() {
    // The dead lock of section 5.4 of the paper, for many chains at once.
    for links in [3, 7, 10] {
        let points: Vec<Vec3> = (0..=links).map(|i| Vec3::Y * i as f32).collect();
        let count = 40;
        let targets: Vec<Vec3> =
            (0..count).map(|i| Vec3::Y * (links as f32 * (i as f32 + 0.5) / count as f32)).collect();
        for (name, mut batch) in batches(links) {
            let mut poses = points.repeat(count);
            let mut outcomes = vec![Outcome::default(); count];
            let lengths = vec![1.0; links];
            let settings = Settings::default();
            batch.solve(Lengths::Shared(&lengths), &mut poses, &targets, &settings, &mut outcomes).unwrap();
            for (i, outcome) in outcomes.iter().enumerate() {
                assert_eq!(outcome.stop, Stop::Reached, "{name}: target {i}");
                let tip = poses[i * (links + 1) + links].as_dvec3();
                assert!(tip.distance(targets[i].as_dvec3()) <= 1.01e-4 * links as f64, "{name}: target {i}");
            }
        }
    }
}
