//! A running ffmpeg, which writes MP4, and how the program ends in the middle of its work.

use super::error::RecordError;
use fabrik3d_scene::remove_drafts;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Bytes of the error output that are searched for the first message.
const LONGEST_MESSAGE: u64 = 1 << 14;

/// The processes that run, for a program that ends in the middle of a film.
static RUNNING: Mutex<Vec<Child>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<Child>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Exit code after an interrupt, as usual in shells: 128 plus the number of the signal.
pub const INTERRUPTED: u8 = 130;

/// Ends the program at once and leaves no temporary file behind. Destructors do not run: those of the graphics driver would
/// free what threads that still draw use.
#[cfg_attr(unix, allow(unsafe_code, reason = "`_exit` is a C function"))]
pub fn leave(code: u8) -> ! {
    // Otherwise an ffmpeg could create its file again after that was removed.
    running().drain(..).for_each(end);
    remove_drafts();
    #[cfg(unix)]
    // SAFETY: `_exit` has no preconditions.
    unsafe {
        libc::_exit(code.into())
    }
    #[cfg(not(unix))]
    std::process::exit(code.into())
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
    /// Finds the first message.
    listener: Option<JoinHandle<Option<String>>>,
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
        // A process that can say no more does not read on: it must be heard while it encodes.
        let listener = child.stderr.take().map(|errors| std::thread::spawn(|| first_message(errors)));
        let started = Ffmpeg { id: child.id(), frames: child.stdin.take(), listener };
        running().push(child);
        Ok(started)
    }

    /// Adds a frame.
    pub fn add(&mut self, pixels: &[u8]) -> Result<(), RecordError> {
        match self.frames.as_mut().map(|frames| frames.write_all(pixels)) {
            Some(Ok(())) => Ok(()),
            _ => {
                self.frames = None;
                self.finish()
            }
        }
    }

    /// Completes the file. What ffmpeg reports is an error even if it ends well, as it does where the disk is full.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        let is_whole = self.frames.take().is_some();
        let message = self.listener.take().and_then(|listener| listener.join().ok()?);
        let ended_well = self.child().and_then(|mut child| child.wait().ok()).is_some_and(|status| status.success());
        match message {
            None if is_whole && ended_well => Ok(()),
            message => Err(RecordError::Ffmpeg(message.unwrap_or("it ended early".to_owned()))),
        }
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

/// The first line of the error output of a process: the cause. What follows are its consequences. Returns at its end.
fn first_message(mut errors: ChildStderr) -> Option<String> {
    let mut beginning = Vec::new();
    errors.by_ref().take(LONGEST_MESSAGE).read_to_end(&mut beginning).ok()?;
    io::copy(&mut errors, &mut io::sink()).ok()?;
    String::from_utf8_lossy(&beginning).lines().find(|line| !line.trim().is_empty()).map(str::to_owned)
}
