//! The writer of films: GIF with our own encoder, MP4 through ffmpeg. Only one frame is in memory.

use super::error::{RecordError, SaveError};
use super::ffmpeg::Ffmpeg;
use super::gif::GifFilm;
use fabrik3d_scene::{FileDraft, extension};
use image::RgbaImage;
use std::path::{Path, PathBuf};

/// File formats of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilmKind {
    Gif,
    Mp4,
}

impl FilmKind {
    /// The format for a file extension.
    pub fn of(path: &Path) -> Result<Self, RecordError> {
        match extension(path).as_str() {
            "gif" => Ok(FilmKind::Gif),
            "mp4" => Ok(FilmKind::Mp4),
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

/// A film being written to a temporary file. The process is dropped before the file.
pub(super) struct Film {
    writer: Writer,
    file: FileDraft,
    out: PathBuf,
}

enum Writer {
    Gif(Box<GifFilm>),
    Mp4(Ffmpeg),
}

impl Film {
    /// Starts a film with the given frame size.
    pub fn start(kind: FilmKind, out: &Path, size: (u32, u32), fps: f64) -> Result<Self, RecordError> {
        let file = FileDraft::new(out).map_err(SaveError::at(out))?;
        let writer = match kind {
            FilmKind::Gif => {
                let film = file.reopen().map_err(Into::into).and_then(|file| GifFilm::new(file, size, fps));
                Writer::Gif(Box::new(film.map_err(SaveError::at(out))?))
            }
            FilmKind::Mp4 => Writer::Mp4(Ffmpeg::start(file.path(), size, fps)?),
        };
        Ok(Film { writer, file, out: out.to_owned() })
    }

    /// Adds a frame.
    pub fn add(&mut self, image: RgbaImage) -> Result<(), RecordError> {
        match &mut self.writer {
            Writer::Gif(film) => Ok(film.add(image).map_err(SaveError::at(&self.out))?),
            Writer::Mp4(ffmpeg) => ffmpeg.add(image.as_raw()).map_err(|error| named(error, &self.file, &self.out)),
        }
    }

    /// Completes the film and gives the file its name.
    pub fn finish(self) -> Result<(), RecordError> {
        let Film { writer, file, out } = self;
        match writer {
            Writer::Gif(film) => film.finish().map_err(SaveError::at(&out))?,
            Writer::Mp4(mut ffmpeg) => ffmpeg.finish().map_err(|error| named(error, &file, &out))?,
        }
        Ok(file.keep().map_err(SaveError::at(&out))?)
    }
}

/// The error with the name of the film instead of that of its temporary file.
fn named(error: RecordError, file: &FileDraft, out: &Path) -> RecordError {
    let [temporary, name] = [file.path(), out].map(|path| path.display().to_string());
    match error {
        RecordError::Ffmpeg(message) => RecordError::Ffmpeg(message.replace(&temporary, &name)),
        other => other,
    }
}
