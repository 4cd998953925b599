//! Meshes on the graphics card, uploaded once.

use super::error::RenderError;
use super::mesh_vertex::MeshVertex;
use super::simplify::simplify;
use super::textures::{StoredTexture, Uploads};
use crate::view::frame::Mesh;
use fabrik3d_scene::{Cover, Sides};
use glam::Vec3;
use glium::backend::Context;
use glium::index::PrimitiveType;
use glium::{IndexBuffer, VertexBuffer};
use std::collections::HashMap;
use std::rc::Rc;

/// Vertices and triangles on the graphics card.
pub(crate) struct Shape {
    pub(crate) vertices: VertexBuffer<MeshVertex>,
    pub(crate) triangles: IndexBuffer<u32>,
}

/// A mesh on the graphics card.
pub(crate) struct StoredMesh {
    exact: Shape,
    /// The same with fewer triangles, by the binary logarithm of the size of what may be merged, created on first use.
    simplified: HashMap<i32, Shape>,
    /// What simplified shapes are made from; empty if the mesh is simple.
    source: (Vec<MeshVertex>, Vec<u32>),
    /// Number of bones that the weights refer to; 0 for a rigid mesh.
    pub(crate) bones: usize,
    /// Sphere around the vertices, in model space.
    pub(crate) bounds: (Vec3, f32),
    /// For each bone, a sphere around the vertices that it moves; of radius 0 if there are none.
    pub(crate) bone_bounds: Vec<(Vec3, f32)>,
    pub(crate) texture: Option<StoredTexture>,
    pub(crate) cover: Cover,
    pub(crate) sides: Sides,
}

/// Meshes with fewer triangles are not simplified.
const MANY_TRIANGLES: usize = 300;

/// Uploads a mesh and its texture.
pub(crate) fn store(context: &Rc<Context>, mesh: &Mesh, uploads: &mut Uploads) -> Result<StoredMesh, RenderError> {
    let vertex = |(i, position): (usize, &Vec3)| {
        let skin = mesh.skin.get(i).copied().unwrap_or_default();
        MeshVertex {
            position: position.to_array(),
            normal: mesh.normals.get(i).copied().unwrap_or_default().to_array(),
            bones: skin.map(|(bone, _)| f32::from(bone)),
            weights: skin.map(|(_, weight)| weight),
            uv: mesh.uvs.get(i).copied().unwrap_or_default().to_array(),
            color: mesh.colors.get(i).copied().unwrap_or([255; 4]),
        }
    };
    let vertices: Vec<MeshVertex> = mesh.positions.iter().enumerate().map(vertex).collect();
    // An index past the end would read foreign memory on some drivers.
    let count = vertices.len() as u32;
    let whole = mesh.triangles.iter().filter(|corners| corners.iter().all(|&corner| corner < count));
    let indices: Vec<u32> = whole.flatten().copied().collect();
    let named = mesh.skin.iter().flatten().filter(|(_, weight)| *weight > 0.0);
    let texture = mesh.paint.texture.as_ref().map(|texture| uploads.store(context, texture)).transpose()?;
    let bones = named.map(|(bone, _)| usize::from(*bone) + 1).max().unwrap_or(0);
    Ok(StoredMesh {
        exact: shape(context, &vertices, &indices)?,
        simplified: HashMap::new(),
        source: if indices.len() > 3 * MANY_TRIANGLES { (vertices, indices) } else { Default::default() },
        bounds: bounding_sphere(&mesh.positions),
        bone_bounds: bone_bounds(mesh, bones),
        bones,
        texture,
        cover: mesh.paint.cover,
        sides: mesh.paint.sides,
    })
}

fn shape(context: &Rc<Context>, vertices: &[MeshVertex], triangles: &[u32]) -> Result<Shape, RenderError> {
    let triangles = IndexBuffer::new(context, PrimitiveType::TrianglesList, triangles);
    Ok(Shape {
        vertices: VertexBuffer::new(context, vertices).map_err(RenderError::resource("a mesh"))?,
        triangles: triangles.map_err(RenderError::resource("a mesh"))?,
    })
}

impl StoredMesh {
    /// Creates the shape for a tolerance, the size of what may be merged in model space, if it is missing.
    pub(crate) fn prepare(&mut self, context: &Rc<Context>, tolerance: Option<f32>) -> Result<(), RenderError> {
        let Some(level) = self.level(tolerance).filter(|level| !self.simplified.contains_key(level)) else {
            return Ok(());
        };
        let (vertices, triangles) = simplify(&self.source.0, &self.source.1, (level as f32).exp2());
        self.simplified.insert(level, shape(context, &vertices, &triangles)?);
        Ok(())
    }

    /// The shape for a tolerance; the exact one without.
    pub(crate) fn shape(&self, tolerance: Option<f32>) -> &Shape {
        self.level(tolerance).and_then(|level| self.simplified.get(&level)).unwrap_or(&self.exact)
    }

    fn level(&self, tolerance: Option<f32>) -> Option<i32> {
        let level = tolerance.filter(|_| !self.source.0.is_empty())?.log2().floor();
        (level.abs() < 64.0).then_some(level as i32)
    }
}

fn bone_bounds(mesh: &Mesh, bones: usize) -> Vec<(Vec3, f32)> {
    let mut moved = vec![Vec::new(); bones];
    for (position, skin) in mesh.positions.iter().zip(&mesh.skin) {
        for (bone, _) in skin.iter().filter(|(_, weight)| *weight > 0.0) {
            moved[usize::from(*bone)].push(*position);
        }
    }
    moved.iter().map(|points| bounding_sphere(points)).collect()
}

/// A sphere around points, centred on their bounding box.
fn bounding_sphere(points: &[Vec3]) -> (Vec3, f32) {
    let Some(&first) = points.first() else { return (Vec3::ZERO, 0.0) };
    let (low, high) = points.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)));
    let middle = 0.5 * (low + high);
    (middle, points.iter().map(|p| p.distance(middle)).fold(0.0, f32::max))
}
