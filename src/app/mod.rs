//! The window: winit events become commands, the stage becomes pictures. Nothing else lives here.

mod environment;
mod gl;
mod window;

pub use environment::EnvironmentError;
pub use window::WindowError;

use crate::hud::{self, Info, Toasts, apply_theme};
use crate::record::save_png;
use crate::render::{DrawError, RenderError};
use crate::scene::Scene;
use crate::session::Command;
use crate::session::command::{AppCommand, DisplayCommand, Show, Theme};
use crate::session::script::Script;
use crate::view::trace::TraceLine;
use crate::view::{Action, Bindings, Button, Display, HeldKeys, Modifiers, Pointer, Stage};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use window::Live;
use winit::application::ApplicationHandler;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::{KeyCode, PhysicalKey};
use winit::window::{Fullscreen, WindowId};

/// Reads the scene again; the message says what is wrong with the file.
pub type Reader = Box<dyn Fn() -> Result<Scene, String>>;

/// What the viewer is started with.
pub struct Options {
    /// The scene to show.
    pub scene: Scene,
    /// Reads the scene's file again; none: there is no file.
    pub reread: Option<Reader>,
    /// The scene's file, to watch; none: do not watch.
    pub watch: Option<PathBuf>,
    /// Theme, font scale and what is shown.
    pub display: Display,
    /// Size of the window, logical pixels.
    pub size: (u32, u32),
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
    /// The trace could not be written.
    #[error("cannot write the trace: {0}")]
    Trace(std::io::Error),
}

/// Longest step of time that one frame makes: after a sleep or a dragged window the scene goes on, it does not leap.
const LONGEST_STEP: f64 = 0.1;
/// Step of the first frame after a pause in which nothing moved.
const FIRST_STEP: f64 = 1.0 / 60.0;
/// How often the scene's file is looked at.
const WATCH_EVERY: Duration = Duration::from_millis(400);

/// Opens the window and runs until it is closed.
pub fn run(options: Options) -> Result<(), AppError> {
    let event_loop = environment::event_loop()?;
    let mut app = App::new(options);
    event_loop.run_app(&mut app).map_err(EnvironmentError::EventLoop)?;
    app.trace_flush();
    app.failure.map_or(Ok(()), Err)
}

struct App {
    stage: Stage,
    bindings: Bindings,
    pointer: Pointer,
    held: HeldKeys,
    modifiers: Modifiers,
    /// Letters that keys bear on this keyboard, learnt as they are pressed.
    labels: HashMap<String, String>,
    toasts: Toasts,
    script: Script,
    trace: Option<Box<dyn Write>>,
    reread: Option<Reader>,
    watch: Option<(PathBuf, Option<std::time::SystemTime>, Instant)>,
    exit_after: Option<f64>,
    size: (u32, u32),
    live: Option<Live>,
    failure: Option<AppError>,
    started: Instant,
    last_frame: Instant,
    /// Whether nothing moved after the last frame.
    idle: bool,
    visible: bool,
    frame_seconds: Option<f64>,
    draw_seconds: f64,
    screenshot: Option<PathBuf>,
    theme: Option<Theme>,
}

impl App {
    fn new(options: Options) -> Self {
        let (width, height) = options.size;
        let now = Instant::now();
        App {
            stage: Stage::new(options.scene, options.display, f64::from(width) / f64::from(height.max(1))),
            bindings: Bindings::default(),
            pointer: Pointer::default(),
            held: HeldKeys::default(),
            modifiers: Modifiers::default(),
            labels: HashMap::new(),
            toasts: Toasts::default(),
            script: options.script,
            trace: options.trace,
            reread: options.reread,
            watch: options.watch.map(|path| {
                let modified = modified(&path);
                (path, modified, now)
            }),
            exit_after: options.exit_after,
            size: options.size,
            live: None,
            failure: None,
            started: now,
            last_frame: now,
            idle: true,
            visible: true,
            frame_seconds: None,
            draw_seconds: 0.0,
            screenshot: None,
            theme: None,
        }
    }

    /// Logical size of the picture.
    fn logical_size(&self) -> [f64; 2] {
        let scale = self.live.as_ref().map_or(1.0, Live::scale_factor);
        let (width, height) = self.live.as_ref().map_or(self.size, Live::size);
        [f64::from(width) / scale, f64::from(height) / scale]
    }

    fn request_redraw(&self) {
        if let Some(live) = &self.live {
            live.window.request_redraw();
        }
    }

    /// Carries a command out, or says why not.
    fn apply(&mut self, command: Command, event_loop: &ActiveEventLoop) {
        match self.stage.apply(command) {
            Ok(None) => {}
            Ok(Some(command)) => self.apply_app(command, event_loop),
            Err(error) => self.toasts.failed(error.to_string()),
        }
        self.request_redraw();
    }

