//! Spheres and links, ray-cast in their fragment shaders: one draw call per kind.

use super::buffers::{Buffer, Mode};
use super::program::Program;
use crate::gl;
use fabrik3d_viewer::raster::{Camera, Caster, Solid, Sorted, Vertex};

/// All shapes of one kind: casters, other opaque shapes, then translucent shapes from far to near.
pub struct Solids<I> {
    depth: Program,
    lit: Program,
    buffer: Buffer<I>,
    pub casters: usize,
    /// Number of all opaque shapes.
    opaque: usize,
}

impl<I: Vertex> Solids<I> {
    pub fn new(files: [&str; 2], defines: &[&str]) -> Result<Self, String> {
        let depth = Program::new(files, &["DEPTH_ONLY"])?;
        Ok(Solids { depth, lit: Program::new(files, defines)?, buffer: Buffer::new(), casters: 0, opaque: 0 })
    }

    /// Uploads the shapes of a frame; adds those that cast shadows to `casters`.
    pub fn upload<T: Solid<Instance = I>>(&mut self, solids: &[T], camera: &Camera, casters: &mut Vec<Caster>) {
        let sorted = Sorted::new(solids, camera);
        casters.extend(sorted.casters());
        (self.casters, self.opaque) = (sorted.casters().len(), sorted.opaque());
        self.buffer.upload(&sorted.instances().collect::<Vec<_>>(), gl::STREAM_DRAW);
    }

    /// Draws the casters into the shadow map.
    pub fn draw_depth(&self) {
        self.depth.begin();
        self.buffer.draw_quads(&self.depth, 0..self.casters);
    }

    /// Draws the opaque shapes, or the translucent ones.
    pub fn draw(&self, mode: Mode) {
        mode.begin();
        self.lit.begin();
        let range = if mode == Mode::Opaque { 0..self.opaque } else { self.opaque..self.buffer.len };
        self.buffer.draw_quads(&self.lit, range);
    }
}
