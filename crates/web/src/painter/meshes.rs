//! Triangle meshes, rigid or skinned, plain or textured.

use super::buffers::{Buffer, Indices, Mode, Sampling, texture};
use super::program::{Program, bind};
use crate::gl::{self, Object, gl};
use bytemuck::cast_slice;
use fabrik3d_scene::{Grain, Image, Texture, Wrap};
use fabrik3d_viewer::raster::{
    Ball, Camera, Culled, Layer, MeshTraits, MeshVertex, Mixer, ShadowPass, bone_rows, is_cast_into, mesh_corners,
    placement, update_mixes,
};
use fabrik3d_viewer::view::frame::{Mesh, MeshInstance};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

struct Stored {
    vertices: Buffer<MeshVertex>,
    triangles: Indices,
    mixer: Option<Mixer>,
    /// The vertices for weights of morphs.
    mixes: Vec<(Vec<f32>, Buffer<MeshVertex>)>,
    traits: MeshTraits,
    texture: Option<Object>,
}

impl Stored {
    /// Mixes the vertices for the weights of those instances that are of this mesh, the one with this index.
    fn mix(&mut self, index: usize, instances: &[MeshInstance]) {
        let Some(mixer) = &self.mixer else { return };
        let own = instances.iter().filter(|instance| instance.mesh == index && !instance.weights.is_empty());
        let wanted: Vec<&[f32]> = own.map(|instance| &instance.weights[..]).collect();
        let change = |vertices: &mut Buffer<MeshVertex>, weights: &[f32]| {
            vertices.upload(&mixer.mixed(weights), gl::STREAM_DRAW);
            Ok(())
        };
        let make = |weights: &[f32]| {
            let mut vertices = Buffer::new();
            vertices.upload(&mixer.mixed(weights), gl::STREAM_DRAW);
            Ok(vertices)
        };
        let Ok(()) = update_mixes::<_, Infallible>(&mut self.mixes, &wanted, change, make);
    }

    fn draw(&self, program: &Program, weights: &[f32]) {
        let mix = self.mixes.iter().find(|(known, _)| known == weights);
        let vertices = mix.map_or(&self.vertices, |(_, mixed)| mixed);
        vertices.draw_indexed(program, &self.triangles, 0..self.triangles.len);
    }
}

pub struct Meshes {
    /// For each of the [`KINDS`]; compiled on first use.
    lit: [Option<Program>; 4],
    depth: [Option<Program>; 4],
    defines: &'static [&'static str],
    stored: Vec<Stored>,
    /// Changes whenever the meshes do.
    pub version: u64,
    bones: Object,
}

/// Definitions of each program: skinned or not, textured or not.
const KINDS: [&[&str]; 4] = [&[], &["SKINNED"], &["TEXTURED"], &["SKINNED", "TEXTURED"]];

/// Index into [`KINDS`].
fn kind(skinned: bool, textured: bool) -> usize {
    usize::from(skinned) + 2 * usize::from(textured)
}

