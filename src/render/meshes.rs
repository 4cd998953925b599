//! Triangle meshes, rigid or skinned, plain or textured.

use super::canvas::{Canvas, depth_only, maximum, opaque, rect, translucent};
use super::error::{DrawError, RenderError};
use super::program::{Style, Styled};
use super::scene_block::Block;
use super::shadow::Pass;
use super::stored_mesh::{StoredMesh, Uploads, store};
use super::targets::Samples;
use fabrik3d_viewer::raster::{
    Ball, Camera, Culled, Extent, LampView, Layer, ShadowPass, bone_rows, casts, corners, extent, is_cast_into,
    largest_stretch, pixel_size, placement, shadow_extent,
};
use fabrik3d_viewer::view::frame::{Mesh, MeshInstance, Quality};
use glam::{UVec2, Vec2};
use glium::backend::Context;
use glium::draw_parameters::BackfaceCullingMode;
use glium::texture::buffer_texture::{BufferTexture, BufferTextureType};
use glium::uniforms::UniformBuffer;
use glium::{DrawParameters, Rect, uniform};
use std::rc::Rc;

/// Meshes need not show what has fewer pixels in the picture of a camera; none: everything shows.
pub(crate) type Detail<'a> = Option<(&'a Camera, f32)>;

/// Pixels of a coarse picture, and texels of its shadow maps, that are merged at most.
const MERGED_PIXELS: f32 = 7.0;
pub(crate) const MERGED_TEXELS: f32 = 14.0;

pub(crate) struct Meshes {
    context: Rc<Context>,
    /// For each of the [`KINDS`].
    lit: [Styled; 4],
    depth: [Styled; 4],
    stored: Vec<StoredMesh>,
    bone_rows: BufferTexture<[f32; 4]>,
    staged: Vec<[f32; 4]>,
}

