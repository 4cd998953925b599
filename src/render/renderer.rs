//! The renderer: the order in which the parts of a frame are drawn.

use super::backdrop::Backdrop;
use super::camera::{Camera, LampView};
use super::canvas::{Canvas, Parts};
use super::damage::{Projections, damage};
use super::draw_call::Quad;
use super::error::{DrawError, RenderError};
use super::lines::Lines;
use super::meshes::{Detail, Layer, Meshes, ShadowPass};
use super::program::{ShaderSource, Style, compile};
use super::scene_block::{SceneBlock, SceneParameters};
use super::shadow::{Footprints, MAX_BLUR, ShadowInput, ShadowMaps};
use super::solids::{Caster, Solids};
use super::targets::{Targets, interpolated};
use super::tiles::Tiles;
use super::translucent::{HaloPart, Halos, Patches};
use crate::view::frame::{Capsule, Frame, Mesh, Quality, Sphere};
use glam::Vec3;
use glium::backend::Context;
use glium::texture::Texture2d;
use glium::uniforms::UniformBuffer;
use glium::{DrawParameters, Program, uniform};
use std::rc::Rc;

/// A frame, and how it is drawn.
pub struct Picture {
    /// What to draw.
    pub frame: Frame,
    /// Rendering effort.
    pub quality: Quality,
    /// Pixels per logical pixel for the widths of lines.
    pub line_scale: f32,
}

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
    meshes_version: u64,
    finish: Program,
    stretch: Program,
    scene: Option<(UniformBuffer<SceneBlock>, UniformBuffer<SceneBlock>)>,
    observer: Option<Box<dyn FnMut(&'static str)>>,
}

