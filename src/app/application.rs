//! The state of the viewer program.

use super::dialog::Dialog;
use super::environment::AppError;
use super::frame_clock::FrameClock;
use super::gallery::Gallery;
use super::letters::Letters;
use super::live_commands::{LiveCommands, LiveInput};
use super::settings::{Settings, SettingsFile};
use super::wake::{Wake, look};
use super::window::OpenWindow;
use crate::record::LiveFilm;
use fabrik3d_scene::{Scene, printable};
use fabrik3d_viewer::hud::{self, FilmInfo, Toasts};
use fabrik3d_viewer::session::command::{DisplayCommand, Show};
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::session::{Command, Content};
use fabrik3d_viewer::view::trace::Trace;
use fabrik3d_viewer::view::{Bindings, Display, Gamepads, HeldKeys, Modifiers, Pointer, Viewer};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use winit::event_loop::EventLoopProxy;

/// Time between two checks of the file.
const INTERVAL: Duration = Duration::from_millis(400);

/// Reads a scene file, or returns an error message.
pub type Reader = Box<dyn Fn(&Path) -> Result<Scene, String>>;

/// Options of the viewer.
pub struct Options {
    /// The initial scene.
    pub scene: Scene,
    /// The file of the scene, if it has one.
    pub file: Option<PathBuf>,
    /// Reads the scene file again, and other files.
    pub reader: Reader,
    /// Whether to reload the file when it changes.
    pub watch: bool,
    /// The stored settings, and their file.
    pub settings: (Settings, SettingsFile),
    /// Warnings about the settings.
    pub warnings: Vec<String>,
    /// Theme, font scale and visible things.
    pub display: Display,
    /// Size of the window in logical pixels.
    pub size: (u32, u32),
    /// Whether the user requested this size. Otherwise it is limited to the screen.
    pub size_is_requested: bool,
    /// Commands executed before the first picture.
    pub opening: Vec<Command>,
    /// The script to play.
    pub script: Script,
    /// Whether to show the card of the first start.
    pub introduces: bool,
    /// The trace.
    pub trace: Option<Trace>,
    /// Commands that another program writes while the window is open.
    pub commands: Option<LiveCommands>,
    /// Seconds after which the viewer closes itself.
    pub exit_after: Option<f64>,
}

/// The running viewer.
pub(super) struct App {
    pub viewer: Viewer,
    pub input: Input,
    pub toasts: Toasts,
    pub script: Script,
    pub commands: Option<LiveInput>,
    pub trace: Option<Trace>,
    pub files: Files,
    pub dialog: Dialog,
    pub gallery: Gallery,
    pub filming: Option<WindowFilm>,
    pub choices: Choices,
    pub clock: Clock,
    pub size: (u32, u32),
    /// Wakes the window from other threads.
    pub wake: EventLoopProxy<Wake>,
    pub live: Option<OpenWindow>,
    pub failure: Option<AppError>,
    /// Whether the program ends when all events have been handled.
    pub exits: bool,
    pub visible: bool,
    /// Whether the side panel is closed because the window became narrow.
    pub closed_panel: bool,
    pub screenshot: Option<(Content, PathBuf)>,
}

/// Keys and the pointer.
#[derive(Default)]
pub(super) struct Input {
    pub bindings: Arc<Bindings>,
    pub pointer: Pointer,
    /// Whether what the pointer is over may have changed.
    pub pointer_moved: bool,
    /// Whether the window has the keyboard. Only then do gamepads do anything.
    pub has_focus: bool,
    /// Whether the pointer is over the window.
    pub pointer_is_inside: bool,
    pub held: HeldKeys,
    pub gamepads: Gamepads,
    /// Keys that were down when the window got the focus. They count as released until they are released.
    pub stale: HashSet<String>,
    pub modifiers: Modifiers,
    pub letters: Letters,
}

/// The open file, and those that may be opened next.
pub(super) struct Files {
    pub file: Option<PathBuf>,
    pub reader: Reader,
    pub watch: Option<Watch>,
    /// Whether to ask before unsaved changes are lost: not where a script or another program drives the window.
    pub asks: bool,
    /// Files that were dropped on the window and are not open yet.
    pub dropped: Vec<PathBuf>,
    /// Files that are being dragged over the window.
    pub hovered: Vec<PathBuf>,
}

/// What the settings file keeps.
pub(super) struct Choices {
    pub settings: Settings,
    pub file: SettingsFile,
    /// Display and window size at the start: only changed choices are stored.
    pub initial: (Display, (u32, u32)),
    pub size_is_requested: bool,
    /// Whether the card of the first start is shown.
    pub introduces: bool,
}

/// When what happened, and what comes next.
pub(super) struct Clock {
    pub started: Instant,
    pub last_frame: Instant,
    /// Seconds that the script clock skipped because the machine slept.
    pub skipped_seconds: f64,
    pub exit_after: Option<f64>,
    /// When the panels want the next picture, if they want one.
    pub panels_wake: Option<Instant>,
    pub frame_clock: FrameClock,
    pub frame_seconds: Option<f64>,
    pub draw_seconds: f64,
    /// Whether nothing moves since the last frame.
    pub idle: bool,
}

impl Clock {
    fn new(exit_after: Option<f64>) -> Self {
        let now = Instant::now();
        Clock {
            started: now,
            last_frame: now,
            skipped_seconds: 0.0,
            exit_after,
            panels_wake: None,
            frame_clock: FrameClock::new(now),
            frame_seconds: None,
            draw_seconds: 0.0,
            idle: true,
        }
    }

    /// So many seconds after the start.
    pub fn at(&self, seconds: f64) -> Instant {
        self.started + Duration::from_secs_f64(seconds)
    }
}

