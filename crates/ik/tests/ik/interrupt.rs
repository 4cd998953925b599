//! Interrupts: a flag ends solves, and the pose is valid all the same.

use fabrik3d_ik::goals::Attachment;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::{Interrupt, Method, Prefer};
use fabrik3d_ik::simd::{Batch, Lengths, Outcome};
use fabrik3d_ik::{Chain, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Stop};
use glam::{DVec3, Vec3};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A star of limbs with limits whose tips have targets, some of them out of reach; neighbours are tied.
fn star(limbs: usize, random: &mut Random) -> (Skeleton, Problem) {
    let mut joints = vec![Joint::new("hub", None, DVec3::ZERO, Kind::UNLIMITED_BALL)];
    let mut problem = Problem::default();
    let mut tips: Vec<usize> = Vec::new();
    for limb in 0..limbs {
        let mut parent = 0;
        for at in 0..3 {
            let kind = Kind::Hinge { axis: random.direction(), range: Interval::new(-1.2, 1.2).ok() };
            joints.push(Joint::new(format!("{limb}.{at}"), Some(parent), 0.5 * random.direction(), kind));
            parent = joints.len() - 1;
        }
        problem.goals.push(Goal::new(Effector::new(parent, 0.3 * DVec3::X), 2.0 * random.direction()));
        tips.push(parent);
    }
    for pair in tips.windows(2).step_by(4) {
        let end = |joint| Attachment { joint, point: DVec3::ZERO };
        problem.loops.push((end(pair[0]), end(pair[1])));
    }
    (Skeleton::new(joints).expect("a star"), problem)
}

#[test]
fn a_solve_that_is_interrupted_at_once_leaves_a_valid_pose() {
    static SET: AtomicBool = AtomicBool::new(true);
    for seed in 0..20 {
        let (skeleton, problem) = star(2 + seed % 5, &mut Random::new(seed as u64));
        for method in Method::ALL.into_iter().filter(|method| !method.is_for_chains_only()) {
            let settings = Settings { method, interrupt: Interrupt::by(&SET), ..Settings::default() };
            let mut solver = Solver::new(&skeleton).problem(problem.clone()).settings(settings);
            let mut pose = skeleton.rest_pose();
            for track in [false, true] {
                let report = if track { solver.track(&mut pose) } else { solver.solve(&mut pose) };
                assert_eq!(report.stop, Stop::Interrupted, "seed {seed}, {method:?}");
                assert!(report.attempts <= 1 && report.iterations <= 1, "seed {seed}, {method:?}: {report:?}");
                assert_eq!(worst_violation(&skeleton, &pose), 0.0, "seed {seed}, {method:?}");
            }
        }
    }
    let settings = Settings { method: Method::Textbook, interrupt: Interrupt::by(&SET), ..Settings::default() };
    let mut chain = Chain::new(&[DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0, DVec3::Y * 3.0]).expect("a chain");
    assert_eq!(chain.solve(DVec3::new(1.0, 1.5, 0.5), &settings).stop, Stop::Interrupted);
}

#[test]
fn a_time_limit_ends_a_solve_with_a_valid_pose() {
    let mut ended = 0;
    for seed in 0..40 {
        let (skeleton, problem) = star(2 + seed % 5, &mut Random::new(seed as u64));
        let solve = |time_limit, track: bool| {
            let settings = Settings { time_limit, ..Settings::default() };
            let mut solver = Solver::new(&skeleton).problem(problem.clone()).settings(settings);
            let mut pose = skeleton.rest_pose();
            let report = if track { solver.track(&mut pose) } else { solver.solve(&mut pose) };
            (report, pose)
        };
        for track in [false, true] {
            let free = solve(None, track);
            assert_eq!(solve(Some(Duration::from_secs(3600)), track), free, "seed {seed}: nothing else changes");
            let (report, pose) = solve(Some(Duration::from_micros(50)), track);
            assert_eq!(worst_violation(&skeleton, &pose), 0.0, "seed {seed}");
            assert!(report.attempts <= free.0.attempts, "seed {seed}: {report:?}, {free:?}");
            ended += usize::from(report.stop == Stop::Interrupted);
            let (report, pose) = solve(Some(Duration::ZERO), track);
            assert_eq!(report.stop, Stop::Interrupted, "seed {seed}: one step is not enough");
            assert_eq!(worst_violation(&skeleton, &pose), 0.0, "seed {seed}");
        }
    }
    assert!(ended > 20, "{ended} of 80 solves took longer than the limit");
}

