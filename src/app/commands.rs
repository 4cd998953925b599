//! Execution of commands: by the viewer, or by the program itself.

use super::application::{App, Input};
use super::dialog::{FileDialogKind, Leaving};
use super::files::free_name;
use egui::Popup;
use fabrik3d_viewer::hud;
use fabrik3d_viewer::session::command::{AppCommand, DisplayCommand, Show};
use fabrik3d_viewer::session::{Command, FileCommand, SessionCommand};
use std::time::{Duration, Instant};
use winit::window::Fullscreen;

/// Time for commands of other programs in a frame. What is left waits for the next one.
const LIVE_BUDGET: Duration = Duration::from_millis(6);
/// The message when the panels are hidden.
const HIDDEN_PANELS: &str = "F2 shows the panels again.";

impl App {
    /// Closes an open menu or list of the panels. Returns whether there was one. Keys do not reach egui, which would
    /// close it itself.
    fn close_menu(&self) -> bool {
        let Some(live) = &self.live else { return false };
        let context = live.gui.egui_ctx();
        let is_open = Popup::is_any_open(context);
        if is_open {
            Popup::close_all(context);
        }
        is_open
    }

    /// Executes a command, or shows why it fails.
    pub fn apply(&mut self, command: Command) {
        let had_hud = self.viewer.display().shows(Show::Hud);
        let has_remark = matches!(command, Command::Session(_) | Command::Display(_));
        if matches!(command, Command::Session(SessionCommand::Undo | SessionCommand::Redo)) {
            self.toasts.retract_remarks();
        }
        let is_done = match command {
            // Esc first closes warnings, which cover everything else.
            Command::App(AppCommand::Cancel) if self.toasts.has_problem() && !self.input.pointer.drags_target() => {
                self.toasts.dismiss(None)
            }
            Command::App(AppCommand::Cancel) => self.close_menu(),
            _ => false,
        };
        if is_done {
            return self.request_redraw();
        }
        // The camera of a script stands where it puts it.
        let result = match self.files.asks {
            true => self.viewer.apply_by_hand(command),
            false => self.viewer.apply(command),
        };
        match result {
            Ok(None) if had_hud && !self.viewer.display().shows(Show::Hud) => self.toasts.done(HIDDEN_PANELS),
            Ok(None) if !had_hud && self.viewer.display().shows(Show::Hud) => self.toasts.retract(HIDDEN_PANELS),
            Ok(None) => {
                if let Some(remark) = self.viewer.remark().filter(|_| has_remark).cloned() {
                    self.toasts.remarked(&remark);
                }
            }
            Ok(Some(command)) => self.apply_app(command),
            Err(error) => {
                self.toasts
                    .failed(hud::error_message(&error, &self.input.bindings, |code| self.input.letters.get(code)));
            }
        }
        self.request_redraw();
    }

    fn apply_app(&mut self, command: AppCommand) {
        match command {
            AppCommand::Screenshot(content, path) => {
                self.screenshot = Some((content, path.unwrap_or_else(|| free_name("png"))));
            }
            AppCommand::File(FileCommand::Open(Some(scene))) => {
                self.leave(Leaving::Open { scene, motion: None });
            }
            AppCommand::File(FileCommand::Open(None)) => self.choose(FileDialogKind::Open, None),
            AppCommand::File(FileCommand::Save(Some(path))) => self.save(&path),
            AppCommand::File(FileCommand::Save(None)) => self.choose(FileDialogKind::Save, None),
            AppCommand::File(FileCommand::AskForMotion) => self.choose(FileDialogKind::Motion, None),
            AppCommand::File(FileCommand::Record(content, path)) => self.toggle_film(content, path),
            AppCommand::Reload => self.leave(Leaving::Reload),
            AppCommand::Fullscreen => {
                if let Some(live) = &self.live {
                    let full = live.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    live.window.set_fullscreen(full);
                }
            }
            AppCommand::Cancel => {
                if let Some(commands) = self.input.pointer.cancel() {
                    return commands.into_iter().for_each(|command| self.apply(command));
                }
                let hide = Command::Display(DisplayCommand::Show(Show::Help, false));
                if self.viewer.display().shows(Show::Help) {
                    self.apply(hide);
                }
            }
            AppCommand::Dismiss(number) => {
                self.toasts.dismiss(number);
                if number.is_none() {
                    self.end_introduction();
                }
            }
            AppCommand::Messages => self.toasts.recall(),
            AppCommand::Palette => {
                let Input { bindings, letters, .. } = &self.input;
                let key = |command: &Command| bindings.key_for(command, |code| letters.get(code));
                self.dialog.find_command(key, crate::examples::titles());
            }
            AppCommand::Panels => self.give_keys(),
            AppCommand::Quit => self.leave(Leaving::Quit),
        }
    }

    /// Carries out the commands of another program, as far as a frame has time for them.
    pub fn apply_live_commands(&mut self) {
        let Some(mut input) = self.commands.take() else { return };
        let closes = input.receive(self.script_time(), &mut self.script);
        let started = Instant::now();
        while started.elapsed() < LIVE_BUDGET
            && let Some(command) = input.waiting.pop_front()
        {
            self.apply(command);
        }
        self.exits |= closes;
        self.commands = Some(input);
    }
}
