//! Prints what the frames of a moving scene cost, with panels and without a window, if everything is drawn, if only what changed
//! is drawn, and if that is coarse: in software OpenGL the CPU milliseconds of each pass, summed over all threads; on a graphics
//! card, where windows draw finely, the elapsed milliseconds. The last rows are frames without waits between passes.
//!
//! `cargo run --release --example frame_times [WIDTH HEIGHT [SCENE..]]`

use fabrik3d::render::{
    GuiPainter, Headless, Panels, Picture, Renderer, Resolution, Samples, Screen, Targets, is_software,
};
use fabrik3d_scene::{OpenOptions, Scene};
use fabrik3d_viewer::hud::{Info, apply_theme, free_area, hud};
use fabrik3d_viewer::view::frame::Quality;
use fabrik3d_viewer::view::{Display, HeldKeys, LoadedMeshes, Modifiers, Viewer};
use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::Instant;

/// Frames that are measured, after a few that are not.
const FRAMES: u32 = 90;
const FIRST_FRAMES: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (size, scenes) = match &arguments[..] {
        [width, height, scenes @ ..] => ((width.parse()?, height.parse()?), scenes),
        _ => ((1280, 720), &[][..]),
    };
    let headless = Headless::new()?;
    println!("{} ({})", headless.context().get_opengl_renderer_string(), headless.device());
    let measured = if is_software(headless.context()) { "CPU" } else { "elapsed" };
    println!("{} x {} pixels, {measured} ms of each pass", size.0, size.1);
    if scenes.is_empty() {
        for name in ["demo", "crowd"] {
            print_passes(
                &headless,
                name,
                &fabrik3d::examples::open(format!("example:{name}"), &OpenOptions::default())?,
                size,
            )?;
        }
    }
    for path in scenes {
        print_passes(&headless, path, &fabrik3d::examples::open(path, &OpenOptions::default())?, size)?;
    }
    Ok(())
}

fn print_passes(headless: &Headless, name: &str, scene: &Scene, size: (u32, u32)) -> Result<(), Box<dyn Error>> {
    let run = |watched: bool| -> Result<[Run; 3], Box<dyn Error>> {
        let run = |way| passes(headless, scene, size, way, watched);
        Ok([run(Way::Everything)?, run(Way::Changes)?, run(Way::Coarse)?])
    };
    let (columns, unwatched) = (run(true)?, run(false)?);
    println!("\n{name:<30} {:>10} {:>10} {:>10}", "everything", "changes", "coarse");
    let row = |name: &str, ms: &dyn Fn(&Clock) -> f64| {
        let [a, b, c] = [0, 1, 2].map(|k: usize| ms(&columns[k].clock) / f64::from(FRAMES));
        println!("  {name:<28} {a:>10.1} {b:>10.1} {c:>10.1}");
    };
    for (pass, _) in &columns[0].clock.sums {
        row(pass, &|clock| clock.sum(pass));
    }
    row("sum", &|clock| clock.sums.iter().map(|(_, ms)| ms).sum());
    let [a, b, c] = columns.map(|run| 100.0 * run.share);
    println!("  {:<28} {a:>10.0} {b:>10.0} {c:>10.0}", "share of the pixels, %");
    let row = |name: &str, ms: &dyn Fn(&Run) -> f64| {
        let [a, b, c] = unwatched.each_ref().map(ms);
        println!("  {name:<28} {a:>10.1} {b:>10.1} {c:>10.1}");
    };
    row("a frame, elapsed", &|run| run.mean);
    row("the slowest of twenty", &|run| run.slow);
    Ok(())
}

/// How frames are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// All pixels.
    Everything,
    /// The pixels that change.
    Changes,
    /// The pixels that change, at the coarsest resolution, as if the machine were slow.
    Coarse,
}

/// What frames cost.
struct Run {
    clock: Clock,
    /// Mean share of the pixels that were drawn.
    share: f64,
    /// Elapsed milliseconds of a frame: the mean, and the 95th percentile.
    mean: f64,
    slow: f64,
}

