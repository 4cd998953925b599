//! Arms with a closed form among obstacles: if a branch is clear, an answer is clear.
#![allow(clippy::unwrap_used)]

use crate::six_axis_cases::{LAYOUTS, Ranges};
use fabrik3d_ik::collision::{KeepClear, LinkCapsule, Obstacle};
use fabrik3d_ik::figures::split;
use fabrik3d_ik::queries::{clearance, goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Coordinates, Effector, Goal, Isometry, Pose, Problem, Settings, SixAxisArm, Skeleton, Solver, Stop};
use glam::DVec3;

/// An arm among obstacles, a target that it would reach without them, and a start pose.
struct Case {
    skeleton: Skeleton,
    arm: SixAxisArm,
    size: f64,
    problem: Problem,
    start: Pose,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let layout = &LAYOUTS[seed as usize % LAYOUTS.len()];
        let ranges = if seed.is_multiple_of(2) { Ranges::None } else { Ranges::Mixed };
        let (skeleton, effector) = layout.arm(ranges, &mut random);
        let size = effector.size(&skeleton);
        let start = skeleton.random_pose(&mut random);
        let mut problem = Problem {
            obstacles: obstacles(&skeleton, &effector, size, &mut random),
            keep_clear: bodies(&skeleton, &effector, &start, size),
            ..Problem::default()
        };
        // Most targets can be reached by a pose that is clear.
        let mut poses = (0..20).map(|_| skeleton.random_pose(&mut random));
        let is_clear = |pose: &Pose| clearance(&skeleton, &problem, pose).unwrap().distance > 0.0;
        let there = poses.find(is_clear).unwrap_or_else(|| start.clone());
        let frame = skeleton.frame_of(Isometry::IDENTITY, &there, effector.joint);
        problem.goals = vec![Goal::new(effector, (frame.point(effector.tip), frame.rotation))];
        Case { arm: SixAxisArm::new(&skeleton, &effector).unwrap(), skeleton, size, problem, start }
    }

    fn solver(&self, prefer: Prefer) -> Solver {
        let settings = Settings { prefer, ..Settings::default() };
        Solver::new(&self.skeleton).problem(self.problem.clone()).settings(settings)
    }

    fn clearance(&self, pose: &[Coordinates]) -> f64 {
        clearance(&self.skeleton, &self.problem, pose).unwrap().distance
    }

    fn angles(&self, pose: &[Coordinates]) -> [f64; 6] {
        std::array::from_fn(|at| pose[self.arm.joints()[at]].value())
    }

    /// The clearance of each branch of the closed form, and its largest move from the start.
    fn solutions(&self) -> Vec<(f64, f64)> {
        let (target, near) = (self.problem.goals[0].target, self.angles(&self.start));
        let branches = self.arm.solutions(target.position.unwrap(), target.rotation().unwrap(), &near);
        let measured = branches.iter().map(|angles| {
            let mut pose = self.start.clone();
            self.arm.joints().iter().zip(angles).for_each(|(&joint, &angle)| pose[joint] = Coordinates::scalar(angle));
            (self.clearance(&pose), self.arm.largest_move(&near, angles))
        });
        measured.collect()
    }

    /// Asserts that a pose meets the target, keeps the limits and is clear.
    fn check(&self, pose: &[Coordinates]) {
        let error = goal_errors(&self.skeleton, &self.problem, pose)[0];
        let Settings { tolerance, rotation_tolerance, .. } = Settings::default();
        assert!(error.position <= tolerance && error.angle <= rotation_tolerance, "{error:?}");
        assert_eq!(worst_violation(&self.skeleton, pose), 0.0);
        assert!(self.clearance(pose) >= 0.0);
    }
}

