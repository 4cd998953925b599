//! A picture with panels that is drawn again and again. Only the pixels that change are drawn.

use super::canvas::Parts;
use super::damage::changed;
use super::error::{DrawError, RenderError};
use super::gui_painter::GuiPainter;
use super::renderer::Renderer;
use super::targets::{Samples, Targets, pixels_of, read, show};
use super::tiles::Tiles;
use crate::view::frame::{Frame, Quality};
use egui::TexturesDelta;
use egui::epaint::ClippedShape;
use glam::Vec2;
use glium::backend::Context;
use glium::framebuffer::SimpleFrameBuffer;
use glium::texture::{MipmapsOption, Texture2d, UncompressedFloatFormat};
use glium::uniforms::MagnifySamplerFilter;
use glium::{Rect, Surface};
use image::RgbaImage;
use std::rc::Rc;

/// Pixels around a shape of a panel for its smoothed edges.
const FEATHER: f32 = 4.0;

/// The picture in a window: a scene and panels over it.
pub struct Screen {
    context: Rc<Context>,
    /// The scene without panels.
    targets: Targets,
    scene: Option<ShownScene>,
    /// The scene with panels.
    composite: Texture2d,
    panels: Option<ShownPanels>,
    /// What is in the composite and must be drawn again in any case.
    stale: Tiles,
    drawn_share: f64,
}

/// What the targets show.
struct ShownScene {
    frame: Frame,
    quality: Quality,
    line_scale: f32,
    meshes: u64,
}

/// What the composite shows over the scene.
struct ShownPanels {
    shapes: Vec<ClippedShape>,
    pixels_per_point: f32,
}

/// Panels, as egui returns them.
pub struct Panels<'a> {
    /// Turns shapes into triangles.
    pub context: &'a egui::Context,
    /// The shapes.
    pub shapes: Vec<ClippedShape>,
    /// Changes of the textures.
    pub textures: &'a TexturesDelta,
    /// Physical pixels per egui point.
    pub pixels_per_point: f32,
}

impl Screen {
    /// A picture of `size` pixels.
    ///
    /// # Errors
    /// If the driver is out of memory.
    pub fn new(context: &Rc<Context>, size: (u32, u32), samples: Samples) -> Result<Self, RenderError> {
        let targets = Targets::new(context, size, samples)?;
        let (width, height) = targets.size();
        let (bytes, flat) = (UncompressedFloatFormat::U8U8U8U8, MipmapsOption::NoMipmap);
        let composite = Texture2d::empty_with_format(context, bytes, flat, width, height)
            .map_err(RenderError::resource("a picture"))?;
        let stale = Tiles::new((width, height));
        Ok(Screen { context: context.clone(), targets, scene: None, composite, panels: None, stale, drawn_share: 0.0 })
    }

    /// Changes the size. A picture of another size shares nothing with this one.
    ///
    /// # Errors
    /// If the driver is out of memory; the old picture stays.
    pub fn resize(&mut self, size: (u32, u32)) -> Result<(), RenderError> {
        if self.targets.differs_from(size) {
            *self = Screen::new(&self.context, size, self.targets.samples())?;
        }
        Ok(())
    }

    /// Draws a frame with panels over it. `line_scale` as `pixels_per_point` of [`Renderer::draw`].
    ///
    /// # Errors
    /// If the driver cannot draw, or the frame refers to missing meshes or bones.
    pub fn draw(
        &mut self,
        (renderer, painter): (&mut Renderer, &mut GuiPainter),
        frame: Frame,
        quality: Quality,
        line_scale: f32,
        panels: Panels<'_>,
    ) -> Result<(), DrawError> {
        // After an error the picture is unknown.
        let (scene, before) = (self.scene.take(), self.panels.take());
        let mut tiles = self.draw_scene(renderer, scene, frame, quality, line_scale)?;
        tiles.add(&self.stale);
        self.stale = Tiles::new(self.targets.size());
        match &before {
            Some(before) if before.pixels_per_point == panels.pixels_per_point => {
                changed(&before.shapes, &panels.shapes, |shape| mark(&mut tiles, shape, panels.pixels_per_point));
            }
            _ => tiles.mark_all(),
        }
        let rectangles = tiles.rectangles();
        self.drawn_share = share(&rectangles, self.targets.size());
        self.copy_scene(&rectangles)?;
        renderer.passed("copy");
        self.paint(painter, &panels, &rectangles)?;
        renderer.passed("panels");
        self.panels = Some(ShownPanels { shapes: panels.shapes, pixels_per_point: panels.pixels_per_point });
        Ok(())
    }

