//! Robot arms open bent: away from their limits and from singular poses.
#![allow(clippy::unwrap_used)]

use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Kind, Skeleton};
use fabrik3d_scene::{OpenOptions, Scene, Surfaces};
use glam::DVec3;
use std::path::{Path, PathBuf};

fn open(path: &Path) -> Scene {
    Scene::open_with(path, &OpenOptions { surfaces: Surfaces::Skip, ..OpenOptions::default() }).unwrap()
}

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models").join(name)
}

/// The smallest singular value of the Jacobian of an arm, lengths relative to its reach.
fn smallest_singular(skeleton: &Skeleton, effector: &Effector, pose: &[Coordinates]) -> f64 {
    let mut jacobian = skeleton.jacobian(pose, effector).unwrap();
    let chain: Vec<usize> = skeleton.ancestors(effector.joint).collect();
    jacobian.columns.retain(|column| chain.contains(&column.joint));
    let reach = effector.reach(skeleton);
    jacobian.columns.iter_mut().for_each(|column| column.velocity /= reach);
    *jacobian.singular_values(&[0, 1, 2, 3, 4, 5]).last().unwrap()
}

fn check(scene: &Scene, effector: &Effector, name: &str) {
    let (skeleton, mut random) = (&scene.skeleton, Random::new(7));
    let sample = |_| smallest_singular(skeleton, effector, &skeleton.random_pose(&mut random));
    let best = (0..2000).map(sample).fold(0.0, f64::max);
    let own = smallest_singular(skeleton, effector, &scene.start);
    assert!(own > 0.05 * best, "{name}: {own} of {best}");
    for joint in skeleton.ancestors(effector.joint) {
        let Kind::Hinge { range: Some(range), .. } = *skeleton.kind(joint) else { continue };
        let at = scene.start[joint].value();
        let share = (at - range.low()).min(range.high() - at) / (range.high() - range.low());
        assert!(share > 0.03, "{name}, {}: {at} in {range:?}", skeleton.joints()[joint].name);
    }
}

#[test]
fn arms_open_away_from_limits_and_singular_poses() {
    let own = ["robot-arm.urdf", "parallel-axes.urdf", "seven-axes.urdf"].map(model);
    let samples = ["robots/ur_description/urdf/ur5_robot.urdf", "robots/panda_description/urdf/panda.urdf"];
    for path in own.into_iter().chain(samples.iter().filter_map(|name| gathered(name))) {
        let scene = open(&path);
        assert_eq!(open(&path).start, scene.start, "opening is deterministic");
        let hand = &scene.effectors[0];
        let at = scene.skeleton.frames(&scene.start)[hand.effector.joint].position;
        assert_eq!(hand.target.position, Some(at));
        check(&scene, &hand.effector, &path.display().to_string());
    }
}

/// An arm with this number of hinges, whose axes alternate, on a link of its own.
fn arm(prefix: &str, hinges: usize, side: f64) -> String {
    let mut text = String::new();
    for at in 0..hinges {
        let parent = if at == 0 { "base".to_owned() } else { format!("{prefix}{}", at - 1) };
        let axis = ["0 0 1", "0 1 0", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1"][at];
        let (y, z) = if at == 0 { (side, 0.4) } else { (0.0, 0.2) };
        text += &format!(
            "<link name='{prefix}{at}'/><joint name='{prefix}joint{at}' type='revolute'><parent link='{parent}'/>\
             <child link='{prefix}{at}'/><origin xyz='0 {y} {z}'/><axis xyz='{axis}'/>\
             <limit lower='-2.5' upper='2.5'/></joint>"
        );
    }
    text + &format!(
        "<link name='{prefix}hand'/><joint name='{prefix}mount' type='fixed'><parent link='{prefix}{}'/>\
         <child link='{prefix}hand'/><origin xyz='0 0 0.1'/></joint>",
        hinges - 1
    )
}

#[test]
fn arms_with_five_hinges_and_pairs_of_arms_open_bent() {
    let folder = tempfile::tempdir().unwrap();
    for (name, parts) in [("five", arm("", 5, 0.0)), ("pair", arm("left_", 7, 0.3) + &arm("right_", 6, -0.3))] {
        let path = folder.path().join(format!("{name}.urdf"));
        std::fs::write(&path, format!("<robot name='{name}'><link name='base'/>{parts}</robot>")).unwrap();
        let scene = open(&path);
        let hands: Vec<_> = scene.effectors.iter().filter(|effector| effector.target.position.is_some()).collect();
        assert_eq!(hands.len(), if name == "pair" { 2 } else { 1 });
        for hand in hands {
            check(&scene, &hand.effector, &hand.name);
        }
    }
}

/// Points along the links of an arm.
fn links(scene: &Scene, prefix: &str) -> Vec<DVec3> {
    let (skeleton, frames) = (&scene.skeleton, scene.skeleton.frames(&scene.start));
    let names = skeleton.joints().iter().enumerate().filter(|(_, joint)| joint.name.starts_with(prefix));
    let ends = names.filter_map(|(at, joint)| Some((frames[joint.parent?].position, frames[at].position)));
    let links = ends.skip(1).flat_map(|(from, to)| (0..=20).map(move |part| from.lerp(to, f64::from(part) / 20.0)));
    links.collect()
}

#[test]
fn a_pair_of_arms_opens_apart() {
    let folder = tempfile::tempdir().unwrap();
    for side in [0.12, 0.15, 0.2, 0.3, 0.4] {
        for hinges in [6, 7] {
            let path = folder.path().join("pair.urdf");
            let parts = arm("left_", hinges, side) + &arm("right_", hinges, -side);
            std::fs::write(&path, format!("<robot name='pair'><link name='base'/>{parts}</robot>")).unwrap();
            let scene = open(&path);
            let (left, right) = (links(&scene, "left_"), links(&scene, "right_"));
            let apart = left.iter().flat_map(|a| right.iter().map(|b| a.distance(*b))).fold(f64::INFINITY, f64::min);
            assert!(apart > 0.15, "bases {} apart, {hinges} hinges: the arms are {apart} apart", 2.0 * side);
        }
    }
}
