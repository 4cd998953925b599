//! Races: each lane is the solve of its method, and every pose on the way is valid.

use crate::session_support;

use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Settings};
use fabrik3d_viewer::session::race::{Lane, Race};
use fabrik3d_viewer::session::{CommandError, Session};
use glam::DVec3;
use session_support::{open, try_apply};

fn race(session: &Session) -> &Race {
    session.race().expect("a race is on")
}

#[test]
fn a_lane_is_the_solve_of_its_method() {
    for scene in ["demo", "seed-arm"] {
        for methods in ["accelerated textbook ccd dls", "jacobian-transpose svd-dls triangulation ftl"] {
            let mut session = open(scene);
            try_apply(&mut session, &format!("race {methods}")).expect("they can race");
            let race = race(&session);
            assert_eq!(race.lanes().len(), 4);
            for lane in race.lanes() {
                let settings = Settings { method: lane.method, ..session.scene().settings };
                let mut chain = Chain::new(&lane.points(0.0)).expect("a chain");
                let target = race.targets().next().expect("a target");
                assert_eq!(lane.report, chain.solve(target, &settings), "{}", lane.method.name());
                assert_eq!(lane.rounds.len(), lane.last() + 1);
                let best = lane.rounds.iter().map(|round| round.error).fold(f64::INFINITY, f64::min);
                assert!((best - lane.report.error).abs() <= 1e-9, "{}", lane.method.name());
            }
        }
    }
}

#[test]
fn lengths_and_base_are_kept_at_every_moment() {
    let mut session = open("demo");
    try_apply(&mut session, "race accelerated textbook ccd dls").expect("they can race");
    let mut ticks = 0;
    loop {
        let race = race(&session);
        let start = &race.lanes()[0].points(0.0);
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
fn a_race_restarts_when_the_target_moves_and_ends_on_command() {
    let mut session = open("demo");
    try_apply(&mut session, "race textbook ccd").expect("they can race");
    for _ in 0..60 {
        session.tick(1.0 / 60.0);
    }
    assert!(race(&session).rounds() > 1.0);
    try_apply(&mut session, "target.move 0 0.2 0").expect("moves");
    assert_eq!(race(&session).rounds(), 0.0);
    assert_eq!(race(&session).targets().next(), session.target(0).position);
    try_apply(&mut session, "pause").expect("pauses");
    session.tick(0.5);
    assert_eq!(race(&session).rounds(), 0.0, "a paused race stands still");
    try_apply(&mut session, "step.next").expect("a lesson");
    assert!(session.race().is_none(), "a lesson replaces the race");
    try_apply(&mut session, "race textbook ccd").expect("they can race");
    assert!(session.lesson().is_none(), "and a race replaces the lesson");
    try_apply(&mut session, "race off").expect("ends");
    assert!(session.race().is_none());
}

#[test]
fn figures_with_limits_branches_and_loops_race_and_keep_their_links() {
    for scene in ["human-arm", "humanoid", "hand", "robot-arm", "four-bar", "stewart", "spider"] {
        let mut session = open(scene);
        try_apply(&mut session, "target.move 0.05 0.1 0.05").expect("moves");
        for methods in ["accelerated textbook ccd dls", "jacobian-transpose svd-dls"] {
            try_apply(&mut session, &format!("race {methods}")).expect("they can race");
            let race = race(&session);
            let figure = race.figure();
            for lane in race.lanes() {
                assert_eq!(lane.rounds.len(), lane.last() + 1);
                let best = lane.rounds.iter().map(|round| round.error).fold(f64::INFINITY, f64::min);
                let tolerance = session.scene().settings.tolerance;
                let reached = lane.report.stop.is_reached();
                assert!(!reached || best <= tolerance, "{scene}, {}: {best} of {tolerance}", lane.method.name());
                for half_rounds in 0..=2 * lane.last().min(20) {
                    let points = lane.points(half_rounds as f64 / 2.0);
                    for (node, parent) in figure.parents.iter().enumerate() {
                        let Some(parent) = parent.filter(|_| !figure.sliding.contains(&node)) else { continue };
                        let length = points[node].distance(points[parent]);
                        assert!((length - figure.lengths[node]).abs() <= 1e-9 * figure.reach, "{scene}: {node}");
                    }
                }
            }
        }
    }
}

#[test]
fn methods_that_do_not_apply_do_not_race() {
    let mut session = open("human-arm");
    assert_eq!(
        try_apply(&mut session, "race textbook ftl"),
        Err(CommandError::ForChainsOnly("FTL (follow the leader)"))
    );
    assert!(session.race().is_none());
    assert_eq!(try_apply(&mut session, "method triangulation"), Err(CommandError::ForChainsOnly("Triangulation")));
    for _ in Method::ALL {
        try_apply(&mut session, "method.next").expect("there is another one");
        assert!(!session.method().is_for_chains_only() && session.method() == session.scene().settings.method);
    }
    let mut rope = open("rope");
    assert_eq!(try_apply(&mut rope, "race textbook ccd"), Err(CommandError::NoRace));
}

#[test]
fn a_lane_counts_iterations_and_refinement_as_its_report_does() {
    let mut refined = 0;
    for scene in ["demo", "human-arm", "humanoid", "robot-arm", "spider", "obstacles"] {
        let mut session = open(scene);
        try_apply(&mut session, "target.preset 2").expect("a preset");
        try_apply(&mut session, "race accelerated textbook ccd dls").expect("they can race");
        for lane in race(&session).lanes() {
            let what = format!("{scene}, {}", lane.method.name());
            let (last, report) = (lane.last(), lane.report);
            let done = lane.rounds[last].effort;
            assert_eq!((done.iterations, done.refine_steps), (report.iterations, report.refine_steps), "{what}");
            let counts: Vec<u32> = lane.rounds.iter().map(|round| round.effort.iterations).collect();
            assert!(counts[0] == 0 && counts.is_sorted(), "{what}: {counts:?}");
            // A single attempt shows each of its iterations; what else there is makes no count rise.
            let iterations = lane.rounds.iter().filter(|round| round.is_iteration).count();
            assert!(report.attempts > 1 || iterations == report.iterations as usize, "{what}: {iterations} {report:?}");
            refined += usize::from(last > iterations && done.to_string().contains(" + "));
        }
    }
    assert!(refined > 2, "{refined}");
}

/// Start positions of the race, and the present positions of the session.
fn starts(session: &Session) -> (Vec<DVec3>, Vec<DVec3>) {
    let race = race(session);
    let frames = session.scene().skeleton.frames(session.displayed());
    let shown = race.figure().points.iter().map(|at| frames[at.joint].point(at.point)).collect();
    (race.lanes()[0].points(0.0), shown)
}

fn assert_same(a: &[DVec3], b: &[DVec3], what: &str) {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(a, b)| a.distance(*b) < 1e-9), "{what}: {a:?} {b:?}");
}

