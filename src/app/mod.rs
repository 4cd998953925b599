//! The window: winit events become commands, and the viewer becomes pictures.

mod application;
mod commands;
mod dialog;
mod dropped;
mod environment;
mod events;
mod files;
mod filming;
mod frame;
mod frame_clock;
mod gallery;
mod gamepads;
mod kept;
mod letters;
mod live_commands;
mod newest_line;
mod rescue;
mod settings;
#[cfg(unix)]
mod space_mouse;
mod wake;
mod window;

pub use application::{Options, Reader};
pub use environment::{AppError, is_display_lost, leave_without_display};
pub use events::run;
pub use live_commands::LiveCommands;
pub use newest_line::NewestLine;
pub use settings::{Settings, SettingsFile};
