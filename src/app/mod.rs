//! The window: winit events become commands, the stage becomes pictures. Nothing else lives here.

mod dialog;
mod environment;
mod error;
mod events;
mod files;
mod filming;
mod gl;
mod letters;
mod settings;
mod window;

pub use environment::EnvironmentError;
pub use error::WindowError;
pub use settings::{Settings, SettingsFile};

use crate::hud::{self, Info, Toasts, apply_theme};
use crate::record::save_png;
use crate::render::{DrawError, RenderError};
use crate::session::command::{AppCommand, DisplayCommand, Show, Theme};
use crate::session::script::Script;
use crate::session::{Command, CommandError, FileCommand, Playback, Remark};
use crate::view::trace::TraceLine;
use crate::view::{Bindings, Display, HeldKeys, Modifiers, Pointer, Viewer};
use dialog::Dialog;
use fabrik3d_scene::Scene;
use files::Watch;
use filming::Filming;
use letters::Letters;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use window::Live;
use winit::event_loop::ActiveEventLoop;
use winit::window::Fullscreen;

/// Reads the scene of a file; the message says what is wrong with it.
pub type Reader = Box<dyn Fn(&Path) -> Result<Scene, String>>;

/// What the viewer is started with.
pub struct Options {
    /// The scene to show.
    pub scene: Scene,
    /// The scene's file; none: there is no file.
    pub file: Option<PathBuf>,
    /// Reads scenes: the file again, or others.
    pub reader: Reader,
    /// Whether to reload the file whenever it changes.
    pub watch: bool,
    /// What was remembered from the last time, and where it is kept.
    pub settings: (Settings, SettingsFile),
    /// What could not be understood of it.
    pub warnings: Vec<String>,
    /// Theme, font scale and what is shown.
    pub display: Display,
    /// Size of the window, logical pixels.
    pub size: (u32, u32),
    /// Whether somebody asked for this size: any other is no larger than the screen.
    pub size_is_asked_for: bool,
    /// Commands carried out before the first picture.
    pub opening: Vec<Command>,
    /// Commands to play.
    pub script: Script,
    /// Where each frame's trace line goes.
    pub trace: Option<Box<dyn Write>>,
    /// Seconds after which the viewer closes by itself.
    pub exit_after: Option<f64>,
}

/// Why the viewer ended otherwise than by being closed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// No window system, or not a usable one.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// OpenGL is missing or too old.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The renderer cannot be set up.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// A command for the beginning could not be carried out.
    #[error(transparent)]
    Opening(#[from] CommandError),
    /// The trace could not be written.
    #[error("cannot write the trace: {0}")]
    Trace(std::io::Error),
}

/// Longest step of time that one frame makes: after a sleep or a dragged window the scene goes on, it does not leap.
const LONGEST_STEP: f64 = 0.1;
/// Step of the first frame after a pause in which nothing moved.
const FIRST_STEP: f64 = 1.0 / 60.0;
/// Latest that a command of a script is carried out, seconds. What is later comes of a sleep of the machine.
const LATEST: f64 = 1.0;
/// How often the scene's file is looked at.
const WATCH_EVERY: Duration = Duration::from_millis(400);

/// Opens the window and runs until it is closed.
pub fn run(options: Options) -> Result<(), AppError> {
    let event_loop = environment::event_loop()?;
    let mut app = App::new(options)?;
    event_loop.run_app(&mut app).map_err(EnvironmentError::EventLoop)?;
    app.trace_flush();
    app.failure.map_or(Ok(()), Err)
}

