//! Spheres and links, cast as rays in their fragment shaders: no facets, exact depth, one draw call a kind.

use super::camera::Camera;
use super::error::{DrawError, RenderError};
use super::pen::{Quad, film, solid};
use super::program::{Recipe, Style, Styled, compile};
use super::stream::Stream;
use crate::view::frame::{Capsule, Color, Material, Sphere};
use glam::Vec3;
use glium::backend::Context;
use glium::uniforms::Uniforms;
use glium::{Program, Surface, Vertex, implement_vertex};
use std::rc::Rc;

/// A sphere as the shader reads it.
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

/// A link as the shader reads it.
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

/// What casts a shadow on the floor; a sphere is a link without length.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Caster {
    a: [f32; 3],
    radius_a: f32,
    b: [f32; 3],
    radius_b: f32,
}
implement_vertex!(
    Caster, a normalize(false), radius_a normalize(false), b normalize(false), radius_b normalize(false)
);

/// Glow that a byte can hold.
const MOST_GLOW: f32 = 4.0;

fn packed(material: Material) -> [u8; 4] {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    [byte(material.roughness), byte(material.glow / MOST_GLOW), 0, 0]
}

/// A thing of the frame that is drawn as a [`Solids`] instance.
pub(crate) trait Solid {
    /// What the shader reads.
    type Instance: Vertex;
    fn instance(&self) -> Self::Instance;
    fn caster(&self) -> Caster;
    fn color(&self) -> Color;
    fn middle(&self) -> Vec3;
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
    fn middle(&self) -> Vec3 {
        self.center
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
    fn middle(&self) -> Vec3 {
        0.5 * (self.a.0 + self.b.0)
    }
    fn casts(&self) -> bool {
        self.shadow
    }
}

/// All solids of one kind.
pub(crate) struct Solids<T: Solid> {
    depth: Program,
    lit: Styled,
    stream: Stream<T::Instance>,
    staged: Vec<T::Instance>,
    /// The stream holds casters first, then the other opaque ones, then the translucent ones from far to near.
    casters: usize,
    opaque: usize,
}

impl<T: Solid + Copy> Solids<T> {
    pub(crate) fn new(
        context: &Rc<Context>,
        name: &'static str,
        vertex: &'static str,
        fragment: &'static str,
    ) -> Result<Self, RenderError> {
        let recipe = |defines| Recipe { name, vertex, fragment, defines };
        Ok(Solids {
            depth: compile(context, &recipe(&["DEPTH_ONLY"]))?,
            lit: Styled::new(context, recipe(&[])),
            stream: Stream::new(context)?,
            staged: Vec::new(),
            casters: 0,
            opaque: 0,
        })
    }

    /// Sorts and uploads this frame's instances; adds those that cast shadows to `casters`.
    pub(crate) fn upload(
        &mut self,
        solids: &[T],
        camera: &Camera,
        casters: &mut Vec<Caster>,
    ) -> Result<(), RenderError> {
        let is_opaque = |solid: &&T| solid.color()[3] == 255;
        let opaque = solids.iter().filter(is_opaque);
        self.staged.clear();
        for solid in opaque.clone().filter(|solid| solid.casts()) {
            casters.push(solid.caster());
            self.staged.push(solid.instance());
        }
        self.casters = self.staged.len();
        self.staged.extend(opaque.filter(|solid| !solid.casts()).map(T::instance));
        self.opaque = self.staged.len();
        let mut films: Vec<&T> = solids.iter().filter(|solid| !is_opaque(solid)).collect();
        let far = |solid: &T| camera.depth(solid.middle());
        films.sort_by(|x, y| far(y).total_cmp(&far(x)));
        self.staged.extend(films.into_iter().map(T::instance));
        self.stream.upload(&self.staged)
    }

    /// Draws the casters into the shadow map.
    pub(crate) fn draw_depth(
        &self,
        quad: &Quad,
        surface: &mut impl Surface,
        uniforms: &impl Uniforms,
    ) -> Result<(), DrawError> {
        quad.draw_each((&self.stream, 0..self.casters), surface, &self.depth, uniforms, &solid())
    }

    pub(crate) fn draw_opaque(
        &mut self,
        quad: &Quad,
        surface: &mut impl Surface,
        uniforms: &impl Uniforms,
        style: Style,
    ) -> Result<(), DrawError> {
        quad.draw_each((&self.stream, 0..self.opaque), surface, self.lit.program(style)?, uniforms, &solid())
    }

    pub(crate) fn draw_translucent(
        &mut self,
        quad: &Quad,
        surface: &mut impl Surface,
        uniforms: &impl Uniforms,
        style: Style,
    ) -> Result<(), DrawError> {
        let films = self.opaque..self.stream.len();
        quad.draw_each((&self.stream, films), surface, self.lit.program(style)?, uniforms, &film())
    }
}
