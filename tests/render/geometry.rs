//! Pictures compared with what geometry predicts.

use crate::render_support;

use fabrik3d::render::{Headless, Renderer, Samples, Targets};
use fabrik3d_viewer::view::frame::*;
use glam::{DVec3, Mat4, Vec3};
use image::RgbaImage;
use render_support::{FLAT, arm, flat, headless, linear, parallel_view, pedestal, view};

const RED: Color = [180, 0, 0, 255];
const GREEN: Color = [0, 180, 0, 255];
const BLUE: Color = [0, 0, 180, 255];
const GREY: Color = [180, 180, 180, 255];

const STYLES: [(Quality, Samples); 4] = [
    (Quality::Fast, Samples::One),
    (Quality::Fast, Samples::Four),
    (Quality::Fine, Samples::One),
    (Quality::Fine, Samples::Four),
];

fn picture(headless: &Headless, frame: &Frame, size: (u32, u32), style: (Quality, Samples), scale: f32) -> RgbaImage {
    let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
    let targets = Targets::new(headless.context(), size, style.1).expect("targets");
    renderer.draw(&targets, frame, style.0, scale).expect("a picture");
    targets.read().expect("pixels")
}

fn sphere(center: Vec3, radius: f32, color: Color) -> Sphere {
    Sphere { center, radius, color, material: FLAT, shadow: true }
}

fn capsule(a: Vec3, b: Vec3, radius: f32, color: Color) -> Capsule {
    Capsule { a: (a, radius), b: (b, radius), color, material: FLAT, shadow: true }
}

/// Share of a pixel that is hit, from 16 x 16 rays.
fn coverage(view: &View, (width, height): (u32, u32), (x, y): (u32, u32), hit: impl Fn(DVec3, DVec3) -> bool) -> f64 {
    let inverse = view.view_projection.as_dmat4().inverse();
    let mut hits = 0;
    for step in 0..256 {
        let px = f64::from(x) + (f64::from(step % 16) + 0.5) / 16.0;
        let py = f64::from(y) + (f64::from(step / 16) + 0.5) / 16.0;
        let ndc = |z: f64| DVec3::new(2.0 * px / f64::from(width) - 1.0, 1.0 - 2.0 * py / f64::from(height), z);
        let (near, far) = (inverse.project_point3(ndc(-1.0)), inverse.project_point3(ndc(0.9)));
        hits += u32::from(hit(near, (far - near).normalize()));
    }
    f64::from(hits) / 256.0
}

fn hits_ball(center: DVec3, radius: f64) -> impl Fn(DVec3, DVec3) -> bool {
    move |from, way| {
        let to = center - from;
        (to - way * to.dot(way)).length() < radius
    }
}

/// Whether a line comes within `radius` of a segment, by brute force along the segment.
fn hits_rod(a: DVec3, b: DVec3, radius: f64) -> impl Fn(DVec3, DVec3) -> bool {
    move |from, way| (0..=64).any(|i| hits_ball(a.lerp(b, f64::from(i) / 64.0), radius)(from, way))
}

fn compare_coverage(frame: &Frame, what: &str, headless: &Headless, hit: &dyn Fn(DVec3, DVec3) -> bool) {
    let size = (160, 120);
    let truth: Vec<f64> =
        (0..size.0 * size.1).map(|i| coverage(&frame.view, size, (i % size.0, i / size.0), hit)).collect();
    let rim = truth.iter().filter(|&&c| c > 0.0 && c < 1.0).count() as f64;
    assert!(rim > 40.0, "{what}: the shape is in the picture");
    for style in STYLES {
        let seen = picture(headless, frame, size, style, 1.0);
        let share: Vec<f64> = seen.pixels().map(|p| f64::from(linear(p.0[1]) / linear(180))).collect();
        let area = |shares: &[f64]| shares.iter().sum::<f64>();
        let off: f64 = share.iter().zip(&truth).map(|(s, t)| (s - t).abs()).sum();
        // Per pixel of the rim: antialiasing blurs slightly; a single sample is off by up to a half, and the mean of about
        // fifty samples by a twentieth.
        let (allowed, allowed_drift) = if style.1 == Samples::Four { (0.17, 0.06) } else { (0.33, 0.12) };
        assert!(off / rim < allowed, "{what}, {style:?}: {:.3} off per pixel of the rim", off / rim);
        let drift = (area(&share) - area(&truth)) / rim;
        assert!(drift.abs() < allowed_drift, "{what}, {style:?}: the edge lies {drift:.3} pixels out of place");
    }
}

