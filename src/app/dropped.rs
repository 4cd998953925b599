//! Files that are dropped on the window: a scene, and a motion in it.

use super::application::App;
use super::dialog::{Dialog, FileDialogKind, Leaving};
use super::kept::holds;
use fabrik3d_scene::Content;
use fabrik3d_viewer::hud::file_name;
use std::path::{Path, PathBuf};

impl App {
    /// Opens the files that were dropped on the window: a scene, and a motion in that scene.
    pub(super) fn open_dropped(&mut self) {
        if self.files.dropped.is_empty() {
            return;
        }
        self.files.hovered.clear();
        let Dropped { scene, motion, others } = Dropped::sorted(std::mem::take(&mut self.files.dropped));
        let present = self.viewer.session().scene();
        match (scene, motion) {
            // A recording on a character with a body.
            (Some(recording), None) if is_recording(&recording) && present.assets.source.is_some() => {
                match self.files.asks {
                    true => self.dialog = Dialog::Recording(present.name.clone(), recording),
                    false => self.apply(FileDialogKind::Motion.command(recording)),
                }
            }
            (Some(scene), motion) => self.leave(Leaving::Open { scene, motion }),
            (None, Some(motion)) => self.apply(FileDialogKind::Motion.command(motion)),
            (None, None) => {}
        }
        if !others.is_empty() {
            let names = others.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", ");
            self.toasts.warned(format!("Only one scene and one motion can be opened at a time. Ignored: {names}"));
        }
        self.request_redraw();
    }
}

/// Whether a file is a recording of a figure without a body.
fn is_recording(file: &Path) -> bool {
    holds(file, Content::Motion) && !holds(file, Content::Scene)
}

/// Dropped files, sorted by use.
#[derive(Debug, Default, PartialEq)]
struct Dropped {
    scene: Option<PathBuf>,
    motion: Option<PathBuf>,
    others: Vec<PathBuf>,
}

impl Dropped {
    /// Tables are motions. The first other file is the scene. A BVH file is a motion, or the scene if there is no
    /// other.
    fn sorted(files: Vec<PathBuf>) -> Self {
        let (tables, scenes): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| holds(file, Content::Targets));
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
