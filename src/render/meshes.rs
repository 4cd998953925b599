//! Triangle meshes, rigid or skinned, plain or textured.

use super::camera::{Ball, Camera, Extent, LampView, corners, extent};
use super::canvas::{Canvas, depth_only, maximum, opaque, rect, translucent};
use super::error::{DrawError, RenderError};
use super::program::{Style, Styled, linear};
use super::scene_block::SceneBlock;
use super::shadow::Pass;
use super::stored_mesh::{Shape, StoredMesh, Uploads, store};
use super::targets::Samples;
use fabrik3d_scene::{Cover, Sides};
use fabrik3d_viewer::view::frame::{Mesh, MeshInstance, Quality, Substance};
use glam::{Mat4, UVec2, Vec2, Vec3};
use glium::backend::Context;
use glium::draw_parameters::BackfaceCullingMode;
use glium::texture::buffer_texture::{BufferTexture, BufferTextureType};
use glium::uniforms::UniformBuffer;
use glium::{DrawParameters, Rect, uniform};
use std::rc::Rc;

/// Order of drawing: opaque meshes, translucent ones, and glass, which may enclose the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    Opaque,
    Translucent,
    Glass,
}

/// The shadow maps that meshes are drawn into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShadowPass {
    /// The lamp's depth map.
    Depth,
    /// The map of the floor that they cover.
    Silhouette,
}

/// Meshes need not show what has fewer pixels in the picture of a camera; none: everything shows.
pub(crate) type Detail<'a> = Option<(&'a Camera, f32)>;

/// Pixels of a coarse picture, and texels of its shadow maps, that are merged at most.
const MERGED_PIXELS: f32 = 7.0;
pub(crate) const MERGED_TEXELS: f32 = 14.0;

