//! The indicator of a film recording. It is not part of the panels: the window paints it over the finished picture,
//! after the film has received its copy.

use super::style::{panel_area, panel_areas};
use egui::epaint::ClippedShape;
use egui::{Align2, Color32, Context, FontId, Rect, Shape, Stroke, StrokeKind, Vec2, vec2};

/// Progress of a recording of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmInfo {
    /// Seconds since the start.
    pub seconds: f64,
    /// Number of frames so far.
    pub frames: u64,
}

/// Time for which the indicator shows the key that stops the film, seconds.
const HINT_SECONDS: f64 = 4.0;
/// Distance from the edges and padding around the text, points.
const MARGIN: f32 = 12.0;
const ROOM: Vec2 = vec2(10.0, 5.0);
/// Radius of the red dot, and the width reserved for it, points.
const DOT: f32 = 5.0;
const DOT_ROOM: f32 = 18.0;

/// The shapes of the indicator. Call it in a pass of egui after the panels. `end` names the key that stops the film.
pub fn film_mark(context: &Context, film: FilmInfo, end: Option<&str>) -> Vec<ClippedShape> {
    let window = context.content_rect();
    let visuals = &context.style().visuals;
    let (seconds, frames) = (film.seconds.max(0.0), film.frames);
    let mut text =
        format!("{}:{:04.1}   {frames} frames", (seconds / 60.0) as u64, (seconds % 60.0 * 10.0).floor() / 10.0);
    if let Some(key) = end.filter(|_| seconds < HINT_SECONDS) {
        text += &format!("   {key} stops");
    }
    let color = visuals.text_color();
    let galley = context.fonts_mut(|fonts| fonts.layout_no_wrap(text, FontId::monospace(12.0), color));
    let size = galley.size() + vec2(DOT_ROOM, 0.0) + 2.0 * ROOM;
    let taken: Vec<Rect> = panel_areas(context).into_iter().chain(panel_area(context, "toasts")).collect();
    let frame = spot(window, size, &taken);
    let inside = frame.shrink2(ROOM);
    let dot = inside.left_center() + vec2(DOT, 0.0);
    let shapes = [
        Shape::from(egui::epaint::RectShape::new(
            frame,
            0.5 * frame.height(),
            visuals.window_fill,
            Stroke::new(1.0, visuals.window_stroke.color),
            StrokeKind::Inside,
        )),
        Shape::circle_filled(dot, DOT, Color32::from_rgb(220, 50, 47)),
        Shape::galley(inside.min + vec2(DOT_ROOM, 0.0), galley, color),
    ];
    shapes.map(|shape| ClippedShape { clip_rect: window, shape }).to_vec()
}

/// The first position at the edges of the window that covers nothing, or the bottom center.
fn spot(window: Rect, size: Vec2, taken: &[Rect]) -> Rect {
    let room = window.shrink(MARGIN);
    let places = [
        Align2::CENTER_BOTTOM,
        Align2::LEFT_BOTTOM,
        Align2::RIGHT_BOTTOM,
        Align2::CENTER_TOP,
        Align2::LEFT_TOP,
        Align2::RIGHT_TOP,
    ];
    let places = places.map(|place| place.align_size_within_rect(size, room));
    let is_free = |place: &Rect| !taken.iter().any(|other| place.intersect(*other).is_positive());
    places.into_iter().find(is_free).unwrap_or(places[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn the_indicator_covers_nothing_and_stays_in_the_window() {
        let window = Rect::from_min_size(egui::Pos2::ZERO, vec2(800.0, 600.0));
        let (size, mut taken) = (vec2(220.0, 26.0), Vec::new());
        for count in 0..6 {
            let frame = spot(window, size, &taken);
            assert!(window.contains_rect(frame), "{frame:?}");
            assert!(taken.iter().all(|other: &Rect| !other.intersect(frame).is_positive()), "{count}: {frame:?}");
            taken.push(frame);
        }
        assert_eq!(spot(window, size, &taken), spot(window, size, &[]), "the first position if none is free");
        let lesson = Rect::from_min_max(pos2(90.0, 400.0), pos2(710.0, 590.0));
        assert!(!spot(window, size, &[lesson]).intersect(lesson).is_positive());
    }
}