    fn apply_app(&mut self, command: AppCommand, event_loop: &ActiveEventLoop) {
        match command {
            AppCommand::Screenshot(path) => self.screenshot = Some(path.unwrap_or_else(|| free_name("png"))),
            AppCommand::Reload => self.reload(),
            AppCommand::Fullscreen => {
                if let Some(live) = &self.live {
                    let full = live.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    live.window.set_fullscreen(full);
                }
            }
            AppCommand::Cancel => {
                let hide = Command::Display(DisplayCommand::Show(Show::Help, false));
                if self.stage.display().shows(Show::Help) {
                    self.apply(hide, event_loop);
                }
            }
            AppCommand::Quit => event_loop.exit(),
        }
    }

    fn reload(&mut self) {
        match self.reread.as_ref().map(|read| read()) {
            None => self.toasts.failed("There is no file to reload: this is the built-in scene."),
            Some(Err(reason)) => self.toasts.failed(reason),
            Some(Ok(scene)) => {
                self.stage.reload(scene);
                self.toasts.done("Reloaded; the pose was kept.");
            }
        }
    }

    /// Reloads when the watched file has changed.
    fn look_at_file(&mut self) {
        let Some((path, known, looked)) = &mut self.watch else { return };
        if looked.elapsed() < WATCH_EVERY {
            return;
        }
        *looked = Instant::now();
        let now = modified(path);
        if now.is_some() && now != *known {
            *known = now;
            self.reload();
            self.request_redraw();
        }
    }

    /// Seconds that have passed for this frame.
    fn step(&mut self) -> f64 {
        let now = Instant::now();
        let passed = now.duration_since(self.last_frame).as_secs_f64();
        self.last_frame = now;
        if self.idle { passed.min(FIRST_STEP) } else { passed.min(LONGEST_STEP) }
    }

