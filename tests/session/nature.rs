//! Bodies bend where people do: elbows and knees before shoulders and hips, these before the back.

use fabrik3d_ik::{Joint, Pose, Skeleton, Solver, Target, pose_distance};
use fabrik3d_scene::Scene;
use glam::DVec3;
use std::path::Path;

/// Largest turn of the back where arms and legs suffice, degrees.
const UPRIGHT: f64 = 35.0;

/// Largest difference of a joint between a path in few steps and the same path in many, degrees.
const SAME: f64 = 5.0;

/// What an effector does: its name and the way from where it is to where it goes, as fractions of the height of the hips.
type Task = (&'static str, &'static [(&'static str, [f64; 3])]);

/// Tasks for which arms and legs suffice.
const TASKS: [Task; 7] = [
    ("hand to the shoulder", &[("LeftHand", [-0.25, 0.3, 0.25])]),
    ("hand forward", &[("LeftHand", [-0.2, 0.1, 0.35])]),
    ("hand pushed back", &[("LeftHand", [-0.15, 0.1, -0.15])]),
    ("hand to the belly", &[("LeftHand", [-0.3, 0.05, 0.2])]),
    ("hand up", &[("LeftHand", [-0.1, 0.5, 0.1])]),
    ("foot to a step", &[("LeftFoot", [0.0, 0.2, 0.2]), ("LeftToeBase", [0.0, 0.2, 0.2])]),
    ("both hands forward", &[("LeftHand", [-0.15, 0.1, 0.3]), ("RightHand", [0.15, 0.1, 0.3])]),
];

fn character(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models").join(name);
    Scene::open(path).expect("reads")
}

fn named(scene: &Scene, name: &str) -> usize {
    let found = scene.effectors.iter().position(|effector| effector.name.rsplit(':').next() == Some(name));
    found.expect("an effector")
}

/// The pose after the effectors have moved along straight paths in `steps` steps, and whether all targets were reached.
fn played(scene: &Scene, skeleton: &Skeleton, task: &Task, steps: u32) -> (Pose, bool) {
    let problem = scene.problem();
    let mut pose = scene.start.clone();
    let frames = skeleton.frames(&pose);
    let place = |at: usize| frames[scene.effectors[at].effector.joint].position;
    let size = place(named(scene, "Hips")).y;
    let ways: Vec<(usize, DVec3)> =
        task.1.iter().map(|(name, way)| (named(scene, name), DVec3::from_array(*way) * size)).collect();
    let mut solver = Solver::new(skeleton).problem(problem).settings(scene.settings);
    let mut reached = true;
    for step in 1..=steps {
        for &(at, way) in &ways {
            solver.set_target(at, Target::from(place(at) + way * (f64::from(step) / f64::from(steps))));
        }
        let _ = solver.track(&mut pose);
    }
    let found = skeleton.frames(&pose);
    for &(at, way) in &ways {
        let joint = scene.effectors[at].effector.joint;
        reached &= found[joint].position.distance(place(at) + way) < 0.01 * size;
    }
    (pose, reached)
}

/// How far the chest has turned in the world, degrees.
fn turn_of_the_back(scene: &Scene, pose: &Pose) -> f64 {
    let chest = scene.skeleton.joints().iter().position(|joint| joint.name.ends_with("Chest")).expect("a chest");
    let [before, after] = [&scene.start, pose].map(|pose| scene.skeleton.frames(pose)[chest].rotation);
    before.angle_between(after).to_degrees()
}

#[test]
fn arms_and_legs_bend_before_the_back() {
    let mut different = 0;
    for name in ["mannequin.glb", "puppet.gltf"] {
        let scene = character(name);
        let limp = scene.skeleton.joints().iter().map(|joint| Joint { stiffness: 0.0, ..joint.clone() }).collect();
        let limp = Skeleton::new(limp).expect("a skeleton");
        for task in &TASKS {
            let (without, _) = played(&scene, &limp, task, 60);
            let (jump, _) = played(&scene, &scene.skeleton, task, 1);
            let (coarse, _) = played(&scene, &scene.skeleton, task, 10);
            let (fine, reached) = played(&scene, &scene.skeleton, task, 300);
            let turns = [&without, &jump, &coarse, &fine].map(|pose| turn_of_the_back(&scene, pose));
            let all: Vec<usize> = (0..scene.skeleton.len()).collect();
            let apart = pose_distance(&scene.skeleton, &all, &coarse, &fine, 1.0).to_degrees();
            println!(
                "{name}, {}: limp {:.1}, jump {:.1}, in 10 steps {:.1}, in 300 {:.1}; apart {apart:.1}; {reached}",
                task.0, turns[0], turns[1], turns[2], turns[3]
            );
            assert!(reached, "{name}, {}", task.0);
            different += u32::from(apart > SAME);
            assert!(turns[1..].iter().all(|turn| *turn < UPRIGHT), "{name}, {}: {turns:?}", task.0);
        }
    }
    // The puppet's leg starts straight: its knee can bend either way.
    assert!(different <= 1, "{different} tasks end elsewhere in few steps than in many");
}