struct App {
    stage: Viewer,
    bindings: Arc<Bindings>,
    pointer: Pointer,
    held: HeldKeys,
    /// Keys that were down already when the window got the keyboard: they count as up until they are.
    stale: HashSet<String>,
    modifiers: Modifiers,
    letters: Letters,
    toasts: Toasts,
    script: Script,
    trace: Option<Box<dyn Write>>,
    file: Option<PathBuf>,
    reader: Reader,
    watch: Option<Watch>,
    dialog: Dialog,
    filming: Option<Filming>,
    settings: Settings,
    settings_file: SettingsFile,
    /// Theme, font scale and window size at the start: only what is changed here is remembered.
    chosen: (Theme, f32, (u32, u32)),
    exit_after: Option<f64>,
    size: (u32, u32),
    size_is_asked_for: bool,
    live: Option<Live>,
    failure: Option<AppError>,
    started: Instant,
    last_frame: Instant,
    /// Time that the machine slept through, as far as the script is concerned.
    slept: f64,
    /// Files that were dropped on the window together.
    dropped: Vec<PathBuf>,
    /// Files that are held over it.
    hovered: Vec<PathBuf>,
    /// Whether nothing moved after the last frame.
    idle: bool,
    visible: bool,
    /// Whether the side panel was closed because the window became narrow.
    closed_panel: bool,
    frame_seconds: Option<f64>,
    draw_seconds: f64,
    screenshot: Option<PathBuf>,
}

impl App {
    fn new(options: Options) -> Result<Self, AppError> {
        let (width, height) = options.size;
        let now = Instant::now();
        let (settings, settings_file) = options.settings;
        let (bindings, complaints) = Bindings::with_changes(&settings.keys);
        let mut toasts = Toasts::default();
        for warning in options.warnings.into_iter().chain(complaints) {
            eprintln!("warning: {warning}");
            toasts.failed(warning);
        }
        let mut app = App {
            stage: Viewer::new(options.scene, options.display, f64::from(width) / f64::from(height.max(1))),
            bindings: Arc::new(bindings),
            pointer: Pointer::default(),
            held: HeldKeys::default(),
            stale: HashSet::new(),
            modifiers: Modifiers::default(),
            letters: Letters::of_keyboard(),
            toasts,
            script: options.script,
            trace: options.trace,
            watch: options.file.clone().filter(|_| options.watch).map(Watch::new),
            file: options.file,
            reader: options.reader,
            dialog: Dialog::default(),
            filming: None,
            settings,
            settings_file,
            chosen: (options.display.theme, options.display.font_scale, options.size),
            exit_after: options.exit_after,
            size: options.size,
            size_is_asked_for: options.size_is_asked_for,
            live: None,
            failure: None,
            started: now,
            last_frame: now,
            slept: 0.0,
            dropped: Vec::new(),
            hovered: Vec::new(),
            idle: true,
            visible: true,
            closed_panel: false,
            frame_seconds: None,
            draw_seconds: 0.0,
            screenshot: None,
        };
        if let Some(file) = app.file.clone() {
            app.settings.remember(&file);
        }
        for command in options.opening {
            app.stage.apply(command)?;
        }
        app.tell_of_scene();
        Ok(app)
    }

    /// Logical size of the picture.
    fn logical_size(&self) -> [f64; 2] {
        let scale = self.live.as_ref().map_or(1.0, Live::scale_factor);
        let (width, height) = self.live.as_ref().map_or(self.size, Live::size);
        [f64::from(width) / scale, f64::from(height) / scale]
    }

    fn has_room_for_panel(&self) -> bool {
        hud::has_room_for_panel(self.logical_size()[0], self.stage.display().font_scale)
    }

    /// A window that becomes narrow closes the side panel, and opens it again when it becomes wide; `before` there was room.
    fn make_room_beside_panel(&mut self, before: bool, event_loop: &ActiveEventLoop) {
        let now = self.has_room_for_panel();
        let (closes, opens) = (before && !now && self.stage.display().shows(Show::Panel), !before && now);
        if closes || (opens && self.closed_panel) {
            self.apply(Command::Display(DisplayCommand::Show(Show::Panel, opens)), event_loop);
        }
        self.closed_panel = closes || (self.closed_panel && !opens);
    }

    fn request_redraw(&self) {
        if let Some(live) = &self.live {
            live.window.request_redraw();
        }
    }

    /// Whether a recording should be followed and nothing does.
    fn follows_nothing(&self) -> bool {
        self.stage.session().motion().is_some_and(Playback::is_idle_follower)
    }

