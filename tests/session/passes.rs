//! The passes that are shown while a figure moves: those of a lesson, and nothing else changes by them.

use crate::example_scenes::example_scenes;
use crate::session_support::*;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use glam::DVec3;

const DT: f64 = 1.0 / 60.0;

/// Moves the selected target as a person would: jumps, drags and rests.
fn disturb(session: &mut Session, random: &mut Random) {
    let size = session.step_size();
    match random.index(4) {
        0 => apply(session, "target.random"),
        1 | 2 => {
            let way = random.direction() * (0.02 * size);
            for _ in 0..10 {
                apply(session, &format!("target.move {} {} {}", way.x, way.y, way.z));
                session.tick(DT);
            }
        }
        _ => wait(session, 0.3),
    }
}

#[test]
fn passes_that_are_watched_change_no_pose() {
    for file in example_scenes() {
        let mut plain = Session::new(Scene::open(&file).expect("reads"));
        if plain.selected().is_none() || plain.targets().len() > 50 {
            continue;
        }
        let mut watched = plain.clone();
        watched.watch_passes(true);
        let (mut one, mut two) = (Random::new(5), Random::new(5));
        for _ in 0..6 {
            disturb(&mut plain, &mut one);
            disturb(&mut watched, &mut two);
            assert_eq!(plain.displayed(), watched.displayed(), "{}", plain.scene().name);
        }
        assert!(plain.passes().is_none());
    }
}

#[test]
fn a_chain_shows_the_passes_of_its_lesson() {
    let mut random = Random::new(8);
    for name in ["demo", "tentacle", "four-joints"] {
        for _ in 0..10 {
            let mut session = open(name);
            session.watch_passes(true);
            wait(&mut session, 3.0);
            let place = places(&session)[0] + random.ball() * (0.9 * session.step_size());
            apply(&mut session, &format!("target.set {} {} {}", place.x, place.y, place.z));
            session.tick(DT);
            let shown = session.passes().expect("the figure moves");
            let (passes, figure) = (shown.passes().collect::<Vec<_>>(), shown.figure().clone());
            apply(&mut session, "step.next");
            assert!(session.passes().is_none(), "a lesson shows its own");
            let lesson = session.lesson().expect("opens").recording();
            let phases = lesson.phases.iter().filter(|phase| !phase.order.is_empty());
            for (pass, phase) in passes.iter().zip(phases) {
                assert_eq!((pass.iteration, &pass.points), (phase.iteration, &phase.points), "{name} {place}");
            }
            let [backward, forward] = &passes[..] else { panic!("{} passes", passes.len()) };
            assert!(backward.is_backward && !forward.is_backward);
            assert!(backward.points.last().expect("a tip").distance(place) < 1e-9);
            assert!(forward.points[0].distance(lesson.phases[0].points[0]) < 1e-9);
            for (node, length) in figure.lengths.iter().enumerate().skip(1) {
                for pass in &passes {
                    let link = pass.points[node].distance(pass.points[node - 1]);
                    assert!((link - length).abs() < 1e-9, "{name}: link {node}");
                }
            }
        }
    }
}

#[test]
fn passes_fade_when_the_figure_rests_and_come_in_the_chosen_number() {
    let mut session = open("demo");
    session.watch_passes(true);
    for count in 1..=4_u8 {
        apply(&mut session, &format!("passes.iterations {count}"));
        apply(&mut session, "target.preset 2");
        session.tick(DT);
        let shown = session.passes().expect("moves").passes().count();
        assert!(shown > 0 && shown <= 2 * usize::from(count), "{shown}");
        wait(&mut session, 3.0);
        assert!(session.passes().is_none() && !session.passes_fade());
        apply(&mut session, "target.preset 1");
        wait(&mut session, 3.0);
    }
}

/// Positions of the displayed joints.
fn places(session: &Session) -> Vec<DVec3> {
    let frames = session.scene().skeleton.frames(session.displayed());
    frames.into_iter().map(|frame| frame.position).collect()
}

fn farthest(one: &[DVec3], other: &[DVec3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one.distance(*other)).fold(0.0, f64::max)
}

/// The largest motion of a joint from one frame to the next, as a fraction of the step size.
fn largest_step(session: &mut Session, seconds: f64) -> f64 {
    let (mut before, mut most) = (places(session), 0.0_f64);
    for _ in 0..(seconds / DT) as usize {
        session.tick(DT);
        let now = places(session);
        most = most.max(farthest(&now, &before));
        before = now;
    }
    most / session.step_size()
}

#[test]
fn a_slow_solver_takes_its_passes_one_by_one_and_arrives() {
    let mut random = Random::new(31);
    for name in ["demo", "tentacle", "rope", "tree", "human-arm", "humanoid", "robot-arm", "spider"] {
        for pace in ["1/4", "1/10", "pass"] {
            let mut session = open(name);
            wait(&mut session, 3.0);
            session.watch_passes(true);
            apply(&mut session, &format!("passes.pace {pace}"));
            apply(&mut session, "target.random");
            // One pass a second: in the first one, a backward pass moves nothing.
            if pace == "pass" && name == "demo" {
                let before = places(&session);
                wait(&mut session, 0.9);
                assert!(farthest(&before, &places(&session)) < 1e-9);
                assert_eq!(session.passes().expect("is shown").passes().count(), 1);
                wait(&mut session, 1.0);
                assert!(farthest(&before, &places(&session)) > 1e-3);
                assert_eq!(session.passes().expect("is shown").passes().count(), 2);
            }
            let step = largest_step(&mut session, 6.0);
            assert!(step < 0.2, "{name} at {pace}: a step of {step}");
            // A drag in the middle of it.
            for _ in 0..20 {
                let way = random.direction() * (0.01 * session.step_size());
                apply(&mut session, &format!("target.move {} {} {}", way.x, way.y, way.z));
                session.tick(DT);
            }
            wait(&mut session, 120.0);
            assert!(!session.is_moving() && is_reached(&session), "{name} at {pace}");
        }
    }
}

#[test]
fn without_passes_a_sentence_says_why() {
    let mut session = open("demo");
    session.watch_passes(true);
    wait(&mut session, 3.0);
    assert_eq!(session.without_passes(), None);
    apply(&mut session, "target.set 0 90 0");
    wait(&mut session, 0.1);
    assert!(session.without_passes().expect("says why").contains("out of reach"));
    apply(&mut session, "method ccd");
    apply(&mut session, "target.preset 2");
    session.tick(DT);
    assert!(session.without_passes().expect("says why").starts_with("CCD"));
    assert!(session.passes().is_none());
}
