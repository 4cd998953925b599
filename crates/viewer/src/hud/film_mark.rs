//! The indicator of a film recording. It is not part of the panels: the window paints it over the finished picture,
//! after the film has received its copy.

use egui::epaint::{ClippedShape, RectShape};
use egui::{Align2, Color32, Context, FontId, Shape, Stroke, StrokeKind, Vec2, vec2};

/// Progress of a recording of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmInfo {
    /// Seconds since the start.
    pub seconds: f64,
    /// Number of frames so far.
    pub frames: u64,
}

/// Padding around the text. The dot is as wide as it, points.
const ROOM: Vec2 = vec2(10.0, 5.0);

/// The shapes of the indicator, a red dot with the progress, at the top center, where no panel is. Call it in a pass of egui after the panels.
/// `end` names the key that stops the film.
pub fn film_mark(context: &Context, film: FilmInfo, end: Option<&str>) -> Vec<ClippedShape> {
    let (window, visuals) = (context.content_rect(), &context.style().visuals);
    let (seconds, frames) = (film.seconds.max(0.0), film.frames);
    let tenths = (seconds % 60.0 * 10.0).floor() / 10.0;
    let key = end.map_or(String::new(), |key| format!("   {key} stops"));
    let text = format!("{}:{tenths:04.1}   {frames} frames{key}", (seconds / 60.0) as u64);
    let galley = context.fonts_mut(|fonts| fonts.layout_no_wrap(text, FontId::monospace(12.0), visuals.text_color()));
    let dot = vec2(ROOM.x, 0.0);
    let size = galley.size() + 2.0 * (dot + ROOM);
    let frame = Align2::CENTER_TOP.align_size_within_rect(size, window.shrink2(ROOM));
    let inside = frame.shrink2(ROOM);
    let edge = Stroke::new(1.0, visuals.window_stroke.color);
    let shapes = [
        RectShape::new(frame, 0.5 * frame.height(), visuals.window_fill, edge, StrokeKind::Inside).into(),
        Shape::circle_filled(inside.left_center() + 0.5 * dot, ROOM.y, Color32::from_rgb(220, 50, 47)),
        Shape::galley(inside.min + 2.0 * dot, galley, visuals.text_color()),
    ];
    shapes.map(|shape| ClippedShape { clip_rect: window, shape }).to_vec()
}
