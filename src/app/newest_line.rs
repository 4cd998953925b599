//! A destination that never waits for its reader: `--trace -`.

use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest wait for the reader when the program ends.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// Writes lines to a pipe in a thread of its own. While the reader does not read, newer lines replace older ones, so that
/// it continues with the newest and the writer never waits.
#[derive(Debug)]
pub struct NewestLine {
    line: Vec<u8>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    /// The line that is written next.
    next: Option<Vec<u8>>,
    /// Whether a line is being written.
    busy: bool,
    /// Why writing has ended.
    failed: Option<ErrorKind>,
    /// Whether no more lines come.
    closed: bool,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line; `None` if there will be none.
    fn next(&self) -> Option<Vec<u8>> {
        let wait = self.changed.wait_while(self.slot(), |slot| slot.next.is_none() && !slot.closed);
        let mut slot = wait.unwrap_or_else(PoisonError::into_inner);
        slot.busy = slot.next.is_some();
        slot.next.take()
    }
}

impl NewestLine {
    /// Lines go to `out`.
    pub fn new(mut out: impl Write + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        // Not joined: the reader may never read again.
        std::thread::spawn(move || {
            while let Some(line) = theirs.next() {
                let written = out.write_all(&line).and_then(|()| out.flush());
                let mut slot = theirs.slot();
                slot.busy = false;
                slot.failed = written.err().map(|error| error.kind());
                theirs.changed.notify_all();
                if slot.failed.is_some() {
                    return;
                }
            }
        });
        NewestLine { line: Vec::new(), shared }
    }
}

impl Write for NewestLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(kind) = self.shared.slot().failed {
            return Err(kind.into());
        }
        self.line.extend_from_slice(bytes);
        if self.line.ends_with(b"\n") {
            self.shared.slot().next = Some(std::mem::take(&mut self.line));
            self.shared.changed.notify_all();
        }
        Ok(bytes.len())
    }

    /// Waits until the last line is written, but not for a reader that does not read.
    fn flush(&mut self) -> io::Result<()> {
        let is_open = |slot: &mut Slot| slot.failed.is_none() && (slot.busy || slot.next.is_some());
        let waited = self.shared.changed.wait_timeout_while(self.shared.slot(), LAST_WAIT, is_open);
        let failed = waited.unwrap_or_else(PoisonError::into_inner).0.failed;
        failed.map_or(Ok(()), |kind| Err(kind.into()))
    }
}

impl Drop for NewestLine {
    fn drop(&mut self) {
        self.shared.slot().closed = true;
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    /// A pipe whose reader takes one line at a time.
    struct Pipe(SyncSender<Vec<u8>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(|_| ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn pipe() -> (NewestLine, Receiver<Vec<u8>>) {
        let (sender, receiver) = sync_channel(0);
        (NewestLine::new(Pipe(sender)), receiver)
    }

    #[test]
    fn a_reader_that_stalls_continues_with_the_newest_line() {
        let (mut out, reader) = pipe();
        for number in 0..1000 {
            writeln!(out, "{number}").expect("never fails and never waits");
        }
        let first = reader.recv().expect("a line");
        // At most one line was on its way when the others came.
        let newest = if first == b"999\n" { first } else { reader.recv().expect("a line") };
        assert_eq!(newest, b"999\n");
        drop(out);
        assert!(reader.recv().is_err(), "nothing is left");
    }

    #[test]
    fn a_reader_that_has_gone_is_an_error() {
        let (mut out, reader) = pipe();
        drop(reader);
        writeln!(out, "one").expect("nothing is known yet");
        assert_eq!(out.flush().expect_err("gone").kind(), ErrorKind::BrokenPipe);
        assert_eq!(writeln!(out, "two").expect_err("gone").kind(), ErrorKind::BrokenPipe);
    }
}
