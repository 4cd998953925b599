//! Meshes with morph targets: the picture of a mix is that of the mesh that has its shape.

use crate::render_support;

use fabrik3d::render::{GuiPainter, Headless, Panels, Picture, Renderer, Resolution, Samples, Screen, Targets};
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Influence, Morph};
use fabrik3d_viewer::raster::{Camera, MeshTraits, mesh_corners};
use fabrik3d_viewer::view::Theme;
use fabrik3d_viewer::view::frame::*;
use glam::{Mat4, Vec3};
use image::RgbaImage;
use render_support::{FLAT, empty, headless, pedestal, view};

/// A pedestal with random morphs; with bones the upper half moves with the second one.
fn mesh(random: &mut Random, has_bones: bool) -> Mesh {
    let mut mesh = pedestal();
    for _ in 0..1 + random.index(3) {
        let (way, turn) = (random.ball().as_vec3() * 0.4, random.ball().as_vec3());
        let positions = mesh.positions.iter().map(|place| way * (8.0 * place.y + place.x).sin()).collect();
        let normals = mesh.normals.iter().map(|normal| turn * normal.x).collect();
        mesh.morphs.push(Morph { positions, normals });
    }
    if has_bones {
        let influence = |place: &Vec3| {
            let share = f32::from(u8::from(place.y > 0.05));
            Influence { joints: [0, 1, 0, 0], weights: [1.0 - share, share, 0.0, 0.0] }
        };
        mesh.influences = mesh.positions.iter().map(influence).collect();
    }
    mesh
}

fn instance(random: &mut Random, mesh: usize, meshes: &[Mesh]) -> MeshInstance {
    let bones = match meshes[mesh].influences.is_empty() {
        true => Vec::new(),
        false => vec![Mat4::IDENTITY, Mat4::from_translation(random.ball().as_vec3() * 0.2)],
    };
    let alpha = if random.unit() < 0.3 { 150 } else { 255 };
    MeshInstance {
        mesh,
        model: Mat4::from_translation(random.ball().as_vec3() + Vec3::Y),
        color: [200, 90, 60, alpha],
        material: FLAT,
        bones,
        weights: meshes[mesh].morphs.iter().map(|_| random.range(-0.5, 1.2) as f32).collect(),
        shadow: true,
        substance: Substance::Own,
    }
}

fn stage() -> Frame {
    empty(Theme::Light, view(Vec3::new(2.5, 2.2, 3.5), Vec3::Y, 1.0))
}

fn drawn(headless: &Headless, renderer: &mut Renderer, frame: &Frame) -> RgbaImage {
    let targets = Targets::new(headless.context(), (160, 160), Samples::One).expect("targets");
    renderer.draw(&targets, frame, Quality::Fast, 1.0).expect("a picture");
    targets.read().expect("pixels")
}

#[test]
fn a_mix_looks_like_the_mesh_that_has_its_shape() {
    let Some(headless) = headless() else { return };
    let renderer = || Renderer::new(headless.context().clone()).expect("a renderer");
    let (mut mixing, mut plain) = (renderer(), renderer());
    let mut compared = 0;
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let meshes: Vec<Mesh> = (0..2).map(|at| mesh(&mut random, at == 1)).collect();
        mixing.set_meshes(&meshes).expect("meshes");
        // Several instances of a mesh differ, and weights change from frame to frame.
        for step in 0..3 {
            let mut frame = stage();
            frame.meshes = (0..4).map(|at| instance(&mut random, at % 2, &meshes)).collect();
            let shapes = frame.meshes.iter().map(|instance| {
                let (mesh, weights) = (&meshes[instance.mesh], &instance.weights);
                let (positions, normals) = (mesh.places(weights).into_owned(), mesh.facings(weights).into_owned());
                Mesh { positions, normals, morphs: Vec::new(), ..mesh.clone() }
            });
            let shapes: Vec<Mesh> = shapes.collect();
            plain.set_meshes(&shapes).expect("meshes");
            let mut of_shapes = frame.clone();
            for (at, instance) in of_shapes.meshes.iter_mut().enumerate() {
                (instance.mesh, instance.weights) = (at, Vec::new());
            }
            let [mixed, shaped] = [drawn(&headless, &mut mixing, &frame), drawn(&headless, &mut plain, &of_shapes)];
            let unmixed = {
                let mut frame = frame.clone();
                frame.meshes.iter_mut().for_each(|instance| instance.weights.clear());
                drawn(&headless, &mut mixing, &frame)
            };
            let different = |a: &RgbaImage, b: &RgbaImage| a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
            let (wrong, moved) = (different(&mixed, &shaped), different(&mixed, &unmixed));
            assert!(moved > 300, "seed {seed}, step {step}: {moved} pixels moved");
            // What is thinner than a pixel is drawn wider. A mix counts as as thick as its mesh.
            let camera = Camera::new(&frame.view, (160, 160));
            let is_thin = |(shape, instance): (&Mesh, &MeshInstance)| {
                MeshTraits::of(shape, &mesh_corners(shape).1).widening(instance, &camera) > 0.0
            };
            if !shapes.iter().zip(&of_shapes.meshes).any(is_thin) {
                assert_eq!(wrong, 0, "seed {seed}, step {step}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Only what a mix covers, before and after, is drawn again; the picture equals one that is drawn from scratch.
#[test]
fn mixes_leave_no_traces() {
    let Some(headless) = headless() else { return };
    let context = headless.context();
    let mut renderers = [(); 2].map(|()| Renderer::new(context.clone()).expect("a renderer"));
    let mut painter = GuiPainter::new(context).expect("a painter");
    let mut screen = Screen::new(context, (160, 160), Samples::One).expect("a picture");
    let egui = egui::Context::default();
    let output = egui.run(egui::RawInput::default(), |_| {});
    let mut textures = Some(output.textures_delta);
    let mut shares = Vec::new();
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let meshes: Vec<Mesh> = (0..2).map(|at| mesh(&mut random, at == 1)).collect();
        renderers.iter_mut().for_each(|renderer| renderer.set_meshes(&meshes).expect("meshes"));
        let mut frame = stage();
        frame.meshes = (0..3).map(|at| instance(&mut random, at % 2, &meshes)).collect();
        for step in 0..6 {
            let changed = random.index(3);
            let weights = instance(&mut random, frame.meshes[changed].mesh, &meshes).weights;
            frame.meshes[changed].weights = if random.unit() < 0.2 { Vec::new() } else { weights };
            let textures = textures.take().unwrap_or_default();
            let panels = Panels { context: &egui, shapes: Vec::new(), textures: &textures, pixels_per_point: 1.0 };
            let picture = Picture { frame: frame.clone(), quality: Quality::Fast, line_scale: 1.0 };
            let [own, other] = &mut renderers;
            screen.draw((own, &mut painter), picture, panels, Resolution::Full).expect("a picture");
            shares.push(screen.drawn_share());
            let (parts, whole) = (screen.read().expect("pixels"), drawn(&headless, other, &frame));
            assert!(parts == whole, "seed {seed}, step {step}");
        }
    }
    assert!(shares.iter().any(|&share| share > 0.0 && share < 1.0), "{shares:?}");
}
