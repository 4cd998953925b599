//! A picture in which only what changed is drawn again equals one that is drawn from scratch, bit for bit.

use crate::render_support;

use fabrik3d::render::{GuiPainter, Headless, Panels, Picture, Renderer, Resolution, Samples, Screen, Targets};
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::hud::{Info, apply_theme, free_area, hud};
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::view::frame::{Frame, Quality};
use fabrik3d_viewer::view::{Display, HeldKeys, LoadedMeshes, Modifiers, Viewer};
use image::RgbaImage;
use std::path::{Path, PathBuf};

/// What users do; scenes that cannot, do not.
const COMMANDS: [&str; 28] = [
    "target.path circle",
    "target.path none",
    "target.random",
    "target.preset 2",
    "target.move 0.1 0.05 0",
    "target.turn 0 15 0",
    "effector.next",
    "effector.all",
    "joint.next",
    "base.toggle",
    "motion.play",
    "camera.orbit 8 3",
    "camera.zoom 1.3",
    "camera.zoom 0.4",
    "camera.projection",
    "camera.fit",
    "theme light",
    "theme dark",
    "font-scale 1.3",
    "show grid off",
    "show reach on",
    "show shadows off",
    "show shadows on",
    "show labels on",
    "show hud off",
    "show hud on",
    "mesh glass",
    "undo",
];

/// The same pictures drawn in two ways.
struct Pair {
    context: Headless,
    renderers: [Renderer; 2],
    painters: [GuiPainter; 2],
    meshes: LoadedMeshes,
    screen: Screen,
}

impl Pair {
    fn new(context: Headless) -> Self {
        let renderer = || Renderer::new(context.context().clone()).expect("a renderer");
        let painter = || GuiPainter::new(context.context()).expect("a painter");
        let screen = Screen::new(context.context(), (64, 64), Samples::One).expect("a picture");
        Pair {
            renderers: [renderer(), renderer()],
            painters: [painter(), painter()],
            meshes: LoadedMeshes::default(),
            screen,
            context,
        }
    }

    /// Draws a viewer; returns the picture that was drawn in part, and the one from scratch.
    fn draw(&mut self, viewer: &mut Viewer, egui: &egui::Context, size: (u32, u32)) -> [RgbaImage; 2] {
        self.draw_at(viewer, egui, size, Resolution::Full)
    }

    fn draw_at(
        &mut self,
        viewer: &mut Viewer,
        egui: &egui::Context,
        (width, height): (u32, u32),
        resolution: Resolution,
    ) -> [RgbaImage; 2] {
        if let Some(meshes) = self.meshes.fresh(viewer.session().scene()) {
            self.renderers.iter_mut().for_each(|renderer| renderer.set_meshes(meshes).expect("meshes"));
        }
        let size = egui::vec2(width as f32, height as f32) / viewer.display().font_scale;
        egui.set_zoom_factor(viewer.display().font_scale);
        apply_theme(egui, viewer.display().theme);
        viewer.set_free_area(free_area(viewer, [size.x.into(), size.y.into()]));
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
            time: Some(viewer.frame as f64 / 60.0),
            ..egui::RawInput::default()
        };
        let info = Info { interactive: true, ..Info::default() };
        let output = egui.run(input, |context| drop(hud(context, viewer, &info, |_| None)));
        let frame = viewer.picture();
        let [screen_renderer, renderer] = &mut self.renderers;
        let [screen_painter, painter] = &mut self.painters;

        let targets = Targets::new(self.context.context(), (width, height), Samples::One).expect("targets");
        renderer.draw(&targets, &frame, Quality::Fast, 1.0).expect("a picture");
        let triangles = egui.tessellate(output.shapes.clone(), output.pixels_per_point);
        painter.paint(&targets, output.pixels_per_point, &triangles, &output.textures_delta).expect("panels");

        self.screen.resize((width, height)).expect("a picture");
        let panels = Panels {
            context: egui,
            shapes: output.shapes,
            textures: &output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        };
        let picture = Picture { frame, quality: Quality::Fast, line_scale: 1.0 };
        self.screen.draw((screen_renderer, screen_painter), picture, panels, resolution).expect("a picture");
        [self.screen.read().expect("pixels"), targets.read().expect("pixels")]
    }
}

/// Where two pictures differ, if they do.
fn difference([parts, whole]: &[RgbaImage; 2]) -> Option<String> {
    if parts.dimensions() != whole.dimensions() {
        return Some(format!("{:?} instead of {:?}", parts.dimensions(), whole.dimensions()));
    }
    let pairs = parts.enumerate_pixels().zip(whole.pixels());
    let wrong: Vec<_> = pairs.filter(|((.., seen), expected)| seen != expected).collect();
    let ((x, y, seen), expected) = wrong.first()?;
    Some(format!("{} pixels, the first at {x}, {y}: {seen:?} instead of {expected:?}", wrong.len()))
}

fn scenes() -> Vec<PathBuf> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let files = |folder: &str| std::fs::read_dir(assets.join(folder)).expect("a folder").flatten();
    let mut paths: Vec<PathBuf> = files("scenes").chain(files("models")).map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml" || extension == "glb"));
    paths.retain(|path| !path.to_string_lossy().ends_with(".limits.toml"));
    paths.sort();
    paths
}

