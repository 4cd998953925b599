//! Which places are out of reach.

use fabrik3d_ik::Coordinates;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Scene, Syntax};
use glam::DVec3;

/// An arm of two links of length 1 behind a slide: links and the slide count, from where the arm begins.
#[test]
fn a_place_is_out_of_reach_beyond_all_links_and_slides() {
    let text = "[[joint]]\nname = \"rail\"\noffset = [5, 0, 0]\nkind = \"slide\"\naxis = [1, 0, 0]\nrange = [0, 0.5]\n\
                [[joint]]\nname = \"arm\"\nparent = \"rail\"\noffset = [0, 0, 0]\n\
                [[joint]]\nname = \"elbow\"\nparent = \"arm\"\noffset = [0, 1, 0]\n\
                [[effector]]\njoint = \"elbow\"\ntip = [0, 1, 0]\n";
    let scene = Scene::parse(text, Syntax::Toml, "arm.toml").expect("a scene");
    let effector = &scene.effectors[0].effector;
    for direction in [DVec3::X, DVec3::NEG_Y, DVec3::Z] {
        for (distance, is_out) in [(0.0, false), (2.49, false), (2.51, true)] {
            let place = DVec3::X * 5.0 + direction * distance;
            assert_eq!(scene.is_out_of_reach(effector, place, &scene.start), is_out, "{place}");
        }
    }
}

/// No pose takes two effectors farther apart than the links between them; arms that are stretched do.
#[test]
fn two_effectors_are_never_farther_apart_than_the_links_between_them() {
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/scenes");
    let (mut random, mut pairs) = (Random::new(12), 0);
    for name in ["humanoid", "two-arms", "tree", "hexapod", "hand"] {
        let scene = Scene::open(format!("{scenes}/{name}.toml")).expect("reads");
        let (skeleton, effectors) = (&scene.skeleton, &scene.effectors);
        let tips = |pose: &[Coordinates]| -> Vec<DVec3> {
            let frames = skeleton.frames(pose);
            effectors.iter().map(|it| frames[it.effector.joint].point(it.effector.tip)).collect()
        };
        let poses: Vec<Vec<DVec3>> = (0..200).map(|_| tips(&skeleton.random_pose(&mut random))).collect();
        for a in 0..effectors.len() {
            for b in 0..a {
                let most = scene.largest_distance([a, b].map(|at| &effectors[at].effector));
                let Some(most) = most else { continue };
                let farthest = poses.iter().map(|tips| tips[a].distance(tips[b])).fold(0.0, f64::max);
                assert!(farthest <= most + 1e-9, "{name}: {farthest} {most}");
                pairs += usize::from(farthest > 0.5 * most);
            }
        }
    }
    assert!(pairs > 20, "{pairs} pairs come near it");
    let crowd = Scene::open(format!("{scenes}/crowd.toml")).expect("reads");
    let apart = [0, 1].map(|at| &crowd.effectors[at].effector);
    assert_eq!(crowd.largest_distance(apart), None, "no joint connects these figures");
}
