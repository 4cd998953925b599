//! The window, under a virtual X server.

mod desktop;
mod devices;
mod drop;
mod faults;
mod film;
mod keys;
mod life;
mod mouse;
mod pages;
mod scale;

#[path = "../support/golden.rs"]
mod golden_support;
#[path = "../support/pages.rs"]
mod page_support;
#[path = "../support/render.rs"]
mod render_support;
