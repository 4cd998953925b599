//! 2D: a tentacle on a sheet of paper follows a point, and a plotter with two hinges draws a circle.
//!
//! `cargo run --release --example planar`

use fabrik3d_ik::{Chain, Coordinates, Goal, Joint, Kind, Settings, Skeleton, Solver};
use glam::{DVec2, DVec3};
use std::error::Error;
use std::f64::consts::TAU;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Where a point is on its way around the origin.
fn circle(frame: u32, radius: f64) -> DVec2 {
    DVec2::from_angle(TAU * f64::from(frame) / 100.0) * radius
}

/// Solves both for one turn.
pub fn run() -> Result<(), Box<dyn Error>> {
    // A chain whose points and targets have z = 0 stays there, also where it begins straight.
    let points: Vec<DVec3> = (0..9).map(|at| DVec2::new(f64::from(at), 0.0).extend(0.0)).collect();
    let mut tentacle = Chain::new(&points)?;
    // Joints that turn about z alone cannot leave the plane.
    let arm = [
        Joint::new("shoulder", None, DVec3::ZERO, Kind::hinge(DVec3::Z)),
        Joint::new("elbow", Some(0), DVec3::X, Kind::hinge(DVec3::Z)),
    ];
    let mut plotter = Solver::new(Skeleton::new(arm.to_vec())?);
    let pen = plotter.skeleton().effector("elbow")?.at(DVec3::X);
    let goal = plotter.add_goal(Goal::new(pen, DVec3::ZERO));
    let mut pose = vec![Coordinates::scalar(0.0), Coordinates::scalar(1.0)];
    for frame in 0..100 {
        let reached = tentacle.solve(circle(frame, 5.0).extend(0.0), &Settings::default()).stop.is_reached();
        plotter.set_target(goal, circle(frame, 1.5).extend(0.0));
        if !reached || !plotter.track(&mut pose).stop.is_reached() {
            return Err(format!("frame {frame} is missed").into());
        }
        if tentacle.points().iter().any(|point| point.z != 0.0) {
            return Err(format!("frame {frame} is not flat").into());
        }
    }
    println!("both have followed their circles");
    Ok(())
}
