//! The order in which the parts of a frame are drawn.

use super::buffers::{Block, Buffer, Mode, Surface, draw_quad};
use super::gui::GuiPainter;
use super::meshes::Meshes;
use super::program::{Program, bind};
use super::shadow::Shadows;
use super::solids::Solids;
use crate::gl::{self, Object, gl};
use egui::{ClippedPrimitive, TexturesDelta};
use fabrik3d_viewer::raster::{
    Camera, CapsuleInstance, Caster, FloorLook, HaloInstance, LampView, Layer, PatchVertex, SceneBlock, Segment,
    SphereInstance, patch_corners, segments,
};
use fabrik3d_viewer::view::frame::{Frame, Mesh, Quality};
use glam::Vec3;

/// The steps of a picture: linear light with depth, and the finished picture of another resolution than the canvas.
struct Targets {
    light: Surface,
    finished: Option<Surface>,
}

/// Lines, translucent surfaces and halos.
struct Translucent {
    line: Program,
    segments: Buffer<Segment>,
    /// Number of segments that other things can hide; the rest are drawn on top.
    in_scene: usize,
    patch: Program,
    patches: Buffer<PatchVertex>,
    halo: Program,
    halos: Buffer<HaloInstance>,
}

/// Draws frames and panels on the canvas of the page.
pub struct Painter {
    spheres: Solids<SphereInstance>,
    capsules: Solids<CapsuleInstance>,
    meshes: Meshes,
    translucent: Translucent,
    shadows: Shadows,
    background: Program,
    floor: Program,
    finish: Program,
    stretch: Program,
    /// As seen from the eye and from the lamp.
    blocks: [Block; 2],
    gui: GuiPainter,
    targets: Option<Targets>,
}