impl Meshes {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let program = |defines| Styled::new(context, ["mesh.vert", "mesh.frag"], defines);
        Ok(Meshes {
            context: context.clone(),
            lit: KINDS.map(program),
            depth: DEPTH_KINDS.map(program),
            stored: Vec::new(),
            bone_rows: allocate_bones(context, 64)?,
            staged: Vec::new(),
        })
    }

    /// Replaces the meshes that frames refer to.
    pub(crate) fn store(&mut self, meshes: &[Mesh]) -> Result<(), RenderError> {
        let mut uploads = Uploads::default();
        let stored: Result<Vec<_>, _> = meshes.iter().map(|mesh| store(&self.context, mesh, &mut uploads)).collect();
        self.stored = stored?;
        Ok(())
    }

    /// Mixes the morphs of instances, before they are drawn.
    pub(crate) fn mix(&mut self, instances: &[MeshInstance]) -> Result<(), RenderError> {
        let context = &self.context;
        self.stored.iter_mut().enumerate().try_for_each(|(index, stored)| stored.mix(context, index, instances))
    }

    /// Balls whose hull contains an instance: centres and radii. None if there is no such mesh.
    pub(crate) fn bounds(&self, instance: &MeshInstance) -> Option<Vec<Ball>> {
        Some(self.stored.get(instance.mesh)?.traits.bounds(instance))
    }

    /// Bounds of the casters in the lamp's clip space, widened by `margin`; none without casters.
    pub(crate) fn shadow_extent(
        &self,
        instances: &[MeshInstance],
        lamp: &LampView,
        margin: f32,
    ) -> Option<(Vec2, Vec2)> {
        let casters = instances.iter().filter(|instance| casts(instance));
        shadow_extent(casters.filter_map(|instance| self.bounds(instance)).flatten(), lamp, margin)
    }

    /// Draws the casters from the lamp's view.
    pub(crate) fn draw_shadows(
        &mut self,
        instances: &[MeshInstance],
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<Block>,
        (pass, detail): (ShadowPass, Detail<'_>),
    ) -> Result<(), DrawError> {
        let parameters = match pass {
            ShadowPass::Depth => opaque(),
            ShadowPass::Silhouette => maximum(),
        };
        for instance in instances.iter().filter(|instance| is_cast_into(instance, pass)) {
            self.draw_depth((instance, detail), canvas, scene, &parameters)?;
        }
        Ok(())
    }

    /// Draws the shape of an instance, without its colours.
    fn draw_depth(
        &mut self,
        (instance, detail): (&MeshInstance, Detail<'_>),
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<Block>,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        let (index, tolerance) = self.prepare(instance, detail)?;
        let stored = &self.stored[index];
        let (vertices, triangles) = stored.shape(tolerance, &instance.weights);
        let [model, turn] = placement(instance.model);
        let cover = stored.traits.shape_cover(instance);
        let uniforms = uniform! { Scene: scene, model: model, turn: turn, bone_rows: &self.bone_rows, cover: cover, widening: 0f32 };
        // The texture matters only where it cuts parts out.
        let texture = stored.texture.as_ref().filter(|_| cover[0] > 0.0);
        let program = self.depth[kind(stored.traits.bones > 0, texture.is_some())].program(DEPTH_STYLE)?;
        match texture {
            None => canvas.draw(vertices, triangles, program, &uniforms, parameters),
            Some(texture) => {
                let uniforms = uniforms.add("picture", texture.sampler(Quality::Fast));
                canvas.draw(vertices, triangles, program, &uniforms, parameters)
            }
        }
    }

    /// Draws the meshes of one layer.
    pub(crate) fn draw(
        &mut self,
        instances: &[MeshInstance],
        canvas: &mut Canvas<'_>,
        Pass { scene, shadows, camera, style }: Pass<'_>,
        layer: Layer,
    ) -> Result<(), DrawError> {
        let detail = style.simple.then_some((camera, MERGED_PIXELS));
        let mut in_layer = Vec::new();
        for instance in instances {
            if self.layer(instance)? == layer {
                in_layer.push(instance);
            }
        }
        if layer == Layer::Glass {
            for instance in &in_layer {
                self.draw_depth((instance, detail), canvas, scene, &depth_only())?;
            }
        }
        for instance in in_layer {
            let (index, tolerance) = self.prepare(instance, detail)?;
            let stored = &self.stored[index];
            let (vertices, triangles) = stored.shape(tolerance, &instance.weights);
            let [model, turn] = placement(instance.model);
            let (tint, cover) = stored.traits.paint(instance);
            let uniforms = uniform! {
                Scene: scene, shadow_map: shadows.depth_sampler(), model: model, turn: turn,
                bone_rows: &self.bone_rows, tint: tint, cover: cover,
                surface: [instance.material.roughness, instance.material.glow], widening: stored.traits.widening(instance, camera),
            };
            let mut parameters = if layer == Layer::Opaque { opaque() } else { translucent() };
            parameters.scissor = self.scissor(instance, camera, canvas);
            parameters.backface_culling = match stored.traits.culled(instance) {
                Culled::None => BackfaceCullingMode::CullingDisabled,
                Culled::Clockwise => BackfaceCullingMode::CullClockwise,
                Culled::CounterClockwise => BackfaceCullingMode::CullCounterClockwise,
            };
            let program = self.lit[kind(stored.traits.bones > 0, stored.texture.is_some())].program(style)?;
            match &stored.texture {
                None => canvas.draw(vertices, triangles, program, &uniforms, &parameters)?,
                Some(texture) => {
                    let uniforms = uniforms.add("picture", texture.sampler(style.quality));
                    canvas.draw(vertices, triangles, program, &uniforms, &parameters)?;
                }
            }
        }
        Ok(())
    }

    /// The pixels around an instance, so that it is not drawn in parts of the picture where it is not. None if it may be
    /// anywhere.
    fn scissor(&self, instance: &MeshInstance, camera: &Camera, canvas: &Canvas<'_>) -> Option<Rect> {
        let bounds = self.bounds(instance).filter(|_| canvas.has_parts())?;
        let most = UVec2::from(canvas.size()).as_vec2();
        let within = |pixel: Vec2| pixel.clamp(Vec2::ZERO, most).as_uvec2();
        match extent(camera, corners(&bounds)) {
            Extent::Unbounded => None,
            Extent::Nowhere => Some(rect(UVec2::ZERO, UVec2::ZERO)),
            Extent::Within(low, high) => Some(rect(within(low - 2.0), within(high + 2.0))),
        }
    }

    fn layer(&self, instance: &MeshInstance) -> Result<Layer, DrawError> {
        let (mesh, known) = (instance.mesh, self.stored.len());
        let stored = self.stored.get(mesh).ok_or(DrawError::UnknownMesh { mesh, known })?;
        Ok(stored.traits.layer(instance))
    }

    /// The largest size in model space that an instance need not show.
    fn tolerance(&self, instance: &MeshInstance, detail: Detail<'_>) -> Option<f32> {
        let (camera, pixels) = detail?;
        let size = pixels * pixel_size(&self.bounds(instance)?, camera);
        Some(size / largest_stretch(&instance.model).max(f32::MIN_POSITIVE)).filter(|size| *size > 0.0)
    }

    /// Checks an instance and uploads its bones and, if it is missing, its shape for this detail.
    fn prepare(&mut self, instance: &MeshInstance, detail: Detail<'_>) -> Result<(usize, Option<f32>), DrawError> {
        let tolerance = self.tolerance(instance, detail);
        let (mesh, known) = (instance.mesh, self.stored.len());
        let stored = self.stored.get_mut(mesh).ok_or(DrawError::UnknownMesh { mesh, known })?;
        stored.prepare(&self.context, tolerance)?;
        let (needed, given) = (stored.traits.bones, instance.bones.len());
        if given < needed {
            return Err(DrawError::Bones { mesh, needed, given });
        }
        if needed > 0 {
            self.staged.clear();
            self.staged.extend(bone_rows(instance));
            if self.staged.len() > self.bone_rows.len() {
                self.bone_rows = allocate_bones(&self.context, self.staged.len().next_power_of_two())?;
            }
            self.bone_rows.invalidate();
            if let Some(rows) = self.bone_rows.slice(0..self.staged.len()) {
                rows.write(&self.staged);
            }
        }
        Ok((mesh, tolerance))
    }
}

/// Definitions of each program: skinned or not, textured or not.
const KINDS: [&[&str]; 4] = [&[], &["SKINNED"], &["TEXTURED"], &["SKINNED", "TEXTURED"]];
const DEPTH_KINDS: [&[&str]; 4] =
    [&["DEPTH_ONLY"], &["DEPTH_ONLY", "SKINNED"], &["DEPTH_ONLY", "TEXTURED"], &["DEPTH_ONLY", "SKINNED", "TEXTURED"]];
/// The only style of programs that draw depth.
const DEPTH_STYLE: Style = Style { quality: Quality::Fast, samples: Samples::One, simple: false };

/// Index into [`KINDS`].
fn kind(skinned: bool, textured: bool) -> usize {
    usize::from(skinned) + 2 * usize::from(textured)
}

fn allocate_bones(context: &Rc<Context>, len: usize) -> Result<BufferTexture<[f32; 4]>, RenderError> {
    BufferTexture::empty_dynamic(context, len, BufferTextureType::Float).map_err(RenderError::resource("bones"))
}
