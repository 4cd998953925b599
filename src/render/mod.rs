//! Rendering with OpenGL 3.3 through glium: [`Renderer`] draws a [`Frame`](fabrik3d_viewer::view::Frame) into [`Targets`], with a
//! window or without one ([`Headless`]).
//!
//! Architecture invariant: nothing here knows scenes, sessions or windows. A frame is the only input.

mod backdrop;
mod canvas;
mod context;
mod damage;
mod error;
mod gui_painter;
mod meshes;
mod pace;
mod program;
mod renderer;
mod scene_block;
mod screen;
#[path = "../../shaders/mod.rs"]
mod shaders;
mod shadow;
mod solids;
mod stored_mesh;
mod targets;
mod tiles;
mod translucent;

pub use context::{Headless, is_software};
pub use error::{DrawError, RenderError};
pub use gui_painter::GuiPainter;
pub use renderer::{Picture, Renderer};
pub use screen::{Panels, Resolution, Screen};
pub use targets::{Samples, Targets};
