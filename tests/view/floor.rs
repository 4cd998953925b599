//! The floor lets a figure be seen that reaches below it, and stays at the base of an arm.

use fabrik3d::session::Command;
use fabrik3d::view::{Display, HeldKeys, Modifiers, Viewer};
use fabrik3d_scene::Scene;
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