/// Least thickness of a mesh in pixels.
const LINE: f32 = 1.2;

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

    /// Balls whose hull contains an instance: centres and radii. None if there is no such mesh.
    pub(crate) fn bounds(&self, instance: &MeshInstance) -> Option<Vec<Ball>> {
        let stored = self.stored.get(instance.mesh)?;
        let moved = |&(center, radius): &Ball, matrix: Mat4| {
            (matrix.transform_point3(center), radius * largest_stretch(&matrix))
        };
        if stored.bones == 0 {
            return Some(vec![moved(&stored.bounds, instance.model)]);
        }
        let bones = stored.bone_bounds.iter().zip(&instance.bones).filter(|((_, radius), _)| *radius > 0.0);
        Some(bones.map(|(bounds, bone)| moved(bounds, instance.model * *bone)).collect())
    }

    /// Bounds of the casters in the lamp's clip space, widened by `margin`; none without casters.
    pub(crate) fn shadow_extent(
        &self,
        instances: &[MeshInstance],
        lamp: &LampView,
        margin: f32,
    ) -> Option<(Vec2, Vec2)> {
        let casters = instances.iter().filter(|instance| casts(instance));
        let (low, high) = lamp.extent(casters.filter_map(|instance| self.bounds(instance)).flatten())?;
        Some((low - margin, high + margin))
    }

    /// Draws the casters from the lamp's view.
    pub(crate) fn draw_shadows(
        &mut self,
        instances: &[MeshInstance],
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
        (pass, detail): (ShadowPass, Detail<'_>),
    ) -> Result<(), DrawError> {
        let parameters = match pass {
            ShadowPass::Depth => opaque(),
            ShadowPass::Silhouette => maximum(),
        };
        // Glass does not shade what is inside it.
        let caster = |instance: &&MeshInstance| {
            casts(instance) && (pass == ShadowPass::Silhouette || instance.substance == Substance::Own)
        };
        for instance in instances.iter().filter(caster) {
            self.draw_depth((instance, detail), canvas, scene, &parameters)?;
        }
        Ok(())
    }

    /// Draws the shape of an instance, without its colours.
    fn draw_depth(
        &mut self,
        (instance, detail): (&MeshInstance, Detail<'_>),
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        let (index, tolerance) = self.prepare(instance, detail)?;
        let stored = &self.stored[index];
        let Shape { vertices, triangles } = stored.shape(tolerance);
        let [model, turn] = placement(instance.model);
        let cutoff = match stored.cover {
            Cover::Whole => 0.0,
            Cover::Mask(cutoff) => cutoff,
            Cover::Blend => 0.5,
        };
        let cover = [cutoff, opacity(instance), 0.0];
        let uniforms = uniform! { Scene: scene, model: model, turn: turn, bone_rows: &self.bone_rows, cover: cover, widening: 0f32 };
        // The texture matters only where it cuts parts out.
        let texture = stored.texture.as_ref().filter(|_| cutoff > 0.0);
        let program = self.depth[kind(stored.bones > 0, texture.is_some())].program(DEPTH_STYLE)?;
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
            let Shape { vertices, triangles } = stored.shape(tolerance);
            let [model, turn] = placement(instance.model);
            let mut tint = linear(instance.color);
            let cover = match (instance.substance, stored.cover) {
                (_, Cover::Mask(cutoff)) => [cutoff, opacity(instance), 0.0],
                (Substance::Own, Cover::Blend) => [0.0, opacity(instance), 1.0],
                _ => [0.0; 3],
            };
            if let (Substance::Own, Cover::Mask(_)) = (instance.substance, stored.cover) {
                tint[3] = 1.0;
            }
            let uniforms = uniform! {
                Scene: scene, shadow_map: shadows.depth_sampler(), model: model, turn: turn,
                bone_rows: &self.bone_rows, tint: tint, cover: cover,
                surface: [instance.material.roughness, instance.material.glow], widening: self.widening(instance, camera),
            };
            let mut parameters = if layer == Layer::Opaque { opaque() } else { translucent() };
            parameters.scissor = self.scissor(instance, camera, canvas);
            parameters.backface_culling = culling(instance, stored.sides);
            let program = self.lit[kind(stored.bones > 0, stored.texture.is_some())].program(style)?;
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
        Ok(match (instance.substance, stored.cover) {
            (Substance::Glass, _) => Layer::Glass,
            (Substance::Own, Cover::Blend) => Layer::Translucent,
            (Substance::Own, Cover::Whole) if instance.color[3] < 255 => Layer::Translucent,
            (Substance::Own, _) => Layer::Opaque,
        })
    }

    /// The largest size in model space that an instance need not show.
    fn tolerance(&self, instance: &MeshInstance, detail: Detail<'_>) -> Option<f32> {
        let (camera, pixels) = detail?;
        let size = pixels * pixel_size(&self.bounds(instance)?, camera);
        Some(size / largest_stretch(&instance.model).max(f32::MIN_POSITIVE)).filter(|size| *size > 0.0)
    }

    /// How far the surface of an instance is moved outward, so that what is thinner than a pixel is no row of dots. Glass is
    /// drawn where its depth is.
    fn widening(&self, instance: &MeshInstance, camera: &Camera) -> f32 {
        let Some(bounds) = self.bounds(instance).filter(|_| instance.substance == Substance::Own) else { return 0.0 };
        let pixel = pixel_size(&bounds, camera);
        let thickness = self.stored[instance.mesh].thickness * largest_stretch(&instance.model);
        if pixel.is_finite() { (0.5 * (LINE * pixel - thickness)).max(0.0) } else { 0.0 }
    }

    /// Checks an instance and uploads its bones and, if it is missing, its shape for this detail.
    fn prepare(&mut self, instance: &MeshInstance, detail: Detail<'_>) -> Result<(usize, Option<f32>), DrawError> {
        let tolerance = self.tolerance(instance, detail);
        let (mesh, known) = (instance.mesh, self.stored.len());
        let stored = self.stored.get_mut(mesh).ok_or(DrawError::UnknownMesh { mesh, known })?;
        stored.prepare(&self.context, tolerance)?;
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

pub(super) fn casts(instance: &MeshInstance) -> bool {
    instance.shadow && (instance.color[3] == 255 || instance.substance == Substance::Glass)
}

/// Opacity for cut-outs and blending; the alpha of glass has another meaning.
fn opacity(instance: &MeshInstance) -> f32 {
    match instance.substance {
        Substance::Own => f32::from(instance.color[3]) / 255.0,
        Substance::Glass => 1.0,
    }
}

/// Which triangles are culled. A mirrored mesh has its corners in the opposite order.
fn culling(instance: &MeshInstance, sides: Sides) -> BackfaceCullingMode {
    let bone = instance.bones.first().map_or(1.0, Mat4::determinant);
    match sides {
        Sides::Both => BackfaceCullingMode::CullingDisabled,
        Sides::Front if instance.model.determinant() * bone < 0.0 => BackfaceCullingMode::CullCounterClockwise,
        Sides::Front => BackfaceCullingMode::CullClockwise,
    }
}

/// An upper bound of the factor by which a matrix lengthens vectors, exact if it does not shear.
fn largest_stretch(matrix: &Mat4) -> f32 {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.truncate());
    // The largest eigenvalue of the products of the columns is at most the largest sum of a row (Gershgorin).
    let row = |a: Vec3| columns.iter().map(|b| a.dot(*b).abs()).sum::<f32>();
    columns.into_iter().map(row).fold(0.0, f32::max).sqrt()
}

/// Size in the world of a pixel at the nearest point of balls.
fn pixel_size(balls: &[Ball], camera: &Camera) -> f32 {
    balls.iter().map(|&(center, radius)| camera.pixel_size(center, radius)).fold(f32::INFINITY, f32::min)
}

/// A model matrix and its normal matrix.
fn placement(model: Mat4) -> [[[f32; 4]; 4]; 2] {
    [model.to_cols_array_2d(), model.inverse().transpose().to_cols_array_2d()]
}

fn allocate_bones(context: &Rc<Context>, len: usize) -> Result<BufferTexture<[f32; 4]>, RenderError> {
    BufferTexture::empty_dynamic(context, len, BufferTextureType::Float).map_err(RenderError::resource("bones"))
}
