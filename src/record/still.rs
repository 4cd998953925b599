//! One picture as a PNG.

use super::studio::Studio;
use super::{Options, RecordError};
use crate::render::Samples;
use crate::scene::{Format, Scene};
use crate::view::frame::Quality;
use image::RgbaImage;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::NamedTempFile;

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct SaveError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub reason: String,
}

/// Time step of the session before the picture.
const STEP: f64 = 1.0 / 60.0;
/// Longest time that a picture waits for everything to come to rest.
const PATIENCE: f64 = 10.0;

/// Lets the session run, until it rests or for the time asked for, and takes its picture.
pub(super) fn record(options: Options, stop: &AtomicBool) -> Result<(), RecordError> {
    let out = options.out.clone();
    // Fail before the work, not after it.
    let file = temporary(&out)?;
    let seconds = options.seconds;
    let mut studio = Studio::new(options, 2, Quality::Fine, Samples::Four)?;
    // A recording that plays never comes to rest: its picture is that of its beginning.
    let seconds = seconds.or(studio.motion_seconds().map(|_| STEP));
    let mut time = 0.0;
    while seconds.map_or(time < PATIENCE && !(time > 0.0 && studio.at_rest()), |seconds| time + 1e-9 < seconds) {
        if stop.load(Ordering::Relaxed) {
            return Err(RecordError::Interrupted);
        }
        if studio.tick(STEP)? {
            break;
        }
        time += STEP;
    }
    write_png(file, &out, &studio.picture()?)?;
    studio.finish()
}

/// Writes a picture; the file appears under its name only when it is complete.
pub fn save_png(path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    write_png(temporary(path)?, path, image)
}

/// Writes a scene as TOML or JSON, as the file's extension says; what has none becomes TOML. Where it was written to.
pub fn save_scene(path: &Path, scene: &Scene) -> Result<PathBuf, SaveError> {
    let path = if path.extension().is_none() { path.with_extension("toml") } else { path.to_owned() };
    let text = match Format::of(&path) {
        Some(Format::Toml) => scene.to_toml(),
        Some(Format::Json) => scene.to_json(),
        None => return Err(SaveError { path, reason: "scenes are saved as .toml or .json".to_owned() }),
    };
    save_text(&path, &text)?;
    Ok(path)
}

/// Writes a text file; it appears, or replaces another, only when it is complete.
pub fn save_text(path: &Path, text: &str) -> Result<(), SaveError> {
    let mut file = temporary(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all());
    written.map_err(|error| SaveError { path: path.to_owned(), reason: plain(&error) })?;
    keep(file, path)
}

fn write_png(mut file: NamedTempFile, path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    let fail = |reason: String| SaveError { path: path.to_owned(), reason };
    let mut writer = BufWriter::new(&mut file);
    // Pictures are opaque: three channels are enough, and what slides and papers expect.
    let opaque = image::DynamicImage::ImageRgba8(image.clone()).into_rgb8();
    let encoder = image::codecs::png::PngEncoder::new(&mut writer);
    opaque.write_with_encoder(encoder).map_err(|error| fail(plain(&error)))?;
    writer.flush().map_err(|error| fail(plain(&error)))?;
    drop(writer);
    keep(file, path)
}

/// What the system says at the root of an error, without the name of the file that is written in the meantime.
pub(super) fn plain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    // The file in the meantime is nobody's business; the error about it names the one that was asked for.
    let text = root.to_string();
    text.split(" at path ").next().unwrap_or_default().to_owned()
}

/// A file beside `path` that goes away unless it is kept.
pub(super) fn temporary(path: &Path) -> Result<NamedTempFile, SaveError> {
    let fail = |reason: String| SaveError { path: path.to_owned(), reason };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(fail("it is a folder".to_owned()));
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let suffix = format!(".{extension}");
    let builder = tempfile::Builder::new().prefix(".fabrik3d-").suffix(&suffix).tempfile_in(folder);
    builder.map_err(|error| fail(plain(&error)))
}

/// Gives a complete file its name.
pub(super) fn keep(file: NamedTempFile, path: &Path) -> Result<(), SaveError> {
    let fail = |reason: String| SaveError { path: path.to_owned(), reason };
    #[cfg(unix)]
    {
        // Temporary files are private to the user; results get the usual rights.
        use std::os::unix::fs::PermissionsExt;
        let rights = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(rights).map_err(|error| fail(plain(&error)))?;
    }
    file.persist(path).map(drop).map_err(|error| fail(plain(&error.error)))
}
