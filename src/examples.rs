//! The example scenes. `example:NAME` opens one wherever a scene file is accepted, also in the viewer.

use fabrik3d_scene::{OpenOptions, Scene, SceneError, Syntax};
use std::path::Path;
use std::sync::LazyLock;

/// Name and TOML text of each example, in the recommended viewing order.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("demo", include_str!("../assets/scenes/demo.toml")),
    ("seed-arm", include_str!("../assets/scenes/seed-arm.toml")),
    ("four-joints", include_str!("../assets/scenes/four-joints.toml")),
    ("tentacle", include_str!("../assets/scenes/tentacle.toml")),
    ("rope", include_str!("../assets/scenes/rope.toml")),
    ("tree", include_str!("../assets/scenes/tree.toml")),
    ("crowd", include_str!("../assets/scenes/crowd.toml")),
    ("human-arm", include_str!("../assets/scenes/human-arm.toml")),
    ("hand", include_str!("../assets/scenes/hand.toml")),
    ("humanoid", include_str!("../assets/scenes/humanoid.toml")),
    ("spider", include_str!("../assets/scenes/spider.toml")),
    ("hexapod", include_str!("../assets/scenes/hexapod.toml")),
    ("robot-arm", include_str!("../assets/scenes/robot-arm.toml")),
    ("gripper", include_str!("../assets/scenes/gripper.toml")),
    ("crane", include_str!("../assets/scenes/crane.toml")),
    ("two-arms", include_str!("../assets/scenes/two-arms.toml")),
    ("four-bar", include_str!("../assets/scenes/four-bar.toml")),
    ("stewart", include_str!("../assets/scenes/stewart.toml")),
    ("obstacles", include_str!("../assets/scenes/obstacles.toml")),
    ("keep-clear", include_str!("../assets/scenes/keep-clear.toml")),
];

/// Prefix that marks the name of an example instead of a file path.
pub const PREFIX: &str = "example:";

/// Opens a scene file or, for a path of the form `example:NAME`, an example.
///
/// # Errors
/// As [`Scene::open_with`]. The message for an unknown example lists the known ones.
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

/// The scene that the viewer opens without a file.
pub fn demo() -> Scene {
    let (name, text) = EXAMPLES[0];
    // The text is part of the program, and a test parses it.
    Scene::parse(text, Syntax::Toml, name).unwrap_or_else(|error| unreachable!("{error}"))
}

/// What opens each example, and its title.
pub fn titles() -> &'static [(String, String)] {
    static TITLES: LazyLock<Vec<(String, String)>> = LazyLock::new(read_titles);
    &TITLES
}

/// What each example is, as one sentence: the first of its text.
pub fn summaries() -> &'static [String] {
    static SUMMARIES: LazyLock<Vec<String>> =
        LazyLock::new(|| EXAMPLES.iter().map(|(_, text)| first_sentence(text)).collect());
    &SUMMARIES
}

fn first_sentence(text: &str) -> String {
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
    let whole = comment.join(" ");
    whole.split_once(". ").map_or(whole.trim_end_matches('.'), |(first, _)| first).to_owned() + "."
}

fn read_titles() -> Vec<(String, String)> {
    let title =
        |text: &str| text.lines().find_map(|line| Some(line.strip_prefix("name = ")?.trim_matches('"').to_owned()));
    EXAMPLES.iter().map(|(name, text)| (format!("{PREFIX}{name}"), title(text).unwrap_or_default())).collect()
}
