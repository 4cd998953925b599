//! The state of the viewer in a page: events become commands, and each frame a picture.

use crate::files;
use crate::input::{Event, egui_modifiers, for_egui, modifiers};
use crate::messages::{Ask, Message, Start, Told};
use crate::pace::Pace;
use crate::painter::Painter;
use egui::{CursorIcon, Popup, pos2};
use fabrik3d_scene::{FileFormat, OpenOptions, Scene};
use fabrik3d_viewer::dropped::{Dropped, is_recording};
use fabrik3d_viewer::hud::{self, Card, CommandPalette, Info, Shelf, Toasts, apply_theme, file_name};
use fabrik3d_viewer::page::Page;
use fabrik3d_viewer::session::command::{
    AppCommand, CameraCommand, DisplayCommand, MotionCommand, SessionCommand, Show,
};
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::session::{Command, FileCommand, Playback};
use fabrik3d_viewer::view::frame::Quality;
use fabrik3d_viewer::view::{
    Action, Bindings, DeviceReport, Gamepads, Heard, HeldKeys, Hover, LoadedMeshes, Modifiers, Pointer, Viewer,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest time step of a frame in seconds: the scene does not jump after a sleep.
const MAX_STEP: f64 = 0.1;
/// Time step of the first frame after an idle time, seconds.
const FIRST_STEP: f64 = 1.0 / 60.0;
/// Keys and the pointer.
#[derive(Default)]
struct Input {
    bindings: Arc<Bindings>,
    pointer: Pointer,
    held: HeldKeys,
    gamepads: Gamepads,
    modifiers: Modifiers,
    /// Labels of the keys that were pressed, by their codes.
    letters: HashMap<String, String>,
    /// What egui has not seen yet.
    for_panels: Vec<egui::Event>,
    /// Whether what the pointer is over may have changed.
    pointer_moved: bool,
}

/// The running viewer.
pub struct App {
    viewer: Viewer,
    input: Input,
    toasts: Toasts,
    script: Script,
    painter: Painter,
    meshes: LoadedMeshes,
    egui: egui::Context,
    /// Logical pixels.
    size: [f64; 2],
    pixels_per_point: f64,
    pace: Pace,
    is_fine: bool,
    renderer: String,
    started: f64,
    last_frame: f64,
    frame_seconds: Option<f64>,
    idle: bool,
    /// Whether the side panel is closed because the canvas became narrow.
    closed_panel: bool,
    /// The page, to open its scene again.
    page: Page,
    hovered: Vec<PathBuf>,
    /// The list of all commands, while it is open.
    palette: Option<CommandPalette>,
    told: Told,
}

impl App {
    /// Opens the scene of the page. `start` is JSON.
    ///
    /// # Errors
    /// The scene cannot be read, or the driver cannot draw.
    pub fn new(start: &str, size: [f64; 2], pixels_per_point: f64, now: f64) -> Result<Self, String> {
        let start = Start::read(start)?;
        let scene = start.page.open(files::open).map_err(|error| error.to_string())?;
        let is_fine = start.is_fine();
        let quality = if is_fine { Quality::Fine } else { Quality::Fast };
        let script = start.page.script.parse().map_err(|error| format!("The script in this page: {error}"))?;
        let display = start.page.display().with(Show::Panel, hud::has_room_for_panel(size[0], 1.0));
        let mut app = App {
            viewer: Viewer::new(scene, display, aspect(size)).with_host(files::host()),
            input: Input::default(),
            toasts: Toasts::default(),
            script,
            painter: Painter::new(quality)?,
            meshes: LoadedMeshes::default(),
            egui: egui::Context::default(),
            size,
            pixels_per_point,
            pace: Pace::new(is_fine, pixels_per_point),
            is_fine,
            renderer: start.renderer,
            started: now,
            last_frame: now,
            frame_seconds: None,
            idle: true,
            closed_panel: false,
            page: start.page,
            hovered: Vec::new(),
            palette: None,
            told: Told::new(start.framed),
        };
        for command in app.page.recording.commands() {
            app.apply(command);
        }
        app.show_scene_messages();
        Ok(app)
    }

    /// Opens files that were dropped: a scene, and a motion in it.
    pub fn open_dropped(&mut self, names: Vec<PathBuf>) {
        self.hovered.clear();
        let Dropped { mut scene, mut motion, others } = Dropped::sorted(names);
        // A recording alone moves the body that is open.
        let has_body = self.viewer.session().scene().assets.source.is_some();
        if motion.is_none() && has_body && scene.as_deref().is_some_and(is_recording) {
            motion = scene.take();
        }
        let is_open = scene.is_none_or(|scene| self.open(&scene));
        if let Some(motion) = motion.filter(|_| is_open) {
            self.apply(Command::Session(SessionCommand::Motion(MotionCommand::Open(motion, Vec::new(), None))));
        }
        // Meshes and pictures of the scene come with it.
        let opens = |path: &&PathBuf| FileFormat::of(path).is_some_and(FileFormat::opens_as_scene);
        let names: Vec<_> = others.iter().filter(opens).map(|path| file_name(path)).collect();
        if !names.is_empty() {
            let names = names.join(", ");
            self.toasts.warned(format!("Only one scene and one motion can be opened at a time. Ignored: {names}"));
        }
    }

    fn open(&mut self, path: &Path) -> bool {
        match files::open(path, &OpenOptions::default()) {
            Err(error) => self.toasts.failed(error.to_string()),
            Ok(scene) => {
                self.toasts.dismiss(None);
                self.show(scene);
                self.page.file = path.to_owned();
                self.page.text = None;
                self.show_scene_messages();
                return true;
            }
        }
        false
    }

    fn show(&mut self, scene: Scene) {
        let viewer = Viewer::new(scene, *self.viewer.display(), self.viewer.lens().aspect);
        self.viewer = viewer.with_host(files::host());
        self.input.pointer.let_go();
    }

    /// Shows the first warning of the reader, and how to play the clips of the scene.
    fn show_scene_messages(&mut self) {
        let session = self.viewer.session();
        if let Some(warning) = session.scene().warnings().first() {
            self.toasts.warned(format!("Warning: {warning}"));
        }
        if let Some(remark) = session.motion().and_then(Playback::remark) {
            self.toasts.remarked(&remark);
        }
    }

    /// Draws the next picture; see `frame` of the page.
    pub fn frame(&mut self, now: f64) -> f64 {
        let passed = now - self.last_frame;
        self.last_frame = now;
        let dt = passed.clamp(0.0, if self.idle { FIRST_STEP } else { MAX_STEP });
        for command in self.script.due(now - self.started) {
            self.apply(command);
        }
        self.input.pointer_moved |= self.viewer.is_moving();
        self.update_hover();
        let modifiers = self.input.modifiers.and(self.input.gamepads.modifiers());
        self.viewer.tick(dt, &mut self.input.held, modifiers);
        self.told.state(&self.viewer, passed);
        self.toasts.tick(passed);
        self.frame_seconds = (!self.idle).then_some(passed);
        self.frame_seconds.inspect(|seconds| self.pace.note(*seconds));
        self.idle = !self.viewer.is_moving() && self.input.held.is_empty();
        let delay = match self.draw(now) {
            Ok(delay) => delay,
            Err(reason) => {
                Message::Fault(&reason).tell();
                return -1.0;
            }
        };
        if !self.idle {
            return 0.0;
        }
        let script = self.script.next_time().map(|time| (time - (now - self.started)).max(0.0));
        [script, self.toasts.next_end(), delay].into_iter().flatten().reduce(f64::min).unwrap_or(-1.0)
    }

    /// Draws picture and panels, and executes the commands of the panels. Returns in how many seconds the panels want the next
    /// picture.
    fn draw(&mut self, now: f64) -> Result<Option<f64>, String> {
        apply_theme(&self.egui, self.viewer.display().theme);
        self.egui.set_zoom_factor(self.viewer.display().font_scale);
        let (info, input) = (self.info(), self.egui_input(now));
        let context = self.egui.clone();
        let mut commands = Vec::new();
        let output = context.run(input, |context| {
            commands = hud::hud(context, &self.viewer, &info, |code| self.input.letters.get(code).cloned());
            if let Some(chosen) = self.palette.as_mut().and_then(|palette| palette.show(context)) {
                self.palette = None;
                commands.extend(chosen);
            }
            if !context.is_pointer_over_area() && self.viewer.hover().is_some_and(Hover::can_be_dragged) {
                let is_dragging = self.input.pointer.is_dragging();
                context.set_cursor_icon(if is_dragging { CursorIcon::Grabbing } else { CursorIcon::Grab });
            }
        });
        if let Some(text) = hud::take_refused(&context) {
            self.toasts.failed(format!("“{text}” is not a number. Type one without a unit, such as 0.4."));
        }
        if let Some(meshes) = self.meshes.fresh(self.viewer.session().scene()) {
            self.painter.set_meshes(meshes)?;
        }
        let points = context.content_rect().size();
        self.viewer.set_free_area(hud::free_area(&self.viewer, [points.x.into(), points.y.into()]));
        let canvas = self.canvas();
        let pixels = self.pace.scale(!self.idle);
        let scale = |side: u32| (f64::from(side) * pixels).round().max(1.0) as u32;
        // Larger text comes with wider lines.
        let lines = self.pixels_per_point * pixels * f64::from(self.viewer.display().font_scale.max(1.0));
        self.painter.draw(&self.viewer.picture(), (scale(canvas.0), scale(canvas.1)), canvas, lines as f32)?;
        let shapes = context.tessellate(output.shapes, output.pixels_per_point);
        self.painter.draw_panels(canvas, output.pixels_per_point, &shapes, &output.textures_delta);
        self.told.of_panels(output.platform_output);
        for command in commands {
            self.apply(command);
        }
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        // egui asks for none with the longest possible delay.
        Ok(delay.map(|delay| delay.as_secs_f64()).filter(|delay| *delay < 1e6))
    }

    /// Size of the canvas in pixels.
    fn canvas(&self) -> (u32, u32) {
        let [width, height] = self.size.map(|side| ((side * self.pixels_per_point).round() as u32).max(1));
        (width, height)
    }

    fn egui_input(&mut self, now: f64) -> egui::RawInput {
        let zoom = self.egui.zoom_factor();
        let [width, height] = self.size.map(|side| side as f32 / zoom);
        let native_pixels_per_point = Some(self.pixels_per_point as f32);
        let viewport = egui::ViewportInfo { native_pixels_per_point, ..egui::ViewportInfo::default() };
        egui::RawInput {
            screen_rect: Some(hud::screen(egui::vec2(width, height))),
            time: Some(now - self.started),
            modifiers: egui_modifiers(self.input.modifiers),
            max_texture_side: Some(Painter::largest_texture()),
            viewports: [(egui::ViewportId::ROOT, viewport)].into_iter().collect(),
            events: std::mem::take(&mut self.input.for_panels),
            focused: true,
            ..egui::RawInput::default()
        }
    }

    /// What the panels show besides the viewer's state.
    fn info(&self) -> Info {
        Info {
            frame_seconds: self.frame_seconds,
            toasts: self.toasts.list().to_vec(),
            renderer: self.renderer.clone(),
            bindings: self.input.bindings.clone(),
            shelf: shelf(),
            interactive: true,
            hovered: self.hovered.clone(),
            has_gamepad: self.input.gamepads.is_any(),
            ..Info::default()
        }
    }

    /// What happens with an event: panels see it, then the scene. Returns whether the browser must not use it too.
    pub fn event(&mut self, event: Event, modifier_bits: u32) -> bool {
        if let Event::Gamepad(report, listens) = event {
            self.hear_gamepad(report, listens);
            return true;
        }
        self.input.modifiers = modifiers(modifier_bits);
        let scrolls = self.viewer.display().shows(Show::Help) && is_page_key(&event);
        let takes_keys = self.egui.wants_keyboard_input() || self.palette.is_some() || scrolls;
        let zoom = self.egui.zoom_factor();
        self.input.for_panels.extend(for_egui(&event, self.input.modifiers, zoom, takes_keys));
        match event {
            // What is pasted comes from the browser.
            Event::Key { key, is_down: true, .. } if takes_keys => !(self.input.modifiers.ctrl && key == "v"),
            Event::Key { code, key, is_down, repeat } => self.key(&code, &key, is_down, repeat),
            event => {
                self.pointer_event(event);
                true
            }
        }
    }

    /// Does what a gamepad reports. Like keys, it does nothing while something else has the keyboard.
    fn hear_gamepad(&mut self, report: DeviceReport, listens: bool) {
        let input = &mut self.input;
        let bindings = (listens && self.palette.is_none()).then_some(&*input.bindings);
        match input.gamepads.hear(report, bindings, &mut input.held) {
            Heard::Commands(commands) => commands.into_iter().for_each(|command| self.apply(command)),
            Heard::News(text) => self.toasts.done(text),
            Heard::Warning(text) => self.toasts.warned(text),
        }
    }

    fn pointer_event(&mut self, event: Event) {
        let (size, modifiers) = (self.size, self.input.modifiers);
        match event {
            Event::Moved(at) => self.move_pointer(at),
            Event::Button { at, button, is_down: true } => {
                self.move_pointer(at);
                if self.egui.is_using_pointer() || self.is_over_panel() {
                    return;
                }
                self.leave_text_field();
                let commands =
                    self.input.pointer.press(button, self.last_frame - self.started, modifiers, size, &self.viewer);
                commands.into_iter().for_each(|command| self.apply(command));
            }
            Event::Button { button, .. } => {
                if let Some(command) = self.input.pointer.release(button, size, &self.viewer) {
                    self.apply(command);
                }
                self.input.pointer_moved = true;
            }
            Event::Left if !self.input.pointer.is_dragging() => drop(self.viewer.set_hover(None)),
            Event::Wheel { lines } if !self.is_over_panel() => {
                let command = self.input.pointer.wheel(lines, modifiers, size);
                self.apply(command);
            }
            Event::Pinch { factor, way: [x, y] } => {
                // The first finger may have begun a drag before the second one came.
                self.input.pointer.let_go();
                let height = size[1].max(1.0);
                self.apply(Command::Camera(CameraCommand::Zoom(factor, None)));
                self.apply(Command::Camera(CameraCommand::Pan(x / height, -y / height)));
            }
            Event::Resized { size, pixels_per_point } => self.resize(size, pixels_per_point),
            Event::Blurred => {
                self.input.held.clear();
                self.input.pointer.let_go();
                self.input.modifiers = Modifiers::default();
            }
            Event::Hovered(names) => self.hovered = names.into_iter().map(PathBuf::from).collect(),
            _ => {}
        }
    }

    fn move_pointer(&mut self, at: [f64; 2]) {
        if let Some(command) = self.input.pointer.moved(at, self.input.modifiers, self.size, &self.viewer) {
            self.apply(command);
        }
        self.input.pointer_moved = true;
    }

    /// Finds what the pointer is over, once for all events that have arrived.
    fn update_hover(&mut self) {
        if std::mem::take(&mut self.input.pointer_moved) {
            let is_over_scene = self.input.pointer.is_dragging() || !self.is_over_panel();
            let hover = is_over_scene.then(|| self.input.pointer.hover(self.size, &self.viewer)).flatten();
            self.viewer.set_hover(hover);
        }
    }

    /// Whether a panel is under the pointer. egui itself learns of a new position with the next picture only.
    fn is_over_panel(&self) -> bool {
        let [x, y] = self.input.pointer.position().map(|at| at as f32 / self.egui.zoom_factor());
        self.egui.layer_id_at(pos2(x, y)).is_some_and(|layer| layer.order != egui::Order::Background)
    }

    /// Takes the keys from a text field. By itself it leaves them at a click elsewhere, but not at a drag.
    fn leave_text_field(&self) {
        self.egui.memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }

    fn resize(&mut self, size: [f64; 2], pixels_per_point: f64) {
        let has_room = |app: &App| hud::has_room_for_panel(app.size[0], app.viewer.display().font_scale);
        let had_room = has_room(self);
        (self.size, self.pixels_per_point) = (size, pixels_per_point);
        self.pace = Pace::new(self.is_fine, pixels_per_point);
        let now = has_room(self);
        let (closes, opens) = (had_room && !now && self.viewer.display().shows(Show::Panel), !had_room && now);
        if closes || (opens && self.closed_panel) {
            self.apply(Command::Display(DisplayCommand::Show(Show::Panel, opens)));
        }
        self.closed_panel = closes || (self.closed_panel && !opens);
        self.viewer.resize(aspect(size));
    }

    /// Returns whether the key does something here.
    fn key(&mut self, code: &str, letter: &str, is_down: bool, repeat: bool) -> bool {
        if !is_down {
            self.input.held.release(code);
            return false;
        }
        let is_letter = letter.chars().count() == 1 && letter != " " && !code.starts_with("Digit");
        if is_letter && !self.input.modifiers.ctrl {
            self.input.letters.insert(code.to_owned(), letter.to_uppercase());
        }
        // During a drag, X, Y and Z lock axes.
        let axis = ["x", "y", "z"].iter().position(|name| letter.eq_ignore_ascii_case(name));
        if let Some(axis) = axis
            && (repeat || self.input.pointer.lock(axis))
            && self.input.pointer.is_dragging()
        {
            self.move_pointer(self.input.pointer.position());
            return true;
        }
        // With Ctrl, keys are bound by letter as in all programs: Ctrl+Z is the key labelled Z.
        let is_plain = letter.len() == 1 && letter.starts_with(|sign: char| sign.is_ascii_alphabetic());
        let lettered = (is_plain && self.input.modifiers.ctrl).then(|| format!("Key{}", letter.to_ascii_uppercase()));
        match self.input.bindings.action(lettered.as_deref().unwrap_or(code), self.input.modifiers).cloned() {
            // Browsers read the page again with this key, which is the same.
            None | Some(Action::Do(Command::App(AppCommand::Reload | AppCommand::Quit | AppCommand::Panels))) => false,
            Some(Action::Move(direction)) => {
                if !repeat {
                    self.input.held.press(code, direction);
                }
                true
            }
            Some(Action::Do(command)) => {
                if !repeat {
                    self.apply(command);
                }
                true
            }
        }
    }

    /// Executes a command, or shows why it fails.
    fn apply(&mut self, command: Command) {
        let has_remark = matches!(command, Command::Session(_) | Command::Display(_));
        if matches!(command, Command::App(AppCommand::Cancel)) && self.close_something() {
            return;
        }
        match self.viewer.apply_by_hand(command) {
            Ok(None) => {
                if let Some(remark) = self.viewer.remark().filter(|_| has_remark).cloned() {
                    self.toasts.remarked(&remark);
                }
            }
            Ok(Some(command)) => self.apply_app(command),
            Err(error) => {
                let label = |code: &str| self.input.letters.get(code).cloned();
                self.toasts.failed(hud::error_message(&error, &self.input.bindings, label));
            }
        }
    }

    /// What Esc closes first: warnings, which cover everything else, and menus. Keys do not reach egui, which would close these
    /// itself.
    fn close_something(&mut self) -> bool {
        if self.toasts.has_problem() && !self.input.pointer.drags_target() {
            return self.toasts.dismiss(None);
        }
        let is_open = Popup::is_any_open(&self.egui);
        if is_open {
            Popup::close_all(&self.egui);
        }
        is_open
    }

    fn apply_app(&mut self, command: AppCommand) {
        match command {
            AppCommand::Screenshot(_, path) => {
                let name = path.map_or_else(|| "fabrik3d.png".to_owned(), |path| file_name(&path).into_owned());
                Message::Picture(&name).tell();
            }
            AppCommand::File(FileCommand::Open(Some(scene))) => drop(self.open(&scene)),
            AppCommand::File(FileCommand::Open(None) | FileCommand::AskForMotion) => Message::Choose.tell(),
            AppCommand::File(FileCommand::Save(path)) => self.save(path.as_deref()),
            AppCommand::File(FileCommand::Record(..)) => {
                self.toasts.warned("A page records no films: the program does, with the same scene.");
            }
            AppCommand::Palette => {
                let Input { bindings, letters, .. } = &self.input;
                let key = |command: &Command| bindings.key_for(command, |code| letters.get(code).cloned());
                self.palette = Some(CommandPalette::new(key, crate::examples::titles()));
            }
            AppCommand::Reload | AppCommand::Quit | AppCommand::Panels => {}
            AppCommand::Fullscreen => Message::Fullscreen.tell(),
            AppCommand::Cancel => {
                if let Some(commands) = self.input.pointer.cancel() {
                    return commands.into_iter().for_each(|command| self.apply(command));
                }
                if self.viewer.display().shows(Show::Help) {
                    self.apply(Command::Display(DisplayCommand::Show(Show::Help, false)));
                }
            }
            AppCommand::Dismiss(number) => drop(self.toasts.dismiss(number)),
            AppCommand::Messages => self.toasts.recall(),
        }
    }

    /// Lets the browser save the present state of the scene as a scene file.
    fn save(&mut self, path: Option<&Path>) {
        let scene = self.viewer.scene_now();
        let stem = path.unwrap_or(&self.page.file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.map(|stem| stem.rsplit(':').next().unwrap_or_default().to_owned());
        let name = format!("{}.toml", stem.unwrap_or_else(|| "scene".to_owned()));
        Message::Save(&name, scene.to_toml().as_bytes()).tell();
        self.viewer.mark_saved();
    }

    /// Answers a question as JSON.
    pub fn answer(&self, question: Ask) -> String {
        question.answer(&self.viewer, &self.toasts)
    }
}

/// The examples. A page has no pictures of them.
fn shelf() -> Shelf {
    let lines = crate::examples::titles().iter().zip(crate::examples::summaries());
    let cards = lines.map(|((path, title), line)| Card {
        path: path.into(),
        title: title.clone(),
        line: line.clone(),
        picture: None,
    });
    Shelf { cards: cards.collect(), recent: Vec::new() }
}

fn aspect([width, height]: [f64; 2]) -> f64 {
    width / height.max(1.0)
}

/// Whether an event is a key that scrolls the help.
fn is_page_key(event: &Event) -> bool {
    matches!(event, Event::Key { code, .. } if matches!(code.as_str(), "PageDown" | "PageUp" | "Home" | "End"))
}
