//! Draws frames with WebGL 2: what the program's `src/render` draws, by the same shaders, without what only a window needs.

mod buffers;
mod gui;
mod meshes;
#[expect(clippy::module_inception, reason = "the file holds the type, the folder what it does")]
mod painter;
mod program;
#[path = "../../../../shaders/mod.rs"]
mod shaders;
mod shadow;
mod solids;

pub use painter::Painter;
