//! Random targets: an unlimited chain reaches them without folding back through itself.

use crate::example_scenes::example_scenes;
use crate::session_support::*;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use glam::DVec3;

/// Positions of the joints as displayed.
fn points(session: &Session) -> Vec<DVec3> {
    session.scene().skeleton.frames(session.displayed()).iter().map(|frame| frame.position).collect()
}

/// The sharpest angle between neighbouring links, degrees; 0 for a straight chain.
fn sharpest(points: &[DVec3]) -> f64 {
    let links: Vec<DVec3> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
    links.windows(2).map(|pair| pair[0].angle_between(pair[1]).to_degrees()).fold(0.0, f64::max)
}

/// The smallest distance between links that are not neighbours, sampled.
fn clearance(points: &[DVec3]) -> f64 {
    let on = |link: usize| (0..=12).map(move |k| points[link].lerp(points[link + 1], f64::from(k) / 12.0));
    let mut least = f64::INFINITY;
    for first in 0..points.len() - 1 {
        for second in first + 2..points.len() - 1 {
            for a in on(first) {
                least = on(second).map(|b| a.distance(b)).fold(least, f64::min);
            }
        }
    }
    least
}

#[test]
fn the_demo_goes_to_random_targets_without_folding_back() {
    let mut session = open("demo");
    wait(&mut session, 2.0);
    let (mut folded, mut touching, mut low) = (0, 0, 0);
    for _ in 0..200 {
        apply(&mut session, "target.random");
        wait(&mut session, 1.2);
        let points = points(&session);
        folded += usize::from(sharpest(&points) > 75.0);
        touching += usize::from(clearance(&points) < 0.12);
        low += usize::from(points.iter().any(|point| point.y < -0.01));
    }
    // Now and then no draw is graceful. Before, every second pose had a bend beyond 90 degrees and every fourth touched itself.
    assert!(folded <= 8 && touching <= 2 && low <= 2, "{folded} {touching} {low}");
}

/// Where the effectors that are not chosen are, and whether they ask for it.
fn kept(session: &Session, chosen: usize) -> Vec<bool> {
    let others = (0..session.targets().len()).filter(|&at| at != chosen && !session.is_free(at));
    others.map(|at| !session.is_off_target(at)).collect()
}

#[test]
fn a_random_target_is_reached_inside_the_limits_and_pins_or_nothing_changes() {
    let (mut jumps, mut refused, mut faults) = (0, 0, Vec::new());
    for file in example_scenes() {
        let mut session = Session::new(Scene::open(&file).expect("reads"));
        let name = session.scene().name.clone();
        let count = session.targets().len();
        if count == 0 || count > 50 {
            continue;
        }
        wait(&mut session, 5.0);
        for draw in 0..12 {
            let at = draw % count;
            let effector = session.scene().effectors[at].name.clone();
            apply(&mut session, &format!("effector.select \"{effector}\""));
            let (before, version) = (*session.targets().nth(at).expect("a target"), session.version());
            match try_apply(&mut session, "target.random") {
                Err(_) => {
                    assert_eq!((before, version), (*session.targets().nth(at).expect("a target"), session.version()));
                    refused += 1;
                    continue;
                }
                Ok(()) => jumps += 1,
            }
            wait(&mut session, 4.0);
            if session.is_off_target(at) || kept(&session, at).contains(&false) {
                faults.push(format!("{name}: {effector}, draw {draw}"));
            }
        }
    }
    assert!(jumps > 150 && refused < jumps / 10 && faults.is_empty(), "{jumps} {refused} {faults:#?}");
}

#[test]
fn a_random_target_is_verified_beside_one_that_is_out_of_reach_and_refused_where_nothing_can_move() {
    let mut session = open("tree");
    wait(&mut session, 2.0);
    let names: Vec<String> = session.scene().effectors.iter().map(|effector| effector.name.clone()).collect();
    apply(&mut session, &format!("effector.pin \"{}\" on", names[0]));
    apply(&mut session, &format!("target.set \"{}\" 0 90 0", names[0]));
    wait(&mut session, 3.0);
    apply(&mut session, &format!("effector.select \"{}\"", names[1]));
    if try_apply(&mut session, "target.random").is_ok() {
        wait(&mut session, 4.0);
        assert!(!session.is_off_target(1), "it was verified");
    }
    // Whatever moves the hand moves the elbow, which is pinned.
    let text = r#"
        [[joint]]
        name = "arm"
        kind = "hinge"
        axis = [0, 0, 1]
        range = [-90, 90]
        [[effector]]
        name = "hand"
        joint = "arm"
        tip = [1, 0, 0]
        target = [1, 0, 0]
        [[effector]]
        name = "elbow"
        joint = "arm"
        tip = [0.5, 0, 0]
        target = [0.5, 0, 0]
    "#;
    let mut session = Session::new(Scene::parse(text, fabrik3d_scene::Syntax::Toml, "arm").expect("reads"));
    wait(&mut session, 2.0);
    let refusal = try_apply(&mut session, "target.random").expect_err("is refused").to_string();
    assert!(refusal.starts_with("no point was found that `hand` can reach"), "{refusal}");
    assert_eq!(session.targets().next().expect("a target").position, Some(DVec3::X));
}
