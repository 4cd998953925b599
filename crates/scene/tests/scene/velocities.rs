//! Velocity limits slow a motion down.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Skeleton, Solver, Stop};
use fabrik3d_scene::{Motion, OpenOptions, Scene, VelocityError, VelocityReason};
use glam::DVec3;

fn skeleton() -> Skeleton {
    let hinge = |range| Kind::Hinge { axis: DVec3::Z, range };
    let kinds = [
        hinge(None),
        hinge(Interval::new(-3.0, 3.0).ok()),
        Kind::Slide { axis: DVec3::X, range: None },
        Kind::UNLIMITED_BALL,
    ];
    let joint = |(at, kind): (usize, Kind)| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, kind);
    Skeleton::new(kinds.into_iter().enumerate().map(joint).collect()).expect("a skeleton")
}

#[test]
fn no_joint_is_faster_than_its_limit_and_every_frame_is_kept() {
    let (skeleton, mut random) = (skeleton(), Random::new(3));
    let poses: Vec<Pose> = (0..50).map(|_| skeleton.random_pose(&mut random)).collect();
    let motion = Motion::new("", 0.02, poses.clone());
    let limits = [Some(2.0), Some(0.5), Some(0.3), None];
    let even = vec![Some(Vec::new()); 49];
    let slow = motion.within_velocities(&skeleton, &limits, &even, usize::MAX).expect("limits above 0");
    for frame in 1..slow.len() {
        let (before, now) = (slow.pose(&skeleton, frame - 1), slow.pose(&skeleton, frame));
        for (joint, limit) in limits.iter().enumerate() {
            let Some(limit) = limit else { continue };
            let moved = (now[joint].value() - before[joint].value()).abs();
            assert!(moved <= limit * motion.frame_time * (1.0 + 1e-6) + 1e-9, "joint {joint}: {moved}");
        }
    }
    let mut rest = (0..slow.len()).map(|frame| slow.pose(&skeleton, frame));
    assert!(poses.iter().all(|pose| rest.any(|other| other == *pose)), "the frames of the motion, in their order");
    // With high limits, nothing changes.
    let fast = [Some(1e3); 4];
    let same = motion.within_velocities(&skeleton, &fast, &even, poses.len()).expect("no frame more");
    assert!((0..poses.len()).all(|frame| same.pose(&skeleton, frame) == poses[frame]) && same.len() == poses.len());
    let too_many = motion.within_velocities(&skeleton, &limits, &even, slow.len() - 1);
    assert!(too_many.is_err_and(|error| error.reason == VelocityReason::TooLow));
    // No way leads across a jump.
    let cut = motion.within_velocities(&skeleton, &limits, &vec![None; 49], poses.len()).expect("no frame more");
    assert_eq!(cut.len(), poses.len());
}

/// The velocity limits of a file bound what a tracked call does.
#[test]
fn tracked_joints_keep_to_the_velocity_limits_of_their_file() {
    let mut random = Random::new(7);
    for _ in 0..30 {
        let joints = 3 + random.index(4);
        let limits: Vec<Option<f64>> =
            (0..joints).map(|_| (random.index(4) > 0).then(|| random.range(0.2, 3.0))).collect();
        let joint = |(at, limit): (usize, &Option<f64>)| {
            let velocity = limit.map_or(String::new(), |limit| format!("max_velocity = {}\n", limit.to_degrees()));
            let parent = at.checked_sub(1).map_or(String::new(), |above| format!("parent = \"j{above}\"\n"));
            let axis = if at % 2 == 0 { "[0, 0, 1]" } else { "[0, 1, 0]" };
            format!(
                "[[joint]]\nname = \"j{at}\"\n{parent}kind = \"hinge\"\naxis = {axis}\noffset = [0.3, 0, 0]\n{velocity}"
            )
        };
        let text: String = limits.iter().enumerate().map(joint).collect();
        let scene = Scene::from_bytes(text.into_bytes(), "arm.toml", &OpenOptions::default()).expect("an arm");
        let dt = random.range(0.001, 0.1);
        let mut solver = Solver::new(scene.skeleton.clone());
        let hand = solver.add_goal(Goal::new(Effector::new(joints - 1, DVec3::X * 0.1), DVec3::ZERO));
        solver.problem.max_steps = scene.max_steps(dt);
        let mut pose = scene.start.clone();
        for _ in 0..20 {
            let before = pose.clone();
            solver.set_target(hand, random.ball() * 2.0);
            assert_ne!(solver.track(&mut pose).stop, Stop::Refused);
            for (joint, limit) in limits.iter().enumerate() {
                let moved = (pose[joint].value() - before[joint].value()).abs();
                assert!(limit.is_none_or(|limit| moved <= limit * dt * (1.0 + 1e-9)), "joint {joint}: {moved}");
            }
        }
    }
}

