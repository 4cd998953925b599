//! The scenes that come with the program: opened as `example:NAME` wherever a scene file can be named.

use fabrik3d_scene::{OpenOptions, Scene, SceneError, Syntax};
use std::path::Path;

/// Name and text (TOML) of each, in the order in which they are best looked at.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("demo", include_str!("../../assets/scenes/demo.toml")),
    ("seed-arm", include_str!("../../assets/scenes/seed-arm.toml")),
    ("four-joints", include_str!("../../assets/scenes/four-joints.toml")),
    ("tentacle", include_str!("../../assets/scenes/tentacle.toml")),
    ("rope", include_str!("../../assets/scenes/rope.toml")),
    ("tree", include_str!("../../assets/scenes/tree.toml")),
    ("crowd", include_str!("../../assets/scenes/crowd.toml")),
    ("human-arm", include_str!("../../assets/scenes/human-arm.toml")),
    ("hand", include_str!("../../assets/scenes/hand.toml")),
    ("humanoid", include_str!("../../assets/scenes/humanoid.toml")),
    ("spider", include_str!("../../assets/scenes/spider.toml")),
    ("hexapod", include_str!("../../assets/scenes/hexapod.toml")),
    ("robot-arm", include_str!("../../assets/scenes/robot-arm.toml")),
    ("gripper", include_str!("../../assets/scenes/gripper.toml")),
    ("crane", include_str!("../../assets/scenes/crane.toml")),
    ("two-arms", include_str!("../../assets/scenes/two-arms.toml")),
    ("four-bar", include_str!("../../assets/scenes/four-bar.toml")),
    ("stewart", include_str!("../../assets/scenes/stewart.toml")),
    ("obstacles", include_str!("../../assets/scenes/obstacles.toml")),
];

/// What stands before an example's name in place of a file.
pub const PREFIX: &str = "example:";

/// Opens a scene file, or the example that a path of the form `example:NAME` stands for.
///
/// # Errors
/// As [`Scene::open_with`]; the message for an unknown example lists those that exist.
pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Scene, SceneError> {
    let path = path.as_ref();
    let origin = path.to_string_lossy();
    let Some(name) = origin.strip_prefix(PREFIX) else { return Scene::open_with(path, options) };
    let Some((_, text)) = EXAMPLES.iter().find(|(other, _)| *other == name) else {
        let names = EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err(
            SceneError::new(origin.as_ref(), "there is no such example").with_hint(format!("the examples are {names}"))
        );
    };
    Scene::parse_with(text, Syntax::Toml, &origin, options)
}

/// The scene that the viewer opens when it is given none.
pub fn demo() -> Scene {
    let (name, text) = EXAMPLES[0];
    // The text is part of the program; a test opens it.
    Scene::parse(text, Syntax::Toml, name).unwrap_or_else(|error| unreachable!("{error}"))
}
