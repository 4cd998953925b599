//! Laws of what effectors ask for: pinned and free ones, weights, effectors put on and taken off, all moved at once.

use crate::gathered;
use crate::session_support;

use fabrik3d::session::{CommandError, Session};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Pose, Target};
use fabrik3d_scene::{EffectorError, Format, Hold, Scene};
use gathered::gathered;
use glam::DVec3;
use session_support::{attempt, give, open, wait};

const FIGURES: [&str; 3] =
    ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb", "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh"];

fn figures() -> Vec<Scene> {
    FIGURES.iter().filter_map(|name| gathered(name)).map(|path| Scene::open(path).expect("reads")).collect()
}

fn size(scene: &Scene) -> f64 {
    let places: Vec<DVec3> = scene.skeleton.frames(&scene.start).iter().map(|frame| frame.position).collect();
    places.iter().map(|place| place.distance(places[0])).fold(0.0, f64::max)
}

/// Index of the hips' effector of a figure that stands: the last one of the reader's.
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
        assert_eq!((hips.hold, hips.weight < 1.0), (Hold::Pinned, true), "{}", scene.name);
        assert!(limbs.iter().filter(|limb| limb.hold == Hold::Pinned).count() >= 2, "{}", scene.name);
        for limb in limbs {
            let height = (rest[limb.effector.joint].point(limb.effector.tip).dot(up) - low) / (high - low);
            assert_eq!(limb.hold == Hold::Pinned, height < 0.2, "{} {}: {height}", scene.name, limb.name);
        }
    }
}

/// What can be reached without the hips moves neither them nor the feet; farther on they give way, and the feet stay.
#[test]
fn who_drags_a_hand_carries_the_body() {
    for scene in figures() {
        let size = size(&scene);
        let free = scene.effectors.iter().position(|effector| effector.hold == Hold::Free).expect("a free one");
        let mut session = Session::new(scene.clone());
        give(&mut session, &format!("effector.select \"{}\"", scene.effectors[free].name));
        let hips = hips(&session);
        let start = session.tip(hips);
        let other = (0..hips).find(|&at| at != free && scene.effectors[at].hold == Hold::Free);
        let before = other.map(|other| session.tip(other));
        // Aside, farther than spine and arms get.
        let aside = scene.up.axis().cross(DVec3::new(1.0, 0.3, 0.7)).normalize() * 0.5 * size / 120.0;
        for frame in 0..120 {
            give(&mut session, &format!("target.move {} {} {}", aside.x, aside.y, aside.z));
            session.tick(1.0 / 60.0);
            for (at, effector) in scene.effectors.iter().enumerate().filter(|(at, _)| *at < hips) {
                let gap = session.tip(at).distance(session.targets()[at].position.expect("a place"));
                assert!(gap < 0.1 * size, "{}, frame {frame}, {}: {gap}", scene.name, effector.name);
            }
        }
        let reached = session.report(free).is_some_and(|report| report.stop.is_reached());
        let gone = session.tip(hips).distance(start);
        assert!(reached || gone > 0.02 * size, "{}: the hips give way", scene.name);
        assert!(!reached || gone < 1e-3 * size, "{}: only where they must", scene.name);
        if let (Some(other), Some(before)) = (other, before) {
            assert!(session.rides(other) && !session.rides(free));
            assert!(session.tip(other).distance(before) > 0.01 * size, "{}: what is free goes along", scene.name);
        }
    }
}

/// A free effector changes nothing: with one on every joint that takes one, the same commands give the same bits.
#[test]
fn a_free_effector_asks_for_nothing() {
    for name in ["humanoid", "tree", "hexapod", "demo"] {
        let (mut plain, mut rigged) = (open(name), open(name));
        let joints: Vec<String> = plain.scene().skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
        for joint in &joints {
            match attempt(&mut rigged, &format!("effector.add \"{joint}\"")) {
                Ok(()) | Err(CommandError::Effector(EffectorError::Immovable(_))) => {}
                Err(error) => panic!("{name} {joint}: {error}"),
            }
        }
        let first = plain.scene().effectors[0].name.clone();
        let count = plain.targets().len();
        assert!(rigged.targets().len() > count);
        give(&mut rigged, &format!("effector.select \"{first}\""));
        let mut random = Random::new(7);
        for frame in 0..200 {
            let step = |random: &mut Random| random.range(-0.01, 0.01) * plain.reach_of_selected();
            let words = format!("target.move {} {} {}", step(&mut random), step(&mut random), step(&mut random));
            for session in [&mut plain, &mut rigged] {
                give(session, &words);
                session.tick(1.0 / 60.0);
            }
            assert_eq!(plain.solved(), rigged.solved(), "{name}, frame {frame}");
        }
        for at in count..rigged.targets().len() {
            assert!(rigged.rides(at));
            let gap = rigged.targets()[at].position.expect("a place").distance(rigged.tip(at));
            assert!(gap <= 1e-12 * rigged.reach_of_selected(), "its target goes along: {gap}");
        }
    }
}