#[test]
fn limits_that_stop_the_motion_are_errors() {
    let skeleton = skeleton();
    let mut poses = vec![skeleton.rest_pose(); 2];
    poses[1][1] = Coordinates::scalar(1.0);
    let motion = Motion::new("", 0.02, poses);
    let with =
        |limit| motion.within_velocities(&skeleton, &[Some(0.0), Some(limit), None, None], &[Some(Vec::new())], 1000);
    assert_eq!(with(0.0), Err(VelocityError { joint: 1, reason: VelocityReason::Zero }));
    assert_eq!(with(1e-9), Err(VelocityError { joint: 1, reason: VelocityReason::TooLow }));
    assert!(with(1.0).is_ok(), "the first joint does not move");
}

#[test]
fn added_frames_lie_on_the_ways_between_the_frames() {
    let (skeleton, mut random) = (skeleton(), Random::new(4));
    let poses: Vec<Pose> = (0..20).map(|_| skeleton.random_pose(&mut random)).collect();
    let ways: Vec<Option<Vec<Pose>>> =
        (0..19).map(|at| Some((0..at % 4).map(|_| skeleton.random_pose(&mut random)).collect())).collect();
    let motion = Motion::new("", 0.02, poses.clone());
    let limits = [Some(3.0), Some(2.0), Some(4.0), None];
    let slow = motion.within_velocities(&skeleton, &limits, &ways, usize::MAX).expect("limits above 0");
    let (mut frame, mut added) = (0, 0);
    for (at, way) in ways.iter().enumerate() {
        let through: Vec<&Pose> =
            [&poses[at]].into_iter().chain(way.as_ref().expect("a way")).chain([&poses[at + 1]]).collect();
        let mut part = 0;
        while slow.pose(&skeleton, frame) != poses[at + 1] {
            let (here, next) = (slow.pose(&skeleton, frame), slow.pose(&skeleton, frame + 1));
            for (joint, limit) in limits.iter().enumerate() {
                let Some(limit) = limit else { continue };
                let moved = (next[joint].value() - here[joint].value()).abs();
                assert!(moved <= limit * 0.02 * (1.0 + 1e-6) + 1e-9, "frame {frame}, joint {joint}: {moved}");
            }
            // Some part of the way, not before that of the frame before, has the pose in the middle of it.
            let lies_on = |pair: &[&Pose]| {
                let joints =
                    [0, 1, 2].map(|joint| [pair[0][joint], here[joint], pair[1][joint]].map(|own| own.value()));
                let [from, at, to] = joints[0];
                let share = (at - from) / (to - from);
                (-1e-9..=1.0 + 1e-9).contains(&share)
                    && joints.iter().all(|[from, at, to]| (from + share * (to - from) - at).abs() < 1e-9)
            };
            part += through[part..].windows(2).position(lies_on).expect("a place on the way");
            (frame, added) = (frame + 1, added + 1);
        }
    }
    assert!(added > 200, "{added}");
}
