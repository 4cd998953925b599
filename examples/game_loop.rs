//! An arm with limits that follows a moving point for five seconds at 60 frames per second, and the time per frame.
//!
//! `cargo run --release --example game_loop`

use fabrik3d_ik::{Effector, Goal, Interval, Joint, Kind, Skeleton, Solver, Swing};
use glam::DVec3;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Runs the loop.
pub fn run() -> Result<(), Box<dyn Error>> {
    // Create one solver per character. The links of ball joints lie along their local +z.
    let shoulder =
        Kind::Ball { swing: Some(Swing::new([1.9, 2.4, 0.6, 1.0])?), twist: Some(Interval::new(-1.0, 1.4)?) };
    let elbow = Kind::Hinge { axis: DVec3::NEG_X, range: Some(Interval::new(0.0, 2.5)?) };
    let wrist = Kind::Ball { swing: Some(Swing::cone(0.8)?), twist: Some(Interval::new(-1.4, 1.4)?) };
    let mut arm = Solver::new(Skeleton::new(vec![
        Joint::new("shoulder", None, DVec3::new(0.2, 1.4, 0.0), shoulder),
        Joint::new("elbow", Some(0), DVec3::Z * 0.31, elbow),
        Joint::new("wrist", Some(1), DVec3::Z * 0.27, wrist),
    ])?);
    let hand = arm.add_goal(Goal::new(Effector::new(2, DVec3::Z * 0.1), DVec3::new(0.3, 1.5, 0.4)));

    let mut pose = arm.skeleton().rest_pose();
    let (mut times, mut missed) = (Vec::<Duration>::new(), 0);
    for frame in 0..300 {
        let seconds = f64::from(frame) / 60.0;
        let target = DVec3::new(0.3 + 0.25 * seconds.sin(), 1.5 + 0.2 * (1.7 * seconds).cos(), 0.4);
        let started = Instant::now();
        arm.set_target(hand, target);
        // The first target is usually far away: `solve` goes there, and `track` stays next to the last pose.
        let report = if frame == 0 { arm.solve(&mut pose) } else { arm.track(&mut pose) };
        times.push(started.elapsed());
        // Input for a renderer: position and orientation of each bone.
        let bones = arm.frames();
        assert!((bones[1].position.distance(bones[0].position) - 0.31).abs() < 1e-12, "links never stretch");
        missed += u32::from(!report.stop.is_reached());
    }
    times.sort_unstable();
    let micros = |at: usize| times[at].as_secs_f64() * 1e6;
    println!(
        "300 frames: median {:.1} microseconds, slowest {:.1}; target not reached in {missed}",
        micros(150),
        micros(299)
    );
    Ok(())
}
