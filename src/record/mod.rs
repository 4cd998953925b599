//! Pictures and films without a window, with a fixed clock and the panels and the renderer of the viewer; and the
//! writer for films of the window.

mod error;
mod ffmpeg;
mod film;
mod gif;
mod leave;
mod live;
mod png;
mod run;
mod studio;

pub use error::RecordError;
pub use leave::leave;
pub use live::{Footage, LiveFilm};
pub use png::{SaveError, save_png};
pub use run::run;
pub use studio::Options;