#[test]
fn tables_and_paths_take_the_time_that_they_need() {
    let (skeleton, problem) = star(3, &mut Random::new(5));
    let settings = Settings {
        time_limit: Some(Duration::ZERO),
        steps_per_call: NonZeroU32::new(1),
        prefer: Prefer::Nearest,
        ..Settings::default()
    };
    let mut solver = Solver::new(&skeleton).problem(problem.clone()).settings(settings);
    let mut poses = vec![skeleton.rest_pose(); 2];
    let reports = solver.solve_many(&[problem.clone(), problem.clone()], &mut poses);
    assert!(reports.iter().all(|report| report.stop != Stop::Interrupted), "{reports:?}");
    let path = solver.solve_path(&[problem.clone(), Problem::default()], &skeleton.rest_pose());
    assert!(path.iter().all(|(_, report)| report.stop != Stop::Interrupted), "{path:?}");
    assert_eq!(solver.settings, settings);
    // A path is tracked as with the settings that search to the end.
    let problems = vec![problem; 3];
    let plan =
        |settings: Settings| Solver::new(&skeleton).settings(settings).solve_path(&problems, &skeleton.rest_pose());
    assert_eq!(plan(settings), plan(Settings { time_limit: None, steps_per_call: None, ..settings }));
}

#[test]
fn realtime_solves_end_soon() {
    let settings = Settings::realtime();
    let (skeleton, problem) = star(6, &mut Random::new(1));
    let mut solver = Solver::new(&skeleton).problem(problem).settings(settings);
    let report = solver.track(&mut skeleton.rest_pose());
    assert!(report.attempts <= 2, "its own pose and another start: {report:?}");
}

/// Arms beside each other: `solve` solves them one by one, `solve_many` in the lanes.
fn arms(count: usize, random: &mut Random) -> (Skeleton, Problem) {
    let (mut joints, mut problem) = (Vec::new(), Problem::default());
    for arm in 0..count {
        let mut parent = None;
        for at in 0..3 {
            let kind = Kind::Hinge { axis: random.direction(), range: Interval::new(-1.2, 1.2).ok() };
            joints.push(Joint::new(format!("{arm}.{at}"), parent, 0.5 * random.direction(), kind));
            parent = Some(joints.len() - 1);
        }
        problem.goals.push(Goal::new(Effector::new(joints.len() - 1, 0.3 * DVec3::X), 4.0 * random.direction()));
    }
    (Skeleton::new(joints).expect("arms"), problem)
}

#[test]
fn what_had_not_begun_at_an_interrupt_stays_and_its_error_is_measured() {
    static SET: AtomicBool = AtomicBool::new(true);
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let (skeleton, problem) = if seed % 2 == 0 { arms(5, &mut random) } else { star(3, &mut random) };
        let settings = Settings { interrupt: Interrupt::by(&SET), ..Settings::default() };
        let mut solver = Solver::new(&skeleton).problem(problem.clone()).settings(settings);
        let mut poses = vec![skeleton.rest_pose(); 3];
        let mut reports = solver.solve_many(&vec![problem.clone(); 2], &mut poses[..2]);
        reports.push(solver.solve(&mut poses[2]));
        let errors = goal_errors(&skeleton, &problem, &skeleton.rest_pose());
        let worst = errors.iter().map(|error| error.position).fold(0.0, f64::max);
        for (report, pose) in reports.iter().zip(&poses) {
            assert_eq!((report.stop, report.attempts), (Stop::Interrupted, 0), "seed {seed}");
            assert_eq!(*pose, skeleton.rest_pose(), "seed {seed}");
            assert!(report.error >= worst && report.error.is_finite(), "seed {seed}: {} {worst}", report.error);
        }
    }
}

