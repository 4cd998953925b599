//! Forward kinematics: joints take their given values as far as limits and loops allow, effectors move with them, and the
//! solver leaves the pose alone.

use crate::gathered::gathered;
use crate::session_support;

use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::queries::{loop_gaps, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Isometry, Kind, Problem, Skeleton};
use fabrik3d_scene::{Scene, Unit, joint_values};
use fabrik3d_viewer::session::{JointCommand, Session, SessionCommand};
use glam::{DMat4, DQuat, DVec3};
use session_support::{apply, open, try_apply, wait};
use std::path::PathBuf;

/// The project's own scenes, and sample robots if they are there.
fn scenes() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: PathBuf, extension: &str| {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
        files.sort();
        files
    };
    let mut scenes = files(root.join("assets/scenes"), "toml");
    assert!(scenes.len() > 10, "our own scenes are missing");
    let mut folders = Vec::from_iter(gathered("robots"));
    while let Some(folder) = folders.pop() {
        scenes.extend(files(folder.clone(), "urdf"));
        let below = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.extend(below.filter(|path| path.is_dir()));
    }
    scenes
}

/// Joints that can be set.
fn joints_of(skeleton: &Skeleton) -> Vec<usize> {
    let joints = skeleton.joints().iter().enumerate();
    joints.filter(|(_, joint)| joint.kind != Kind::Fixed && joint.mimic.is_none()).map(|(at, _)| at).collect()
}

/// Random values for a joint, some of them beyond its limits.
fn values(scene: &Scene, joint: usize, random: &mut Random) -> Vec<f64> {
    let rest = joint_values(scene.skeleton.kind(joint), &scene.skeleton.kind(joint).rest());
    let value = |unit: Unit, random: &mut Random| match unit {
        Unit::Degrees => random.range(-100.0, 100.0),
        Unit::Length => random.range(-1.0, 1.0),
    };
    rest.iter().map(|dial| value(dial.unit, random)).collect()
}

fn set(session: &mut Session, joint: usize, values: &[f64]) -> Result<(), fabrik3d_viewer::session::CommandError> {
    let name = session.scene().skeleton.joints()[joint].name.clone();
    session.apply(&SessionCommand::Joint(JointCommand::Set(name, values.to_vec())))
}

