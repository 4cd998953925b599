//! The renderer: the order in which the parts of a frame are drawn.

use super::backdrop::Backdrop;
use super::camera::{Camera, LampView};
use super::draw_call::Quad;
use super::error::{DrawError, RenderError};
use super::lines::Lines;
use super::meshes::{Layer, Meshes, ShadowPass};
use super::program::{ShaderSource, Style, compile};
use super::scene_block::{SceneBlock, SceneParameters};
use super::shadow::{Footprints, MAX_BLUR, ShadowMaps};
use super::solids::{Caster, Solids};
use super::targets::Targets;
use super::translucent::{HaloPart, Halos, Patches};
use crate::view::frame::{Capsule, Frame, Mesh, Quality, Sphere};
use glam::Vec3;
use glium::backend::Context;
use glium::uniforms::UniformBuffer;
use glium::{Program, Surface, uniform};
use std::rc::Rc;

/// Draws frames. Owns the shader programs and everything that stays on the graphics card between frames.
pub struct Renderer {
    context: Rc<Context>,
    quad: Quad,
    spheres: Solids<Sphere>,
    capsules: Solids<Capsule>,
    casters: Vec<Caster>,
    footprints: Footprints,
    shadows: Option<(Quality, ShadowMaps)>,
    backdrop: Backdrop,
    lines: Lines,
    patches: Patches,
    halos: Halos,
    meshes: Meshes,
    finish: Program,
    scene: Option<(UniformBuffer<SceneBlock>, UniformBuffer<SceneBlock>)>,
}

impl Renderer {
    /// Compiles the shaders for a context.
    ///
    /// # Errors
    /// If the driver rejects a shader or is out of memory.
    pub fn new(context: Rc<Context>) -> Result<Self, RenderError> {
        let finish = ShaderSource {
            name: "finish",
            vertex: include_str!("../../shaders/screen.vert"),
            fragment: include_str!("../../shaders/finish.frag"),
            defines: &[],
        };
        Ok(Renderer {
            quad: Quad::new(&context)?,
            spheres: Solids::new(
                &context,
                "sphere",
                include_str!("../../shaders/sphere.vert"),
                include_str!("../../shaders/sphere.frag"),
            )?,
            capsules: Solids::new(
                &context,
                "capsule",
                include_str!("../../shaders/capsule.vert"),
                include_str!("../../shaders/capsule.frag"),
            )?,
            casters: Vec::new(),
            footprints: Footprints::new(&context)?,
            shadows: None,
            backdrop: Backdrop::new(&context)?,
            lines: Lines::new(&context)?,
            patches: Patches::new(&context)?,
            halos: Halos::new(&context)?,
            meshes: Meshes::new(&context)?,
            finish: compile(&context, &finish)?,
            scene: None,
            context,
        })
    }

    /// Replaces the meshes that frames refer to by index.
    ///
    /// # Errors
    /// If the driver is out of memory.
    pub fn set_meshes(&mut self, meshes: &[Mesh]) -> Result<(), RenderError> {
        self.meshes.store(meshes)
    }

    /// Draws a frame into `targets`. `pixels_per_point` scales line widths: 1 on an ordinary screen, 2 on a high-density one
    /// or for a picture that will be halved.
    ///
    /// # Errors
    /// If the driver cannot draw, or the frame refers to missing meshes or bones.
    pub fn draw(
        &mut self,
        targets: &Targets,
        frame: &Frame,
        quality: Quality,
        pixels_per_point: f32,
    ) -> Result<(), DrawError> {
        let camera = Camera::new(&frame.view, targets.size());
        let style = Style { quality, raster: targets.raster() };
        let shadows = self.shadow_maps(quality)?;
        let floor_height = frame.floor.map_or(frame.bounds.center.y - frame.bounds.radius, |floor| floor.height);
        let lamp = LampView::new(&frame.bounds, floor_height, Vec3::from(frame.environment.light), shadows.side);
        let parameters = SceneParameters {
            shadow_projection: lamp.camera.view_projection,
            shadow_texel: lamp.texel,
            floor_height,
            size: frame.bounds.radius.max(1e-6),
            pixels_per_point,
        };
        let from_eye = SceneBlock::new(&camera, &frame.environment, &parameters);
        let from_lamp = SceneBlock::new(&lamp.camera, &frame.environment, &parameters);
        let (scene, lamp_scene) = self.blocks(from_eye, from_lamp)?;
        self.upload(frame, &camera, pixels_per_point)?;
        let drawn = self
            .draw_shadows(frame, &shadows, &lamp, &lamp_scene)
            .and_then(|()| self.draw_scene(targets, frame, &shadows, &scene, style))
            .and_then(|()| targets.finish(&self.quad, &self.finish, &scene, frame.environment.vignette));
        self.shadows = Some((quality, shadows));
        self.scene = Some((scene, lamp_scene));
        drawn
    }

