//! Shadows: a depth map from the lamp for things that shade each other, and a shade map for the floor. They are drawn again when
//! something that they show has changed.

use super::buffers::{Buffer, Mode, Surface, draw_quad};
use super::meshes::Meshes;
use super::program::{Program, bind};
use super::solids::Solids;
use crate::gl::{self, gl};
use fabrik3d_viewer::raster::{
    CapsuleInstance, Caster, LampView, SceneBlock, ShadowPass, SphereInstance, casts, shadow_extent,
};
use fabrik3d_viewer::view::frame::{Frame, MeshInstance, Quality};

/// Radius of the wide blur of `soften.frag`, in clip coordinates.
const MAX_BLUR: f32 = 0.04;

/// Everything that the content of the maps depends on.
#[derive(PartialEq)]
struct Input {
    lamp: SceneBlock,
    casters: Vec<Caster>,
    spheres: usize,
    meshes: (Vec<MeshInstance>, u64),
    has_floor: bool,
}

pub struct Shadows {
    depths: Surface,
    /// The shade on the floor.
    pub shade: Surface,
    /// The floor that meshes cover, before softening.
    silhouette: Surface,
    footprint: Program,
    soften: Program,
    casters: Buffer<Caster>,
    shown: Option<Input>,
}

impl Shadows {
    pub fn new(quality: Quality) -> Result<Self, String> {
        let (side, shade_side) = match quality {
            Quality::Fast => (768, 384),
            Quality::Fine => (2048, 1024),
        };
        let floor_map = || Surface::new(gl::RGBA8, (shade_side, shade_side), false);
        Ok(Shadows {
            depths: Surface::depths(side),
            shade: floor_map(),
            silhouette: floor_map(),
            footprint: Program::new(["footprint.vert", "footprint.frag"], &[])?,
            soften: Program::new(["screen.vert", "soften.frag"], &[])?,
            casters: Buffer::new(),
            shown: None,
        })
    }

    /// Texels along a side of the depth map.
    pub fn side(&self) -> u32 {
        self.depths.size.0
    }

    /// Programs read the maps from now on.
    pub fn bind(&self) {
        bind("shadow_map", self.depths.texture);
        bind("shade_map", self.shade.texture);
    }

    /// Draws the maps if they would change. The lamp's block is bound.
    pub fn update(
        &mut self,
        frame: &Frame,
        (lamp, block): (&LampView, SceneBlock),
        casters: Vec<Caster>,
        (spheres, capsules, meshes): (&Solids<SphereInstance>, &Solids<CapsuleInstance>, &mut Meshes),
    ) {
        let input = Input {
            lamp: block,
            casters,
            spheres: spheres.casters,
            meshes: (frame.meshes.clone(), meshes.version),
            has_floor: frame.floor.is_some(),
        };
        if self.shown.as_ref() == Some(&input) {
            return;
        }
        // A map that is read while it is drawn is an error.
        bind("shadow_map", gl::Object::NONE);
        bind("shade_map", gl::Object::NONE);
        self.depths.begin();
        Mode::Opaque.begin();
        gl!(clear, gl::DEPTH_BUFFER_BIT);
        spheres.draw_depth();
        capsules.draw_depth();
        meshes.draw_shadows(&frame.meshes, ShadowPass::Depth);
        if input.has_floor {
            self.draw_shade(frame, lamp, &input.casters, meshes);
        }
        self.shown = Some(input);
    }

    fn draw_shade(&mut self, frame: &Frame, lamp: &LampView, casters: &[Caster], meshes: &mut Meshes) {
        self.casters.upload(casters, gl::STREAM_DRAW);
        self.shade.begin();
        Mode::Maximum.begin();
        gl!(clear, gl::COLOR_BUFFER_BIT);
        self.footprint.begin();
        self.casters.draw_quads(&self.footprint, 0..self.casters.len);
        let balls = frame.meshes.iter().filter(|mesh| casts(mesh)).flat_map(|mesh| meshes.bounds(mesh));
        if shadow_extent(balls, lamp, MAX_BLUR).is_some() {
            self.silhouette.begin();
            gl!(clear, gl::COLOR_BUFFER_BIT);
            meshes.draw_shadows(&frame.meshes, ShadowPass::Silhouette);
            self.shade.begin();
            Mode::Maximum.begin();
            self.soften.begin();
            bind("silhouette", self.silhouette.texture);
            draw_quad();
            bind("silhouette", gl::Object::NONE);
        }
    }
}
