//! A small picture of every mode of the viewer, compared with those in `tests/golden/gallery`. `UPDATE_GOLDEN=1` rewrites
//! them; then look at them, for example with `montage tests/golden/gallery/*.png -tile 6x -geometry +2+2 sheet.png`.

use crate::golden_support;
use crate::render_support;

use fabrik3d::render::{GuiPainter, Headless, Renderer, Samples, Targets};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::hud::{Info, Toasts, apply_theme, hud};
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::session::{Command, Host};
use fabrik3d_viewer::view::frame::Quality;
use fabrik3d_viewer::view::{Display, HeldKeys, LoadedMeshes, Modifiers, Viewer};
use golden_support::compare;
use image::RgbaImage;
use image::imageops::{FilterType, resize};
use render_support::headless;
use std::cell::Cell;

/// One picture: its name, its scene, its framing, and a script of commands with the seconds that pass after each (`0.5`
/// between commands waits as well).
struct Shot {
    name: &'static str,
    scene: &'static str,
    frame: Framing,
    words: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Framing {
    /// The scene alone, as with `--no-hud`.
    Bare,
    /// With the panels of a window.
    Panels,
    /// With the panels of an 800 by 600 window with text of double size.
    Small,
}

impl Framing {
    /// Size in points, rendered pixels per point, and pixels of the golden picture per point.
    fn size(self) -> ([u32; 2], u32, f32) {
        match self {
            Framing::Bare => ([320, 180], 2, 1.0),
            Framing::Panels => ([1280, 720], 1, 0.375),
            Framing::Small => ([400, 300], 2, 0.8),
        }
    }
}

const fn bare(name: &'static str, scene: &'static str, words: &'static [&'static str]) -> Shot {
    Shot { name, scene, frame: Framing::Bare, words }
}

const fn panels(name: &'static str, scene: &'static str, words: &'static [&'static str]) -> Shot {
    Shot { name, scene, frame: Framing::Panels, words }
}

const fn small(name: &'static str, scene: &'static str, words: &'static [&'static str]) -> Shot {
    Shot { name, scene, frame: Framing::Small, words }
}

/// The pictures of a group are made in one test, so that groups run in parallel.
const LOOKS: &[Shot] = &[
    bare("links-bones", "crane", &["rest"]),
    bare("links-capsules", "crane", &["links.next", "rest"]),
    bare("links-lines", "crane", &["links.next", "links.next", "rest"]),
    bare("light", "demo", &["theme light", "rest"]),
    bare("axes-without-grid", "demo", &["show axes on", "show grid off", "rest"]),
    bare("limits-of-a-ball", "human-arm", &["joint.select shoulder", "rest"]),
    bare("limits-of-a-hinge", "human-arm", &["theme light", "joint.select elbow", "rest"]),
    bare("joints-at-limits", "hand", &["target.set index 0 -0.5 0.5", "rest"]),
    bare("trails", "demo", &["target.path circle", "4"]),
    bare("passes", "demo", &["rest", "show passes on", "target.preset 3", "0.25"]),
    bare("passes-light", "demo", &["theme light", "rest", "passes.iterations 3", "target.preset 5", "0.3"]),
    bare("reach-with-dead-zone", "crane", &["show reach on", "rest"]),
    bare("reach-light", "seed-arm", &["theme light", "show reach on", "rest"]),
    bare("reach-of-a-floating-figure", "humanoid", &["show reach on", "base.toggle", "rest"]),
    bare("no-shadows", "demo", &["theme light", "show shadows off", "rest"]),
    bare("obstacles", "obstacles", &["rest"]),
    bare("keep-clear", "keep-clear", &["rest"]),
    bare("keep-clear-light", "keep-clear", &["theme light", "target.preset 2", "rest"]),
    bare("chains", "spider", &["theme light", "rest"]),
    bare("crowd", "crowd", &["rest"]),
    bare("dense", "tentacle", &["rest"]),
    bare("loops", "four-bar", &["rest"]),
    bare("humanoid", "humanoid", &["theme light", "rest"]),
    bare("orthographic", "demo", &["camera.projection", "rest"]),
    bare("view-front", "demo", &["camera.view front", "rest"]),
    bare("view-back", "demo", &["camera.view back", "rest"]),
    bare("view-right", "demo", &["camera.view right", "rest"]),
    bare("view-left", "demo", &["camera.view left", "rest"]),
    bare("view-top", "demo", &["camera.view top", "rest"]),
    bare("view-bottom", "demo", &["camera.view bottom", "rest"]),
    bare("view-iso", "demo", &["camera.view iso", "rest"]),
    bare("gizmo-moves", "demo", &["rest", "camera.frame selected", "camera.zoom 1.2", "rest"]),
    bare("gizmo-turns", "robot-arm", &["theme light", "rest"]),
    bare("free-turn", "robot-arm", &["effector.spin gripper y", "rest"]),
    bare(
        "look-at-a-point",
        "robot-arm",
        &["theme light", "effector.spin gripper y", "target.look_at 1 0.4 0.6", "rest"],
    ),
    bare("open-line", "robot-arm", &["theme light", "effector.slack gripper 1e9 0 0", "rest"]),
    bare("open-plane", "robot-arm", &["effector.spin gripper y", "effector.slack gripper 1e9 0 1e9", "rest"]),
    bare("open-box", "robot-arm", &["effector.slack gripper 0.3 0.1 0.2", "rest"]),
    bare("too-far", "demo", &["theme light", "target.set 3 2 0", "rest"]),
];