/// Forward kinematics by matrices, as an independent check.
fn matrices(skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<DMat4> {
    let mut out: Vec<DMat4> = Vec::new();
    for (joint, at) in skeleton.joints().iter().zip(pose) {
        let parent = joint.parent.map_or(DMat4::IDENTITY, |parent| out[parent]);
        let place = parent.transform_point3(joint.offset);
        let turn = match joint.axes {
            Axes::Parent => parent * DMat4::from_quat(joint.rest),
            Axes::World => DMat4::from_quat(joint.rest),
        };
        let rest = DMat4 { w_axis: place.extend(1.0), ..turn };
        let own = match joint.kind {
            Kind::Fixed => DMat4::IDENTITY,
            Kind::Hinge { axis, .. } => DMat4::from_axis_angle(axis, at.value()),
            Kind::Slide { axis, .. } => DMat4::from_translation(axis * at.value()),
            Kind::Free => DMat4::from_rotation_translation(at.free_rotation(), at.free_position()),
            Kind::Ball { swing: None, twist: None } => DMat4::from_quat(at.ball_rotation()),
            Kind::Ball { .. } => {
                let [a, b] = at.tilt();
                let tilt = DVec3::new(-b, a, 0.0);
                let swing =
                    tilt.try_normalize().map_or(DMat4::IDENTITY, |axis| DMat4::from_axis_angle(axis, tilt.length()));
                swing * DMat4::from_rotation_z(at.twist())
            }
        };
        out.push(rest * own);
    }
    out
}

fn gaps(scene: &Scene, pose: &[Coordinates]) -> f64 {
    let problem = Problem { loops: scene.loops.clone(), ..Problem::default() };
    loop_gaps(&scene.skeleton, &problem, pose).into_iter().fold(0.0, f64::max)
}

fn size(scene: &Scene) -> f64 {
    scene.skeleton.extent().max(1e-3)
}

#[test]
fn joints_take_their_values_and_keep_them() {
    let mut count = 0;
    for file in scenes() {
        let mut session = Session::new(Scene::open(&file).expect("the scene reads"));
        wait(&mut session, 3.0);
        let mut random = Random::new(7);
        let skeleton = session.scene().skeleton.clone();
        let joints = joints_of(&skeleton);
        let wholly_free = session.scene().loops.is_empty();
        for _ in 0..20.min(4 * joints.len()) {
            let joint = joints[random.index(joints.len())];
            let values = values(session.scene(), joint, &mut random);
            let name = || format!("{} {} {values:?}", file.display(), skeleton.joints()[joint].name);
            if set(&mut session, joint, &values).is_err() {
                assert!(!wholly_free, "{} is refused although no loop holds it", name());
                continue;
            }
            count += 1;
            let pose = session.solved().clone();
            // It takes the nearest value within its limits, and a remark reports a difference.
            match *skeleton.kind(joint) {
                Kind::Hinge { range: Some(range), .. } if wholly_free => {
                    let expected = values[0].to_radians().clamp(range.low(), range.high());
                    assert!((pose[joint].value() - expected).abs() < 1e-12, "{}", name());
                    assert_eq!(session.remark().is_some(), expected != values[0].to_radians(), "{}", name());
                }
                Kind::Slide { range: Some(range), .. } if wholly_free => {
                    assert_eq!(pose[joint].value(), values[0].clamp(range.low(), range.high()), "{}", name());
                }
                Kind::Ball { swing: None, twist: None } if wholly_free => {
                    let expected = DQuat::from_scaled_axis(DVec3::from_slice(&values) * 1_f64.to_radians());
                    assert!(pose[joint].ball_rotation().dot(expected).abs() > 1.0 - 1e-12, "{}", name());
                }
                _ => {}
            }
            let actual: Vec<f64> =
                joint_values(skeleton.kind(joint), &pose[joint]).iter().map(|dial| dial.value).collect();
            if session.remark().is_none() {
                let again = fabrik3d_scene::coordinates_from_values(skeleton.kind(joint), &values).expect("fits");
                let (a, b) = (skeleton.kind(joint).rotation(&again), skeleton.kind(joint).rotation(&pose[joint]));
                assert!(a.dot(b).abs() > 1.0 - 1e-10, "{} has the values {actual:?}", name());
            }
            // Setting the displayed values gives the same pose.
            let again = fabrik3d_scene::coordinates_from_values(skeleton.kind(joint), &actual).expect("fits");
            let placed = |at: &Coordinates| skeleton.kind(joint).frame(Isometry::IDENTITY, at);
            let (a, b) = (placed(&again), placed(&pose[joint]));
            assert!(
                a.position.distance(b.position) < 1e-9 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-10,
                "{}",
                name()
            );
            assert!(worst_violation(&skeleton, &pose) < 1e-9, "{} exceeds limits", name());
            let gap = gaps(session.scene(), &pose);
            assert!(gap <= 1e-5 * size(session.scene()), "{} opens a loop by {gap}", name());
            for (at, follower) in skeleton.joints().iter().enumerate() {
                if let Some(mimic) = follower.mimic {
                    let expected = mimic.scale * pose[mimic.joint].value() + mimic.offset;
                    assert!(
                        (pose[at].value() - expected).abs() < 1e-12,
                        "{}: {} does not follow",
                        name(),
                        follower.name
                    );
                }
            }
            // Effectors are where forward kinematics puts them.
            let places = matrices(&skeleton, &pose);
            for (at, effector) in session.scene().effectors.iter().enumerate() {
                let expected = places[effector.effector.joint].transform_point3(effector.effector.tip);
                assert!(session.tip(at).distance(expected) < 1e-9 * size(session.scene()), "{}", name());
            }
            // The solver leaves the pose alone.
            for _ in 0..30 {
                session.tick(1.0 / 60.0);
            }
            assert_eq!(session.solved(), &pose, "{} does not stay", name());
            let ties = session.scene().loops.iter().map(|(a, b)| (a.joint, b.joint));
            let island = skeleton.islands(ties).into_iter().find(|island| island.has(joint)).expect("has an island");
            for at in 0..session.targets().len() {
                let report = session.report(at).expect("solved");
                if island.has(session.scene().effectors[at].effector.joint) {
                    assert!(report.stop.is_reached() && report.iterations == 0, "{}: {report}", name());
                }
            }
        }
    }
    assert!(count > 300, "only {count} joints were set");
}

#[test]
fn solving_again_leaves_the_pose_alone() {
    for file in scenes() {
        let scene = Scene::open(&file).expect("the scene reads");
        // Poles and obstacles change the pose where the targets leave a choice.
        if !scene.poles.is_empty() || !scene.obstacles.is_empty() {
            continue;
        }
        let mut session = Session::new(scene);
        wait(&mut session, 3.0);
        let mut random = Random::new(3);
        let joints = joints_of(&session.scene().skeleton);
        for _ in 0..4 {
            let joint = joints[random.index(joints.len())];
            let values = values(session.scene(), joint, &mut random);
            if set(&mut session, joint, &values).is_err() {
                continue;
            }
            let pose = session.solved().clone();
            apply(&mut session, "set solver.seed 5");
            wait(&mut session, 0.2);
            let root = session.scene().skeleton.root(joint);
            for at in 0..session.targets().len() {
                let report = session.report(at).expect("solved");
                if session.scene().skeleton.root(session.scene().effectors[at].effector.joint) == root {
                    // A rope makes one pass to the place where its end is already.
                    let most = u32::from(session.scene().skeleton.joints()[root].kind == Kind::Free);
                    assert!(report.stop.is_reached() && report.iterations <= most, "{}: {report}", file.display());
                }
            }
            let (a, b) = (session.scene().skeleton.frames(&pose), session.scene().skeleton.frames(session.solved()));
            let off = a.iter().zip(&b).map(|(a, b)| a.position.distance(b.position)).fold(0.0, f64::max);
            // Loops are closed to a millionth of the reach; another solve closes them more exactly.
            let slack = if session.scene().loops.is_empty() { 1e-9 } else { 1e-5 };
            assert!(off <= slack * size(session.scene()), "{}: a joint has moved by {off}", file.display());
        }
    }
}

#[test]
fn undo_restores_the_pose_bit_by_bit() {
    for file in scenes() {
        let mut session = Session::new(Scene::open(&file).expect("the scene reads"));
        wait(&mut session, 3.0);
        let mut random = Random::new(11);
        let joints = joints_of(&session.scene().skeleton);
        let mut states = Vec::new();
        for _ in 0..5 {
            let joint = joints[random.index(joints.len())];
            let values = values(session.scene(), joint, &mut random);
            let before = (session.solved().clone(), session.targets().copied().collect::<Vec<_>>());
            if set(&mut session, joint, &values).is_ok() {
                states.push((before, (session.solved().clone(), session.targets().copied().collect::<Vec<_>>())));
            }
        }
        for (before, after) in states.into_iter().rev() {
            assert_eq!(
                (session.solved().clone(), session.targets().copied().collect::<Vec<_>>()),
                after,
                "{}",
                file.display()
            );
            apply(&mut session, "undo");
            assert_eq!(
                (session.solved().clone(), session.targets().copied().collect::<Vec<_>>()),
                before,
                "{}",
                file.display()
            );
            apply(&mut session, "redo");
            apply(&mut session, "undo");
        }
    }
}

#[test]
fn a_turned_joint_is_shown_at_once_and_undone_in_one_step() {
    let mut session = open("robot-arm");
    wait(&mut session, 3.0);
    let skeleton = session.scene().skeleton.clone();
    let joint = joints_of(&skeleton)[1];
    let name = &skeleton.joints()[joint].name;
    let before = session.solved().clone();
    let start = session.displayed()[joint].value().to_degrees();
    for step in 1..=10 {
        let angle = start + 0.5 * f64::from(step);
        apply(&mut session, &format!("joint.glide {name} {angle}"));
        assert!((session.displayed()[joint].value().to_degrees() - angle).abs() < 1e-9);
        assert_eq!(session.displayed(), session.solved());
        session.tick(1.0 / 60.0);
        assert!((session.displayed()[joint].value().to_degrees() - angle).abs() < 1e-9);
    }
    apply(&mut session, "undo");
    assert_eq!(session.solved(), &before);
    // After a single command the display eases to the new pose.
    wait(&mut session, 3.0);
    let seen = session.displayed()[joint];
    apply(&mut session, &format!("joint.set {name} {}", start - 20.0));
    assert_eq!(session.displayed()[joint], seen);
    wait(&mut session, 0.3);
    let amid = session.displayed()[joint].value().to_degrees();
    assert!(amid < start - 0.1 && amid > start - 19.9, "{amid}");
    // A turn during the blend continues from the displayed pose.
    apply(&mut session, &format!("joint.glide {name} {amid}"));
    assert!((session.solved()[joint].value().to_degrees() - amid).abs() < 1e-9);
    wait(&mut session, 2.0);
    assert!((session.displayed()[joint].value().to_degrees() - amid).abs() < 1e-9);
}

#[test]
fn impossible_values_return_errors_and_change_nothing() {
    for (scene, words, part) in [
        ("robot-arm", "joint.set elbwo 10", "did you mean"),
        ("robot-arm", "joint.set elbow 1 2", "takes one number: angle"),
        ("gripper", "joint.set \"right finger\" 0.01", "follows"),
        ("human-arm", "joint.set shoulder 10", "3 numbers: tilt x, tilt y, twist"),
    ] {
        let mut session = open(scene);
        let before = (session.solved().clone(), session.targets().copied().collect::<Vec<_>>());
        let error = try_apply(&mut session, words).expect_err(words).to_string();
        assert!(error.contains(part), "{words}: {error}");
        assert_eq!((session.solved().clone(), session.targets().copied().collect::<Vec<_>>()), before);
    }
}

#[test]
fn a_joint_in_a_loop_turns_the_others_and_stops_where_the_loop_ends() {
    let mut session = open("four-bar");
    wait(&mut session, 3.0);
    let skeleton = session.scene().skeleton.clone();
    let crank = joints_of(&skeleton)[0];
    let before = session.solved().clone();
    let start = before[crank].value().to_degrees();
    set(&mut session, crank, &[start + 8.0]).expect("the crank turns");
    assert!((session.solved()[crank].value().to_degrees() - start - 8.0).abs() < 1e-9);
    assert!(joints_of(&skeleton).iter().skip(1).any(|&joint| session.solved()[joint] != before[joint]));
    assert!(gaps(session.scene(), session.solved()) < 1e-5 * size(session.scene()));
}
