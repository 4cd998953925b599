//! Prints the milliseconds per frame without a window at 1280x720: an empty floor, an arm, and 10,000 joints with links.
//!
//! `cargo run --release --example frame_times`

#[path = "../tests/support/render.rs"]
mod render_support;

use fabrik3d::render::{Headless, Renderer, Samples, Targets};
use fabrik3d::view::Theme;
use fabrik3d::view::frame::{Frame, Quality};
use glam::Vec3;
use render_support::{arm, empty, many_joints, pedestal, view};
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let headless = Headless::new()?;
    let context = headless.context();
    println!("{} ({})", context.get_opengl_renderer_string(), headless.device());
    let mut renderer = Renderer::new(context.clone())?;
    renderer.set_meshes(&[pedestal()])?;
    let near = view(Vec3::new(2.4, 2.1, 3.4), Vec3::new(-0.3, 0.85, 0.1), 1280.0 / 720.0);
    let far = view(Vec3::new(4.4, 4.6, 6.4), Vec3::new(0.0, 1.9, 0.0), 1280.0 / 720.0);
    let frames: [(&str, Frame); 3] = [
        ("empty", empty(Theme::Dark, near)),
        ("arm", arm(Theme::Dark, near)),
        ("10,000 joints", many_joints(Theme::Dark, far, 10_000)),
    ];
    println!("{:<14} {:>10} {:>10}   (best, median ms)", "frame", "fast", "fine");
    for (name, frame) in &frames {
        print!("{name:<14}");
        for (quality, samples) in [(Quality::Fast, Samples::One), (Quality::Fine, Samples::Four)] {
            let targets = Targets::new(context, (1280, 720), samples)?;
            let mut times = Vec::new();
            let begin = Instant::now();
            while times.len() < 5 || (begin.elapsed() < Duration::from_secs(2) && times.len() < 100) {
                let start = Instant::now();
                renderer.draw(&targets, frame, quality, 1.0)?;
                context.finish();
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
            times.sort_by(f64::total_cmp);
            print!(" {:>5.1} {:>5.1}", times[0], times[times.len() / 2]);
        }
        println!();
    }
    Ok(())
}
