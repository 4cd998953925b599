//! Pictures and films without a window, with a fixed clock and the viewer's viewer, panels and renderer; and the writer
//! for films of the window.

mod error;
mod film;
mod gif;
mod live;
mod mp4;
mod options;
mod png;
mod run;
mod still;
mod studio;

pub use error::RecordError;
pub use live::{Footage, LiveFilm};
pub use options::Options;
pub use png::{SaveError, save_png};
pub use run::run;
