//! Files that are dropped on a viewer: a scene, and a motion in it.

use fabrik3d_scene::{Content, FileFormat, extension};
use std::path::{Path, PathBuf};

/// Whether a file is a recording of a figure without a body.
pub fn is_recording(file: &Path) -> bool {
    holds(file, Content::Motion) && !holds(file, Content::Scene)
}

/// Whether files of this format contain this kind of content.
fn holds(file: &Path, content: Content) -> bool {
    FileFormat::of(file).is_some_and(|format| format.holds(content))
}

/// Dropped files, sorted by use.
#[derive(Debug, Default, PartialEq)]
pub struct Dropped {
    /// What opens as the scene.
    pub scene: Option<PathBuf>,
    /// What moves the figure of that scene, or of the one that is open.
    pub motion: Option<PathBuf>,
    /// The rest.
    pub others: Vec<PathBuf>,
}

impl Dropped {
    /// Tables are motions, but not a `.txt`, which may be anything. The first other file is the scene. A BVH file is a motion, or the scene if there is no
    /// other.
    #[must_use]
    pub fn sorted(files: Vec<PathBuf>) -> Self {
        let (tables, scenes): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| holds(file, Content::Targets) && extension(file) != "txt");
        let (recordings, scenes): (Vec<PathBuf>, Vec<PathBuf>) =
            scenes.into_iter().partition(|file| is_recording(file));
        let mut scenes = scenes.into_iter();
        let mut recordings = recordings.into_iter();
        let scene = scenes.next().or_else(|| recordings.next());
        let mut motions = tables.into_iter().chain(recordings);
        let motion = motions.next();
        Dropped { scene, motion, others: scenes.chain(motions).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_files_that_are_dropped_together_a_scene_is_opened_and_a_motion_in_it() {
        for (files, scene, motion, others) in [
            ("arm.urdf", "arm.urdf", "", ""),
            ("walk.BVH", "walk.BVH", "", ""),
            ("path.csv", "", "path.csv", ""),
            ("walk.bvh man.glb", "man.glb", "walk.bvh", ""),
            ("a.toml b.toml path.npy walk.bvh", "a.toml", "path.npy", "b.toml walk.bvh"),
            ("a.bvh b.bvh c.bvh", "a.bvh", "b.bvh", "c.bvh"),
            ("no-extension readme.txt", "no-extension", "", "readme.txt"),
        ] {
            let list = |names: &str| names.split_whitespace().map(PathBuf::from).collect::<Vec<_>>();
            let one = |name: &str| list(name).pop();
            let wanted = Dropped { scene: one(scene), motion: one(motion), others: list(others) };
            assert_eq!(Dropped::sorted(list(files)), wanted, "{files}");
        }
    }
}
