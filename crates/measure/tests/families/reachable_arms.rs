//! Arms with six hinges and a closed form reach every pose that they can reach, next to singular poses and limits too.
#![allow(clippy::unwrap_used)]

use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Isometry, Problem, Settings, SixAxisArm, Skeleton, Solver, Target};
use fabrik3d_measure::robots::mid_range;
use fabrik3d_scene::Scene;
use std::path::{Path, PathBuf};

/// Robots of the project, and of the sample files if they are there.
fn robots() -> Vec<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let own = ["parallel-axes.urdf", "robot-arm.urdf"].map(|name| models.join(name));
    let others = ["ur5_robot.urdf", "ur5_joint_limited_robot.urdf"];
    let others = others.iter().filter_map(|name| gathered(&format!("robots/ur_description/urdf/{name}")));
    own.into_iter().chain(others).collect()
}

/// The first effector with a closed form.
fn arm(scene: &Scene) -> Effector {
    let mut effectors = scene.effectors.iter().map(|effector| effector.effector);
    effectors.find(|effector| SixAxisArm::new(&scene.skeleton, effector).is_ok()).unwrap()
}

/// The number of targets that are missed, of `count` from random poses inside the limits.
fn missed(skeleton: &Skeleton, effector: Effector, settings: &Settings, count: usize) -> usize {
    let mut random = Random::new(7);
    let start = mid_range(skeleton);
    let goal = Goal::new(effector, Target::default());
    let problem = Problem { goals: vec![goal], ..Problem::default() };
    let mut solver = Solver::new(skeleton).problem(problem).settings(*settings);
    let mut is_missed = |_: &usize| {
        let there = skeleton.random_pose(&mut random);
        let frame = skeleton.frame_of(Isometry::IDENTITY, &there, effector.joint);
        solver.set_target(0, (frame.point(effector.tip), frame.rotation));
        let mut pose = start.clone();
        !solver.solve(&mut pose).stop.is_reached()
    };
    (0..count).filter(|at| is_missed(at)).count()
}

#[test]
fn every_reachable_pose_is_reached() {
    for file in robots() {
        let scene = Scene::open(&file).unwrap();
        let effector = arm(&scene);
        let exact = Settings { tolerance: 1e-6, rotation_tolerance: 1e-5, ..Settings::default() };
        for settings in [Settings::default(), exact] {
            assert_eq!(missed(&scene.skeleton, effector, &settings, 1250), 0, "{}", file.display());
        }
    }
}
