//! Names of joints and effectors, beside them in the picture.

use crate::view::Stage;
use crate::view::lesson::{Label, LabelWeight, labels as lesson_labels};
use crate::view::race::labels as race_labels;
use crate::view::wishes::OPEN;
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
            labels.push(Label { place, radius: 0.0, text, weight: LabelWeight::Plain });
        }
    }
    if session.targets().len() <= MOST {
        for (effector, target) in session.scene().effectors.iter().zip(session.targets()) {
            if let Some(place) = target.position {
                let text = effector.name.clone();
                labels.push(Label { place, radius: 0.0, text, weight: LabelWeight::Strong });
            }
        }
    }
    labels
}

/// How far apart the points of each loop are that gapes.
pub(super) fn gaps(stage: &Stage) -> Vec<Label> {
    let session = stage.session();
    let frames = session.scene().skeleton.frames(session.displayed());
    let ends = session.scene().loops.iter().map(|(a, b)| [a, b].map(|end| frames[end.joint].point(end.point)));
    let open = ends.filter(|[a, b]| a.distance(*b) > OPEN * f64::from(stage.extent().radius));
    let label = open.map(|[a, b]| Label {
        place: a.midpoint(b),
        radius: 0.0,
        text: format!("open by {:.3}", a.distance(b)),
        weight: LabelWeight::Plain,
    });
    label.collect()
}

/// The names that go with an open lesson or race.
pub(super) fn teaching(stage: &Stage) -> Vec<Label> {
    let lesson = stage.session().lesson().map(|lesson| lesson_labels(stage, lesson));
    let race = stage.session().race().map(|race| race_labels(stage, race));
    lesson.or(race).unwrap_or_default()
}

/// Distance of a name from the place that it names, points: at least, and at most where something large stands there.
const BESIDE: [f32; 2] = [9.0, 40.0];
/// From this distance on, beyond what stands there, a line leads from the name to its place.
const LED: f32 = 12.0;
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
            LabelWeight::Caption | LabelWeight::Strong => (13.0, text),
            LabelWeight::Plain => (11.5, text),
            LabelWeight::Faint => (11.5, text.gamma_multiply(0.7)),
        };
        let shown = stage.space().shown(label.place).to_array();
        let Some([x, y]) = stage.camera().project(shown, stage.lens()) else { continue };
        let at = size.min + vec2(x as f32 + 1.0, 1.0 - y as f32) * 0.5 * size.size();
        let pixel = stage.camera().pixel_at(shown, f64::from(size.height()));
        let near = (0.75 * label.radius / pixel.max(1e-12)) as f32;
        let near = near.clamp(BESIDE[0], BESIDE[1]);
        let galley = painter.layout_no_wrap(label.text, FontId::proportional(points), color);
        let tag = Tag { at, near, size: galley.size() + 2.0 * ROOM, below: label.weight == LabelWeight::Caption };
        tags.push((tag, color, galley));
    }
    let (wanted, texts): (Vec<Tag>, Vec<_>) = tags.into_iter().map(|(tag, color, text)| (tag, (color, text))).unzip();
    for ((Tag { at, near, .. }, (color, galley)), frame) in wanted.iter().zip(texts).zip(arranged(&wanted)) {
        let (at, near) = (*at, *near);
        let corner = frame.clamp(at);
        if corner.distance(at) > near * 1.5 + LED {
            painter.line_segment([at, corner], Stroke::new(1.0, color.gamma_multiply(0.6)));
        }
        painter.rect_filled(frame, 3.0, halo);
        painter.galley(frame.min + ROOM, galley, color);
    }
}

/// A name to be placed.
struct Tag {
    /// What it names.
    at: Pos2,
    /// How near it may come to that.
    near: f32,
    size: Vec2,
    /// Whether it stands below its place if it can, and not above.
    below: bool,
}

/// Frames of these sizes beside their places, each where it covers least of the frames before it and of all places:
/// right above its place if that is free.
fn arranged(tags: &[Tag]) -> Vec<Rect> {
    let mut frames: Vec<Rect> = Vec::with_capacity(tags.len());
    for tag in tags {
        let cost = |frame: &Rect, order: usize| {
            let over = |other: &Rect| {
                let common = frame.intersect(*other);
                if common.is_positive() { common.area() } else { 0.0 }
            };
            let frames: f32 = frames.iter().map(over).sum();
            let place = |tag: &Tag| over(&Rect::from_center_size(tag.at, Vec2::splat(1.5 * tag.near)));
            let places: f32 = tags.iter().map(place).sum();
            // Covered letters cannot be read; a covered joint is still seen around them.
            order as f32 + 4.0 * frames + places
        };
        let candidates = spots(tag).enumerate();
        let best = candidates.min_by(|(i, a), (j, b)| cost(a, *i).total_cmp(&cost(b, *j)));
        frames.push(best.map_or(Rect::from_min_size(tag.at, tag.size), |(_, frame)| frame));
    }
    frames
}

/// Frames around a place, the better ones first.
fn spots(tag: &Tag) -> impl Iterator<Item = Rect> {
    let Tag { at, near, size, below } = *tag;
    let mut sides =
        [(1.0, -1.0), (1.0, 0.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)];
    if below {
        sides.reverse();
    }
    [0.0, 12.0, 28.0, 50.0].into_iter().flat_map(move |farther| {
        sides.into_iter().map(move |(x, y)| {
            // In the corners a name comes nearer to something round than at its sides.
            let reach = if x == 0.0 || y == 0.0 { 1.3 * near } else { near };
            let center = at + vec2(x, y) * (Vec2::splat(reach + farther) + 0.5 * size);
            let inward = if farther > 0.0 || x == 0.0 || y == 0.0 { 0.0 } else { -y * 0.25 * size.y };
            Rect::from_center_size(center + vec2(0.0, inward), size)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    fn tag(at: [f32; 2], size: [f32; 2]) -> Tag {
        Tag { at: pos2(at[0], at[1]), near: BESIDE[0], size: size.into(), below: false }
    }

    #[test]
    fn names_in_a_crowd_cover_neither_each_other_nor_their_places() {
        let crowd: Vec<Tag> = (0..7)
            .map(|k| tag([300.0 + 7.0 * k as f32, 300.0 + 5.0 * (k % 3) as f32], [22.0 + 30.0 * (k % 2) as f32, 16.0]))
            .collect();
        let frames = arranged(&crowd);
        for (k, frame) in frames.iter().enumerate() {
            for other in &frames[..k] {
                assert!(!frame.intersect(*other).is_positive(), "{frames:?}");
            }
            assert!((frame.size() - crowd[k].size).length() < 1e-3);
            assert!(frame.distance_to_pos(crowd[k].at) < 80.0, "{frame:?} is far from {:?}", crowd[k].at);
        }
    }

    #[test]
    fn a_name_alone_stands_right_above_its_place() {
        let frame = arranged(&[tag([50.0, 50.0], [30.0, 14.0])])[0];
        assert!(frame.left() > 50.0 && frame.center().y < 50.0, "{frame:?}");
        assert!(frame.distance_to_pos(pos2(50.0, 50.0)) < 14.0, "{frame:?}");
    }
}
