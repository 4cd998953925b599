//! The fabrik3d viewer in a browser: one module of WebAssembly behind a page (`page/`).
//!
//! [`app`] is what `src/app` is for the window: events become commands, and time comes from the page. [`painter`] draws with
//! WebGL 2. [`exports`] and [`page`] are where they meet the page; [`messages`] is what the two tell each other.

mod app;
#[path = "../../../src/examples.rs"]
#[expect(dead_code, reason = "the program reads the titles only")]
mod examples;
mod exports;
mod files;
mod gl;
mod gl_argument;
mod input;
mod messages;
mod pace;
mod page;
mod painter;