/// Every lane ends the attempt that it is in, and no other one begins, though each problem would take many.
#[test]
fn no_lane_begins_an_attempt_after_an_interrupt() {
    const MOST_IN_LANES: usize = 64;
    static ENOUGH: AtomicBool = AtomicBool::new(false);
    let random = &mut Random::new(4);
    let (skeleton, mut problem) = arms(1, random);
    let rest = skeleton.rest_pose();
    let mut solver = Solver::new(&skeleton);
    let mut is_out_of_reach = |problem: &mut Problem| {
        problem.goals[0].target = random.direction().into();
        solver.solve_many(std::slice::from_ref(problem), &mut [rest.clone()])[0].attempts > 60
    };
    while !is_out_of_reach(&mut problem) {}
    let problems = vec![problem; 20_000];
    let mut poses = vec![rest; problems.len()];
    let settings = Settings { interrupt: Interrupt::by(&ENOUGH), ..Settings::default() };
    let reports = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            ENOUGH.store(true, Ordering::Relaxed);
        });
        Solver::new(&skeleton).settings(settings).solve_many(&problems, &mut poses)
    });
    let interrupted = reports.iter().filter(|report| report.stop == Stop::Interrupted);
    let begun = interrupted.clone().filter(|report| report.attempts > 0).count();
    assert!(begun <= MOST_IN_LANES && interrupted.count() > 0, "{begun} begun");
    assert!(poses.iter().all(|pose| worst_violation(&skeleton, pose) == 0.0));
}

/// Each arm has its final answer or stays as it was, but for the one that was being solved; the report says that not all
/// are solved.
#[test]
fn an_interrupt_between_islands_keeps_the_answers_so_far() {
    const COMPARED: usize = 200;
    static ENOUGH: AtomicBool = AtomicBool::new(false);
    let (skeleton, problem) = arms(COMPARED, &mut Random::new(3));
    let (rest, mut complete) = (skeleton.rest_pose(), skeleton.rest_pose());
    let _ = Solver::new(skeleton).problem(problem).solve(&mut complete);

    let (skeleton, problem) = arms(100 * COMPARED, &mut Random::new(3));
    let settings = Settings { interrupt: Interrupt::by(&ENOUGH), ..Settings::default() };
    let mut pose = skeleton.rest_pose();
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            ENOUGH.store(true, Ordering::Relaxed);
        });
        Solver::new(&skeleton).problem(problem).settings(settings).solve(&mut pose)
    });
    assert_eq!(report.stop, Stop::Interrupted);
    assert_eq!(pose.last(), rest.last(), "all arms together take many seconds");
    let own = |pose: &Pose, arm: usize| pose[3 * arm..3 * arm + 3].to_vec();
    let begun = (0..COMPARED).filter(|&arm| ![&complete, &rest].map(|pose| own(pose, arm)).contains(&own(&pose, arm)));
    assert!(begun.count() <= 1);
}

#[test]
fn closing_loops_reads_the_interrupt() {
    static SET: AtomicBool = AtomicBool::new(true);
    for seed in 0..10 {
        let (skeleton, problem) = star(4, &mut Random::new(seed));
        let closed = |settings: Settings| {
            let mut pose = skeleton.rest_pose();
            let gap = Solver::new(&skeleton).problem(problem.clone()).settings(settings).close_loops(&mut pose);
            (gap, pose)
        };
        let (complete, _) = closed(Settings::default());
        let (gap, pose) = closed(Settings { interrupt: Interrupt::by(&SET), ..Settings::default() });
        assert!(gap > complete && pose == skeleton.rest_pose(), "seed {seed}: {gap}, {complete}");
    }
}

