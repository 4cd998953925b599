//! A running ffmpeg, which writes MP4.

use super::error::RecordError;
use std::io::{self, Read, Write};
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
