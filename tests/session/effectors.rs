//! Pinned and free effectors, weights, adding and removing effectors, and moving all targets together.

use crate::gathered;
use crate::session_support;

use crate::pins::{bodies, height};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Pose, Target};
use fabrik3d_scene::{EffectorError, EffectorMode, Scene, Syntax};
use fabrik3d_viewer::session::{CommandError, Session, SessionCommand};
use gathered::gathered;
use glam::DVec3;
use session_support::{apply, open, try_apply, wait};

const FIGURES: [&str; 3] =
    ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb", "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh"];

fn figures() -> Vec<Scene> {
    FIGURES.iter().filter_map(|name| gathered(name)).map(|path| Scene::open(path).expect("reads")).collect()
}

fn size(scene: &Scene) -> f64 {
    let places: Vec<DVec3> = scene.skeleton.frames(&scene.start).iter().map(|frame| frame.position).collect();
    places.iter().map(|place| place.distance(places[0])).fold(0.0, f64::max)
}

/// Whether stiffness holds the hips of a figure, as those of a person.
fn is_person(scene: &Scene) -> bool {
    !scene.assets.human_limits.joints.is_empty()
}

/// Index of the effector on the hips of a standing figure: the reader adds it last.
fn hips(session: &Session) -> usize {
    session.targets().len() - 1
}

#[test]
fn figures_open_with_their_feet_pinned() {
    for scene in figures() {
        let up = scene.up.axis();
        let rest = scene.skeleton.frames(&scene.skeleton.rest_pose());
        let low = rest.iter().map(|frame| frame.position.dot(up)).fold(f64::MAX, f64::min);
        let high = rest.iter().map(|frame| frame.position.dot(up)).fold(f64::MIN, f64::max);
        let (hips, limbs) = scene.effectors.split_last().expect("has effectors");
        let hold = if is_person(&scene) { EffectorMode::Free } else { EffectorMode::Pinned };
        assert_eq!((hips.hold, hips.weight < 1.0), (hold, true), "{}", scene.name);
        assert!(limbs.iter().filter(|limb| limb.hold == EffectorMode::Pinned).count() >= 2, "{}", scene.name);
        for limb in limbs {
            let height = (rest[limb.effector.joint].point(limb.effector.tip).dot(up) - low) / (high - low);
            assert_eq!(limb.hold == EffectorMode::Pinned, height < 0.2, "{} {}: {height}", scene.name, limb.name);
        }
    }
}

/// A target within reach of the arm moves neither hips nor feet. Beyond that the hips give way, and the feet stay. The hips of
/// a person, which stiffness alone holds, may lean before.
#[test]
fn dragging_a_hand_moves_the_body_only_if_it_must() {
    for scene in figures() {
        let size = size(&scene);
        let free = scene.effectors.iter().position(|effector| effector.hold == EffectorMode::Free).expect("a free one");
        let mut session = Session::new(scene.clone());
        apply(&mut session, &format!("effector.select \"{}\"", scene.effectors[free].name));
        let hips = hips(&session);
        let start = session.tip(hips);
        let other = (0..hips).find(|&at| at != free && scene.effectors[at].hold == EffectorMode::Free);
        let before = other.map(|other| session.tip(other));
        // Sideways, farther than spine and arms can reach.
        let aside = scene.up.axis().cross(DVec3::new(1.0, 0.3, 0.7)).normalize() * 0.5 * size / 120.0;
        for frame in 0..120 {
            apply(&mut session, &format!("target.move {} {} {}", aside.x, aside.y, aside.z));
            session.tick(1.0 / 60.0);
            for (at, effector) in scene.effectors.iter().enumerate().filter(|(at, _)| *at < hips) {
                let gap = session.tip(at).distance(session.target(at).position.expect("a place"));
                assert!(gap < 0.1 * size, "{}, frame {frame}, {}: {gap}", scene.name, effector.name);
            }
        }
        let reached = session.report(free).is_some_and(|report| report.stop.is_reached());
        let gone = session.tip(hips).distance(start);
        assert!(reached || gone > 0.02 * size, "{}: the hips give way", scene.name);
        assert!(!reached || is_person(&scene) || gone < 1e-3 * size, "{}: the hips move only if they must", scene.name);
        if let (Some(other), Some(before)) = (other, before) {
            assert!(session.is_free(other) && !session.is_free(free));
            assert!(
                session.tip(other).distance(before) > 0.01 * size,
                "{}: free effectors move with the body",
                scene.name
            );
        }
    }
}

