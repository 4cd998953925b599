//! A picture or a film, by the extension of the file.

use super::error::RecordError;
use super::options::Options;
use super::{film, still};
use fabrik3d_scene::extension;
use std::sync::atomic::AtomicBool;

/// Records a picture or a film. `progress` hears how many frames are done, and of how many; `stop` ends it early.
pub fn run(options: Options, progress: &mut dyn FnMut(u64, u64), stop: &AtomicBool) -> Result<(), RecordError> {
    match extension(&options.out).as_str() {
        "png" => still::record(options, stop),
        "gif" | "mp4" => film::record(options, progress, stop),
        _ => Err(RecordError::Extension(options.out)),
    }
}
