//! The pose next to the start: a solution, inside the limits, and as near as the known one or nearly so.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{Wanted, random_arm};
use crate::six_axis_cases::{LAYOUTS, Ranges};
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Report, Settings, SixAxisArm, Skeleton, Solver,
};
use glam::DVec3;

const NEAREST: Settings = Settings { prefer: Prefer::Nearest, ..Settings::DEFAULT };
const SETTINGS: Settings = Settings { tolerance: 1e-6, rotation_tolerance: 1e-6, ..NEAREST };

/// A pose of an arm, a start next to it, and the problem that the pose solves.
struct Case {
    skeleton: Skeleton,
    problem: Problem,
    start: Pose,
    /// The largest move from the start to the pose that made the target.
    known: f64,
}

impl Case {
    fn new(skeleton: Skeleton, effector: Effector, wanted: Wanted, noise: f64, random: &mut Random) -> Self {
        let pose = skeleton.random_pose(random);
        let goal = Goal::new(effector, wanted.target(&skeleton, &effector, &pose));
        let mut start = pose.clone();
        for (joint, value) in start.iter_mut().enumerate() {
            let noise = noise * random.range(-1.0, 1.0);
            match skeleton.kind(joint) {
                Kind::Hinge { .. } => *value = Coordinates::scalar(value.value() + noise),
                Kind::Slide { .. } => *value = Coordinates::scalar(value.value() + noise * effector.size(&skeleton)),
                _ => {}
            }
        }
        skeleton.project(&mut start);
        let mut case =
            Case { skeleton, problem: Problem { goals: vec![goal], ..Problem::default() }, start, known: 0.0 };
        case.known = case.moved(&pose);
        case
    }

    /// The largest move from the start: radians, or fractions of the arm's size.
    fn moved(&self, pose: &[Coordinates]) -> f64 {
        let size = self.problem.goals[0].effector.size(&self.skeleton);
        let moves = (0..pose.len()).filter(|&joint| self.skeleton.joints()[joint].mimic.is_none()).map(|joint| {
            let change = pose[joint].value() - self.start[joint].value();
            match self.skeleton.kind(joint) {
                Kind::Hinge { range: None, .. } => change.sin().atan2(change.cos()).abs(),
                Kind::Hinge { .. } => change.abs(),
                Kind::Slide { .. } => change.abs() / size,
                _ => 0.0,
            }
        });
        moves.fold(0.0, f64::max)
    }

    fn solve(&self, settings: Settings) -> (Pose, Report) {
        let mut pose = self.start.clone();
        let report = Solver::new(&self.skeleton).problem(self.problem.clone()).settings(settings).solve(&mut pose);
        (pose, report)
    }

    fn check(&self, pose: &[Coordinates], report: &Report, settings: &Settings) {
        assert_eq!(worst_violation(&self.skeleton, pose), 0.0);
        let error = goal_errors(&self.skeleton, &self.problem, pose)[0];
        let reached = error.position <= settings.tolerance && error.angle <= settings.rotation_tolerance;
        assert_eq!(report.stop.is_reached(), reached, "{report} {error:?}");
    }
}

#[test]
fn redundant_arms_stay_next_to_their_start() {
    let mut random = Random::new(41);
    for (joints, wanted) in [(7, Wanted::Both), (8, Wanted::Both), (6, Wanted::Position), (4, Wanted::Position)] {
        let (mut near, mut nearer, mut sum) = (0, 0, [0.0; 2]);
        for _ in 0..300 {
            let (skeleton, effector) = random_arm(joints, &mut random);
            let case = Case::new(skeleton, effector, wanted, 0.2, &mut random);
            let (pose, report) = case.solve(SETTINGS);
            case.check(&pose, &report, &SETTINGS);
            near += usize::from(report.stop.is_reached() && case.moved(&pose) <= 0.5);
            let (first, _) = case.solve(Settings { prefer: Prefer::First, ..SETTINGS });
            // Poses within the tolerances of singular ones differ a little.
            nearer += usize::from(case.moved(&pose) <= 1.02 * case.moved(&first));
            sum[0] += case.moved(&pose);
            sum[1] += case.known;
        }
        assert!(near >= 285, "{joints} joints, {wanted:?}: {near} of 300 within 0.5");
        assert!(nearer >= 290, "{joints} joints, {wanted:?}: {nearer} of 300 nearer than the first pose found");
        // The descent finds nearer poses than the one that made the target.
        assert!(sum[0] < sum[1], "{joints} joints, {wanted:?}: {sum:?}");
    }
}

