//! Where the figures of a race stand: in one row across the picture, so that all of them are seen from the same distance.

use super::{Camera, Lens};
use glam::DVec3;

/// Gap between neighbours, in units of their width in the picture.
const GAP: f64 = 0.07;
/// Least width of a figure, in units of its largest extent: a planar figure seen edge-on still needs room.
const MIN_WIDTH: f64 = 0.3;
/// How much closer the camera goes than for other scenes, since only the first figure has handles.
const ZOOM: f64 = 1.05;
/// Rounds of alternating between distance and camera, and bisection steps for the distance.
const ROUNDS: usize = 3;
const BISECTIONS: usize = 10;

/// Positions of the figures, in the picture's space; the first figure stays in its own place.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RaceLayout {
    count: usize,
    /// Distance between neighbours, in units of a figure's width.
    across: f64,
    /// Width of a figure as the camera sees it.
    width: f64,
    /// The camera for which it was made.
    pub camera: Camera,
}

impl RaceLayout {
    /// The best layout for figures that each move through these points, seen from the direction of `camera`.
    pub fn of(count: usize, places: &[DVec3], camera: Camera, lens: Lens) -> Self {
        RaceLayout { count, across: 1.0, width: 0.0, camera }.widened(places).settled(places, lens)
    }

    /// This layout with enough room between the figures for these points; never with less than before.
    pub fn widened(self, places: &[DVec3]) -> Self {
        let span = |along: DVec3| {
            let shares = || places.iter().map(|place| place.dot(along));
            (shares().fold(f64::NEG_INFINITY, f64::max) - shares().fold(f64::INFINITY, f64::min)).max(0.0)
        };
        let largest = DVec3::AXES.map(span).into_iter().fold(0.0, f64::max);
        let width = span(self.camera.right()).max(MIN_WIDTH * largest);
        RaceLayout { width: self.width.max(width), ..self }
    }

    /// This layout with the least distance that keeps the figures apart in the picture, and the closest camera.
    fn settled(self, places: &[DVec3], lens: Lens) -> Self {
        let mut layout = self.framed(places, lens);
        for _ in 0..ROUNDS {
            let across = least(|across| RaceLayout { across, ..layout }.framed(places, lens).is_clear(places, lens));
            layout = RaceLayout { across, ..layout }.framed(places, lens);
        }
        layout
    }

    /// Whether no figure covers its neighbour in the picture.
    fn is_clear(self, places: &[DVec3], lens: Lens) -> bool {
        let spans: Vec<[f64; 2]> = self.offsets().into_iter().map(|by| self.seen(by, places, lens)).collect();
        spans.windows(2).all(|pair| {
            let [[low, high], [next_low, next_high]] = [pair[0], pair[1]];
            next_low - high >= GAP * f64::min(high - low, next_high - next_low)
        })
    }

    /// Where a figure at this offset from the first begins and ends in the picture, from left to right.
    fn seen(self, by: DVec3, places: &[DVec3], lens: Lens) -> [f64; 2] {
        let points = places.iter().filter_map(|place| self.camera.project(*place + by, lens));
        points.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at[0]), high.max(at[0])])
    }

    /// This layout with a camera whose free area the figures fill.
    fn framed(self, places: &[DVec3], lens: Lens) -> Self {
        let points: Vec<DVec3> = self.all(places).collect();
        RaceLayout { camera: self.camera.framed(&points, lens).zoomed(ZOOM), ..self }
    }

    /// The points of all figures, given those of the first.
    pub fn all(self, places: &[DVec3]) -> impl Iterator<Item = DVec3> + '_ {
        self.offsets().into_iter().flat_map(|offset| places.iter().map(move |place| *place + offset))
    }

    /// Offset of each figure from its own place in the scene.
    pub fn offsets(self) -> Vec<DVec3> {
        let across = self.camera.right() * (self.across * self.width);
        (0..self.count).map(|lane| across * lane as f64).collect()
    }
}

/// The least factor up to 3 that satisfies a condition which all larger factors satisfy as well.
fn least(suits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 3.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if suits(middle) { high = middle } else { low = middle }
    }
    high
}