impl Renderer {
    /// Compiles the shaders for a context.
    ///
    /// # Errors
    /// If the driver rejects a shader or is out of memory.
    pub fn new(context: Rc<Context>) -> Result<Self, RenderError> {
        let finish = ShaderSource::new(
            "finish",
            include_str!("../../shaders/screen.vert"),
            include_str!("../../shaders/finish.frag"),
        );
        let stretch = ShaderSource { name: "stretch", fragment: include_str!("../../shaders/stretch.frag"), ..finish };
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
            meshes_version: 0,
            finish: compile(&context, &finish)?,
            stretch: compile(&context, &stretch)?,
            scene: None,
            observer: None,
            context,
        })
    }

    /// Replaces the meshes that frames refer to by index.
    ///
    /// # Errors
    /// If the driver is out of memory.
    pub fn set_meshes(&mut self, meshes: &[Mesh]) -> Result<(), RenderError> {
        self.meshes_version += 1;
        self.meshes.store(meshes)
    }

    /// Changes whenever the meshes do.
    pub(crate) fn meshes_version(&self) -> u64 {
        self.meshes_version
    }

    /// The tiles in which a picture may differ from the frame `before`, drawn at the same quality and scale.
    pub(crate) fn damage(&mut self, targets: &Targets, before: &Frame, after: &Picture) -> Result<Tiles, RenderError> {
        let frame = &after.frame;
        let camera = Camera::new(&frame.view, targets.size());
        let shadows = self.shadow_maps(after.quality)?;
        let lamp = lamp(frame, &shadows);
        self.shadows = Some((after.quality, shadows));
        let (floor_height, pixels_per_point) = (floor_height(frame), after.line_scale);
        let projections = Projections { camera: &camera, lamp: &lamp, floor_height, pixels_per_point };
        Ok(damage((before, frame), projections, &self.meshes))
    }

    /// Draws some tiles of a picture, with simplified meshes if it is `simple`.
    pub(crate) fn draw_tiles(
        &mut self,
        targets: &Targets,
        Picture { frame, quality, line_scale }: &Picture,
        (tiles, simple): (&Tiles, bool),
    ) -> Result<(), DrawError> {
        let rectangles = tiles.rectangles();
        if rectangles.is_empty() {
            return Ok(());
        }
        let parts = if tiles.is_full() { Parts::Whole } else { Parts::Only(&rectangles) };
        let style = Style { quality: *quality, samples: targets.samples(), simple };
        self.draw_parts(targets, frame, style, *line_scale, parts)
    }

    /// Draws a picture of another resolution over a canvas.
    pub(crate) fn stretch(&self, picture: &Texture2d, canvas: &mut Canvas<'_>) -> Result<(), DrawError> {
        let (width, height) = canvas.size();
        let pixel = [1.0 / width as f32, 1.0 / height as f32];
        let uniforms = uniform! { image: interpolated(picture), pixel: pixel };
        self.quad.draw(canvas, &self.stretch, &uniforms, &DrawParameters::default())
    }

    /// Calls `observer` after each pass of later pictures, with the name of the pass, for measurements.
    pub fn observe(&mut self, observer: impl FnMut(&'static str) + 'static) {
        self.observer = Some(Box::new(observer));
    }

    pub(crate) fn passed(&mut self, name: &'static str) {
        if let Some(observer) = &mut self.observer {
            observer(name);
        }
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
        let style = Style { quality, samples: targets.samples(), simple: false };
        self.draw_parts(targets, frame, style, pixels_per_point, Parts::Whole)
    }

    /// Draws only some parts of a frame.
    fn draw_parts(
        &mut self,
        targets: &Targets,
        frame: &Frame,
        style: Style,
        pixels_per_point: f32,
        parts: Parts<'_>,
    ) -> Result<(), DrawError> {
        let camera = Camera::new(&frame.view, targets.size());
        let mut shadows = self.shadow_maps(style.quality)?;
        let (lamp, floor_height) = (lamp(frame, &shadows), floor_height(frame));
        let parameters = SceneParameters {
            shadow_projection: lamp.camera.view_projection,
            shadow_texel: lamp.texel,
            floor_height,
            size: frame.bounds.radius.max(1e-6),
            pixels_per_point,
        };
        let from_eye = SceneBlock::new(&camera, &frame.environment, &parameters);
        // The shadows do not depend on the resolution of the picture.
        let from_lamp =
            SceneBlock::new(&lamp.camera, &frame.environment, &SceneParameters { pixels_per_point: 1.0, ..parameters });
        let (scene, lamp_scene) = self.blocks(from_eye, from_lamp)?;
        self.upload(frame, &camera, pixels_per_point)?;
        self.passed("upload");
        let drawn = self
            .update_shadows(frame, &mut shadows, (&lamp, style.simple), (from_lamp, &lamp_scene))
            .and_then(|()| self.draw_scene(&mut targets.canvas(parts)?, frame, &shadows, (&scene, &camera), style))
            .and_then(|()| targets.finish(&self.quad, &self.finish, &scene, frame.environment.vignette, parts));
        self.shadows = Some((style.quality, shadows));
        self.scene = Some((scene, lamp_scene));
        self.passed("finish");
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

    /// Draws the shadow maps again if they would change. They stay the same while only the camera moves.
    fn update_shadows(
        &mut self,
        frame: &Frame,
        shadows: &mut ShadowMaps,
        lamp: (&LampView, bool),
        (block, scene): (SceneBlock, &UniformBuffer<SceneBlock>),
    ) -> Result<(), DrawError> {
        let input = ShadowInput {
            lamp: block,
            casters: std::mem::take(&mut self.casters),
            spheres: self.spheres.casters(),
            meshes: (frame.meshes.clone(), self.meshes_version),
            simple: lamp.1,
            has_floor: frame.floor.is_some(),
        };
        if shadows.shown.as_ref() != Some(&input) {
            shadows.shown = None;
            self.draw_shadows(frame, shadows, lamp, scene)?;
            shadows.shown = Some(input);
        }
        self.passed("shadows");
        Ok(())
    }

    fn draw_shadows(
        &mut self,
        frame: &Frame,
        shadows: &ShadowMaps,
        (lamp, simple): (&LampView, bool),
        scene: &UniformBuffer<SceneBlock>,
    ) -> Result<(), DrawError> {
        let detail = if simple { Detail::Size(12.0 * lamp.texel) } else { Detail::Exact };
        let mut depth = shadows.depth_canvas(&self.context)?;
        let uniforms = uniform! { Scene: scene };
        self.spheres.draw_depth(&self.quad, &mut depth, &uniforms)?;
        self.capsules.draw_depth(&self.quad, &mut depth, &uniforms)?;
        self.meshes.draw_shadows(&frame.meshes, &mut depth, scene, (ShadowPass::Depth, detail))?;
        if frame.floor.is_some() {
            let mut shade = shadows.shade_canvas(&self.context)?;
            self.footprints.draw(&self.quad, &mut shade, scene)?;
            if let Some(extent) = self.meshes.shadow_extent(&frame.meshes, lamp, MAX_BLUR) {
                let mut silhouette = shadows.silhouette_canvas(&self.context)?;
                self.meshes.draw_shadows(&frame.meshes, &mut silhouette, scene, (ShadowPass::Silhouette, detail))?;
                self.footprints.draw_silhouettes(&self.quad, &mut shade, scene, shadows, extent)?;
            }
        }
        Ok(())
    }

    /// Draws opaque things, then the backdrop, then translucent things, far to near within each kind.
    fn draw_scene(
        &mut self,
        canvas: &mut Canvas<'_>,
        frame: &Frame,
        shadows: &ShadowMaps,
        (scene, camera): (&UniformBuffer<SceneBlock>, &Camera),
        style: Style,
    ) -> Result<(), DrawError> {
        let detail = if style.simple { Detail::Pixels(camera) } else { Detail::Exact };
        canvas.clear_depth();
        let lit = uniform! { Scene: scene, shadow_map: shadows.depth_sampler() };
        let unlit = uniform! { Scene: scene };
        self.spheres.draw_opaque(&self.quad, canvas, &lit, style)?;
        self.capsules.draw_opaque(&self.quad, canvas, &lit, style)?;
        self.meshes.draw(&frame.meshes, canvas, scene, shadows, style, (Layer::Opaque, camera, detail))?;
        self.passed("solids");
        self.backdrop.draw(&self.quad, canvas, scene, shadows, frame)?;
        self.passed("floor and background");
        self.lines.draw_in_scene(&self.quad, canvas, &unlit)?;
        self.meshes.draw(&frame.meshes, canvas, scene, shadows, style, (Layer::Translucent, camera, detail))?;
        self.spheres.draw_translucent(&self.quad, canvas, &lit, style)?;
        self.capsules.draw_translucent(&self.quad, canvas, &lit, style)?;
        self.patches.draw(canvas, &unlit)?;
        self.halos.draw(&self.quad, canvas, scene, (frame.environment.glowing, HaloPart::Visible))?;
        self.meshes.draw(&frame.meshes, canvas, scene, shadows, style, (Layer::Glass, camera, detail))?;
        self.halos.draw(&self.quad, canvas, scene, (frame.environment.glowing, HaloPart::Obstructed))?;
        self.lines.draw_on_top(&self.quad, canvas, &unlit)?;
        self.passed("lines and translucent things");
        Ok(())
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

/// Height of the floor, or of the lowest shadow caster without one.
fn floor_height(frame: &Frame) -> f32 {
    frame.floor.map_or(frame.bounds.center.y - frame.bounds.radius, |floor| floor.height)
}

fn lamp(frame: &Frame, shadows: &ShadowMaps) -> LampView {
    LampView::new(&frame.bounds, floor_height(frame), Vec3::from(frame.environment.light), shadows.side)
}
