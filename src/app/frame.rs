//! One frame: advance the time, draw picture and panels, present them.

use super::application::{App, WindowFilm};
use super::dialog::Reply;
use super::environment::AppError;
use super::files::saved;
use super::kept::kept;
use super::window::OpenWindow;
use crate::record::save_png;
use crate::render::{Panels, Resolution};
use egui::epaint::ClippedShape;
use egui::{Context, CursorIcon, FullOutput, RawInput, TexturesDelta};
use fabrik3d_viewer::hud::{self, Info, apply_theme};
use fabrik3d_viewer::session::numbers::FRAME;
use fabrik3d_viewer::session::{Command, Content};
use fabrik3d_viewer::view::Hover;
use image::RgbaImage;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Panels and dialogs of a frame, and what they ask for.
struct LaidOut {
    output: FullOutput,
    commands: Vec<Command>,
    /// The mark of a film, which is no part of it.
    film_mark: Vec<ClippedShape>,
    /// The answer of a dialog.
    reply: Option<Reply>,
}

/// Longest time of solving in one frame, so that the window answers while a large scene is solved. Ordinary scenes take less
/// than a millisecond.
const SOLVE_TIME: Duration = Duration::from_millis(100);
/// Longest time step of a frame in seconds: the scene does not jump after a sleep or a dragged window.
const MAX_STEP: f64 = 0.1;
/// Largest delay of a script command, seconds. Longer delays are sleeps of the machine, which the script clock skips.
const MAX_DELAY: f64 = 1.0;

impl App {
    /// Seconds since the last frame: the real time for messages, and the time step for the scene.
    fn step(&mut self) -> (f64, f64) {
        let now = Instant::now();
        let passed = now.duration_since(self.clock.last_frame).as_secs_f64();
        self.clock.last_frame = now;
        // The first frame after an idle time lasts as long as others.
        (passed, passed.min(if self.clock.idle { FRAME } else { MAX_STEP }))
    }

    /// The script's time in seconds. After a sleep it continues with the next command; intervals between commands stay
    /// the same.
    pub fn script_time(&mut self) -> f64 {
        let time = self.clock.started.elapsed().as_secs_f64() - self.clock.skipped_seconds;
        let delay = self.script.next_time().map_or(0.0, |next| time - next);
        self.clock.skipped_seconds += (delay - MAX_DELAY).max(0.0);
        time - (delay - MAX_DELAY).max(0.0)
    }

    /// Advances script and session, and draws a frame.
    pub fn frame(&mut self) {
        let (passed, dt) = self.step();
        self.apply_live_commands();
        let time = self.script_time();
        for command in self.script.due(time) {
            self.apply(command);
        }
        // What moves may come under a resting pointer, or leave it.
        self.input.pointer_moved |= self.input.pointer_is_inside && self.viewer.is_moving();
        // While a dialog asks, time stands still: the pose that is saved is the one behind the dialog.
        if !self.dialog.is_open() {
            let end = Instant::now() + SOLVE_TIME;
            let modifiers = self.input.modifiers.and(self.input.gamepads.modifiers());
            self.viewer.tick_until(end, dt, &mut self.input.held, modifiers);
        }
        // Messages wait for the end of a film that does not show them.
        if !self.films_scene() {
            self.toasts.tick(passed);
        }
        self.keep_title();
        let started = Instant::now();
        if let Err(error) = self.draw() {
            (self.failure, self.exits) = (Some(error), true);
            return;
        }
        self.clock.draw_seconds = started.elapsed().as_secs_f64();
        self.clock.frame_seconds = Some(self.clock.last_frame.elapsed().as_secs_f64());
        if let Some(trace) = &mut self.trace
            && let Err(error) = trace.record(&self.viewer, self.clock.frame_seconds.unwrap_or_default())
        {
            self.trace = None;
            // A reader of standard output that has gone ends the program.
            self.failure = (error.kind() != ErrorKind::BrokenPipe).then(|| trace_error(&error));
            self.exits = true;
        }
        self.clock.idle = self.dialog.is_open() || !self.viewer.is_moving() && self.input.held.is_empty();
        let is_behind = self.commands.as_ref().is_some_and(|input| !input.waiting.is_empty());
        if !self.clock.idle || is_behind || self.live.as_ref().is_some_and(|live| live.screen.is_coarse()) {
            self.request_redraw();
        }
    }

