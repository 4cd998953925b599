//! One picture as data: everything that the renderer draws, and nothing about how.
//!
//! Positions are `f32` in the picture's space, where +Y is up whatever the scene's own up axis is. Colours are sRGB with
//! straight alpha.

use fabrik3d_scene::Up;
use glam::{DVec3, Mat4, Vec3};

pub use fabrik3d_scene::{Cover, Grain, Image, Mesh, Paint, Sides, Texture, Wrap};

/// The change of axes between a scene's world and the picture's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// The scene's own up axis.
    pub up: Up,
}

impl Space {
    /// A point or direction of the scene's world, in the picture's space.
    pub fn shown(self, world: DVec3) -> DVec3 {
        match self.up {
            Up::Y => world,
            Up::Z => DVec3::new(world.x, world.z, -world.y),
        }
    }

    /// The same in single precision.
    pub fn drawn(self, world: DVec3) -> Vec3 {
        self.shown(world).as_vec3()
    }

    /// A point or direction of the picture's space, in the scene's world.
    pub fn world(self, shown: DVec3) -> DVec3 {
        match self.up {
            Up::Y => shown,
            Up::Z => DVec3::new(shown.x, -shown.z, shown.y),
        }
    }
}

/// sRGB colour, straight alpha.
pub type Color = [u8; 4];

/// A colour that is given by parts from 0 to 1.
pub fn bytes(color: [f32; 4]) -> Color {
    color.map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8)
}

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
    /// Weights of the morphs of the mesh; empty if none counts.
    pub weights: Vec<f32>,
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
    /// How much it hides of what is below it, seen from above: 1 everything.
    pub opacity: f32,
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
    /// Whether the picture has no background and no floor: what nothing covers is transparent.
    pub transparent: bool,
}

impl Frame {
    /// The same without background and floor, for a transparent picture.
    #[must_use]
    pub fn without_background(self) -> Self {
        let environment = Environment { transparent: true, ..self.environment };
        Frame { environment, floor: None, ..self }
    }
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