#[test]
fn a_weight_of_nothing_is_no_goal() {
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
            let solved = |problem| {
                let mut pose: Pose = scene.start.clone();
                let islands = scene.skeleton.islands(scene.loops.iter().map(|(a, b)| (a.joint, b.joint)));
                let reports: Vec<_> = islands
                    .iter()
                    .map(|island| {
                        let mut workspace = fabrik3d_ik::IslandSolver::new(&scene.skeleton, problem, island);
                        workspace.solve(&scene.skeleton, problem, &scene.settings, &mut pose)
                    })
                    .collect();
                (pose, reports)
            };
            assert_eq!(solved(&light), solved(&gone), "{name}");
        }
    }
}

/// Everything that is done to effectors is undone and done again, whatever comes between.
#[test]
fn undo_brings_effectors_back() {
    let state = |session: &Session| (session.scene().clone(), session.targets().to_vec(), session.solved().clone());
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
                if attempt(&mut session, &commands[random.index(commands.len())]).is_err() {
                    assert_eq!(state(&session), before, "what is refused changes nothing");
                    continue;
                }
                let after = state(&session);
                give(&mut session, "undo");
                assert_eq!(state(&session), before);
                give(&mut session, "redo");
                assert_eq!(state(&session), after);
                if random.unit() < 0.3 {
                    let _ = attempt(&mut session, "effector.all");
                }
                wait(&mut session, 0.1);
                let scene = session.scene_now();
                let read = Scene::parse(&scene.to_toml(), Format::Toml, "saved").expect("reads");
                let asked = |scene: &Scene| -> Vec<(String, Hold, f64)> {
                    scene.effectors.iter().map(|one| (one.name.clone(), one.hold, one.weight)).collect()
                };
                assert_eq!(asked(&read), asked(&scene));
            }
        }
    }
}

#[test]
fn all_targets_move_together() {
    let mut session = open("crowd");
    wait(&mut session, 2.0);
    let before = session.targets().to_vec();
    give(&mut session, "effector.all");
    give(&mut session, "target.grab");
    for _ in 0..10 {
        give(&mut session, "target.move 0.01 0 0.02");
        session.tick(1.0 / 60.0);
    }
    let shift = DVec3::new(0.1, 0.0, 0.2);
    for (now, was) in session.targets().iter().zip(&before) {
        let (now, was) = (now.position.expect("a place"), was.position.expect("a place"));
        assert!(now.distance(was + shift) < 1e-9, "{now} {was}");
    }
    wait(&mut session, 1.0);
    let missed = (0..before.len()).filter(|&at| session.report(at).is_some_and(|report| !report.stop.is_reached()));
    assert_eq!(missed.count(), 0);
    give(&mut session, "undo");
    assert_eq!(session.targets(), before, "in one step");
    give(&mut session, "effector.next");
    give(&mut session, "target.move 0.01 0 0");
    let moved = session.targets().iter().zip(&before).filter(|(now, was)| now != was).count();
    assert_eq!(moved, 1, "who selects one moves one");
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut session = open("demo");
    let base = session.scene().skeleton.joints()[0].name.clone();
    let name = session.scene().effectors[0].name.clone();
    assert_eq!(
        attempt(&mut session, &format!("effector.add {base}")),
        Err(CommandError::Effector(EffectorError::Immovable(base)))
    );
    assert_eq!(attempt(&mut session, "effector.add"), Err(CommandError::NoJoint));
    let last = session.scene().skeleton.joints().last().expect("has joints").name.clone();
    assert_eq!(
        attempt(&mut session, &format!("effector.add {last} {name}")),
        Err(CommandError::Effector(EffectorError::Taken(name.clone())))
    );
    assert!(matches!(attempt(&mut session, "effector.pin nobody on"), Err(CommandError::UnknownEffector { .. })));
    give(&mut session, &format!("effector.remove {name}"));
    wait(&mut session, 0.5);
    assert_eq!(attempt(&mut session, "effector.remove"), Err(CommandError::NoEffector));
    assert_eq!(attempt(&mut session, "effector.all"), Err(CommandError::NoEffector));
}
