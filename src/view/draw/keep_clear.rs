//! Keep clear: the capsules of the links, and the two parts that are nearest to each other.

use super::primitives::{line, on_top, sphere};
use crate::session::command::Show;
use crate::view::bodies::style;
use crate::view::frame::{Capsule, Frame};
use crate::view::theme::{Palette, SATIN, SHINING, faded};
use crate::view::{MeshStyle, Viewer};
use fabrik3d_ik::Isometry;

/// Opacity of the capsules.
const OPACITY: u8 = 60;
/// Radius of the marks on the nearest points, in units of the scene's radius.
const MARK: f32 = 0.008;

/// Draws the capsules unless solid meshes hide them, and marks the nearest parts if they are nearer than the margin.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let scene = viewer.session().scene();
    let Some(keep_clear) = &scene.keep_clear else { return };
    if style(viewer) != MeshStyle::Solid && viewer.display().shows(Show::Limits) {
        for capsule in &keep_clear.capsules {
            let radius = capsule.radius as f32;
            let [a, b] = capsule.ends.map(|end| (viewer.space().drawn(frames[capsule.joint].point(end)), radius));
            let color = faded(palette.obstacle, OPACITY);
            out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: false });
        }
    }
    let Some(nearest) = viewer.session().clearance().filter(|nearest| nearest.distance < keep_clear.margin) else {
        return;
    };
    let color = if nearest.distance < 0.0 { palette.unreached } else { palette.joint_at_limit };
    let ends = nearest.points.map(|point| viewer.space().drawn(point));
    let radius = MARK * viewer.extent().radius;
    out.spheres.extend(ends.map(|end| sphere(end, radius, color, SHINING)));
    out.lines.push(on_top(line(ends, color, 2.5)));
}