    /// Carries a command out, or says why not.
    fn apply(&mut self, command: Command, event_loop: &ActiveEventLoop) {
        let (hud, followed) = (self.stage.display().shows(Show::Hud), self.follows_nothing());
        let may_remark = matches!(command, Command::Session(_) | Command::Display(_));
        // Esc: what complains lies over everything else.
        if command == Command::App(AppCommand::Cancel) && !self.pointer.drags_target() && self.toasts.complain() {
            self.toasts.dismiss(None);
            return self.request_redraw();
        }
        self.toasts.turn_to(Some(&command));
        match self.stage.apply(command) {
            Ok(None) if hud && !self.stage.display().shows(Show::Hud) => self.toasts.done("F2 brings the panels back."),
            Ok(None) if !followed && self.follows_nothing() => self.toasts.warned(files::NOBODY_FOLLOWS),
            Ok(None) if may_remark => self.pass_on_remark(),
            Ok(None) => {}
            Ok(Some(command)) => self.apply_app(command, event_loop),
            Err(error) => {
                self.toasts.failed(hud::complaint(&error, &self.bindings, |code| self.letters.get(code)));
            }
        }
        self.toasts.turn_to(None);
        self.request_redraw();
    }

    /// Says what the last command had to say.
    fn pass_on_remark(&mut self) {
        match self.stage.remark() {
            Some(remark @ (Remark::Clamped(_) | Remark::ReachFrom { .. } | Remark::Anywhere { .. })) => {
                self.toasts.warned(remark.to_string())
            }
            Some(remark) => self.toasts.done(remark.to_string()),
            None => {}
        }
    }

    fn apply_app(&mut self, command: AppCommand, event_loop: &ActiveEventLoop) {
        match command {
            AppCommand::Screenshot(path) => self.screenshot = Some(path.unwrap_or_else(|| free_name("png"))),
            AppCommand::File(FileCommand::Open(Some(path))) => self.open(&path),
            AppCommand::File(FileCommand::Open(None)) => self.dialog.ask_what_to_open(self.file.as_deref()),
            AppCommand::File(FileCommand::Save(Some(path))) => self.save(&path),
            AppCommand::File(FileCommand::Save(None)) => self.dialog.ask_where_to_save(self.file.as_deref()),
            AppCommand::File(FileCommand::AskForMotion) => self.dialog.ask_for_motion(self.file.as_deref()),
            AppCommand::File(FileCommand::Record(path)) => self.toggle_film(path),
            AppCommand::Reload => self.reload(),
            AppCommand::Fullscreen => {
                if let Some(live) = &self.live {
                    let full = live.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    live.window.set_fullscreen(full);
                }
            }
            AppCommand::Cancel => {
                if let Some(commands) = self.pointer.cancel() {
                    return commands.into_iter().for_each(|command| self.apply(command, event_loop));
                }
                let hide = Command::Display(DisplayCommand::Show(Show::Help, false));
                if self.stage.display().shows(Show::Help) {
                    self.apply(hide, event_loop);
                }
            }
            AppCommand::Dismiss(number) => drop(self.toasts.dismiss(number)),
            AppCommand::Quit => event_loop.exit(),
        }
    }

    /// Seconds that have passed since the last frame: for messages, and for the scene, which sleeps while nothing moves.
    fn step(&mut self) -> (f64, f64) {
        let now = Instant::now();
        let passed = now.duration_since(self.last_frame).as_secs_f64();
        self.last_frame = now;
        (passed, passed.min(if self.idle { FIRST_STEP } else { LONGEST_STEP }))
    }

    /// The script's time, seconds. After a sleep it goes on with its next command, all others keep their distances.
    fn script_time(&mut self) -> f64 {
        let time = self.started.elapsed().as_secs_f64() - self.slept;
        let late = self.script.next_time().map_or(0.0, |next| time - next);
        self.slept += (late - LATEST).max(0.0);
        time - (late - LATEST).max(0.0)
    }

