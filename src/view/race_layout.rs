//! Where the figures of a race stand: in one row across the picture, or in two rows if they appear larger that way.

use super::{Camera, Lens};
use crate::session::race::RaceArrangement;
use glam::DVec3;

/// Gap between neighbours in a row, in units of their width in the picture, and between rows, in units of their height; the
/// captions stand between the rows.
const COLUMN_GAP: f64 = 0.07;
const ROW_GAP: f64 = 0.16;
/// Least width of a figure, in units of its largest extent: a planar figure seen edge-on still needs room.
const MIN_WIDTH: f64 = 0.3;
/// Least pitch of the camera above two rows, degrees, so that the rows do not cover each other.
const MIN_PITCH: f64 = 33.0;
/// How much closer the camera goes than for other scenes, since no handles need room.
const ZOOM: f64 = 1.13;
/// Rounds of alternating between distances and camera, and bisection steps for a distance.
const ROUNDS: usize = 3;
const BISECTIONS: usize = 10;

/// Positions of the figures, in the picture's space; the first figure stays in its own place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RaceLayout {
    count: usize,
    columns: usize,
    /// Distance between neighbours in a row, in units of a figure's width.
    across: f64,
    /// Distance between rows, in units of the length of floor that a figure hides.
    behind: f64,
    /// Width of a figure as the camera sees it, and length of floor that it hides from the camera.
    size: [f64; 2],
    /// The camera for which it was made.
    camera: Camera,
}

impl RaceLayout {
    /// The best layout for figures that each move through these points, seen from a direction close to that of `camera`.
    pub fn of(layout: RaceArrangement, count: usize, places: &[DVec3], camera: Camera, lens: Lens) -> Self {
        let pitch = (-DVec3::from(camera.forward()).y).asin().to_degrees();
        let above = camera.orbited(0.0, (MIN_PITCH - pitch).max(0.0));
        let rows = |columns: usize, camera: Camera| {
            let layout = RaceLayout { count, columns, across: 1.0, behind: 1.0, size: [0.0; 2], camera };
            layout.widened(places).settled(places, lens)
        };
        let one = match layout {
            RaceArrangement::Overlaid => {
                let still =
                    RaceLayout { count, columns: count.max(1), across: 0.0, behind: 0.0, size: [0.0; 2], camera };
                return still.framed(places, lens);
            }
            RaceArrangement::Beside if count <= 2 => return rows(count.max(1), camera),
            RaceArrangement::Beside => rows(count, camera),
        };
        let two = rows(count.div_ceil(2), above);
        if two.picture_height(places) < one.picture_height(places) { two } else { one }
    }

    /// This layout with enough room between the figures for these points; never with less than before.
    #[must_use]
    pub fn widened(self, places: &[DVec3]) -> Self {
        let [right, ahead] = self.axes();
        let up = DVec3::from(self.camera.up());
        let span = |along: DVec3| {
            let shares = || places.iter().map(|place| place.dot(along));
            (shares().fold(f64::NEG_INFINITY, f64::max) - shares().fold(f64::INFINITY, f64::min)).max(0.0)
        };
        let largest = DVec3::AXES.map(span).into_iter().fold(0.0, f64::max);
        let span = |along| span(along).max(MIN_WIDTH * largest);
        // The lower the camera, the more floor a figure hides.
        let hidden = span(up) / up.dot(ahead).max(0.1);
        RaceLayout { size: [self.size[0].max(span(right)), self.size[1].max(hidden)], ..self }
    }

    /// This layout with the least distances that keep the figures apart in the picture, and the closest camera.
    fn settled(self, places: &[DVec3], lens: Lens) -> Self {
        let mut layout = self.framed(places, lens);
        for _ in 0..ROUNDS {
            let across = least(|across| RaceLayout { across, ..layout }.framed(places, lens).is_clear(0, places, lens));
            layout = RaceLayout { across, ..layout };
            if self.columns < self.count {
                let behind =
                    least(|behind| RaceLayout { behind, ..layout }.framed(places, lens).is_clear(1, places, lens));
                layout = RaceLayout { behind, ..layout };
            }
            layout = layout.framed(places, lens);
        }
        layout
    }

    /// Whether no figure covers another in the picture: a neighbour in its row (axis 0), or a figure of another row (axis 1).
    fn is_clear(self, axis: usize, places: &[DVec3], lens: Lens) -> bool {
        let row = |lane: usize| lane / self.columns;
        let frames: Vec<[[f64; 2]; 2]> = self.offsets().into_iter().map(|by| self.seen(by, places, lens)).collect();
        let share = [COLUMN_GAP, ROW_GAP][axis];
        frames.iter().enumerate().all(|(lane, [low, high])| {
            let others =
                frames[..lane].iter().enumerate().filter(|(other, _)| (row(*other) == row(lane)) == (axis == 0));
            others.map(|(_, frame)| frame).all(|[other_low, other_high]| {
                // Earlier figures stand to the left, or in front.
                low[axis] - other_high[axis]
                    >= share * f64::min(high[axis] - low[axis], other_high[axis] - other_low[axis])
            })
        })
    }

    /// The bounding box in the picture of a figure at this offset from the first.
    fn seen(self, by: DVec3, places: &[DVec3], lens: Lens) -> [[f64; 2]; 2] {
        let points = places.iter().filter_map(|place| self.camera.project((*place + by).to_array(), lens));
        points.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], at| {
            [[0, 1].map(|axis| low[axis].min(at[axis])), [0, 1].map(|axis| high[axis].max(at[axis]))]
        })
    }

    /// This layout with a camera whose free area the figures fill.
    fn framed(self, places: &[DVec3], lens: Lens) -> Self {
        let points: Vec<[f64; 3]> = self.all(places).map(|place| place.to_array()).collect();
        RaceLayout { camera: self.camera.framed(&points, lens).zoomed(ZOOM), ..self }
    }

    /// The points of all figures, given those of the first.
    pub fn all(self, places: &[DVec3]) -> impl Iterator<Item = DVec3> + '_ {
        self.offsets().into_iter().flat_map(|offset| places.iter().map(move |place| *place + offset))
    }

    /// Height of the picture at the most distant figure, in world units.
    fn picture_height(self, places: &[DVec3]) -> f64 {
        let Some(&first) = places.first() else { return 0.0 };
        let pixels = self.offsets().into_iter().map(|offset| self.camera.pixel_at((first + offset).to_array(), 1.0));
        pixels.fold(0.0, f64::max)
    }

    /// Directions along a row and from row to row.
    fn axes(self) -> [DVec3; 2] {
        let right = DVec3::from(self.camera.right());
        [right, DVec3::Y.cross(right)]
    }

    /// Offset of each figure from its own place in the scene.
    pub fn offsets(self) -> Vec<DVec3> {
        let [right, ahead] = self.axes();
        let (across, behind) = (right * (self.across * self.size[0]), ahead * (self.behind * self.size[1]));
        let place = |lane: usize| {
            let (row, column) = (lane / self.columns, lane % self.columns);
            // A shorter row is centred.
            let missing = self.columns - (self.count - row * self.columns).min(self.columns);
            across * (column as f64 + 0.5 * missing as f64) + behind * row as f64
        };
        (0..self.count).map(place).collect()
    }

    /// The camera for which it was made.
    pub fn camera(self) -> Camera {
        self.camera
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