    fn frame(&mut self, event_loop: &ActiveEventLoop) {
        let dt = self.step();
        for command in self.script.due(self.started.elapsed().as_secs_f64()) {
            self.apply(command, event_loop);
        }
        self.stage.tick(dt, &mut self.held, self.modifiers);
        self.toasts.tick(dt);
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
        let theme = self.stage.display().theme;
        if self.theme != Some(theme) {
            self.theme = Some(theme);
            apply_theme(&context, theme);
        }
        context.set_zoom_factor(self.stage.display().font_scale);
        let info = Info {
            frame_seconds: self.frame_seconds,
            draw_seconds: self.draw_seconds,
            toasts: self.toasts.list().to_vec(),
            renderer: live.renderer_name.clone(),
        };
        let input = live.gui.take_egui_input(&live.window);
        let mut commands = Vec::new();
        let output = context.run(input, |context| {
            commands = hud::hud(context, &self.stage, &info, |code| self.labels.get(code).cloned());
        });
        live.gui.handle_platform_output(&live.window, output.platform_output);
        let shapes = context.tessellate(output.shapes, output.pixels_per_point);
        let drawn = live.draw(&self.stage.picture(), &shapes, &output.textures_delta, output.pixels_per_point);
        if let Some(path) = self.screenshot.take() {
            match save_png(&path, &live.image()?) {
                Ok(()) => self.toasts.done(format!("Saved {}", path.display())),
                Err(error) => self.toasts.failed(error.to_string()),
            }
            live.window.request_redraw();
        }
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

    fn key(
        &mut self,
        code: KeyCode,
        text: Option<&str>,
        state: ElementState,
        repeat: bool,
        event_loop: &ActiveEventLoop,
    ) {
        let code = format!("{code:?}");
        if state == ElementState::Released {
            return self.held.release(&code);
        }
        if let Some(letter) = text.filter(|text| text.chars().all(char::is_alphabetic)) {
            self.labels.insert(code.clone(), letter.to_uppercase());
        }
        match self.bindings.action(&code, self.modifiers).cloned() {
            Some(Action::Move(direction)) => {
                self.held.press(&code, direction);
                self.request_redraw();
            }
            Some(Action::Do(command)) if !repeat => self.apply(command, event_loop),
            _ => {}
        }
    }

    /// When to wake up though nothing happens.
    fn next_wake(&self) -> Option<Instant> {
        let cue = self.script.next_time().map(|time| self.started + Duration::from_secs_f64(time));
        let exit = self.exit_after.map(|seconds| self.started + Duration::from_secs_f64(seconds));
        let watch = self.watch.as_ref().map(|(_, _, looked)| *looked + WATCH_EVERY);
        let toast = self.toasts.next_end().map(|seconds| self.last_frame + Duration::from_secs_f64(seconds));
        [cue, exit, watch, toast].into_iter().flatten().min()
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.live.is_some() {
            return;
        }
        match Live::new(event_loop, self.size, &self.stage.session().scene().name) {
            Ok(live) => {
                self.theme = None;
                self.live = Some(live);
                let [width, height] = self.logical_size();
                self.stage.resize(width / height.max(1.0));
                self.request_redraw();
            }
            Err(error) => {
                self.failure = Some(error);
                event_loop.exit();
            }
        }
    }

    fn suspended(&mut self, _: &ActiveEventLoop) {
        self.live = None;
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.exit_after.is_some_and(|seconds| self.started.elapsed().as_secs_f64() >= seconds) {
            return event_loop.exit();
        }
        self.look_at_file();
        let due = self.script.next_time().is_some_and(|time| self.started.elapsed().as_secs_f64() >= time);
        let toast_over = self.toasts.next_end().is_some_and(|left| self.last_frame.elapsed().as_secs_f64() >= left);
        if due || toast_over {
            self.request_redraw();
        }
        event_loop.set_control_flow(self.next_wake().map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(live) = &mut self.live else { return };
        let context = live.gui.egui_ctx().clone();
        let typing = context.wants_keyboard_input();
        let over_panel = context.is_pointer_over_area() || context.is_using_pointer();
        // Keys steer the scene unless a field of a panel is being typed in; egui would take Tab and the arrows.
        let for_panels = !matches!(event, WindowEvent::KeyboardInput { .. }) || typing;
        if for_panels && live.gui.on_window_event(&live.window, &event).repaint && !is_redraw(&event) {
            live.window.request_redraw();
        }
        let size = self.logical_size();
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Destroyed => {
                self.live = None;
                event_loop.exit();
            }
            WindowEvent::Resized(new) if new.width > 0 && new.height > 0 => {
                if let Some(live) = &mut self.live {
                    live.resize((new.width, new.height));
                }
                self.stage.resize(f64::from(new.width) / f64::from(new.height));
                self.request_redraw();
            }
            WindowEvent::ScaleFactorChanged { .. } => self.request_redraw(),
            WindowEvent::Occluded(hidden) => {
                self.visible = !hidden;
                self.request_redraw();
            }
            WindowEvent::Focused(false) => {
                self.held.clear();
                self.pointer.release(None);
                self.modifiers = Modifiers::default();
            }
            WindowEvent::ModifiersChanged(held) => {
                let state = held.state();
                self.modifiers =
                    Modifiers { shift: state.shift_key(), ctrl: state.control_key(), alt: state.alt_key() };
            }
            WindowEvent::KeyboardInput { event, is_synthetic, .. } => {
                if let PhysicalKey::Code(code) = event.physical_key
                    && (!typing || event.state == ElementState::Released)
                    && !(is_synthetic && event.state == ElementState::Pressed)
                {
                    self.key(code, event.text.as_deref(), event.state, event.repeat, event_loop);
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let Some(button) = button_of(button) else { return };
                match state {
                    ElementState::Pressed if !over_panel => {
                        if let Some(command) = self.pointer.press(button, self.modifiers, size, &self.stage) {
                            self.apply(command, event_loop);
                        }
                    }
                    ElementState::Pressed => {}
                    ElementState::Released => self.pointer.release(Some(button)),
                }
            }
            WindowEvent::CursorMoved { position, .. } => {
                let scale = self.live.as_ref().map_or(1.0, Live::scale_factor);
                let place = [position.x / scale, position.y / scale];
                if let Some(command) = self.pointer.moved(place, size, &self.stage) {
                    self.apply(command, event_loop);
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !over_panel => {
                let lines = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y / 40.0,
                };
                let command = self.pointer.wheel(lines, self.modifiers, size);
                self.apply(command, event_loop);
            }
            WindowEvent::PinchGesture { delta, .. } => {
                let command = self.pointer.wheel(delta * 8.0, self.modifiers, size);
                self.apply(command, event_loop);
            }
            WindowEvent::RedrawRequested if self.visible => self.frame(event_loop),
            _ => {}
        }
    }
}

fn is_redraw(event: &WindowEvent) -> bool {
    matches!(event, WindowEvent::RedrawRequested)
}

fn button_of(button: MouseButton) -> Option<Button> {
    match button {
        MouseButton::Left => Some(Button::Left),
        MouseButton::Middle => Some(Button::Middle),
        MouseButton::Right => Some(Button::Right),
        _ => None,
    }
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// The first of `fabrik3d-0001.EXT`, `fabrik3d-0002.EXT`, ... that is still free in the working folder.
fn free_name(extension: &str) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("fabrik3d-{number:04}.{extension}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_default()
}
