//! Two arms with joined hands: a loop, an obstacle, a pole for an elbow, and a mimic joint for a thumb.
//!
//! `cargo run --example constraints`

use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::goals::{Attachment, Pole};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::queries::{goal_errors, loop_gaps, penetration};
use fabrik3d_ik::{Effector, Goal, Interval, Joint, Kind, Problem, Skeleton, Solver};
use glam::DVec3;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Solves the problem and prints the result.
pub fn run() -> Result<(), Box<dyn Error>> {
    let ball = Kind::UNLIMITED_BALL;
    let finger = |low, high| Interval::new(low, high).map(|range| Kind::Hinge { axis: DVec3::Y, range: Some(range) });
    // Joints refer to their parents by index; a parent comes before its children.
    let skeleton = Skeleton::new(vec![
        Joint::new("left shoulder", None, DVec3::X * -0.3, ball),
        Joint::new("left elbow", Some(0), DVec3::Z * 0.5, ball),
        Joint::new("left hand", Some(1), DVec3::Z * 0.5, ball),
        Joint::new("finger", Some(2), DVec3::new(0.03, 0.0, 0.1), finger(0.0, 1.0)?),
        Joint {
            mimic: Some(Mimic { joint: 3, scale: -1.0, offset: 0.0 }),
            ..Joint::new("thumb", Some(2), DVec3::new(-0.03, 0.0, 0.1), finger(-1.0, 0.0)?)
        },
        Joint::new("right shoulder", None, DVec3::X * 0.3, ball),
        Joint::new("right elbow", Some(5), DVec3::Z * 0.5, ball),
        Joint::new("right hand", Some(6), DVec3::Z * 0.5, ball),
    ])?;
    let hand = |joint| Attachment { joint, point: DVec3::ZERO };
    let problem = Problem {
        goals: vec![Goal::new(Effector::new(3, DVec3::Z * 0.1), DVec3::new(0.0, 0.1, 0.6))],
        loops: vec![(hand(2), hand(7))],
        poles: vec![Pole { joint: 1, toward: DVec3::new(-1.0, -1.0, 0.3) }],
        obstacles: vec![Obstacle::Sphere { center: DVec3::new(0.25, 0.05, 0.35), radius: 0.1 }],
        link_radius: 0.02,
        ..Problem::default()
    };
    let mut pose = skeleton.rest_pose();
    let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);

    println!("{report}");
    println!("finger {:.3} of the reach from its target", goal_errors(&skeleton, &problem, &pose)[0].position);
    println!("hands {:.1e} apart", loop_gaps(&skeleton, &problem, &pose)[0]);
    println!("{:.1e} inside the obstacle's surface", penetration(&skeleton, &problem, &pose));
    println!("elbow at {:.2}", skeleton.frames(&pose)[1].position);
    println!("finger {:.2} rad, thumb {:.2} rad", pose[3].value(), pose[4].value());
    if report.stop.is_reached() { Ok(()) } else { Err(report.to_string().into()) }
}
