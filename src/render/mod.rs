//! Rendering with OpenGL 3.3 through glium: [`Renderer`] draws a [`Frame`](crate::view::Frame) into [`Targets`], with a
//! window or without one ([`Headless`]).
//!
//! Architecture invariant: nothing here knows scenes, sessions or windows. A frame is the only input.

mod backdrop;
mod camera;
mod canvas;
mod context;
mod damage;
mod draw_call;
mod error;
mod extent;
mod gui_painter;
mod layer;
mod lines;
mod mesh_vertex;
mod meshes;
mod pace;
mod picture;
mod program;
mod renderer;
mod scene_block;
mod screen;
mod shadow;
mod simplify;
mod solids;
mod srgb;
mod stored_mesh;
mod stream;
mod targets;
mod textures;
mod tiles;
mod translucent;

pub use context::{Headless, is_software};
pub use error::{DrawError, RenderError};
pub use gui_painter::GuiPainter;
pub use picture::Picture;
pub use renderer::Renderer;
pub use screen::{Panels, Resolution, Screen};
pub use targets::{Samples, Targets};
