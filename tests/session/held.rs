//! What the poses before and after a change both hold stays held in every displayed pose between them.

use crate::pins::{bodies, height, present_problem};
use crate::session_support::apply;
use fabrik3d_ik::Solver;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{EffectorMode, Scene};
use fabrik3d_viewer::session::{Session, SessionCommand};
use glam::DVec3;

/// Largest distance of a held effector from its place, as a fraction of the body's height.
pub(crate) const HELD: f64 = 1e-3;
/// Largest distance of a dragged effector from a target that a search reaches, as a fraction of the body's height.
const LAG: f64 = 0.06;
/// The bodies are people of this height, metres.
pub(crate) const TALL: f64 = 1.75;
/// Speed of a quick drag, metres per second.
pub(crate) const QUICK: f64 = 2.5;

/// A place within reach of an effector, found as that of a random pose of the limb.
fn within_reach(random: &mut Random, scene: &Scene, from: DVec3) -> DVec3 {
    from + random.direction() * (height(scene) * random.range(0.1, 0.45))
}

fn displayed_tip(session: &Session, at: usize) -> DVec3 {
    let effector = &session.scene().effectors[at].effector;
    session.scene().skeleton.frames(session.displayed())[effector.joint].point(effector.tip)
}

/// The pinned effectors, which are never moved here, and their places.
pub(crate) fn pinned(session: &Session) -> Vec<(usize, DVec3)> {
    let effectors = session.scene().effectors.iter().enumerate();
    let pinned = effectors.filter(|(_, it)| it.hold == EffectorMode::Pinned && it.weight >= 1.0);
    pinned.map(|(at, _)| (at, session.tip(at))).collect()
}

/// The point on the ground between pinned effectors.
pub(crate) fn ground(pinned: &[(usize, DVec3)]) -> DVec3 {
    let places = pinned.iter().map(|(_, place)| *place);
    let low = places.clone().fold(f64::INFINITY, |low, place| low.min(place.y));
    (places.sum::<DVec3>() / pinned.len() as f64).with_y(low)
}

/// The largest distance of these effectors from their places in the displayed pose, as a fraction of the height.
pub(crate) fn slip(session: &Session, places: &[(usize, DVec3)]) -> f64 {
    let away = places.iter().map(|&(at, place)| displayed_tip(session, at).distance(place));
    away.fold(0.0, f64::max) / height(session.scene())
}

pub(crate) fn opened(scene: &Scene) -> Session {
    let mut session = Session::new(scene.clone());
    (0..90).for_each(|_| session.tick(1.0 / 60.0));
    session
}

/// The hands, or whatever is free.
pub(crate) fn free(scene: &Scene) -> Vec<usize> {
    (0..scene.effectors.len()).filter(|&at| scene.effectors[at].hold == EffectorMode::Free).collect()
}

#[test]
pub(crate) fn pinned_effectors_stay_while_targets_jump() {
    for (name, scene) in bodies() {
        let mut slips: f64 = 0.0;
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let mut session = opened(&scene);
            let places = pinned(&session);
            let ends = free(&scene);
            let fps = [15.0, 30.0, 60.0][seed as usize % 3];
            for _ in 0..12 {
                let at = ends[random.index(ends.len())];
                match random.index(6) {
                    0 => apply(&mut session, "undo"),
                    1 => apply(&mut session, "redo"),
                    2 => apply(&mut session, "reset"),
                    _ => {
                        let place = within_reach(&mut random, &scene, session.tip(at));
                        let name = Some(scene.effectors[at].name.clone());
                        session.apply(&SessionCommand::TargetSet(name, place)).expect("finite");
                    }
                }
                for _ in 0..1 + random.index(2 * fps as usize) {
                    session.tick(1.0 / fps);
                    slips = slips.max(slip(&session, &places));
                }
            }
        }
        assert!(slips < HELD, "{name}: a pinned effector leaves its place by {slips} of the height");
    }
}

