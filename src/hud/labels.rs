//! Names of joints and effectors, beside them in the picture.

use crate::view::Stage;
use crate::view::lesson::{Label, LabelWeight, labels as lesson_labels};
use crate::view::race::labels as race_labels;
use egui::{Color32, FontId, LayerId, Order, Pos2, Rect, Stroke, Vec2, vec2};

/// Joints above this number go unnamed: the picture would be all text.
const MOST: usize = 120;

/// Names of all joints and targets. What a lesson or a race shows in its own way has its names from there.
pub(super) fn names(stage: &Stage) -> Vec<Label> {
    let session = stage.session();
    let skeleton = &session.scene().skeleton;
    let covered = session.covered();
    let mut labels = Vec::new();
    if skeleton.len() <= MOST {
        let frames = skeleton.frames(session.displayed());
        for (i, joint) in skeleton.joints().iter().enumerate().filter(|(i, _)| !covered.contains(i)) {
            let (place, text) = (frames[i].position, joint.name.clone());
            labels.push(Label { place, text, weight: LabelWeight::Plain });
        }
    }
    if session.targets().len() <= MOST {
        for (effector, target) in session.scene().effectors.iter().zip(session.targets()) {
            if let Some(place) = target.position {
                labels.push(Label { place, text: effector.name.clone(), weight: LabelWeight::Strong });
            }
        }
    }
    labels
}

/// The names that go with an open lesson or race.
pub(super) fn teaching(stage: &Stage) -> Vec<Label> {
    let lesson = stage.session().lesson().map(lesson_labels);
    let race = stage.session().race().map(|race| race_labels(race, stage.space()));
    lesson.or(race).unwrap_or_default()
}

/// Distance of a name from the place that it names, points.
const BESIDE: f32 = 9.0;
/// From this distance on a line leads from the name to its place.
const LED: f32 = 20.0;
/// Room around a name's letters.
const ROOM: Vec2 = vec2(3.0, 1.0);

/// Writes names over the picture, under the panels: the weightiest nearest to their places, none over another.
pub(super) fn write(context: &egui::Context, stage: &Stage, mut labels: Vec<Label>) {
    let size = context.content_rect();
    let painter = context.layer_painter(LayerId::new(Order::Background, egui::Id::new("labels")));
    let (text, halo) = if context.style().visuals.dark_mode {
        (Color32::from_gray(235), Color32::from_black_alpha(170))
    } else {
        (Color32::from_gray(30), Color32::from_white_alpha(190))
    };
    labels.sort_by_key(|label| label.weight as u8);
    let mut tags = Vec::new();
    for label in labels {
        let (points, color) = match label.weight {
            LabelWeight::Strong => (13.0, text),
            LabelWeight::Plain => (11.5, text),
            LabelWeight::Faint => (11.5, text.gamma_multiply(0.7)),
        };
        let shown = stage.space().shown(label.place).to_array();
        let Some([x, y]) = stage.camera().project(shown, stage.aspect()) else { continue };
        let at = size.min + vec2(x as f32 + 1.0, 1.0 - y as f32) * 0.5 * size.size();
        tags.push((at, color, painter.layout_no_wrap(label.text, FontId::proportional(points), color)));
    }
    let wanted: Vec<(Pos2, Vec2)> = tags.iter().map(|(at, _, galley)| (*at, galley.size() + 2.0 * ROOM)).collect();
    for ((at, color, galley), frame) in tags.into_iter().zip(arranged(&wanted)) {
        let near = frame.clamp(at);
        if near.distance(at) > LED {
            painter.line_segment([at, near], Stroke::new(1.0, color.gamma_multiply(0.6)));
        }
        painter.rect_filled(frame, 3.0, halo);
        painter.galley(frame.min + ROOM, galley, color);
    }
}

/// Frames of these sizes beside their places, each where it covers least of the frames before it and of all places:
/// right above its place if that is free.
fn arranged(wanted: &[(Pos2, Vec2)]) -> Vec<Rect> {
    let mut frames: Vec<Rect> = Vec::with_capacity(wanted.len());
    for &(at, size) in wanted {
        let cost = |frame: &Rect, order: usize| {
            let over = |other: &Rect| {
                let common = frame.intersect(*other);
                if common.is_positive() { common.area() } else { 0.0 }
            };
            let frames: f32 = frames.iter().map(over).sum();
            let places: f32 =
                wanted.iter().map(|(place, _)| over(&Rect::from_center_size(*place, Vec2::splat(8.0)))).sum();
            // Covered letters cannot be read; a covered joint is still seen around them.
            order as f32 + 4.0 * frames + places
        };
        let candidates = spots(at, size).enumerate();
        let best = candidates.min_by(|(i, a), (j, b)| cost(a, *i).total_cmp(&cost(b, *j)));
        frames.push(best.map_or(Rect::from_min_size(at, size), |(_, frame)| frame));
    }
    frames
}

/// Frames around a place, the better ones first.
fn spots(at: Pos2, size: Vec2) -> impl Iterator<Item = Rect> {
    let sides = [(1.0, -1.0), (1.0, 0.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)];
    [1.0, 2.4, 4.2, 6.5].into_iter().flat_map(move |ring| {
        sides.into_iter().map(move |(x, y)| {
            let center = at + vec2(x, y) * (Vec2::splat(BESIDE * ring) + 0.5 * size);
            // Above and below they sit on their place's corner, as near as a name can be.
            let inward = if ring > 1.0 || x == 0.0 || y == 0.0 { Vec2::ZERO } else { vec2(0.0, -y * 0.25 * size.y) };
            Rect::from_center_size(center + inward, size)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn names_in_a_crowd_cover_neither_each_other_nor_their_places() {
        let crowd: Vec<(Pos2, Vec2)> = (0..7)
            .map(|k| {
                (pos2(300.0 + 7.0 * k as f32, 300.0 + 5.0 * (k % 3) as f32), vec2(22.0 + 30.0 * (k % 2) as f32, 16.0))
            })
            .collect();
        let frames = arranged(&crowd);
        for (k, frame) in frames.iter().enumerate() {
            for other in &frames[..k] {
                assert!(!frame.intersect(*other).is_positive(), "{frames:?}");
            }
            let (at, size) = crowd[k];
            assert_eq!(frame.size(), size);
            assert!(frame.distance_to_pos(at) < 80.0, "{frame:?} is far from {at:?}");
        }
    }

    #[test]
    fn a_name_alone_stands_right_above_its_place() {
        let frame = arranged(&[(pos2(50.0, 50.0), vec2(30.0, 14.0))])[0];
        assert!(frame.left() > 50.0 && frame.center().y < 50.0, "{frame:?}");
        assert!(frame.distance_to_pos(pos2(50.0, 50.0)) < 14.0, "{frame:?}");
    }
}
