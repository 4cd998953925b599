//! Records a picture as PNG or a film, depending on the file extension.

use super::error::RecordError;
use super::film;
use super::png::{draft, write_png};
use super::studio::{Options, Studio};
use crate::render::Samples;
use crate::view::frame::Quality;
use fabrik3d_scene::extension;

/// Time step of the session before the picture, seconds.
const STEP: f64 = 1.0 / 60.0;
/// Longest time until the picture is taken although something still moves, seconds.
const MAX_WAIT: f64 = 10.0;

/// Records a picture or a film. Calls `progress` with the number of finished frames and the total. The
/// interrupt of the scene's settings cancels.
pub fn run(options: Options, progress: &mut dyn FnMut(u64, u64)) -> Result<(), RecordError> {
    match extension(&options.out).as_str() {
        "png" => still(options),
        "gif" | "mp4" => film::record(options, progress),
        _ => Err(RecordError::Extension(options.out)),
    }
}

/// Runs the session until nothing moves, or for the requested time, and saves its picture.
fn still(options: Options) -> Result<(), RecordError> {
    let (out, interrupt) = (options.out.clone(), options.scene.settings.interrupt);
    // Fail before the work rather than after it.
    let file = draft(&out)?;
    let seconds = options.seconds;
    let mut studio = Studio::new(options, 2, Quality::Fine, Samples::Four)?;
    // A playing motion never stops: take its first picture.
    let seconds = seconds.or(studio.motion_seconds().map(|_| STEP));
    let mut time = 0.0;
    while seconds.map_or(time < MAX_WAIT && !(time > 0.0 && studio.at_rest()), |seconds| time + 1e-9 < seconds) {
        if interrupt.is_requested() {
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
