//! Triangle meshes, rigid or bent by bones. Vertices are uploaded once.

use super::error::{DrawError, RenderError};
use super::pen::{draw, film, largest, solid};
use super::program::{Recipe, Style, Styled, compile};
use super::scene_block::SceneBlock;
use super::shadow::ShadowMaps;
use super::srgb::linear;
use crate::view::frame::{Mesh, MeshInstance};
use glam::{Mat4, Vec3};
use glium::backend::Context;
use glium::index::PrimitiveType;
use glium::texture::buffer_texture::{BufferTexture, BufferTextureType};
use glium::uniforms::UniformBuffer;
use glium::{IndexBuffer, Program, Surface, VertexBuffer, implement_vertex, uniform};
use std::rc::Rc;

#[derive(Clone, Copy)]
#[repr(C)]
struct MeshVertex {
    position: [f32; 3],
    normal: [f32; 3],
    bones: [f32; 4],
    weights: [f32; 4],
}
implement_vertex!(MeshVertex, position, normal, bones, weights);

/// Solid things are drawn before those that one sees through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    Opaque,
    Translucent,
}

/// A mesh on the graphics card.
struct Stored {
    vertices: VertexBuffer<MeshVertex>,
    triangles: IndexBuffer<u32>,
    /// Bones that the weights name; 0 for a rigid mesh.
    bones: usize,
}

/// Which of the pictures a mesh is drawn into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Into {
    /// The lamp's depth map.
    Depth,
    /// The floor's shade.
    Shade,
}

/// All meshes.
pub(crate) struct Meshes {
    context: Rc<Context>,
    rigid: Styled,
    skinned: Styled,
    rigid_depth: Program,
    skinned_depth: Program,
    stored: Vec<Stored>,
    bone_rows: BufferTexture<[f32; 4]>,
    staged: Vec<[f32; 4]>,
}

impl Meshes {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let recipe = |defines| Recipe {
            name: "mesh",
            vertex: include_str!("../../shaders/mesh.vert"),
            fragment: include_str!("../../shaders/mesh.frag"),
            defines,
        };
        Ok(Meshes {
            context: context.clone(),
            rigid: Styled::new(context, recipe(&[])),
            skinned: Styled::new(context, recipe(&["SKINNED"])),
            rigid_depth: compile(context, &recipe(&["DEPTH_ONLY"]))?,
            skinned_depth: compile(context, &recipe(&["DEPTH_ONLY", "SKINNED"]))?,
            stored: Vec::new(),
            bone_rows: bone_room(context, 64)?,
            staged: Vec::new(),
        })
    }

    /// Replaces the meshes that frames may show.
    pub(crate) fn store(&mut self, meshes: &[Mesh]) -> Result<(), RenderError> {
        let stored: Result<Vec<_>, _> = meshes.iter().map(|mesh| store(&self.context, mesh)).collect();
        self.stored = stored?;
        Ok(())
    }

    /// Draws the casters as the lamp sees them.
    pub(crate) fn draw_shadows(
        &mut self,
        instances: &[MeshInstance],
        surface: &mut impl Surface,
        scene: &UniformBuffer<SceneBlock>,
        into: Into,
    ) -> Result<(), DrawError> {
        let parameters = match into {
            Into::Depth => solid(),
            Into::Shade => largest(),
        };
        for instance in instances.iter().filter(|instance| instance.shadow && instance.color[3] == 255) {
            let index = self.prepare(instance)?;
            let stored = &self.stored[index];
            let [model, turn] = placement(instance.model);
            let rows = &self.bone_rows;
            let uniforms = uniform! { Scene: scene, model: model, turn: turn, bone_rows: rows };
            let program = if stored.bones > 0 { &self.skinned_depth } else { &self.rigid_depth };
            draw(surface, &stored.vertices, &stored.triangles, program, &uniforms, &parameters)?;
        }
        Ok(())
    }

    /// Draws the opaque or the translucent ones.
    pub(crate) fn draw(
        &mut self,
        instances: &[MeshInstance],
        surface: &mut impl Surface,
        scene: &UniformBuffer<SceneBlock>,
        shadows: &ShadowMaps,
        style: Style,
        layer: Layer,
    ) -> Result<(), DrawError> {
        let parameters = match layer {
            Layer::Opaque => solid(),
            Layer::Translucent => film(),
        };
        let in_layer = |instance: &&MeshInstance| (instance.color[3] == 255) == (layer == Layer::Opaque);
        for instance in instances.iter().filter(in_layer) {
            let index = self.prepare(instance)?;
            let stored = &self.stored[index];
            let [model, turn] = placement(instance.model);
            let rows = &self.bone_rows;
            let uniforms = uniform! {
                Scene: scene, shadow_map: shadows.depth_sampler(), model: model, turn: turn, bone_rows: rows,
                tint: linear(instance.color), surface: [instance.material.roughness, instance.material.glow],
            };
            let styled = if stored.bones > 0 { &mut self.skinned } else { &mut self.rigid };
            let program = styled.program(style)?;
            draw(surface, &stored.vertices, &stored.triangles, program, &uniforms, &parameters)?;
        }
        Ok(())
    }

    /// Checks an instance and uploads its bones.
    fn prepare(&mut self, instance: &MeshInstance) -> Result<usize, DrawError> {
        let (mesh, known) = (instance.mesh, self.stored.len());
        let stored = self.stored.get(mesh).ok_or(DrawError::UnknownMesh { mesh, known })?;
        let (needed, given) = (stored.bones, instance.bones.len());
        if given < needed {
            return Err(DrawError::Bones { mesh, needed, given });
        }
        if needed > 0 {
            self.staged.clear();
            for bone in &instance.bones {
                self.staged.extend((0..3).map(|row| bone.row(row).to_array()));
            }
            if self.staged.len() > self.bone_rows.len() {
                self.bone_rows = bone_room(&self.context, self.staged.len().next_power_of_two())?;
            }
            self.bone_rows.invalidate();
            if let Some(rows) = self.bone_rows.slice(0..self.staged.len()) {
                rows.write(&self.staged);
            }
        }
        Ok(mesh)
    }
}

