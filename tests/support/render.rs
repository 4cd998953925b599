//! Frames for tests and examples: an arm that reaches for a target, with all annotations, and a frame with many joints.
#![allow(dead_code, reason = "each test and example uses its part")]

use fabrik3d::render::Headless;
use fabrik3d_ik::{Chain, Settings};
use fabrik3d_scene::Up;
use fabrik3d_viewer::view::Theme;
use fabrik3d_viewer::view::frame::*;
use fabrik3d_viewer::view::theme::{POLISHED, SATIN, SHINING, faded};
use glam::camera::rh::proj::opengl;
use glam::camera::rh::view::look_at_mat4;
use glam::{DVec3, Mat4, Quat, Vec2, Vec3};

/// The pedestal, mesh 0 of [`arm`].
pub fn pedestal() -> Mesh {
    turned(&[(0.0, 0.10), (0.12, 0.10), (0.14, 0.085), (0.15, 0.045), (0.23, 0.04), (0.25, 0.02), (0.25, 0.0)], 64)
}

/// A surface of revolution about +Y, from a profile of (radius, height) pairs that runs outward and down. The edges of the
/// profile stay sharp.
fn turned(profile: &[(f32, f32)], sides: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for piece in profile.windows(2) {
        let ((r0, y0), (r1, y1)) = (piece[0], piece[1]);
        let slope = Vec2::new(y0 - y1, r1 - r0).normalize_or(Vec2::Y);
        for side in 0..sides {
            let corners = [(side, r0, y0), (side + 1, r0, y0), (side, r1, y1), (side + 1, r1, y1)];
            let first = mesh.positions.len() as u32;
            for (step, radius, height) in corners {
                let (sin, cos) = (step as f32 / sides as f32 * std::f32::consts::TAU).sin_cos();
                mesh.positions.push(Vec3::new(radius * cos, height, radius * sin));
                mesh.normals.push(Vec3::new(slope.x * cos, slope.y, slope.x * sin));
            }
            mesh.triangles.push([first, first + 1, first + 2]);
            mesh.triangles.push([first + 1, first + 3, first + 2]);
        }
    }
    mesh
}

/// A camera that looks from `eye` at `at`.
pub fn view(eye: Vec3, at: Vec3, aspect: f32) -> View {
    let projection = opengl::perspective(0.62, aspect, 0.05, 100.0);
    View {
        view_projection: projection * look_at_mat4(eye, at, Vec3::Y),
        eye,
        forward: (at - eye).normalize(),
        orthographic: false,
    }
}

/// A camera without perspective that shows `height` units from the bottom to the top.
pub fn parallel_view(eye: Vec3, at: Vec3, aspect: f32, height: f32) -> View {
    let (x, y) = (0.5 * height * aspect, 0.5 * height);
    let projection = opengl::orthographic(-x, x, -y, y, -50.0, 100.0);
    View {
        view_projection: projection * look_at_mat4(eye, at, Vec3::Y),
        eye,
        forward: (at - eye).normalize(),
        orthographic: true,
    }
}

/// Only background and floor.
pub fn empty(theme: Theme, view: View) -> Frame {
    Frame {
        view,
        environment: theme.environment(Up::Y),
        floor: Some(Floor {
            height: 0.0,
            center: Vec3::ZERO,
            radius: 9.0,
            cell: 1.0,
            grid: true,
            axes: true,
            opacity: 1.0,
        }),
        bounds: Bounds { center: Vec3::Y, radius: 1.7 },
        spheres: Vec::new(),
        capsules: Vec::new(),
        lines: Vec::new(),
        patches: Vec::new(),
        halos: Vec::new(),
        meshes: Vec::new(),
    }
}

