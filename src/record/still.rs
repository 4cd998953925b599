//! Records a single picture as PNG.

use super::error::RecordError;
use super::options::Options;
use super::png::{draft, write_png};
use super::studio::Studio;
use crate::render::Samples;
use crate::view::frame::Quality;

/// Time step of the session before the picture, seconds.
const STEP: f64 = 1.0 / 60.0;
/// Longest time until the picture is taken although something still moves, seconds.
const MAX_WAIT: f64 = 10.0;

/// Runs the session until nothing moves, or for the requested time, and saves its picture.
pub(super) fn record(options: Options) -> Result<(), RecordError> {
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
