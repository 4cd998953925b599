//! A race in the picture: one figure a method, beside each other or in one place.

use super::frame::{Color, Frame, Sphere};
use super::lesson::{Label, LabelWeight};
use super::look::{POLISHED, Palette, SHINING};
use super::picture::{link, sphere};
use super::sizes::{BASE, radii, target_radius, tree_of};
use super::{Space, Stage};
use crate::session::race::{Layout, Race};
use glam::{DVec3, Vec3};

/// Room between two figures, as a fraction of their width or depth.
const GAP: f64 = 0.2;
/// Least distance of two figures, as a fraction of the reach.
const LEAST: f64 = 0.45;
/// Most figures in a row: more stand in two rows, the second behind the gaps of the first.
const ROW: usize = 2;

/// Where the figure of each lane stands, against its own place, in the picture's space.
fn offsets(race: &Race, space: Space) -> Vec<DVec3> {
    let count = race.lanes().len();
    if race.layout == Layout::Overlaid {
        return vec![DVec3::ZERO; count];
    }
    let ends = race.lanes().iter().flat_map(|lane| lane.points(lane.last() as f64));
    let starts = race.lanes().first().map(|lane| lane.points(0.0)).unwrap_or_default();
    let all = ends.chain(starts).chain(race.targets());
    let shown: Vec<DVec3> = all.map(|point| space.shown(point)).collect();
    let low = shown.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = shown.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let step = ((1.0 + GAP) * (high - low)).max(DVec3::splat(LEAST * race.figure().reach));
    let columns = if count > ROW { count.div_ceil(2) } else { count };
    let place = |lane: usize| {
        let (row, column) = ((lane / columns) as f64, (lane % columns) as f64);
        DVec3::new(step.x * (column + 0.5 * row), 0.0, -step.z * row)
    };
    (0..count).map(place).collect()
}

/// What a picture of the race should hold, in the picture's space.
pub(super) fn landmarks(race: &Race, space: Space) -> Vec<DVec3> {
    let lanes = race.lanes().iter().zip(offsets(race, space));
    let figures = lanes.flat_map(|(lane, offset)| {
        let ends = lane.points(lane.last() as f64).into_iter().chain(lane.points(0.0)).chain(race.targets());
        ends.map(|point| space.shown(point) + offset).collect::<Vec<_>>()
    });
    figures.collect()
}

/// Colour of a lane's figure and curve.
pub fn color(palette: &Palette, lane: usize) -> Color {
    palette.chain(lane)
}

/// Draws all figures of the race.
pub(super) fn race(stage: &Stage, race: &Race, root: usize, palette: &Palette, out: &mut Frame) {
    let (_, tree) = tree_of(stage, root);
    let (space, style) = (stage.space(), stage.display().links);
    let target = target_radius(stage, stage.session().selected()) as f32;
    let (offsets, figure) = (offsets(race, space), race.figure());
    let radii = radii(&figure.parents, &figure.lengths, |_| tree);
    for (number, (lane, &offset)) in race.lanes().iter().zip(&offsets).enumerate() {
        let color = color(palette, number);
        let mut places: Vec<Vec3> = Vec::new();
        for (node, (&parent, point)) in figure.parents.iter().zip(lane.points(race.rounds())).enumerate() {
            let place = (space.shown(point) + offset).as_vec3();
            let radius = radii[node];
            let (size, shade) = match parent {
                None => (BASE * radius, palette.base),
                _ if figure.is_effector(node) => (0.8 * radius, palette.joint),
                _ => (radius, palette.joint),
            };
            out.spheres.push(sphere(place, size as f32, shade, POLISHED));
            if let Some(parent) = parent {
                link(style, (places[parent], radii[parent]), (place, radius), color, out);
            }
            places.push(place);
        }
        if number > 0 && race.layout == Layout::Beside {
            let color = palette.target(stage.session().selected());
            out.spheres.extend(race.targets().map(|point| {
                let center = (space.shown(point) + offset).as_vec3();
                Sphere { center, radius: target, color, material: SHINING, shadow: false }
            }));
        }
    }
    widen(offsets.iter().copied().reduce(DVec3::max).unwrap_or_default().as_vec3(), out);
    widen(offsets.iter().copied().reduce(DVec3::min).unwrap_or_default().as_vec3(), out);
}

/// Floor and shadows for a scene that reaches as far again as `by`.
fn widen(by: Vec3, out: &mut Frame) {
    out.bounds.center += 0.5 * by;
    out.bounds.radius += 0.5 * by.length();
    if let Some(floor) = &mut out.floor {
        floor.center += 0.5 * by;
        floor.radius += 0.5 * by.length();
    }
}

/// The methods' names at the feet of their figures.
pub fn labels(race: &Race, space: Space) -> Vec<Label> {
    if race.layout == Layout::Overlaid {
        return Vec::new();
    }
    let lanes = race.lanes().iter().zip(offsets(race, space));
    let label = lanes.map(|(lane, offset)| {
        let round = (race.rounds() as usize).min(lane.last());
        Label {
            radius: 0.0,
            place: space.world(space.shown(lane.points(0.0)[0]) + offset),
            text: format!("{}   {round}", lane.method.name()),
            weight: LabelWeight::Strong,
        }
    });
    label.collect()
}