/// The arm, its target and all annotations.
pub fn arm(theme: Theme, view: View) -> Frame {
    let mut frame = empty(theme, view);
    let palette = theme.palette();
    let target = Vec3::new(-1.12, 1.30, 0.62);
    let joints = solved(target);
    let last = joints.len() - 1;
    let radius = |i: usize| 0.105 * (1.0 - 0.5 * i as f32 / last as f32);
    frame.meshes.push(MeshInstance {
        mesh: 0,
        model: Mat4::IDENTITY,
        color: palette.base,
        material: SATIN,
        bones: Vec::new(),
        weights: Vec::new(),
        shadow: true,
        substance: Substance::Own,
    });
    for (i, pair) in joints.windows(2).enumerate() {
        let (a, b) = ((pair[0], 0.74 * radius(i)), (pair[1], 0.62 * radius(i + 1)));
        frame.capsules.push(Capsule { a, b, color: palette.chain(0), material: SATIN, shadow: true });
    }
    for (i, &center) in joints.iter().enumerate().take(last) {
        let color = if i == 4 { palette.joint_at_limit } else { palette.joint };
        frame.spheres.push(Sphere { center, radius: radius(i), color, material: POLISHED, shadow: true });
    }
    show_target(&mut frame, theme, target);
    frame.lines.push(Line { points: trail(target, palette.trail), width: 2.2, dash: None, on_top: false });
    show_limit(&mut frame, theme, joints[3], (joints[3] - joints[2]).normalize(), 0.72);
    frame
}

fn solved(target: Vec3) -> Vec<Vec3> {
    let mut at = DVec3::new(0.0, 0.14, 0.0);
    let mut points = vec![at];
    for i in 0..7 {
        let bend = 0.42 * f64::from(i);
        let step = DVec3::new(0.8 * bend.sin(), bend.cos().max(0.2), 0.25 * bend.sin());
        at += step.normalize() * (0.58 - 0.035 * f64::from(i));
        points.push(at);
    }
    let mut chain = Chain::new(&points).expect("a valid chain");
    let _ = chain.solve(target.as_dvec3(), &Settings::default());
    chain.points().iter().map(|p| p.as_vec3()).collect()
}

fn show_target(frame: &mut Frame, theme: Theme, target: Vec3) {
    let palette = theme.palette();
    let color = palette.target(0);
    frame.spheres.push(Sphere { center: target, radius: 0.07, color, material: SHINING, shadow: true });
    frame.halos.push(Halo { center: target, radius: 0.42, core: 0.07, color: faded(color, palette.halo_alpha) });
    for (axis, color) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(palette.axes) {
        let (from, to) = (target + axis * 0.1, target + axis * 0.30);
        frame.lines.push(Line { points: vec![(from, color), (to, color)], width: 2.6, dash: None, on_top: false });
        let (a, b) = ((to, 0.022), (target + axis * 0.37, 0.002));
        frame.capsules.push(Capsule { a, b, color, material: SHINING, shadow: false });
    }
    let foot = Vec3::new(target.x, 0.0, target.z);
    let faint = faded(color, 170);
    let drop = vec![(target, faint), (foot, faint)];
    frame.lines.push(Line { points: drop, width: 1.4, dash: Some((6.0, 5.0)), on_top: false });
    let ring = circle(foot, Vec3::Y, 0.11, 48).into_iter().map(|p| (p, faded(color, 220))).collect();
    frame.lines.push(Line { points: ring, width: 1.8, dash: None, on_top: false });
}

fn trail(end: Vec3, color: Color) -> Vec<(Vec3, Color)> {
    let at = |k: i32| {
        let a = 0.045 * k as f32;
        end + Vec3::new(1.2 * (a.cos() - 1.0), 0.35 * (1.7 * a).sin(), 1.1 * a.sin())
    };
    (0..70).rev().map(|k| (at(k), faded(color, (230.0 * (1.0 - k as f32 / 70.0).powf(1.4)) as u8))).collect()
}

