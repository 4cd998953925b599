//! What shaders read for each thing, as the bytes that a painter uploads.

use super::camera::{Ball, Camera};
use crate::view::frame::{Capsule, Color, Frame, Halo, Line, Material, Patch, Sphere};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use std::mem::offset_of;

/// How the numbers of an attribute are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// So many `f32`.
    Floats(usize),
    /// Four bytes that stand for 0 to 1.
    Bytes,
}

/// One attribute of a vertex or an instance: its name in the shader, its offset in bytes, and how it is stored.
pub type Attribute = (&'static str, usize, Numbers);

/// What shaders read for a vertex or an instance.
pub trait Vertex: Pod {
    /// All of it.
    const ATTRIBUTES: &'static [Attribute];
}

/// The attributes of a type, by the names of its fields.
macro_rules! attributes {
    ($type:ty, $($field:ident: $numbers:expr),+) => {
        impl Vertex for $type {
            const ATTRIBUTES: &'static [Attribute] = &[$((stringify!($field), offset_of!($type, $field), $numbers)),+];
        }
    };
}

/// Shader input for a sphere.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SphereInstance {
    center: [f32; 3],
    radius: f32,
    color: [u8; 4],
    material: [u8; 4],
}
attributes!(SphereInstance, center: Numbers::Floats(3), radius: Numbers::Floats(1), color: Numbers::Bytes, material: Numbers::Bytes);

/// Shader input for a link.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct CapsuleInstance {
    a: [f32; 3],
    radius_a: f32,
    b: [f32; 3],
    radius_b: f32,
    color: [u8; 4],
    material: [u8; 4],
}
attributes!(
    CapsuleInstance, a: Numbers::Floats(3), radius_a: Numbers::Floats(1), b: Numbers::Floats(3), radius_b: Numbers::Floats(1),
    color: Numbers::Bytes, material: Numbers::Bytes
);

/// Shader input for a shadow on the floor; a sphere is a link of length zero.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Caster {
    a: [f32; 3],
    radius_a: f32,
    b: [f32; 3],
    radius_b: f32,
}
attributes!(
    Caster, a: Numbers::Floats(3), radius_a: Numbers::Floats(1), b: Numbers::Floats(3), radius_b: Numbers::Floats(1)
);

impl Caster {
    /// The spheres at its ends: centres and radii.
    pub fn ends(&self) -> [Ball; 2] {
        [(Vec3::from(self.a), self.radius_a), (Vec3::from(self.b), self.radius_b)]
    }
}

/// Largest glow that a byte represents.
const MAX_GLOW: f32 = 4.0;

fn packed(material: Material) -> [u8; 4] {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    [byte(material.roughness), byte(material.glow / MAX_GLOW), 0, 0]
}

/// A shape that is ray-cast in its fragment shader.
pub trait Solid {
    /// Shader input.
    type Instance: Vertex;
    /// What the shader reads.
    fn instance(&self) -> Self::Instance;
    /// Its shadow.
    fn caster(&self) -> Caster;
    /// Its colour.
    fn color(&self) -> Color;
    /// Whether it casts a shadow.
    fn casts(&self) -> bool;
}

impl Solid for Sphere {
    type Instance = SphereInstance;
    fn instance(&self) -> SphereInstance {
        let Sphere { center, radius, color, material, .. } = *self;
        SphereInstance { center: center.to_array(), radius, color, material: packed(material) }
    }
    fn caster(&self) -> Caster {
        let (a, radius_a) = (self.center.to_array(), self.radius);
        Caster { a, radius_a, b: a, radius_b: radius_a }
    }
    fn color(&self) -> Color {
        self.color
    }
    fn casts(&self) -> bool {
        self.shadow
    }
}

impl Solid for Capsule {
    type Instance = CapsuleInstance;
    fn instance(&self) -> CapsuleInstance {
        let Caster { a, radius_a, b, radius_b } = self.caster();
        CapsuleInstance { a, radius_a, b, radius_b, color: self.color, material: packed(self.material) }
    }
    fn caster(&self) -> Caster {
        let ((a, radius_a), (b, radius_b)) = (self.a, self.b);
        Caster { a: a.to_array(), radius_a, b: b.to_array(), radius_b }
    }
    fn color(&self) -> Color {
        self.color
    }
    fn casts(&self) -> bool {
        self.shadow
    }
}

/// Solids in the order in which they are drawn: casters of shadows, other opaque shapes, then translucent shapes from far to
/// near.
pub struct Sorted<'a, T> {
    casters: Vec<&'a T>,
    others: Vec<&'a T>,
    translucent: Vec<&'a T>,
}

impl<'a, T: Solid> Sorted<'a, T> {
    /// Sorts the solids of a frame.
    pub fn new(solids: &'a [T], camera: &Camera) -> Self {
        let (opaque, mut translucent): (Vec<&T>, Vec<&T>) = solids.iter().partition(|solid| solid.color()[3] == 255);
        let (casters, others) = opaque.into_iter().partition(|solid| solid.casts());
        let far = |solid: &T| {
            let [(a, _), (b, _)] = solid.caster().ends();
            camera.depth(0.5 * (a + b))
        };
        translucent.sort_by(|x, y| far(y).total_cmp(&far(x)));
        Sorted { casters, others, translucent }
    }

