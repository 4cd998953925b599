//! Draws with every program in every style and checks the driver's messages. Debug builds also reject programs with missing
//! uniforms.

use crate::render_support;

use fabrik3d::render::{DrawError, GuiPainter, Headless, RenderError, Renderer, Samples, Targets};
use fabrik3d_scene::Influence;
use fabrik3d_viewer::view::Theme;
use fabrik3d_viewer::view::frame::*;
use fabrik3d_viewer::view::theme::SATIN;
use glam::{Mat4, Vec3};
use render_support::{arm, headless, pedestal, view};
use std::cell::RefCell;
use std::rc::Rc;

/// A strip of two triangles without normals that bends between two bones.
fn ribbon() -> Mesh {
    let positions = [(0.0, 0.0), (0.2, 0.0), (0.0, 0.5), (0.2, 0.5), (0.0, 1.0), (0.2, 1.0)];
    let influence = |y: f32| Influence { joints: [0, 1, 0, 0], weights: [1.0 - y, y, 0.0, 0.0] };
    Mesh {
        positions: positions.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect(),
        normals: Vec::new(),
        triangles: vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]],
        influences: positions.iter().map(|&(_, y)| influence(y)).collect(),
        ..Mesh::default()
    }
}

/// The arm with a skinned mesh, translucent things and lines on top.
fn everything(theme: Theme) -> Frame {
    let mut frame = arm(theme, view(Vec3::new(2.5, 2.2, 3.5), Vec3::Y, 1.5));
    let glass = |color: Color| [color[0], color[1], color[2], 120];
    frame.spheres.push(Sphere { color: glass(frame.spheres[0].color), center: Vec3::ONE, ..frame.spheres[0] });
    frame.capsules.push(Capsule { color: glass(frame.capsules[0].color), ..frame.capsules[0] });
    let on_top = Line { on_top: true, ..frame.lines[0].clone() };
    frame.lines.push(on_top);
    let bent = Mat4::from_rotation_x(0.8);
    for color in [[200, 200, 200, 255], [200, 200, 200, 100]] {
        frame.meshes.push(MeshInstance {
            mesh: 1,
            model: Mat4::from_translation(Vec3::new(0.6, 0.0, 0.6)),
            color,
            material: SATIN,
            bones: vec![Mat4::IDENTITY, bent],
            weights: Vec::new(),
            shadow: true,
            substance: Substance::Own,
        });
    }
    frame
}