#[test]
fn outlines_cover_what_geometry_predicts() {
    let Some(headless) = headless() else { return };
    let aspect = 160.0 / 120.0;
    let (eye, at) = (Vec3::new(1.0, 2.0, 4.0), Vec3::new(0.3, 0.0, 0.2));
    let views = [("perspective", view(eye, at, aspect)), ("parallel", parallel_view(eye, at, aspect, 2.6))];
    let beside = at + Vec3::new(0.03, 0.02, 0.0); // almost end-on, but not symmetric
    for (name, view) in views {
        for (center, radius) in [(Vec3::new(0.2, 0.1, 0.3), 0.5), (Vec3::new(-0.9, 0.6, 0.0), 0.3)] {
            let mut frame = flat(view);
            frame.spheres.push(sphere(center, radius, GREY));
            let hit = hits_ball(center.as_dvec3(), f64::from(radius));
            compare_coverage(&frame, &format!("sphere, {name}"), &headless, &hit);
        }
        for (a, b) in [(Vec3::new(-0.7, -0.4, 0.5), Vec3::new(0.9, 0.5, -0.2)), (beside, beside.lerp(eye, 0.3))] {
            let mut frame = flat(view);
            frame.capsules.push(capsule(a, b, 0.14, GREY));
            let hit = hits_rod(a.as_dvec3(), b.as_dvec3(), 0.14);
            compare_coverage(&frame, &format!("link, {name}"), &headless, &hit);
        }
    }
}

