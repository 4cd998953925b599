//! Where names stand beside what they name.

use egui::{Pos2, Rect, Vec2, vec2};

/// Room around a name's letters.
pub(super) const ROOM: Vec2 = vec2(3.0, 1.0);
/// Half the width of a link, points.
const LINK: f32 = 4.0;
/// Distance between two names at least, points.
const APART: f32 = 1.0;

/// A name to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    /// What it names.
    pub at: Pos2,
    /// How near it may come to that.
    pub near: f32,
    /// Its letters with the room around them.
    pub size: Vec2,
    /// Whether it may rather stand over the figure than be left out.
    pub must: bool,
    /// Whether it stands below its place if it can, and not above.
    pub below: bool,
}

/// What is there besides names.
#[derive(Clone, Debug)]
pub(super) struct Scenery {
    /// The picture, which names do not leave.
    pub window: Rect,
    /// What lies over names.
    pub panels: Vec<Rect>,
    /// What names should not lie over: links, end to end.
    pub links: Vec<[Pos2; 2]>,
}

/// Frames beside the places of all tags, in the order of the tags: each at the first spot where it covers nothing; the
/// first ones choose first. None for those that find no such spot, unless they must: these stand where they cover least of
/// the figure. None lies over another or under a panel.
pub(super) fn arranged(tags: &[Tag], scenery: &Scenery) -> Vec<Option<Rect>> {
    let mut frames: Vec<Option<Rect>> = Vec::with_capacity(tags.len());
    for tag in tags {
        let is_free = |frame: &Rect| {
            let mut taken =
                frames.iter().flatten().map(|other| other.expand(APART)).chain(scenery.panels.iter().copied());
            scenery.window.contains_rect(*frame) && !taken.any(|other| frame.intersect(other).is_positive())
        };
        let covered = |frame: &Rect| -> f32 {
            let links: f32 = scenery.links.iter().map(|link| length_inside(*link, frame.expand(LINK))).sum();
            let place = |tag: &Tag| Rect::from_center_size(tag.at, Vec2::splat(1.5 * tag.near));
            let places = tags.iter().map(place).filter(|place| frame.intersect(*place).is_positive()).count();
            links + 20.0 * places as f32
        };
        // What is out of the picture has no name in it.
        let spots = spots(tag).filter(|_| scenery.window.contains(tag.at)).filter(is_free);
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
        frames.push(best.filter(|(cost, _)| tag.must || *cost == 0.0).map(|(_, frame)| frame));
    }
    frames
}

/// Frames around a place, the better ones first: right above it (or below it), then around it, then farther
/// away.
fn spots(tag: &Tag) -> impl Iterator<Item = Rect> {
    let Tag { at, near, size, .. } = *tag;
    let mut sides =
        [(1.0, -1.0), (1.0, 0.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)];
    if tag.below {
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

/// How much of a line lies inside a rectangle.
fn length_inside([a, b]: [Pos2; 2], rect: Rect) -> f32 {
    let way = b - a;
    let (mut from, mut to) = (0.0_f32, 1.0_f32);
    for (start, step, low, high) in [(a.x, way.x, rect.left(), rect.right()), (a.y, way.y, rect.top(), rect.bottom())] {
        if step.abs() < 1e-6 {
            if start < low || start > high {
                return 0.0;
            }
            continue;
        }
        let (first, second) = ((low - start) / step, (high - start) / step);
        from = from.max(first.min(second));
        to = to.min(first.max(second));
    }
    (to - from).max(0.0) * way.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;
    use fabrik3d_ik::random::Random;

    fn tag(at: [f32; 2], size: [f32; 2]) -> Tag {
        Tag { at: pos2(at[0], at[1]), near: 9.0, size: size.into(), must: false, below: false }
    }

    fn bare() -> Scenery {
        let window = Rect::from_min_size(Pos2::ZERO, vec2(800.0, 600.0));
        Scenery { window, panels: Vec::new(), links: Vec::new() }
    }

    #[test]
    fn names_in_a_crowd_cover_neither_each_other_nor_their_places() {
        let crowd: Vec<Tag> = (0..7)
            .map(|k| tag([300.0 + 7.0 * k as f32, 300.0 + 5.0 * (k % 3) as f32], [22.0 + 30.0 * (k % 2) as f32, 16.0]))
            .collect();
        let frames: Vec<Rect> = arranged(&crowd, &bare()).into_iter().flatten().collect();
        assert_eq!(frames.len(), crowd.len(), "there is room for all");
        for (k, frame) in frames.iter().enumerate() {
            assert!(frames[..k].iter().all(|other| !frame.intersect(*other).is_positive()), "{frames:?}");
            assert!((frame.size() - crowd[k].size).length() < 1e-3);
            assert!(frame.distance_to_pos(crowd[k].at) < 80.0, "{frame:?} is far from {:?}", crowd[k].at);
        }
    }

    #[test]
    fn a_name_alone_stands_right_above_its_place() {
        let frame = arranged(&[tag([50.0, 50.0], [30.0, 14.0])], &bare())[0].expect("there is room");
        assert!(frame.left() > 50.0 && frame.center().y < 50.0, "{frame:?}");
        assert!(frame.distance_to_pos(pos2(50.0, 50.0)) < 14.0, "{frame:?}");
    }

    #[test]
    fn wherever_names_panels_and_links_are_none_lies_over_another_or_a_panel_and_only_those_that_must_over_a_link() {
        let mut random = Random::new(9);
        let (mut placed, mut left_out) = (0, 0);
        for case in 0..300 {
            let mut number = |low: f64, high: f64| random.range(low, high) as f32;
            let mut scenery = bare();
            let mut place = || pos2(number(-50.0, 850.0), number(-50.0, 650.0));
            scenery.links = (0..8).map(|_| [place(), place()]).collect();
            let places: Vec<Pos2> = scenery.links.iter().flatten().copied().collect();
            scenery.panels = (0..2).map(|_| Rect::from_min_size(place(), vec2(200.0, 120.0))).collect();
            let tags: Vec<Tag> = places
                .iter()
                .enumerate()
                .map(|(k, at)| Tag { must: k == 0, ..tag([at.x, at.y], [20.0 + 9.0 * k as f32, 16.0]) })
                .collect();
            let frames = arranged(&tags, &scenery);
            for (k, frame) in frames.iter().enumerate() {
                let Some(frame) = frame else {
                    left_out += 1;
                    continue;
                };
                placed += 1;
                let others = frames[..k].iter().flatten().chain(&scenery.panels);
                assert!(others.into_iter().all(|other| !frame.intersect(*other).is_positive()), "case {case}");
                assert!(scenery.window.contains_rect(*frame), "case {case}");
                // Looked at point by point.
                let points = |[a, b]: [Pos2; 2]| (0..=400).map(move |k| a + (b - a) * (k as f32 / 400.0));
                let is_over_link = scenery.links.iter().flat_map(|link| points(*link)).any(|at| frame.contains(at));
                assert!(tags[k].must || !is_over_link, "case {case}: {frame:?}");
            }
        }
        assert!(placed > 2000 && left_out > 100, "{placed} {left_out}");
    }
}
