//! Problems whose refinement would need too much memory: the reaching passes alone solve them.

use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Settings, Skeleton, Solver};
use glam::DVec3;

/// The Jacobian of 400 joints and 20,000 goals has 144 million entries.
const JOINTS: usize = 400;
const GOALS: usize = 20_000;

/// A chain with effectors all along it, and targets that one of its poses meets, or some of them far away.
fn problem(random: &mut Random, far: bool) -> (Skeleton, Problem) {
    let ball = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::Y, Kind::UNLIMITED_BALL);
    let skeleton = Skeleton::new((0..JOINTS).map(ball).collect()).expect("a chain");
    let mut pose = skeleton.rest_pose();
    for (at, coordinates) in pose.iter_mut().enumerate() {
        let bend = glam::DQuat::from_scaled_axis(0.02 * random.direction() * f64::from(u8::from(at > 0)));
        *coordinates = fabrik3d_ik::Coordinates::rotation(bend);
    }
    let frames = skeleton.frames(&pose);
    let goal = |at: usize| {
        let (joint, tip) = (1 + at % (JOINTS - 1), random.ball());
        let away = if far && at.is_multiple_of(100) { 1e3 } else { 0.0 };
        Goal::new(Effector::new(joint, tip), frames[joint].point(tip) + away * DVec3::X)
    };
    let goals = (0..GOALS).map(goal).collect();
    (skeleton, Problem { goals, ..Problem::default() })
}

#[test]
fn passes_alone_come_nearer_to_too_many_goals() {
    for seed in 0..2 {
        for far in [false, true] {
            let (skeleton, problem) = problem(&mut Random::new(seed), far);
            let sum = |pose: &[fabrik3d_ik::Coordinates]| -> f64 {
                goal_errors(&skeleton, &problem, pose).iter().map(|error| error.position.powi(2)).sum()
            };
            let mut solver = Solver::new(&skeleton).problem(problem.clone()).settings(Settings::default());
            let mut poses = [skeleton.rest_pose(), skeleton.rest_pose()];
            let reports = poses.each_mut().map(|pose| solver.solve(pose));
            assert_eq!((reports[0], &poses[0]), (reports[1], &poses[1]), "same input, same bits");
            assert_eq!((reports[0].refine_steps, reports[0].attempts), (0, 1), "{:?}", reports[0]);
            assert!(reports[0].iterations > 0 && !reports[0].stop.is_reached() || !far, "{:?}", reports[0]);
            let (before, after) = (sum(&skeleton.rest_pose()), sum(&poses[0]));
            assert!(after < if far { before } else { 0.1 * before }, "seed {seed}, far {far}: {before} to {after}");
            assert_eq!(worst_violation(&skeleton, &poses[0]), 0.0);
        }
    }
}