/// A model matrix, and the matrix that turns its normals.
fn placement(model: Mat4) -> [[[f32; 4]; 4]; 2] {
    [model.to_cols_array_2d(), model.inverse().transpose().to_cols_array_2d()]
}

fn bone_room(context: &Rc<Context>, len: usize) -> Result<BufferTexture<[f32; 4]>, RenderError> {
    BufferTexture::empty_dynamic(context, len, BufferTextureType::Float).map_err(RenderError::resource("bones"))
}

fn store(context: &Rc<Context>, mesh: &Mesh) -> Result<Stored, RenderError> {
    let vertex = |(i, position): (usize, &Vec3)| {
        let skin = mesh.skin.get(i).copied().unwrap_or_default();
        MeshVertex {
            position: position.to_array(),
            normal: mesh.normals.get(i).copied().unwrap_or_default().to_array(),
            bones: skin.map(|(bone, _)| f32::from(bone)),
            weights: skin.map(|(_, weight)| weight),
        }
    };
    let vertices: Vec<MeshVertex> = mesh.positions.iter().enumerate().map(vertex).collect();
    // An index past the vertices would read foreign memory on some drivers.
    let count = vertices.len() as u32;
    let whole = mesh.triangles.iter().filter(|corners| corners.iter().all(|&corner| corner < count));
    let indices: Vec<u32> = whole.flatten().copied().collect();
    let named = mesh.skin.iter().flatten().filter(|(_, weight)| *weight > 0.0);
    Ok(Stored {
        vertices: VertexBuffer::new(context, &vertices).map_err(RenderError::resource("a mesh"))?,
        triangles: IndexBuffer::new(context, PrimitiveType::TrianglesList, &indices)
            .map_err(RenderError::resource("a mesh"))?,
        bones: named.map(|(bone, _)| usize::from(*bone) + 1).max().unwrap_or(0),
    })
}
