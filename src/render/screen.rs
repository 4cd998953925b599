//! A picture with panels that is drawn again and again. Only the pixels that change are drawn.

use super::canvas::{Canvas, Parts, surface};
use super::damage::changed;
use super::error::{DrawError, RenderError};
use super::gui_painter::GuiPainter;
use super::pace::Pace;
use super::renderer::{Picture, Renderer};
use super::targets::{Samples, Targets, read, texture};
use super::tiles::Tiles;
use egui::TexturesDelta;
use egui::epaint::ClippedShape;
use glam::Vec2;
use glium::backend::Context;
use glium::framebuffer::SimpleFrameBuffer;
use glium::texture::{Texture2d, UncompressedFloatFormat};
use glium::uniforms::MagnifySamplerFilter;
use glium::{BlitTarget, Rect, Surface};
use image::RgbaImage;
use std::rc::Rc;

/// Pixels around a shape of a panel for its smoothed edges.
const FEATHER: f32 = 4.0;

/// The picture in a window: a scene and panels over it.
pub struct Screen {
    context: Rc<Context>,
    /// The scene without panels, with all pixels.
    sharp: Layer,
    /// The same with fewer pixels, while it moves and all would take too long.
    coarse: Option<Layer>,
    pace: Pace,
    /// Pixels of the last picture of the scene per pixel of the window, in each direction, and the share that was drawn.
    last: (f32, f64),
    /// The scene with panels.
    composite: Texture2d,
    panels: Option<ShownPanels>,
    /// What is in the composite and must be drawn again in any case.
    stale: Tiles,
    drawn_share: f64,
}

/// How many pixels of a scene are drawn. Panels always have all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// All.
    Full,
    /// As many as there is time for while the scene moves. With the present time in seconds.
    Paced(f64),
}

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
        let sharp = Layer::new(context, size, samples)?;
        let size = sharp.targets.size();
        Ok(Screen {
            context: context.clone(),
            sharp,
            coarse: None,
            pace: Pace::default(),
            last: (1.0, 1.0),
            composite: texture(context, UncompressedFloatFormat::U8U8U8U8, size, "a picture")?,
            panels: None,
            stale: Tiles::new(size),
            drawn_share: 0.0,
        })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.sharp.targets.size()
    }

    /// Changes the size. A picture of another size shares nothing with this one but its pace.
    ///
    /// # Errors
    /// If the driver is out of memory; the old picture stays.
    pub fn resize(&mut self, size: (u32, u32)) -> Result<(), RenderError> {
        if self.sharp.targets.differs_from(size) {
            let pace = self.pace;
            *self = Screen { pace, ..Screen::new(&self.context, size, self.sharp.targets.samples())? };
        }
        Ok(())
    }

    /// Draws a picture with panels over it.
    ///
    /// # Errors
    /// If the driver cannot draw, or the frame refers to missing meshes or bones.
    pub fn draw(
        &mut self,
        (renderer, painter): (&mut Renderer, &mut GuiPainter),
        picture: Picture,
        panels: Panels<'_>,
        resolution: Resolution,
    ) -> Result<(), DrawError> {
        // After an error the picture is unknown.
        let before = self.panels.take();
        let mut tiles = self.draw_scene(renderer, picture, resolution)?;
        tiles.add(&self.stale);
        self.stale = Tiles::new(self.size());
        match &before {
            Some(before) if before.pixels_per_point == panels.pixels_per_point => {
                changed(&before.shapes, &panels.shapes, |shape| mark(&mut tiles, shape, panels.pixels_per_point));
            }
            _ => tiles.mark_all(),
        }
        let rectangles = tiles.rectangles();
        self.drawn_share = share(&rectangles, self.size());
        self.copy_scene(renderer, &rectangles)?;
        renderer.passed("copy");
        self.paint(painter, &panels, &rectangles)?;
        renderer.passed("panels");
        self.panels = Some(ShownPanels { shapes: panels.shapes, pixels_per_point: panels.pixels_per_point });
        Ok(())
    }

    /// Draws what has changed in the scene, and returns the tiles of the window that may have changed.
    fn draw_scene(
        &mut self,
        renderer: &mut Renderer,
        mut picture: Picture,
        resolution: Resolution,
    ) -> Result<Tiles, DrawError> {
        let (size, (last_scale, _)) = (self.size(), self.last);
        let line_scale = picture.line_scale;
        let scale = match resolution {
            Resolution::Full => 1.0,
            Resolution::Paced(now) => {
                picture.line_scale = line_scale * last_scale;
                let shown = if last_scale < 1.0 { self.coarse.as_ref() } else { Some(&self.sharp) };
                let tiles = shown.map(|layer| layer.damage(renderer, &picture)).transpose()?;
                self.pace.scale(tiles.map_or(1.0, |tiles| tiles.share()), now)
            }
        };
        picture.line_scale = line_scale * scale;
        let layer = if scale < 1.0 { coarse(&self.context, &mut self.coarse, size, scale)? } else { &mut self.sharp };
        let tiles = layer.damage(renderer, &picture)?;
        self.last = (scale, tiles.share());
        layer.draw(renderer, picture, &tiles)?;
        let mut tiles = if scale < 1.0 { tiles.stretched(size) } else { tiles };
        if scale != last_scale {
            tiles.mark_all();
        }
        Ok(tiles)
    }

    /// Learns how long the last picture took until it was presented, for [`Resolution::Paced`].
    pub fn took(&mut self, seconds: f64) {
        let (scale, share) = self.last;
        self.pace.learn(share, scale, seconds);
    }

    /// Whether the last picture of the scene had fewer pixels than the window. Then the scene must be drawn again until it
    /// has all.
    pub fn is_coarse(&self) -> bool {
        self.last.0 < 1.0
    }

    fn copy_scene(&self, renderer: &Renderer, rectangles: &[Rect]) -> Result<(), DrawError> {
        if let Some(coarse) = self.coarse.as_ref().filter(|_| self.is_coarse()) {
            let mut canvas = Canvas::flat(&self.context, &self.composite, Parts::Only(rectangles))?;
            return renderer.stretch(coarse.targets.texture(), &mut canvas);
        }
        let (scene, composite) = (self.sharp.targets.picture()?, self.surface()?);
        let side = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
        for &part in rectangles {
            let Rect { left, bottom, width, height } = part;
            let target = BlitTarget { left, bottom, width: side(width), height: side(height) };
            scene.blit_color(&part, &composite, &target, MagnifySamplerFilter::Nearest);
        }
        Ok(())
    }

    /// Paints the parts of panels within these rectangles.
    fn paint(&self, painter: &mut GuiPainter, panels: &Panels<'_>, rectangles: &[Rect]) -> Result<(), DrawError> {
        let (scale, (_, height)) = (panels.pixels_per_point, self.size());
        let is_touched = |shape: &&ClippedShape| {
            extent(shape, scale, height)
                .is_some_and(|(low, high)| rectangles.iter().any(|part| touches(part, low, high)))
        };
        let shapes: Vec<ClippedShape> = panels.shapes.iter().filter(is_touched).cloned().collect();
        let primitives = panels.context.tessellate(shapes, scale);
        let mut canvas = Canvas::new(self.surface()?, Parts::Only(rectangles));
        painter.paint_parts(&mut canvas, scale, &primitives, panels.textures)
    }

    /// Paints shapes over the picture until the next one. Their glyphs must already be in the textures.
    ///
    /// # Errors
    /// If the driver cannot draw.
    pub fn paint_once(&mut self, painter: &mut GuiPainter, panels: &Panels<'_>) -> Result<(), DrawError> {
        let mut tiles = Tiles::new(self.size());
        panels.shapes.iter().for_each(|shape| mark(&mut tiles, shape, panels.pixels_per_point));
        self.stale.add(&tiles);
        self.paint(painter, panels, &tiles.rectangles())
    }

    /// Copies the picture to a surface, scaled to fill it.
    ///
    /// # Errors
    /// If the driver cannot read the picture.
    pub fn show(&self, surface: &impl Surface) -> Result<(), RenderError> {
        let is_same = self.size() == surface.get_dimensions();
        let filter = if is_same { MagnifySamplerFilter::Nearest } else { MagnifySamplerFilter::Linear };
        self.surface()?.fill(surface, filter);
        Ok(())
    }

    /// Draws everything again with the next picture.
    pub fn forget(&mut self) {
        self.sharp.shown = None;
        self.coarse = None;
        self.panels = None;
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
        surface(&self.context, &self.composite, "the picture")
    }
}

