//! Bodies bend where people do: elbows and knees before shoulders and hips, these before the back.

use crate::gathered::gathered;
use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Joint, Pose, Skeleton, Solver, Target};
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

/// Tasks that arms alone cannot do: the legs bend, or the back would have to fold.
const LOW_TASKS: [Task; 4] = [
    ("hand to the ground", &[("LeftHand", [-0.3, -0.85, 0.3])]),
    ("hand below the knee", &[("LeftHand", [-0.3, -0.6, 0.3])]),
    ("both hands low", &[("LeftHand", [-0.3, -0.75, 0.25]), ("RightHand", [0.3, -0.75, 0.25])]),
    ("hips lowered", &[("Hips", [0.0, -0.12, 0.0])]),
];

/// How far a joint between two links is bent, degrees.
fn bend_of(scene: &Scene, pose: &Pose, joint: &str) -> f64 {
    let skeleton = &scene.skeleton;
    let at = skeleton.joints().iter().position(|other| other.name.ends_with(joint)).expect("a joint");
    let (above, below) = (skeleton.joints()[at].parent.expect("a parent"), skeleton.children(at)[0]);
    let frames = skeleton.frames(pose);
    let [a, b, c] = [above, at, below].map(|joint| frames[joint].position);
    (b - a).angle_between(c - b).to_degrees()
}

/// Straight knees do not lower the hips to first order, and yet they bend.
#[test]
fn straight_knees_bend_for_what_is_low() {
    for name in ["mannequin.glb", "puppet.gltf"] {
        let scene = character(name);
        for task in &LOW_TASKS {
            for steps in [1, 10, 100] {
                let (pose, reached) = played(&scene, &scene.skeleton, task, steps);
                let [left, right] = ["LeftLeg", "RightLeg"].map(|knee| bend_of(&scene, &pose, knee));
                let back = turn_of_the_back(&scene, &pose);
                println!("{name}, {} in {steps}: back {back:.1}, knees {left:.1} {right:.1}; {reached}", task.0);
                assert!(reached, "{name}, {} in {steps}", task.0);
                assert!(left.min(right) > 30.0, "{name}, {} in {steps}: {left} {right}", task.0);
                assert!(back < 75.0, "{name}, {} in {steps}: {back}", task.0);
            }
        }
    }
}

/// A path of a hand or a foot with this seed: the effector, and the way in fractions of the height of the hips.
fn seeded_way(seed: u64) -> (&'static str, DVec3) {
    let mut random = Random::new(seed);
    let (name, least, most) = match seed % 3 {
        0 => ("LeftHand", [-0.45, -0.3, -0.25], [-0.05, 0.5, 0.45]),
        1 => ("RightHand", [0.05, -0.3, -0.25], [0.45, 0.5, 0.45]),
        _ => ("RightFoot", [-0.15, 0.05, -0.25], [0.05, 0.35, 0.35]),
    };
    (name, DVec3::from_array(std::array::from_fn(|axis| random.range(least[axis], most[axis]))))
}

/// The end pose does not depend on how finely a path is played. Poses at the very edge of what a body can reach may differ,
/// and a straight knee can bend either way: in 95 of 100 paths no joint differs by more than 5 degrees, and
/// no free joint by more than the arc of that angle at the height of the hips.
#[test]
fn paths_end_in_the_same_pose_in_few_steps_and_in_many() {
    const PATHS: u64 = 200;
    let mut bodies: Vec<(String, Scene)> =
        ["mannequin.glb", "puppet.gltf"].map(|name| (name.to_owned(), character(name))).into();
    let recorded = gathered("bvh/cmu/01_01_playground_hops.bvh");
    bodies.extend(recorded.map(|path| ("hops.bvh".to_owned(), Scene::open(path).expect("reads"))));
    let mut all = [0, 0];
    for (name, scene) in &bodies {
        let (mut same, mut compared) = (0, 0);
        for seed in 0..PATHS / bodies.len() as u64 {
            let (effector, way) = seeded_way(seed);
            let Some(start) = standing(scene, effector) else { continue };
            let [coarse, fine] = [10, 300].map(|steps| walked(&start, effector, way, steps));
            // A target that only one of them reaches is at the edge.
            if !fine.1 || !coarse.1 {
                continue;
            }
            compared += 1;
            let all: Vec<usize> = (0..scene.skeleton.len()).collect();
            let apart = pose_distance(&scene.skeleton, &all, &coarse.0, &fine.0, height_of_hips(scene)).to_degrees();
            same += u32::from(apart <= SAME);
            if apart > SAME {
                println!("{name}, seed {seed}, {effector} {way:.2}: {apart:.1} apart");
            }
        }
        println!("{name}: {same} of {compared} the same");
        assert!(compared > 30, "{name}: {compared} compared");
        assert!(f64::from(same) >= 0.9 * f64::from(compared), "{name}: {same} of {compared}");
        all = [all[0] + same, all[1] + compared];
    }
    assert!(f64::from(all[0]) >= 0.95 * f64::from(all[1]), "{} of {}", all[0], all[1]);
}

