//! Films: GIF with our own writer, MP4 through ffmpeg. Only one frame is in memory.

use super::error::RecordError;
use super::ffmpeg::{Ffmpeg, is_complete};
use super::gif::GifFilm;
use super::png::{SaveError, draft};
use super::studio::{Options, Studio};
use crate::render::Samples;
use crate::view::frame::Quality;
use fabrik3d_scene::FileDraft;
use image::RgbaImage;
use std::path::Path;

/// Maximum duration of a film, seconds.
const MAX_SECONDS: f64 = 86400.0;
/// Additional time until a film ends although something still moves, seconds.
const MAX_WAIT: f64 = 10.0;
/// Tolerance for the rounding of time sums at the end of a clip, after which it would start again, seconds.
const ROUNDING: f64 = 1e-6;
/// Time that a film continues after nothing moves any more, seconds.
const REST: f64 = 0.5;

/// Records a film.
pub(super) fn record(options: Options, progress: &mut dyn FnMut(u64, u64)) -> Result<(), RecordError> {
    let (out, interrupt) = (options.out.clone(), options.scene.settings.interrupt);
    let kind = FilmKind::of(&out)?;
    let fps = options.fps.unwrap_or(kind.default_fps());
    let (requested, script) = (options.seconds, options.script.duration());
    let size = options.size;
    let file = draft(&out)?;
    let mut studio = Studio::new(options, 2, Quality::Fast, Samples::One)?;
    // A playing motion never stops: record it once from start to end.
    let motion = studio.motion_seconds().map(|motion| motion.max(script));
    let seconds = requested.or(motion).unwrap_or(script + 2.0).min(MAX_SECONDS);
    let until_rest = requested.is_none() && motion.is_none();
    let is_clip = motion.is_some() && requested.is_none();
    // Include the end of a clip, even if the last frame is shorter.
    let total = if is_clip { (seconds * fps - ROUNDING).ceil() } else { (seconds * fps).round() }.max(1.0) as u64;
    let mut film = Film::start(kind, file, size, fps)?;
    let mut frame = 0;
    let mut rested = 0.0;
    loop {
        let within = frame < total || (until_rest && rested < REST && (frame as f64) < fps * (seconds + MAX_WAIT));
        if !within {
            break;
        }
        if interrupt.is_requested() {
            return Err(RecordError::Interrupted);
        }
        let step = if is_clip { (seconds - ROUNDING - frame as f64 / fps).min(1.0 / fps) } else { 1.0 / fps };
        let quit = studio.tick(step)?;
        film.add(studio.picture()?, &out)?;
        frame += 1;
        rested = if studio.at_rest() { rested + 1.0 / fps } else { 0.0 };
        progress(frame, total.max(frame));
        if quit {
            break;
        }
    }
    film.finish(&out)?;
    studio.finish()
}

/// File formats of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilmKind {
    Gif,
    Mp4,
}

impl FilmKind {
    /// The format for a file extension.
    pub fn of(path: &Path) -> Result<Self, RecordError> {
        match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
            extension if extension.eq_ignore_ascii_case("gif") => Ok(FilmKind::Gif),
            extension if extension.eq_ignore_ascii_case("mp4") => Ok(FilmKind::Mp4),
            _ => Err(RecordError::Extension(path.to_owned())),
        }
    }

    /// Default frames per second.
    pub fn default_fps(self) -> f64 {
        match self {
            FilmKind::Gif => 25.0,
            FilmKind::Mp4 => 30.0,
        }
    }
}

/// A film being written to a temporary file.
pub(super) enum Film {
    Gif {
        film: Box<GifFilm>,
        file: FileDraft,
    },
    /// The process is dropped before the file.
    Mp4 {
        ffmpeg: Ffmpeg,
        file: FileDraft,
    },
}

fn save_error(path: &Path, reason: impl ToString) -> RecordError {
    SaveError { path: path.to_owned(), reason: reason.to_string() }.into()
}

impl Film {
    /// Starts a film with the given frame size.
    pub fn start(kind: FilmKind, file: FileDraft, size: (u32, u32), fps: f64) -> Result<Self, RecordError> {
        Ok(match kind {
            FilmKind::Gif => {
                let writer = file.reopen().map_err(|error| save_error(file.path(), error))?;
                let film = GifFilm::new(writer, size, fps).map_err(|error| save_error(file.path(), error))?;
                Film::Gif { film: Box::new(film), file }
            }
            FilmKind::Mp4 => Film::Mp4 { ffmpeg: Ffmpeg::start(file.path(), size, fps)?, file },
        })
    }

    /// Adds a frame.
    pub fn add(&mut self, image: RgbaImage, out: &Path) -> Result<(), RecordError> {
        match self {
            Film::Gif { film, .. } => film.add(image).map_err(|error| save_error(out, error)),
            Film::Mp4 { ffmpeg, .. } => ffmpeg.add(image.as_raw()),
        }
    }

    /// Completes the film and gives the file its name.
    pub fn finish(self, out: &Path) -> Result<(), RecordError> {
        let file = match self {
            Film::Gif { film, file } => {
                film.finish().map_err(|error| save_error(out, error))?;
                file
            }
            Film::Mp4 { ffmpeg, file } => {
                let (status, message) = ffmpeg.finish().map_err(|error| RecordError::Ffmpeg(error.to_string()))?;
                let complete = file.reopen().and_then(|mut file| is_complete(&mut file));
                if !status.success() || !complete.map_err(|error| save_error(out, error))? {
                    let [temporary, name] = [file.path(), out].map(|path| path.display().to_string());
                    return Err(RecordError::Ffmpeg(message.replace(&temporary, &name)));
                }
                file
            }
        };
        file.keep().map_err(|error| SaveError::new(out, &error).into())
    }
}
