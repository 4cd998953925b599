//! What a fault of the program must not lose: the scene with its changes, and the film so far.

use super::application::App;
use super::dialog::name_to_save;
use super::environment::FAILED;
use super::files::{free_path, saved};
use super::kept::copy_limits;
use crate::record::leave;
use fabrik3d_scene::{SceneError, printable};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Runs the window. If the program panics there, saves what would be lost and ends the program.
pub(super) fn guarded<T>(app: &mut App, run: impl FnOnce(&mut App) -> T) -> T {
    // What the panic left half done is only read, by steps that may panic themselves.
    catch_unwind(AssertUnwindSafe(|| run(app))).unwrap_or_else(|_| {
        let steps: [fn(&mut App); 3] = [App::save_beside, App::finish_film, App::flush_trace];
        for step in steps {
            let _ = catch_unwind(AssertUnwindSafe(|| step(app)));
        }
        leave(FAILED)
    })
}

impl App {
    /// Saves a scene with changes in a new file beside its own, and says where.
    fn save_beside(&mut self) {
        if !self.viewer.session().has_changes(true) {
            return;
        }
        let text = match self.saved_beside() {
            Ok(path) => format!("{}: the scene with its changes", saved(&path)),
            Err(error) => format!("the scene with its changes is not saved: {error}"),
        };
        // The reader of standard error may have ended too.
        let _ = writeln!(io::stderr(), "note: {}", printable(&text));
    }

    /// The file is of the kind that the dialog suggests, or a scene file where such a file cannot be written.
    fn saved_beside(&self) -> Result<PathBuf, SceneError> {
        let scene = self.viewer.scene_now();
        let name = PathBuf::from(name_to_save(self.files.file.as_deref()));
        let folder = self.files.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let path = scene.save(&rescued(folder, &name)).or_else(|error| match name.extension() {
            Some(extension) if extension != "toml" => scene.save(&rescued(folder, &name.with_extension("toml"))),
            _ => Err(error),
        })?;
        if let Err(reason) = copy_limits(&self.viewer, &path) {
            let _ = writeln!(io::stderr(), "warning: {}", printable(&reason));
        }
        Ok(path)
    }
}

/// An unused name like this one.
fn rescued(folder: &Path, name: &Path) -> PathBuf {
    let [stem, extension] = [name.file_stem(), name.extension()].map(|part| part.unwrap_or_default().to_string_lossy());
    free_path(folder, |number| match number {
        1 => format!("{stem}-rescued.{extension}"),
        _ => format!("{stem}-rescued-{number}.{extension}"),
    })
}
