//! The renderer: the order in which the parts of a frame are drawn.

use super::backdrop::Backdrop;
use super::canvas::{Canvas, Parts};
use super::damage::damage;
use super::error::{DrawError, RenderError};
use super::meshes::{MERGED_TEXELS, Meshes};
use super::program::{Style, compile};
use super::scene_block::Block;
use super::shadow::{Footprints, MAX_BLUR, Pass, ShadowInput, ShadowMaps, cleared};
use super::solids::Solids;
use super::targets::{Targets, interpolated};
use super::tiles::Tiles;
use super::translucent::{HaloPart, Translucent};
use fabrik3d_viewer::raster::{Camera, Caster, LampView, Layer, SceneBlock, ShadowPass};
use fabrik3d_viewer::view::frame::{Capsule, Frame, Mesh, Quality, Sphere};
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
    spheres: Solids<Sphere>,
    capsules: Solids<Capsule>,
    casters: Vec<Caster>,
    footprints: Footprints,
    shadows: Option<Rc<ShadowMaps>>,
    /// What the shadow maps show; none if that is unknown.
    shadows_show: Option<ShadowInput>,
    backdrop: Backdrop,
    translucent: Translucent,
    meshes: Meshes,
    /// Changes whenever the meshes do.
    pub(crate) meshes_version: u64,
    finish: Program,
    stretch: Program,
    /// What every program knows about the picture, as seen from the eye and from the lamp.
    blocks: Rc<[UniformBuffer<Block>; 2]>,
    observer: Option<Box<dyn FnMut(&'static str)>>,
}

