//! From corners of faces to a mesh: shared vertices, and normals if the file has none.

use crate::mesh::{Mesh, MeshFile};
use crate::syntax_tree::fault::{Fault, Read};
use crate::texture::Paint;
use glam::{DVec3, Vec2, Vec3};
use std::collections::HashMap;

/// Largest angle between faces that look smooth, radians.
const CREASE: f64 = 40.0 * std::f64::consts::PI / 180.0;

/// Most faces at a point whose normals are averaged.
const MAX_AVERAGED_FACES: usize = 64;

/// A corner of a face.
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
    for triangle in 0..corners.len() / 3 {
        let mut indices = [0; 3];
        for (at, index) in indices.iter_mut().enumerate() {
            let corner = corners[3 * triangle + at];
            let normal = corner.normal.and_then(Vec3::try_normalize).unwrap_or(computed[3 * triangle + at]);
            let uv = corner.uv.filter(|_| textured).unwrap_or_default();
            let key = (bits(corner.position), bits(normal), bits(uv.extend(0.0)));
            *index = *vertices.entry(key).or_insert_with(|| {
                if textured {
                    // Meshes measure v from the top.
                    mesh.uvs.push(Vec2::new(uv.x, 1.0 - uv.y));
                }
                mesh.positions.push(corner.position);
                mesh.normals.push(normal);
                mesh.positions.len() as u32 - 1
            });
        }
        mesh.triangles.push(indices);
    }
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
    let cosine = CREASE.cos();
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
