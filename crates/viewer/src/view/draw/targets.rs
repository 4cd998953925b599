//! Targets: sphere, halo, and a line to the floor that shows their depth.

use super::primitives::{CLEAR, PIECES, circle, dashed, facing_polygon, line, on_top};
use crate::view::draw::bodies::style;
use crate::view::frame::{Color, Frame, Halo, Sphere};
use crate::view::sizes::{has_many_targets, target_color, target_radius};
use crate::view::theme::{Palette, SHINING, faded, highlighted};
use crate::view::{Hover, MeshStyle, Viewer};
use glam::{DVec3, Vec3};

/// Radius of the ring around a free effector, in radii of its target.
const FREE_RING: f64 = 1.3;
/// Edges of rings.
const EDGE: Color = [0x14, 0x18, 0x1e, 150];
/// Radius of the sphere inside the halo of a free effector, which has none, in radii of its target.
const NO_SPHERE: f32 = 1e-3;

/// Draws the target of each effector.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    for effector in 0..viewer.session().targets().len() {
        target(viewer, palette, effector, out);
    }
}

fn target(viewer: &Viewer, palette: &Palette, effector: usize, out: &mut Frame) {
    let (session, space) = (viewer.session(), viewer.space());
    let Some(place) = session.target(effector).place() else { return };
    // What is not solved for at present is where the picture shows it.
    let position = if session.goes_along(effector) { session.displayed_tip(effector) } else { place };
    let selected = Some(effector) == session.selected() || session.all_selected();
    let radius = target_radius(viewer, effector) as f32;
    let color = target_color(viewer, effector);
    let is_hovered = viewer.hover() == Some(Hover::Target(effector));
    let color = if is_hovered { highlighted(color, viewer.display().theme) } else { color };
    if session.is_free(effector) {
        let tip = session.displayed_tip(effector);
        if selected && session.lesson().is_none() {
            let (center, glow) = (space.drawn(tip), faded(color, palette.halo_alpha));
            out.halos.push(Halo { center, radius: radius * 5.5, core: NO_SPHERE * radius, color: glow });
        }
        // A ring shows where an effector without a goal can be grabbed.
        let width = if selected { 2.4 } else { 1.6 };
        return ring(viewer, space.shown(tip), FREE_RING * f64::from(radius), (color, width), out);
    }
    let center = space.drawn(position);
    out.spheres.push(Sphere { center, radius, color, material: SHINING, shadow: false });
    // A body may hide the target. Around the sphere itself, the faint ring is hardly seen.
    if style(viewer) == MeshStyle::Solid {
        ring(viewer, space.shown(position), f64::from(radius), (faded(color, CLEAR), 2.0), out);
    }
    if has_many_targets(session.targets().len()) && !selected {
        return;
    }
    // In a lesson, joints and their names crowd around the target.
    let (width, divisor) = if session.lesson().is_some() { (3.0, 2) } else { (5.5, 1) };
    let alpha = palette.halo_alpha / if selected { divisor } else { 3 };
    out.halos.push(Halo { center, radius: radius * width, core: radius, color: faded(color, alpha) });
    drop_line(viewer, palette, center, (radius, color), out);
}

/// A ring that faces the camera, in front of everything. Its dark edges stand out from a white hand.
fn ring(viewer: &Viewer, center: DVec3, radius: f64, (color, width): (Color, f32), out: &mut Frame) {
    let ring = facing_polygon(viewer, center, radius, 32);
    out.lines.push(on_top(line(ring.clone(), EDGE, width + 2.4)));
    out.lines.push(on_top(line(ring, color, width)));
}

/// A line from a target to the floor, with a ring around its foot.
fn drop_line(viewer: &Viewer, palette: &Palette, center: Vec3, (radius, color): (f32, Color), out: &mut Frame) {
    let floor = viewer.stage.ground.height + 1e-3 * viewer.extent().radius;
    let foot = Vec3::new(center.x, floor, center.z);
    let faint = faded(color, palette.drop_alpha);
    let width = 1.5;
    out.lines.push(dashed(line([center, foot], faint, width), (6.0, 5.0)));
    let ring = circle(foot.as_dvec3(), [DVec3::X, DVec3::Z], f64::from(radius * 1.6), PIECES);
    out.lines.push(line(ring.map(|point| point.as_vec3()), faint, width));
}
