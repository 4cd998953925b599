//! A corner of a mesh as the shaders read it.

use glium::implement_vertex;

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct MeshVertex {
    pub(crate) position: [f32; 3],
    pub(crate) normal: [f32; 3],
    pub(crate) bones: [f32; 4],
    pub(crate) weights: [f32; 4],
    pub(crate) uv: [f32; 2],
    pub(crate) color: [u8; 4],
}
implement_vertex!(
    MeshVertex, position normalize(false), normal normalize(false), bones normalize(false), weights normalize(false),
    uv normalize(false), color normalize(true)
);
