//! The floor lets a figure be seen that reaches below it, and stays at the base of an arm.

use fabrik3d_ik::{Coordinates, Isometry, Kind};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::view::{Display, HeldKeys, Modifiers, Viewer};
use glam::DVec3;
use std::path::Path;

fn arm(commands: &[&str]) -> Viewer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/robot-arm.urdf");
    let mut viewer = Viewer::new(Scene::open(path).expect("opens"), Display::default(), 1.6);
    for command in commands {
        viewer.apply(command.parse::<Command>().expect("a command")).expect("can be done");
    }
    (0..120).for_each(|_| viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default()));
    viewer
}

#[test]
fn an_arm_below_the_plane_of_its_base_is_seen_through_the_floor() {
    let floor = |viewer: &Viewer| viewer.picture().floor.expect("a floor");
    let standing = floor(&arm(&[]));
    assert!(standing.opacity == 1.0 && standing.height == 0.0);
    let reaching = arm(&["target.set 0.7 0 -0.5"]);
    let low = reaching.session().displayed_tip(0).z;
    assert!(low < -0.3, "the tip is at {low}");
    assert!(floor(&reaching).opacity < 0.5);
    // A scene that is opened in this pose has its floor where the base stands.
    let reopened = Viewer::new(reaching.scene_now(), Display::default(), 1.6);
    let floor = floor(&reopened);
    assert!(floor.height == 0.0 && floor.opacity < 0.5);
}

#[test]
fn a_body_that_nothing_holds_is_on_the_ground() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/mannequin.glb");
    let scene = Scene::open(path).expect("opens");
    let floor = |scene: Scene| Viewer::new(scene, Display::default(), 1.6).picture().floor.expect("a floor");
    assert_eq!(floor(scene.clone()).height, 0.0);
    let hips = scene.skeleton.joints().iter().position(|joint| joint.kind == Kind::Free).expect("free hips");
    let height = scene.skeleton.frames(&scene.start)[hips].position.y;
    let up = scene.skeleton.rest_frame(hips, Isometry::IDENTITY).rotation.conjugate() * DVec3::Y;
    for (sunk, expected) in [(0.02, 0.0), (0.1, 0.0), (1.0, -height)] {
        let mut sinking = scene.clone();
        let (place, rotation) = (sinking.start[hips].free_position(), sinking.start[hips].free_rotation());
        sinking.start[hips] = Coordinates::free(place - up * (sunk * height), rotation);
        let found = f64::from(floor(sinking).height);
        assert!((found - expected).abs() < 0.1 * height, "sunk by {sunk}: {found}");
    }
}