/// Whether a search from the present pose reaches the target of a dragged effector, with what is pinned in its place.
fn is_reached_by_search(session: &Session, dragged: usize) -> bool {
    let (scene, problem) = (session.scene(), present_problem(session, |at| at == dragged));
    let mut solver = Solver::new(scene.skeleton.clone()).problem(problem).settings(scene.settings);
    solver.solve(&mut session.solved().clone()).stop.is_reached()
}

/// What a quick drag shows.
#[derive(Debug, Default)]
struct Seen {
    slip: f64,
    /// Its least speed, relative to that of the pointer.
    slowest: f64,
}

fn drag(scene: &Scene, at: usize, seed: u64, fps: f64) -> Seen {
    let mut random = Random::new(seed);
    let mut session = opened(scene);
    let places = pinned(&session);
    let tall = height(scene);
    let step = QUICK / TALL * tall / fps;
    session.apply(&SessionCommand::EffectorSelect(scene.effectors[at].name.clone())).expect("known");
    let start = session.tip(at);
    let mut seen = Seen { slowest: 1.0, ..Seen::default() };
    for _ in 0..4 {
        let from = session.target(at).position.unwrap_or(start);
        let way = within_reach(&mut random, scene, start) - from;
        let mut before = None;
        for _ in 0..(way.length() / step) as usize {
            session.apply(&SessionCommand::TargetMove(way.normalize() * step)).expect("moves");
            session.tick(1.0 / fps);
            seen.slip = seen.slip.max(slip(&session, &places));
            let target = session.target(at).position.expect("a position");
            let shown = displayed_tip(&session, at);
            let away = session.tip(at).distance(target) / tall;
            if away > HELD {
                assert!(away < LAG || !is_reached_by_search(&session, at), "{at}, {fps} Hz: it is {away} behind");
                before = None;
                continue;
            }
            if let Some(before) = before {
                seen.slowest = seen.slowest.min(shown.distance(before) / step);
            }
            before = Some(shown);
        }
    }
    seen
}

#[test]
fn a_quickly_dragged_effector_stays_on_its_target_and_pinned_ones_on_theirs() {
    for (name, scene) in bodies() {
        for &at in free(&scene).iter().take(3) {
            for (seed, fps) in [(1, 15.0), (2, 30.0), (3, 60.0), (4, 60.0)] {
                let seen = drag(&scene, at, seed, fps);
                let what = &scene.effectors[at].name;
                assert!(seen.slip < HELD, "{name}, {what}, {fps} Hz: a pinned effector is {} away", seen.slip);
                assert!(seen.slowest > 0.5, "{name}, {what}, {fps} Hz: it slows down to {}", seen.slowest);
            }
        }
    }
}

#[test]
fn a_hand_follows_from_above_the_head_to_the_ground() {
    for (name, scene) in bodies().into_iter().take(2) {
        for fps in [15.0, 30.0, 60.0] {
            let mut session = opened(&scene);
            let tall = height(&scene);
            let at = free(&scene)[0];
            let places = pinned(&session);
            session.apply(&SessionCommand::EffectorSelect(scene.effectors[at].name.clone())).expect("known");
            let below = ground(&places);
            let up = below + DVec3::new((session.tip(at).x - below.x) * 0.5, 1.1 * tall, 0.1 * tall);
            session.apply(&SessionCommand::TargetSet(None, up)).expect("finite");
            (0..120).for_each(|_| session.tick(1.0 / 60.0));
            let way = DVec3::new(up.x, below.y + 0.05 * tall, below.z + 0.25 * tall) - session.tip(at);
            let step = QUICK / TALL * tall / fps;
            let mut before = displayed_tip(&session, at);
            for _ in 0..(way.length() / step) as usize {
                session.apply(&SessionCommand::TargetMove(way.normalize() * step)).expect("moves");
                session.tick(1.0 / fps);
                let now = displayed_tip(&session, at);
                let speed = now.distance(before) / step;
                before = now;
                assert!(speed > 0.5, "{name}, {fps} Hz: the hand slows down to {speed}");
                let away = slip(&session, &places);
                assert!(away < HELD, "{name}, {fps} Hz: a pinned effector is {away} away");
            }
        }
    }
}
