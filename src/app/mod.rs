//! The window: winit events become commands, and the viewer becomes pictures.

mod application;
mod commands;
mod dialog;
mod environment;
mod error;
mod events;
mod files;
mod filming;
mod frame;
mod frame_clock;
mod gl;
mod letters;
mod live_commands;
mod lost_display;
mod newest_line;
mod options;
mod output_name;
mod settings;
mod solve_budget;
mod watch;
mod window;
mod window_film;

pub use environment::EnvironmentError;
pub use error::{AppError, WindowError};
pub use events::run;
pub use live_commands::LiveCommands;
pub use lost_display::{is_display_lost, leave_without_display};
pub use newest_line::NewestLine;
pub use options::{Options, Reader};
pub use settings::{Settings, SettingsFile};
