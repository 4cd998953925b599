//! Laws of races: each lane is its method's own solve, and every pose on the way is real.
#![cfg(feature = "files")]

mod session_support;

use fabrik3d::session::race::{Lane, Layout, Race};
use fabrik3d::session::{CommandError, Session};
use fabrik3d::{Chain, Settings};
use session_support::{attempt, open};

fn race(session: &Session) -> &Race {
    session.race().expect("a race is on")
}

#[test]
fn a_lane_is_its_methods_own_solve() {
    for scene in ["demo", "seed-arm"] {
        for methods in ["accelerated textbook ccd dls", "jacobian-transpose svd-dls triangulation ftl"] {
            let mut session = open(scene);
            attempt(&mut session, &format!("race {methods}")).expect("they can race");
            let race = race(&session);
            assert_eq!(race.lanes().len(), 4);
            for lane in race.lanes() {
                let settings = Settings { method: lane.method, ..session.scene().settings };
                let mut chain = Chain::new(&race.chain().points).expect("a chain");
                assert_eq!(lane.report, chain.solve(race.chain().target, &settings), "{}", lane.method.name());
                assert_eq!(lane.errors.len(), lane.last() + 1);
                let best = lane.errors.iter().copied().fold(f64::INFINITY, f64::min);
                assert!((best - lane.report.error).abs() <= 1e-9, "{}", lane.method.name());
            }
        }
    }
}

#[test]
fn lengths_and_base_are_kept_at_every_moment() {
    let mut session = open("demo");
    attempt(&mut session, "race accelerated textbook ccd dls").expect("they can race");
    let mut ticks = 0;
    loop {
        let race = race(&session);
        let start = &race.chain().points;
        for lane in race.lanes() {
            let points = lane.points(race.rounds());
            assert_eq!(points[0], start[0]);
            for (now, then) in points.windows(2).zip(start.windows(2)) {
                let (now, then) = (now[0].distance(now[1]), then[0].distance(then[1]));
                assert!((now - then).abs() <= 1e-9 * then, "{}: {now} for {then}", lane.method.name());
            }
        }
        if !session.is_moving() {
            break;
        }
        session.tick(1.0 / 60.0);
        ticks += 1;
        assert!(ticks < 100_000, "the race never ends");
    }
    let longest = race(&session).lanes().iter().map(Lane::last).max().expect("lanes");
    assert_eq!(race(&session).rounds(), longest as f64);
    assert!(ticks > 30);
}

#[test]
fn a_race_starts_anew_when_the_target_moves_and_ends_on_command() {
    let mut session = open("demo");
    attempt(&mut session, "race textbook ccd").expect("they can race");
    attempt(&mut session, "race.layout overlaid").expect("a layout");
    for _ in 0..60 {
        session.tick(1.0 / 60.0);
    }
    assert!(race(&session).rounds() > 1.0);
    attempt(&mut session, "target.move 0 0.2 0").expect("moves");
    assert_eq!(race(&session).rounds(), 0.0);
    assert_eq!(race(&session).layout, Layout::Overlaid);
    assert_eq!(Some(race(&session).chain().target), session.targets()[0].position);
    attempt(&mut session, "pause").expect("pauses");
    session.tick(0.5);
    assert_eq!(race(&session).rounds(), 0.0, "a paused race stands");
    attempt(&mut session, "step.next").expect("a lesson");
    assert!(session.race().is_none(), "a lesson takes the race's place");
    attempt(&mut session, "race textbook ccd").expect("they can race");
    assert!(session.lesson().is_none(), "and the other way round");
    attempt(&mut session, "race off").expect("ends");
    assert!(session.race().is_none());
}

#[test]
fn figures_with_limits_do_not_race() {
    let mut session = open("human-arm");
    assert_eq!(attempt(&mut session, "race textbook ccd"), Err(CommandError::NoRace));
    assert!(session.race().is_none());
    let mut rope = open("rope");
    assert_eq!(attempt(&mut rope, "race textbook ccd"), Err(CommandError::NoRace));
}
