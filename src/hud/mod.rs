//! The panels over the picture: what they show is read from a [`Stage`], what is done in them comes back as commands.
//!
//! The window and headless pictures draw the same panels.

mod areas;
mod complaint;
mod film;
mod help;
mod hover;
mod info;
mod labels;
mod layout;
mod lesson;
mod panel;
mod race;
mod sight;
mod status;
mod style;
mod tags;
mod toast;

pub use complaint::complaint;
pub use film::{FilmInfo, film_mark};
pub use info::Info;
pub use layout::{free_area, has_room_for_panel, hud};
pub use style::apply_theme;
pub use toast::{Toast, ToastKind, Toasts};
