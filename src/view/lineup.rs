//! Where the figures of a race stand: across the picture in one row, or in two where they are seen larger so.

use super::{Camera, Lens};
use crate::session::race::RaceLayout;
use glam::DVec3;

/// Room between two figures beside each other, of their width in the picture, and between one and that behind it, of
/// their height: there the captions stand.
const GAP: f64 = 0.07;
const AISLE: f64 = 0.16;
/// Least width that a figure counts with, of its largest measure: what is seen from its edge is still a figure.
const LEAST: f64 = 0.3;
/// How far above the horizon two rows are seen from, at least, degrees: each stands clear of the other then.
const RAISED: f64 = 33.0;
/// How much nearer than to any scene the camera goes: beside so many figures no handles need room.
const NEARER: f64 = 1.08;
/// Rounds in which distances and camera settle, and halvings that find a distance.
const ROUNDS: usize = 3;
const HALVINGS: usize = 10;

/// Where figures stand, in the picture's space; the first one in its own place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lineup {
    count: usize,
    columns: usize,
    /// From each figure to the next of its row, of the width of a figure as the camera sees it.
    across: f64,
    /// From each row to the next, of the length of floor that a figure hides from the camera.
    behind: f64,
    /// Width of a figure, and the length of floor that it hides.
    size: [f64; 2],
    /// From where it is seen as it was meant.
    camera: Camera,
}

impl Lineup {
    /// The best one for figures that each come by these `places`, for who looks as `camera` does.
    pub fn of(layout: RaceLayout, count: usize, places: &[DVec3], camera: Camera, lens: Lens) -> Self {
        let pitch = (-DVec3::from(camera.forward()).y).asin().to_degrees();
        let above = camera.orbited(0.0, (RAISED - pitch).max(0.0));
        let rows = |columns: usize, camera: Camera| {
            let lineup = Lineup { count, columns, across: 1.0, behind: 1.0, size: [0.0; 2], camera };
            lineup.widened(places).settled(places, lens)
        };
        let one = match layout {
            RaceLayout::Overlaid => {
                let still = Lineup { count, columns: count.max(1), across: 0.0, behind: 0.0, size: [0.0; 2], camera };
                return still.framed(places, lens);
            }
            RaceLayout::Beside if count <= 2 => return rows(count.max(1), camera),
            RaceLayout::Beside => rows(count, camera),
        };
        let two = rows(count.div_ceil(2), above);
        if two.pixel(places) < one.pixel(places) { two } else { one }
    }

    /// With as much more room between the figures as these places ask for.
    #[must_use]
    pub fn widened(self, places: &[DVec3]) -> Self {
        let [right, ahead] = self.ways();
        let up = DVec3::from(self.camera.up());
        let span = |along: DVec3| {
            let shares = || places.iter().map(|place| place.dot(along));
            (shares().fold(f64::NEG_INFINITY, f64::max) - shares().fold(f64::INFINITY, f64::min)).max(0.0)
        };
        let largest = DVec3::AXES.map(span).into_iter().fold(0.0, f64::max);
        let span = |along| span(along).max(LEAST * largest);
        // A step on the floor is seen the shorter the flatter the look.
        let hidden = span(up) / up.dot(ahead).max(0.1);
        Lineup { size: [self.size[0].max(span(right)), self.size[1].max(hidden)], ..self }
    }

    /// With the least distances that keep all figures clear of each other in the picture, seen from as near as can be.
    fn settled(self, places: &[DVec3], lens: Lens) -> Self {
        let mut lineup = self.framed(places, lens);
        for _ in 0..ROUNDS {
            let across = least(|across| Lineup { across, ..lineup }.framed(places, lens).is_clear(0, places, lens));
            lineup = Lineup { across, ..lineup };
            if self.columns < self.count {
                let behind = least(|behind| Lineup { behind, ..lineup }.framed(places, lens).is_clear(1, places, lens));
                lineup = Lineup { behind, ..lineup };
            }
            lineup = lineup.framed(places, lens);
        }
        lineup
    }

    /// Whether in the picture no figure stands over another: beside it in its row (axis 0), or in another row (axis 1).
    fn is_clear(self, axis: usize, places: &[DVec3], lens: Lens) -> bool {
        let row = |lane: usize| lane / self.columns;
        let frames: Vec<[[f64; 2]; 2]> = self.offsets().into_iter().map(|by| self.seen(by, places, lens)).collect();
        let share = [GAP, AISLE][axis];
        frames.iter().enumerate().all(|(lane, [low, high])| {
            let others =
                frames[..lane].iter().enumerate().filter(|(other, _)| (row(*other) == row(lane)) == (axis == 0));
            others.map(|(_, frame)| frame).all(|[other_low, other_high]| {
                // Those before stand at the left, or in front.
                low[axis] - other_high[axis]
                    >= share * f64::min(high[axis] - low[axis], other_high[axis] - other_low[axis])
            })
        })
    }

    /// The frame in the picture of a figure that stands so far from the first.
    fn seen(self, by: DVec3, places: &[DVec3], lens: Lens) -> [[f64; 2]; 2] {
        let points = places.iter().filter_map(|place| self.camera.project((*place + by).to_array(), lens));
        points.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], at| {
            [[0, 1].map(|axis| low[axis].min(at[axis])), [0, 1].map(|axis| high[axis].max(at[axis]))]
        })
    }

    /// Seen so that all figures fill the free area.
    fn framed(self, places: &[DVec3], lens: Lens) -> Self {
        let points: Vec<[f64; 3]> = self.all(places).map(|place| place.to_array()).collect();
        Lineup { camera: self.camera.framed(&points, lens).zoomed(NEARER), ..self }
    }

    /// The places of all figures, where one comes by `places`.
    pub fn all(self, places: &[DVec3]) -> impl Iterator<Item = DVec3> + '_ {
        self.offsets().into_iter().flat_map(|offset| places.iter().map(move |place| *place + offset))
    }

    /// World units that a pixel of a picture of one pixel covers where the smallest figure stands.
    fn pixel(self, places: &[DVec3]) -> f64 {
        let Some(&first) = places.first() else { return 0.0 };
        let pixels = self.offsets().into_iter().map(|offset| self.camera.pixel_at((first + offset).to_array(), 1.0));
        pixels.fold(0.0, f64::max)
    }

    /// Along a row, and from row to row.
    fn ways(self) -> [DVec3; 2] {
        let right = DVec3::from(self.camera.right());
        [right, DVec3::Y.cross(right)]
    }

    /// Where each figure stands, against its own place.
    pub fn offsets(self) -> Vec<DVec3> {
        let [right, ahead] = self.ways();
        let (across, behind) = (right * (self.across * self.size[0]), ahead * (self.behind * self.size[1]));
        let place = |lane: usize| {
            let (row, column) = (lane / self.columns, lane % self.columns);
            // A row with fewer stands in the middle.
            let missing = self.columns - (self.count - row * self.columns).min(self.columns);
            across * (column as f64 + 0.5 * missing as f64) + behind * row as f64
        };
        (0..self.count).map(place).collect()
    }

    /// From where it is seen as it was meant.
    pub fn camera(self) -> Camera {
        self.camera
    }
}

/// The least factor that suits, where all larger ones do.
fn least(suits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 3.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if suits(middle) { high = middle } else { low = middle }
    }
    high
}
