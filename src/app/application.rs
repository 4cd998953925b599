//! The state of the viewer.

use super::dialog::Dialog;
use super::error::AppError;
use super::letters::Letters;
use super::options::{Options, Reader};
use super::settings::{Settings, SettingsFile};
use super::watch::Watch;
use super::window::Live;
use super::window_film::WindowFilm;
use crate::hud::{self, Toasts};
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show, Theme};
use crate::session::script::Script;
use crate::view::{Bindings, HeldKeys, Modifiers, Pointer, Stage};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use winit::event_loop::ActiveEventLoop;

/// The viewer while it runs.
pub(super) struct App {
    pub stage: Stage,
    pub bindings: Arc<Bindings>,
    pub pointer: Pointer,
    pub held: HeldKeys,
    /// Keys that were down already when the window got the keyboard: they count as up until they are.
    pub stale: HashSet<String>,
    pub modifiers: Modifiers,
    pub letters: Letters,
    pub toasts: Toasts,
    pub script: Script,
    pub trace: Option<Box<dyn Write>>,
    pub file: Option<PathBuf>,
    pub reader: Reader,
    pub watch: Option<Watch>,
    pub dialog: Dialog,
    pub filming: Option<WindowFilm>,
    pub settings: Settings,
    pub settings_file: SettingsFile,
    /// Theme, font scale and window size at the start: only what is changed here is remembered.
    pub chosen: (Theme, f32, (u32, u32)),
    pub exit_after: Option<f64>,
    pub size: (u32, u32),
    pub size_is_requested: bool,
    pub live: Option<Live>,
    pub failure: Option<AppError>,
    pub started: Instant,
    pub last_frame: Instant,
    /// Time that the machine slept through, as far as the script is concerned.
    pub slept: f64,
    /// Files that were dropped on the window together.
    pub dropped: Vec<PathBuf>,
    /// Files that are held over it.
    pub hovered: Vec<PathBuf>,
    /// Whether nothing moved after the last frame.
    pub idle: bool,
    pub visible: bool,
    /// Whether the side panel was closed because the window became narrow.
    pub closed_panel: bool,
    pub frame_seconds: Option<f64>,
    pub draw_seconds: f64,
    pub screenshot: Option<PathBuf>,
}

impl App {
    pub fn new(options: Options) -> Result<Self, AppError> {
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
            stage: Stage::new(options.scene, options.display, f64::from(width) / f64::from(height.max(1))),
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
            size_is_requested: options.size_is_requested,
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
    pub fn logical_size(&self) -> [f64; 2] {
        let scale = self.live.as_ref().map_or(1.0, Live::scale_factor);
        let (width, height) = self.live.as_ref().map_or(self.size, Live::size);
        [f64::from(width) / scale, f64::from(height) / scale]
    }

    pub fn has_room_for_panel(&self) -> bool {
        hud::has_room_for_panel(self.logical_size()[0], self.stage.display().font_scale)
    }

    /// A window that becomes narrow closes the side panel, and opens it again when it becomes wide; `before` there was room.
    pub fn make_room_beside_panel(&mut self, before: bool, event_loop: &ActiveEventLoop) {
        let now = self.has_room_for_panel();
        let (closes, opens) = (before && !now && self.stage.display().shows(Show::Panel), !before && now);
        if closes || (opens && self.closed_panel) {
            self.apply(Command::Display(DisplayCommand::Show(Show::Panel, opens)), event_loop);
        }
        self.closed_panel = closes || (self.closed_panel && !opens);
    }

    pub fn request_redraw(&self) {
        if let Some(live) = &self.live {
            live.window.request_redraw();
        }
    }
}
