//! The recorded figure beside the solved one, while targets follow a recording.

use super::primitives::{line, on_top};
use crate::view::Viewer;
use crate::view::frame::Frame;
use crate::view::theme::{Palette, faded};

/// Draws the recorded figure as thin lines in front of everything, because it mostly stands inside the solved figure.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    let Some(figure) = viewer.session().recorded_figure() else { return };
    for (place, parent) in figure.places.iter().zip(&figure.parents) {
        let Some(parent) = parent else { continue };
        let points = [figure.places[*parent], *place].map(|point| viewer.space().drawn(point));
        out.lines.push(on_top(line(points, faded(palette.ghost, 200), 1.6)));
    }
}