/// The chain of the effector as capsules, with the pairs that are apart in `pose`.
fn bodies(skeleton: &Skeleton, effector: &Effector, pose: &[Coordinates], size: f64) -> KeepClear {
    let mut chain: Vec<usize> = skeleton.ancestors(effector.joint).collect();
    chain.reverse();
    let segment = |pair: &[usize]| (pair[0], skeleton.joints()[pair[1]].offset);
    let ends = chain.windows(2).map(segment).chain([(effector.joint, effector.tip)]);
    let capsule = |(joint, end)| LinkCapsule::new(joint, [DVec3::ZERO, end], 0.01 * size);
    let capsules: Vec<LinkCapsule> = ends.map(capsule).collect();
    let [pairs, _] = KeepClear::pairs_in(skeleton, &capsules, pose);
    KeepClear { capsules, pairs, margin: 0.002 * size }
}

/// Balls and boxes where the arm is in some of its poses.
fn obstacles(skeleton: &Skeleton, effector: &Effector, size: f64, random: &mut Random) -> Vec<Obstacle> {
    let base = skeleton.frames(&skeleton.rest_pose())[0].position;
    let mut obstacles = Vec::new();
    while obstacles.len() < 5 {
        let pose = skeleton.random_pose(random);
        let frames = skeleton.frames(&pose);
        let on_arm: Vec<usize> = skeleton.ancestors(effector.joint).collect();
        let center = frames[on_arm[random.index(on_arm.len())]].position + random.ball() * (0.1 * size);
        if center.distance(base) < 0.15 * size {
            continue;
        }
        obstacles.push(match obstacles.len() % 2 {
            0 => Obstacle::Sphere { center, radius: 0.06 * size },
            _ => Obstacle::Box { center, rotation: random.rotation(), half: DVec3::new(0.03, 0.06, 0.1) * size },
        });
    }
    obstacles
}

/// Clearances that differ from 0 by less than rounding prove nothing; relative to the size of the arm.
const ROUNDING: f64 = 1e-9;

#[test]
fn a_clear_branch_is_found_if_there_is_one() {
    let (mut clear, mut nearest_overlaps, mut blocked) = (0, 0, 0);
    for seed in 0..800 {
        let case = Case::new(seed);
        let branches = case.solutions();
        let mut pose = case.start.clone();
        let report = case.solver(Prefer::First).solve(&mut pose);
        assert!(report.stop.is_reached() || report.stop == Stop::Limited || report.stop == Stop::Stalled, "{report}");
        if report.stop.is_reached() {
            case.check(&pose);
        }
        if branches.iter().any(|branch| branch.0 > ROUNDING * case.size) {
            assert!(report.stop.is_reached(), "seed {seed}: {report}");
            clear += 1;
            nearest_overlaps += usize::from(branches[0].0 < 0.0);
            let skeleton = case.skeleton.clone().into();
            let figure = split(&skeleton, &case.problem).find(|figure| figure.has(case.arm.joints()[5])).unwrap();
            let mut alone = Solver::new(figure.skeleton().clone()).problem(figure.problem(&case.problem));
            let report = alone.solve(&mut figure.pose(&case.start));
            assert!(report.stop.is_reached(), "seed {seed}: {report}");
        } else {
            blocked += 1;
        }
    }
    assert!(clear > 250 && nearest_overlaps > 50 && blocked > 50, "{clear} {nearest_overlaps} {blocked}");
}

#[test]
fn all_branches_are_the_clear_ones_and_the_nearest_is_the_nearest_of_them() {
    for seed in 0..600 {
        let case = Case::new(seed);
        let branches = case.solutions();
        if branches.iter().any(|branch| branch.0.abs() <= ROUNDING * case.size) {
            continue;
        }
        let clear: Vec<f64> = branches.iter().filter(|branch| branch.0 > 0.0).map(|branch| branch.1).collect();
        if clear.is_empty() {
            continue;
        }
        let found = case.solver(Prefer::First).solutions(&case.start, 100);
        found.iter().for_each(|pose| case.check(pose));
        assert_eq!(found.len(), clear.len(), "seed {seed}");
        let mut pose = case.start.clone();
        let report = case.solver(Prefer::Nearest).solve(&mut pose);
        assert!(report.stop.is_reached());
        case.check(&pose);
        let moved = case.arm.largest_move(&case.angles(&case.start), &case.angles(&pose));
        let least = clear.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((moved - least).abs() < 1e-6, "seed {seed}: {moved} {least}");
    }
}