const SKINS: &[Shot] = &[
    bare("skin", "tube.glb", &["target.set 0.7 1.5 0.5", "rest"]),
    bare("skin-light", "tube.glb", &["theme light", "target.set 0.7 1.5 0.5", "rest"]),
    bare("skin-xray", "tube.glb", &["show meshes xray", "target.set 0.7 1.5 0.5", "rest"]),
    bare("skin-xray-light", "tube.glb", &["theme light", "show meshes xray", "target.set 0.7 1.5 0.5", "rest"]),
    bare("skin-none", "tube.glb", &["show meshes off", "target.set 0.7 1.5 0.5", "rest"]),
    bare("links-solid", "arm.urdf", &["rest"]),
    bare("links-xray", "arm.urdf", &["theme light", "toggle meshes", "rest"]),
    panels("skin-lesson", "arm.urdf", &["method accelerated", "target.set 0.35 0.3 0.3", "rest", "step.to 4", "rest"]),
];

const MODES: &[Shot] = &[
    panels("plain", "demo", &["rest"]),
    panels("plain-light", "humanoid", &["theme light", "rest"]),
    panels("side-panel-closed", "rope", &["show panel off", "rest"]),
    panels("joint-panel", "human-arm", &["show panel on", "joint.select shoulder", "rest"]),
    panels(
        "solver-panel",
        "human-arm",
        &["show panel on", "panel.section error off", "panel.section target off", "panel.section solver on", "rest"],
    ),
    panels("profiler", "demo", &["show profiler on", "rest"]),
    panels("names", "hand", &["show hud off", "show names on", "rest"]),
    panels("names-light", "humanoid", &["theme light", "show hud off", "show names on", "rest"]),
    panels("help", "demo", &["show help on", "rest"]),
    panels("out-of-sight", "hexapod", &["rest", "camera.zoom 1.9", "rest"]),
    panels("lesson-start", "seed-arm", &["method textbook", "rest", "step.to 0", "rest"]),
    panels("lesson-backward", "seed-arm", &["method textbook", "rest", "target.preset 2", "rest", "step.to 3", "rest"]),
    panels("lesson-forward", "seed-arm", &["method textbook", "rest", "target.preset 2", "rest", "step.to 6", "rest"]),
    panels(
        "lesson-aims-ahead",
        "seed-arm",
        &["method accelerated", "rest", "target.preset 2", "rest", "step.to 9", "rest"],
    ),
    panels(
        "lesson-passes",
        "seed-arm",
        &["theme light", "rest", "target.preset 2", "rest", "step.unit pass", "step.to 2", "rest"],
    ),
    panels(
        "lesson-tree",
        "tree",
        &["step.unit joint", "method textbook", "rest", "target.random", "rest", "step.to 11", "rest"],
    ),
    panels("lesson-limits", "human-arm", &["step.unit joint", "rest", "target.preset 2", "rest", "step.to 5", "rest"]),
    panels("race-2", "demo", &["target.preset 2", "race accelerated ccd", "1.5"]),
    panels("race-3", "demo", &["target.preset 2", "theme light", "race accelerated textbook ccd", "1.5"]),
    panels("race-4", "demo", &["target.preset 2", "race accelerated textbook ccd dls", "1.5"]),
    panels("race-idle", "arm.urdf", &["rest", "race accelerated textbook ccd dls", "rest"]),
    panels(
        "race-figures",
        "humanoid",
        &["theme light", "target.preset 2", "race accelerated ccd dls jacobian-transpose", "1.5"],
    ),
    panels("race-reach", "robot-arm", &["target.preset 2", "show reach on", "race accelerated ccd", "1.5"]),
    panels("motion-shown", "two-joints.bvh", &["motion.play", "0.1"]),
    panels("motion-followed", "two-joints.bvh", &["theme light", "motion.mode follow", "motion.play", "0.1"]),
    small("small-plain", "human-arm", &["rest"]),
    small("small-side-panel", "human-arm", &["show panel on", "rest"]),
    small("small-lesson", "seed-arm", &["method textbook", "rest", "target.preset 2", "rest", "step.to 3", "rest"]),
    small("small-race", "demo", &["target.preset 2", "theme light", "race accelerated textbook ccd dls", "1.5"]),
    small("small-help", "demo", &["theme light", "show help on", "rest"]),
];

/// Levels per channel that golden pictures keep: the dithering of the background would only make the files large.
const STEP: u8 = 12;

struct Studio {
    context: Headless,
    renderer: Renderer,
    meshes: LoadedMeshes,
}