/// With a free effector on every joint that accepts one, the same commands give the same pose, bit by bit.
#[test]
fn free_effectors_do_not_change_the_pose() {
    for name in ["humanoid", "tree", "hexapod", "demo"] {
        let (mut plain, mut rigged) = (open(name), open(name));
        let joints: Vec<String> = plain.scene().skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
        for joint in &joints {
            match try_apply(&mut rigged, &format!("effector.add \"{joint}\"")) {
                Ok(()) | Err(CommandError::Effector(EffectorError::Immovable(_))) => {}
                Err(error) => panic!("{name} {joint}: {error}"),
            }
        }
        let first = plain.scene().effectors[0].name.clone();
        let count = plain.targets().len();
        assert!(rigged.targets().len() > count);
        apply(&mut rigged, &format!("effector.select \"{first}\""));
        let mut random = Random::new(7);
        for frame in 0..200 {
            let step = |random: &mut Random| random.range(-0.01, 0.01) * plain.step_size();
            let words = format!("target.move {} {} {}", step(&mut random), step(&mut random), step(&mut random));
            for session in [&mut plain, &mut rigged] {
                apply(session, &words);
                session.tick(1.0 / 60.0);
            }
            assert_eq!(plain.solved(), rigged.solved(), "{name}, frame {frame}");
        }
        for at in count..rigged.targets().len() {
            assert!(rigged.is_free(at));
            let gap = rigged.target(at).position.expect("a place").distance(rigged.tip(at));
            assert!(gap <= 1e-12 * rigged.step_size(), "its target moves with it: {gap}");
        }
    }
}

#[test]
fn a_weight_of_zero_disables_a_goal() {
    for name in ["humanoid", "tree", "spider", "two-arms", "hexapod"] {
        let scene = open(name).scene().clone();
        let mut random = Random::new(3);
        for _ in 0..10 {
            let mut light = scene.problem();
            let mut gone = light.clone();
            for (light, gone) in light.goals.iter_mut().zip(&mut gone.goals) {
                let place = light.target.position.map(|place| place + random.direction() * 0.2);
                (light.target.position, gone.target.position) = (place, place);
                if random.unit() < 0.5 {
                    (light.weight, light.rotation_weight) = (0.0, 0.0);
                    gone.target = Target::default();
                }
            }
            let solved = |problem: &fabrik3d_ik::Problem| {
                let mut pose: Pose = scene.start.clone();
                let mut solver = fabrik3d_ik::Solver::new(scene.skeleton.clone()).problem(problem.clone());
                let mut figures = solver.figures().expect("the problem fits");
                let count = figures.len();
                let reports: Vec<_> = (0..count).map(|at| figures.solve(at, &scene.settings, &mut pose)).collect();
                (pose, reports)
            };
            assert_eq!(solved(&light), solved(&gone), "{name}");
        }
    }
}

/// Every change of effectors can be undone and redone.
#[test]
fn undo_restores_effectors() {
    let state = |session: &Session| {
        (session.scene().clone(), session.targets().copied().collect::<Vec<_>>(), session.solved().clone())
    };
    for name in ["humanoid", "tree", "demo", "crowd"] {
        for seed in 0..4 {
            let mut session = open(name);
            wait(&mut session, 0.5);
            let joints: Vec<String> =
                session.scene().skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
            let mut random = Random::new(seed);
            for _ in 0..40 {
                let names: Vec<String> =
                    session.scene().effectors.iter().map(|effector| effector.name.clone()).collect();
                let (joint, name) = (&joints[random.index(joints.len())], names.get(random.index(names.len().max(1))));
                let name = name.cloned().unwrap_or_default();
                let commands = [
                    format!("effector.add \"{joint}\""),
                    format!("effector.remove \"{name}\""),
                    format!("effector.pin \"{name}\" off"),
                    format!("effector.pin \"{name}\" on"),
                    "effector.pin".to_owned(),
                    format!("effector.weight \"{name}\" {}", random.index(3)),
                    "target.random".to_owned(),
                ];
                let before = state(&session);
                if try_apply(&mut session, &commands[random.index(commands.len())]).is_err() {
                    assert_eq!(state(&session), before, "a refused command changes nothing");
                    continue;
                }
                let after = state(&session);
                apply(&mut session, "undo");
                assert_eq!(state(&session), before);
                apply(&mut session, "redo");
                assert_eq!(state(&session), after);
                if random.unit() < 0.3 {
                    let _ = try_apply(&mut session, "effector.all");
                }
                wait(&mut session, 0.1);
                let scene = session.scene_now();
                let read = Scene::parse(&scene.to_toml(), Syntax::Toml, "saved").expect("reads");
                let modes = |scene: &Scene| -> Vec<(String, EffectorMode, f64)> {
                    scene.effectors.iter().map(|one| (one.name.clone(), one.hold, one.weight)).collect()
                };
                assert_eq!(modes(&read), modes(&scene));
            }
        }
    }
}

