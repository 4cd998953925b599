//! One picture as data: everything that the renderer draws, nothing about how.
//!
//! Positions are `f32` in view space of the world: +Y up, whatever the scene's own up axis is. Colours are sRGB with
//! straight alpha.

use glam::{Mat4, Vec2, Vec3};

pub use fabrik3d_scene::{Cover, Grain, Image, Paint, Sides, Texture, Wrap};

/// sRGB colour, straight alpha.
pub type Color = [u8; 4];

/// The camera of one picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// World to clip space, OpenGL conventions.
    pub view_projection: Mat4,
    /// Where the eye is.
    pub eye: Vec3,
    /// Where it looks, unit length.
    pub forward: Vec3,
    /// Whether the projection is orthographic.
    pub orthographic: bool,
}

/// How a surface takes the light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// 0 mirror-smooth, 1 rough.
    pub roughness: f32,
    /// Own light, 0 none.
    pub glow: f32,
}

/// A joint, a target, an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius.
    pub radius: f32,
    /// Colour; alpha below 255 draws it translucent, after everything solid.
    pub color: Color,
    /// Surface.
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
    /// Colour; alpha below 255 draws it translucent.
    pub color: Color,
    /// Surface.
    pub material: Material,
    /// Whether it casts a shadow.
    pub shadow: bool,
}

/// A polyline of constant width on the screen. It closes smoothly where its last point is its first.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its points with their colours; at least two.
    pub points: Vec<(Vec3, Color)>,
    /// Width, logical pixels.
    pub width: f32,
    /// Dash and gap length in logical pixels; none: solid.
    pub dash: Option<(f32, f32)>,
    /// Whether it is drawn over everything, whatever stands before it.
    pub on_top: bool,
}

/// A translucent surface, lit from both sides, with a bright rim: limit cones, reachable shells.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Triangles, three corners each: position, normal, nearness to the rim 0..1.
    pub triangles: Vec<(Vec3, Vec3, f32)>,
    /// Colour and strength.
    pub color: Color,
}

/// A soft halo around a ball, facing the eye. What hides the ball lets both shine through, paler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halo {
    /// Centre.
    pub center: Vec3,
    /// Radius.
    pub radius: f32,
    /// Radius of the ball.
    pub core: f32,
    /// Colour and strength.
    pub color: Color,
}

/// A triangle mesh, given to the renderer once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices, model space.
    pub positions: Vec<Vec3>,
    /// One unit normal a vertex; empty: shaded flat.
    pub normals: Vec<Vec3>,
    /// Three indices a triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Up to four bones a vertex, with weights that sum to one; empty: the mesh is rigid.
    pub skin: Vec<[(u16, f32); 4]>,
    /// One colour a vertex, multiplied with that of the instance; empty: white.
    pub colors: Vec<Color>,
    /// One point of the texture a vertex, (0, 0) the upper left corner and (1, 1) the lower right one; empty without a
    /// texture.
    pub uvs: Vec<Vec2>,
    /// Texture and the like.
    pub paint: Paint,
}

impl Mesh {
    /// A surface turned about +Y, from a profile of (radius, height) pairs that runs from the top axis outward and
    /// down. Profile edges stay sharp.
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

/// How solid a mesh looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substance {
    /// As its colour and paint say.
    #[default]
    Own,
    /// Thin as glass, so that what is inside is seen; of the mesh itself only what is nearest to the eye. It leaves
    /// things inside in the light, and still throws its shadow on the floor.
    Glass,
}

/// A mesh standing somewhere; its vertices are uploaded once and known by `mesh`.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInstance {
    /// Index in the list of meshes given to the renderer.
    pub mesh: usize,
    /// Model to world.
    pub model: Mat4,
    /// Colour.
    pub color: Color,
    /// Surface.
    pub material: Material,
    /// For skinned meshes: one matrix a bone (model space); empty: rigid.
    pub bones: Vec<Mat4>,
    /// Whether it casts a shadow.
    pub shadow: bool,
    /// How solid it looks.
    pub substance: Substance,
}

/// The floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Height.
    pub height: f32,
    /// Middle of the lit part.
    pub center: Vec3,
    /// Radius at which it has melted into the background.
    pub radius: f32,
    /// Distance between major grid lines; minor ones lie at a quarter.
    pub cell: f32,
    /// Whether grid lines are drawn.
    pub grid: bool,
    /// Whether the x and z axes are drawn.
    pub axes: bool,
}

/// Ball that holds everything that casts a shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Centre.
    pub center: Vec3,
    /// Radius, positive.
    pub radius: f32,
}

/// Light and background colours of a theme. Linear light where not said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
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
    /// How dark a full shadow leaves the floor: 0 black, 1 no shadow.
    pub shadow_floor: f32,
    /// Grid lines, sRGB.
    pub grid: Color,
    /// Colours of the x and z axes on the floor, sRGB.
    pub axes: [Color; 2],
    /// Darkening toward the corners, 0 none.
    pub vignette: f32,
    /// Whether halos add light (dark themes) or are painted over (light themes).
    pub glowing: bool,
}

/// How much work a picture may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// For software OpenGL: cheap shadows, no multisampling.
    Fast,
    /// For graphics hardware, screenshots and films.
    Fine,
}

/// All there is to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The camera.
    pub view: View,
    /// Light and background.
    pub look: Look,
    /// The floor, if any.
    pub floor: Option<Floor>,
    /// Extent of what casts shadows.
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