/// Runs a scene with its target on a circle, or its motion. If `watched`, each pass waits until it is done.
fn passes(
    headless: &Headless,
    scene: &Scene,
    size: (u32, u32),
    way: Way,
    watched: bool,
) -> Result<Run, Box<dyn Error>> {
    let context = headless.context();
    let (quality, samples) =
        if is_software(context) { (Quality::Fast, Samples::One) } else { (Quality::Fine, Samples::Four) };
    let (mut renderer, mut painter) = (Renderer::new(context.clone())?, GuiPainter::new(context)?);
    let mut screen = Screen::new(context, size, samples)?;
    let window = Targets::new(context, size, Samples::One)?;
    let mut viewer = Viewer::new(scene.clone(), Display::default(), f64::from(size.0) / f64::from(size.1));
    let points = egui::vec2(size.0 as f32, size.1 as f32);
    let motion = if viewer.session().motion().is_some() { "motion.play" } else { "target.path circle" };
    viewer.apply(motion.parse()?)?;
    if let Some(meshes) = LoadedMeshes::default().fresh(viewer.session().scene()) {
        renderer.set_meshes(meshes)?;
    }
    let clock = Rc::new(RefCell::new(Clock::of(context)));
    let (passed, finisher) = (clock.clone(), context.clone());
    if watched {
        renderer.observe(move |pass| {
            finisher.finish();
            passed.borrow_mut().passed(pass);
        });
    }
    let egui = egui::Context::default();
    apply_theme(&egui, viewer.display().theme);
    let (mut share, mut elapsed) = (0.0, Vec::new());
    for frame in 0..FRAMES + FIRST_FRAMES {
        if frame == FIRST_FRAMES {
            (*clock.borrow_mut(), share) = (Clock::of(context), 0.0);
            elapsed.clear();
        }
        let began = Instant::now();
        clock.borrow_mut().restart();
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        clock.borrow_mut().passed("solver");
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, points)),
            time: Some(f64::from(frame) / 60.0),
            ..egui::RawInput::default()
        };
        let info = Info { frame_seconds: Some(0.0166), interactive: true, ..Info::default() };
        let output = egui.run(input, |context| drop(hud(context, &viewer, &info, |_| None)));
        clock.borrow_mut().passed("layout of the panels");
        viewer.set_free_area(free_area(&viewer, [points.x.into(), points.y.into()]));
        let pixels_per_point = output.pixels_per_point;
        let panels =
            Panels { context: &egui, shapes: output.shapes, textures: &output.textures_delta, pixels_per_point };
        let now = f64::from(frame) / 60.0;
        let resolution = if way == Way::Coarse { Resolution::Paced(now) } else { Resolution::Full };
        if way == Way::Everything {
            screen.forget();
        }
        let picture = Picture { frame: viewer.picture(), quality, line_scale: 1.0 };
        screen.draw((&mut renderer, &mut painter), picture, panels, resolution)?;
        screen.took(10.0);
        share += screen.drawn_share() / f64::from(FRAMES);
        screen.show(&window.picture()?)?;
        context.finish();
        clock.borrow_mut().passed("copy to the window");
        elapsed.push(began.elapsed().as_secs_f64() * 1e3);
    }
    elapsed.sort_by(f64::total_cmp);
    let mean = elapsed.iter().sum::<f64>() / elapsed.len() as f64;
    let (clock, slow) = (clock.borrow().clone(), elapsed[elapsed.len() * 19 / 20]);
    Ok(Run { clock, share, mean, slow })
}

/// The time of each pass.
#[derive(Clone)]
struct Clock {
    /// Milliseconds so far.
    now: fn() -> f64,
    last: f64,
    sums: Vec<(&'static str, f64)>,
}

impl Clock {
    /// A clock for CPU time, or for elapsed time if a graphics card draws.
    fn of(context: &Rc<glium::backend::Context>) -> Self {
        let now = if is_software(context) { cpu_ms } else { elapsed_ms };
        Clock { now, last: 0.0, sums: Vec::new() }
    }

    fn restart(&mut self) {
        self.last = (self.now)();
    }

    fn passed(&mut self, name: &'static str) {
        let now = (self.now)();
        let spent = now - self.last;
        self.last = now;
        match self.sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += spent,
            None => self.sums.push((name, spent)),
        }
    }

    fn sum(&self, pass: &str) -> f64 {
        self.sums.iter().find(|(name, _)| *name == pass).map_or(0.0, |(_, ms)| *ms)
    }
}

/// Milliseconds since this function was first called.
fn elapsed_ms() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1e3
}

/// CPU time of all threads of this process so far, milliseconds; 0 where the system does not tell.
fn cpu_ms() -> f64 {
    // Brings the time of this thread up to date.
    std::thread::yield_now();
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanoseconds = |thread: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    threads.flatten().filter_map(nanoseconds).sum::<f64>() * 1e-6
}
