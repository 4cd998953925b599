//! From corners of faces to a mesh: shared vertices, and normals if the file has none.

use crate::mesh::{Mesh, MeshFile};
use crate::syntax_tree::fault::{Fault, Read};
use crate::texture::Paint;
use fabrik3d_ik::maths;
use glam::{DVec3, Vec2, Vec3};
use std::collections::HashMap;

/// Largest angle between faces that look smooth, radians.
const CREASE: f64 = 40.0 * std::f64::consts::PI / 180.0;

/// Most faces at a point whose normals are averaged.
const MAX_AVERAGED_FACES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub position: Vec3,
    pub normal: Option<Vec3>,
    /// Texture coordinates from the lower left corner, as in mesh files.
    pub uv: Option<Vec2>,
}

/// A mesh whose triangles are consecutive triples of corners. Equal corners share a vertex.
pub(crate) fn mesh(name: &str, corners: &[Corner], color: Option<[f32; 4]>, paint: &Paint) -> Mesh {
    let textured = paint.texture.is_some() && corners.iter().all(|corner| corner.uv.is_some());
    let paint = if textured { paint.clone() } else { Paint::default() };
    let mut mesh = Mesh { name: name.to_owned(), color, paint, ..Mesh::default() };
    let positions: Vec<Vec3> = corners.iter().map(|corner| corner.position).collect();
    let computed = creased_normals(&positions);
    let mut vertices = HashMap::new();
    // A part of a triangle at the end has no computed normals.
    let vertex = |(corner, computed): (&Corner, Vec3)| {
        let normal = corner.normal.and_then(Vec3::try_normalize).unwrap_or(computed);
        let uv = corner.uv.filter(|_| textured).unwrap_or_default();
        let key = (bits(corner.position), bits(normal), bits(uv.extend(0.0)));
        *vertices.entry(key).or_insert_with(|| {
            if textured {
                // Meshes measure v from the top.
                mesh.uvs.push(Vec2::new(uv.x, 1.0 - uv.y));
            }
            mesh.positions.push(corner.position);
            mesh.normals.push(normal);
            mesh.positions.len() as u32 - 1
        })
    };
    let indices: Vec<u32> = corners.iter().zip(computed).map(vertex).collect();
    mesh.triangles = indices.as_chunks().0.to_vec();
    mesh
}

/// A point as a hash key; -0 equals 0.
fn bits(point: Vec3) -> [u32; 3] {
    (point + Vec3::ZERO).to_array().map(f32::to_bits)
}

/// For each corner, the mean normal of the faces that meet there at an angle below [`CREASE`].
fn creased_normals(positions: &[Vec3]) -> Vec<Vec3> {
    let faces: Vec<DVec3> = positions.chunks_exact(3).map(|abc| area_normal(abc[0], abc[1], abc[2])).collect();
    let mut around: HashMap<[u32; 3], Vec<usize>> = HashMap::new();
    for (corner, &position) in positions.iter().enumerate().take(3 * faces.len()) {
        around.entry(bits(position)).or_default().push(corner / 3);
    }
    let cosine = maths::cos(CREASE);
    let normal = |(corner, &position): (usize, &Vec3)| {
        let own = faces[corner / 3];
        let others = &around[&bits(position)];
        let joins = |face: &&usize| own.dot(faces[**face]) >= cosine * own.length() * faces[**face].length();
        let sum: DVec3 = match others.len() {
            // Summing over a long fan at each of its corners would be quadratic.
            count if count > MAX_AVERAGED_FACES => own,
            _ => others.iter().filter(joins).map(|&face| faces[face]).sum(),
        };
        sum.try_normalize().or_else(|| own.try_normalize()).unwrap_or(DVec3::Z).as_vec3()
    };
    positions.iter().enumerate().take(3 * faces.len()).map(normal).collect()
}

/// Normals of vertices: the area-weighted mean over their triangles.
pub(crate) fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let normal = area_normal(a, b, c);
        corners.iter().for_each(|&corner| sums[corner as usize] += normal);
    }
    sums.into_iter().map(|sum| sum.try_normalize().unwrap_or(DVec3::Z).as_vec3()).collect()
}

/// The file, if it has at least one triangle.
pub(crate) fn not_empty(file: MeshFile) -> Read<MeshFile> {
    match file.parts.iter().any(|part| !part.triangles.is_empty()) {
        true => Ok(file),
        false => Err(Fault::new(None, "there is no triangle in this file")),
    }
}

/// A coordinate as `f32`, if it and its square are finite.
pub(crate) fn coordinate(value: f64) -> Option<f32> {
    (value.abs() <= 1e18).then_some(value as f32)
}

/// A point, if it is finite.
pub(crate) fn point(values: [f64; 3]) -> Option<Vec3> {
    Some(Vec3::new(coordinate(values[0])?, coordinate(values[1])?, coordinate(values[2])?))
}

/// Normal of a triangle, with twice the area as its length.
pub(crate) fn area_normal(a: Vec3, b: Vec3, c: Vec3) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|point| point.as_dvec3());
    (b - a).cross(c - a)
}

/// Triangles of every three corners, as indices.
pub(crate) fn triples(count: usize) -> Vec<[usize; 3]> {
    (0..count / 3).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect()
}

/// Triangles of a strip; every other one is flipped.
pub(crate) fn strip(count: usize) -> Vec<[usize; 3]> {
    (2..count).map(|at| if at % 2 == 0 { [at - 2, at - 1, at] } else { [at - 1, at - 2, at] }).collect()
}

/// Triangles that share the first corner.
pub(crate) fn fan(count: usize) -> Vec<[usize; 3]> {
    (2..count).map(|at| [0, at - 1, at]).collect()
}

/// Most corners of a polygon for ear clipping, which takes cubic time in the worst case. Larger ones become fans.
const MAX_CLIPPED: usize = 512;

/// Triangles of a polygon, as indices of its corners. Ear clipping preserves concave polygons.
pub(crate) fn triangulate(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let count = corners.len();
    if count <= 3 || count > MAX_CLIPPED {
        return fan(count);
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
