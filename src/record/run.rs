//! Records a picture or a film, depending on the file extension.

use super::error::RecordError;
use super::options::Options;
use super::{film, still};
use fabrik3d_scene::extension;

/// Records a picture or a film. Calls `progress` with the number of finished frames and the total. The
/// interrupt of the scene's settings cancels.
pub fn run(options: Options, progress: &mut dyn FnMut(u64, u64)) -> Result<(), RecordError> {
    match extension(&options.out).as_str() {
        "png" => still::record(options),
        "gif" | "mp4" => film::record(options, progress),
        _ => Err(RecordError::Extension(options.out)),
    }
}