impl Painter {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// The driver rejects one.
    pub fn new(quality: Quality) -> Result<Self, String> {
        gl!(pixelStorei, gl::UNPACK_ALIGNMENT, 1u32);
        let defines: &'static [&'static str] = if quality == Quality::Fine { &["FINE"] } else { &[] };
        Ok(Painter {
            spheres: Solids::new(["sphere.vert", "sphere.frag"], defines)?,
            capsules: Solids::new(["capsule.vert", "capsule.frag"], defines)?,
            meshes: Meshes::new(defines),
            translucent: Translucent {
                line: Program::new(["line.vert", "line.frag"], &[])?,
                segments: Buffer::new(),
                in_scene: 0,
                patch: Program::new(["patch.vert", "patch.frag"], &[])?,
                patches: Buffer::new(),
                halo: Program::new(["halo.vert", "halo.frag"], &[])?,
                halos: Buffer::new(),
            },
            shadows: Shadows::new(quality)?,
            background: Program::new(["screen.vert", "background.frag"], &[])?,
            floor: Program::new(["floor.vert", "floor.frag"], &[])?,
            finish: Program::new(["screen.vert", "finish.frag"], &[])?,
            stretch: Program::new(["screen.vert", "stretch.frag"], &[])?,
            blocks: [Block::new(), Block::new()],
            gui: GuiPainter::new()?,
            targets: None,
        })
    }

    /// Largest side of a texture.
    pub fn largest_texture() -> usize {
        gl!(getParameter, gl::MAX_TEXTURE_SIZE) as usize
    }

    /// Replaces the meshes that frames refer to by index.
    ///
    /// # Errors
    /// The driver rejects a shader that they need.
    pub fn set_meshes(&mut self, meshes: &[Mesh]) -> Result<(), String> {
        self.meshes.store(meshes)
    }

    /// Draws a frame of `size` pixels over a canvas. `pixels_per_point` scales the widths of lines.
    ///
    /// # Errors
    /// The driver cannot draw light.
    pub fn draw(
        &mut self,
        frame: &Frame,
        size: (u32, u32),
        canvas: (u32, u32),
        pixels_per_point: f32,
    ) -> Result<(), String> {
        self.prepare(size, canvas)?;
        let camera = Camera::new(&frame.view, size);
        // Without a floor, that of the lowest shadow caster.
        let height = frame.floor.map_or(frame.bounds.center.y - frame.bounds.radius, |floor| floor.height);
        let light = Vec3::from(frame.environment.light);
        let lamp = LampView::new(&frame.bounds, height, light, self.shadows.side());
        let lamp_block = SceneBlock::new(&lamp.camera, &lamp, frame, 1.0);
        self.blocks[0].write(&SceneBlock::new(&camera, &lamp, frame, pixels_per_point));
        self.blocks[1].write(&lamp_block);
        let casters = self.upload(frame, &camera, pixels_per_point);
        self.blocks[1].bind();
        let things = (&self.spheres, &self.capsules, &mut self.meshes);
        self.shadows.update(frame, (&lamp, lamp_block), casters, things);
        self.blocks[0].bind();
        self.draw_scene(frame, &camera);
        self.show(frame.environment.vignette, canvas);
        Ok(())
    }

    /// Draws panels over the picture on a canvas.
    pub fn draw_panels(
        &mut self,
        canvas: (u32, u32),
        pixels_per_point: f32,
        primitives: &[ClippedPrimitive],
        textures: &TexturesDelta,
    ) {
        self.gui.paint(&Surface::canvas(canvas), pixels_per_point, primitives, textures);
    }

    /// Makes surfaces for a picture of this size, if there are none.
    fn prepare(&mut self, size: (u32, u32), canvas: (u32, u32)) -> Result<(), String> {
        let is_known = |targets: &Targets| targets.light.size == size && targets.finished.is_some() == (size != canvas);
        if self.targets.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        if let Some(old) = self.targets.take() {
            old.light.delete();
            old.finished.inspect(Surface::delete);
        }
        let light = Surface::new(gl::RGBA16F, size, true);
        if !light.is_complete() {
            return Err("the graphics driver cannot draw light in floating-point numbers".to_owned());
        }
        let finished = (size != canvas).then(|| Surface::new(gl::RGBA8, size, false));
        self.targets = Some(Targets { light, finished });
        Ok(())
    }

    fn upload(&mut self, frame: &Frame, camera: &Camera, pixels_per_point: f32) -> Vec<Caster> {
        let mut casters = Vec::new();
        self.spheres.upload(&frame.spheres, camera, &mut casters);
        self.capsules.upload(&frame.capsules, camera, &mut casters);
        let translucent = &mut self.translucent;
        let mut staged = Vec::new();
        segments(frame, false, camera, pixels_per_point, &mut staged);
        translucent.in_scene = staged.len();
        segments(frame, true, camera, pixels_per_point, &mut staged);
        translucent.segments.upload(&staged, gl::STREAM_DRAW);
        translucent.patches.upload(&patch_corners(&frame.patches).collect::<Vec<_>>(), gl::STREAM_DRAW);
        self.meshes.mix(&frame.meshes);
        translucent.halos.upload(&frame.halos.iter().map(HaloInstance::from).collect::<Vec<_>>(), gl::STREAM_DRAW);
        casters
    }

    /// Draws opaque things, then the backdrop, then translucent things, far to near within each kind.
    fn draw_scene(&mut self, frame: &Frame, camera: &Camera) {
        let Some(targets) = &self.targets else { return };
        bind("light_map", Object::NONE);
        targets.light.begin();
        self.shadows.bind();
        Mode::Opaque.begin();
        gl!(clear, gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
        self.spheres.draw(Mode::Opaque);
        self.capsules.draw(Mode::Opaque);
        self.meshes.draw(&frame.meshes, camera, Layer::Opaque);
        self.draw_backdrop(frame);
        self.translucent.draw_lines(false);
        self.meshes.draw(&frame.meshes, camera, Layer::Translucent);
        self.spheres.draw(Mode::Translucent);
        self.capsules.draw(Mode::Translucent);
        self.translucent.draw_patches();
        self.translucent.draw_halos(frame.environment.glowing, Mode::Translucent);
        self.meshes.draw(&frame.meshes, camera, Layer::Glass);
        self.translucent.draw_halos(frame.environment.glowing, Mode::Obstructed);
        self.translucent.draw_lines(true);
    }

    /// Draws background and floor, after the opaque things, so that only visible pixels are shaded.
    fn draw_backdrop(&self, frame: &Frame) {
        let floor = FloorLook::of(frame);
        let is_opaque = floor.is_some_and(|floor| floor.opacity >= 1.0);
        if let Some(floor) = floor.filter(|_| is_opaque) {
            self.draw_floor(&floor, Mode::Opaque);
        }
        Mode::Opaque.begin();
        self.background.begin();
        draw_quad();
        if let Some(floor) = floor.filter(|_| !is_opaque) {
            self.draw_floor(&floor, Mode::Translucent);
        }
    }

    fn draw_floor(&self, look: &FloorLook, mode: Mode) {
        mode.begin();
        self.floor.begin();
        let FloorLook { disc, tint, grid, axis_x, axis_z, pattern, .. } = look;
        let uniforms = [
            ("disc", disc),
            ("tint", tint),
            ("grid", grid),
            ("axis_x", axis_x),
            ("axis_z", axis_z),
            ("pattern", pattern),
        ];
        uniforms.into_iter().for_each(|(name, numbers)| self.floor.set(name, numbers));
        draw_quad();
    }

    /// Converts light to the finished picture on the canvas.
    fn show(&self, vignette: f32, canvas: (u32, u32)) {
        let Some(targets) = &self.targets else { return };
        let canvas = Surface::canvas(canvas);
        Mode::Flat.begin();
        targets.finished.unwrap_or(canvas).begin();
        self.finish.begin();
        bind("light_map", targets.light.texture);
        self.finish.set("vignette", &[vignette]);
        draw_quad();
        if let Some(finished) = targets.finished {
            canvas.begin();
            self.stretch.begin();
            bind("image", finished.texture);
            self.stretch.set("pixel", &[1.0 / canvas.size.0 as f32, 1.0 / canvas.size.1 as f32]);
            draw_quad();
            bind("image", Object::NONE);
        }
    }
}

impl Translucent {
    /// Draws the lines that other things can hide, or those in front of everything.
    fn draw_lines(&self, on_top: bool) {
        if on_top {
            Mode::Overlay.begin()
        } else {
            Mode::Translucent.begin()
        }
        self.line.begin();
        let range = if on_top { self.in_scene..self.segments.len } else { 0..self.in_scene };
        self.segments.draw_quads(&self.line, range);
    }

    fn draw_patches(&self) {
        Mode::Translucent.begin();
        self.patch.begin();
        self.patches.draw_triangles(&self.patch);
    }

    /// Draws one part of the halos: what is visible, or what something hides, with the spheres inside. `glowing` halos add
    /// light, others are blended.
    fn draw_halos(&self, glowing: bool, mode: Mode) {
        mode.begin();
        self.halo.begin();
        self.halo.set("painted", &[if glowing { 0.0 } else { 1.0 }]);
        self.halo.set("hidden", &[if mode == Mode::Obstructed { 1.0 } else { 0.0 }]);
        self.halos.draw_quads(&self.halo, 0..self.halos.len);
    }
}
