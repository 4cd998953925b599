//! The uniform block `Scene` of `shaders/scene.glsl`.

use super::camera::{Camera, LampView, RayField};
use crate::view::frame::Frame;
use glam::Vec3;
use std::mem::offset_of;

/// What every program knows about the picture, in std140 layout.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct SceneBlock {
    view_projection: [[f32; 4]; 4],
    shadow_projection: [[f32; 4]; 4],
    origin: [f32; 4],
    origin_x: [f32; 4],
    origin_y: [f32; 4],
    direction: [f32; 4],
    direction_x: [f32; 4],
    direction_y: [f32; 4],
    eye: [f32; 4],
    light: [f32; 4],
    sky: [f32; 4],
    ground: [f32; 4],
    key: [f32; 4],
    background_top: [f32; 4],
    background_bottom: [f32; 4],
    viewport: [f32; 4],
    raster: [f32; 4],
}

impl SceneBlock {
    /// The block for a camera and a lamp. `pixels_per_point` scales the widths of lines.
    pub fn new(camera: &Camera, lamp: &LampView, frame: &Frame, pixels_per_point: f32) -> Self {
        let environment = &frame.environment;
        let four = |v: Vec3, w: f32| v.extend(w).to_array();
        let color = |c: [f32; 3]| [c[0], c[1], c[2], 0.0];
        let RayField { origin, origin_x, origin_y, direction, direction_x, direction_y } = camera.rays;
        let (width, height) = camera.size;
        SceneBlock {
            view_projection: camera.view_projection.to_cols_array_2d(),
            shadow_projection: lamp.camera.view_projection.to_cols_array_2d(),
            origin: four(origin, 0.0),
            origin_x: four(origin_x, 0.0),
            origin_y: four(origin_y, 0.0),
            direction: four(direction, 0.0),
            direction_x: four(direction_x, 0.0),
            direction_y: four(direction_y, 0.0),
            eye: four(camera.eye, if camera.orthographic { 1.0 } else { 0.0 }),
            light: four(Vec3::from(environment.light).normalize_or(Vec3::Y), 0.0),
            sky: color(environment.sky),
            ground: color(environment.ground),
            key: color(environment.key),
            background_top: color(environment.background_top),
            background_bottom: color(environment.background_bottom),
            viewport: [width, height, 1.0 / width, 1.0 / height],
            raster: [pixels_per_point, lamp.texel, lamp.height, frame.bounds.radius.max(1e-6)],
        }
    }

    /// Name, number of columns of four numbers, and offset of each member.
    pub const MEMBERS: [(&str, usize, usize); 17] = [
        ("view_projection", 4, offset_of!(SceneBlock, view_projection)),
        ("shadow_projection", 4, offset_of!(SceneBlock, shadow_projection)),
        ("origin", 1, offset_of!(SceneBlock, origin)),
        ("origin_x", 1, offset_of!(SceneBlock, origin_x)),
        ("origin_y", 1, offset_of!(SceneBlock, origin_y)),
        ("direction", 1, offset_of!(SceneBlock, direction)),
        ("direction_x", 1, offset_of!(SceneBlock, direction_x)),
        ("direction_y", 1, offset_of!(SceneBlock, direction_y)),
        ("eye", 1, offset_of!(SceneBlock, eye)),
        ("light", 1, offset_of!(SceneBlock, light)),
        ("sky", 1, offset_of!(SceneBlock, sky)),
        ("ground", 1, offset_of!(SceneBlock, ground)),
        ("key", 1, offset_of!(SceneBlock, key)),
        ("background_top", 1, offset_of!(SceneBlock, background_top)),
        ("background_bottom", 1, offset_of!(SceneBlock, background_bottom)),
        ("viewport", 1, offset_of!(SceneBlock, viewport)),
        ("raster", 1, offset_of!(SceneBlock, raster)),
    ];
}
