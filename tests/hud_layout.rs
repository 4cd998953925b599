//! The panels stay inside the picture and off each other, whatever the size of picture and text, in both themes.
#![cfg(feature = "viewer")]

use egui::{Pos2, Rect, vec2};
use fabrik3d::hud::{Info, Toasts, apply_theme, hud};
use fabrik3d::scene::Scene;
use fabrik3d::session::Command;
use fabrik3d::session::command::{Show, Theme};
use fabrik3d::view::{Display, HeldKeys, Modifiers, Stage};

/// A picture in which everything that can be open is.
fn rects(
    scene: Scene,
    commands: &[&str],
    size: egui::Vec2,
    zoom: f32,
    theme: Theme,
    help: bool,
) -> (Rect, Vec<(&'static str, Rect)>) {
    let display = Display::default().with(Show::Panel, true).with(Show::Profiler, true).with(Show::Help, help);
    let mut stage = Stage::new(scene, display, f64::from(size.x / size.y));
    for command in commands {
        stage.apply(command.parse::<Command>().expect("a command")).expect("can be done");
    }
    for _ in 0..90 {
        stage.tick(1.0 / 60.0, &mut HeldKeys::default(), Modifiers::default());
    }
    let mut toasts = Toasts::default();
    toasts.failed("arm.toml: line 3: this sentence is about as long as an error of a scene file gets, with its advice");
    let info = Info {
        toasts: toasts.list().to_vec(),
        renderer: "llvmpipe (LLVM 19.1.7, 256 bits)".into(),
        recent: (0..8).map(|k| format!("/home/somebody/scenes/a rather long name {k}.toml").into()).collect(),
        frame_seconds: Some(0.016),
        interactive: true,
        ..Info::default()
    };
    let context = egui::Context::default();
    apply_theme(&context, theme);
    let whole = Rect::from_min_size(Pos2::ZERO, size / zoom);
    for pass in 0..4 {
        let input =
            egui::RawInput { screen_rect: Some(whole), time: Some(f64::from(pass) * 0.1), ..egui::RawInput::default() };
        let _ = context.run(input, |context| drop(hud(context, &stage, &info, |_| None)));
    }
    let visible = context.memory(|memory| memory.areas().visible_layer_ids());
    let names = ["status", "panel", "panel-tab", "profiler", "toasts", "help"];
    let shown = names.into_iter().filter_map(|name| {
        let id = egui::Id::new(name);
        let rect = context.memory(|memory| memory.area_rect(id))?;
        visible.iter().any(|layer| layer.id == id).then_some((name, rect))
    });
    (whole, shown.collect())
}

#[test]
fn panels_stay_inside_the_picture_and_off_each_other() {
    let posed = &["joint.next", "target.rotation toggle", "target.set 100 0 0"][..];
    let playing = &["joint.next", "motion.mode follow", "motion.play"][..];
    let scenes = [
        (Scene::demo(), posed),
        (Scene::open("assets/scenes/humanoid.toml").expect("reads"), posed),
        (Scene::open("assets/models/two-joints.bvh").expect("reads"), playing),
    ];
    for (scene, commands) in scenes {
        for theme in [Theme::Dark, Theme::Light] {
            for (size, zoom) in [
                (vec2(1280.0, 720.0), 1.0),
                (vec2(1280.0, 720.0), 2.0),
                (vec2(1400.0, 900.0), 1.0),
                (vec2(3840.0, 2160.0), 2.0),
                (vec2(640.0, 480.0), 1.0),
            ] {
                let (whole, shown) = rects(scene.clone(), commands, size, zoom, theme, false);
                let what = format!("{size:?}, text x{zoom}, {theme:?}: {shown:?}");
                assert!(shown.iter().any(|(name, _)| *name == "status"), "{what}");
                for (at, (name, rect)) in shown.iter().enumerate() {
                    assert!(whole.expand(0.5).contains_rect(*rect), "{name} leaves the picture: {what}");
                    for (other, other_rect) in &shown[..at] {
                        let covered = rect.intersect(*other_rect);
                        // Messages pass over what they must, and are gone in seconds.
                        let passing = [name, other].contains(&&"toasts") && whole.width() < 1000.0;
                        assert!(!covered.shrink(0.5).is_positive() || passing, "{name} covers {other}: {what}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_help_fits_with_its_way_out() {
    for (size, zoom) in [(vec2(1280.0, 720.0), 1.0), (vec2(1280.0, 720.0), 2.0), (vec2(640.0, 480.0), 1.0)] {
        let (whole, shown) = rects(Scene::demo(), &[], size, zoom, Theme::Dark, true);
        let help = shown.iter().find(|(name, _)| *name == "help").expect("is shown").1;
        assert!(whole.contains_rect(help), "{size:?} x{zoom}: {help:?}");
        if zoom == 1.0 && size.x > 1000.0 {
            assert!(help.height() < 0.9 * whole.height(), "it has to scroll at 1280x720: {help:?}");
        }
    }
}
