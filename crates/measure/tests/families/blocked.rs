//! The limits that keep a pose from its goals are those whose release lessens the errors.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::queries::{AtLimit, LimitSide, at_limits, blocked_by, goal_errors};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Pose, Problem, Skeleton, Stop};
use fabrik3d_measure::families::FAMILIES;

/// How far a joint goes beyond its limit: radians, or lengths for slides.
const BEYOND: f64 = 1e-4;

/// The sum of the squared errors of all goals, by the public errors.
fn cost(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> f64 {
    let errors = goal_errors(skeleton, problem, pose).into_iter().zip(&problem.goals);
    let one = errors
        .filter(|(_, goal)| goal.is_active())
        .map(|(error, goal)| goal.weight * error.position.powi(2) + goal.rotation_weight * (0.3 * error.angle).powi(2));
    one.sum()
}

/// The pose with one joint, and what follows it, beyond a limit.
fn beyond(skeleton: &Skeleton, pose: &[Coordinates], limit: &AtLimit, by: f64) -> Pose {
    let mut moved = pose.to_vec();
    let joint = skeleton.joints()[limit.joint].mimic.map_or(limit.joint, |mimic| mimic.joint);
    let turns = skeleton.joints()[limit.joint].mimic.map_or(1.0, |mimic| mimic.scale.signum());
    let own = pose[joint];
    moved[joint] = match limit.side {
        LimitSide::Low => Coordinates::scalar(own.value() - turns * by),
        LimitSide::High => Coordinates::scalar(own.value() + turns * by),
        LimitSide::TwistLow => Coordinates::ball(own.tilt(), own.twist() - by),
        LimitSide::TwistHigh => Coordinates::ball(own.tilt(), own.twist() + by),
        LimitSide::Rim => {
            // Outward, where the fraction of the swing grows fastest.
            let Kind::Ball { swing: Some(swing), .. } = skeleton.kind(joint) else {
                unreachable!("a rim is that of a ball")
            };
            let [a, b] = own.tilt();
            let grows = |da: f64, db: f64| swing.fraction([a + da, b + db]) - swing.fraction([a - da, b - db]);
            let (x, y) = (grows(1e-6, 0.0), grows(0.0, 1e-6));
            let scale = by / x.hypot(y);
            Coordinates::ball([a + x * scale, b + y * scale], own.twist())
        }
    };
    // Followers keep to their leader whatever their own limits say.
    for (at, joint) in skeleton.joints().iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            moved[at] = Coordinates::scalar(mimic.scale * moved[mimic.joint].value() + mimic.offset);
        }
    }
    moved
}

#[test]
fn the_errors_fall_beyond_the_limits_that_block_and_beyond_no_others() {
    let (mut blocking, mut touching, mut wrong) = (0, 0, 0);
    for family in FAMILIES {
        let mut random = Random::new(61);
        for _ in 0..12 {
            let case = family.case(&mut random);
            let is_plain = case.problem.loops.is_empty() && case.problem.obstacles.is_empty();
            if !is_plain || !case.problem.keep_clear.is_empty() {
                continue;
            }
            let mut solver = case.solver();
            let away = random.ball() * case.skeleton.extent();
            for goal in &mut solver.problem.goals {
                goal.target.position = goal.target.position.map(|position| position + away);
            }
            let mut pose = case.start.clone();
            if solver.solve(&mut pose).stop != Stop::Limited {
                continue;
            }
            let (skeleton, problem) = (&case.skeleton, &solver.problem);
            let now = cost(skeleton, problem, &pose);
            let blocked = blocked_by(skeleton, problem, &pose);
            for limit in at_limits(skeleton, &pose, 1e-6) {
                let [out, inside] =
                    [BEYOND, -BEYOND].map(|by| cost(skeleton, problem, &beyond(skeleton, &pose, &limit, by)));
                let change = 0.5 * (out - inside);
                let falls = change < -1e-7 * BEYOND * now.sqrt();
                let is_blocking = blocked.contains(&limit);
                blocking += u32::from(is_blocking);
                touching += u32::from(!is_blocking);
                wrong += u32::from(falls != is_blocking && change.abs() > 1e-5 * BEYOND * now.sqrt());
            }
        }
    }
    println!("{blocking} limits block, {touching} only touch, {wrong} are wrong");
    assert!(blocking > 100 && touching > 0);
    assert_eq!(wrong, 0);
}
