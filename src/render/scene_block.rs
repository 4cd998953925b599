//! The uniform block `Scene` of `shaders/scene.glsl`.

use super::camera::{Camera, LampView, RayField};
use fabrik3d_viewer::view::frame::Frame;
use glam::Vec3;
use glium::program::BlockLayout;
use glium::uniforms::{LayoutMismatchError, UniformBlock, UniformType};
use std::mem::offset_of;

/// What every program knows about the picture, in std140 layout.
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct SceneBlock {
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
    pub(crate) fn new(camera: &Camera, lamp: &LampView, frame: &Frame, pixels_per_point: f32) -> Self {
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
}

const MATRIX: UniformType = UniformType::FloatMat4;
const VECTOR: UniformType = UniformType::FloatVec4;

/// Name, type and offset of each member.
const MEMBERS: [(&str, UniformType, usize); 17] = [
    ("view_projection", MATRIX, offset_of!(SceneBlock, view_projection)),
    ("shadow_projection", MATRIX, offset_of!(SceneBlock, shadow_projection)),
    ("origin", VECTOR, offset_of!(SceneBlock, origin)),
    ("origin_x", VECTOR, offset_of!(SceneBlock, origin_x)),
    ("origin_y", VECTOR, offset_of!(SceneBlock, origin_y)),
    ("direction", VECTOR, offset_of!(SceneBlock, direction)),
    ("direction_x", VECTOR, offset_of!(SceneBlock, direction_x)),
    ("direction_y", VECTOR, offset_of!(SceneBlock, direction_y)),
    ("eye", VECTOR, offset_of!(SceneBlock, eye)),
    ("light", VECTOR, offset_of!(SceneBlock, light)),
    ("sky", VECTOR, offset_of!(SceneBlock, sky)),
    ("ground", VECTOR, offset_of!(SceneBlock, ground)),
    ("key", VECTOR, offset_of!(SceneBlock, key)),
    ("background_top", VECTOR, offset_of!(SceneBlock, background_top)),
    ("background_bottom", VECTOR, offset_of!(SceneBlock, background_bottom)),
    ("viewport", VECTOR, offset_of!(SceneBlock, viewport)),
    ("raster", VECTOR, offset_of!(SceneBlock, raster)),
];

// Not with glium's `implement_uniform_block!`, which reads through a null pointer, so that debug builds abort.
impl UniformBlock for SceneBlock {
    fn matches(layout: &BlockLayout, base: usize) -> Result<(), LayoutMismatchError> {
        let ours = Self::build_layout(base);
        let (BlockLayout::Struct { members: theirs }, BlockLayout::Struct { members }) = (layout, &ours) else {
            return Err(LayoutMismatchError::LayoutMismatch { expected: layout.clone(), obtained: ours });
        };
        match theirs.iter().all(|member| members.contains(member)) {
            true => Ok(()),
            false => Err(LayoutMismatchError::LayoutMismatch { expected: layout.clone(), obtained: ours }),
        }
    }

    fn build_layout(base: usize) -> BlockLayout {
        let member = |(name, ty, offset): &(&str, UniformType, usize)| {
            ((*name).to_owned(), BlockLayout::BasicType { ty: *ty, offset_in_buffer: base + offset })
        };
        BlockLayout::Struct { members: MEMBERS.iter().map(member).collect() }
    }
}
