//! MJCF.

mod equalities;
mod frames;
mod told;

use fabrik3d_scene::{OpenOptions, Scene};

fn try_open(text: &str) -> Result<Scene, String> {
    Scene::from_bytes(text.as_bytes().to_vec(), "robot.xml", &OpenOptions::default()).map_err(|error| error.to_string())
}

fn open(text: &str) -> Scene {
    try_open(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A model of bodies in the world.
fn world(bodies: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{bodies}\n</worldbody>\n</mujoco>")
}

fn body(scene: &Scene, name: &str) -> usize {
    scene.assets.links.iter().find(|(link, _)| link == name).unwrap_or_else(|| panic!("{name}")).1
}

/// A model with two slides and a hinge, for ties between them.
fn tied(ties: &str) -> String {
    format!(
        "<mujoco><compiler angle=\"radian\"/><worldbody>\
         <body name=\"a\" pos=\"0.1 0.2 0.3\" euler=\"0.4 0.5 0.6\"><joint name=\"x\" type=\"slide\" ref=\"0.3\" range=\"-1 1\"/>\
         <joint name=\"y\" axis=\"0 1 0\" ref=\"0.2\" pos=\"0.1 0 0\"/><site name=\"s\" pos=\"0.5 0.6 0.7\" zaxis=\"1 1 0\"/></body>\
         <body name=\"b\" pos=\"1 2 3\" euler=\"0.1 0.2 0.3\"><joint name=\"z\" type=\"slide\" axis=\"1 0 0\"/>\
         <joint name=\"w\" axis=\"1 0 0\"/><site name=\"t\" pos=\"0.1 0.2 0.3\"/></body>\
         </worldbody>{ties}</mujoco>"
    )
}
