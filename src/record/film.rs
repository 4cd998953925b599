//! Films: GIF by ourselves, MP4 through ffmpeg. One frame in memory at a time.

use super::error::RecordError;
use super::gif::GifFilm;
use super::options::Options;
use super::png::{SaveError, draft};
use super::studio::Studio;
use crate::render::Samples;
use crate::view::frame::Quality;
use fabrik3d_scene::FileDraft;
use image::RgbaImage;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest film, seconds, whatever it shows.
const LONGEST: f64 = 86400.0;
/// Length of a film that nothing limits.
const LONGEST_WAIT: f64 = 10.0;
/// Seconds by which sums of frames may miss the end of a clip, beyond which it begins anew.
const NOISE: f64 = 1e-6;
/// Seconds that a film goes on after everything has come to rest.
const REST: f64 = 0.5;

/// Records a film.
pub(super) fn record(
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<(), RecordError> {
    let out = options.out.clone();
    let kind = FilmKind::of(&out)?;
    let fps = options.fps.unwrap_or(kind.usual_fps());
    let (asked, script) = (options.seconds, options.script.duration());
    let size = options.size;
    let file = draft(&out)?;
    let mut studio = Studio::new(options, 2, Quality::Fast, Samples::One)?;
    // A recording that plays never comes to rest: once from its beginning to its end is enough.
    let motion = studio.motion_seconds().map(|motion| motion.max(script));
    let seconds = asked.or(motion).unwrap_or(script + 2.0).min(LONGEST);
    let until_rest = asked.is_none() && motion.is_none();
    let is_clip = motion.is_some() && asked.is_none();
    // A clip is filmed to its end, whatever is left of a frame there.
    let total = if is_clip { (seconds * fps - NOISE).ceil() } else { (seconds * fps).round() }.max(1.0) as u64;
    let mut film = Film::start(kind, file, size, fps)?;
    let mut frame = 0;
    let mut rested = 0.0;
    loop {
        let within = frame < total || (until_rest && rested < REST && (frame as f64) < fps * (seconds + LONGEST_WAIT));
        if !within {
            break;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(RecordError::Interrupted);
        }
        let step = if is_clip { (seconds - NOISE - frame as f64 / fps).min(1.0 / fps) } else { 1.0 / fps };
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

/// The kinds of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilmKind {
    Gif,
    Mp4,
}

impl FilmKind {
    /// What the extension of a name stands for.
    pub fn of(path: &Path) -> Result<Self, RecordError> {
        match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
            extension if extension.eq_ignore_ascii_case("gif") => Ok(FilmKind::Gif),
            extension if extension.eq_ignore_ascii_case("mp4") => Ok(FilmKind::Mp4),
            _ => Err(RecordError::Extension(path.to_owned())),
        }
    }

    /// Frames a second where nothing else is asked for.
    pub fn usual_fps(self) -> f64 {
        match self {
            FilmKind::Gif => 25.0,
            FilmKind::Mp4 => 30.0,
        }
    }
}

/// A film being written to a temporary file.
pub(super) enum Film {
    Gif { film: Box<GifFilm>, file: FileDraft },
    Mp4 { child: Child, file: FileDraft },
}

fn save_error(path: &Path, reason: impl ToString) -> RecordError {
    SaveError { path: path.to_owned(), reason: reason.to_string() }.into()
}

impl Film {
    /// Starts a film of this size.
    pub fn start(kind: FilmKind, file: FileDraft, size: (u32, u32), fps: f64) -> Result<Self, RecordError> {
        match kind {
            FilmKind::Gif => Film::gif(file, size, fps),
            FilmKind::Mp4 => Film::mp4(file, size, fps),
        }
    }

    fn gif(file: FileDraft, size: (u32, u32), fps: f64) -> Result<Self, RecordError> {
        let writer = file.reopen().map_err(|error| save_error(file.path(), error))?;
        let film = GifFilm::new(writer, size, fps).map_err(|error| save_error(file.path(), error))?;
        Ok(Film::Gif { film: Box::new(film), file })
    }

    fn mp4(file: FileDraft, (width, height): (u32, u32), fps: f64) -> Result<Self, RecordError> {
        let child = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgba"])
            .args(["-video_size", &format!("{width}x{height}"), "-framerate", &fps.to_string(), "-i", "-"])
            // Players want even sizes and this pixel format.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            .args(["-f", "mp4"])
            .arg(file.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(RecordError::NoFfmpeg)?;
        Ok(Film::Mp4 { child, file })
    }

    /// Adds a frame.
    pub fn add(&mut self, image: RgbaImage, out: &Path) -> Result<(), RecordError> {
        match self {
            Film::Gif { film, .. } => film.add(image).map_err(|error| save_error(out, error)),
            Film::Mp4 { child, .. } => {
                let pipe = child.stdin.as_mut().map(|pipe| pipe.write_all(image.as_raw()));
                match pipe {
                    Some(Ok(())) => Ok(()),
                    _ => Err(RecordError::Ffmpeg(complaint(child))),
                }
            }
        }
    }

    /// Completes the file and gives it its name.
    pub fn finish(self, out: &Path) -> Result<(), RecordError> {
        let file = match self {
            Film::Gif { film, file } => {
                film.finish().map_err(|error| save_error(out, error))?;
                file
            }
            Film::Mp4 { mut child, file } => {
                drop(child.stdin.take());
                let status = child.wait().map_err(|error| RecordError::Ffmpeg(error.to_string()))?;
                if !status.success() {
                    return Err(RecordError::Ffmpeg(complaint(&mut child)));
                }
                file
            }
        };
        file.keep().map_err(|error| SaveError::new(out, &error).into())
    }
}

/// What ffmpeg said last.
fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    // It may have said nothing that can be read; then there is nothing to add.
    let _ = child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut text));
    text.lines().last().unwrap_or("it ended early").to_owned()
}
