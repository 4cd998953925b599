//! Balance: the center of mass of a person, and the support that it should be above.

use super::keep_clear::round;
use super::primitives::{SHEER, line, on_top, sphere};
use crate::session::numbers::INVISIBLE;
use crate::view::Viewer;
use crate::view::frame::{Frame, Patch};
use crate::view::theme::{Palette, SHINING, faded};
use glam::{DVec3, Vec3};

/// Radius of the center of mass, in units of the scene's radius.
const CENTER: f32 = 0.02;

/// Draws the center of mass with its plumb line, and the support at the height of its lowest point.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, out: &mut Frame) {
    let Some((body, center)) = viewer.session().balance() else { return };
    let radius = viewer.extent().radius;
    let is_beside = body.beside_support(center).length() > INVISIBLE * f64::from(radius);
    let color = if is_beside { palette.unreached } else { palette.limit };
    let ground = body.support.iter().map(|point| point.dot(body.up)).fold(f64::MAX, f64::min);
    let flat = |point: DVec3| viewer.space().drawn(point.reject_from_normalized(body.up) + body.up * ground);
    let (right, ahead) = body.up.any_orthonormal_pair();
    let places: Vec<[f64; 2]> = body.support.iter().map(|point| [point.dot(right), point.dot(ahead)]).collect();
    let edge: Vec<Vec3> = round(&places).into_iter().map(|at| flat(body.support[at])).collect();
    let up = viewer.space().drawn(body.up) - viewer.space().drawn(DVec3::ZERO);
    let fans = edge.windows(2).flat_map(|pair| [edge[0], pair[0], pair[1]]).map(|corner| (corner, up, 0.15));
    out.patches.push(Patch { triangles: fans.collect(), color: faded(color, SHEER) });
    out.lines.push(on_top(line(edge.iter().copied(), color, 2.0)));
    out.lines.push(on_top(line([viewer.space().drawn(center), flat(center)], color, 2.0)));
    out.spheres.push(sphere(viewer.space().drawn(center), CENTER * radius, color, SHINING));
    out.spheres.push(sphere(flat(center), 0.5 * CENTER * radius, color, SHINING));
}
