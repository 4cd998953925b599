//! One picture as data: everything that the renderer draws, and nothing about how.
//!
//! Positions are `f32` in the picture's space, where +Y is up whatever the scene's own up axis is. Colours are sRGB with
//! straight alpha.

use glam::{Mat4, Vec2, Vec3};

pub use fabrik3d_scene::{Cover, Grain, Image, Paint, Sides, Texture, Wrap};

/// sRGB colour, straight alpha.
pub type Color = [u8; 4];

/// The camera of one picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// World to clip space with OpenGL conventions.
    pub view_projection: Mat4,
    /// Position of the eye.
    pub eye: Vec3,
    /// Viewing direction, unit length.
    pub forward: Vec3,
    /// Whether the projection is orthographic.
    pub orthographic: bool,
}

/// How a surface reflects light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// 0 mirror-smooth, 1 rough.
    pub roughness: f32,
    /// Emitted light, 0 none.
    pub glow: f32,
}

/// A joint, a target, an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius.
    pub radius: f32,
    /// Colour; drawn translucent, after everything opaque, if alpha is below 255.
    pub color: Color,
    /// Material.
    pub material: Material,
    /// Whether it casts a shadow.
    pub shadow: bool,
}

/// A link: a cone with round ends (a capsule where the radii are equal).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end and its radius.
    pub a: (Vec3, f32),
    /// The other end and its radius.
    pub b: (Vec3, f32),
    /// Colour; drawn translucent if alpha is below 255.
    pub color: Color,
    /// Material.
    pub material: Material,
    /// Whether it casts a shadow.
    pub shadow: bool,
}

/// A polyline of constant width on the screen. It closes smoothly if its last point equals its first.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Points with their colours; at least two.
    pub points: Vec<(Vec3, Color)>,
    /// Width, logical pixels.
    pub width: f32,
    /// Lengths of dash and gap, logical pixels; none for a solid line.
    pub dash: Option<(f32, f32)>,
    /// Whether it is drawn in front of everything.
    pub on_top: bool,
}

/// A translucent surface, lit from both sides, with a bright rim: limit cones, workspaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Three consecutive corners per triangle: position, normal, closeness to the rim 0..1.
    pub triangles: Vec<(Vec3, Vec3, f32)>,
    /// Colour and opacity.
    pub color: Color,
}

/// A soft halo around a sphere, facing the eye. Both shine faintly through whatever hides them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halo {
    /// Centre.
    pub center: Vec3,
    /// Radius.
    pub radius: f32,
    /// Radius of the sphere.
    pub core: f32,
    /// Colour and opacity.
    pub color: Color,
}

/// A triangle mesh, loaded into the renderer once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices, model space.
    pub positions: Vec<Vec3>,
    /// One unit normal per vertex; empty for flat shading.
    pub normals: Vec<Vec3>,
    /// Three vertex indices per triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Up to four bones per vertex with weights that sum to one; empty for a rigid mesh.
    pub skin: Vec<[(u16, f32); 4]>,
    /// One colour per vertex, multiplied by that of the instance; empty for white.
    pub colors: Vec<Color>,
    /// Texture coordinates per vertex, from (0, 0) at the upper left corner to (1, 1) at the lower right; empty without a
    /// texture.
    pub uvs: Vec<Vec2>,
    /// Texture and material.
    pub paint: Paint,
}

impl Mesh {
    /// A surface of revolution about +Y, from a profile of (radius, height) pairs that runs outward and down. The edges of
    /// the profile stay sharp.
    pub fn turned(profile: &[(f32, f32)], sides: u32) -> Mesh {
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
}

/// How opaque a mesh looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substance {
    /// As its colour and paint define.
    #[default]
    Own,
    /// Like glass, so that its inside is visible; only the surface nearest to the eye is drawn. It casts its shadow on the
    /// floor but not on things inside.
    Glass,
}

/// A mesh in the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInstance {
    /// Index into the renderer's list of meshes.
    pub mesh: usize,
    /// Model to world.
    pub model: Mat4,
    /// Colour.
    pub color: Color,
    /// Material.
    pub material: Material,
    /// One matrix per bone, in model space; empty for rigid meshes.
    pub bones: Vec<Mat4>,
    /// Whether it casts a shadow.
    pub shadow: bool,
    /// How opaque it looks.
    pub substance: Substance,
}

/// The floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Height.
    pub height: f32,
    /// Middle of the visible part.
    pub center: Vec3,
    /// Radius at which it has faded into the background.
    pub radius: f32,
    /// Distance between major grid lines; minor ones lie at a quarter of it.
    pub cell: f32,
    /// Whether grid lines are drawn.
    pub grid: bool,
    /// Whether the two axes on it are drawn.
    pub axes: bool,
}

/// A sphere that contains everything that casts a shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Centre.
    pub center: Vec3,
    /// Radius, positive.
    pub radius: f32,
}

/// Light, background and floor of a theme. Linear light unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Environment {
    /// Light from above.
    pub sky: [f32; 3],
    /// Light from below.
    pub ground: [f32; 3],
    /// Light of the lamp.
    pub key: [f32; 3],
    /// Direction toward the lamp; points up.
    pub light: [f32; 3],
    /// Background at the top of the picture.
    pub background_top: [f32; 3],
    /// Background at the bottom.
    pub background_bottom: [f32; 3],
    /// Floor.
    pub floor: [f32; 3],
    /// Brightness of the floor in full shadow: 0 black, 1 no shadow.
    pub shadow_floor: f32,
    /// Grid lines, sRGB.
    pub grid: Color,
    /// Colours of the lines along the picture's x and z axes on the floor, sRGB.
    pub axes: [Color; 2],
    /// Darkening toward the corners, 0 none.
    pub vignette: f32,
    /// Whether halos add light (dark themes) or are blended (light themes).
    pub glowing: bool,
}

/// Rendering effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// For software OpenGL: cheap shadows, no multisampling.
    Fast,
    /// For graphics hardware, screenshots and videos.
    Fine,
}

/// Everything there is to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The camera.
    pub view: View,
    /// Light, background and colours of the floor.
    pub environment: Environment,
    /// The floor, if any.
    pub floor: Option<Floor>,
    /// Extent of everything that casts shadows.
    pub bounds: Bounds,
    /// Spheres.
    pub spheres: Vec<Sphere>,
    /// Links.
    pub capsules: Vec<Capsule>,
    /// Lines.
    pub lines: Vec<Line>,
    /// Translucent surfaces.
    pub patches: Vec<Patch>,
    /// Halos.
    pub halos: Vec<Halo>,
    /// Meshes.
    pub meshes: Vec<MeshInstance>,
}