impl App {
    /// `wake` wakes the window from other threads.
    pub fn new(options: Options, wake: EventLoopProxy<Wake>) -> Result<Self, AppError> {
        let (width, height) = options.size;
        let (settings, settings_file) = options.settings;
        let (bindings, warnings) = Bindings::with_changes(&settings.keys);
        let mut toasts = Toasts::default();
        for warning in options.warnings.into_iter().chain(warnings) {
            eprintln!("warning: {}", printable(&warning));
            toasts.failed(warning);
        }
        let is_driven = options.commands.is_some() || options.script.next_time().is_some();
        let files = Files {
            watch: options.file.clone().filter(|_| options.watch).map(Watch::new),
            file: options.file,
            reader: options.reader,
            asks: !is_driven,
            dropped: Vec::new(),
            hovered: Vec::new(),
        };
        let choices = Choices {
            settings,
            file: settings_file,
            initial: (options.display, options.size),
            size_is_requested: options.size_is_requested,
            introduces: options.introduces,
        };
        let mut app = App {
            viewer: Viewer::new(options.scene, options.display, f64::from(width) / f64::from(height.max(1)))
                .with_host(crate::host::host()),
            input: Input { bindings: Arc::new(bindings), letters: Letters::of_keyboard(), ..Input::default() },
            toasts,
            script: options.script,
            commands: options.commands.map(|commands| commands.listen(look(&wake))),
            trace: options.trace,
            files,
            dialog: Dialog::default(),
            gallery: Gallery::default(),
            filming: None,
            choices,
            clock: Clock::new(options.exit_after),
            size: options.size,
            wake,
            live: None,
            failure: None,
            exits: false,
            visible: true,
            closed_panel: false,
            screenshot: None,
        };
        if let Some(file) = app.files.file.clone() {
            app.choices.settings.remember(&file);
        }
        for command in options.opening {
            app.viewer.apply(command)?;
        }
        app.show_scene_messages();
        Ok(app)
    }

    /// Physical pixels per logical pixel.
    pub fn scale_factor(&self) -> f64 {
        self.live.as_ref().map_or(1.0, |live| live.window.scale_factor())
    }

    /// Size of the picture in logical pixels.
    pub fn logical_size(&self) -> [f64; 2] {
        let scale = self.scale_factor();
        let (width, height) = self.live.as_ref().map_or(self.size, |live| live.size);
        [f64::from(width) / scale, f64::from(height) / scale]
    }

    pub fn has_room_for_panel(&self) -> bool {
        hud::has_room_for_panel(self.logical_size()[0], self.viewer.display().font_scale)
    }

    /// Closes the side panel when the window becomes narrow, and opens it again when it becomes wide. `had_room`:
    /// whether there was room for it before the change.
    pub fn adapt_side_panel(&mut self, had_room: bool) {
        let now = self.has_room_for_panel();
        let (closes, opens) = (had_room && !now && self.viewer.display().shows(Show::Panel), !had_room && now);
        if closes || (opens && self.closed_panel) {
            self.apply(Command::Display(DisplayCommand::Show(Show::Panel, opens)));
        }
        self.closed_panel = closes || (self.closed_panel && !opens);
    }

    pub fn request_redraw(&self) {
        if let Some(live) = &self.live {
            live.window.request_redraw();
        }
    }
}

/// A watched file and its last known state.
pub(super) struct Watch {
    path: PathBuf,
    modified: Option<SystemTime>,
    checked: Instant,
}

impl Watch {
    pub fn new(path: PathBuf) -> Self {
        Watch { modified: modified(&path), path, checked: Instant::now() }
    }

    pub fn next_check(&self) -> Instant {
        self.checked + INTERVAL
    }

    /// Checks the file if the interval has passed. Returns whether it has changed since the last check.
    pub fn has_changed(&mut self) -> bool {
        if self.checked.elapsed() < INTERVAL {
            return false;
        }
        self.checked = Instant::now();
        let now = modified(&self.path);
        let changed = now.is_some() && now != self.modified;
        if changed {
            self.modified = now;
        }
        changed
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// A film and its clock.
pub(super) struct WindowFilm {
    pub film: LiveFilm,
    /// Whether the panels are hidden for it, and come back at its end.
    pub hides_panels: bool,
    started: Instant,
    /// Time of the last picture.
    last: Instant,
}

/// Longest time between two pictures. Longer gaps are sleeps of the machine, which the film skips.
const MAX_GAP: Duration = Duration::from_secs(2);

impl WindowFilm {
    pub fn new(film: LiveFilm, hides_panels: bool) -> Self {
        let now = Instant::now();
        WindowFilm { film, hides_panels, started: now, last: now }
    }

    /// Adds a picture at the current time.
    pub fn add(&mut self, picture: image::RgbaImage) {
        self.started += self.slept();
        self.last = Instant::now();
        self.film.offer(self.seconds(), picture);
    }

    /// The progress; `None` once the film has ended.
    pub fn info(&self) -> Option<FilmInfo> {
        let frames = self.film.frames();
        self.film.is_running().then(|| FilmInfo { seconds: self.seconds(), frames })
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().saturating_sub(self.slept()).as_secs_f64()
    }

    /// Time that the machine has slept since the last picture.
    fn slept(&self) -> Duration {
        self.last.elapsed().saturating_sub(MAX_GAP)
    }

    /// Time of the next picture; `None` once the film has ended.
    pub fn next_picture(&self) -> Option<Instant> {
        self.film.is_running().then(|| self.started + self.slept() + Duration::from_secs_f64(self.film.next_time()))
    }
}
