//! Window events become commands; the event loop.

use super::application::{App, Options, Watch, WindowFilm};
use super::dialog::Leaving;
use super::environment::{self, AppError, EnvironmentError};
use super::gamepads;
use super::letters;
use super::rescue;
#[cfg(unix)]
use super::space_mouse;
use super::wake::{Wake, look};
use super::window::{OpenWindow, within_screen};
use crate::record::{INTERRUPTED, leave};
use egui_winit::accesskit_winit::WindowEvent as Asked;
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::session::command::{AppCommand, Show};
use fabrik3d_viewer::view::{Action, Button, Modifiers};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::error::EventLoopError;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::{KeyCode, PhysicalKey};
use winit::platform::modifier_supplement::KeyEventExtModifierSupplement;
use winit::window::WindowId;

/// Time between two checks whether a film that has ended is saved.
const SAVING_CHECK: Duration = Duration::from_millis(50);

/// Opens the window and runs the viewer until it is closed.
pub fn run(options: Options) -> Result<(), AppError> {
    environment::handle_loss();
    let event_loop = environment::event_loop()?;
    end_on_signals(look(&event_loop.create_proxy()));
    gamepads::listen(event_loop.create_proxy());
    #[cfg(unix)]
    space_mouse::listen(event_loop.create_proxy());
    let mut app = App::new(options, event_loop.create_proxy())?;
    rescue::guarded(&mut app, |app| event_loop.run_app(app)).map_err(|error| match error {
        EventLoopError::Os(_) => EnvironmentError::Lost,
        error => EnvironmentError::EventLoop(error),
    })?;
    app.flush_trace();
    app.failure.map_or(Ok(()), Err)
}

/// Whether a signal has asked the program to end.
static IS_ASKED_TO_END: AtomicBool = AtomicBool::new(false);

/// From now on, a signal that asks the program to end closes the window, which stores the settings. A second one ends at once.
fn end_on_signals(look: impl Fn() -> bool + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        if IS_ASKED_TO_END.swap(true, Ordering::Relaxed) || !look() {
            leave(INTERRUPTED);
        }
    });
}

impl App {
    /// Moves a dragged target with the pointer.
    fn follow_pointer(&mut self) {
        if let Some(command) = self.input.pointer.drag_target(self.input.modifiers, self.logical_size(), &self.viewer) {
            self.apply(command);
        }
        self.input.pointer_moved = true;
    }

    /// Finds what the pointer is over, once for all events that have arrived.
    fn update_hover(&mut self) {
        if !std::mem::take(&mut self.input.pointer_moved) {
            return;
        }
        let is_over_scene = self.input.pointer.is_dragging() || !self.is_over_panel();
        let hover = is_over_scene.then(|| self.input.pointer.hover(self.logical_size(), &self.viewer)).flatten();
        if self.viewer.set_hover(hover) {
            self.request_redraw();
        }
    }

    /// Whether a panel is under the pointer. egui itself learns of a new position with the next picture only.
    fn is_over_panel(&self) -> bool {
        let Some(live) = &self.live else { return false };
        let context = live.gui.egui_ctx();
        let [x, y] = self.input.pointer.position().map(|at| at as f32 / context.zoom_factor());
        let layer = context.layer_id_at(egui::pos2(x, y));
        self.dialog.is_open() || layer.is_some_and(|layer| layer.order != egui::Order::Background)
    }

    fn key(&mut self, code: KeyCode, letter: &str, state: ElementState, repeat: bool) {
        self.input.letters.learn(code, letter);
        let code = format!("{code:?}");
        if state == ElementState::Released {
            self.input.stale.remove(&code);
            return self.input.held.release(&code);
        }
        if self.input.stale.contains(&code) {
            return;
        }
        // During a drag, X, Y and Z lock axes.
        let axis = ["x", "y", "z"].iter().position(|name| letter.eq_ignore_ascii_case(name));
        if let Some(axis) = axis
            && (repeat || self.input.pointer.lock(axis))
            && self.input.pointer.is_dragging()
        {
            self.follow_pointer();
            return;
        }
        // With Ctrl, keys are bound by letter as in all programs: Ctrl+Z is the key labelled Z.
        let lettered = letters::code_of(letter).filter(|_| self.input.modifiers.ctrl);
        match self.input.bindings.action(lettered.as_deref().unwrap_or(&code), self.input.modifiers).cloned() {
            Some(Action::Move(direction)) if !repeat => {
                self.input.held.press(&code, direction);
                self.request_redraw();
            }
            Some(Action::Do(command)) if !repeat => self.apply(command),
            _ => {}
        }
    }

    /// Whether a frame may be drawn now; otherwise it is drawn a little later, with the input until then.
    fn may_draw(&mut self) -> bool {
        let waits_for_screen = self.live.as_ref().is_some_and(|live| !live.is_software());
        waits_for_screen || self.clock.frame_clock.may_start(Instant::now())
    }