impl Studio {
    fn new(context: Headless) -> Self {
        let renderer = Renderer::new(context.context().clone()).expect("a renderer");
        Studio { context, renderer, meshes: LoadedMeshes::default() }
    }

    fn take(&mut self, shot: &Shot) -> RgbaImage {
        let ([width, height], _, _) = shot.frame.size();
        let folder = if shot.scene.contains('.') { "models/" } else { "scenes/" };
        let extension = if shot.scene.contains('.') { "" } else { ".toml" };
        let path = format!("{}/assets/{folder}{}{extension}", env!("CARGO_MANIFEST_DIR"), shot.scene);
        let scene = Scene::open(path).expect("the scene reads");
        let display = Display::default().with(Show::Hud, shot.frame != Framing::Bare);
        let mut viewer = Viewer::new(scene, display, f64::from(width) / f64::from(height))
            .with_host(Host { now: a_clock, ..Host::default() });
        let size = [f64::from(width), f64::from(height)];
        for words in shot.words {
            viewer.set_free_area(fabrik3d_viewer::hud::free_area(&viewer, size));
            match words.parse() {
                Ok(seconds) => pass(&mut viewer, seconds),
                Err(_) if *words == "rest" => pass(&mut viewer, f64::INFINITY),
                Err(_) => {
                    let command = words.parse::<Command>().unwrap_or_else(|error| panic!("{}: {error}", shot.name));
                    let left = viewer.apply(command).unwrap_or_else(|error| panic!("{}: {error}", shot.name));
                    assert_eq!(left, None, "{}: `{words}` is for the program around", shot.name);
                }
            }
        }
        self.draw(&viewer, shot.frame)
    }

    fn draw(&mut self, viewer: &Viewer, frame: Framing) -> RgbaImage {
        let ([width, height], scale, kept) = frame.size();
        let context = self.context.context();
        let targets = Targets::new(context, (width * scale, height * scale), Samples::One).expect("targets");
        if let Some(meshes) = self.meshes.fresh(viewer.session().scene()) {
            self.renderer.set_meshes(meshes).expect("meshes");
        }
        self.renderer.draw(&targets, &viewer.picture(), Quality::Fast, scale as f32).expect("a picture");
        let mut painter = GuiPainter::new(context).expect("a painter");
        let egui = egui::Context::default();
        apply_theme(&egui, viewer.display().theme);
        let info = Info {
            toasts: Toasts::default().list().to_vec(),
            renderer: "a renderer".to_owned(),
            frame_seconds: Some(0.0166),
            draw_seconds: 0.0123,
            interactive: true,
            ..Info::default()
        };
        let mut output = egui::FullOutput::default();
        for pass in 0..3 {
            let screen = egui::vec2(width as f32, height as f32);
            let mut input = egui::RawInput {
                screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, screen)),
                time: Some(f64::from(pass)),
                ..egui::RawInput::default()
            };
            let viewport = input.viewports.entry(egui::ViewportId::ROOT).or_default();
            viewport.native_pixels_per_point = Some(scale as f32);
            output.append(egui.run(input, |context| drop(hud(context, viewer, &info, |_| None))));
        }
        let shapes = egui.tessellate(output.shapes, output.pixels_per_point);
        painter.paint(&targets, output.pixels_per_point, &shapes, &output.textures_delta).expect("panels");
        let picture = targets.read().expect("pixels");
        let side = |points: u32| (points as f32 * kept) as u32;
        let mut small = resize(&picture, side(width), side(height), FilterType::Triangle);
        small.pixels_mut().flat_map(|pixel| &mut pixel.0[..3]).for_each(|channel| *channel = rounded(*channel));
        small
    }
}

/// A clock by which everything takes 27.6 us.
fn a_clock() -> f64 {
    thread_local!(static CALLS: Cell<u32> = const { Cell::new(0) });
    27.6e-6 * f64::from(CALLS.replace(CALLS.get() + 1))
}

fn rounded(channel: u8) -> u8 {
    ((u16::from(channel) + u16::from(STEP) / 2) / u16::from(STEP) * u16::from(STEP)).min(255) as u8
}

/// Lets these seconds pass, or the time until nothing moves.
fn pass(viewer: &mut Viewer, seconds: f64) {
    let mut time = 0.0;
    while time + 1e-9 < seconds.min(20.0) && (seconds.is_finite() || time == 0.0 || viewer.is_moving()) {
        viewer.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
        time += 1.0 / 60.0;
    }
}

fn look_as_they_did(shots: &[Shot]) {
    let Some(context) = headless() else { return };
    let mut studio = Studio::new(context);
    let complaints: Vec<String> =
        shots.iter().filter_map(|shot| compare(&studio.take(shot), &format!("gallery/{}.png", shot.name))).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn scenes_match_their_golden_pictures() {
    look_as_they_did(LOOKS);
}

#[test]
fn bodies_match_their_golden_pictures() {
    look_as_they_did(SKINS);
}

#[test]
fn panels_match_their_golden_pictures() {
    look_as_they_did(MODES);
}
