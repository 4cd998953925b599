//! The writer of films: GIF with our own encoder, MP4 through ffmpeg. Only one frame is in memory.

use super::error::{RecordError, SaveError};
use super::ffmpeg::Ffmpeg;
use super::gif::GifFilm;
use fabrik3d_scene::{FileDraft, extension};
use image::RgbaImage;
use std::path::{Path, PathBuf};

/// A file format of films.
pub(super) struct FilmFormat {
    extension: &'static str,
    /// Frames per second, unless others are asked for.
    pub fps: f64,
    /// Maximum width of a film of the window, pixels.
    pub max_width: u32,
    start: Start,
}

/// Starts a film in a file, with the given frame size and frames per second.
type Start = fn(&FileDraft, (u32, u32), f64) -> Result<Box<dyn Frames>, RecordError>;

/// All formats: a new one is a row here.
static FORMATS: [FilmFormat; 2] = [
    FilmFormat {
        extension: "gif",
        fps: 25.0,
        max_width: 640,
        start: |file, size, fps| {
            let opened = file.reopen().map_err(SaveError::at(file.path()))?;
            Ok(Box::new(GifFilm::new(opened, size, fps).map_err(SaveError::at(file.path()))?))
        },
    },
    FilmFormat {
        extension: "mp4",
        fps: 30.0,
        max_width: u32::MAX,
        start: |file, size, fps| Ok(Box::new(Ffmpeg::start(file.path(), size, fps)?)),
    },
];

impl FilmFormat {
    /// The format for a file extension.
    pub fn of(path: &Path) -> Result<&'static Self, RecordError> {
        let own = extension(path);
        FORMATS.iter().find(|format| format.extension == own).ok_or_else(|| {
            let films = FORMATS.each_ref().map(|format| format!(".{}", format.extension)).join(" and ");
            RecordError::Extension { path: path.to_owned(), films }
        })
    }
}

/// What takes the frames of a film.
pub(super) trait Frames: Send {
    /// Adds a frame.
    fn add(&mut self, image: RgbaImage) -> Result<(), RecordError>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<(), RecordError>;
}

impl Frames for GifFilm {
    fn add(&mut self, image: RgbaImage) -> Result<(), RecordError> {
        Ok(GifFilm::add(self, image).map_err(SaveError::at(Path::new("")))?)
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        Ok(GifFilm::finish(*self).map_err(SaveError::at(Path::new("")))?)
    }
}

impl Frames for Ffmpeg {
    fn add(&mut self, image: RgbaImage) -> Result<(), RecordError> {
        Ffmpeg::add(self, image.as_raw())
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        Ffmpeg::finish(&mut self)
    }
}

/// A film being written to a temporary file. The process is dropped before the file.
pub(super) struct Film {
    frames: Box<dyn Frames>,
    file: FileDraft,
    out: PathBuf,
}

impl Film {
    /// Starts a film with the given frame size.
    pub fn start(format: &FilmFormat, out: &Path, size: (u32, u32), fps: f64) -> Result<Self, RecordError> {
        let file = FileDraft::new(out).map_err(SaveError::at(out))?;
        let frames = (format.start)(&file, size, fps).map_err(|error| named(error, &file, out))?;
        Ok(Film { frames, file, out: out.to_owned() })
    }

    /// Adds a frame.
    pub fn add(&mut self, image: RgbaImage) -> Result<(), RecordError> {
        self.frames.add(image).map_err(|error| named(error, &self.file, &self.out))
    }

    /// Completes the film and gives the file its name.
    pub fn finish(self) -> Result<(), RecordError> {
        let Film { frames, file, out } = self;
        frames.finish().map_err(|error| named(error, &file, &out))?;
        Ok(file.keep().map_err(SaveError::at(&out))?)
    }
}

/// The error with the name of the film instead of that of its temporary file.
fn named(error: RecordError, file: &FileDraft, out: &Path) -> RecordError {
    let [temporary, name] = [file.path(), out].map(|path| path.display().to_string());
    match error {
        RecordError::Ffmpeg(message) => RecordError::Ffmpeg(message.replace(&temporary, &name)),
        RecordError::Save(error) => RecordError::Save(SaveError { path: out.to_owned(), ..error }),
        other => other,
    }
}