#[test]
fn all_targets_move_together() {
    let mut session = open("crowd");
    wait(&mut session, 2.0);
    let before = session.targets().copied().collect::<Vec<_>>();
    apply(&mut session, "effector.all");
    apply(&mut session, "target.grab");
    for _ in 0..10 {
        apply(&mut session, "target.move 0.01 0 0.02");
        session.tick(1.0 / 60.0);
    }
    let shift = DVec3::new(0.1, 0.0, 0.2);
    for (now, was) in session.targets().zip(&before) {
        let (now, was) = (now.position.expect("a place"), was.position.expect("a place"));
        assert!(now.distance(was + shift) < 1e-9, "{now} {was}");
    }
    wait(&mut session, 1.0);
    let missed = (0..before.len()).filter(|&at| session.report(at).is_some_and(|report| !report.stop.is_reached()));
    assert_eq!(missed.count(), 0);
    apply(&mut session, "undo");
    assert_eq!(session.targets().copied().collect::<Vec<_>>(), before, "in one step");
    apply(&mut session, "effector.next");
    apply(&mut session, "target.move 0.01 0 0");
    let moved = session.targets().zip(&before).filter(|(now, was)| now != was).count();
    assert_eq!(moved, 1, "selecting an effector moves it alone");
}

#[test]
fn impossible_commands_return_errors() {
    let mut session = open("demo");
    let base = session.scene().skeleton.joints()[0].name.clone();
    let name = session.scene().effectors[0].name.clone();
    assert_eq!(
        try_apply(&mut session, &format!("effector.add {base}")),
        Err(CommandError::Effector(EffectorError::Immovable(base)))
    );
    assert_eq!(try_apply(&mut session, "effector.add"), Err(CommandError::NoJoint));
    let last = session.scene().skeleton.joints().last().expect("has joints").name.clone();
    assert_eq!(
        try_apply(&mut session, &format!("effector.add {last} {name}")),
        Err(CommandError::Effector(EffectorError::Taken(name.clone())))
    );
    assert!(matches!(try_apply(&mut session, "effector.pin nobody on"), Err(CommandError::UnknownEffector(..))));
    apply(&mut session, &format!("effector.remove {name}"));
    wait(&mut session, 0.5);
    assert_eq!(try_apply(&mut session, "effector.remove"), Err(CommandError::NoEffector));
    assert_eq!(try_apply(&mut session, "effector.all"), Err(CommandError::NoEffector));
}

/// Pinning and freeing change what moves from now on, not what is there: also in a body that is not in balance.
#[test]
fn pins_move_nothing_that_is_on_its_target() {
    for (name, scene) in bodies().into_iter().take(2) {
        let up = scene.up.axis() * height(&scene);
        let front = scene.front().expect("a front") * height(&scene);
        let free: Vec<String> =
            scene.effectors.iter().filter(|it| it.hold == EffectorMode::Free).map(|it| it.name.clone()).collect();
        let mut session = Session::new(scene.clone());
        (0..90).for_each(|_| session.tick(1.0 / 60.0));
        let head = free.iter().find(|name| name.to_lowercase().ends_with("head")).expect("a head");
        let at = scene.effectors.iter().position(|it| it.name == *head).expect("a head");
        let start = session.tip(at);
        for frame in 1..=60 {
            let place = start + (up * -0.3 + front * 0.3) * (f64::from(frame) / 60.0);
            session.apply(&SessionCommand::TargetGlide(head.clone(), place, None)).expect("finite");
            session.tick(1.0 / 60.0);
        }
        wait(&mut session, 4.0);
        for hand in free.iter().filter(|name| name.ends_with("Hand")) {
            for hold in ["on", "off"] {
                let before = session.solved().clone();
                apply(&mut session, &format!("effector.pin \"{hand}\" {hold}"));
                (0..60).for_each(|_| session.tick(1.0 / 60.0));
                let is_reached = session.report(at).is_some_and(|report| report.stop.is_reached());
                assert!(*session.solved() == before || hold == "off" && !is_reached, "{name}: {hand} {hold}");
            }
        }
    }
}

/// A robot that is reset solves its targets as when it opened.
#[test]
fn a_reset_robot_is_as_it_opened() {
    let Some(path) = gathered("robots/panda_description/urdf/panda.urdf") else { return };
    let mut scene = Scene::open(path).expect("reads");
    let hand = scene.effectors.iter().position(|it| it.name.ends_with("tcp")).unwrap_or(0);
    scene.effectors.iter_mut().for_each(|effector| effector.hold = EffectorMode::Free);
    (scene.effectors[hand].target, scene.effectors[hand].hold) =
        (Target::from(DVec3::new(0.4, 0.2, 0.3)), EffectorMode::Pinned);
    let name = scene.effectors[hand].name.clone();
    let mut session = Session::new(scene);
    wait(&mut session, 2.0);
    let opened = session.solved().clone();
    apply(&mut session, &format!("target.set \"{name}\" 0.3 -0.3 0.5"));
    wait(&mut session, 2.0);
    assert_ne!(*session.solved(), opened);
    apply(&mut session, "reset");
    wait(&mut session, 2.0);
    assert_eq!(*session.solved(), opened);
}