    /// The shadows.
    pub fn casters(&self) -> impl ExactSizeIterator<Item = Caster> + '_ {
        self.casters.iter().map(|solid| solid.caster())
    }

    /// Number of opaque shapes.
    pub fn opaque(&self) -> usize {
        self.casters.len() + self.others.len()
    }

    /// What the shaders read, in order.
    pub fn instances(&self) -> impl Iterator<Item = T::Instance> + '_ {
        self.casters.iter().chain(&self.others).chain(&self.translucent).map(|solid| solid.instance())
    }
}

/// One segment of a polyline.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Segment {
    before: [f32; 3],
    start: [f32; 3],
    end: [f32; 3],
    after: [f32; 3],
    color_start: [u8; 4],
    color_end: [u8; 4],
    stroke: [f32; 4],
}
attributes!(
    Segment, before: Numbers::Floats(3), start: Numbers::Floats(3), end: Numbers::Floats(3), after: Numbers::Floats(3),
    color_start: Numbers::Bytes, color_end: Numbers::Bytes, stroke: Numbers::Floats(4)
);

/// Adds the segments of the lines of a frame: of those that other things can hide, or those in front of everything.
pub fn segments(frame: &Frame, on_top: bool, camera: &Camera, pixels_per_point: f32, out: &mut Vec<Segment>) {
    for line in frame.lines.iter().filter(|line| line.on_top == on_top) {
        segments_of(line, camera, pixels_per_point, out);
    }
}

fn segments_of(line: &Line, camera: &Camera, pixels_per_point: f32, out: &mut Vec<Segment>) {
    let points = &line.points;
    let last = points.len().saturating_sub(1);
    if last == 0 {
        return;
    }
    let closed = last > 1 && points[0].0 == points[last].0;
    let (dash, gap) = line.dash.unwrap_or((0.0, 0.0));
    let mut distance = 0.0;
    for i in 0..last {
        let ((start, color_start), (end, color_end)) = (points[i], points[i + 1]);
        let before = match (i, closed) {
            (0, true) => points[last - 1].0,
            (0, false) => start,
            _ => points[i - 1].0,
        };
        let after = match (i + 1 == last, closed) {
            (true, true) => points[1].0,
            (true, false) => end,
            _ => points[i + 2].0,
        };
        out.push(Segment {
            before: before.to_array(),
            start: start.to_array(),
            end: end.to_array(),
            after: after.to_array(),
            color_start,
            color_end,
            stroke: [line.width, dash, gap, distance],
        });
        if line.dash.is_some() {
            // Segments that cross the plane of the eye have no finite image; the dash pattern does not advance there.
            let run = camera.pixel(start).zip(camera.pixel(end)).map_or(0.0, |(a, b)| a.distance(b));
            distance = (distance + run / pixels_per_point) % (dash + gap).max(1e-3);
        }
    }
}

/// Shader input for a corner of a patch.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PatchVertex {
    position: [f32; 3],
    normal: [f32; 3],
    rim: f32,
    color: [u8; 4],
}
attributes!(PatchVertex, position: Numbers::Floats(3), normal: Numbers::Floats(3), rim: Numbers::Floats(1), color: Numbers::Bytes);

/// The corners of the whole triangles of patches.
pub fn patch_corners(patches: &[Patch]) -> impl Iterator<Item = PatchVertex> + '_ {
    patches.iter().flat_map(|patch| {
        let whole = patch.triangles.len() / 3 * 3;
        patch.triangles[..whole].iter().map(|&(position, normal, rim)| PatchVertex {
            position: position.to_array(),
            normal: normal.to_array(),
            rim,
            color: patch.color,
        })
    })
}

/// Shader input for a halo.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct HaloInstance {
    center: [f32; 3],
    radius: f32,
    core: f32,
    color: [u8; 4],
}
attributes!(HaloInstance, center: Numbers::Floats(3), radius: Numbers::Floats(1), core: Numbers::Floats(1), color: Numbers::Bytes);

impl From<&Halo> for HaloInstance {
    fn from(&Halo { center, radius, core, color }: &Halo) -> Self {
        HaloInstance { center: center.to_array(), radius, core, color }
    }
}

/// A corner of a mesh as the shaders read it.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct MeshVertex {
    /// In model space.
    pub position: [f32; 3],
    /// Unit length; zero if the mesh has none.
    pub normal: [f32; 3],
    /// Numbers of the bones that move it.
    pub bones: [f32; 4],
    /// Their shares.
    pub weights: [f32; 4],
    /// Place in the texture.
    pub uv: [f32; 2],
    /// sRGB with straight alpha.
    pub color: [u8; 4],
}
attributes!(
    MeshVertex, position: Numbers::Floats(3), normal: Numbers::Floats(3), bones: Numbers::Floats(4), weights: Numbers::Floats(4),
    uv: Numbers::Floats(2), color: Numbers::Bytes
);

/// A corner of a triangle of the panels, as egui has it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct GuiVertex {
    position: [f32; 2],
    uv: [f32; 2],
    color: [u8; 4],
}
attributes!(GuiVertex, position: Numbers::Floats(2), uv: Numbers::Floats(2), color: Numbers::Bytes);
