//! What the panels are given beside the stage.

use super::film::FilmInfo;
use super::toast::Toast;
use crate::view::Bindings;
use std::path::PathBuf;
use std::sync::Arc;

/// What the panels show beside the stage.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Seconds that the last frame took to make; none where it is not known.
    pub frame_seconds: Option<f64>,
    /// Seconds that drawing took.
    pub draw_seconds: f64,
    /// Messages that are still to be seen.
    pub toasts: Vec<Toast>,
    /// Name of the graphics hardware or software.
    pub renderer: String,
    /// The keys as they are bound.
    pub bindings: Arc<Bindings>,
    /// Files opened last, the newest first.
    pub recent: Vec<PathBuf>,
    /// The film that is being made of the window; none while none is.
    pub film: Option<FilmInfo>,
    /// Files that are held over the window.
    pub hovered: Vec<PathBuf>,
    /// Whether somebody can click here: pictures and films go without hints and buttons that only a window needs.
    pub interactive: bool,
}

/// Name of the key that carries out a command, given in words, if there is one.
pub(super) type KeyName<'a> = &'a dyn Fn(&str) -> Option<String>;
