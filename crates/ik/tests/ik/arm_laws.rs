//! Laws that every batch of arms keeps, at each SIMD level.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{
    ArmCase, Wanted, batches, coordinates, errors, fine, mix, random_arm, random_case, scalar_reports, solve,
};

use fabrik3d_ik::random::Random;
use fabrik3d_ik::simd::{ArmBatch, ArmBatchError, Starts, UnsupportedArm, UnsupportedReason};
use fabrik3d_ik::{
    Axes, Effector, Freedom, Isometry, Joint, Kind, Method, Mimic, Orientation, Report, Settings, Skeleton, Stop,
    Target, worst_violation,
};
use glam::{DQuat, DVec3};

#[test]
fn answers_meet_their_targets_inside_all_limits_and_none_is_lost() {
    for seed in 0..40 {
        let wanted = Wanted::ALL[seed % 3];
        let case = random_case(2 + seed % 7, wanted, 60, seed as u64);
        let reach = case.effector.error_scale(&case.skeleton, []);
        for tolerance in [1e-3, 1e-5, 1e-9] {
            let settings = fine(tolerance);
            let scalar = scalar_reports(&case, &settings);
            for mut batch in batches(&case) {
                let name = format!("arm {seed}, {wanted:?}, {tolerance}, {}", batch.level().name());
                let (answers, reports) = solve(&mut batch, &case.targets, &settings);
                for (at, answer) in answers.chunks(batch.variables().len()).enumerate() {
                    let name = format!("{name}, target {at}");
                    let [distance, angle] = errors(&case, &batch, answer, &case.targets[at]);
                    let noise = 1e-13;
                    if reports[at].stop == Stop::Reached {
                        assert!(distance <= (tolerance + noise) * reach, "{name}: {distance} of {reach}");
                        assert!(angle <= tolerance + noise, "{name}: {angle} rad");
                        let error = if wanted == Wanted::Orientation { 0.0 } else { distance / reach };
                        assert!((reports[at].error - error).abs() <= noise, "{name}: {:?}, {error}", reports[at]);
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

/// The lanes themselves solve all but a few hundredths: the scalar search is an exception.
#[test]
fn the_lanes_solve_nearly_all() {
    for seed in 100..112 {
        let wanted = Wanted::ALL[seed % 3];
        let case = random_case(6 + seed % 2, wanted, 200, seed as u64);
        for mut batch in batches(&case) {
            let start = coordinates(&case.skeleton.rest_pose(), batch.variables());
            let mut answers = vec![0.0; case.targets.len() * start.len()];
            let mut reports = vec![Report::REFUSED; case.targets.len()];
            let starts = Starts::Shared(&start);
            let counts = batch.solve(&case.targets, starts, &fine(1e-5), &mut answers, &mut reports).unwrap();
            assert!(counts.unsolved <= 8, "arm {seed}, {}: {counts:?}", batch.level().name());
            assert!(counts.idle_steps <= counts.lane_steps);
        }
    }
}

#[test]
fn an_answer_depends_on_its_own_problem_only() {
    for (seed, wanted) in Wanted::ALL.into_iter().enumerate() {
        let case = random_case(6, wanted, 90, 20 + seed as u64);
        let settings = fine(1e-6);
        for mut batch in batches(&case) {
            let width = batch.variables().len();
            let (answers, reports) = solve(&mut batch, &case.targets, &settings);
            let bits = |answer: &[f64]| answer.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
            let name = batch.level().name();
            // Another order gives other lanes and neighbours.
            for shift in [1, 37] {
                let count = case.targets.len();
                let order: Vec<usize> = (0..count).map(|at| (shift * at + 5) % count).rev().collect();
                let moved: Vec<Target> = order.iter().map(|&at| case.targets[at]).collect();
                let (other_answers, other_reports) = solve(&mut batch, &moved, &settings);
                for (at, &from) in order.iter().enumerate() {
                    let (one, other) = (&answers[from * width..][..width], &other_answers[at * width..][..width]);
                    assert_eq!(bits(one), bits(other), "{name}, target {from} at {at}");
                    assert_eq!(reports[from], other_reports[at], "{name}, target {from} at {at}");
                }
            }
            for at in (0..case.targets.len()).step_by(13) {
                let (alone, report) = solve(&mut batch, &case.targets[at..=at], &settings);
                assert_eq!(bits(&alone), bits(&answers[at * width..][..width]), "{name}, target {at} alone");
                assert_eq!(report[0], reports[at], "{name}, target {at} alone");
            }
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn the_number_of_threads_changes_no_bit() {
    use fabrik3d_ik::simd::Threads;
    let case = random_case(6, Wanted::Both, 10_000, 3);
    let mut batch = ArmBatch::new(&case.skeleton, case.effector).unwrap().with_threads(Threads::One);
    let one = solve(&mut batch, &case.targets, &Settings::default());
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut batch = batch.clone().with_threads(Threads::All);
        assert!(one == pool.install(|| solve(&mut batch, &case.targets, &Settings::default())), "{threads} threads");
    }
}

#[test]
fn a_refused_problem_does_not_affect_its_neighbours() {
    let case = random_case(6, Wanted::Both, 50, 8);
    for mut batch in batches(&case) {
        let width = batch.variables().len();
        let (answers, reports) = solve(&mut batch, &case.targets, &Settings::default());
        let mut targets = case.targets.clone();
        targets[3].position = Some(DVec3::new(0.0, f64::NAN, 0.0));
        targets[17].orientation = Some(Orientation::Rotation(DQuat::from_xyzw(0.0, 0.0, f64::INFINITY, 1.0)));
        targets[18].orientation = Some(Orientation::Rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
        targets[49].position = Some(DVec3::INFINITY);
        // Not bad, but too far for single precision.
        targets[30].position = Some(DVec3::splat(1e300));
        let (with_bad, bad_reports) = solve(&mut batch, &targets, &Settings::default());
        for at in 0..targets.len() {
            let (own, before) = (&with_bad[at * width..][..width], &answers[at * width..][..width]);
            match at {
                3 | 17 | 18 | 49 => {
                    assert_eq!(bad_reports[at].stop, Stop::Refused, "{at}");
                    assert!(own.iter().all(|number| number.is_nan()), "{at} was written");
                }
                30 => assert_eq!(bad_reports[at].stop, Stop::TooFar),
                _ => assert_eq!((own, bad_reports[at]), (before, reports[at]), "{at}"),
            }
        }
        // A start pose that is not finite.
        let start = coordinates(&case.skeleton.rest_pose(), batch.variables());
        let mut own = start.repeat(targets.len());
        own[7 * width + 2] = f64::NAN;
        let mut own_reports = vec![Report::REFUSED; targets.len()];
        let _ = batch.solve(&targets, Starts::Own, &Settings::default(), &mut own, &mut own_reports).unwrap();
        assert_eq!(own_reports[7].stop, Stop::Refused);
        for at in (0..targets.len()).filter(|at| ![3, 7, 17, 18, 49].contains(at)) {
            assert_eq!(own[at * width..][..width], with_bad[at * width..][..width], "{at}");
            assert_eq!(own_reports[at], bad_reports[at], "{at}");
        }
    }
}

/// Targets beyond the reach, off the limits, and those that ask for nothing get the answers of the scalar search.
#[test]
fn other_targets_are_answered_by_the_scalar_search() {
    let mut case = random_case(5, Wanted::Position, 12, 6);
    let mut random = Random::new(6);
    let reach = case.effector.reach(&case.skeleton);
    for target in &mut case.targets[..6] {
        target.position = target.position.map(|position| position + random.direction() * 10.0 * reach);
    }
    case.targets[11] = Target::default();
    let check = |settings: &Settings, count: usize| {
        let scalar = scalar_reports(&case, settings);
        for mut batch in batches(&case) {
            let (_, reports) = solve(&mut batch, &case.targets, settings);
            for at in (0..count).chain([11]) {
                assert_eq!(reports[at], scalar[at], "target {at}");
            }
        }
    };
    check(&Settings::default(), 6);
    check(&Settings { method: Method::Ccd, ..Settings::default() }, 11);
}

#[test]
fn one_start_pose_or_many_give_the_same_answers() {
    let case = random_case(6, Wanted::Both, 40, 12);
    for mut batch in batches(&case) {
        let (answers, reports) = solve(&mut batch, &case.targets, &Settings::default());
        let start = coordinates(&case.skeleton.rest_pose(), batch.variables());
        let mut own = start.repeat(case.targets.len());
        let mut own_reports = vec![Report::REFUSED; case.targets.len()];
        let _ = batch.solve(&case.targets, Starts::Own, &Settings::default(), &mut own, &mut own_reports).unwrap();
        assert_eq!((answers, reports), (own, own_reports));
    }
}

#[test]
fn paths_are_followed_without_jumps() {
    let mut random = Random::new(31);
    for seed in 0..6 {
        let (skeleton, effector) = random_arm(6, &mut random);
        const ROWS: usize = 60;
        let ends: Vec<_> = (0..8).map(|_| skeleton.random_pose(&mut random)).collect();
        let start = skeleton.rest_pose();
        let mut targets = Vec::new();
        for end in &ends {
            for row in 1..=ROWS {
                let share = row as f64 / ROWS as f64;
                let pose = mix(&skeleton, &start, end, share);
                targets.push(Wanted::Both.target(&skeleton, &effector, &pose));
            }
        }
        let case = ArmCase { skeleton, effector, targets, freedom: Freedom::default() };
        let settings = Settings::default();
        for mut batch in batches(&case) {
            let width = batch.variables().len();
            let start = coordinates(&start, batch.variables());
            let run = |batch: &mut ArmBatch, targets: &[Target]| {
                let mut answers = vec![f64::NAN; targets.len() * width];
                let mut reports = vec![Report::REFUSED; targets.len()];
                let starts = Starts::Paths { start: &start, rows: ROWS };
                let _ = batch.solve(targets, starts, &settings, &mut answers, &mut reports).unwrap();
                (answers, reports)
            };
            let (answers, reports) = run(&mut batch, &case.targets);
            assert!(reports.iter().all(|report| report.stop == Stop::Reached), "arm {seed}");
            // The first attempt, from the row before, succeeds nearly always.
            let direct = reports.iter().filter(|report| report.attempts == 1).count();
            assert!(direct * 100 >= reports.len() * 97, "arm {seed}: {direct} of {}", reports.len());
            // Each path alone gives the same bits.
            for path in [0, 5] {
                let rows = path * ROWS..(path + 1) * ROWS;
                let alone = run(&mut batch, &case.targets[rows.clone()]);
                assert!(alone.0 == answers[rows.start * width..rows.end * width], "arm {seed}, path {path}");
                assert!(alone.1 == reports[rows], "arm {seed}, path {path}");
            }
        }
    }
}

#[test]
fn a_moved_base_moves_the_answers_along() {
    let case = random_case(6, Wanted::Both, 30, 14);
    let mut random = Random::new(15);
    let base = Isometry::new(random.direction() * 3.0, random.rotation());
    let moved: Vec<Target> = case
        .targets
        .iter()
        .map(|target| Target {
            position: target.position.map(|position| base.point(position)),
            orientation: target.rotation().map(|rotation| Orientation::Rotation(base.rotation * rotation)),
        })
        .collect();
    for batch in batches(&case) {
        let mut batch = batch.with_base(base);
        let (answers, reports) = solve(&mut batch, &moved, &fine(1e-6));
        let reach = case.effector.error_scale(&case.skeleton, []);
        for (at, answer) in answers.chunks(batch.variables().len()).enumerate() {
            let frame = case.skeleton.frame_of(base, &batch.pose(answer), case.effector.joint);
            let distance = frame.point(case.effector.tip).distance(moved[at].position.unwrap());
            assert!(reports[at].stop != Stop::Reached || distance <= 1.001e-6 * reach, "{at}: {distance}");
        }
        assert!(reports.iter().filter(|report| report.stop == Stop::Reached).count() >= 29);
    }
}

/// Joints above the chain stay at rest.
#[test]
fn a_short_chain_moves_its_own_joints_only() {
    let mut random = Random::new(16);
    let (skeleton, whole) = random_arm(7, &mut random);
    let effector = Effector { chain_length: Some(5), ..whole };
    let allowed: Vec<usize> = effector.chain_joints(&skeleton).collect();
    let Ok(batch) = ArmBatch::new(&skeleton, effector) else { panic!("the arm has no followers of upper joints") };
    assert!(batch.variables().iter().all(|joint| allowed.contains(joint)));
    let mut pose = skeleton.rest_pose();
    let other = skeleton.random_pose(&mut random);
    batch.variables().iter().for_each(|&joint| pose[joint] = other[joint]);
    skeleton.follow(&mut pose);
    let targets = vec![Wanted::Position.target(&skeleton, &effector, &pose)];
    let case = ArmCase { skeleton, effector, targets, freedom: Freedom::default() };
    for mut batch in batches(&case) {
        let (answer, reports) = solve(&mut batch, &case.targets, &fine(1e-6));
        assert_eq!(reports[0].stop, Stop::Reached);
        let [distance, _] = errors(&case, &batch, &answer, &case.targets[0]);
        assert!(distance <= 1.001e-6 * effector.error_scale(&case.skeleton, []), "{distance}");
    }
}

#[test]
fn an_arm_that_does_not_fit_names_its_joint() {
    let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    let arm = |change: &dyn Fn(&mut Vec<Joint>)| {
        let mut joints: Vec<Joint> =
            (0..4_usize).map(|at| Joint::new(format!("j{at}"), at.checked_sub(1), DVec3::X, hinge)).collect();
        joints.push(Joint::new("side", Some(0), DVec3::Y, hinge));
        change(&mut joints);
        ArmBatch::new(Skeleton::new(joints).unwrap(), Effector::new(3, DVec3::X)).map(|_| ()).unwrap_err()
    };
    let expect = |joint: &str, reason| UnsupportedArm { joint: joint.to_owned(), reason };
    assert_eq!(arm(&|j| j[2].kind = Kind::UNLIMITED_BALL), expect("j2", UnsupportedReason::Kind));
    assert_eq!(arm(&|j| j[0].kind = Kind::Free), expect("j0", UnsupportedReason::Kind));
    assert_eq!(arm(&|j| j[1].axes = Axes::World), expect("j1", UnsupportedReason::WorldAxes));
    let mimic = Some(Mimic { joint: 4, scale: 1.0, offset: 0.0 });
    assert_eq!(arm(&|j| j[3].mimic = mimic), expect("j3", UnsupportedReason::Leader));
    assert_eq!(arm(&|j| j.iter_mut().for_each(|j| j.kind = Kind::Fixed)), expect("j3", UnsupportedReason::Immovable));
    assert_eq!(arm(&|j| j.truncate(3)), expect("3", UnsupportedReason::Missing));
    let message = arm(&|j| j[2].kind = Kind::UNLIMITED_BALL).to_string();
    assert_eq!(message, "joint `j2` is neither a hinge nor a slide nor fixed");
}

#[test]
fn slices_of_other_lengths_are_errors() {
    let case = random_case(4, Wanted::Both, 6, 1);
    let mut batch = ArmBatch::new(&case.skeleton, case.effector).unwrap();
    let settings = Settings::default();
    let (mut answers, mut reports) = (vec![0.0; 24], vec![Report::REFUSED; 6]);
    let start = [0.0; 4];
    let mut error = |starts, answers: &mut [f64], reports: &mut [Report]| {
        batch.solve(&case.targets, starts, &settings, answers, reports).unwrap_err()
    };
    let expected = ArmBatchError::Coordinates { expected: 24, variables: 4, found: 23 };
    assert_eq!(error(Starts::Own, &mut answers[..23], &mut reports), expected);
    let expected = ArmBatchError::Reports { expected: 6, found: 5 };
    assert_eq!(error(Starts::Own, &mut answers, &mut reports[..5]), expected);
    let expected = ArmBatchError::Start { expected: 4, found: 3 };
    assert_eq!(error(Starts::Shared(&start[..3]), &mut answers, &mut reports), expected);
    for rows in [0, 4] {
        let expected = ArmBatchError::Paths { targets: 6, rows };
        assert_eq!(error(Starts::Paths { start: &start, rows }, &mut answers, &mut reports), expected);
    }
    assert!(answers.iter().all(|&number| number == 0.0));
}
