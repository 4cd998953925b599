//! Spheres and links, ray-cast in their fragment shaders: no facets, exact depth, one draw call per kind.

use super::camera::Camera;
use super::canvas::{Canvas, Stream, opaque, translucent};
use super::error::{DrawError, RenderError};
use super::program::{Styled, compile};
use super::scene_block::SceneBlock;
use super::shadow::{Caster, Pass};
use fabrik3d_viewer::view::frame::{Capsule, Color, Material, Sphere};
use glium::backend::Context;
use glium::uniforms::UniformBuffer;
use glium::{Program, Vertex, implement_vertex, uniform};
use std::rc::Rc;

/// Shader input for a sphere.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct SphereInstance {
    center: [f32; 3],
    radius: f32,
    color: [u8; 4],
    material: [u8; 4],
}
implement_vertex!(
    SphereInstance, center normalize(false), radius normalize(false), color normalize(true), material normalize(true)
);

/// Shader input for a link.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct CapsuleInstance {
    a: [f32; 3],
    radius_a: f32,
    b: [f32; 3],
    radius_b: f32,
    color: [u8; 4],
    material: [u8; 4],
}
implement_vertex!(
    CapsuleInstance, a normalize(false), radius_a normalize(false), b normalize(false), radius_b normalize(false),
    color normalize(true), material normalize(true)
);

/// Largest glow that a byte represents.
const MAX_GLOW: f32 = 4.0;

fn packed(material: Material) -> [u8; 4] {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    [byte(material.roughness), byte(material.glow / MAX_GLOW), 0, 0]
}

pub(crate) trait Solid {
    /// Shader input.
    type Instance: Vertex;
    fn instance(&self) -> Self::Instance;
    fn caster(&self) -> Caster;
    fn color(&self) -> Color;
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

/// All shapes of one kind.
pub(crate) struct Solids<T: Solid> {
    depth: Program,
    lit: Styled,
    /// Contains casters, other opaque shapes, then translucent shapes from far to near.
    stream: Stream<T::Instance>,
    pub(crate) casters: usize,
    /// Number of all opaque shapes.
    opaque: usize,
}

impl<T: Solid + Copy> Solids<T> {
    pub(crate) fn new(context: &Rc<Context>, files: [&'static str; 2]) -> Result<Self, RenderError> {
        let depth = compile(context, files, &["DEPTH_ONLY"])?;
        let lit = Styled::new(context, files, &[]);
        Ok(Solids { depth, lit, stream: Stream::new(context)?, casters: 0, opaque: 0 })
    }

    /// Sorts and uploads the shapes of a frame; adds those that cast shadows to `casters`.
    pub(crate) fn upload(
        &mut self,
        solids: &[T],
        camera: &Camera,
        casters: &mut Vec<Caster>,
    ) -> Result<(), RenderError> {
        let is_opaque = |solid: &&T| solid.color()[3] == 255;
        let opaque = |casts: bool| solids.iter().filter(is_opaque).filter(move |solid| solid.casts() == casts);
        let mut translucent: Vec<&T> = solids.iter().filter(|solid| !is_opaque(solid)).collect();
        let far = |solid: &T| {
            let [(a, _), (b, _)] = solid.caster().ends();
            camera.depth(0.5 * (a + b))
        };
        translucent.sort_by(|x, y| far(y).total_cmp(&far(x)));
        casters.extend(opaque(true).map(T::caster));
        self.casters = opaque(true).count();
        self.opaque = self.casters + opaque(false).count();
        let all = opaque(true).chain(opaque(false)).chain(translucent);
        self.stream.upload(|staged| staged.extend(all.map(T::instance)))
    }

    /// Draws the casters into the shadow map.
    pub(crate) fn draw_depth(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
    ) -> Result<(), DrawError> {
        self.stream.draw(0..self.casters, canvas, &self.depth, &uniform! { Scene: scene }, &opaque())
    }

    /// Draws the translucent shapes, or the opaque ones.
    pub(crate) fn draw(
        &mut self,
        canvas: &mut Canvas<'_>,
        pass: Pass<'_>,
        is_translucent: bool,
    ) -> Result<(), DrawError> {
        let (range, parameters) = match is_translucent {
            false => (0..self.opaque, opaque()),
            true => (self.opaque..self.stream.len(), translucent()),
        };
        let uniforms = uniform! { Scene: pass.scene, shadow_map: pass.shadows.depth_sampler() };
        self.stream.draw(range, canvas, self.lit.program(pass.style)?, &uniforms, &parameters)
    }
}
