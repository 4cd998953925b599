//! Meshes and textures on the graphics card, uploaded once, and meshes with fewer triangles for coarse pictures: a robot's meshes have more
//! triangles than its image has pixels.

use super::canvas::{Laid, laid};
use super::error::RenderError;
use fabrik3d_scene::{Grain, Image, Texture, Wrap};
use fabrik3d_viewer::raster::{Corners, MeshTraits, MeshVertex, Mixer, mesh_corners, update_mixes};
use fabrik3d_viewer::view::frame::{Mesh, MeshInstance, Quality};
use glam::Vec3;
use glium::backend::Context;
use glium::index::PrimitiveType;
use glium::texture::{MipmapsOption, RawImage2d, SrgbTexture2d};
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerBehavior, SamplerWrapFunction as WrapFunction,
};
use glium::{IndexBuffer, VertexBuffer};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

type Vertices = VertexBuffer<Laid<MeshVertex>>;

/// Vertices and triangles on the graphics card.
struct Shape {
    vertices: Vertices,
    triangles: IndexBuffer<u32>,
}

pub(crate) struct StoredMesh {
    exact: Shape,
    /// The same with fewer triangles, by the binary logarithm of the size of what may be merged, created on first use.
    simplified: HashMap<i32, Shape>,
    /// What simplified shapes are made from; empty if the mesh is simple, has morphs, or has a texture, which merged corners would tear.
    source: Corners,
    mixer: Option<Mixer>,
    /// The vertices for weights of morphs.
    mixes: Vec<(Vec<f32>, Vertices)>,
    pub(crate) traits: MeshTraits,
    pub(crate) texture: Option<StoredTexture>,
}

const MANY_TRIANGLES: usize = 300;

pub(crate) fn store(context: &Rc<Context>, mesh: &Mesh, uploads: &mut Uploads) -> Result<StoredMesh, RenderError> {
    let (vertices, indices) = mesh_corners(mesh);
    let texture = mesh.paint.texture.as_ref().map(|texture| uploads.store(context, texture)).transpose()?;
    let mixer = Mixer::of(mesh, &vertices);
    let is_simplified = indices.len() > 3 * MANY_TRIANGLES && texture.is_none() && mixer.is_none();
    Ok(StoredMesh {
        mixer,
        mixes: Vec::new(),
        exact: shape(context, &vertices, &indices)?,
        simplified: HashMap::new(),
        traits: MeshTraits::of(mesh, &indices),
        source: if is_simplified { (vertices, indices) } else { Default::default() },
        texture,
    })
}

fn shape(context: &Rc<Context>, vertices: &[MeshVertex], triangles: &[u32]) -> Result<Shape, RenderError> {
    let triangles = IndexBuffer::new(context, PrimitiveType::TrianglesList, triangles);
    Ok(Shape {
        vertices: VertexBuffer::new(context, laid(vertices)).map_err(RenderError::resource("a mesh"))?,
        triangles: triangles.map_err(RenderError::resource("a mesh"))?,
    })
}

impl StoredMesh {
    /// Creates the shape for a tolerance, the size of what may be merged in model space, if it is missing.
    pub(crate) fn prepare(&mut self, context: &Rc<Context>, tolerance: Option<f32>) -> Result<(), RenderError> {
        let Some(level) = self.level(tolerance).filter(|level| !self.simplified.contains_key(level)) else {
            return Ok(());
        };
        let (vertices, triangles) = simplify(&self.source.0, &self.source.1, (level as f32).exp2());
        self.simplified.insert(level, shape(context, &vertices, &triangles)?);
        Ok(())
    }

    /// Mixes the vertices for the weights of those instances that are of this mesh, the one with this index.
    pub(crate) fn mix(
        &mut self,
        context: &Rc<Context>,
        index: usize,
        instances: &[MeshInstance],
    ) -> Result<(), RenderError> {
        let Some(mixer) = &self.mixer else { return Ok(()) };
        let own = instances.iter().filter(|instance| instance.mesh == index && !instance.weights.is_empty());
        let wanted: Vec<&[f32]> = own.map(|instance| &instance.weights[..]).collect();
        let change = |vertices: &mut Vertices, weights: &[f32]| {
            vertices.write(laid(&mixer.mixed(weights)));
            Ok(())
        };
        let make = |weights: &[f32]| {
            VertexBuffer::dynamic(context, laid(&mixer.mixed(weights))).map_err(RenderError::resource("a mesh"))
        };
        update_mixes(&mut self.mixes, &wanted, change, make)
    }

