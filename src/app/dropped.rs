//! Files that are dropped on the window: a scene, and a motion in it; what is neither opens the dialog for a scene.

use super::application::App;
use super::dialog::{Dialog, FileDialogKind, Leaving};
use fabrik3d_scene::FileFormat;
use fabrik3d_viewer::dropped::{Dropped, is_recording};
use fabrik3d_viewer::hud::file_name;

impl App {
    /// Opens the files that were dropped on the window: a scene, and a motion in that scene. If there is nothing to open, the
    /// dialog says so and offers what there is.
    pub(super) fn open_dropped(&mut self) {
        if self.files.dropped.is_empty() {
            return;
        }
        self.files.hovered.clear();
        // What is dropped is what somebody wanted to choose.
        if self.dialog.shows_examples() {
            self.dialog = Dialog::Closed;
        }
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
            (Some(file), _) if self.files.asks && FileFormat::of(&file).is_none() => self.dialog.refuse(file),
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
