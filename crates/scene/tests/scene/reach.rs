//! Which places are out of reach.

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
