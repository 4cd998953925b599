//! Triangulation of polygons.

use glam::{DVec3, Vec3};

/// Most corners of a polygon for ear clipping, which takes cubic time in the worst case. Larger ones become fans.
const MAX_CLIPPED: usize = 512;

/// Triangles of a polygon, as indices of its corners. Ear clipping preserves concave polygons.
pub(crate) fn triangulate(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let count = corners.len();
    let fan = || (2..count).map(|at| [0, at - 1, at]).collect();
    if count <= 3 || count > MAX_CLIPPED {
        return fan();
    }
    let points: Vec<DVec3> = corners.iter().map(|corner| corner.as_dvec3()).collect();
    // Newell's normal is correct for concave and slightly non-planar polygons.
    let normal: DVec3 = (0..count).map(|at| points[at].cross(points[(at + 1) % count])).sum();
    let mut left: Vec<usize> = (0..count).collect();
    let mut triangles = Vec::with_capacity(count - 2);
    while left.len() > 3 {
        let size = left.len();
        let ear = (0..size).find(|&at| {
            let [a, b, c] = [left[(at + size - 1) % size], left[at], left[(at + 1) % size]];
            let turn = (points[b] - points[a]).cross(points[c] - points[b]).dot(normal);
            let blocked = |&&other: &&usize| {
                ![a, b, c].contains(&other) && inside(points[other], [points[a], points[b], points[c]], normal)
            };
            turn > 0.0 && left.iter().find(blocked).is_none()
        });
        // Self-intersecting polygons may have no ear; then any corner will do.
        let at = ear.unwrap_or(0);
        triangles.push([left[(at + size - 1) % size], left[at], left[(at + 1) % size]]);
        left.remove(at);
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// Whether a point, seen along the normal, is in a triangle or on its border.
fn inside(point: DVec3, [a, b, c]: [DVec3; 3], normal: DVec3) -> bool {
    let left_of = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) >= 0.0;
    left_of(a, b) && left_of(b, c) && left_of(c, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3], triangles: &[[usize; 3]]) -> f32 {
        let part = |abc: &[usize; 3]| {
            let [a, b, c] = abc.map(|at| corners[at]);
            (b - a).cross(c - a).length() / 2.0
        };
        triangles.iter().map(part).sum()
    }

    #[test]
    fn a_concave_polygon_keeps_its_area() {
        let outline = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (2.0, 1.0), (0.0, 3.0)];
        let corners = outline.map(|(x, y)| Vec3::new(x, y, 1.0));
        for start in 0..5 {
            let mut turned = corners;
            turned.rotate_left(start);
            let triangles = triangulate(&turned);
            assert_eq!(triangles.len(), 3);
            assert!((area(&turned, &triangles) - 8.0).abs() < 1e-6, "start {start}");
        }
    }

    #[test]
    fn degenerate_polygons_still_give_their_triangles() {
        assert!(triangulate(&[Vec3::ZERO; 2]).is_empty());
        assert_eq!(triangulate(&[Vec3::ZERO; 6]).len(), 4);
    }
}
