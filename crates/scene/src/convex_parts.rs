//! Surfaces in parts that are nearly convex.

use crate::capsule_fit::likely_axes;
use glam::DVec3;

pub(crate) type Triangle = [DVec3; 3];

/// Most cuts from the whole surface to a part.
const MOST_CUTS: u32 = 4;
/// Where a part may be cut, as fractions of its extent.
const CUTS: [f64; 7] = [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875];
/// A part has to save this share of the box around the whole surface.
const LEAST_GAIN: f64 = 0.02;
/// Number of triangles that decide where to cut, evenly from all.
const SAMPLE: usize = 600;
/// A surface is convex if no triangle has corners on both sides that are farther from it than this fraction of the extent of
/// the whole.
const FLATNESS: f64 = 0.005;
/// Boxes are larger than their parts by this fraction of the extent of the whole, so that flat parts have a volume.
const THICKNESS: f64 = 0.01;

/// A plane, by its normal and its distance from the origin.
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: DVec3,
    height: f64,
}

/// Cuts a surface into parts whose boxes take little volume, as their convex hulls then do. Triangles are cut too, so that the
/// hulls of the parts hold all that is within the surface wherever its cross-sections are convex.
pub(crate) fn convex_parts(surface: &[Triangle]) -> Vec<Vec<Triangle>> {
    if surface.is_empty() {
        return Vec::new();
    }
    let sides = DVec3::AXES.map(|axis| extent(surface.as_flattened(), axis)).map(|[low, high]| high - low);
    let size = DVec3::from(sides).length();
    let cost = LEAST_GAIN * box_volume(surface, THICKNESS * size);
    parts(surface.to_vec(), MOST_CUTS, size, cost).1
}

/// The parts of a surface after at most `cuts` cuts one after the other, with the sum of their costs. Of a part and its
/// halves, what costs less stays: some cuts pay only together with later ones. `size` is the extent of the whole surface; a part
/// costs its volume and `cost`, which it has to save.
fn parts(surface: Vec<Triangle>, cuts: u32, size: f64, cost: f64) -> (f64, Vec<Vec<Triangle>>) {
    let stride = surface.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Triangle> = surface.iter().copied().step_by(stride).collect();
    let thickness = THICKNESS * size;
    let whole = box_volume(&sample, thickness) + cost;
    let can_pay = cuts > 0 && whole > 2.0 * cost && !is_convex(&sample, FLATNESS * size);
    let Some(plane) = can_pay.then(|| best_cut(&sample, thickness)).flatten() else { return (whole, vec![surface]) };
    let [(below, mut halves), (above, others)] = halves(&surface, plane).map(|half| parts(half, cuts - 1, size, cost));
    halves.extend(others);
    if below + above < whole { (below + above, halves) } else { (whole, vec![surface]) }
}

/// Whether no triangle has corners on both sides that are farther away than `flatness`.
fn is_convex(triangles: &[Triangle], flatness: f64) -> bool {
    triangles.iter().all(|[a, b, c]| {
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let [low, high] = extent(triangles.as_flattened(), normal);
        let height = normal.dot(*a);
        (high - height).min(height - low) <= flatness
    })
}

/// The plane that leaves the smallest boxes.
fn best_cut(sample: &[Triangle], thickness: f64) -> Option<Plane> {
    let planes = likely_axes(sample.as_flattened()).flat_map(|normal| {
        let [low, high] = extent(sample.as_flattened(), normal);
        CUTS.map(|share| Plane { normal, height: low + share * (high - low) })
    });
    let volume = |plane: Plane| {
        let halves = halves(sample, plane);
        let is_cut = halves.iter().all(|half| !half.is_empty());
        is_cut.then(|| halves.iter().map(|half| box_volume(half, thickness)).sum::<f64>())
    };
    let cuts = planes.filter_map(|plane| Some((plane, volume(plane)?)));
    cuts.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(plane, _)| plane)
}

/// The volume of the smallest box around triangles, among those along their principal axes and along the coordinate axes.
fn box_volume(triangles: &[Triangle], thickness: f64) -> f64 {
    let points = triangles.as_flattened();
    let side = |axis: DVec3| {
        let [low, high] = extent(points, axis);
        high - low + thickness
    };
    let sides: Vec<f64> = likely_axes(points).map(side).collect();
    sides.chunks(3).map(|box_| box_.iter().product()).fold(f64::INFINITY, f64::min)
}

fn extent(points: &[DVec3], axis: DVec3) -> [f64; 2] {
    let heights = points.iter().map(|point| point.dot(axis));
    heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], height| [low.min(height), high.max(height)])
}

/// The parts of triangles on either side of a plane.
fn halves(triangles: &[Triangle], plane: Plane) -> [Vec<Triangle>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    for &triangle in triangles {
        let heights = triangle.map(|corner| corner.dot(plane.normal) - plane.height);
        for (half, sign) in halves.iter_mut().zip([-1.0, 1.0]) {
            let heights = heights.map(|height| height * sign);
            if heights.iter().all(|height| *height >= 0.0) {
                half.push(triangle);
            } else if heights.iter().any(|height| *height > 0.0) {
                clip(triangle, heights, half);
            }
        }
    }
    halves
}

