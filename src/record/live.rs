//! A film of a window: pictures arrive at irregular times, and a separate thread writes them.

use super::error::RecordError;
use super::film::{Film, FilmFormat};
use super::studio::resized;
use image::RgbaImage;
use image::imageops;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// A film that is being recorded.
pub struct LiveFilm {
    out: PathBuf,
    fps: f64,
    /// Number of the next frame of the film.
    next: u64,
    /// `None` once the film has ended.
    sender: Option<SyncSender<Picture>>,
    writer: JoinHandle<Result<u64, RecordError>>,
}

/// A completed film.
#[derive(Clone, Debug, PartialEq)]
pub struct Footage {
    /// The file.
    pub path: PathBuf,
    /// Number of frames.
    pub frames: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// A picture and the number of the frame at which it appears. No picture marks the end.
type Picture = (Option<RgbaImage>, u64);

/// Capacity of the queue to the writer. If it is full, pictures are dropped, but the film stays in time.
const QUEUE: usize = 3;

impl LiveFilm {
    /// Starts a film of a window with this size in pixels. The extension selects the format: .gif or .mp4.
    pub fn start(out: &Path, size: (u32, u32)) -> Result<Self, RecordError> {
        let format = FilmFormat::of(out)?;
        let scale = f64::from(format.max_width.min(size.0)) / f64::from(size.0.max(1));
        let side = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(2);
        let size = (side(size.0), side(size.1));
        let fps = format.fps;
        let film = Film::start(format, out, size, fps)?;
        let (sender, pictures) = sync_channel(QUEUE);
        let writer = std::thread::spawn(move || write(film, &pictures, size));
        Ok(LiveFilm { out: out.to_owned(), fps, next: 0, sender: Some(sender), writer })
    }

    /// Time of the next picture in seconds since the start.
    pub fn next_time(&self) -> f64 {
        self.next as f64 / self.fps
    }

    /// Adds a picture at a time in seconds since the start, or drops it if the writer is busy.
    pub fn offer(&mut self, seconds: f64, picture: RgbaImage) {
        let frame = (seconds * self.fps).floor().max(0.0) as u64;
        if let Some(sender) = self.sender.as_ref().filter(|_| frame >= self.next) {
            match sender.try_send((Some(picture), frame)) {
                Ok(()) | Err(TrySendError::Full(_)) => self.next = frame + 1,
                // The writer failed; `finish` returns the error.
                Err(TrySendError::Disconnected(_)) => self.sender = None,
            }
        }
    }

    /// Ends the film at this time. Queued pictures are still written.
    pub fn end(&mut self, seconds: f64) {
        if let Some(sender) = self.sender.take() {
            let end = (seconds * self.fps).round().max(0.0) as u64;
            // If the queue is full or the writer failed, only the duration of the last picture is lost.
            let _ = sender.try_send((None, end));
        }
    }

    /// Number of frames so far, including queued ones.
    pub fn frames(&self) -> u64 {
        self.next
    }

    /// Whether the film still accepts pictures.
    pub fn is_running(&self) -> bool {
        self.sender.is_some() && !self.writer.is_finished()
    }

    /// Whether the writer has finished or failed.
    pub fn is_done(&self) -> bool {
        self.writer.is_finished()
    }

    /// Waits for the writer and returns the result.
    pub fn finish(self) -> Result<Footage, RecordError> {
        drop(self.sender);
        match self.writer.join() {
            Ok(result) => {
                let frames = result?;
                let bytes = std::fs::metadata(&self.out).map_or(0, |file| file.len());
                Ok(Footage { path: self.out, frames, seconds: frames as f64 / self.fps, bytes })
            }
            Err(_) => Err(RecordError::Ffmpeg("the writer of the film failed".to_owned())),
        }
    }
}

/// Writes pictures until the end, repeating each one until the next; the first one is also what was before it. Returns the number
/// of frames.
fn write(mut film: Film, pictures: &Receiver<Picture>, size: (u32, u32)) -> Result<u64, RecordError> {
    let mut shown: Option<RgbaImage> = None;
    let mut count = 0;
    for (picture, frame) in pictures {
        let picture = picture.map(|picture| fitted(picture, size));
        if let Some(shown) = shown.as_ref().or(picture.as_ref()) {
            while count < frame {
                film.add(shown.clone())?;
                count += 1;
            }
        }
        let Some(picture) = picture else { break };
        film.add(picture.clone())?;
        count += 1;
        shown = Some(picture);
    }
    film.finish()?;
    Ok(count)
}

/// Scales a picture to another size, keeping its aspect ratio, with black borders.
fn fitted(picture: RgbaImage, (width, height): (u32, u32)) -> RgbaImage {
    if picture.dimensions() == (width, height) {
        return picture;
    }
    let scale = (f64::from(width) / f64::from(picture.width())).min(f64::from(height) / f64::from(picture.height()));
    let side = |pixels: u32, most: u32| ((f64::from(pixels) * scale).round() as u32).clamp(1, most);
    let (w, h) = (side(picture.width(), width), side(picture.height(), height));
    let small = resized(picture, (w, h));
    let mut whole = RgbaImage::from_pixel(width, height, image::Rgba([0, 0, 0, 255]));
    imageops::overlay(&mut whole, &small, i64::from((width - w) / 2), i64::from((height - h) / 2));
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::AnimationDecoder;
    use image::codecs::gif::GifDecoder;

    fn picture(width: u32, height: u32, shade: u8) -> RgbaImage {
        RgbaImage::from_pixel(width, height, image::Rgba([shade, 255 - shade, 90, 255]))
    }

    #[test]
    fn a_film_keeps_time_with_irregular_pictures_also_where_the_first_one_comes_late() {
        keeps_time([0.0, 0.3, 0.31, 0.55, 1.2]);
        keeps_time([0.5, 0.6, 0.61, 0.75, 1.2]);
    }

    fn keeps_time(times: [f64; 5]) {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("film.gif");
        let mut film = LiveFilm::start(&out, (64, 36)).expect("starts");
        for (at, seconds) in times.into_iter().enumerate() {
            film.offer(seconds, picture(64, 36, 40 * at as u8));
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        // The window has become smaller and taller.
        film.offer(1.5, picture(20, 40, 7));
        std::thread::sleep(std::time::Duration::from_millis(30));
        film.end(2.0);
        let footage = film.finish().expect("is written");
        let bytes = std::fs::metadata(&out).expect("is there").len();
        assert_eq!(footage, Footage { path: out.clone(), frames: 50, seconds: 2.0, bytes });
        let file = std::io::BufReader::new(std::fs::File::open(&out).expect("is there"));
        let frames = GifDecoder::new(file).expect("a GIF").into_frames().collect_frames().expect("valid frames");
        let millis = |frame: &image::Frame| frame.delay().numer_denom_ms().0;
        let total: u32 = frames.iter().map(millis).sum();
        assert_eq!(total, 2000, "the duration");
        assert!(frames.iter().all(|frame| frame.buffer().dimensions() == (64, 36)));
    }

    #[test]
    fn a_film_that_cannot_be_written_fails_immediately() {
        assert!(LiveFilm::start(Path::new("/no/such/folder/film.gif"), (64, 36)).is_err());
        assert!(LiveFilm::start(Path::new("film.txt"), (64, 36)).is_err());
    }
}
