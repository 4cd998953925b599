//! Keep clear: the outlines of the shapes that keep clear, and the two parts that are nearest to each other.

use super::primitives::{SHEER, line, on_top, sphere};
use crate::session::command::Show;
use crate::view::draw::bodies::style;
use crate::view::frame::{Capsule, Frame};
use crate::view::theme::{Palette, SATIN, SHINING, faded};
use crate::view::{MeshStyle, Viewer};
use fabrik3d_ik::Isometry;
use glam::{DVec3, Vec3};

/// Width of the outlines of hulls, logical pixels.
const WIDTH: f32 = 1.5;
/// Radius of the marks on the nearest points, in units of the scene's radius.
const MARK: f32 = 0.008;

/// Draws what keeps clear unless solid meshes hide it, hulls by their outlines, and marks the nearest parts if they are nearer than the margin.
pub(super) fn draw(viewer: &Viewer, palette: &Palette, frames: &[Isometry], out: &mut Frame) {
    let scene = viewer.session().scene();
    let Some(keep_clear) = &scene.keep_clear else { return };
    if style(viewer) != MeshStyle::Solid && viewer.display().shows(Show::Limits) {
        // A lesson or a comparison draws its figure itself.
        let covered = viewer.session().covered();
        for capsule in keep_clear.capsules.iter().filter(|capsule| covered.binary_search(&capsule.joint).is_err()) {
            let place = |point: DVec3| viewer.space().drawn(frames[capsule.joint].point(point));
            if let Some(hull) = &capsule.hull {
                let points: Vec<Vec3> = hull.points().iter().map(|point| place(*point)).collect();
                out.lines.push(line(outline(viewer, &points), palette.obstacle, WIDTH));
                continue;
            }
            let [a, b] = capsule.ends.map(|end| (place(end), capsule.radius as f32));
            let color = faded(palette.obstacle, SHEER);
            out.capsules.push(Capsule { a, b, color, material: SATIN, shadow: false });
        }
    }
    let is_shown = viewer.session().covered().is_empty();
    let nearest = viewer.session().clearance().filter(|nearest| is_shown && nearest.distance < keep_clear.margin);
    let Some(nearest) = nearest else { return };
    let color = if nearest.distance < 0.0 { palette.unreached } else { palette.joint_at_limit };
    let ends = nearest.points.map(|point| viewer.space().drawn(point));
    let radius = MARK * viewer.extent().radius;
    out.spheres.extend(ends.map(|end| sphere(end, radius, color, SHINING)));
    out.lines.push(on_top(line(ends, color, 2.5)));
}

/// The points round which the convex hull of points appears, the first one also at the end. None if one is behind the eye.
fn outline(viewer: &Viewer, points: &[Vec3]) -> Vec<Vec3> {
    let project = |point: &Vec3| viewer.camera().project(point.as_dvec3(), viewer.lens());
    let Some(places) = points.iter().map(project).collect::<Option<Vec<_>>>() else { return Vec::new() };
    round(&places).into_iter().map(|at| points[at]).collect()
}

/// The corners of the convex hull of places in the plane, counterclockwise, the first one also at the end.
///
/// Source: A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", Information Processing Letters 9 (1979).
pub(super) fn round(places: &[[f64; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a][0].total_cmp(&places[b][0]).then(places[a][1].total_cmp(&places[b][1])));
    let turns_left = |a: usize, b: usize, c: usize| {
        let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c].map(|at| places[at]);
        (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0.0
    };
    let side = |order: &mut dyn Iterator<Item = usize>| {
        let mut side: Vec<usize> = Vec::new();
        for at in order {
            while let [.., a, b] = side[..]
                && !turns_left(a, b, at)
            {
                side.pop();
            }
            side.push(at);
        }
        side
    };
    let mut all = side(&mut order.iter().copied());
    all.extend(side(&mut order.iter().rev().copied()).into_iter().skip(1));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn all_places_are_to_the_left_of_the_way_round() {
        let mut random = Random::new(5);
        for count in 3..60 {
            let places: Vec<[f64; 2]> =
                (0..count).map(|_| [random.range(-1.0, 1.0), random.range(-1.0, 1.0)]).collect();
            let round = round(&places);
            assert!(round.len() > 3 && round.first() == round.last(), "{round:?}");
            for pair in round.windows(2) {
                let [from, to] = [places[pair[0]], places[pair[1]]];
                let left =
                    |at: &[f64; 2]| (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0]);
                assert!(places.iter().all(|place| left(place) > -1e-12));
            }
        }
        assert_eq!(round(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]]), [0, 1, 0]);
        assert_eq!(round(&[[1.0, 1.0]]), [0]);
        assert_eq!(round(&[]), [0; 0]);
    }
}
