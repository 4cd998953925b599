//! Prints what a picture costs: CPU milliseconds of each pass, summed over all threads, at the quality for software OpenGL,
//! and milliseconds of the whole picture at both qualities. Without a window.
//!
//! `cargo run --release --example frame_times [WIDTH HEIGHT]`

#[path = "../tests/support/render.rs"]
mod render_support;

use fabrik3d::render::{Headless, Renderer, Samples, Targets};
use fabrik3d::view::Theme;
use fabrik3d::view::frame::{Frame, Quality};
use glam::Vec3;
use render_support::{arm, empty, many_joints, pedestal, view};
use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let sides: Vec<u32> = std::env::args().skip(1).map(|side| side.parse()).collect::<Result<_, _>>()?;
    let size = if let [width, height] = sides[..] { (width, height) } else { (1280, 720) };
    let headless = Headless::new()?;
    let context = headless.context();
    println!("{} ({}), {} x {}", context.get_opengl_renderer_string(), headless.device(), size.0, size.1);
    let mut renderer = Renderer::new(context.clone())?;
    renderer.set_meshes(&[pedestal()])?;
    let aspect = size.0 as f32 / size.1 as f32;
    let near = view(Vec3::new(2.4, 2.1, 3.4), Vec3::new(-0.3, 0.85, 0.1), aspect);
    let far = view(Vec3::new(4.4, 4.6, 6.4), Vec3::new(0.0, 1.9, 0.0), aspect);
    let frames: [(&str, Frame); 3] = [
        ("empty", empty(Theme::Dark, near)),
        ("arm", arm(Theme::Dark, near)),
        ("10,000 joints", many_joints(Theme::Dark, far, 10_000)),
    ];

    println!("\n{:<14} {:>10} {:>10}   (best, median ms)", "frame", "fast", "fine");
    for (name, frame) in &frames {
        print!("{name:<14}");
        for (quality, samples) in [(Quality::Fast, Samples::One), (Quality::Fine, Samples::Four)] {
            let targets = Targets::new(context, size, samples)?;
            let mut times = repeat(|| {
                renderer.draw(&targets, frame, quality, 1.0)?;
                context.finish();
                Ok(())
            })?;
            times.sort_by(f64::total_cmp);
            print!(" {:>5.1} {:>5.1}", times[0], times[times.len() / 2]);
        }
        println!();
    }

    println!("\nCPU ms of each pass at the fast quality");
    let targets = Targets::new(context, size, Samples::One)?;
    for (name, frame) in &frames {
        let clock = Rc::new(RefCell::new(Clock::default()));
        let (passed, finisher) = (clock.clone(), context.clone());
        renderer.observe(move |pass| {
            finisher.finish();
            passed.borrow_mut().passed(pass);
        });
        let pictures = repeat(|| {
            clock.borrow_mut().last = cpu_ms();
            Ok(renderer.draw(&targets, frame, Quality::Fast, 1.0)?)
        })?;
        let parts: Vec<String> = clock.borrow().mean(pictures.len());
        println!("{name:<14} {}", parts.join(", "));
    }
    Ok(())
}

/// Times of repeated work, milliseconds; about two seconds in all.
fn repeat(mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<Vec<f64>, Box<dyn Error>> {
    let (mut times, begin) = (Vec::new(), Instant::now());
    while times.len() < 5 || (begin.elapsed() < Duration::from_secs(2) && times.len() < 100) {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// CPU time of each pass.
#[derive(Default)]
struct Clock {
    last: f64,
    sums: Vec<(&'static str, f64)>,
}

impl Clock {
    fn passed(&mut self, name: &'static str) {
        let now = cpu_ms();
        let spent = now - self.last;
        self.last = now;
        match self.sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += spent,
            None => self.sums.push((name, spent)),
        }
    }

    fn mean(&self, pictures: usize) -> Vec<String> {
        self.sums.iter().map(|(name, sum)| format!("{name} {:.1}", sum / pictures as f64)).collect()
    }
}

/// CPU time of all threads of this process so far, milliseconds; 0 where the system does not tell.
fn cpu_ms() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanoseconds = |thread: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    threads.flatten().filter_map(nanoseconds).sum::<f64>() * 1e-6
}
