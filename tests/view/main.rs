//! The viewer: pictures as data, keys, pointer and panels.

mod assistive;
mod camera;
mod floor;
mod free_part;
mod hud_layout;
mod key_table;
mod keys;
mod lesson_pictures;
mod pick;
mod race_pictures;
mod random_use;
mod rest;
mod smooth_motion;
mod workspace;

#[path = "../support/example_scenes.rs"]
mod example_scenes;
#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/render.rs"]
mod render_support;
