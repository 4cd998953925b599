//! Pictures rendered without a window.

mod driver;
mod files;
mod gallery;
mod geometry;
mod golden;
mod morphs;
mod pictures;
mod redraw;

#[path = "../support/golden.rs"]
mod golden_support;
#[path = "../support/render.rs"]
mod render_support;
#[path = "../support/program.rs"]
mod support;
