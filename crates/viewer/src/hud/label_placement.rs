//! Placement of labels next to their objects.

use egui::{Pos2, Rect, Vec2, vec2};

/// Padding around the text of a label, points.
pub(super) const PADDING: Vec2 = vec2(3.0, 1.0);
/// Half the width of a link, points.
const LINK_RADIUS: f32 = 4.0;
/// Minimum distance between two labels, points.
const SPACING: f32 = 1.0;

/// A label to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelBox {
    /// Center of the labelled object.
    pub at: Pos2,
    /// Radius of the object.
    pub radius: f32,
    /// Size of the text with padding.
    pub size: Vec2,
    /// Whether the label may cover the figure rather than be omitted.
    pub required: bool,
    /// Whether it stands below the object, or nowhere.
    pub below: bool,
}

/// What labels must avoid.
#[derive(Clone, Debug)]
pub(super) struct Obstacles {
    /// The picture; labels stay inside.
    pub window: Rect,
    /// Panels, which cover labels.
    pub panels: Vec<Rect>,
    /// End points of links, which labels should not cover.
    pub links: Vec<[Pos2; 2]>,
}

/// The rectangles of all labels, in order of priority. Each label takes the first candidate position that covers
/// nothing. Without such a position, a required label takes the one that covers least of the figure; others get `None`.
/// No label covers another label or a panel.
pub(super) fn place_labels(labels: &[LabelBox], obstacles: &Obstacles) -> Vec<Option<Rect>> {
    let mut frames: Vec<Option<Rect>> = Vec::with_capacity(labels.len());
    for label in labels {
        let is_free = |frame: &Rect| {
            let mut taken =
                frames.iter().flatten().map(|other| other.expand(SPACING)).chain(obstacles.panels.iter().copied());
            obstacles.window.contains_rect(*frame) && !taken.any(|other| frame.intersect(other).is_positive())
        };
        let covered = |frame: &Rect| -> f32 {
            let links: f32 = obstacles.links.iter().map(|link| length_inside(*link, frame.expand(LINK_RADIUS))).sum();
            let object = |label: &LabelBox| Rect::from_center_size(label.at, Vec2::splat(1.5 * label.radius));
            let objects = labels.iter().map(object).filter(|object| frame.intersect(*object).is_positive()).count();
            links + 20.0 * objects as f32
        };
        // Objects outside the picture have no labels.
        let spots = spots(label).filter(|_| obstacles.window.contains(label.at)).filter(is_free);
        let mut best: Option<(f32, Rect)> = None;
        for spot in spots {
            let cost = covered(&spot);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, spot));
            }
            if cost == 0.0 {
                break;
            }
        }
        frames.push(best.filter(|(cost, _)| label.required || *cost == 0.0).map(|(_, frame)| frame));
    }
    frames
}

/// Candidate rectangles around an object, or below it, in order of preference: directly beside it, then farther away.
fn spots(label: &LabelBox) -> impl Iterator<Item = Rect> {
    let LabelBox { at, radius, size, .. } = *label;
    const AROUND: [(f32, f32); 8] =
        [(1.0, -1.0), (1.0, 0.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)];
    let sides = if label.below { &AROUND[7..] } else { &AROUND[..] };
    [0.0, 12.0, 28.0, 50.0].into_iter().flat_map(move |farther| {
        sides.iter().map(move |&(x, y)| {
            // At a corner, the label can be closer to a round object than at a side.
            let distance = if x == 0.0 || y == 0.0 { 1.3 * radius } else { radius };
            let center = at + vec2(x, y) * (Vec2::splat(distance + farther) + 0.5 * size);
            let inward = if farther > 0.0 || x == 0.0 || y == 0.0 { 0.0 } else { -y * 0.25 * size.y };
            Rect::from_center_size(center + vec2(0.0, inward), size)
        })
    })
}

/// Length of the part of a line segment inside a rectangle.
fn length_inside([a, b]: [Pos2; 2], rect: Rect) -> f32 {
    let [enter, leave] = crossing(a, b - a, rect).unwrap_or_default();
    (leave.min(1.0) - enter.max(0.0)).max(0.0) * (b - a).length()
}