impl Meshes {
    pub fn new(defines: &'static [&'static str]) -> Self {
        let (lit, depth) = Default::default();
        Meshes { lit, depth, defines, stored: Vec::new(), version: 0, bones: texture(Sampling::NEAREST) }
    }

    /// Replaces the meshes that frames refer to.
    ///
    /// # Errors
    /// The driver rejects a shader that they need.
    pub fn store(&mut self, meshes: &[Mesh]) -> Result<(), String> {
        self.version += 1;
        for old in self.stored.drain(..) {
            old.vertices.delete();
            old.mixes.iter().for_each(|(_, vertices)| vertices.delete());
            old.triangles.delete();
            if let Some(texture) = old.texture {
                gl!(deleteTexture, texture);
            }
        }
        let mut uploads = HashMap::new();
        for mesh in meshes {
            let (vertices, triangles) = mesh_corners(mesh);
            let traits = MeshTraits::of(mesh, &triangles);
            let texture = mesh.paint.texture.as_ref().map(|texture| upload(texture, &mut uploads));
            let kind = kind(traits.bones > 0, texture.is_some());
            compile(&mut self.lit[kind], [KINDS[kind], self.defines].concat())?;
            compile(&mut self.depth[kind], [KINDS[kind], &["DEPTH_ONLY"]].concat())?;
            let (mut on_card, mut corners) = (Buffer::new(), Indices::new());
            on_card.upload(&vertices, gl::STATIC_DRAW);
            corners.upload(&triangles, gl::STATIC_DRAW);
            let (mixer, mixes) = (Mixer::of(mesh, &vertices), Vec::new());
            self.stored.push(Stored { vertices: on_card, triangles: corners, mixer, mixes, traits, texture });
        }
        Ok(())
    }

    /// Mixes the morphs of instances, before they are drawn.
    pub fn mix(&mut self, instances: &[MeshInstance]) {
        self.stored.iter_mut().enumerate().for_each(|(index, stored)| stored.mix(index, instances));
    }

    /// Balls whose hull contains an instance; none if there is no such mesh.
    pub fn bounds(&self, instance: &MeshInstance) -> Vec<Ball> {
        self.stored.get(instance.mesh).map_or(Vec::new(), |stored| stored.traits.bounds(instance))
    }

    /// Draws the casters from the lamp's view.
    pub fn draw_shadows(&mut self, instances: &[MeshInstance], pass: ShadowPass) {
        match pass {
            ShadowPass::Depth => Mode::Opaque.begin(),
            ShadowPass::Silhouette => Mode::Maximum.begin(),
        }
        instances.iter().filter(|instance| is_cast_into(instance, pass)).for_each(|instance| self.draw_depth(instance));
    }

    /// Draws the shape of an instance, without its colours.
    fn draw_depth(&self, instance: &MeshInstance) {
        let Some(stored) = self.stored_for(instance) else { return };
        let cover = stored.traits.shape_cover(instance);
        let Some(program) = &self.depth[kind(stored.traits.bones > 0, stored.texture.is_some())] else { return };
        program.begin();
        self.place(program, instance, stored);
        program.set("cover", &cover);
        program.set("widening", &[0.0]);
        stored.draw(program, &instance.weights);
    }

    /// Draws the meshes of one layer.
    pub fn draw(&self, instances: &[MeshInstance], camera: &Camera, layer: Layer) {
        let in_layer = |instance: &&MeshInstance| {
            self.stored.get(instance.mesh).is_some_and(|stored| stored.traits.layer(instance) == layer)
        };
        let instances: Vec<&MeshInstance> = instances.iter().filter(in_layer).collect();
        if layer == Layer::Glass {
            Mode::DepthOnly.begin();
            instances.iter().for_each(|instance| self.draw_depth(instance));
        }
        if layer == Layer::Opaque {
            Mode::Opaque.begin()
        } else {
            Mode::Translucent.begin()
        }
        for instance in instances {
            self.draw_lit(instance, camera);
        }
        gl!(disable, gl::CULL_FACE);
    }

    fn draw_lit(&self, instance: &MeshInstance, camera: &Camera) {
        let Some(stored) = self.stored_for(instance) else { return };
        let Some(program) = &self.lit[kind(stored.traits.bones > 0, stored.texture.is_some())] else { return };
        program.begin();
        self.place(program, instance, stored);
        let (tint, cover) = stored.traits.paint(instance);
        program.set("tint", &tint);
        program.set("cover", &cover);
        program.set("surface", &[instance.material.roughness, instance.material.glow]);
        program.set("widening", &[stored.traits.widening(instance, camera)]);
        // What appears clockwise is a back here, as everywhere in OpenGL.
        match stored.traits.culled(instance) {
            Culled::None => {
                gl!(disable, gl::CULL_FACE);
            }
            culled => {
                gl!(enable, gl::CULL_FACE);
                gl!(cullFace, if culled == Culled::Clockwise { gl::BACK } else { gl::FRONT });
            }
        }
        stored.draw(program, &instance.weights);
    }

    /// The mesh of an instance, if that has all its bones.
    fn stored_for(&self, instance: &MeshInstance) -> Option<&Stored> {
        self.stored.get(instance.mesh).filter(|stored| instance.bones.len() >= stored.traits.bones)
    }

    /// Sets matrices, bones and texture of an instance.
    fn place(&self, program: &Program, instance: &MeshInstance, stored: &Stored) {
        let [model, turn] = placement(instance.model);
        program.set("model", model.as_flattened());
        program.set("turn", turn.as_flattened());
        if let Some(texture) = stored.texture {
            bind("picture", texture);
        }
        if stored.traits.bones > 0 {
            let rows: Vec<[f32; 4]> = bone_rows(instance).collect();
            bind("bone_rows", self.bones);
            let (width, height) = (3u32, instance.bones.len());
            let floats: &[f32] = cast_slice(&rows);
            gl!(texImage2D, gl::TEXTURE_2D, 0u32, gl::RGBA32F, width, height, 0u32, gl::RGBA, gl::FLOAT, floats);
        }
    }
}

fn compile(program: &mut Option<Program>, defines: Vec<&str>) -> Result<(), String> {
    if program.is_none() {
        *program = Some(Program::new(["mesh.vert", "mesh.frag"], &defines)?);
    }
    Ok(())
}

/// Uploads each image once for each way of sampling it.
fn upload(texture: &Texture, uploads: &mut HashMap<(*const Image, [u32; 3]), Object>) -> Object {
    let wrap = texture.wrap.map(|wrap| match wrap {
        Wrap::Repeat => gl::REPEAT,
        Wrap::Mirror => gl::MIRRORED_REPEAT,
        Wrap::Clamp => gl::CLAMP_TO_EDGE,
    });
    let enlarged = if texture.grain == Grain::Smooth { gl::LINEAR } else { gl::NEAREST };
    *uploads.entry((Arc::as_ptr(&texture.image), [wrap[0], wrap[1], enlarged])).or_insert_with(|| {
        let object = self::texture(Sampling { enlarged, reduced: gl::LINEAR_MIPMAP_LINEAR, wrap });
        let [width, height] = texture.image.size;
        let texels: &[u8] = &texture.image.texels;
        // The first row is the top row, where the texture coordinate is 0.
        gl!(
            texImage2D,
            gl::TEXTURE_2D,
            0u32,
            gl::SRGB8_ALPHA8,
            width,
            height,
            0u32,
            gl::RGBA,
            gl::UNSIGNED_BYTE,
            texels
        );
        gl!(generateMipmap, gl::TEXTURE_2D);
        object
    })
}
