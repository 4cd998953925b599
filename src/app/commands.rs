//! Commands: handed to the stage, and those of the program itself carried out.

use super::application::App;
use super::files::NOBODY_FOLLOWS;
use super::output_name::free_name;
use crate::hud;
use crate::session::command::{AppCommand, DisplayCommand, Show};
use crate::session::{Command, FileCommand, Playback, Remark};
use winit::event_loop::ActiveEventLoop;
use winit::window::Fullscreen;

impl App {
    /// Whether a recording should be followed and nothing does.
    fn follows_nothing(&self) -> bool {
        self.stage.session().motion().is_some_and(Playback::is_idle_follower)
    }

    /// Carries a command out, or says why not.
    pub fn apply(&mut self, command: Command, event_loop: &ActiveEventLoop) {
        let (hud, followed) = (self.stage.display().shows(Show::Hud), self.follows_nothing());
        let may_remark = matches!(command, Command::Session(_) | Command::Display(_));
        // Esc: what complains lies over everything else.
        if command == Command::App(AppCommand::Cancel) && !self.pointer.drags_target() && self.toasts.has_problem() {
            self.toasts.dismiss(None);
            return self.request_redraw();
        }
        self.toasts.set_topic(Some(&command));
        match self.stage.apply(command) {
            Ok(None) if hud && !self.stage.display().shows(Show::Hud) => self.toasts.done("F2 brings the panels back."),
            Ok(None) if !followed && self.follows_nothing() => self.toasts.warned(NOBODY_FOLLOWS),
            Ok(None) if may_remark => self.pass_on_remark(),
            Ok(None) => {}
            Ok(Some(command)) => self.apply_app(command, event_loop),
            Err(error) => {
                self.toasts.failed(hud::error_message(&error, &self.bindings, |code| self.letters.get(code)));
            }
        }
        self.toasts.set_topic(None);
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
}