/// The flag alone changes nothing; once another thread sets it, a solve of minutes ends.
#[test]
fn a_flag_ends_a_long_solve_and_changes_no_other() {
    static UNUSED: AtomicBool = AtomicBool::new(false);
    let with = |interrupt| Settings { interrupt, ..Settings::default() };
    for seed in 0..6 {
        let (skeleton, problem) = star(3, &mut Random::new(seed));
        let [plain, watched] = [Interrupt::NONE, Interrupt::by(&UNUSED)].map(|interrupt| {
            let mut pose = skeleton.rest_pose();
            (Solver::new(&skeleton).problem(problem.clone()).settings(with(interrupt)).solve(&mut pose), pose)
        });
        assert_eq!(plain, watched, "seed {seed}");
    }
    static ENOUGH: AtomicBool = AtomicBool::new(false);
    let (skeleton, problem) = star(600, &mut Random::new(1));
    let mut solver = Solver::new(&skeleton).problem(problem).settings(with(Interrupt::by(&ENOUGH)));
    let mut pose = skeleton.rest_pose();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            ENOUGH.store(true, Ordering::Relaxed);
        });
        assert_eq!(solver.solve(&mut pose).stop, Stop::Interrupted);
    });
    assert_eq!(worst_violation(&skeleton, &pose), 0.0);
}

/// One end for many solves: before it they are as without it, after it none begins. Of two ends, the earlier one counts.
#[test]
fn an_end_of_time_holds_for_all_solves() {
    let (now, hour) = (Instant::now(), Duration::from_secs(3600));
    let ends =
        [Interrupt::NONE.until(now + hour), Interrupt::NONE.until(now), Interrupt::NONE.until(now + hour).until(now)];
    assert_eq!(ends.map(Interrupt::is_requested), [false, true, true]);
    let (skeleton, problem) = star(3, &mut Random::new(2));
    let solved = |settings: Settings| {
        let mut pose = skeleton.rest_pose();
        (Solver::new(&skeleton).problem(problem.clone()).settings(settings).solve(&mut pose), pose)
    };
    assert_eq!(solved(Settings { interrupt: ends[0], ..Settings::default() }), solved(Settings::default()));
    // The time limit of one solve does not move the end of all.
    let late = Settings { interrupt: ends[1], time_limit: Some(hour), ..Settings::default() };
    let (report, pose) = solved(late);
    assert_eq!((report.stop, pose), (Stop::Interrupted, skeleton.rest_pose()));
}

/// A batch looks for the flag before each tile: chains that have not begun stay where they are.
#[test]
fn a_batch_of_chains_leaves_out_what_has_not_begun() {
    static SET: AtomicBool = AtomicBool::new(true);
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let links = 1 + random.index(60);
        let count = 1 + random.index(2000);
        let chain: Vec<Vec3> = (0..=links).map(|at| Vec3::X * at as f32).collect();
        let start: Vec<Vec3> = chain.iter().copied().cycle().take(count * (links + 1)).collect();
        let target = |_| (random.direction() * (0.9 * links as f64)).as_vec3();
        let targets: Vec<Vec3> = (0..count).map(target).collect();
        let (mut points, mut outcomes) = (start.clone(), vec![Outcome::default(); count]);
        let settings = Settings { interrupt: Interrupt::by(&SET), ..Settings::default() };
        let mut batch = Batch::new(links).expect("links");
        let lengths = vec![1.0; links];
        batch.solve(Lengths::Shared(&lengths), &mut points, &targets, &settings, &mut outcomes).expect("lengths match");
        assert!(outcomes.iter().all(|outcome| outcome.stop == Stop::Interrupted), "seed {seed}");
        assert_eq!(points, start, "seed {seed}");
    }
}
