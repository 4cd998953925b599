//! Pictures and films without a window: a fixed clock, the same stage, panels and renderer as the viewer's.

mod error;
mod film;
mod gif;
mod live;
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
