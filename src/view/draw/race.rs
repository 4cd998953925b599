//! The figures of a race, one per method.

use super::primitives::{link, sphere};
use crate::session::race::{Race, RaceArrangement};
use crate::view::Viewer;
use crate::view::frame::{Capsule, Frame, Sphere};
use crate::view::sizes::{BASE, radii, target_radius, trees};
use crate::view::theme::{POLISHED, Palette, SATIN, SHINING};
use glam::{DVec3, Vec3};

/// Radius of the targets of all figures but the first, relative to the first figure's, which can be grabbed.
const COPIED_TARGET: f32 = 0.75;

/// Draws all figures of the race. `root` is the first joint of the racing figure.
pub(super) fn draw(viewer: &Viewer, race: &Race, root: usize, palette: &Palette, out: &mut Frame) {
    let tree = trees(viewer)[root];
    let (space, style) = (viewer.space(), viewer.display().links);
    let (offsets, figure) = (viewer.lane_offsets(), race.figure());
    let radii = radii(&figure.parents, &figure.lengths, |_| tree);
    for (number, (lane, &offset)) in race.lanes().iter().zip(&offsets).enumerate() {
        let color = palette.chain(number);
        let mut places: Vec<Vec3> = Vec::new();
        for (node, (&parent, point)) in figure.parents.iter().zip(lane.points(race.rounds())).enumerate() {
            let place = (space.shown(point) + offset).as_vec3();
            places.push(place);
            // A floating node has no link. A node with floating children only is a mere reference point.
            let parent = parent.filter(|_| !figure.floating.contains(&node));
            if figure.children(node).next().is_some() && figure.children(node).all(|it| figure.floating.contains(&it)) {
                continue;
            }
            let radius = radii[node];
            let (size, shade) = match parent {
                None => (BASE * radius, palette.base),
                // A tube has a sphere of its own only at the base.
                _ if tree.dense => (radius, color),
                _ if figure.is_effector(node) => (0.8 * radius, palette.joint),
                _ => (radius, palette.joint),
            };
            out.spheres.push(sphere(place, size as f32, shade, POLISHED));
            match parent {
                Some(parent) if tree.dense => {
                    let (a, b) = ((places[parent], radii[parent] as f32), (place, radius as f32));
                    out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: true });
                }
                Some(parent) => link(style, (places[parent], radii[parent]), (place, radius), color, out),
                None => {}
            }
        }
        if number > 0 && race.layout == RaceArrangement::Beside {
            targets(viewer, palette, offset, out);
        }
    }
    for offset in [offsets.iter().copied().reduce(DVec3::max), offsets.iter().copied().reduce(DVec3::min)] {
        widen(offset.unwrap_or_default().as_vec3(), out);
    }
}

/// The targets of a figure at this offset from the first: in the same colours, smaller and without halos.
fn targets(viewer: &Viewer, palette: &Palette, offset: DVec3, out: &mut Frame) {
    let session = viewer.session();
    for (effector, target) in session.targets().enumerate() {
        let is_racing = session.covered().contains(&session.scene().effectors[effector].effector.joint);
        let Some(place) = target.position.filter(|_| is_racing && !session.is_free(effector)) else { continue };
        let center = (viewer.space().shown(place) + offset).as_vec3();
        let radius = COPIED_TARGET * target_radius(viewer, effector) as f32;
        let color = palette.target(effector);
        out.spheres.push(Sphere { center, radius, color, material: SHINING, shadow: false });
    }
}

/// Extends floor and shadows to a figure at this offset.
fn widen(by: Vec3, out: &mut Frame) {
    out.bounds.center += 0.5 * by;
    out.bounds.radius += 0.5 * by.length();
    if let Some(floor) = &mut out.floor {
        floor.center += 0.5 * by;
        floor.radius += 0.5 * by.length();
    }
}