    fn upload(&mut self, frame: &Frame, camera: &Camera, pixels_per_point: f32) -> Result<(), RenderError> {
        self.casters.clear();
        self.spheres.upload(&frame.spheres, camera, &mut self.casters)?;
        self.capsules.upload(&frame.capsules, camera, &mut self.casters)?;
        self.footprints.upload(&self.casters)?;
        self.lines.upload(&frame.lines, camera, pixels_per_point)?;
        self.patches.upload(&frame.patches)?;
        self.halos.upload(&frame.halos)
    }

    fn draw_shadows(
        &mut self,
        frame: &Frame,
        shadows: &ShadowMaps,
        lamp: &LampView,
        scene: &UniformBuffer<SceneBlock>,
    ) -> Result<(), DrawError> {
        let mut depth = shadows.depth_surface(&self.context)?;
        let uniforms = uniform! { Scene: scene };
        self.spheres.draw_depth(&self.quad, &mut depth, &uniforms)?;
        self.capsules.draw_depth(&self.quad, &mut depth, &uniforms)?;
        self.meshes.draw_shadows(&frame.meshes, &mut depth, scene, ShadowPass::Depth)?;
        if frame.floor.is_some() {
            let mut shade = shadows.shade_surface(&self.context)?;
            self.footprints.draw(&self.quad, &mut shade, scene)?;
            if let Some(extent) = self.meshes.shadow_extent(&frame.meshes, lamp, MAX_BLUR) {
                let mut silhouette = shadows.silhouette_surface(&self.context)?;
                self.meshes.draw_shadows(&frame.meshes, &mut silhouette, scene, ShadowPass::Silhouette)?;
                self.footprints.draw_silhouettes(&self.quad, &mut shade, scene, shadows, extent)?;
            }
        }
        Ok(())
    }

    /// Draws opaque things, then the backdrop, then translucent things, far to near within each kind.
    fn draw_scene(
        &mut self,
        targets: &Targets,
        frame: &Frame,
        shadows: &ShadowMaps,
        scene: &UniformBuffer<SceneBlock>,
        style: Style,
    ) -> Result<(), DrawError> {
        let quad = &self.quad;
        let mut canvas = targets.canvas()?;
        canvas.clear_depth(1.0);
        let lit = uniform! { Scene: scene, shadow_map: shadows.depth_sampler() };
        let unlit = uniform! { Scene: scene };
        self.spheres.draw_opaque(quad, &mut canvas, &lit, style)?;
        self.capsules.draw_opaque(quad, &mut canvas, &lit, style)?;
        self.meshes.draw(&frame.meshes, &mut canvas, scene, shadows, style, Layer::Opaque)?;
        self.backdrop.draw(quad, &mut canvas, scene, shadows, frame)?;
        self.lines.draw_in_scene(quad, &mut canvas, &unlit)?;
        self.meshes.draw(&frame.meshes, &mut canvas, scene, shadows, style, Layer::Translucent)?;
        self.spheres.draw_translucent(quad, &mut canvas, &lit, style)?;
        self.capsules.draw_translucent(quad, &mut canvas, &lit, style)?;
        self.patches.draw(&mut canvas, &unlit)?;
        self.halos.draw(quad, &mut canvas, scene, (frame.environment.glowing, HaloPart::Visible))?;
        self.meshes.draw(&frame.meshes, &mut canvas, scene, shadows, style, Layer::Glass)?;
        self.halos.draw(quad, &mut canvas, scene, (frame.environment.glowing, HaloPart::Obstructed))?;
        self.lines.draw_on_top(quad, &mut canvas, &unlit)
    }

    /// Takes the shadow maps of this quality, or creates them.
    fn shadow_maps(&mut self, quality: Quality) -> Result<ShadowMaps, RenderError> {
        match self.shadows.take() {
            Some((kept, maps)) if kept == quality => Ok(maps),
            _ => ShadowMaps::new(&self.context, quality),
        }
    }

    /// Takes the uniform blocks of eye and lamp, or creates them, and writes them.
    fn blocks(
        &mut self,
        from_eye: SceneBlock,
        from_lamp: SceneBlock,
    ) -> Result<(UniformBuffer<SceneBlock>, UniformBuffer<SceneBlock>), RenderError> {
        if let Some((eye, lamp)) = self.scene.take() {
            eye.write(&from_eye);
            lamp.write(&from_lamp);
            return Ok((eye, lamp));
        }
        let block =
            |content| UniformBuffer::dynamic(&self.context, content).map_err(RenderError::resource("a uniform block"));
        Ok((block(from_eye)?, block(from_lamp)?))
    }
}
