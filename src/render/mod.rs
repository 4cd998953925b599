//! Pictures with OpenGL 3.3, through glium: [`Renderer`] draws a [`Frame`] into [`Targets`], with a window or
//! without ([`Headless`]).
//!
//! Architecture invariant: nothing here knows scenes, sessions or windows; a [`Frame`] is all there is.

mod camera;
mod context;
mod error;
mod films;
mod gui;
mod lines;
mod meshes;
mod pen;
mod program;
mod scene_block;
mod shadow;
mod solids;
mod srgb;
mod stage;
mod stored_mesh;
mod stream;
mod targets;
mod textures;

pub use context::{Headless, is_software};
pub use error::{DrawError, RenderError};
pub use gui::GuiPainter;
pub use targets::{Samples, Targets};

use crate::view::frame::{Capsule, Frame, Mesh, Quality, Sphere};
use camera::{Camera, LampView};
use films::{Halos, Patches, Shown};
use glam::Vec3;
use glium::backend::Context;
use glium::uniforms::UniformBuffer;
use glium::{Program, Surface, uniform};
use lines::Lines;
use meshes::{Layer, Meshes};
use pen::Quad;
use program::{Recipe, Style, compile};
use scene_block::{SceneBlock, Surroundings};
use shadow::{Footprints, ShadowMaps};
use solids::{Caster, Solids};
use stage::Stage;
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
    stage: Stage,
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
    /// When the driver refuses a shader or has no room.
    pub fn new(context: Rc<Context>) -> Result<Self, RenderError> {
        let finish = Recipe {
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
            stage: Stage::new(&context)?,
            lines: Lines::new(&context)?,
            patches: Patches::new(&context)?,
            halos: Halos::new(&context)?,
            meshes: Meshes::new(&context)?,
            finish: compile(&context, &finish)?,
            scene: None,
            context,
        })
    }

    /// Replaces the meshes that frames may show by their index.
    ///
    /// # Errors
    /// When the driver has no room for them.
    pub fn set_meshes(&mut self, meshes: &[Mesh]) -> Result<(), RenderError> {
        self.meshes.store(meshes)
    }

    /// Draws a frame into `targets`. `pixels_per_point` scales line widths: 1 on an ordinary screen, 2 on a dense one
    /// or for a picture that will be halved.
    ///
    /// # Errors
    /// When the driver refuses, or the frame names meshes or bones that are not there.
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
        let lamp = LampView::new(&frame.bounds, floor_height, Vec3::from(frame.look.light), shadows.side);
        let around = Surroundings {
            shadow_projection: lamp.camera.view_projection,
            shadow_texel: lamp.texel,
            floor_height,
            size: frame.bounds.radius.max(1e-6),
            pixels_per_point,
        };
        let from_eye = SceneBlock::new(&camera, &frame.look, &around);
        let from_lamp = SceneBlock::new(&lamp.camera, &frame.look, &around);
        let (scene, lamp_scene) = self.blocks(from_eye, from_lamp)?;
        self.upload(frame, &camera, pixels_per_point)?;
        let drawn = self
            .draw_shadows(frame, &shadows, &lamp, &lamp_scene)
            .and_then(|()| self.draw_scene(targets, frame, &shadows, &scene, style))
            .and_then(|()| targets.finish(&self.quad, &self.finish, &scene, frame.look.vignette));
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
        self.meshes.draw_shadows(&frame.meshes, &mut depth, scene, meshes::Into::Depth)?;
        if frame.floor.is_some() {
            let mut shade = shadows.shade_surface(&self.context)?;
            self.footprints.draw(&self.quad, &mut shade, scene)?;
            if let Some(extent) = self.meshes.shadow_extent(&frame.meshes, lamp, shadow::WIDEST_BLUR) {
                let mut silhouette = shadows.silhouette_surface(&self.context)?;
                self.meshes.draw_shadows(&frame.meshes, &mut silhouette, scene, meshes::Into::Silhouette)?;
                self.footprints.draw_silhouettes(&self.quad, &mut shade, scene, shadows, extent)?;
            }
        }
        Ok(())
    }

    /// Solids, then what stands behind them, then what one sees through, far to near within each kind.
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
        self.stage.draw(quad, &mut canvas, scene, shadows, frame)?;
        self.lines.draw_in_scene(quad, &mut canvas, &unlit)?;
        self.meshes.draw(&frame.meshes, &mut canvas, scene, shadows, style, Layer::Translucent)?;
        self.spheres.draw_translucent(quad, &mut canvas, &lit, style)?;
        self.capsules.draw_translucent(quad, &mut canvas, &lit, style)?;
        self.patches.draw(&mut canvas, &unlit)?;
        self.halos.draw(quad, &mut canvas, scene, (frame.look.glowing, Shown::Openly))?;
        self.meshes.draw(&frame.meshes, &mut canvas, scene, shadows, style, Layer::Glass)?;
        self.halos.draw(quad, &mut canvas, scene, (frame.look.glowing, Shown::Through))?;
        self.lines.draw_on_top(quad, &mut canvas, &unlit)
    }

    /// The shadow maps of this quality, taken out while a frame is drawn.
    fn shadow_maps(&mut self, quality: Quality) -> Result<ShadowMaps, RenderError> {
        match self.shadows.take() {
            Some((kept, maps)) if kept == quality => Ok(maps),
            _ => ShadowMaps::new(&self.context, quality),
        }
    }

    /// The uniform blocks of eye and lamp, written; taken out while a frame is drawn.
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
