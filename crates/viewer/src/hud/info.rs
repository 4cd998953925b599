//! What the panels need in addition to the viewer.

use super::film_mark::FilmInfo;
use super::shelf::Shelf;
use super::toast::Toast;
use crate::view::Bindings;
use std::path::PathBuf;
use std::sync::Arc;

/// What the panels display in addition to the viewer.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Duration of the last frame in seconds, if known.
    pub frame_seconds: Option<f64>,
    /// Duration of drawing in seconds.
    pub draw_seconds: f64,
    /// Visible messages.
    pub toasts: Vec<Toast>,
    /// Name of the graphics hardware or software.
    pub renderer: String,
    /// The key bindings.
    pub bindings: Arc<Bindings>,
    /// Recently opened files, and the scenes that come with the program.
    pub shelf: Shelf,
    /// The film of the window, while it is being recorded.
    pub film: Option<FilmInfo>,
    /// Files that are being dragged over the window.
    pub hovered: Vec<PathBuf>,
    /// Whether the card of the first start is shown.
    pub introduces: bool,
    /// Whether a gamepad or a 3D mouse is plugged in; their controls are then part of the help.
    pub has_gamepad: bool,
    /// Whether the panels accept input. Pictures and films omit hints and buttons.
    pub interactive: bool,
}

/// Returns the name of the key for a command, which is given as text.
pub(super) type KeyName<'a> = &'a dyn Fn(&str) -> Option<String>;
