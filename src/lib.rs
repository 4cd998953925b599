//! The program `fabrik3d`: a viewer, a renderer of pictures and films, and a command line for inverse kinematics.
//!
//! The solver is the crate `fabrik3d-ik`, files are `fabrik3d-scene`, measurements `fabrik3d-measure`. The folders here
//! are the layers of the program. Each may use only those to its left:
//! `solve <- session <- view <- render <- hud <- {app, record} <- cli`. ARCHITECTURE.md has the map.

pub mod app;
pub mod cli;
pub mod hud;
pub mod record;
pub mod render;
pub mod session;
pub mod solve;
pub mod view;

/// The examples of the texts are compiled and run with the tests.
#[cfg(doctest)]
mod texts {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/library.md")]
    struct Library;
}
