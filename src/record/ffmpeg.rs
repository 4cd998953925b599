//! A running ffmpeg, which writes MP4, and whether such a file is complete.

use super::error::RecordError;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The processes that run, for a program that ends in the middle of a film.
static RUNNING: Mutex<Vec<Child>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<Child>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every ffmpeg: otherwise one could create its file again after that was removed.
pub(super) fn end_all() {
    running().drain(..).for_each(end);
}

fn end(mut child: Child) {
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
}

/// An ffmpeg that encodes frames. It ends when it is dropped.
pub(super) struct Ffmpeg {
    id: u32,
    /// None once all frames are written.
    frames: Option<ChildStdin>,
}

impl Ffmpeg {
    /// Starts to write the file `path`.
    pub fn start(path: &Path, (width, height): (u32, u32), fps: f64) -> Result<Self, RecordError> {
        let mut child = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgba"])
            .args(["-video_size", &format!("{width}x{height}"), "-framerate", &fps.to_string(), "-i", "-"])
            // Players require even sizes and this pixel format.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            .args(["-f", "mp4"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(RecordError::NoFfmpeg)?;
        let started = Ffmpeg { id: child.id(), frames: child.stdin.take() };
        running().push(child);
        Ok(started)
    }

    /// Adds a frame.
    pub fn add(&mut self, pixels: &[u8]) -> Result<(), RecordError> {
        match self.frames.as_mut().map(|frames| frames.write_all(pixels)) {
            Some(Ok(())) => Ok(()),
            _ => {
                self.frames = None;
                let message = self.child().map(|mut child| (child.wait(), last_message(&mut child)).1);
                Err(RecordError::Ffmpeg(message.unwrap_or_else(ended_early)))
            }
        }
    }

    /// Completes the file. Returns the exit status and the last line of the error output.
    pub fn finish(mut self) -> io::Result<(ExitStatus, String)> {
        drop(self.frames.take());
        let Some(mut child) = self.child() else { return Err(io::Error::other(ended_early())) };
        Ok((child.wait()?, last_message(&mut child)))
    }

    /// The process, which then no longer counts as running.
    fn child(&mut self) -> Option<Child> {
        let mut running = running();
        let at = running.iter().position(|child| child.id() == self.id)?;
        Some(running.swap_remove(at))
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        self.child().into_iter().for_each(end);
    }
}

fn ended_early() -> String {
    "it ended early".to_owned()
}

/// The last line of the error output of a process that has ended.
fn last_message(child: &mut Child) -> String {
    let mut text = String::new();
    // If the output cannot be read, use the default text.
    let _ = child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut text));
    text.lines().last().map_or_else(ended_early, str::to_owned)
}

/// Whether the boxes of an MP4 file (ISO/IEC 14496-12, 4.2) fill it exactly, and its frames and their index are among them.
/// ffmpeg reports success even if the disk was full while it wrote the end of the file.
pub(super) fn is_complete(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let end = file.seek(SeekFrom::End(0))?;
    let (mut at, mut has_index, mut has_frames) = (0, false, false);
    while at + 8 <= end {
        file.seek(SeekFrom::Start(at))?;
        let mut head = Vec::with_capacity(16);
        file.take(16).read_to_end(&mut head)?;
        head.resize(16, 0);
        let word = |at: usize| u64::from(u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        // A size of 1 announces one of 64 bits.
        let size = if word(0) == 1 { word(8) << 32 | word(12) } else { word(0) };
        // A size of 0 is the mark of a box whose size was to be filled in.
        if size < 8 || size > end - at {
            return Ok(false);
        }
        has_index |= &head[4..8] == b"moov";
        has_frames |= &head[4..8] == b"mdat";
        at += size;
    }
    Ok(has_index && has_frames && at == end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A box of this type with so many bytes of content.
    fn part(kind: &[u8; 4], content: u32) -> Vec<u8> {
        [&(content + 8).to_be_bytes(), &kind[..], &vec![0; content as usize]].concat()
    }

    fn complete(bytes: &[u8]) -> bool {
        is_complete(&mut Cursor::new(bytes)).expect("memory can be read")
    }

    #[test]
    fn only_whole_files_with_an_index_are_complete() {
        let film = [part(b"ftyp", 24), part(b"moov", 700), part(b"free", 0), part(b"mdat", 5000)].concat();
        assert!(complete(&film));
        for length in 0..film.len() {
            assert!(!complete(&film[..length]), "{length} of {} bytes", film.len());
        }
        assert!(!complete(&[part(b"ftyp", 24), part(b"mdat", 5000)].concat()), "no index");
        let large = [&1_u32.to_be_bytes(), &b"mdat"[..], &16_u64.to_be_bytes()].concat();
        assert!(complete(&[part(b"moov", 8), large].concat()), "a size of 64 bits");
        let unfinished = [&0_u32.to_be_bytes(), &b"mdat"[..], &[0; 100]].concat();
        assert!(!complete(&[part(b"moov", 8), unfinished].concat()));
    }
}