/// Appends the part of a triangle whose heights are positive.
fn clip(triangle: Triangle, heights: [f64; 3], half: &mut Vec<Triangle>) {
    let mut corners = Vec::with_capacity(4);
    for at in 0..3 {
        let next = (at + 1) % 3;
        if heights[at] >= 0.0 {
            corners.push(triangle[at]);
        }
        if (heights[at] < 0.0) != (heights[next] < 0.0) {
            corners.push(triangle[at].lerp(triangle[next], heights[at] / (heights[at] - heights[next])));
        }
    }
    half.extend((2..corners.len()).map(|at| [corners[0], corners[at - 1], corners[at]]));
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capsule_fit::Capsule;
    use fabrik3d_ik::random::Random;

    /// The surface of a box.
    fn block(center: DVec3, half: DVec3) -> Vec<Triangle> {
        let corner = |at: usize| {
            let sign = |bit: usize| if at & bit == 0 { -1.0 } else { 1.0 };
            center + half * DVec3::new(sign(1), sign(2), sign(4))
        };
        let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        let triangles = faces.map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
        triangles.into_iter().flatten().map(|face| face.map(corner)).collect()
    }

    fn area(triangles: &[Triangle]) -> f64 {
        triangles.iter().map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).length()).sum()
    }

    /// A bracket with three arms falls into convex parts, wherever it is: what is between the arms is in none of them.
    #[test]
    fn the_room_between_the_arms_of_a_bracket_is_free() {
        let mut random = Random::new(2);
        for case in 0..40 {
            let arms = [
                block(DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.1, 0.1, 0.6)),
                block(DVec3::new(0.4, 0.0, 0.0), DVec3::new(0.5, 0.1, 0.1)),
                block(DVec3::new(0.0, 0.4, 1.0), DVec3::new(0.1, 0.5, 0.1)),
            ];
            let (turn, shift) = (random.rotation(), random.ball());
            let place = |point: DVec3| turn * point + shift;
            let surface: Vec<Triangle> = arms.concat().into_iter().map(|triangle| triangle.map(place)).collect();
            let parts = convex_parts(&surface);
            assert!((3..=8).contains(&parts.len()), "case {case}: {}", parts.len());
            assert!(
                (parts.iter().map(|part| area(part)).sum::<f64>() / area(&surface) - 1.0).abs() < 1e-9,
                "case {case}"
            );
            let free = [DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5), DVec3::new(0.4, 0.4, 0.5)].map(place);
            for part in &parts {
                let corners = part.as_flattened();
                let inside = free.iter().filter(|&&point| {
                    // Some plane through the point has the whole part on one side.
                    let is_apart = |_| {
                        let normal = random.direction();
                        corners.iter().all(|corner| normal.dot(*corner - point) > 0.0)
                    };
                    !(0..3000).any(is_apart)
                });
                assert_eq!(inside.count(), 0, "case {case}");
            }
        }
    }

    /// What is convex stays in one part, and so do flat surfaces and single points.
    #[test]
    fn convex_surfaces_stay_whole() {
        assert_eq!(convex_parts(&[]).len(), 0);
        assert_eq!(convex_parts(&[[DVec3::X; 3]]).len(), 1);
        assert_eq!(convex_parts(&block(DVec3::ONE, DVec3::new(0.1, 0.2, 0.3))).len(), 1);
        let corners = [DVec3::ZERO, DVec3::X * 0.1, DVec3::Y * 0.2, DVec3::Z * 0.6];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|face| face.map(|at| corners[at]));
        assert_eq!(convex_parts(&faces).len(), 1);
        assert_eq!(convex_parts(&block(DVec3::ONE, DVec3::new(0.1, 0.2, 0.0))).len(), 1);
    }

    /// Every point of a random surface is in the capsule around some part.
    #[test]
    fn parts_hold_the_whole_surface() {
        let mut random = Random::new(9);
        for case in 0..40 {
            let surface: Vec<Triangle> = (0..60).map(|_| [0; 3].map(|_| random.ball())).collect();
            let parts = convex_parts(&surface);
            let capsules: Vec<Capsule> =
                parts.iter().map(|part| Capsule::around(part.as_flattened()).unwrap()).collect();
            for triangle in &surface {
                let [a, b] = [random.unit(), random.unit()];
                let [a, b] = if a + b > 1.0 { [1.0 - a, 1.0 - b] } else { [a, b] };
                let point = triangle[0] * (1.0 - a - b) + triangle[1] * a + triangle[2] * b;
                assert!(capsules.iter().any(|capsule| capsule.holds(point)), "case {case}");
            }
        }
    }
}
