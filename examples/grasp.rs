//! A robot arm with seven joints grasps from above where it can, near a comfortable posture, a thousand times a second.
//!
//! `cargo run --release --example grasp`

use fabrik3d_ik::goals::{GoalRank, Posture};
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::{Goal, Kind, Skeleton, Solver};
use glam::{DQuat, DVec3};
use std::error::Error;
use std::f64::consts::PI;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Follows a moving place for two seconds.
pub fn run() -> Result<(), Box<dyn Error>> {
    let hinge = |axis: DVec3, limit: f64| Kind::limited_hinge(axis, -limit, limit);
    let arm = Skeleton::builder()
        .root("turn", hinge(DVec3::Z, 2.9)?)
        .child("shoulder", "turn", DVec3::Z * 0.33, hinge(DVec3::Y, 1.8)?)
        .child("upper arm", "shoulder", DVec3::Z * 0.32, hinge(DVec3::Z, 2.9)?)
        .child("elbow", "upper arm", DVec3::ZERO, hinge(DVec3::Y, 2.8)?)
        .child("forearm", "elbow", DVec3::Z * 0.38, hinge(DVec3::Z, 2.9)?)
        .child("wrist", "forearm", DVec3::ZERO, hinge(DVec3::Y, 2.1)?)
        .child("hand", "wrist", DVec3::Z * 0.21, hinge(DVec3::Z, 2.9)?)
        .build()?;
    let hand = arm.effector("hand")?;
    let comfortable = arm.pose_of_values(&[0.0, 0.4, 0.0, 1.6, 0.0, 1.1, 0.0]).ok_or("seven joints")?;
    let mut pose = comfortable.clone();
    let mut solver = Solver::new(arm);
    let place = solver.add_goal(Goal::new(hand, DVec3::new(0.5, 0.0, 0.3)));
    // The hand points down as far as the place leaves the freedom, and the joints stay near the posture.
    let down = Goal::new(hand, DQuat::from_rotation_y(PI));
    solver.add_goal(Goal { rank: GoalRank::Preferred, ..down });
    let weights = vec![1e-3; comfortable.len()];
    solver.problem.posture = Posture { pose: comfortable, weights };
    // No joint moves faster than two radians a second.
    solver.settings.max_step = Some(2.0 / 1000.0);
    for tick in 0..2000 {
        let angle = 0.5 * PI * f64::from(tick) / 1000.0;
        solver.set_target(place, DVec3::new(0.5, 0.1 * angle.sin(), 0.3 + 0.05 * (2.0 * angle).sin()));
        let report = solver.track(&mut pose);
        if tick > 500 && !report.stop.is_reached() {
            return Err(format!("tick {tick}: {report}").into());
        }
    }
    let down = goal_errors(solver.skeleton(), &solver.problem, &pose)[1].angle;
    println!("the hand is {:.2} degrees from pointing down", down.to_degrees());
    if down < 0.2 { Ok(()) } else { Err(format!("the hand does not point down: {down} rad").into()) }
}
