//! The program `fabrik3d`: a viewer, a renderer of pictures and films, and a command line for inverse kinematics.
//!
//! The solver is the crate `fabrik3d-ik`, files are `fabrik3d-scene`, the viewer without a window `fabrik3d-viewer`,
//! measurements `fabrik3d-measure`. The folders here are the layers of the program. Each may use only those to its left:
//! `{examples, host, solve, render} <- record <- app <- cli`. ARCHITECTURE.md has the map.

pub mod app;
pub mod cli;
pub mod examples;
pub mod host;
pub mod record;
pub mod render;
pub mod solve;

/// The examples of the texts are compiled and run with the tests.
#[cfg(doctest)]
mod texts {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/library.md")]
    struct Library;
}
