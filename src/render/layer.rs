//! A scene in targets that remember what they show, so that only what changes is drawn again.

use super::error::{DrawError, RenderError};
use super::picture::Picture;
use super::renderer::Renderer;
use super::targets::{Samples, Targets};
use super::tiles::Tiles;
use glium::backend::Context;
use std::rc::Rc;

/// Targets and what they show.
pub(crate) struct Layer {
    pub(crate) targets: Targets,
    /// Whether meshes may be simplified.
    simple: bool,
    /// With the version of the renderer's meshes.
    shown: Option<(Picture, u64)>,
}

impl Layer {
    pub(crate) fn new(context: &Rc<Context>, size: (u32, u32), samples: Samples) -> Result<Self, RenderError> {
        Ok(Layer { targets: Targets::new(context, size, samples)?, simple: false, shown: None })
    }

    /// A layer with fewer pixels than are seen, where details may be missing.
    pub(crate) fn coarse(context: &Rc<Context>, size: (u32, u32)) -> Result<Self, RenderError> {
        Ok(Layer { simple: true, ..Layer::new(context, size, Samples::One)? })
    }

    /// The picture must be drawn from scratch.
    pub(crate) fn forget(&mut self) {
        self.shown = None;
    }

    /// The tiles in which a picture may differ from what is shown.
    pub(crate) fn damage(&self, renderer: &mut Renderer, picture: &Picture) -> Result<Tiles, RenderError> {
        let is_same_way = |(shown, meshes): &&(Picture, u64)| {
            (shown.quality, shown.line_scale, *meshes)
                == (picture.quality, picture.line_scale, renderer.meshes_version())
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
    pub(crate) fn draw(&mut self, renderer: &mut Renderer, picture: Picture, tiles: &Tiles) -> Result<(), DrawError> {
        // After an error, what is shown is unknown.
        self.shown = None;
        renderer.draw_tiles(&self.targets, &picture, (tiles, self.simple))?;
        self.shown = Some((picture, renderer.meshes_version()));
        Ok(())
    }
}
