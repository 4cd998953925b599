//! Writing pictures as PNG.

use fabrik3d_scene::FileDraft;
use image::RgbaImage;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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

/// Writes a picture; the file appears under its name only when it is complete.
pub fn save_png(path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    write_png(draft(path)?, path, image)
}

pub(super) fn write_png(mut file: FileDraft, path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
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