    /// Draws viewer and panels, presents the picture, and executes the commands of the panels.
    fn draw(&mut self) -> Result<(), AppError> {
        let Some(mut live) = self.live.take() else { return Ok(()) };
        let context = live.gui.egui_ctx().clone();
        apply_theme(&context, self.viewer.display().theme);
        context.set_zoom_factor(self.viewer.display().font_scale);
        let info = self.info(&live);
        let mut input = live.gui.take_egui_input(&live.window);
        input.screen_rect = input.screen_rect.map(|screen| hud::screen(screen.size()));
        crate::host::panic_if_asked();
        let LaidOut { mut output, commands, film_mark, reply } = self.lay_out(&context, input, &info);
        if let Some(update) = &mut output.platform_output.accesskit_update {
            hud::name_controls(update);
        }
        if let Some(text) = hud::take_refused(&context) {
            self.toasts.failed(format!("“{text}” is not a number. Type one without a unit, such as 0.4."));
        }
        live.gui.handle_platform_output(&live.window, output.platform_output);
        live.upload_meshes(self.viewer.session().scene())?;
        let points = context.content_rect().size();
        self.viewer.set_free_area(hud::free_area(&self.viewer, [points.x.into(), points.y.into()]));
        let (textures, pixels_per_point) = (&output.textures_delta, output.pixels_per_point);
        let panels = Panels { context: &context, shapes: output.shapes, textures, pixels_per_point };
        // Files get all pixels.
        let is_for_file = self.screenshot.is_some() || self.filming.is_some();
        let now = self.clock.started.elapsed().as_secs_f64();
        let resolution = if is_for_file { Resolution::Full } else { Resolution::Paced(now) };
        let started = Instant::now();
        let drawn = live.draw(self.viewer.picture(), panels, resolution);
        self.save_pictures(&mut live)?;
        // Painted last, so that films and screenshots do not show it.
        let no_textures = TexturesDelta::default();
        let mark = Panels { context: &context, shapes: film_mark, textures: &no_textures, pixels_per_point };
        live.screen.paint_once(&mut live.painter, &mark)?;
        live.show()?;
        self.draw_gallery(&mut live, &context);
        live.screen.took(started.elapsed().as_secs_f64());
        drawn?;
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        if delay.is_some_and(|delay| delay.is_zero()) {
            live.window.request_redraw();
        }
        // Tooltips and blinking cursors ask for a picture later. egui asks for none with the longest possible delay.
        self.clock.panels_wake = delay.and_then(|delay| Instant::now().checked_add(delay));
        self.live = Some(live);
        for command in commands {
            self.apply(command);
        }
        if let Some(reply) = reply {
            self.answer(reply);
        }
        Ok(())
    }

    /// Draws the next picture of an example, if one is wanted. What moves is not held up.
    fn draw_gallery(&mut self, live: &mut OpenWindow, context: &Context) {
        let is_wanted = self.dialog.shows_examples() || self.choices.introduces;
        if !is_wanted || !self.clock.idle {
            return;
        }
        if let Err(error) = self.gallery.draw_next(live, context, self.viewer.display().theme) {
            self.toasts.warned(format!("The examples are shown without pictures: {error}."));
        }
    }

    /// Lays out panels and dialogs.
    fn lay_out(&mut self, context: &Context, input: RawInput, info: &Info) -> LaidOut {
        let (mut commands, mut film_mark, mut reply) = (Vec::new(), Vec::new(), None);
        let film_key = self.film_key();
        let output = context.run(input, |context| {
            let panels = || hud::hud(context, &self.viewer, info, |code| self.input.letters.get(code));
            commands = self.dialog.behind(context, panels);
            let kept = |path: &Path| kept(&self.viewer, path);
            reply = self.dialog.show(context, &info.shelf, kept).or(reply.take());
            if !context.is_pointer_over_area() && self.viewer.hover().is_some_and(Hover::can_be_dragged) {
                let icon = if self.input.pointer.is_dragging() { CursorIcon::Grabbing } else { CursorIcon::Grab };
                context.set_cursor_icon(icon);
            }
            film_mark = info.film.map(|film| hud::film_mark(context, film, film_key.as_deref())).unwrap_or_default();
        });
        LaidOut { output, commands, film_mark, reply }
    }

    /// What the panels show besides the viewer's state.
    fn info(&self, live: &OpenWindow) -> Info {
        Info {
            frame_seconds: self.clock.frame_seconds,
            draw_seconds: self.clock.draw_seconds,
            // Pictures do not show messages.
            toasts: if self.screenshot.is_some() || self.films_scene() {
                Vec::new()
            } else {
                self.toasts.list().to_vec()
            },
            renderer: live.renderer_name.clone(),
            bindings: self.input.bindings.clone(),
            shelf: self.gallery.shelf(self.choices.settings.recent.clone()),
            has_gamepad: self.input.gamepads.is_any(),
            interactive: true,
            introduces: self.choices.introduces,
            film: self.filming.as_ref().and_then(WindowFilm::info),
            hovered: self.files.hovered.clone(),
        }
    }

    /// Saves the picture that was drawn, if a screenshot or a film wants it.
    fn save_pictures(&mut self, live: &mut OpenWindow) -> Result<(), AppError> {
        if let Some((content, path)) = self.screenshot.take() {
            let picture = match content {
                Content::Scene => live.bare_picture(&self.viewer)?,
                Content::Window => live.screen.read()?,
            };
            match save_png(&path, &picture) {
                Ok(()) => self.toasts.done(picture_message(&path, &picture, content)),
                Err(error) => self.toasts.failed(error.to_string()),
            }
            live.window.request_redraw();
        }
        if let Some(filming) = &mut self.filming
            && filming.next_picture().is_some_and(|due| due <= Instant::now())
        {
            filming.add(live.screen.read()?);
        }
        Ok(())
    }

    pub fn flush_trace(&mut self) {
        let flushed = self.trace.as_mut().map_or(Ok(()), |trace| trace.flush());
        if let Err(error) = flushed
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.failure.get_or_insert_with(|| trace_error(&error));
        }
    }
}

/// What is said about a saved picture, and how to get others.
fn picture_message(path: &Path, picture: &RgbaImage, content: Content) -> String {
    let (width, height) = picture.dimensions();
    let more = match content {
        Content::Scene => " File in the side panel offers 2x, 4K and no background.",
        Content::Window => "",
    };
    format!("{}: {width} x {height} pixels.{more}", saved(path))
}

fn trace_error(error: &io::Error) -> AppError {
    format!("cannot write the trace: {error}").into()
}
