//! Interrupts: a flag ends solves, and the pose is valid all the same.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Attachment, Chain, DVec3, Effector, Goal, Interrupt, Interval, Joint, Kind, Method, Problem, Settings, Skeleton,
    Solver, Stop, worst_violation,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