    fn frame(&mut self, event_loop: &ActiveEventLoop) {
        let (passed, dt) = self.step();
        let time = self.script_time();
        for command in self.script.due(time) {
            self.apply(command, event_loop);
        }
        self.stage.tick(dt, &mut self.held, self.modifiers);
        self.toasts.tick(passed);
        let started = Instant::now();
        if let Err(error) = self.draw(event_loop) {
            self.failure = Some(error);
            event_loop.exit();
            return;
        }
        self.draw_seconds = started.elapsed().as_secs_f64();
        self.frame_seconds = Some(self.last_frame.elapsed().as_secs_f64());
        if let Some(trace) = &mut self.trace {
            let line = TraceLine::of(&self.stage, self.frame_seconds.unwrap_or_default());
            if let Err(error) =
                serde_json::to_writer(&mut *trace, &line).map_err(Into::into).and_then(|()| writeln!(trace))
            {
                self.trace = None;
                self.failure = Some(AppError::Trace(error));
                event_loop.exit();
            }
        }
        self.idle = !self.stage.is_moving() && self.held.is_empty();
        if !self.idle {
            self.request_redraw();
        }
    }

    /// Draws stage and panels, carries out what was done in the panels, shows the picture.
    fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(mut live) = self.live.take() else { return Ok(()) };
        let context = live.gui.egui_ctx().clone();
        apply_theme(&context, self.stage.display().theme);
        context.set_zoom_factor(self.stage.display().font_scale);
        let info = Info {
            frame_seconds: self.frame_seconds,
            draw_seconds: self.draw_seconds,
            toasts: self.toasts.list().to_vec(),
            renderer: live.renderer_name.clone(),
            bindings: self.bindings.clone(),
            recent: self.settings.recent.clone(),
            interactive: true,
            film: self.filming.as_ref().and_then(Filming::info),
            hovered: self.hovered.clone(),
        };
        let input = live.gui.take_egui_input(&live.window);
        let (mut commands, mut mark) = (Vec::new(), Vec::new());
        let film_key = self.film_key();
        let output = context.run(input, |context| {
            commands = hud::hud(context, &self.stage, &info, |code| self.letters.get(code));
            commands.extend(self.dialog.show(context));
            mark = info.film.map(|film| hud::film_mark(context, film, film_key.as_deref())).unwrap_or_default();
        });
        live.gui.handle_platform_output(&live.window, output.platform_output);
        let shapes = context.tessellate(output.shapes, output.pixels_per_point);
        live.hold_meshes(self.stage.session().scene())?;
        let points = context.content_rect().size();
        self.stage.set_free_area(hud::free_area(&self.stage, [points.x.into(), points.y.into()]));
        let drawn = live.draw(&self.stage.picture(), &shapes, &output.textures_delta, output.pixels_per_point);
        if let Some(path) = self.screenshot.take() {
            match save_png(&path, &live.image()?) {
                Ok(()) => self.toasts.done(saved(&path)),
                Err(error) => self.toasts.failed(error.to_string()),
            }
            live.window.request_redraw();
        }
        if let Some(filming) = self.filming.as_mut().filter(|filming| filming.wants_picture()) {
            filming.take(live.image()?);
        }
        // Over the finished picture: neither film nor screenshot shows that there is a film.
        live.paint(&context.tessellate(mark, output.pixels_per_point), output.pixels_per_point)?;
        live.show()?;
        drawn?;
        let wants_more = output.viewport_output.values().any(|viewport| viewport.repaint_delay.is_zero());
        if wants_more {
            live.window.request_redraw();
        }
        self.live = Some(live);
        for command in commands {
            self.apply(command, event_loop);
        }
        Ok(())
    }

    fn trace_flush(&mut self) {
        if let Some(Err(error)) = self.trace.as_mut().map(|trace| trace.flush()) {
            self.failure.get_or_insert(AppError::Trace(error));
        }
    }
}

/// What is said of a file that was written: where it is, whatever the working folder.
fn saved(path: &Path) -> String {
    format!("Saved {}", std::path::absolute(path).as_deref().unwrap_or(path).display())
}

/// The first of `fabrik3d-0001.EXT`, `fabrik3d-0002.EXT`, ... that is still free in the working folder.
fn free_name(extension: &str) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("fabrik3d-{number:04}.{extension}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_default()
}