    /// The vertices for weights of morphs, and the triangles, for a tolerance; the exact ones without.
    pub(crate) fn shape(&self, tolerance: Option<f32>, weights: &[f32]) -> (&Vertices, &IndexBuffer<u32>) {
        let simplified = self.level(tolerance).and_then(|level| self.simplified.get(&level));
        let Shape { vertices, triangles } = simplified.unwrap_or(&self.exact);
        let mix = self.mixes.iter().find(|(known, _)| known == weights);
        (mix.map_or(vertices, |(_, mixed)| mixed), triangles)
    }

    fn level(&self, tolerance: Option<f32>) -> Option<i32> {
        let level = tolerance.filter(|_| !self.source.0.is_empty())?.log2().floor();
        (level.abs() < 64.0).then_some(level as i32)
    }
}

/// A cell of the grid, and the bone that moves a vertex most.
type Cell = ([i32; 3], u32);

/// Moves all vertices within a cell of a grid to their mean, and drops the triangles that vanish (Rossignac and Borrel,
/// "Multi-resolution 3D approximations for rendering complex scenes", 1993). Vertices that face different ways stay
/// separate at the same place, so that edges stay sharp without cracks.
fn simplify(vertices: &[MeshVertex], triangles: &[u32], size: f32) -> Corners {
    let mut places: HashMap<Cell, (Vec3, f32)> = HashMap::new();
    for vertex in vertices {
        let place = places.entry(cell(vertex, size)).or_default();
        *place = (place.0 + Vec3::from(vertex.position), place.1 + 1.0);
    }
    let mut kept: Vec<MeshVertex> = Vec::new();
    let mut numbers: HashMap<(Cell, [i8; 3]), u32> = HashMap::new();
    let number = |vertex: &MeshVertex| {
        let cell = cell(vertex, size);
        let number = *numbers.entry((cell, facing(vertex))).or_insert_with(|| {
            let (sum, count) = places[&cell];
            kept.push(MeshVertex { position: (sum / count).to_array(), normal: [0.0; 3], ..*vertex });
            kept.len() as u32 - 1
        });
        let normal = &mut kept[number as usize].normal;
        *normal = (Vec3::from(*normal) + Vec3::from(vertex.normal)).to_array();
        number
    };
    let numbers: Vec<u32> = vertices.iter().map(number).collect();
    for vertex in &mut kept {
        vertex.normal = Vec3::from(vertex.normal).normalize_or_zero().to_array();
    }
    let corners = triangles.chunks_exact(3).map(|corners| [0, 1, 2].map(|k| numbers[corners[k] as usize]));
    let place = |corner: u32| kept[corner as usize].position;
    let is_there = |[a, b, c]: &[u32; 3]| place(*a) != place(*b) && place(*b) != place(*c) && place(*c) != place(*a);
    let triangles = corners.filter(is_there).flatten().collect();
    (kept, triangles)
}

fn cell(vertex: &MeshVertex, size: f32) -> Cell {
    let heaviest = (0..4).max_by(|&a, &b| vertex.weights[a].total_cmp(&vertex.weights[b])).unwrap_or(0);
    (vertex.position.map(|side| (side / size).floor() as i32), vertex.bones[heaviest] as u32)
}

/// The axis along which a normal points most.
fn facing(vertex: &MeshVertex) -> [i8; 3] {
    let most = vertex.normal.iter().fold(0.0, |most: f32, side| most.max(side.abs()));
    vertex.normal.map(|side| if side.abs() > 0.7 * most { side.signum() as i8 } else { 0 })
}

/// A texture on the graphics card with its sampling mode.
pub(crate) struct StoredTexture {
    texels: Rc<SrgbTexture2d>,
    wrap: [WrapFunction; 2],
    grain: Grain,
}

impl StoredTexture {
    /// A sampler; in fast quality without interpolation between mipmaps.
    pub(crate) fn sampler(&self, quality: Quality) -> Sampler<'_, SrgbTexture2d> {
        let [across, down] = self.wrap;
        let behavior = SamplerBehavior {
            wrap_function: (across, down, WrapFunction::Clamp),
            minify_filter: match quality {
                Quality::Fast => MinifySamplerFilter::LinearMipmapNearest,
                Quality::Fine => MinifySamplerFilter::LinearMipmapLinear,
            },
            magnify_filter: match self.grain {
                Grain::Smooth => MagnifySamplerFilter::Linear,
                Grain::Squares => MagnifySamplerFilter::Nearest,
            },
            ..SamplerBehavior::default()
        };
        Sampler(&self.texels, behavior)
    }
}

