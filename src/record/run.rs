//! Records a picture or a film, depending on the file extension.

use super::error::RecordError;
use super::options::Options;
use super::{film, still};
use fabrik3d_scene::extension;
use std::sync::atomic::AtomicBool;

/// Records a picture or a film. Calls `progress` with the number of finished frames and the total; setting `stop`
/// cancels.
pub fn run(options: Options, progress: &mut dyn FnMut(u64, u64), stop: &AtomicBool) -> Result<(), RecordError> {
    match extension(&options.out).as_str() {
        "png" => still::record(options, stop),
        "gif" | "mp4" => film::record(options, progress, stop),
        _ => Err(RecordError::Extension(options.out)),
    }
}