    /// Draws a frame, or what has changed in it, and returns the tiles that may have changed.
    fn draw_scene(
        &mut self,
        renderer: &mut Renderer,
        shown: Option<ShownScene>,
        frame: Frame,
        quality: Quality,
        line_scale: f32,
    ) -> Result<Tiles, DrawError> {
        let meshes = renderer.meshes_version();
        let is_same_way =
            |shown: &ShownScene| (shown.quality, shown.line_scale, shown.meshes) == (quality, line_scale, meshes);
        let tiles = match shown.filter(is_same_way).filter(|_| self.targets.samples() == Samples::One) {
            Some(shown) => renderer.redraw(&self.targets, (&shown.frame, &frame), quality, line_scale)?,
            None => {
                renderer.draw(&self.targets, &frame, quality, line_scale)?;
                let mut all = Tiles::new(self.targets.size());
                all.mark_all();
                all
            }
        };
        self.scene = Some(ShownScene { frame, quality, line_scale, meshes });
        Ok(tiles)
    }

    /// Copies the scene into the composite.
    fn copy_scene(&self, rectangles: &[Rect]) -> Result<(), RenderError> {
        let (scene, composite) = (self.targets.picture()?, self.surface()?);
        for part in rectangles {
            scene.blit_color(part, &composite, &pixels_of(*part), MagnifySamplerFilter::Nearest);
        }
        Ok(())
    }

    /// Paints the parts of panels within these rectangles.
    fn paint(&self, painter: &mut GuiPainter, panels: &Panels<'_>, rectangles: &[Rect]) -> Result<(), DrawError> {
        let (scale, (_, height)) = (panels.pixels_per_point, self.targets.size());
        let is_touched = |shape: &&ClippedShape| {
            extent(shape, scale, height)
                .is_some_and(|(low, high)| rectangles.iter().any(|part| touches(part, low, high)))
        };
        let shapes: Vec<ClippedShape> = panels.shapes.iter().filter(is_touched).cloned().collect();
        let primitives = panels.context.tessellate(shapes, scale);
        painter.paint_parts((&mut self.surface()?, Parts::Only(rectangles)), scale, &primitives, panels.textures)
    }

    /// Paints shapes over the picture until the next one. Their glyphs must already be in the textures.
    ///
    /// # Errors
    /// If the driver cannot draw.
    pub fn paint_once(&mut self, painter: &mut GuiPainter, panels: &Panels<'_>) -> Result<(), DrawError> {
        let mut tiles = Tiles::new(self.targets.size());
        panels.shapes.iter().for_each(|shape| mark(&mut tiles, shape, panels.pixels_per_point));
        self.stale.add(&tiles);
        self.paint(painter, panels, &tiles.rectangles())
    }

    /// Copies the picture to a surface, scaled to fill it.
    ///
    /// # Errors
    /// If the driver cannot read the picture.
    pub fn show(&self, surface: &impl Surface) -> Result<(), RenderError> {
        show(&self.surface()?, surface);
        Ok(())
    }

    /// Share of the pixels that the last picture drew again, for measurements.
    pub fn drawn_share(&self) -> f64 {
        self.drawn_share
    }

    /// Reads the picture, top row first, opaque.
    ///
    /// # Errors
    /// If the driver returns something else.
    pub fn read(&self) -> Result<RgbaImage, DrawError> {
        read(&self.composite)
    }

    fn surface(&self) -> Result<SimpleFrameBuffer<'_>, RenderError> {
        SimpleFrameBuffer::new(&self.context, &self.composite).map_err(RenderError::resource("the picture"))
    }
}

/// Marks the pixels of a shape.
fn mark(tiles: &mut Tiles, shape: &ClippedShape, pixels_per_point: f32) {
    if let Some((low, high)) = extent(shape, pixels_per_point, tiles.size().1) {
        tiles.mark(low, high);
    }
}

/// Bounds of a shape in pixels from the lower left corner; none if it is invisible.
fn extent(shape: &ClippedShape, pixels_per_point: f32, height: u32) -> Option<(Vec2, Vec2)> {
    let bounds = shape.shape.visual_bounding_rect().intersect(shape.clip_rect);
    let (low, high) = (bounds.min.to_vec2() * pixels_per_point, bounds.max.to_vec2() * pixels_per_point);
    let height = height as f32;
    let is_visible = bounds.is_positive() || bounds.min.x <= bounds.max.x && bounds.min.y <= bounds.max.y;
    is_visible.then(|| (Vec2::new(low.x, height - high.y) - FEATHER, Vec2::new(high.x, height - low.y) + FEATHER))
}

fn touches(part: &Rect, low: Vec2, high: Vec2) -> bool {
    let (left, bottom) = (part.left as f32, part.bottom as f32);
    low.x < left + part.width as f32 && high.x > left && low.y < bottom + part.height as f32 && high.y > bottom
}

/// Share of a picture that rectangles cover.
fn share(rectangles: &[Rect], (width, height): (u32, u32)) -> f64 {
    let area = |width: u32, height: u32| f64::from(width) * f64::from(height);
    rectangles.iter().map(|part| area(part.width, part.height)).sum::<f64>() / area(width, height)
}