/// A scene in targets that remember what they show, so that only what changes is drawn again.
struct Layer {
    targets: Targets,
    /// Whether meshes may be simplified.
    simple: bool,
    /// With the version of the renderer's meshes.
    shown: Option<(Picture, u64)>,
}

impl Layer {
    fn new(context: &Rc<Context>, size: (u32, u32), samples: Samples) -> Result<Self, RenderError> {
        Ok(Layer { targets: Targets::new(context, size, samples)?, simple: false, shown: None })
    }

    /// The tiles in which a picture may differ from what is shown.
    fn damage(&self, renderer: &mut Renderer, picture: &Picture) -> Result<Tiles, RenderError> {
        let is_same_way = |(shown, meshes): &&(Picture, u64)| {
            (shown.quality, shown.line_scale, *meshes) == (picture.quality, picture.line_scale, renderer.meshes_version)
        };
        match self.shown.as_ref().filter(is_same_way).filter(|_| self.targets.samples() == Samples::One) {
            Some((shown, _)) => renderer.damage(&self.targets, &shown.frame, picture),
            None => {
                let mut all = Tiles::new(self.targets.size());
                all.mark_all();
                Ok(all)
            }
        }
    }

    /// Draws the tiles of a picture in which it differs from what is shown.
    fn draw(&mut self, renderer: &mut Renderer, picture: Picture, tiles: &Tiles) -> Result<(), DrawError> {
        // After an error, what is shown is unknown.
        self.shown = None;
        renderer.draw_tiles(&self.targets, &picture, (tiles, self.simple))?;
        self.shown = Some((picture, renderer.meshes_version));
        Ok(())
    }
}

/// The layer with fewer pixels, where details may be missing, created if there is none of this scale.
fn coarse<'a>(
    context: &Rc<Context>,
    layer: &'a mut Option<Layer>,
    (width, height): (u32, u32),
    scale: f32,
) -> Result<&'a mut Layer, RenderError> {
    let side = |pixels: u32| (pixels as f32 * scale).ceil().max(1.0) as u32;
    let size = (side(width), side(height));
    let found = match layer.take().filter(|layer| layer.targets.size() == size) {
        Some(known) => known,
        None => Layer { simple: true, ..Layer::new(context, size, Samples::One)? },
    };
    Ok(layer.insert(found))
}

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
