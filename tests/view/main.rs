//! What is shown, as data.

mod hud_layout;
mod key_table;
mod keys;
mod lesson_pictures;
mod pick;
mod race_pictures;
mod rest;

#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/render.rs"]
mod render_support;
