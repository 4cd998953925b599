//! Triangle meshes as plain data.

use crate::options::{Up, upright};
use crate::texture::{Cover, Paint};
use glam::{DMat4, DVec3, Vec2, Vec3};
use std::borrow::Cow;
use std::sync::Arc;

/// Triangles with normals. All indices are valid. There is one normal per position; colours, texture coordinates and
/// influences are either one per position or absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Name in the file, may be empty.
    pub name: String,
    /// Vertex positions.
    pub positions: Vec<Vec3>,
    /// Unit normal of each vertex.
    pub normals: Vec<Vec3>,
    /// Vertex indices of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colour, sRGB with straight alpha, 0 to 1.
    pub color: Option<[f32; 4]>,
    /// Vertex colours, sRGB with straight alpha; multiplied with the colour in linear light.
    pub colors: Vec<[f32; 4]>,
    /// Texture coordinates, from the upper left corner (0, 0) to the lower right one (1, 1); empty without a texture.
    pub uvs: Vec<Vec2>,
    /// Texture, opacity, visible sides.
    pub paint: Paint,
    /// For skins: the joints that move each vertex.
    pub influences: Vec<Influence>,
    /// The shapes that are mixed in by weights.
    pub morphs: Vec<Morph>,
}

/// A shape that a mesh takes by its weight: how far a weight of 1 moves each vertex, in the space of the mesh and before bones do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Displacements of the vertices; empty: none.
    pub positions: Arc<[Vec3]>,
    /// Changes of their normals; empty: none.
    pub normals: Arc<[Vec3]>,
}

/// The joints that move a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Indices into the skin's list of joints.
    pub joints: [u16; 4],
    /// Weights with sum 1.
    pub weights: [f32; 4],
}

/// The contents of a mesh file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Parts, one per material.
    pub parts: Vec<Mesh>,
    /// Up axis, if the format states it.
    pub up: Option<Up>,
    /// One sentence for each part that could not be read, such as an image.
    pub warnings: Vec<String>,
}

impl Mesh {
    /// Whether anything of it can be seen, with a colour in place of its own if one is given. Textures and vertices only
    /// lessen the alpha of the colour.
    #[must_use]
    pub fn is_visible(&self, color: Option<[f32; 4]>) -> bool {
        let [.., alpha] = color.or(self.color).unwrap_or([1.0; 4]);
        match self.paint.cover {
            Cover::Mask(least) => alpha >= least,
            Cover::Whole | Cover::Blend => alpha > 0.0,
        }
    }

    /// The mesh transformed by a matrix. If the matrix mirrors, the triangles are flipped to face outward again.
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

    /// The vertex positions with morphs of these weights. Morphs without a weight are left out.
    pub fn places(&self, weights: &[f32]) -> Cow<'_, [Vec3]> {
        displaced(&self.positions, self.morphs.iter().map(|morph| &*morph.positions).zip(weights))
    }

    /// The unit normals with morphs of these weights.
    pub fn facings(&self, weights: &[f32]) -> Cow<'_, [Vec3]> {
        let mut mixed = displaced(&self.normals, self.morphs.iter().map(|morph| &*morph.normals).zip(weights));
        if let Cow::Owned(mixed) = &mut mixed {
            mixed.iter_mut().zip(&self.normals).for_each(|(normal, own)| *normal = normal.normalize_or(*own));
        }
        mixed
    }

    /// Vertices at these places moved by bones. `bones` are the transforms from mesh space to world space of the skin's joints.
    pub fn bent(&self, places: &[Vec3], bones: &[DMat4]) -> impl Iterator<Item = DVec3> {
        places.iter().zip(&self.influences).map(|(place, influence)| {
            let shares = influence.joints.iter().zip(influence.weights).filter(|(_, share)| *share != 0.0);
            let carried = |bone: u16| bones[usize::from(bone)].transform_point3(place.as_dvec3());
            shares.map(|(&bone, share)| carried(bone) * f64::from(share)).sum()
        })
    }

    /// Smallest and largest coordinates; none without vertices.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(low, high), &point| (low.min(point), high.max(point))))
    }
}

/// Vectors with weighted displacements. What would not be finite stays as it is.
fn displaced<'a, 'b>(base: &'a [Vec3], displacements: impl Iterator<Item = (&'b [Vec3], &'b f32)>) -> Cow<'a, [Vec3]> {
    let mut mixed = Cow::Borrowed(base);
    for (displacements, &weight) in displacements.filter(|(all, weight)| !all.is_empty() && **weight != 0.0) {
        let moved = mixed.to_mut().iter_mut().zip(displacements);
        moved.for_each(|(vector, displacement)| *vector += weight * *displacement);
    }
    if let Cow::Owned(mixed) = &mut mixed {
        let lost = mixed.iter_mut().zip(base).filter(|(vector, _)| !vector.is_finite());
        lost.for_each(|(vector, own)| *vector = *own);
    }
    mixed
}

impl MeshFile {
    /// The parts rotated so that `up` is the up axis, if the file states its own.
    #[must_use]
    pub fn standing(self, up: Up) -> Self {
        let Some(from) = self.up.filter(|from| *from != up) else { return self };
        let turn = DMat4::from_quat(upright(from, up));
        MeshFile { parts: self.parts.into_iter().map(|part| part.transformed(turn)).collect(), up: Some(up), ..self }
    }
}
