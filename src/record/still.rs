//! One picture as a PNG.

use super::studio::Studio;
use super::{Options, RecordError};
use crate::render::Samples;
use crate::view::frame::Quality;
use fabrik3d_scene::FileDraft;
use image::RgbaImage;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct SaveError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub reason: String,
}

impl SaveError {
    pub(super) fn new(path: &Path, error: &(dyn std::error::Error + 'static)) -> Self {
        SaveError { path: path.to_owned(), reason: plain(error) }
    }
}

/// Begins a file.
pub(super) fn draft(path: &Path) -> Result<FileDraft, SaveError> {
    FileDraft::new(path).map_err(|error| SaveError::new(path, &error))
}

/// Time step of the session before the picture.
const STEP: f64 = 1.0 / 60.0;
/// Longest time that a picture waits for everything to come to rest.
const PATIENCE: f64 = 10.0;

/// Lets the session run, until it rests or for the time asked for, and takes its picture.
pub(super) fn record(options: Options, stop: &AtomicBool) -> Result<(), RecordError> {
    let out = options.out.clone();
    // Fail before the work, not after it.
    let file = draft(&out)?;
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
    write_png(draft(path)?, path, image)
}

fn write_png(mut file: FileDraft, path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    let fail = |reason: String| SaveError { path: path.to_owned(), reason };
    let mut writer = BufWriter::new(&mut file);
    // Pictures are opaque: three channels are enough, and what slides and papers expect.
    let opaque = image::DynamicImage::ImageRgba8(image.clone()).into_rgb8();
    let encoder = image::codecs::png::PngEncoder::new(&mut writer);
    opaque.write_with_encoder(encoder).map_err(|error| fail(plain(&error)))?;
    writer.flush().map_err(|error| fail(plain(&error)))?;
    drop(writer);
    file.keep().map_err(|error| SaveError::new(path, &error))
}

/// What the system says at the root of an error.
fn plain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}
