//! Two parts that are tied move as one: two hands that hold one bar.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::goals::{Attachment, tie};
use fabrik3d_ik::queries::{angle_between, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Goal, Isometry, Joint, Kind, Pose, Skeleton, Solver};
use glam::{DQuat, DVec3};

/// Two arms of seven hinges with limits, side by side, and the joints of their hands.
fn two_arms(size: f64, random: &mut Random) -> (Skeleton, [usize; 2]) {
    let mut joints = vec![Joint::new("torso", None, DVec3::ZERO, Kind::Fixed)];
    let hands = [-1.0, 1.0].map(|side| {
        for at in 0..7 {
            let name = format!("{side} {at}");
            let kind = Kind::limited_hinge(random.direction(), -2.0, 2.0).unwrap();
            let offset = if at == 0 { DVec3::X * (0.5 * side * size) } else { random.direction() * (0.3 * size) };
            let parent = if at == 0 { 0 } else { joints.len() - 1 };
            joints.push(Joint::new(name, Some(parent), offset, kind));
        }
        joints.len() - 1
    });
    (Skeleton::new(joints).unwrap(), hands)
}

/// Where one joint is in the frame of the other.
fn relation(skeleton: &Skeleton, pose: &Pose, [a, b]: [usize; 2]) -> Isometry {
    let frames = skeleton.frames(pose);
    let back = frames[a].rotation.conjugate();
    Isometry { position: back * (frames[b].position - frames[a].position), rotation: back * frames[b].rotation }
}

#[test]
fn tied_hands_keep_their_relation_whether_targets_are_met_or_not() {
    let mut random = Random::new(91);
    let (mut met, mut missed, mut alone) = (0, 0, [0; 2]);
    for case in 0..60 {
        let size = 10_f64.powf(random.range(-2.0, 2.0));
        let (skeleton, hands) = two_arms(size, &mut random);
        let start = skeleton.random_pose(&mut random);
        let held = relation(&skeleton, &start, hands);
        let ends =
            [Attachment { joint: hands[0], point: held.position }, Attachment { joint: hands[1], point: DVec3::ZERO }];
        let mut solver = Solver::new(skeleton.clone());
        solver.problem.loops.extend(tie(&skeleton, ends, held.rotation));
        let hand = skeleton.effector(&skeleton.joints()[hands[0]].name).unwrap();
        let frame = skeleton.frames(&start)[hands[0]];
        let goal = solver.add_goal(Goal::new(hand, (frame.position, frame.rotation)));
        let other_hand = skeleton.effector(&skeleton.joints()[hands[1]].name).unwrap();
        let mut apart = Solver::new(skeleton.clone());
        let apart_goals = [hand, other_hand].map(|hand| apart.add_goal(Goal::new(hand, DVec3::ZERO)));
        let (mut pose, mut apart_pose) = (start.clone(), start.clone());
        // The bar wanders off, in the end farther than the arms reach.
        let (way, turn) = (random.direction() * (0.02 * size), DQuat::from_axis_angle(random.direction(), 0.02));
        let mut target = frame;
        for _ in 0..50 {
            target = Isometry { position: target.position + way, rotation: turn * target.rotation };
            solver.set_target(goal, (target.position, target.rotation));
            // As two targets, of which that of the other hand follows from the relation.
            let other = Isometry { position: target.point(held.position), rotation: target.rotation * held.rotation };
            for (goal, to) in apart_goals.into_iter().zip([target, other]) {
                apart.set_target(goal, (to.position, to.rotation));
            }
            let reached_apart = apart.track(&mut apart_pose).stop.is_reached();
            let report = solver.track(&mut pose);
            alone[usize::from(report.stop.is_reached())] += usize::from(reached_apart != report.stop.is_reached());
            let now = relation(&skeleton, &pose, hands);
            let gap = now.position.distance(held.position) / size;
            let angle = angle_between(now.rotation, held.rotation);
            assert!(gap < 2e-5 && angle < 2e-5, "case {case}: {report} {gap} {angle}");
            assert_eq!(worst_violation(&skeleton, &pose), 0.0);
            *(if report.stop.is_reached() { &mut met } else { &mut missed }) += 1;
        }
    }
    println!("{met} targets met, {missed} missed; apart, {} more, {} fewer", alone[0], alone[1]);
    assert!(met > 100 && missed > 100 && alone[0] < met / 5, "{met} {missed} {alone:?}");
}