#[test]
fn the_nearest_solution_is_no_farther_than_the_first() {
    let mut random = Random::new(44);
    for (joints, wanted) in [(7, Wanted::Both), (8, Wanted::Both), (6, Wanted::Position), (4, Wanted::Position)] {
        for number in 0..300 {
            let (skeleton, effector) = random_arm(joints, &mut random);
            let case = Case::new(skeleton, effector, wanted, 3.0, &mut random);
            let (first, found) = case.solve(Settings { prefer: Prefer::First, ..SETTINGS });
            let (nearest, report) = case.solve(SETTINGS);
            let context = format!("{joints} joints, {wanted:?}, case {number}");
            assert_eq!(report.stop.is_reached(), found.stop.is_reached(), "{context}");
            let moved = [&nearest, &first].map(|pose| case.moved(pose));
            assert!(!found.stop.is_reached() || moved[0] <= moved[1] + 1e-9, "{context}: {moved:?}");
        }
    }
}

#[test]
fn the_nearest_branch_of_six_hinges_is_the_answer() {
    let mut random = Random::new(42);
    for layout in &LAYOUTS {
        for _ in 0..50 {
            let (skeleton, effector) = layout.arm(Ranges::Mixed, &mut random);
            let case = Case::new(skeleton, effector, Wanted::Both, 0.2, &mut random);
            let (pose, report) = case.solve(SETTINGS);
            case.check(&pose, &report, &SETTINGS);
            assert!(report.stop.is_reached());
            assert!(case.moved(&pose) <= case.known + 1e-6);
            let arm = SixAxisArm::new(&case.skeleton, &effector).unwrap();
            let target = case.problem.goals[0].target;
            let near = std::array::from_fn(|at| case.start[arm.joints()[at]].value());
            for branch in arm.solutions(target.position.unwrap(), target.rotation().unwrap(), &near) {
                assert!(case.moved(&pose) <= arm.largest_move(&near, &branch) + 1e-9);
            }
        }
    }
}

#[test]
fn many_problems_give_the_same_answers_and_keep_the_own_problem() {
    let mut random = Random::new(43);
    let (skeleton, effector) = random_arm(7, &mut random);
    let cases: Vec<Case> =
        (0..20).map(|_| Case::new(skeleton.clone(), effector, Wanted::Both, 0.3, &mut random)).collect();
    let problems: Vec<Problem> = cases.iter().map(|case| case.problem.clone()).collect();
    let mut poses: Vec<Pose> = cases.iter().map(|case| case.start.clone()).collect();
    let mut solver = Solver::new(&skeleton).settings(SETTINGS).goal(effector, DVec3::ONE);
    assert!(!solver.runs_in_lanes(&problems[0]));
    let reports = solver.solve_many(&problems, &mut poses);
    assert_eq!(solver.problem.goals[0].target, DVec3::ONE.into());
    for ((case, pose), report) in cases.iter().zip(&poses).zip(&reports) {
        assert_eq!((pose.clone(), *report), case.solve(SETTINGS));
    }
}