#[test]
fn the_driver_reports_no_problems() {
    let messages = Rc::new(RefCell::new(Vec::new()));
    let heard = messages.clone();
    let listen = move |_, kind: glium::debug::MessageType, severity: glium::debug::Severity, _, _, text: &str| {
        if severity != glium::debug::Severity::Notification && !matches!(kind, glium::debug::MessageType::Performance) {
            heard.borrow_mut().push(format!("{kind:?} {severity:?}: {text}"));
        }
    };
    let headless = match Headless::with_debug_callback(Box::new(listen)) {
        Ok(headless) => headless,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let context = headless.context();
    let mut renderer = Renderer::new(context.clone()).expect("a renderer");
    renderer.set_meshes(&[pedestal(), ribbon()]).expect("meshes");
    for quality in [Quality::Fast, Quality::Fine] {
        for samples in [Samples::One, Samples::Four] {
            let targets = Targets::new(context, (192, 128), samples).expect("targets");
            for theme in [Theme::Dark, Theme::Light] {
                let mut frame = everything(theme);
                renderer.draw(&targets, &frame, quality, 1.0).expect("a picture");
                frame.view.eye.y = -1.0; // the floor from below is drawn differently
                renderer.draw(&targets, &frame, quality, 1.0).expect("a picture");
                frame.floor = None;
                renderer.draw(&targets, &frame, quality, 1.0).expect("a picture");
            }
        }
    }
    context.finish();
    assert!(messages.borrow().is_empty(), "{:#?}", messages.borrow());
}

#[test]
fn skinned_meshes_follow_their_bones() {
    let Some(headless) = headless() else { return };
    let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
    renderer.set_meshes(&[ribbon()]).expect("meshes");
    let targets = Targets::new(headless.context(), (100, 100), Samples::One).expect("targets");
    let mut frame = render_support::flat(render_support::parallel_view(Vec3::Z * 5.0, Vec3::ZERO, 1.0, 4.0));
    let color = [180, 180, 180, 255];
    let material = render_support::FLAT;
    let shift = Mat4::from_translation(Vec3::new(-1.0, 0.5, 0.0));
    let bones = vec![shift, shift];
    let substance = Substance::Own;
    frame.meshes.push(MeshInstance {
        mesh: 0,
        model: Mat4::IDENTITY,
        color,
        material,
        bones,
        weights: vec![],
        shadow: true,
        substance,
    });
    renderer.draw(&targets, &frame, Quality::Fast, 1.0).expect("a picture");
    let picture = targets.read().expect("pixels");
    // The ribbon's middle (0.1, 0.5) has moved to (-0.9, 1.0): pixels (27, 25).
    assert!(picture.get_pixel(27, 25).0[0] > 170, "{:?}", picture.get_pixel(27, 25));
    assert!(picture.get_pixel(52, 37).0[0] < 10, "nothing stays behind");

    frame.meshes[0].bones.truncate(1);
    assert!(matches!(
        renderer.draw(&targets, &frame, Quality::Fast, 1.0),
        Err(DrawError::Bones { mesh: 0, needed: 2, given: 1 })
    ));
    frame.meshes[0].mesh = 7;
    assert!(matches!(
        renderer.draw(&targets, &frame, Quality::Fast, 1.0),
        Err(DrawError::UnknownMesh { mesh: 7, known: 1 })
    ));
    frame.meshes.clear();
    renderer.draw(&targets, &frame, Quality::Fast, 1.0).expect("the renderer lives on after an error");
}

#[test]
fn panels_are_drawn_where_egui_puts_them() {
    let Some(headless) = headless() else { return };
    let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
    let mut painter = GuiPainter::new(headless.context()).expect("a painter");
    let targets = Targets::new(headless.context(), (200, 100), Samples::One).expect("targets");
    let black = render_support::flat(view(Vec3::Z * 5.0, Vec3::ZERO, 2.0));
    renderer.draw(&targets, &black, Quality::Fast, 2.0).expect("a picture");
    let context = egui::Context::default();
    context.set_pixels_per_point(2.0);
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(100.0, 50.0));
    let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
    let output = context.run(input, |context| {
        let painter = context.layer_painter(egui::LayerId::background());
        let at = |x, y, w, h| egui::Rect::from_min_size(egui::pos2(x, y), egui::vec2(w, h));
        painter.rect_filled(at(10.0, 5.0, 20.0, 10.0), 0.0, egui::Color32::from_rgb(200, 100, 50));
        let half = egui::Color32::from_rgba_unmultiplied(255, 255, 255, 128);
        painter.rect_filled(at(50.0, 5.0, 20.0, 10.0), 0.0, half);
        painter.text(
            egui::pos2(10.0, 30.0),
            egui::Align2::LEFT_CENTER,
            "FABRIK",
            Default::default(),
            egui::Color32::WHITE,
        );
    });
    let primitives = context.tessellate(output.shapes, output.pixels_per_point);
    painter.paint(&targets, output.pixels_per_point, &primitives, &output.textures_delta).expect("panels");
    let picture = targets.read().expect("pixels");
    assert_eq!(picture.get_pixel(40, 20).0[..3], [200, 100, 50]);
    assert!(picture.get_pixel(120, 20).0[0].abs_diff(128) <= 1, "blended as sRGB: {:?}", picture.get_pixel(120, 20));
    assert_eq!(picture.get_pixel(90, 20).0[..3], [0, 0, 0]);
    let ink =
        (40..80).flat_map(|y| (20..120).map(move |x| (x, y))).filter(|&(x, y)| picture.get_pixel(x, y).0[1] > 100);
    assert!(ink.count() > 60, "the text is there");
}

#[test]
fn errors_say_what_to_install() {
    for error in [RenderError::NoEgl, RenderError::NoDevice { tried: vec![] }] {
        assert!(error.to_string().contains("libegl1 libgl1-mesa-dri"), "{error}");
    }
}