#[test]
fn what_did_not_change_need_not_be_drawn_again() {
    let Some(headless) = render_support::headless() else { return };
    let mut pair = Pair::new(headless);
    for (seed, path) in scenes().iter().enumerate() {
        let name = path.file_name().expect("a name").to_string_lossy();
        let mut random = Random::new(seed as u64);
        let scene = Scene::open(path).expect("the scene reads");
        let mut viewer = Viewer::new(scene, Display::default(), 1.5);
        let egui = egui::Context::default();
        let mut size = (330, 220);
        let _ = viewer.apply("target.path circle".parse::<Command>().expect("a command"));
        let mut history = Vec::new();
        for step in 0..24 {
            // Most changes are followed by frames in which only the figure moves.
            if step % 3 == 2 {
                let command = COMMANDS[random.index(COMMANDS.len())];
                history.push(command);
                if let Ok(command) = command.parse::<Command>() {
                    let _ = viewer.apply(command);
                }
            }
            if step % 8 == 7 {
                size = (300 + random.index(100) as u32, 200 + random.index(60) as u32);
                viewer.resize(f64::from(size.0) / f64::from(size.1));
            }
            viewer.tick(1.0 / 30.0, &mut HeldKeys::default(), Modifiers::default());
            let pictures = pair.draw(&mut viewer, &egui, size);
            if let Some(difference) = difference(&pictures) {
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
                pictures[0].save(folder.join("redraw-parts.png")).expect("written");
                pictures[1].save(folder.join("redraw-whole.png")).expect("written");
                panic!("{name}, frame {step} after {history:?}: {difference}; pictures in {}", folder.display());
            }
        }
    }
}

/// A moving arm costs less than its picture: nothing else is drawn again. Without this, the test above would also pass if
/// everything were drawn again.
#[test]
fn only_the_surroundings_of_what_moves_are_drawn_again() {
    let Some(headless) = render_support::headless() else { return };
    let mut pair = Pair::new(headless);
    let (size, egui) = ((640, 400), egui::Context::default());
    let mut viewer = Viewer::new(fabrik3d::examples::demo(), Display::default(), 1.6);
    for _ in 0..3 {
        pair.draw(&mut viewer, &egui, size);
    }
    assert_eq!(pair.screen.drawn_share(), 0.0, "nothing moves");
    viewer.apply("target.path circle".parse().expect("a command")).expect("carried out");
    let mut shares = Vec::new();
    for _ in 0..60 {
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        pair.draw(&mut viewer, &egui, size);
        shares.push(pair.screen.drawn_share());
    }
    let mean = shares.iter().sum::<f64>() / 60.0;
    assert!(mean > 0.0 && mean < 0.5, "{mean}: {shares:?}");
}

/// Largest accepted mean difference of the channels between a coarse picture and one with all pixels.
const COARSE_MEAN: f64 = 2.0;

#[test]
fn a_hurried_picture_is_coarse_but_similar_and_after_a_moment_exact_again() {
    let Some(headless) = render_support::headless() else { return };
    let mut pair = Pair::new(headless);
    let (size, egui) = ((400, 250), egui::Context::default());
    let mut viewer = Viewer::new(fabrik3d::examples::demo(), Display::default(), 1.6);
    let mut coarse_frames = 0;
    for step in 0..30 {
        if step % 10 < 5 {
            viewer.apply("camera.orbit 3 1".parse().expect("a command")).expect("carried out");
        }
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        let pictures = pair.draw_at(&mut viewer, &egui, size, Resolution::Paced(f64::from(step) / 60.0));
        // As if the machine were very slow.
        pair.screen.took(0.2);
        let pixels = pictures[0].as_raw().iter().zip(pictures[1].as_raw());
        let mean = pixels.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / pictures[1].as_raw().len() as f64;
        assert!(mean <= COARSE_MEAN, "frame {step}: {mean}");
        coarse_frames += u32::from(pair.screen.is_coarse());
    }
    assert!(coarse_frames > 10, "{coarse_frames}");
    let mut frames = 0;
    while pair.screen.is_coarse() {
        frames += 1;
        assert!(frames < 60, "it stays coarse");
        pair.draw_at(&mut viewer, &egui, size, Resolution::Paced(1.0 + f64::from(frames) / 60.0));
    }
    let pictures = pair.draw_at(&mut viewer, &egui, size, Resolution::Paced(3.0));
    assert_eq!(difference(&pictures), None);
}

#[test]
fn a_broken_frame_does_not_spoil_the_next() {
    let Some(headless) = render_support::headless() else { return };
    let mut pair = Pair::new(headless);
    let (size, egui) = ((160, 100), egui::Context::default());
    let mut viewer = Viewer::new(fabrik3d::examples::demo(), Display::default(), 1.6);
    pair.draw(&mut viewer, &egui, size);
    let broken = Frame { meshes: vec![missing_mesh()], ..viewer.picture() };
    let textures = egui::TexturesDelta::default();
    let panels = Panels { context: &egui, shapes: Vec::new(), textures: &textures, pixels_per_point: 1.0 };
    let [renderer, _] = &mut pair.renderers;
    let [painter, _] = &mut pair.painters;
    let picture = Picture { frame: broken, quality: Quality::Fast, line_scale: 1.0 };
    pair.screen.draw((renderer, painter), picture, panels, Resolution::Full).expect_err("there is no such mesh");
    assert_eq!(difference(&pair.draw(&mut viewer, &egui, size)), None);
}

fn missing_mesh() -> fabrik3d_viewer::view::frame::MeshInstance {
    fabrik3d_viewer::view::frame::MeshInstance {
        mesh: 99,
        model: glam::Mat4::IDENTITY,
        color: [255; 4],
        material: render_support::FLAT,
        bones: Vec::new(),
        weights: Vec::new(),
        shadow: true,
        substance: fabrik3d_viewer::view::frame::Substance::Own,
    }
}
