//! Prints the joint angles of a robot along a circular path, within its limits.
//!
//! `cargo run --release --example robot [-- ROBOT.urdf]`

use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::{Goal, Kind, Solver};
use fabrik3d_scene::Scene;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/arm.urdf");
    run(&std::env::args().nth(1).unwrap_or_else(|| own.to_owned()))
}

/// Follows a small circle between the start position of the robot's hand and its base.
pub fn run(path: &str) -> Result<(), Box<dyn Error>> {
    let scene = Scene::open(path)?;
    let hand = scene.effectors.iter().find(|hand| hand.target.position.is_some()).ok_or("the robot has no hand")?;
    let mut solver = Solver::new(scene.skeleton.clone()).settings(scene.settings);
    let mut pose = scene.start.clone();

    let frames = scene.skeleton.frames(&pose);
    let start = frames[hand.effector.joint].point(hand.effector.tip);
    let inward = frames[0].position - start;
    let (across, radius) = (inward.any_orthonormal_vector(), 0.05 * inward.length());
    // A position only; `(position, rotation)` would set an orientation as well.
    let goal = solver.add_goal(Goal::new(hand.effector, start));

    for step in 0..24 {
        let angle = std::f64::consts::TAU * f64::from(step) / 24.0;
        let circle = across * angle.cos() + inward.normalize().cross(across) * angle.sin();
        solver.set_target(goal, start + 0.2 * inward + radius * circle);
        // `track` starts from the previous pose, so the arm does not jump.
        let report = solver.track(&mut pose);
        if !report.stop.is_reached() {
            return Err(format!("step {step}: {report}").into());
        }
        print!("{step:2}");
        for (joint, now) in scene.skeleton.joints().iter().zip(&pose) {
            match joint.kind {
                Kind::Hinge { .. } => print!("  {} {:7.2} deg", joint.name, now.value().to_degrees()),
                Kind::Slide { .. } => print!("  {} {:.4}", joint.name, now.value()),
                _ => {}
            }
        }
        println!();
        assert!(worst_violation(&scene.skeleton, &pose) == 0.0, "every pose is inside all limits");
    }
    Ok(())
}
