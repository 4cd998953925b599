//! Triangle meshes as plain data.

use crate::texture::Paint;
use crate::up::{Up, upright};
use glam::{DMat4, DVec3, Vec2, Vec3};

/// Triangles with normals. Every index is that of a vertex; there are as many normals as positions, and as many
/// colours, texture coordinates and influences or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Name in the file; may be empty.
    pub name: String,
    /// Vertices.
    pub positions: Vec<Vec3>,
    /// A unit vector for each vertex.
    pub normals: Vec<Vec3>,
    /// Corners of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colour, sRGB with straight alpha, 0 to 1.
    pub color: Option<[f32; 4]>,
    /// Colours of the vertices, multiplied with it in linear light: sRGB with straight alpha; or none.
    pub colors: Vec<[f32; 4]>,
    /// For each vertex its point of the texture, from the upper left corner (0, 0) to the lower right one (1, 1);
    /// none without a texture.
    pub uvs: Vec<Vec2>,
    /// Texture and the like.
    pub paint: Paint,
    /// For skins: what moves each vertex.
    pub influences: Vec<Influence>,
}

/// The joints that move a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Indices in the list of the skin's joints.
    pub joints: [u16; 4],
    /// Shares; their sum is 1.
    pub weights: [f32; 4],
}

/// What a mesh file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Its parts, one for each colour.
    pub parts: Vec<Mesh>,
    /// The axis that points up in it, where the format says so.
    pub up: Option<Up>,
    /// What could not be taken over, one sentence each: pictures that cannot be read.
    pub warnings: Vec<String>,
}

impl Mesh {
    /// The mesh with every vertex moved by a matrix. A mirror image is turned right side out again.
    #[must_use]
    pub fn transformed(mut self, matrix: DMat4) -> Self {
        let turn = matrix.inverse().transpose();
        for position in &mut self.positions {
            *position = matrix.transform_point3(position.as_dvec3()).as_vec3();
        }
        for normal in &mut self.normals {
            let turned = turn.transform_vector3(normal.as_dvec3()).as_vec3();
            *normal = turned.try_normalize().unwrap_or(*normal);
        }
        if matrix.determinant() < 0.0 {
            self.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        self
    }

    /// The vertices as bones carry them: for each joint that the influences number, from the mesh's space to the world.
    pub fn bent(&self, bones: &[DMat4]) -> impl Iterator<Item = DVec3> {
        self.positions.iter().zip(&self.influences).map(|(place, influence)| {
            let shares = influence.joints.iter().zip(influence.weights).filter(|(_, share)| *share != 0.0);
            let carried = |bone: u16| bones[usize::from(bone)].transform_point3(place.as_dvec3());
            shares.map(|(&bone, share)| carried(bone) * f64::from(share)).sum()
        })
    }

    /// Least and largest coordinates; none without vertices.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(low, high), &point| (low.min(point), high.max(point))))
    }
}

impl MeshFile {
    /// The file's parts with `up` upward, where the file says which way is up in it.
    #[must_use]
    pub fn standing(self, up: Up) -> Self {
        let Some(from) = self.up.filter(|from| *from != up) else { return self };
        let turn = DMat4::from_quat(upright(from, up));
        MeshFile { parts: self.parts.into_iter().map(|part| part.transformed(turn)).collect(), up: Some(up), ..self }
    }
}
