//! Records a picture as PNG or a film, depending on the file extension.

use super::error::{RecordError, SaveError};
use super::film::{Film, FilmFormat};
use super::studio::{Options, Studio, scaled, write_png};
use crate::render::Samples;
use fabrik3d_scene::{FileDraft, extension};
use fabrik3d_viewer::session::numbers::FRAME;
use fabrik3d_viewer::view::frame::Quality;

/// Longest time until the picture is taken, or the film ends, although something still moves, seconds.
const MAX_WAIT: f64 = 10.0;
/// Maximum duration of a film, seconds.
const MAX_SECONDS: f64 = 86400.0;
/// Tolerance for the rounding of time sums at the end of a clip, after which it would start again, seconds.
const ROUNDING: f64 = 1e-6;
/// Time that a film continues after nothing moves any more, seconds.
const REST: f64 = 0.5;

/// Records a picture or a film. Calls `progress` with the number of finished frames and the total. The
/// interrupt of the scene's settings cancels.
pub fn run(options: Options, progress: &mut dyn FnMut(u64, u64)) -> Result<(), RecordError> {
    match extension(&options.out).as_str() {
        "png" => still(options),
        _ => film(options, progress),
    }
}

/// Runs the session until nothing moves, or for the requested time, and saves its picture.
fn still(options: Options) -> Result<(), RecordError> {
    let (out, interrupt) = (options.out.clone(), options.scene.settings.interrupt);
    // Fail before the work rather than after it.
    let file = FileDraft::new(&out).map_err(SaveError::at(&out))?;
    let seconds = options.seconds;
    let mut studio = Studio::new(options, Quality::Fine, Samples::Four)?;
    // A playing motion never stops: take its first picture.
    let seconds = seconds.or(studio.motion_seconds().map(|_| FRAME));
    let mut time = 0.0;
    while seconds.map_or(time < MAX_WAIT && !(time > 0.0 && studio.at_rest()), |seconds| time + 1e-9 < seconds) {
        if interrupt.is_requested() {
            return Err(RecordError::Interrupted);
        }
        if studio.tick(FRAME)? {
            break;
        }
        time += FRAME;
    }
    write_png(file, &out, &studio.picture()?)?;
    studio.finish()
}

fn film(options: Options, progress: &mut dyn FnMut(u64, u64)) -> Result<(), RecordError> {
    let (out, interrupt) = (options.out.clone(), options.scene.settings.interrupt);
    let format = FilmFormat::of(&out)?;
    let fps = options.fps.unwrap_or(format.fps);
    let (requested, script) = (options.seconds, options.script.duration());
    // Fail before the work rather than after it.
    let mut film = Film::start(format, &out, scaled(options.size, options.scale), fps)?;
    let mut studio = Studio::new(options, Quality::Fast, Samples::One)?;
    // A playing motion never stops: record it once from start to end.
    let motion = studio.motion_seconds().map(|motion| motion.max(script));
    let seconds = requested.or(motion).unwrap_or(script + 2.0).min(MAX_SECONDS);
    let until_rest = requested.is_none() && motion.is_none();
    let is_clip = motion.is_some() && requested.is_none();
    // Include the end of a clip, even if the last frame is shorter.
    let total = if is_clip { (seconds * fps - ROUNDING).ceil() } else { (seconds * fps).round() }.max(1.0) as u64;
    let mut frame = 0;
    let mut rested = 0.0;
    while frame < total || (until_rest && rested < REST && (frame as f64) < fps * (seconds + MAX_WAIT)) {
        if interrupt.is_requested() {
            return Err(RecordError::Interrupted);
        }
        let step = if is_clip { (seconds - ROUNDING - frame as f64 / fps).min(1.0 / fps) } else { 1.0 / fps };
        let quit = studio.tick(step)?;
        film.add(studio.picture()?)?;
        frame += 1;
        rested = if studio.at_rest() { rested + 1.0 / fps } else { 0.0 };
        progress(frame, total.max(frame));
        if quit {
            break;
        }
    }
    film.finish()?;
    studio.finish()
}
