//! Pictures and films without a window, with a fixed clock and the panels and the renderer of the viewer; and the
//! writer for films of the window.

mod darkroom;
mod error;
mod ffmpeg;
mod film;
mod gif;
mod live;
mod run;
mod studio;

pub use darkroom::{Darkroom, Shot, unmultiplied};
pub use error::{RecordError, SaveError};
pub use ffmpeg::{INTERRUPTED, leave};
pub use live::{Footage, LiveFilm};
pub use run::run;
pub use studio::{Options, save_png};