/// Where a line from a point enters and leaves a rectangle, in units of `direction`; `None` if it misses it.
fn crossing(from: Pos2, direction: Vec2, rect: Rect) -> Option<[f32; 2]> {
    let (mut enter, mut leave) = (f32::NEG_INFINITY, f32::INFINITY);
    for (at, step, low, high) in
        [(from.x, direction.x, rect.left(), rect.right()), (from.y, direction.y, rect.top(), rect.bottom())]
    {
        if step.abs() < 1e-6 {
            if at < low || at > high {
                return None;
            }
            continue;
        }
        let (first, second) = ((low - at) / step, (high - at) / step);
        enter = enter.max(first.min(second));
        leave = leave.min(first.max(second));
    }
    (enter <= leave).then_some([enter, leave])
}

/// The place of a point of the picture (x right, y up, -1..1) in a window.
pub(super) fn on_screen(window: Rect, [x, y]: [f64; 2]) -> Pos2 {
    window.min + vec2(x as f32 + 1.0, 1.0 - y as f32) * 0.5 * window.size()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;
    use fabrik3d_ik::random::Random;

    fn label(at: [f32; 2], size: [f32; 2]) -> LabelBox {
        LabelBox { at: pos2(at[0], at[1]), radius: 9.0, size: size.into(), required: false, below: false }
    }

    fn empty() -> Obstacles {
        let window = Rect::from_min_size(Pos2::ZERO, vec2(800.0, 600.0));
        Obstacles { window, panels: Vec::new(), links: Vec::new() }
    }

    #[test]
    fn crowded_labels_cover_neither_each_other_nor_their_objects() {
        let labels: Vec<LabelBox> = (0..7)
            .map(|k| {
                label([300.0 + 7.0 * k as f32, 300.0 + 5.0 * (k % 3) as f32], [22.0 + 30.0 * (k % 2) as f32, 16.0])
            })
            .collect();
        let frames: Vec<Rect> = place_labels(&labels, &empty()).into_iter().flatten().collect();
        assert_eq!(frames.len(), labels.len(), "there is space for all");
        for (k, frame) in frames.iter().enumerate() {
            assert!(frames[..k].iter().all(|other| !frame.intersect(*other).is_positive()), "{frames:?}");
            assert!((frame.size() - labels[k].size).length() < 1e-3);
            assert!(frame.distance_to_pos(labels[k].at) < 80.0, "{frame:?} is far from {:?}", labels[k].at);
        }
    }

    #[test]
    fn a_single_label_is_placed_above_and_to_the_right_of_its_object() {
        let frame = place_labels(&[label([50.0, 50.0], [30.0, 14.0])], &empty())[0].expect("there is space");
        assert!(frame.left() > 50.0 && frame.center().y < 50.0, "{frame:?}");
        assert!(frame.distance_to_pos(pos2(50.0, 50.0)) < 14.0, "{frame:?}");
    }

    #[test]
    fn labels_cover_no_label_or_panel_and_only_required_ones_cover_links() {
        let mut random = Random::new(9);
        let (mut placed, mut left_out) = (0, 0);
        for case in 0..300 {
            let mut number = |low: f64, high: f64| random.range(low, high) as f32;
            let mut obstacles = empty();
            let mut place = || pos2(number(-50.0, 850.0), number(-50.0, 650.0));
            obstacles.links = (0..8).map(|_| [place(), place()]).collect();
            let places: Vec<Pos2> = obstacles.links.iter().flatten().copied().collect();
            obstacles.panels = (0..2).map(|_| Rect::from_min_size(place(), vec2(200.0, 120.0))).collect();
            let labels: Vec<LabelBox> = places
                .iter()
                .enumerate()
                .map(|(k, at)| LabelBox { required: k == 0, ..label([at.x, at.y], [20.0 + 9.0 * k as f32, 16.0]) })
                .collect();
            let frames = place_labels(&labels, &obstacles);
            for (k, frame) in frames.iter().enumerate() {
                let Some(frame) = frame else {
                    left_out += 1;
                    continue;
                };
                placed += 1;
                let others = frames[..k].iter().flatten().chain(&obstacles.panels);
                assert!(others.into_iter().all(|other| !frame.intersect(*other).is_positive()), "case {case}");
                assert!(obstacles.window.contains_rect(*frame), "case {case}");
                // Check the links point by point.
                let points = |[a, b]: [Pos2; 2]| (0..=400).map(move |k| a + (b - a) * (k as f32 / 400.0));
                let is_over_link = obstacles.links.iter().flat_map(|link| points(*link)).any(|at| frame.contains(at));
                assert!(labels[k].required || !is_over_link, "case {case}: {frame:?}");
            }
        }
        assert!(placed > 2000 && left_out > 100, "{placed} {left_out}");
    }
}