/// A closed circle: the last point equals the first.
pub fn circle(center: Vec3, axis: Vec3, radius: f32, pieces: usize) -> Vec<Vec3> {
    let turn = Quat::from_rotation_arc(Vec3::Y, axis);
    let at = |k: usize| {
        let (sin, cos) = (k as f32 / pieces as f32 * std::f32::consts::TAU).sin_cos();
        center + turn * Vec3::new(radius * cos, 0.0, radius * sin)
    };
    let mut points: Vec<Vec3> = (0..pieces).map(at).collect();
    points.push(points[0]);
    points
}

fn show_limit(frame: &mut Frame, theme: Theme, apex: Vec3, axis: Vec3, half_angle: f32) {
    let color = theme.palette().limit;
    let (sin, cos) = half_angle.sin_cos();
    let length = 0.5;
    let rim = circle(apex + axis * length * cos, axis, length * sin, 96);
    let middle = apex + axis * length * cos;
    let mut triangles = Vec::new();
    for pair in rim.windows(2) {
        let outward = (0.5 * (pair[0] + pair[1]) - middle).normalize();
        let normal = outward * cos - axis * sin;
        triangles.extend([(apex, normal, 0.0), (pair[0], normal, 1.0), (pair[1], normal, 1.0)]);
    }
    frame.patches.push(Patch { triangles, color });
    let points = rim.into_iter().map(|p| (p, faded(color, 235))).collect();
    frame.lines.push(Line { points, width: 1.8, dash: None, on_top: false });
}

/// A chain of `count` joints that fills a cube above the floor.
pub fn many_joints(theme: Theme, view: View, count: usize) -> Frame {
    let mut frame = empty(theme, view);
    frame.bounds = Bounds { center: Vec3::Y * 2.2, radius: 3.6 };
    let palette = theme.palette();
    let side = (count as f32).cbrt().ceil() as usize;
    let step = 4.0 / side as f32;
    let snake = |i: usize, odd: bool| if odd { side - 1 - i } else { i };
    let place = |k: usize| {
        let (z, y, x) = (k / (side * side), k / side % side, k % side);
        let (x, y) = (snake(x, (z * side + y) % 2 == 1), snake(y, z % 2 == 1));
        let jitter = Vec3::new((k as f32 * 12.9898).sin(), (k as f32 * 78.233).sin(), (k as f32 * 37.719).sin());
        (Vec3::new(x as f32, y as f32, z as f32) + 0.5 + 0.2 * jitter) * step + Vec3::new(-2.0, 0.2, -2.0)
    };
    let points: Vec<Vec3> = (0..count).map(place).collect();
    let radius = 0.2 * step;
    for (i, &center) in points.iter().enumerate() {
        let color = palette.chain(i * 7 / count);
        frame.spheres.push(Sphere { center, radius, color, material: POLISHED, shadow: true });
    }
    for pair in points.windows(2) {
        let (a, b) = ((pair[0], 0.5 * radius), (pair[1], 0.5 * radius));
        frame.capsules.push(Capsule { a, b, color: palette.joint, material: SATIN, shadow: true });
    }
    frame
}

/// A context without a window. Without EGL, prints a message and returns `None`.
pub fn headless() -> Option<Headless> {
    match Headless::new() {
        Ok(headless) => Some(headless),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// An empty frame with a black background. Its light does not change the colour of glowing materials.
pub fn flat(view: View) -> Frame {
    let black = [0.0; 3];
    let look = Environment {
        sky: black,
        ground: black,
        key: black,
        background_top: black,
        background_bottom: black,
        vignette: 0.0,
        ..Theme::Dark.environment(Up::Y)
    };
    Frame { environment: look, floor: None, ..empty(Theme::Dark, view) }
}

/// A material that shows exactly its own colour in a [`flat`] frame.
pub const FLAT: Material = Material { roughness: 1.0, glow: 1.0 };

/// Linear light of an sRGB byte.
pub fn linear(byte: u8) -> f32 {
    let c = f32::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
