//! The paths that effectors have taken, fading with age.

use crate::view::Viewer;
use crate::view::frame::{Frame, Line};
use crate::view::theme::{Palette, faded};

pub(super) fn draw(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    for trail in viewer.trails().filter(|trail| trail.len() > 1) {
        let last = trail.len() as f32;
        let points = trail.enumerate().map(|(k, point)| {
            let fade = (k as f32 / last).powf(1.5);
            (viewer.space().drawn(point), faded(palette.trail, (fade * 200.0) as u8))
        });
        out.lines.push(Line { points: points.collect(), width: 1.8, dash: None, on_top: false });
    }
}
