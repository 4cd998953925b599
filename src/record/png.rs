//! PNG files.

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
    /// The message of the system.
    pub reason: String,
}

impl SaveError {
    pub(super) fn new(path: &Path, error: &(dyn std::error::Error + 'static)) -> Self {
        SaveError { path: path.to_owned(), reason: root_cause(error) }
    }
}

/// Creates a temporary file that gets its name when it is complete.
pub(super) fn draft(path: &Path) -> Result<FileDraft, SaveError> {
    FileDraft::new(path).map_err(|error| SaveError::new(path, &error))
}

/// Saves a picture. The file appears only once it is complete.
pub fn save_png(path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    write_png(draft(path)?, path, image)
}

/// Writes a picture to a temporary file and gives it its name.
pub(super) fn write_png(mut file: FileDraft, path: &Path, image: &RgbaImage) -> Result<(), SaveError> {
    let fail = |reason: String| SaveError { path: path.to_owned(), reason };
    let mut writer = BufWriter::new(&mut file);
    // Pictures are opaque: three channels are enough, and more widely supported.
    let opaque = image::DynamicImage::ImageRgba8(image.clone()).into_rgb8();
    let encoder = image::codecs::png::PngEncoder::new(&mut writer);
    opaque.write_with_encoder(encoder).map_err(|error| fail(root_cause(&error)))?;
    writer.flush().map_err(|error| fail(root_cause(&error)))?;
    drop(writer);
    file.keep().map_err(|error| SaveError::new(path, &error))
}

/// The message of the root cause of an error.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}