#[test]
fn a_race_starts_from_the_pose_in_which_a_target_moves_or_a_drag_starts() {
    for scene in ["demo", "human-arm", "humanoid", "spider"] {
        let mut session = open(scene);
        try_apply(&mut session, "target.random").expect("jumps");
        try_apply(&mut session, "race accelerated ccd").expect("they can race");
        for words in ["target.random", "target.preset 1", "target.random", "target.preset 2"] {
            (0..90).for_each(|_| session.tick(1.0 / 60.0));
            try_apply(&mut session, words).expect("jumps");
            let (start, shown) = starts(&session);
            assert_same(&start, &shown, words);
        }
        (0..90).for_each(|_| session.tick(1.0 / 60.0));
        try_apply(&mut session, "target.grab").expect("starts a drag");
        try_apply(&mut session, "target.move 0.02 0.03 0").expect("moves");
        let (taken, shown) = starts(&session);
        assert_same(&taken, &shown, "when the drag starts");
        for _ in 0..20 {
            session.tick(1.0 / 60.0);
            try_apply(&mut session, "target.move 0.02 0.03 0").expect("moves");
            assert_same(&starts(&session).0, &taken, "during the drag");
        }
        try_apply(&mut session, "race textbook dls").expect("others can race");
        assert_same(&starts(&session).0, &taken, "a restart with other methods");
        try_apply(&mut session, "target.grab").expect("starts a drag");
        try_apply(&mut session, "target.move 0.02 0.03 0").expect("moves");
        let (start, shown) = starts(&session);
        assert_same(&start, &shown, "at the next drag");
        assert!(start != taken);
    }
}
