//! The scenes that come with the program: opened as `example:NAME` wherever a scene file can be named.

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

/// The text of the example that a path stands for: none where it is an ordinary path, an error with the names that there
/// are where there is no such example.
pub(super) fn text(path: &str) -> Option<Result<&'static str, String>> {
    let name = path.strip_prefix(PREFIX)?;
    let found = EXAMPLES.iter().find(|(other, _)| *other == name).map(|(_, text)| *text);
    let names = || EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    Some(found.ok_or_else(|| format!("the examples are {}", names())))
}
