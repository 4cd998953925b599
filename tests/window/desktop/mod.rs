//! The real program in a real window on a private X server, driven by xdotool and observed through its trace.
#![allow(dead_code, reason = "each test file uses its share")]

mod dragging;
mod screen_settings;

pub use dragging::End;
pub use screen_settings::ScreenSettings;

use fabrik3d_viewer::view::trace::TraceLine;
use fabrik3d_viewer::view::{Area, Camera, Lens};
use glam::DVec3;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum wait for an event. Only slow machines need it.
const TIMEOUT: Duration = Duration::from_secs(120);

/// An X server with a window manager. Both end when it is dropped.
pub struct Desktop {
    server: Child,
    manager: Child,
    display: String,
    pub folder: tempfile::TempDir,
    _lock: MutexGuard<'static, ()>,
}

/// Only one desktop at a time: several viewers would slow each other down.
static DESKTOP_LOCK: Mutex<()> = Mutex::new(());

impl Desktop {
    /// Starts a desktop. Without the required programs, prints which one is missing and returns `None`.
    pub fn start() -> Option<Desktop> {
        Desktop::start_without(None)
    }

    /// The same with an X server that lacks an extension.
    pub fn start_without(extension: Option<&str>) -> Option<Desktop> {
        for program in ["Xvfb", "xdotool", "openbox"] {
            let found = Command::new("which").arg(program).stdout(Stdio::null()).status();
            if !found.is_ok_and(|status| status.success()) {
                eprintln!("skipped: this test needs Xvfb, xdotool and openbox; {program} is not installed");
                return None;
            }
        }
        // A failed test leaves nothing behind that affects the next one.
        let lock = DESKTOP_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"])
            .args(extension.into_iter().flat_map(|name| ["-extension", name]))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = server.stdout.take().expect("is piped");
        BufReader::new(output).read_line(&mut number).expect("Xvfb prints its display number");
        let display = format!(":{}", number.trim());
        let manager = Command::new("openbox")
            .env("DISPLAY", &display)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openbox starts");
        let folder = tempfile::tempdir().expect("a folder");
        let desktop = Desktop { server, manager, display, folder, _lock: lock };
        until("the window manager", || desktop.xdotool(&["get_desktop"]).parse::<u32>().ok());
        Some(desktop)
    }

    /// Starts a settings daemon that announces this scale factor.
    pub fn screen_settings(&self, scale: f64) -> ScreenSettings {
        ScreenSettings::start(&self.display, scale)
    }

    /// Runs xdotool to its end and returns its output.
    pub fn xdotool(&self, arguments: &[&str]) -> String {
        let mut xdotool = Command::new("xdotool");
        let output = xdotool.args(arguments).env("DISPLAY", &self.display).stderr(Stdio::null()).output();
        let output = output.expect("xdotool runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Ends the X server while windows are open.
    pub fn end_server(&self) {
        terminate(&self.server);
    }

    /// Gives a window the focus and waits until it has it.
    fn activate(&self, window: &str) {
        until("the focus", || {
            // `windowactivate --sync` may wait forever.
            self.xdotool(&["windowactivate", window]);
            std::thread::sleep(Duration::from_millis(60));
            (self.xdotool(&["getactivewindow"]) == window).then_some(())
        });
    }

    /// Runs the program to its end.
    pub fn fabrik3d(&self, arguments: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_fabrik3d"));
        program.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        self.output(program)
    }

    /// Runs a command to its end.
    pub fn output(&self, mut command: Command) -> Output {
        command.env("DISPLAY", &self.display).env_remove("WAYLAND_DISPLAY");
        command.env("FABRIK3D_CONFIG", self.folder.path().join("settings.toml"));
        command.output().expect("the program starts")
    }

    /// Opens the viewer with one of the example scenes and waits for its first picture.
    pub fn view(&self, scene: &str, arguments: &[&str]) -> Viewer<'_> {
        self.view_with(scene, arguments, &[])
    }

    /// Like [`Self::view`], with additional environment variables.
    pub fn view_with(&self, scene: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Viewer<'_> {
        let [trace, errors] = ["trace.jsonl", "errors.txt"].map(|name| self.folder.path().join(name));
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(scene);
        let child = Command::new(env!("CARGO_BIN_EXE_fabrik3d"))
            .arg("view")
            .arg(scene)
            .args(["--trace", &trace.display().to_string(), "--exit-after", "120"])
            .args(arguments)
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .envs(variables.iter().copied())
            .env("FABRIK3D_CONFIG", self.folder.path().join("settings.toml"))
            .current_dir(self.folder.path())
            .stderr(std::fs::File::create(&errors).expect("can be written"))
            .spawn()
            .expect("the viewer starts");
        let mut viewer = Viewer { desktop: self, child, trace, errors, window: String::new() };
        viewer.wait("a first picture", |_| true);
        viewer.window = until("the window", || {
            let found = |flags: &[&str]| {
                let windows = self.xdotool(&[&["search"], flags, &["--name", "fabrik3d"]].concat());
                windows.lines().next().map(str::to_owned)
            };
            found(&["--onlyvisible"]).or_else(|| {
                // A window manager that was still starting may have missed the window: map it again.
                self.xdotool(&["windowmap", &found(&[])?]);
                None
            })
        });
        self.activate(&viewer.window);
        viewer
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in [&mut self.manager, &mut self.server] {
            // The process may have ended already.
            terminate(child);
            let _ = child.wait();
        }
    }
}

/// Ends a process with SIGTERM, on which a server removes its socket and lock file, which would disturb the next server.
/// Minimal Debian systems lack a `kill` program, so use the one of the shell.
fn terminate(process: &Child) {
    let _ = Command::new("sh").args(["-c", &format!("kill {}", process.id())]).stderr(Stdio::null()).status();
}

/// Waits until `answer` returns a value.
fn until<T>(what: &str, answer: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(start.elapsed() < TIMEOUT, "timeout while waiting for {what}");
        std::thread::sleep(Duration::from_millis(40));
    }
}

