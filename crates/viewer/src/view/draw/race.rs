//! The figures of a race, one per method.

use super::bodies::with_frames;
use super::joints_and_links::{self, Bones};
use crate::session::race::Race;
use crate::view::Viewer;
use crate::view::frame::{Frame, Sphere};
use crate::view::sizes::target_radius;
use crate::view::theme::{Palette, SHINING};
use glam::{DVec3, Vec3};

/// Radius of the targets of all figures but the first, relative to the first figure's, which can be grabbed.
const COPIED_TARGET: f32 = 0.75;

/// Draws all figures of the race, as the joints and links of the scene are drawn.
pub(super) fn draw(bones: Bones<'_>, race: &Race, out: &mut Frame) {
    let Bones { viewer, palette, .. } = bones;
    let offsets = viewer.lane_offsets();
    let skeleton = &viewer.session().scene().skeleton;
    let (first, _) = race.figure().joints[0];
    let supports: Vec<usize> = skeleton.ancestors(first).collect();
    let is_own = |joint: &usize| race.figure().joints.binary_search_by_key(joint, |(own, _)| *own).is_ok();
    let hidden = (0..skeleton.len()).filter(|joint| !is_own(joint) && !supports.contains(joint)).collect::<Vec<_>>();
    for (number, (lane, &offset)) in race.lanes().iter().zip(&offsets).enumerate() {
        let frames = with_frames(bones.frames, lane.frames(race.rounds()));
        let color = Some(palette.chain(number));
        joints_and_links::draw(
            &Bones { frames: &frames, hidden: &hidden, at_limits: &[], offset, color, ..bones },
            out,
        );
        if number > 0 {
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
