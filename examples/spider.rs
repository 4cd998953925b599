//! A spider walks over hills: its body floats above them, and six legs of two links plant their feet.
//!
//! `cargo run --release --example spider`

use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::{Goal, Joint, Kind, Skeleton, Solver};
use glam::{DQuat, DVec2, DVec3};
use std::error::Error;
use std::f64::consts::TAU;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

fn height(place: DVec2) -> f64 {
    0.15 * (1.3 * place.x).sin() * (0.9 * place.y).cos()
}

/// Walks for ten seconds.
pub fn run() -> Result<(), Box<dyn Error>> {
    let side = |leg: u32| DQuat::from_rotation_z(TAU * (f64::from(leg) + 0.5) / 6.0) * (DVec3::X * 0.3);
    let sides: Vec<DVec3> = (0..6).map(side).collect();
    let mut spider = Skeleton::builder().root("body", Kind::Fixed);
    for (leg, side) in sides.iter().enumerate() {
        let [hip, knee] = ["hip", "knee"].map(|part| format!("{part} {leg}"));
        spider = spider.child(&hip, "body", *side, Kind::ball());
        spider = spider.add_below(&hip, Joint::new(&knee, None, side * 2.0, Kind::ball()));
    }
    let mut solver = Solver::new(spider.build()?);
    for (leg, side) in sides.iter().enumerate() {
        let foot = solver.skeleton().effector(&format!("knee {leg}"))?.at(side * 2.5);
        solver.add_goal(Goal::new(foot, DVec3::ZERO));
        // Knees bend upward.
        solver.problem.poles.push(Pole { joint: foot.joint, toward: side * 3.0 + DVec3::Z * 5.0 });
    }
    let mut pose = solver.skeleton().rest_pose();
    for frame in 0..600_u32 {
        let body = DVec2::new(0.01 * f64::from(frame), 0.0);
        solver.problem.base.position = body.extend(0.4 + height(body));
        for (leg, side) in sides.iter().enumerate() {
            // A foot stands still for a step of 40 frames, and the legs take turns.
            let step = (frame + 20 * (leg as u32 % 2)) / 40 * 40;
            let place = DVec2::new(0.01 * f64::from(step), 0.0) + side.truncate() * 3.2;
            solver.set_target(leg, place.extend(height(place)));
        }
        let report = if frame == 0 { solver.solve(&mut pose) } else { solver.track(&mut pose) };
        if !report.stop.is_reached() {
            return Err(format!("frame {frame}: {report}").into());
        }
    }
    println!("the spider has walked {} m", 600.0 * 0.01);
    Ok(())
}
