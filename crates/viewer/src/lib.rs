//! The fabrik3d viewer without a window and without OpenGL. A program hands it events, time and files, and shows what it
//! returns: commands and pictures as data.
//!
//! The modules are layers: `forward <- session <- view <- raster <- hud`. None knows winit, glium or clap, and none has files, threads
//! or a clock of its own.

pub mod dropped;
pub mod forward;
pub mod hud;
pub mod page;
pub mod raster;
pub mod session;
pub mod view;

#[cfg(test)]
mod test_scenes;
