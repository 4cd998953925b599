//! In a session, a target that jumps leads a robot to the nearest pose, whatever `solver.prefer` says.

use crate::session_support;

use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Coordinates, Isometry, Settings, Solver, Stop};
use fabrik3d_viewer::session::Session;
use session_support::{apply, open, wait};
use std::time::{Duration, Instant};

/// The largest move of a joint, radians.
fn move_between(a: &[Coordinates], b: &[Coordinates]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a.value() - b.value()).abs()).fold(0.0, f64::max)
}

#[test]
fn a_jump_leads_to_the_nearest_pose() {
    let scene = open("robot-arm").scene_now();
    let effector = scene.effectors[0].effector;
    let mut random = Random::new(41);
    let (mut nearest_moves, mut first_moves) = (0.0, 0.0);
    let nearest = Settings { prefer: Prefer::Nearest, ..scene.settings };
    for prefer in [Prefer::Nearest, Prefer::First] {
        let mut scene = scene.clone();
        scene.settings.prefer = prefer;
        let mut session = Session::new(scene.clone());
        wait(&mut session, 0.5);
        for _ in 0..20 {
            let before = session.solved().clone();
            let frame =
                scene.skeleton.frame_of(Isometry::IDENTITY, &scene.skeleton.random_pose(&mut random), effector.joint);
            let (place, turn) = (frame.point(effector.tip), frame.rotation);
            apply(&mut session, &format!("target.rotation {} {} {} {}", turn.x, turn.y, turn.z, turn.w));
            apply(&mut session, &format!("target.set {} {} {}", place.x, place.y, place.z));
            wait(&mut session, 0.5);
            let solved = |settings: Settings| {
                let mut pose = before.clone();
                let mut solver =
                    Solver::new(scene.skeleton.clone()).settings(settings).goal(effector, session.target(0));
                assert!(solver.solve(&mut pose).stop.is_reached());
                pose
            };
            assert_eq!(*session.solved(), solved(nearest), "{prefer:?}");
            nearest_moves += move_between(&before, session.solved());
            first_moves += move_between(&before, &solved(Settings { prefer: Prefer::First, ..nearest }));
        }
    }
    assert!(nearest_moves < 0.8 * first_moves, "{nearest_moves} {first_moves}");
}

#[test]
fn a_search_that_every_frame_cuts_short_still_ends() {
    let scene = open("keep-clear").scene_now();
    let mut session = Session::new(scene);
    wait(&mut session, 0.5);
    // Inside of the base: no pose reaches it, and the search for the nearest one takes longer than these frames.
    apply(&mut session, "target.set 0 0.1 0");
    for _ in 0..200 {
        session.solve_until(Some(Instant::now() + Duration::from_micros(300)));
        session.tick(1.0 / 60.0);
    }
    let report = session.report(0).expect("it was solved");
    assert!(!matches!(report.stop, Stop::Reached | Stop::Interrupted | Stop::IterationLimit), "{report:?}");
}
