//! The value of `--keep-clear`.

use fabrik3d_scene::{Scene, bounded_number};
use std::str::FromStr;

/// The distance that links keep where the targets leave the freedom to, at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginArgument(f64);

impl MarginArgument {
    /// Lets the links of a scene keep clear, by a margin if one is given.
    pub fn apply(margin: Option<Self>, scene: &mut Scene) {
        scene.margin = margin.map(|MarginArgument(margin)| margin).or(scene.margin);
        scene.set_keep_clear(true);
    }
}

impl FromStr for MarginArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let margin = bounded_number(text).filter(|margin| *margin >= 0.0);
        margin.map(MarginArgument).ok_or("expected a distance that is not negative, for example 0.02")
    }
}