    /// When the next frame is due without an event. A window that is not visible draws none.
    fn next_frame(&self) -> Option<Instant> {
        if !self.visible {
            return None;
        }
        let script = self.script.next_time().map(|time| self.clock.at(time + self.clock.skipped_seconds));
        let film = self.filming.as_ref().and_then(WindowFilm::next_picture);
        let toast = self.toasts.next_end().map(|seconds| self.clock.last_frame + Duration::from_secs_f64(seconds));
        let frame = self.clock.frame_clock.wake();
        [script, film, toast, frame, self.clock.panels_wake].into_iter().flatten().min()
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.live.is_some() {
            return;
        }
        if !self.choices.size_is_requested {
            self.size = within_screen(event_loop, self.size);
            self.choices.initial.1 = self.size;
        }
        match OpenWindow::new(event_loop, self.size, self.wake.clone()) {
            Ok(live) => {
                self.live = Some(live);
                let [width, height] = self.logical_size();
                self.viewer.resize(width / height.max(1.0));
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

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.finish_film();
        self.end_introduction();
        self.store_choices();
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let exit = self.clock.exit_after.map(|seconds| self.clock.at(seconds));
        self.exits |= IS_ASKED_TO_END.load(Ordering::Relaxed);
        if self.exits || exit.is_some_and(|exit| exit <= Instant::now()) {
            return event_loop.exit();
        }
        self.update_hover();
        self.check_watched_file();
        self.check_film();
        self.open_dropped();
        let now = Instant::now();
        if self.next_frame().is_some_and(|due| due <= now) {
            self.clock.panels_wake.take_if(|wake| *wake <= now);
            self.request_redraw();
        }
        let watch = self.files.watch.as_ref().map(Watch::next_check);
        let saving = self.filming.as_ref().filter(|filming| !filming.film.is_running()).map(|_| now + SAVING_CHECK);
        let wake = [self.next_frame(), exit, watch, saving].into_iter().flatten().min();
        event_loop.set_control_flow(wake.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn user_event(&mut self, _: &ActiveEventLoop, event: Wake) {
        match event {
            // A window that is not visible draws no frames.
            Wake::Look if !self.visible => self.apply_live_commands(),
            Wake::Look => self.request_redraw(),
            Wake::Assistance(asked) => self.assist(asked),
            Wake::Gamepad(report) => self.hear_gamepad(report),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(taken) = self.pass_to_panels(&event) else { return };
        match event {
            WindowEvent::CloseRequested => self.leave(Leaving::Quit),
            WindowEvent::Destroyed => {
                self.live = None;
                event_loop.exit();
            }
            WindowEvent::Resized(new) if new.width > 0 && new.height > 0 => {
                self.resize((new.width, new.height));
            }
            WindowEvent::ScaleFactorChanged { .. } => self.request_redraw(),
            WindowEvent::Occluded(hidden) => {
                self.visible = !hidden;
                self.request_redraw();
            }
            WindowEvent::Focused(true) => self.input.has_focus = true,
            WindowEvent::Focused(false) => {
                self.input.has_focus = false;
                self.input.held.clear();
                self.input.pointer.let_go();
                self.input.modifiers = Modifiers::default();
            }
            WindowEvent::HoveredFile(path) => {
                self.files.hovered.push(path);
                self.request_redraw();
            }
            WindowEvent::HoveredFileCancelled => {
                self.files.hovered.clear();
                self.request_redraw();
            }
            // Each file arrives in its own event; they are opened together.
            WindowEvent::DroppedFile(path) => self.files.dropped.push(path),
            WindowEvent::RedrawRequested if self.visible && self.may_draw() => self.frame(),
            event => self.input_event(event, taken),
        }
    }
}

/// What panels take of the input, so that the scene does not get it.
#[derive(Clone, Copy)]
struct Taken {
    keys: bool,
    pointer: bool,
}

impl App {
    /// Tells the panels of an event. Returns what they take; none without a window.
    fn pass_to_panels(&mut self, event: &WindowEvent) -> Option<Taken> {
        let context = self.live.as_ref()?.gui.egui_ctx().clone();
        let scrolls = self.viewer.display().shows(Show::Help) && is_page_key(event);
        // The help closes at once, also while its search has the focus.
        let closes = self.viewer.display().shows(Show::Help) && is_key(event, &[KeyCode::Escape, KeyCode::F1]);
        if closes {
            self.leave_text_field();
        }
        let has_keys = context.wants_keyboard_input() && !closes && !self.takes_keys_back(event);
        let keys = has_keys || self.dialog.is_open() || scrolls;
        let pointer = context.is_using_pointer() || self.is_over_panel();
        // Keys control the scene unless a text field has the focus: egui would use Tab and the arrow keys.
        let for_panels = !matches!(event, WindowEvent::KeyboardInput { .. }) || keys;
        if let Some(live) = self.live.as_mut().filter(|_| for_panels)
            && live.gui.on_window_event(&live.window, event).repaint
            && !matches!(event, WindowEvent::RedrawRequested)
        {
            live.window.request_redraw();
        }
        Some(Taken { keys, pointer })
    }

    fn resize(&mut self, size: (u32, u32)) {
        let had_room = self.has_room_for_panel();
        if let Some(live) = &mut self.live {
            live.resize(size);
        }
        self.adapt_side_panel(had_room);
        self.viewer.resize(f64::from(size.0) / f64::from(size.1));
        self.request_redraw();
    }

    /// Keys, buttons and the pointer.
    fn input_event(&mut self, event: WindowEvent, taken: Taken) {
        let size = self.logical_size();
        match event {
            WindowEvent::ModifiersChanged(held) => {
                let state = held.state();
                self.input.modifiers =
                    Modifiers { shift: state.shift_key(), ctrl: state.control_key(), alt: state.alt_key() };
                self.follow_pointer();
            }
            WindowEvent::KeyboardInput { event, is_synthetic, .. } => {
                let PhysicalKey::Code(code) = event.physical_key else { return };
                if is_synthetic && event.state == ElementState::Pressed {
                    self.input.stale.insert(format!("{code:?}"));
                } else if !taken.keys || event.state == ElementState::Released {
                    let plain = event.key_without_modifiers();
                    self.key(code, plain.to_text().unwrap_or_default(), event.state, event.repeat);
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let Some(button) = button_of(button) else { return };
                self.button(button, state, taken);
            }
            WindowEvent::CursorMoved { position, .. } => {
                let scale = self.scale_factor();
                let place = [position.x / scale, position.y / scale];
                if let Some(command) = self.input.pointer.moved(place, self.input.modifiers, size, &self.viewer) {
                    self.apply(command);
                }
                (self.input.pointer_moved, self.input.pointer_is_inside) = (true, true);
            }
            WindowEvent::CursorLeft { .. } => {
                self.input.pointer_is_inside = false;
                if !self.input.pointer.is_dragging() && self.viewer.set_hover(None) {
                    self.request_redraw();
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !taken.pointer => {
                let lines = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y / 40.0,
                };
                let command = self.input.pointer.wheel(lines, self.input.modifiers, size);
                self.apply(command);
            }
            WindowEvent::PinchGesture { delta, .. } => {
                let command = self.input.pointer.wheel(delta * 8.0, self.input.modifiers, size);
                self.apply(command);
            }
            _ => {}
        }
    }

    fn button(&mut self, button: Button, state: ElementState, taken: Taken) {
        let size = self.logical_size();
        if state == ElementState::Released {
            if let Some(command) = self.input.pointer.release(button, size, &self.viewer) {
                self.apply(command);
            }
            // The hand of the pointer opens, whatever it is over.
            self.request_redraw();
        } else if !taken.pointer {
            self.leave_text_field();
            let now = self.clock.started.elapsed().as_secs_f64();
            for command in self.input.pointer.press(button, now, self.input.modifiers, size, &self.viewer) {
                self.apply(command);
            }
        }
        self.follow_pointer();
    }

    /// Answers assistive technology. The panels describe themselves while there is some, and only then.
    fn assist(&mut self, asked: Asked) {
        let Some(live) = &mut self.live else { return };
        match asked {
            Asked::InitialTreeRequested => live.gui.egui_ctx().enable_accesskit(),
            Asked::AccessibilityDeactivated => live.gui.egui_ctx().disable_accesskit(),
            Asked::ActionRequested(request) => live.gui.on_accesskit_action_request(request),
        }
        live.window.request_redraw();
    }

    /// Gives the keys to the first control of the panels, or takes them back. With Tab or the arrow keys they go on, with Esc they
    /// come back too.
    pub(super) fn give_keys(&mut self) {
        let Some(live) = &mut self.live else { return };
        if live.gui.egui_ctx().wants_keyboard_input() {
            return self.leave_text_field();
        }
        live.gui.egui_input_mut().events.push(egui::Event::Key {
            key: egui::Key::Tab,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: egui::Modifiers::NONE,
        });
    }

    /// Whether an event is the key that takes the keys back from the panels.
    fn takes_keys_back(&self, event: &WindowEvent) -> bool {
        let WindowEvent::KeyboardInput { event, .. } = event else { return false };
        let PhysicalKey::Code(code) = event.physical_key else { return false };
        let action = self.input.bindings.action(&format!("{code:?}"), self.input.modifiers);
        action == Some(&Action::Do(Command::App(AppCommand::Panels)))
    }

    /// Takes the keys from a text field. By itself it leaves them at a click elsewhere, but not at a drag.
    fn leave_text_field(&self) {
        let Some(live) = &self.live else { return };
        live.gui.egui_ctx().memory_mut(|memory| {
            if let Some(field) = memory.focused() {
                memory.surrender_focus(field);
            }
        });
    }
}

/// Whether an event is a key that scrolls the help.
fn is_page_key(event: &WindowEvent) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    matches!(event.physical_key, PhysicalKey::Code(KeyCode::PageDown | KeyCode::PageUp | KeyCode::Home | KeyCode::End))
}

/// Whether an event is one of these keys.
fn is_key(event: &WindowEvent, codes: &[KeyCode]) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    matches!(event.physical_key, PhysicalKey::Code(code) if codes.contains(&code))
}

fn button_of(button: MouseButton) -> Option<Button> {
    match button {
        MouseButton::Left => Some(Button::Left),
        MouseButton::Middle => Some(Button::Middle),
        MouseButton::Right => Some(Button::Right),
        _ => None,
    }
}
