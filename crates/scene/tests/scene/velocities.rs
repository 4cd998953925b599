//! Velocity limits slow a motion down, and jumps are found.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Interval, Joint, Kind, Pose, Skeleton};
use fabrik3d_scene::{JointJump, Motion, VelocityError, VelocityReason};
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
    let slow = motion.within_velocities(&skeleton, &limits, &[], usize::MAX).expect("limits above 0");
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
    let same = motion.within_velocities(&skeleton, &fast, &[], poses.len()).expect("no frame more");
    assert!((0..poses.len()).all(|frame| same.pose(&skeleton, frame) == poses[frame]) && same.len() == poses.len());
    let too_many = motion.within_velocities(&skeleton, &limits, &[], slow.len() - 1);
    assert!(too_many.is_err_and(|error| error.reason == VelocityReason::TooLow));
    // No way leads across a jump.
    let jumps: Vec<JointJump> = (1..50).map(|frame| JointJump { frame, joint: 0, angle: 2.0 }).collect();
    let cut = motion.within_velocities(&skeleton, &limits, &jumps, poses.len()).expect("no frame more");
    assert_eq!(cut.len(), poses.len());
}

#[test]
fn limits_that_stop_the_motion_are_errors() {
    let skeleton = skeleton();
    let mut poses = vec![skeleton.rest_pose(); 2];
    poses[1][1] = Coordinates::scalar(1.0);
    let motion = Motion::new("", 0.02, poses);
    let with = |limit| motion.within_velocities(&skeleton, &[Some(0.0), Some(limit), None, None], &[], 1000);
    assert_eq!(with(0.0), Err(VelocityError { joint: 1, reason: VelocityReason::Zero }));
    assert_eq!(with(1e-9), Err(VelocityError { joint: 1, reason: VelocityReason::TooLow }));
    assert!(with(1.0).is_ok(), "the first joint does not move");
}

#[test]
fn the_largest_jump_of_each_frame_is_reported() {
    let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    let joint = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::X, hinge);
    let skeleton = Skeleton::new((0..3).map(joint).collect()).expect("a skeleton");
    let pose = |angles: [f64; 3]| -> Pose { angles.map(Coordinates::scalar).to_vec() };
    let frames = [[0.0, 0.0, 0.0], [0.5, -0.5, 1.0], [0.6, 1.5, -0.5], [0.6, 1.5, -0.5], [0.6, 0.4, -0.5]];
    let motion = Motion::new("", 0.1, frames.map(pose).to_vec());
    let jumps = motion.jumps(&skeleton);
    let found: Vec<(usize, usize)> = jumps.iter().map(|jump| (jump.frame, jump.joint)).collect();
    assert_eq!(found, [(2, 1), (4, 1)], "{jumps:?}");
    assert!((jumps[0].angle - 2.0).abs() < 1e-12 && (jumps[1].angle - 1.1).abs() < 1e-12, "{jumps:?}");
    assert_eq!(Motion::new("", 0.1, Vec::new()).jumps(&skeleton), []);
}
