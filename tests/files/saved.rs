//! A saved scene opens in the same state.

use crate::gathered;
use crate::session_support;

use fabrik3d::examples;
use fabrik3d::examples::EXAMPLES;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Pose, Skeleton};
use fabrik3d_scene::{OpenOptions, Scene, Syntax};
use fabrik3d_viewer::session::Session;
use gathered::gathered;
use session_support::{try_apply, wait};
use std::path::Path;

/// All example scenes except `crowd`, and sample robots and characters.
fn scenes() -> Vec<Scene> {
    let own = EXAMPLES.iter().filter(|(name, _)| *name != "crowd").map(|(name, _)| format!("example:{name}"));
    let own = own.map(|name| examples::open(name, &OpenOptions::default()).expect("an example"));
    let files = ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb", "robots/ur_description/urdf/ur5_robot.urdf"];
    own.chain(files.iter().filter_map(|name| gathered(name)).map(|path| Scene::open(path).expect("reads"))).collect()
}

/// Largest distance between two poses of joints and of points near them, relative to the figure.
fn apart(a: (&Skeleton, &Pose), b: (&Skeleton, &Pose), points_too: bool) -> f64 {
    let (a, b) = (a.0.frames(a.1), b.0.frames(b.1));
    let size = a.iter().map(|frame| frame.position.distance(a[0].position)).fold(1e-9, f64::max);
    let off = |(a, b): (&Isometry, &Isometry)| {
        let turned = if points_too { 2.0 * (a.rotation.inverse() * b.rotation).xyz().length() } else { 0.0 };
        a.position.distance(b.position) / size + turned
    };
    a.iter().zip(&b).map(off).fold(0.0, f64::max)
}

/// A session at rest after random target moves and changes of pinned effectors.
fn disturbed(scene: &Scene, random: &mut Random) -> Session {
    let mut session = Session::new(scene.clone());
    for _ in 0..5 {
        let name = &scene.effectors[random.index(scene.effectors.len())].name;
        for words in [format!("effector.select \"{name}\""), "target.random".to_owned()] {
            // Some figures have no other reachable target.
            let _ = try_apply(&mut session, &words);
        }
        if random.unit() < 0.3 {
            let _ = try_apply(&mut session, "effector.pin");
        }
        wait(&mut session, 0.3);
    }
    wait(&mut session, 1.5);
    session
}

#[test]
fn a_saved_scene_opens_with_the_saved_pose_and_targets() {
    let mut random = Random::new(71);
    for scene in scenes() {
        for _ in 0..2 {
            let session = disturbed(&scene, &mut random);
            let saved = session.scene_now();
            for (format, text) in [(Syntax::Toml, saved.to_toml()), (Syntax::Json, saved.to_text(Syntax::Json))] {
                let read = Scene::parse(&text, format, "saved").unwrap_or_else(|error| panic!("{error}"));
                let name = &scene.name;
                let (shown, opened) = ((&*scene.skeleton, session.solved()), (&*read.skeleton, &read.start));
                // Chains are saved as points, which do not define the twist of links.
                let is_chain = text.contains("[[chain]]") || text.contains("\"chain\"");
                let off = apart(shown, opened, !is_chain);
                assert!(off < 1e-8, "{name}: {off}");
                let targets = |scene: &Scene| scene.effectors.iter().map(|one| one.target).collect::<Vec<_>>();
                assert_eq!(targets(&read).len(), targets(&saved).len(), "{name}");
                for (read, saved) in targets(&read).iter().zip(targets(&saved)) {
                    assert_eq!(read.position, saved.position, "{name}");
                }
                // Reached targets are still reached when the file opens, so nothing moves.
                let reached =
                    (0..scene.effectors.len()).all(|at| session.report(at).is_none_or(|it| it.stop.is_reached()));
                let mut again = Session::new(read.clone());
                wait(&mut again, 1.0);
                let moved = apart(opened, (&*read.skeleton, again.solved()), false);
                assert!(!reached || moved < 1e-3, "{name}: moved by {moved}");
            }
        }
    }
}