/// A running viewer.
pub struct Viewer<'a> {
    desktop: &'a Desktop,
    child: Child,
    trace: PathBuf,
    /// Standard error of the viewer.
    errors: PathBuf,
    window: String,
}

impl Viewer<'_> {
    /// All complete lines of the trace so far.
    pub fn lines(&self) -> Vec<TraceLine> {
        let text = std::fs::read_to_string(&self.trace).unwrap_or_default();
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        whole.lines().map(|line| serde_json::from_str(line).expect("a trace line")).collect()
    }

    /// The last line of the trace.
    pub fn now(&self) -> TraceLine {
        self.lines().pop().expect("a first picture was drawn")
    }

    /// Waits until the last line of the trace satisfies the condition.
    pub fn wait(&self, what: &str, condition: impl Fn(&TraceLine) -> bool) -> TraceLine {
        self.until(what, || self.lines().pop().filter(|line| condition(line)))
    }

    /// Waits until `answer` returns a value.
    pub fn until<T>(&self, what: &str, answer: impl Fn() -> Option<T>) -> T {
        until(what, answer)
    }

    /// Gives the window the focus.
    pub fn activate(&self) {
        self.desktop.activate(&self.window);
    }

    /// Waits until nothing moves.
    pub fn rest(&self) -> TraceLine {
        self.until("rest", || {
            let before = self.lines().len();
            std::thread::sleep(Duration::from_millis(250));
            let lines = self.lines();
            (lines.len() == before).then(|| self.now()).filter(|line| line.blend.is_none())
        })
    }

    /// Presses and releases keys.
    pub fn keys(&self, keys: &[&str]) {
        self.desktop.xdotool(&[&["key"], keys].concat());
    }

    /// Runs xdotool.
    pub fn xdotool(&self, arguments: &[&str]) -> String {
        self.desktop.xdotool(arguments)
    }

    /// Drags files, given as URIs, from another program onto the window. Returns whether the window accepted them.
    pub fn drag(&self, uris: &[String], end: End) -> bool {
        let window = self.window.parse().expect("an id");
        dragging::drag(&self.desktop.display, window, uris, end)
    }

    /// The X id of the window.
    pub fn window(&self) -> &str {
        &self.window
    }

    /// Width and height of the window without its frame.
    pub fn size(&self) -> [f64; 2] {
        let geometry = self.xdotool(&["getwindowgeometry", "--shell", &self.window]);
        ["WIDTH=", "HEIGHT="].map(|key| {
            let value = geometry.lines().find_map(|line| line.strip_prefix(key));
            value.and_then(|value| value.parse().ok()).expect("a size")
        })
    }

    /// Moves the pointer to a position in the window.
    pub fn point(&self, [x, y]: [f64; 2]) {
        self.xdotool(&["mousemove", "--window", &self.window, &(x.round()).to_string(), &(y.round()).to_string()]);
    }

    /// The position in the window at which a point of the world appears.
    pub fn pixel(&self, place: DVec3) -> [f64; 2] {
        let (line, [width, height]) = (self.now(), self.size());
        let camera = Camera::looking(line.camera.position.into(), line.camera.look_at.into());
        let [x, y] = line.camera.middle;
        let area = Area { low: [x - 0.5, y - 0.5], high: [x + 0.5, y + 0.5] };
        let lens = Lens { aspect: width / height, area };
        let [x, y] = camera.project(place, lens).expect("in front of the camera");
        [(x + 1.0) * 0.5 * width, (1.0 - y) * 0.5 * height]
    }

    /// Asks the viewer to end, as a session does that ends.
    pub fn terminate(&self) {
        terminate(&self.child);
    }

    /// Waits for the viewer to exit. Returns whether it succeeded.
    pub fn ended(&mut self) -> bool {
        self.status().is_some_and(|status| status.success())
    }

    /// Waits for the viewer to exit; none if it does not.
    pub fn status(&mut self) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if let Some(status) = self.child.try_wait().expect("the viewer is a child process") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(40));
        }
        None
    }

    /// What the viewer wrote to standard error.
    pub fn errors(&self) -> String {
        std::fs::read_to_string(&self.errors).unwrap_or_default()
    }
}

impl Drop for Viewer<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.errors());
        }
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The only target in a line of the trace.
pub fn target(line: &TraceLine) -> DVec3 {
    DVec3::from_array(*line.targets.values().next().expect("a target"))
}

/// Sum of the link lengths of a serial chain.
pub fn reach(line: &TraceLine) -> f64 {
    line.solved.windows(2).map(|pair| DVec3::from(pair[0]).distance(DVec3::from(pair[1]))).sum()
}
