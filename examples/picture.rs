//! Renders a sample frame without a window in both themes, to `picture-dark.png` and `picture-light.png`.
//!
//! `cargo run --release --example picture [-- DIRECTORY [fast]]`

#[path = "../tests/support/render.rs"]
mod render_support;

use fabrik3d::render::{Headless, Renderer, Samples, Targets};
use fabrik3d_viewer::view::Theme;
use fabrik3d_viewer::view::frame::Quality;
use glam::Vec3;
use render_support::{arm, pedestal, view};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().map_or(".", String::as_str);
    let (quality, samples) = match arguments.get(1).map(String::as_str) {
        Some("fast") => (Quality::Fast, Samples::One),
        _ => (Quality::Fine, Samples::Four),
    };
    let headless = Headless::new()?;
    let mut renderer = Renderer::new(headless.context().clone())?;
    renderer.set_meshes(&[pedestal()])?;
    let targets = Targets::new(headless.context(), (1280, 720), samples)?;
    let (eye, at) = (Vec3::new(2.5, 2.2, 3.5), Vec3::new(-0.36, 0.9, 0.1));
    for (theme, name) in [(Theme::Dark, "picture-dark.png"), (Theme::Light, "picture-light.png")] {
        renderer.draw(&targets, &arm(theme, view(eye, at, 1280.0 / 720.0)), quality, 1.0)?;
        let path = Path::new(folder).join(name);
        targets.read()?.save(&path)?;
        println!("{}", path.display());
    }
    Ok(())
}