/// Upper joint, joint and lower joint of the limbs of recorded figures.
const LIMBS: [[&str; 3]; 4] = [
    ["LeftArm", "LeftForeArm", "LeftHand"],
    ["RightArm", "RightForeArm", "RightHand"],
    ["LeftUpLeg", "LeftLeg", "LeftFoot"],
    ["RightUpLeg", "RightLeg", "RightFoot"],
];

/// The direction in which a limb bends, in the frame of its upper joint; none if it is bent by less than 30 degrees.
fn bend_direction(skeleton: &Skeleton, pose: &Pose, limb: [usize; 3]) -> Option<DVec3> {
    let frames = skeleton.frames(pose);
    let [upper, middle, lower] = limb.map(|joint| frames[joint].position);
    let (above, below) = ((middle - upper).normalize(), (lower - middle).normalize());
    let bend = below.reject_from_normalized(above);
    (above.angle_between(below) > 30_f64.to_radians()).then(|| frames[limb[0]].rotation.conjugate() * bend.normalize())
}

/// However hands and feet are dragged, elbows and knees of a recorded figure bend the way in which the person bent them.
#[test]
fn recorded_limbs_bend_as_in_their_recording() {
    let files =
        ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", "bvh/pybvh/bvh_example.bvh"];
    for path in files.iter().filter_map(|name| gathered(name)) {
        let scene = Scene::open(&path).expect("reads");
        let (skeleton, motion) = (&scene.skeleton, &scene.assets.motions[0]);
        let limbs = LIMBS.map(|limb| limb.map(|name| skeleton.find(name).expect("a joint")));
        let recorded = limbs.map(|limb| {
            let frames = (0..motion.len()).step_by(10).map(|frame| motion.pose(skeleton, frame));
            frames.filter_map(|pose| bend_direction(skeleton, &pose, limb)).sum::<DVec3>()
        });
        let mut bent = 0;
        for seed in 0..60 {
            let (effector, way) = seeded_way(seed);
            let Some(start) = standing(&scene, effector) else { continue };
            let (pose, _) = walked(&start, effector, way, 20);
            for (limb, recorded) in limbs.iter().zip(&recorded) {
                let Some(bend) = bend_direction(skeleton, &pose, *limb) else { continue };
                let Some(usual) = recorded.try_normalize() else { continue };
                let apart = bend.angle_between(usual).to_degrees();
                let name = &skeleton.joints()[limb[1]].name;
                assert!(apart < 60.0, "{}, seed {seed}: {name} bends {apart:.0} degrees from its way", path.display());
                bent += 1;
            }
        }
        println!("{}: {bent} bent limbs", path.display());
        assert!(bent > 20, "{}: {bent} bent limbs", path.display());
    }
}

/// The scene at rest, with an effector on the joint of this name.
fn standing(scene: &Scene, joint: &str) -> Option<Scene> {
    let mut scene = scene.clone();
    let at = scene.skeleton.joints().iter().position(|other| other.name.rsplit(':').next() == Some(joint))?;
    if !scene.effectors.iter().any(|effector| effector.effector.joint == at) {
        let name = scene.skeleton.joints()[at].name.clone();
        scene.add_effector(&name, None).expect("an effector");
    }
    Some(scene)
}

/// The height of the hips above the lowest joint.
fn height_of_hips(scene: &Scene) -> f64 {
    let frames = scene.skeleton.frames(&scene.start);
    let lowest = frames.iter().map(|frame| frame.position.y).fold(f64::MAX, f64::min);
    let hips = scene.skeleton.joints().iter().position(|joint| joint.name.ends_with("Hips")).expect("hips");
    frames[hips].position.y - lowest
}

/// The pose after an effector and the toes below it have gone along a way in `steps` steps, and whether it arrived.
fn walked(scene: &Scene, joint: &str, way: DVec3, steps: u32) -> (Pose, bool) {
    let skeleton = &scene.skeleton;
    let mut pose = scene.start.clone();
    let way = way * height_of_hips(scene);
    let moved =
        skeleton.joints().iter().position(|other| other.name.rsplit(':').next() == Some(joint)).expect("a joint");
    let is_moved = |at: usize| skeleton.ancestors(scene.effectors[at].effector.joint).any(|above| above == moved);
    let tip = |at: usize, pose: &Pose| {
        let effector = scene.effectors[at].effector;
        skeleton.frames(pose)[effector.joint].point(effector.tip)
    };
    // Tips of fingers go free, toes move with their foot.
    let own: Vec<(usize, DVec3)> = (0..scene.effectors.len())
        .filter(|&at| is_moved(at))
        .filter(|&at| scene.effectors[at].effector.joint == moved || joint.ends_with("Foot"))
        .map(|at| (at, tip(at, &pose)))
        .collect();
    let mut solver = Solver::new(skeleton.clone()).problem(scene.problem()).settings(scene.settings);
    for step in 1..=steps {
        for &(at, from) in &own {
            solver.set_target(at, Target::from(from + way * (f64::from(step) / f64::from(steps))));
        }
        let _ = solver.track(&mut pose);
    }
    let reached = own.iter().all(|&(at, from)| tip(at, &pose).distance(from + way) < 0.01 * way.length());
    (pose, reached)
}