impl Renderer {
    /// Compiles the shaders for a context.
    ///
    /// # Errors
    /// If the driver rejects a shader or is out of memory.
    pub fn new(context: Rc<Context>) -> Result<Self, RenderError> {
        let block = || UniformBuffer::empty_dynamic(&context).map_err(RenderError::resource("a uniform block"));
        Ok(Renderer {
            spheres: Solids::new(&context, ["sphere.vert", "sphere.frag"])?,
            capsules: Solids::new(&context, ["capsule.vert", "capsule.frag"])?,
            casters: Vec::new(),
            footprints: Footprints::new(&context)?,
            shadows: None,
            shadows_show: None,
            backdrop: Backdrop::new(&context)?,
            translucent: Translucent::new(&context)?,
            meshes: Meshes::new(&context)?,
            meshes_version: 0,
            finish: compile(&context, ["screen.vert", "finish.frag"], &[])?,
            stretch: compile(&context, ["screen.vert", "stretch.frag"], &[])?,
            blocks: Rc::new([block()?, block()?]),
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

    /// The tiles in which a picture may differ from the frame `before`, drawn at the same quality and scale.
    pub(crate) fn damage(&mut self, targets: &Targets, before: &Frame, after: &Picture) -> Result<Tiles, RenderError> {
        let frame = &after.frame;
        let camera = Camera::new(&frame.view, targets.size());
        let lamp = lamp(frame, &*self.shadow_maps(after.quality)?);
        Ok(damage((before, frame), (&camera, &lamp), after.line_scale, &self.meshes))
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
        canvas.draw_quad(&self.stretch, &uniforms, &DrawParameters::default())
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

    fn draw_parts(
        &mut self,
        targets: &Targets,
        frame: &Frame,
        style: Style,
        pixels_per_point: f32,
        parts: Parts<'_>,
    ) -> Result<(), DrawError> {
        let camera = Camera::new(&frame.view, targets.size());
        let (shadows, blocks) = (self.shadow_maps(style.quality)?, Rc::clone(&self.blocks));
        let lamp = lamp(frame, &shadows);
        let pass = Pass { scene: &blocks[0], shadows: &shadows, camera: &camera, style };
        let from_lamp = Pass { scene: &blocks[1], camera: &lamp.camera, ..pass };
        pass.scene.write(&Block(SceneBlock::new(&camera, &lamp, frame, pixels_per_point)));
        // The shadows do not depend on the resolution of the picture.
        let lamp_block = SceneBlock::new(&lamp.camera, &lamp, frame, 1.0);
        from_lamp.scene.write(&Block(lamp_block));
        self.upload(frame, &camera, pixels_per_point)?;
        self.passed("upload");
        self.update_shadows(frame, (&lamp, lamp_block), from_lamp)?;
        self.draw_scene(&mut targets.canvas(parts)?, frame, pass)?;
        targets.finish(&self.finish, pass.scene, &frame.environment, parts)?;
        self.passed("finish");
        Ok(())
    }

    fn upload(&mut self, frame: &Frame, camera: &Camera, pixels_per_point: f32) -> Result<(), RenderError> {
        self.casters.clear();
        self.spheres.upload(&frame.spheres, camera, &mut self.casters)?;
        self.capsules.upload(&frame.capsules, camera, &mut self.casters)?;
        self.footprints.upload(&self.casters)?;
        self.meshes.mix(&frame.meshes)?;
        self.translucent.upload(frame, camera, pixels_per_point)
    }

    /// Draws the shadow maps again if they would change. They stay the same while only the camera moves.
    fn update_shadows(
        &mut self,
        frame: &Frame,
        (lamp, block): (&LampView, SceneBlock),
        pass: Pass<'_>,
    ) -> Result<(), DrawError> {
        let input = ShadowInput {
            lamp: block,
            casters: std::mem::take(&mut self.casters),
            spheres: self.spheres.casters,
            meshes: (frame.meshes.clone(), self.meshes_version),
            simple: pass.style.simple,
            has_floor: frame.floor.is_some(),
        };
        if self.shadows_show.as_ref() != Some(&input) {
            self.shadows_show = None;
            self.draw_shadows(frame, lamp, pass)?;
            self.shadows_show = Some(input);
        }
        self.passed("shadows");
        Ok(())
    }

    fn draw_shadows(
        &mut self,
        frame: &Frame,
        lamp: &LampView,
        Pass { scene, shadows, camera, style }: Pass<'_>,
    ) -> Result<(), DrawError> {
        let detail = style.simple.then_some((camera, MERGED_TEXELS));
        let mut depth = shadows.depth_canvas(&self.context)?;
        self.spheres.draw_depth(&mut depth, scene)?;
        self.capsules.draw_depth(&mut depth, scene)?;
        self.meshes.draw_shadows(&frame.meshes, &mut depth, scene, (ShadowPass::Depth, detail))?;
        if frame.floor.is_some() {
            let mut shade = cleared(&self.context, &shadows.shade)?;
            self.footprints.draw(&mut shade, scene)?;
            if let Some(extent) = self.meshes.shadow_extent(&frame.meshes, lamp, MAX_BLUR) {
                let mut silhouette = cleared(&self.context, &shadows.silhouette)?;
                self.meshes.draw_shadows(&frame.meshes, &mut silhouette, scene, (ShadowPass::Silhouette, detail))?;
                self.footprints.draw_silhouettes(&mut shade, scene, shadows, extent)?;
            }
        }
        Ok(())
    }

    /// Draws opaque things, then the backdrop, then translucent things, far to near within each kind.
    fn draw_scene(&mut self, canvas: &mut Canvas<'_>, frame: &Frame, pass: Pass<'_>) -> Result<(), DrawError> {
        let (scene, glowing) = (pass.scene, frame.environment.glowing);
        canvas.clear_depth();
        if frame.environment.transparent {
            canvas.clear_color();
        }
        self.spheres.draw(canvas, pass, false)?;
        self.capsules.draw(canvas, pass, false)?;
        self.meshes.draw(&frame.meshes, canvas, pass, Layer::Opaque)?;
        self.passed("solids");
        if !frame.environment.transparent {
            self.backdrop.draw(canvas, pass, frame)?;
        }
        self.passed("floor and background");
        self.translucent.draw_lines(canvas, scene, false)?;
        self.meshes.draw(&frame.meshes, canvas, pass, Layer::Translucent)?;
        self.spheres.draw(canvas, pass, true)?;
        self.capsules.draw(canvas, pass, true)?;
        self.translucent.draw_patches(canvas, scene)?;
        self.translucent.draw_halos(canvas, scene, (glowing, HaloPart::Visible))?;
        self.meshes.draw(&frame.meshes, canvas, pass, Layer::Glass)?;
        self.translucent.draw_halos(canvas, scene, (glowing, HaloPart::Obstructed))?;
        self.translucent.draw_lines(canvas, scene, true)?;
        self.passed("lines and translucent things");
        Ok(())
    }

    /// The shadow maps of this quality, created if there are none.
    fn shadow_maps(&mut self, quality: Quality) -> Result<Rc<ShadowMaps>, RenderError> {
        let known = self.shadows.take().filter(|maps| maps.quality == quality);
        let maps = known.map_or_else(|| ShadowMaps::new(&self.context, quality).map(Rc::new), Ok)?;
        Ok(Rc::clone(self.shadows.insert(maps)))
    }
}

fn lamp(frame: &Frame, shadows: &ShadowMaps) -> LampView {
    // Without a floor, that of the lowest shadow caster.
    let height = frame.floor.map_or(frame.bounds.center.y - frame.bounds.radius, |floor| floor.height);
    LampView::new(&frame.bounds, height, Vec3::from(frame.environment.light), shadows.side)
}
