//! The recorded figure, thin beside the solved one while targets follow it.

use super::Stage;
use super::frame::{Frame, Line};
use super::look::{Palette, faded};

/// Width of its links, logical pixels, and how strong they are.
const WIDTH: f32 = 1.6;
const STRENGTH: u8 = 200;

/// Draws it over everything: it mostly stands inside the solved figure.
pub(super) fn draw(stage: &Stage, palette: &Palette, out: &mut Frame) {
    let Some(figure) = stage.session().recorded_figure() else { return };
    let space = stage.space();
    let color = faded(palette.ghost, STRENGTH);
    for (place, parent) in figure.places.iter().zip(&figure.parents) {
        let Some(parent) = parent else { continue };
        let points = [figure.places[*parent], *place].map(|point| (space.drawn(point), color));
        out.lines.push(Line { points: points.to_vec(), width: WIDTH, dash: None, on_top: true });
    }
}
