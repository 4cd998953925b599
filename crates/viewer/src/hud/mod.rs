//! The panels over the picture. They display a [`Viewer`](crate::view::Viewer) and return the user's actions as commands.
//!
//! The window and headless pictures draw the same panels.

mod advice;
mod curve;
mod film_mark;
mod help;
mod info;
mod label_placement;
mod labels;
mod layout;
mod lesson;
mod names;
mod number;
mod palette;
mod panel;
mod race;
mod shelf;
mod spoken;
mod status;
mod style;
#[cfg(test)]
pub(crate) mod test_input;
mod toast;
mod welcome;

pub use film_mark::{FilmInfo, film_mark};
pub use info::Info;
pub use layout::{SMALLEST, free_area, has_room_for_panel, hud, screen};
pub use names::file_name;
pub use number::take_refused;
pub use palette::{CommandPalette, taken_letters};
pub use shelf::{Card, PICTURE, Shelf, columns};
pub use spoken::{name_control, name_controls};
pub use style::{apply_theme, frame_focus, key_button};
pub use toast::{Toast, ToastKind, Toasts, error_message, quoted};