#[test]
fn other_figures_choose_among_their_branches() {
    let ball = Kind::UNLIMITED_BALL;
    let hinge = Kind::Hinge { axis: DVec3::Z, range: Interval::new(-1.0, 2.0).ok() };
    let joints = vec![
        Joint::new("root", None, DVec3::ZERO, hinge),
        Joint::new("left", Some(0), DVec3::X, ball),
        Joint::new("right", Some(0), DVec3::X, ball),
        Joint::new("left end", Some(1), DVec3::X, hinge),
        Joint::new("right end", Some(2), DVec3::X, hinge),
    ];
    let skeleton = Skeleton::new(joints).unwrap();
    let goal = |joint, y| Goal::new(Effector::new(joint, DVec3::X), DVec3::new(1.5, y, 0.5));
    let problem = Problem { goals: vec![goal(3, 0.8), goal(4, -0.4)], ..Problem::default() };
    let mut pose = skeleton.rest_pose();
    let report = Solver::new(&skeleton).problem(problem.clone()).settings(NEAREST).solve(&mut pose);
    assert!(report.stop.is_reached());
    assert!(goal_errors(&skeleton, &problem, &pose).iter().all(|error| error.position <= NEAREST.tolerance));
}

#[test]
fn what_is_out_of_reach_is_reported_as_usual() {
    let mut random = Random::new(44);
    let (skeleton, effector) = random_arm(7, &mut random);
    let mut solver = Solver::new(&skeleton).settings(NEAREST).goal(effector, DVec3::splat(1e9));
    let (mut nearest, mut first) = (skeleton.rest_pose(), skeleton.rest_pose());
    let report = solver.solve(&mut nearest);
    solver.settings.prefer = Prefer::First;
    assert_eq!(report, solver.solve(&mut first));
    assert_eq!(nearest, first);
    let mut wrong = vec![Coordinates::scalar(f64::NAN); skeleton.len()];
    solver.settings.prefer = Prefer::Nearest;
    assert_eq!(solver.solve(&mut wrong), Report::REFUSED);
}

/// An arm in a plane may leave it, where its largest move becomes smaller by that. With the joints that turn it out of the
/// plane held, it stays.
#[test]
fn a_pose_outside_the_plane_is_nearer_than_every_pose_in_it() {
    let arm = |turns_out: bool| {
        let joints = (0..7_usize).map(|at| {
            let (is_turn, range) = (at % 2 == 0, Interval::new(-2.8, 2.8).ok());
            let hinge = Kind::Hinge { axis: if is_turn { DVec3::Z } else { DVec3::Y }, range };
            let kind = if is_turn && !turns_out { Kind::Fixed } else { hinge };
            Joint::new(format!("{at}"), at.checked_sub(1), DVec3::Z * 0.15, kind)
        });
        Skeleton::new(joints.collect()).unwrap()
    };
    let arms = [arm(true), arm(false)];
    let effector = Effector::new(6, DVec3::Z * 0.2);
    let bent = |skeleton: &Skeleton, bends: [f64; 3]| {
        let mut pose = skeleton.rest_pose();
        bends.iter().enumerate().for_each(|(at, bend)| pose[2 * at + 1] = Coordinates::scalar(*bend));
        pose
    };
    let mut random = Random::new(45);
    for _ in 0..200 {
        let start = [(); 3].map(|()| random.range(-1.3, 1.3));
        let other = bent(&arms[0], start.map(|bend| bend + random.range(-0.8, 0.8)));
        let goals = vec![Goal::new(effector, arms[0].frames(&other)[6].point(effector.tip))];
        let [free, held] = [0, 1].map(|at| {
            let problem = Problem { goals: goals.clone(), ..Problem::default() };
            let case = Case { skeleton: arms[at].clone(), problem, start: bent(&arms[at], start), known: 0.0 };
            let (pose, report) = case.solve(NEAREST);
            assert!(report.stop.is_reached(), "{report}");
            case.moved(&pose)
        });
        assert!(free <= 1.02 * held, "largest move: {free} with all joints, {held} in the plane");
    }
}