/// A rod of this radius from y = -1 to y = 1.
fn rod(radius: f32) -> Mesh {
    const SIDES: u32 = 6;
    let mut rod = Mesh::default();
    for side in 0..SIDES {
        let (sin, cos) = (side as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
        rod.positions.extend([-1.0, 1.0].map(|y| Vec3::new(radius * cos, y, radius * sin)));
        rod.normals.extend([Vec3::new(cos, 0.0, sin); 2]);
        let [here, next] = [2 * side, 2 * ((side + 1) % SIDES)];
        rod.triangles.extend([[here, here + 1, next], [next, here + 1, next + 1]]);
    }
    rod
}

#[test]
fn a_mesh_thinner_than_a_pixel_is_a_whole_line() {
    let Some(headless) = headless() else { return };
    let mut frame = flat(parallel_view(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO, 1.0, 3.0));
    let model = Mat4::from_rotation_z(0.2);
    let substance = Substance::Own;
    let rod_instance = MeshInstance {
        mesh: 0,
        model,
        color: GREY,
        material: FLAT,
        bones: vec![],
        weights: vec![],
        shadow: true,
        substance,
    };
    frame.meshes.push(rod_instance);
    for style in STYLES {
        let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
        renderer.set_meshes(&[rod(0.002)]).expect("meshes");
        let targets = Targets::new(headless.context(), (128, 128), style.1).expect("targets");
        renderer.draw(&targets, &frame, style.0, 1.0).expect("a picture");
        let seen = targets.read().expect("pixels");
        for y in 25..103 {
            let covered: f32 = (0..128).map(|x| linear(seen.get_pixel(x, y).0[1]) / linear(180)).sum();
            assert!((0.6..2.0).contains(&covered), "{style:?}, row {y}: {covered}");
        }
    }
}

#[test]
fn nearer_things_hide_farther_ones() {
    let Some(headless) = headless() else { return };
    let (eye, at) = (Vec3::new(0.0, 0.5, 5.0), Vec3::new(0.0, 0.5, 0.0));
    for view in [view(eye, at, 1.0), parallel_view(eye, at, 1.0, 2.0)] {
        for (sphere_z, capsule_z, expected) in [(0.5, -0.5, 0), (-0.5, 0.5, 1)] {
            let mut frame = flat(view);
            frame.spheres.push(sphere(Vec3::new(0.0, 0.5, sphere_z), 0.3, RED));
            let (a, b) = (Vec3::new(-0.5, 0.5, capsule_z), Vec3::new(0.5, 0.5, capsule_z));
            frame.capsules.push(capsule(a, b, 0.2, GREEN));
            frame.spheres.push(sphere(Vec3::new(0.0, 0.5, -1.5), 0.25, BLUE));
            let line = vec![(Vec3::new(-0.1, 0.5, -1.0), GREY), (Vec3::new(0.1, 0.5, -1.0), GREY)];
            frame.lines.push(Line { points: line, width: 3.0, dash: None, on_top: false });
            for style in STYLES {
                let seen = picture(&headless, &frame, (64, 64), style, 1.0).get_pixel(32, 32).0;
                let shown = (0..3).max_by_key(|&channel| seen[channel]);
                assert_eq!(shown, Some(expected), "{style:?}, orthographic {}: {seen:?}", view.orthographic);
            }
        }
    }
}

#[test]
fn lines_have_the_given_width() {
    let Some(headless) = headless() else { return };
    let view = parallel_view(Vec3::Z * 5.0, Vec3::ZERO, 1.0, 2.0);
    for (slope, tilt) in [(0.0f32, 1.0f32), (0.75, 0.8)] {
        for (width, scale) in [(1.5, 1.0), (3.0, 1.0), (3.0, 2.0)] {
            let mut frame = flat(view);
            let ends = [-2.0, -0.3, 2.0].map(|x| (Vec3::new(x, slope * x + 0.013, 0.0), GREY));
            frame.lines.push(Line { points: ends.to_vec(), width, dash: None, on_top: true });
            let seen = picture(&headless, &frame, (128, 128), (Quality::Fast, Samples::One), scale);
            for x in [30, 45, 64, 80] {
                let column: f32 = (0..128).map(|y| linear(seen.get_pixel(x, y).0[0]) / linear(180)).sum();
                let found = column * tilt;
                assert!((found - width * scale).abs() < 0.35, "{width} x {scale} at slope {slope}: {found}");
            }
        }
    }
}

#[test]
fn dashes_and_gaps_have_their_lengths() {
    let Some(headless) = headless() else { return };
    let mut frame = flat(parallel_view(Vec3::Z * 5.0, Vec3::ZERO, 1.0, 2.0));
    // Three segments: the pattern must continue across their ends.
    let ends = [-2.0, -0.31, 0.47, 2.0].map(|x| (Vec3::new(x, 0.0, 0.0), GREY));
    frame.lines.push(Line { points: ends.to_vec(), width: 4.0, dash: Some((8.0, 4.0)), on_top: false });
    let seen = picture(&headless, &frame, (240, 60), (Quality::Fast, Samples::Four), 1.0);
    let row: f32 = (0..240).map(|x| linear(seen.get_pixel(x, 30).0[0]) / linear(180)).sum();
    assert!((row / 240.0 - 8.0 / 12.0).abs() < 0.04, "{}", row / 240.0);
}

#[test]
fn a_known_colour_is_unchanged() {
    let Some(headless) = headless() else { return };
    for byte in [0u8, 20, 64, 128, 190] {
        let mut frame = flat(view(Vec3::Z * 5.0, Vec3::ZERO, 1.0));
        frame.environment.background_top = [linear(byte); 3];
        frame.environment.background_bottom = frame.environment.background_top;
        for style in STYLES {
            for pixel in picture(&headless, &frame, (16, 9), style, 1.0).pixels() {
                assert!(
                    pixel.0[..3].iter().all(|c| c.abs_diff(byte) <= 1) && pixel.0[3] == 255,
                    "{pixel:?} for {byte}"
                );
            }
        }
    }
}

#[test]
fn unusual_sizes_and_frames_are_drawn() {
    let Some(headless) = headless() else { return };
    let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
    renderer.set_meshes(&[pedestal()]).expect("meshes");
    for (quality, samples) in STYLES {
        let targets = Targets::new(headless.context(), (0, 0), samples).expect("targets");
        assert_eq!(targets.size(), (1, 1));
        for size in [(1, 1), (1, 7), (33, 19), (321, 181)] {
            let targets = Targets::new(headless.context(), size, samples).expect("room");
            let camera = view(Vec3::new(2.5, 2.2, 3.5), Vec3::Y, size.0 as f32 / size.1 as f32);
            let mut frame = arm(fabrik3d_viewer::view::Theme::Light, camera);
            renderer.draw(&targets, &frame, quality, 1.0).expect("a picture");
            // The eye inside a joint, inside a link and below the floor; things without extent.
            frame.view = view(Vec3::new(0.0, 0.2, 0.01), Vec3::new(0.0, -3.0, 5.0), 1.0);
            frame.spheres.push(sphere(Vec3::ONE, 0.0, RED));
            frame.capsules.push(capsule(Vec3::ONE, Vec3::ONE, 0.1, RED));
            frame.lines.push(Line { points: vec![(Vec3::ONE, RED)], width: 1.0, dash: None, on_top: false });
            frame.bounds.radius = 0.0;
            renderer.draw(&targets, &frame, quality, 1.5).expect("a picture");
            assert_eq!(targets.read().expect("pixels").dimensions(), size);
        }
    }
}

/// Where the lamp's ray through a point meets the floor.
fn shadow_of(point: Vec3, look: &Environment) -> Vec3 {
    let light = Vec3::from(look.light);
    point - light * (point.y / light.y)
}

#[test]
fn shadows_fall_where_the_lamp_casts_them() {
    let Some(headless) = headless() else { return };
    let camera = view(Vec3::new(-3.5, 6.0, -3.0), Vec3::new(-0.9, 0.0, -0.6), 1.0);
    let mut bare = render_support::empty(fabrik3d_viewer::view::Theme::Light, camera);
    bare.floor = bare.floor.map(|floor| Floor { grid: false, axes: false, ..floor });
    let (a, b) = (Vec3::new(-0.4, 1.0, 0.3), Vec3::new(0.5, 1.4, -0.2));
    let mut with_sphere = bare.clone();
    with_sphere.spheres.push(sphere(b, 0.25, RED));
    let mut with_link = bare.clone();
    with_link.capsules.push(capsule(a, b, 0.15, RED));
    let mut with_mesh = bare.clone();
    let model = Mat4::from_translation(b);
    let bones = Vec::new();
    let substance = Substance::Own;
    with_mesh.meshes.push(MeshInstance {
        mesh: 0,
        model,
        color: RED,
        material: FLAT,
        bones,
        weights: vec![],
        shadow: true,
        substance,
    });
    let pixel = |p: Vec3| {
        let ndc = camera.view_projection.project_point3(p);
        ((64.0 * (1.0 + ndc.x)) as u32, (64.0 * (1.0 - ndc.y)) as u32)
    };
    for (what, frame, inside) in [
        ("sphere", &with_sphere, vec![b]),
        ("link", &with_link, vec![a, b, 0.5 * (a + b)]),
        ("mesh", &with_mesh, vec![b]),
    ] {
        for style in STYLES {
            let (lit, dark) = (render(&headless, &bare, style), render(&headless, frame, style));
            let left = |at: Vec3| {
                let (x, y) = pixel(at);
                linear(dark.get_pixel(x, y).0[0]) / linear(lit.get_pixel(x, y).0[0])
            };
            for point in inside.iter().map(|&p| shadow_of(p, &bare.environment)) {
                assert!(left(point) < 0.72, "{what}, {style:?}: {} is left at {point}", left(point));
                let beside = point + Vec3::new(-0.9, 0.0, -0.9);
                assert!(left(beside) > 0.97, "{what}, {style:?}: {} is left beside", left(beside));
            }
        }
    }
}

fn render(headless: &Headless, frame: &Frame, style: (Quality, Samples)) -> RgbaImage {
    let mut renderer = Renderer::new(headless.context().clone()).expect("a renderer");
    renderer.set_meshes(&[pedestal()]).expect("meshes");
    let targets = Targets::new(headless.context(), (128, 128), style.1).expect("targets");
    renderer.draw(&targets, frame, style.0, 1.0).expect("a picture");
    targets.read().expect("pixels")
}
