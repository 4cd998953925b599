//! Commands that another program writes while the window is open: `--play -`.
//!
//! A thread reads the lines, so that the window never waits for them. The frame that follows carries them out. Of several
//! continuous changes of the same thing only the newest counts, so that no rate of commands delays a frame.

use fabrik3d_scene::read_lines;
use fabrik3d_viewer::session::script::{Cue, LiveLine, Script};
use fabrik3d_viewer::session::{Command, PoseCommand, SessionCommand};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};

/// Lines on their way from the thread to the window. While as many wait, the other program waits too.
const QUEUE: usize = 4096;

/// Where commands come from.
pub struct LiveCommands {
    /// The lines.
    pub lines: Box<dyn BufRead + Send>,
    /// Whether the window closes when they end.
    pub closes: bool,
}

impl LiveCommands {
    /// Starts to read. `wake` is called after each command and at the end; reading ends when it returns false.
    pub(super) fn listen(self, wake: impl Fn() -> bool + Send + 'static) -> LiveInput {
        let (sender, receiver) = sync_channel(QUEUE);
        let LiveCommands { lines, closes } = self;
        // Not joined: it may wait for a line when the window has closed.
        std::thread::spawn(move || {
            send_lines(lines, sender, &wake);
            wake();
        });
        LiveInput { receiver: Some(receiver), closes, waiting: VecDeque::new() }
    }
}

/// Takes the sender, so that the receiver notices the end.
fn send_lines(lines: Box<dyn BufRead + Send>, sender: SyncSender<LiveLine>, wake: &impl Fn() -> bool) {
    for line in read_lines(lines) {
        let Ok((number, line)) = line else { break };
        let read =
            line.map(|line| LiveLine::read(&line).map(|read| read.map_err(|error| error.to_string())).transpose());
        let is_wanted = match read.flatten() {
            Ok(Some(line)) => sender.send(line).is_ok() && wake(),
            Ok(None) => true,
            Err(error) => {
                eprintln!("warning: <stdin>:{number}: {error}");
                true
            }
        };
        if !is_wanted {
            return;
        }
    }
}

/// Commands that have arrived.
pub(super) struct LiveInput {
    /// None after the end of the lines.
    receiver: Option<Receiver<LiveLine>>,
    closes: bool,
    /// The commands to carry out, in order.
    pub waiting: VecDeque<Command>,
}

impl LiveInput {
    /// Takes all lines that have arrived, `now` seconds after the start; those for later go to the script. Returns whether
    /// the lines have ended and the window is to close.
    pub fn receive(&mut self, now: f64, script: &mut Script) -> bool {
        while let Some(receiver) = &self.receiver {
            match receiver.try_recv() {
                Ok(LiveLine::Now(command)) => self.push(command),
                Ok(LiveLine::At(cue)) => script.add(cue),
                Ok(LiveLine::After(cue)) => script.add(Cue { time: now + cue.time, ..cue }),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => {
                    self.receiver = None;
                    return self.closes;
                }
            }
        }
        false
    }

    /// Adds a command. A continuous change replaces an older one of the same thing, unless another kind of command came in
    /// between.
    fn push(&mut self, command: Command) {
        if let Some(new) = subject(&command) {
            let glides = self.waiting.iter().rev().map_while(subject);
            if let Some(back) = glides.into_iter().position(|older| older == new) {
                self.waiting.remove(self.waiting.len() - 1 - back);
            }
        }
        self.waiting.push_back(command);
    }
}

/// What a command changes continuously.
#[derive(PartialEq)]
enum Subject<'a> {
    Pose,
    Target(&'a str),
}

fn subject(command: &Command) -> Option<Subject<'_>> {
    match command {
        Command::Session(SessionCommand::Pose(PoseCommand::Glide(_))) => Some(Subject::Pose),
        Command::Session(SessionCommand::TargetGlide(name, ..)) => Some(Subject::Target(name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(lines: &[&str]) -> Vec<Command> {
        let mut input = LiveInput { receiver: None, closes: false, waiting: VecDeque::new() };
        lines.iter().for_each(|line| input.push(line.parse().expect("a command")));
        input.waiting.into()
    }

    fn commands(lines: &[&str]) -> Vec<Command> {
        lines.iter().map(|line| line.parse().expect("a command")).collect()
    }

    #[test]
    fn the_newest_of_continuous_changes_counts() {
        let (first, second) = ("target.glide a 1 0 0", "target.glide b 2 0 0");
        let lines = ["pose.glide 1", first, "pose.glide 2", second, "target.glide a 3 0 0"];
        assert_eq!(pushed(&lines), commands(&["pose.glide 2", second, "target.glide a 3 0 0"]));
        let lines = ["pose.glide 1", "screenshot a.png", "pose.glide 2", "pose.glide 3"];
        assert_eq!(pushed(&lines), commands(&["pose.glide 1", "screenshot a.png", "pose.glide 3"]));
        let lines = ["target.set 1 0 0", "target.set 2 0 0"];
        assert_eq!(pushed(&lines), commands(&lines), "jumps are undone one by one");
    }

    #[test]
    fn lines_arrive_in_order_whatever_is_between_them_and_their_end_is_noticed() {
        let long = vec![b'a'; 5 << 20];
        let bad: [&[u8]; 4] = [b"nonsense", b"\xff", b"pause \xc3\x28", &long];
        let good: [&[u8]; 5] = [b"pause", b"# a comment\n", b"2.5 reset", b"+1 resume", b"quit\n"];
        let text = good.iter().enumerate().flat_map(|(at, line)| [*line, b"\n", bad[at % 4], b"\n"].concat());
        let text: Vec<u8> = text.collect();
        let live = LiveCommands { lines: Box::new(std::io::Cursor::new(text)), closes: true };
        let (woken, wakes) = std::sync::mpsc::channel();
        let mut input = live.listen(move || woken.send(()).is_ok());
        assert_eq!(wakes.iter().count(), 5, "every command and the end wake the window");
        let mut script = Script::default();
        assert!(input.receive(1.0, &mut script) && input.receiver.is_none());
        assert_eq!(input.waiting, commands(&["pause", "quit"]));
        assert_eq!(Ok(script), "2 resume\n2.5 reset".parse());
    }
}