/// Uploads each image of a set of meshes once.
#[derive(Default)]
pub(crate) struct Uploads(HashMap<*const Image, Rc<SrgbTexture2d>>);

impl Uploads {
    pub(crate) fn store(&mut self, context: &Rc<Context>, texture: &Texture) -> Result<StoredTexture, RenderError> {
        let texels = match self.0.entry(Arc::as_ptr(&texture.image)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(free) => free.insert(Rc::new(upload(context, &texture.image)?)).clone(),
        };
        let wrap = texture.wrap.map(|wrap| match wrap {
            Wrap::Repeat => WrapFunction::Repeat,
            Wrap::Mirror => WrapFunction::Mirror,
            Wrap::Clamp => WrapFunction::Clamp,
        });
        Ok(StoredTexture { texels, wrap, grain: texture.grain })
    }
}

fn upload(context: &Rc<Context>, image: &Image) -> Result<SrgbTexture2d, RenderError> {
    let [width, height] = image.size;
    // The first row is the top row, where the texture coordinate is 0.
    let raw = RawImage2d::from_raw_rgba(image.texels.clone(), (width, height));
    SrgbTexture2d::with_mipmaps(context, raw, MipmapsOption::AutoGeneratedMipmaps)
        .map_err(RenderError::resource("a texture"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of radius 1 with rings of quads.
    fn sphere(rings: u32) -> (Vec<MeshVertex>, Vec<u32>) {
        let point = |ring: u32, side: u32| {
            let (polar, around) = (ring as f32 / rings as f32, side as f32 / rings as f32);
            let ((sin, cos), (z, x)) =
                ((polar * std::f32::consts::PI).sin_cos(), (around * std::f32::consts::TAU).sin_cos());
            let normal = [sin * x, cos, sin * z];
            MeshVertex { position: normal, normal, weights: [1.0, 0.0, 0.0, 0.0], ..MeshVertex::default() }
        };
        let vertices = (0..=rings).flat_map(|ring| (0..=rings).map(move |side| point(ring, side))).collect();
        let index = |ring: u32, side: u32| ring * (rings + 1) + side;
        let quad = |ring, side| {
            let (a, b) = (index(ring, side), index(ring + 1, side));
            [a, b, a + 1, a + 1, b, b + 1]
        };
        (vertices, (0..rings).flat_map(|ring| (0..rings).flat_map(move |side| quad(ring, side))).collect())
    }

    #[test]
    fn a_simplified_sphere_has_fewer_triangles_and_stays_close_to_the_sphere() {
        let (vertices, triangles) = sphere(120);
        for size in [0.05, 0.1, 0.2] {
            let (fewer, rest) = simplify(&vertices, &triangles, size);
            assert!(rest.len() * 2 < triangles.len() && rest.len() > 100, "{} of {}", rest.len(), triangles.len());
            for vertex in &fewer {
                let place = Vec3::from(vertex.position);
                assert!((place.length() - 1.0).abs() < size, "{place}");
                assert!(place.normalize().dot(Vec3::from(vertex.normal)) > 0.9, "{place}: {:?}", vertex.normal);
            }
            assert!(rest.iter().all(|&corner| (corner as usize) < fewer.len()));
        }
    }

    #[test]
    fn a_small_grid_keeps_every_triangle() {
        let (mut vertices, triangles) = sphere(12);
        // Not on the sides of the cells, so that the seam and the poles, which are rounded, stay whole.
        vertices.iter_mut().for_each(|vertex| vertex.position = vertex.position.map(|side| side + 3.7e-4));
        let whole = triangles.chunks_exact(3).filter(|corners| {
            let place = |k: usize| Vec3::from(vertices[corners[k] as usize].position);
            (0..3).all(|k| place(k).distance(place((k + 1) % 3)) > 1e-4)
        });
        assert_eq!(simplify(&vertices, &triangles, 1e-3).1.len(), 3 * whole.count());
    }

    #[test]
    fn vertices_of_different_bones_do_not_merge() {
        let at = |bone: f32| MeshVertex {
            bones: [bone, 0.0, 0.0, 0.0],
            weights: [1.0, 0.0, 0.0, 0.0],
            ..MeshVertex::default()
        };
        assert_eq!(simplify(&[at(1.0), at(2.0), at(1.0)], &[0, 1, 2], 1.0).0.len(), 2);
    }
}