#[test]
fn a_character_saved_as_glb_keeps_its_body_clips_and_pose() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(72);
    for name in ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb", "gltf/RiggedSimple/RiggedSimple.glb"] {
        let Some(path) = gathered(name) else { continue };
        let scene = Scene::open(&path).expect("reads");
        let session = disturbed(&scene, &mut random);
        let saved = session.scene_now();
        assert!(saved.left_behind(&folder.path().join("a.toml")).is_some_and(|note| note.contains("the meshes")));
        let out = folder.path().join("posed.glb");
        assert_eq!(saved.left_behind(&out), None);
        saved.save(&out).unwrap_or_else(|error| panic!("{error}"));
        let read = Scene::open(&out).expect("reads back");
        assert_eq!(read.assets.meshes, scene.assets.meshes, "{name}");
        assert_eq!(read.assets.motions.len(), scene.assets.motions.len() + 1, "{name}");
        let pose = &read.assets.motions.iter().find(|motion| motion.name == "pose").expect("the pose");
        let pose = pose.pose(&read.skeleton, 0);
        let off = apart((&scene.skeleton, session.solved()), (&read.skeleton, &pose), false);
        assert!(off < 2e-3, "{name}: {off} (stored in single precision)");
    }
}

/// Limits and joint values count from the rest pose, and nodes of a saved character are in the saved one.
#[test]
fn a_character_posed_and_saved_as_glb_has_the_rest_pose_and_the_limits_that_it_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(73);
    let own = ["mannequin.glb", "puppet.gltf"].map(|name| Path::new("assets/models").join(name));
    let samples = ["gltf/CesiumMan/CesiumMan.glb", "gltf/Fox/Fox.glb"];
    for path in own.into_iter().chain(samples.iter().filter_map(|name| gathered(name))) {
        let name = path.display();
        let original = Scene::open(&path).expect("reads");
        let mut scene = original.clone();
        // A file that holds a pose already is saved once more.
        for time in 0..2 {
            let session = disturbed(&scene, &mut random);
            let out = folder.path().join(format!("posed-{time}.glb"));
            session.scene_now().save(&out).unwrap_or_else(|error| panic!("{error}"));
            let _ = std::fs::copy(path.with_extension("limits.toml"), out.with_extension("limits.toml"));
            scene = Scene::open(&out).expect("reads back");
            let (before, after) = (&*original.skeleton, &*scene.skeleton);
            let off = apart((before, &before.rest_pose()), (after, &after.rest_pose()), true);
            assert!(off < 2e-3, "{name}, rest pose {time}: {off}");
            let off = apart((before, session.solved()), (after, &scene.start), true);
            assert!(off < 2e-3, "{name}, saved pose {time}: {off}");
            let _ = std::fs::remove_file(out.with_extension("limits.toml"));
            assert_eq!(scene.assets.human_limits.joints, original.assets.human_limits.joints, "{name}");
            let modes = |scene: &Scene| scene.effectors.iter().map(|effector| effector.hold).collect::<Vec<_>>();
            assert_eq!(modes(&scene), modes(&original), "{name}");
            for (from, to) in [(before, after), (after, before)] {
                let inside = from.random_pose(&mut random);
                let mut limited = inside.clone();
                to.project(&mut limited);
                let off = apart((from, &inside), (from, &limited), true);
                assert!(off < 5e-3, "{name}, limits {time}: {off}");
            }
        }
    }
}

#[test]
fn save_errors_name_the_cause_and_scenes_without_bodies_save_completely() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = examples::demo();
    let error = scene.save(&folder.path().join("a.stl")).expect_err("not a format of scenes").to_string();
    assert!(error.contains("a.stl") && error.contains(".toml") && error.contains(".glb"), "{error}");
    let error = scene.save(&folder.path().join("missing/a.toml")).expect_err("no folder").to_string();
    assert!(error.contains("missing/a.toml: cannot be written"), "{error}");
    assert_eq!(scene.left_behind(&folder.path().join("a.toml")), None);
    assert_eq!(scene.save(&folder.path().join("a")).expect("saved"), folder.path().join("a.toml"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
