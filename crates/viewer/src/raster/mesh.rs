//! Meshes as the shaders read them, and how each instance of one is drawn.

use super::camera::{Ball, Camera, LampView};
use super::color::linear;
use super::vertex::MeshVertex;
use crate::view::frame::{Cover, Mesh, MeshInstance, Sides, Substance, bytes};
use fabrik3d_scene::Influence;
use glam::{Mat4, Vec2, Vec3};

/// Order of drawing: opaque meshes, translucent ones, and glass, which may enclose the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Hides what is behind it.
    Opaque,
    /// Blended.
    Translucent,
    /// See [`Substance::Glass`].
    Glass,
}

/// The shadow maps that meshes are drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowPass {
    /// The lamp's depth map.
    Depth,
    /// The map of the floor that they cover.
    Silhouette,
}

/// The triangles that are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culled {
    /// None.
    None,
    /// Those whose corners appear clockwise.
    Clockwise,
    /// The others.
    CounterClockwise,
}

/// The corners of a mesh and its triangles.
pub type Corners = (Vec<MeshVertex>, Vec<u32>);

/// What a painter must know of a mesh besides its corners.
#[derive(Clone, Debug)]
pub struct MeshTraits {
    /// Number of bones that the weights refer to; 0 for a rigid mesh.
    pub bones: usize,
    /// How opaque its colours are.
    pub cover: Cover,
    sides: Sides,
    /// Sphere around the vertices, in model space.
    bounds: Ball,
    /// Its mean thickness, in model space.
    thickness: f32,
    /// For each bone, a sphere around the vertices that it moves; of radius 0 if there are none.
    bone_bounds: Vec<Ball>,
    /// How far a weight of 1 of each morph moves a vertex at most.
    reaches: Vec<f32>,
}

/// Least thickness of a mesh in pixels.
const LINE: f32 = 1.2;

/// A mesh whose vertices move with the weights of morphs. The mix is computed here, once for new weights: a shader would compute it
/// for each vertex in each pass of each frame.
#[derive(Clone, Debug)]
pub struct Mixer {
    /// What of the mesh the mix comes from.
    mesh: Mesh,
    vertices: Vec<MeshVertex>,
}

impl Mixer {
    /// Of a mesh with these corners; none without morphs.
    pub fn of(mesh: &Mesh, vertices: &[MeshVertex]) -> Option<Self> {
        let Mesh { positions, normals, morphs, .. } = mesh;
        let [positions, normals] = [positions, normals].map(Vec::clone);
        let mesh = || Mesh { positions, normals, morphs: morphs.clone(), ..Mesh::default() };
        (!morphs.is_empty()).then(|| Mixer { mesh: mesh(), vertices: vertices.to_vec() })
    }

    /// The vertices for these weights.
    pub fn mixed(&self, weights: &[f32]) -> Vec<MeshVertex> {
        let (places, facings) = (self.mesh.places(weights), self.mesh.facings(weights));
        let mixed = self.vertices.iter().zip(places.iter().zip(&*facings)).map(|(vertex, (place, facing))| {
            MeshVertex { position: place.to_array(), normal: facing.to_array(), ..*vertex }
        });
        mixed.collect()
    }
}

/// Makes the mixes of a mesh for these weights, unless they are there. One that is no longer wanted is changed by `change`, otherwise
/// `make` makes another one.
///
/// # Errors
/// Those of `change` and `make`.
pub fn update_mixes<T, E>(
    mixes: &mut Vec<(Vec<f32>, T)>,
    wanted: &[&[f32]],
    mut change: impl FnMut(&mut T, &[f32]) -> Result<(), E>,
    mut make: impl FnMut(&[f32]) -> Result<T, E>,
) -> Result<(), E> {
    for &weights in wanted {
        if mixes.iter().any(|(known, _)| known == weights) {
            continue;
        }
        match mixes.iter_mut().find(|(known, _)| !wanted.contains(&&known[..])) {
            Some((known, mix)) => {
                weights.clone_into(known);
                change(mix, weights)?;
            }
            None => mixes.push((weights.to_vec(), make(weights)?)),
        }
    }
    Ok(())
}

/// A mesh as the shaders read it.
pub fn mesh_corners(mesh: &Mesh) -> Corners {
    let vertex = |(i, position): (usize, &Vec3)| {
        let skin = mesh.influences.get(i);
        MeshVertex {
            position: position.to_array(),
            normal: mesh.normals.get(i).copied().unwrap_or_default().to_array(),
            bones: skin.map_or([0.0; 4], |skin| skin.joints.map(f32::from)),
            weights: skin.map_or([0.0; 4], |skin| skin.weights),
            uv: mesh.uvs.get(i).copied().unwrap_or_default().to_array(),
            color: mesh.colors.get(i).map_or([255; 4], |color| bytes(*color)),
        }
    };
    let vertices: Vec<MeshVertex> = mesh.positions.iter().enumerate().map(vertex).collect();
    // An index past the end would read foreign memory on some drivers.
    let count = vertices.len() as u32;
    let whole = mesh.triangles.iter().filter(|corners| corners.iter().all(|&corner| corner < count));
    (vertices, whole.flatten().copied().collect())
}

impl MeshTraits {
    /// Those of a mesh with these triangles.
    pub fn of(mesh: &Mesh, triangles: &[u32]) -> Self {
        let bones = mesh.influences.iter().flat_map(moving).map(|bone| bone + 1).max().unwrap_or(0);
        let bounds = bounding_sphere(&mesh.positions);
        MeshTraits {
            bones,
            cover: mesh.paint.cover,
            sides: mesh.paint.sides,
            bounds,
            thickness: thickness(&mesh.positions, triangles, bounds.0),
            bone_bounds: bone_bounds(mesh, bones),
            reaches: mesh.morphs.iter().map(|morph| longest(&morph.positions)).collect(),
        }
    }

    /// Balls whose hull contains an instance: centres and radii.
    pub fn bounds(&self, instance: &MeshInstance) -> Vec<Ball> {
        let morphed: f32 = self.reaches.iter().zip(&instance.weights).map(|(reach, weight)| reach * weight.abs()).sum();
        let moved = |&(center, radius): &Ball, matrix: Mat4| {
            (matrix.transform_point3(center), (radius + morphed) * largest_stretch(&matrix))
        };
        if self.bones == 0 {
            return vec![moved(&self.bounds, instance.model)];
        }
        let bones = self.bone_bounds.iter().zip(&instance.bones).filter(|((_, radius), _)| *radius > 0.0);
        bones.map(|(bounds, bone)| moved(bounds, instance.model * *bone)).collect()
    }

    /// When an instance is drawn.
    pub fn layer(&self, instance: &MeshInstance) -> Layer {
        match (instance.substance, self.cover) {
            (Substance::Glass, _) => Layer::Glass,
            (Substance::Own, Cover::Blend) => Layer::Translucent,
            (Substance::Own, Cover::Whole) if instance.color[3] < 255 => Layer::Translucent,
            (Substance::Own, _) => Layer::Opaque,
        }
    }

    /// Linear colour of an instance, and the uniform `cover` of `mesh.frag`.
    pub fn paint(&self, instance: &MeshInstance) -> ([f32; 4], [f32; 3]) {
        let mut tint = linear(instance.color);
        let cover = match (instance.substance, self.cover) {
            (_, Cover::Mask(cutoff)) => [cutoff, opacity(instance), 0.0],
            (Substance::Own, Cover::Blend) => [0.0, opacity(instance), 1.0],
            _ => [0.0; 3],
        };
        if let (Substance::Own, Cover::Mask(_)) = (instance.substance, self.cover) {
            tint[3] = 1.0;
        }
        (tint, cover)
    }

    /// The uniform `cover` where only the shape of an instance counts.
    pub fn shape_cover(&self, instance: &MeshInstance) -> [f32; 3] {
        let cutoff = match self.cover {
            Cover::Whole => 0.0,
            Cover::Mask(cutoff) => cutoff,
            Cover::Blend => 0.5,
        };
        [cutoff, opacity(instance), 0.0]
    }

    /// How far the surface of an instance is moved outward, so that what is thinner than a pixel is no row of dots. Glass is
    /// drawn where its depth is.
    pub fn widening(&self, instance: &MeshInstance, camera: &Camera) -> f32 {
        if instance.substance != Substance::Own {
            return 0.0;
        }
        let pixel = pixel_size(&self.bounds(instance), camera);
        let thickness = self.thickness * largest_stretch(&instance.model);
        if pixel.is_finite() { (0.5 * (LINE * pixel - thickness)).max(0.0) } else { 0.0 }
    }

    /// Which triangles of an instance are culled. A mirrored mesh has its corners in the opposite order.
    pub fn culled(&self, instance: &MeshInstance) -> Culled {
        let bone = instance.bones.first().map_or(1.0, Mat4::determinant);
        match self.sides {
            Sides::Both => Culled::None,
            Sides::Front if instance.model.determinant() * bone < 0.0 => Culled::CounterClockwise,
            Sides::Front => Culled::Clockwise,
        }
    }
}

/// Whether an instance casts a shadow.
pub fn casts(instance: &MeshInstance) -> bool {
    instance.shadow && (instance.color[3] == 255 || instance.substance == Substance::Glass)
}

/// Whether an instance is drawn into a shadow map. Glass does not shade what is inside it.
pub fn is_cast_into(instance: &MeshInstance, pass: ShadowPass) -> bool {
    casts(instance) && (pass == ShadowPass::Silhouette || instance.substance == Substance::Own)
}

/// Bounds of what these balls cover in the lamp's clip space, widened by `margin`; none without balls.
pub fn shadow_extent(balls: impl IntoIterator<Item = Ball>, lamp: &LampView, margin: f32) -> Option<(Vec2, Vec2)> {
    let (low, high) = lamp.extent(balls)?;
    Some((low - margin, high + margin))
}

/// Opacity for cut-outs and blending; the alpha of glass has another meaning.
fn opacity(instance: &MeshInstance) -> f32 {
    match instance.substance {
        Substance::Own => f32::from(instance.color[3]) / 255.0,
        Substance::Glass => 1.0,
    }
}

/// An upper bound of the factor by which a matrix lengthens vectors, exact if it does not shear.
pub fn largest_stretch(matrix: &Mat4) -> f32 {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.truncate());
    // The largest eigenvalue of the products of the columns is at most the largest sum of a row (Gershgorin).
    let row = |a: Vec3| columns.iter().map(|b| a.dot(*b).abs()).sum::<f32>();
    columns.into_iter().map(row).fold(0.0, f32::max).sqrt()
}

/// Size in the world of a pixel at the nearest point of balls.
pub fn pixel_size(balls: &[Ball], camera: &Camera) -> f32 {
    balls.iter().map(|&(center, radius)| camera.pixel_size(center, radius)).fold(f32::INFINITY, f32::min)
}

/// A model matrix and its normal matrix.
pub fn placement(model: Mat4) -> [[[f32; 4]; 4]; 2] {
    [model.to_cols_array_2d(), model.inverse().transpose().to_cols_array_2d()]
}

/// Three rows of four numbers for each bone: its matrix.
pub fn bone_rows(instance: &MeshInstance) -> impl Iterator<Item = [f32; 4]> + '_ {
    instance.bones.iter().flat_map(|bone| [0, 1, 2].map(|row| bone.row(row).to_array()))
}

/// The bones that move a vertex.
fn moving(influence: &Influence) -> impl Iterator<Item = usize> {
    let shares = influence.joints.into_iter().zip(influence.weights).filter(|(_, weight)| *weight > 0.0);
    shares.map(|(bone, _)| usize::from(bone))
}

fn longest(vectors: &[Vec3]) -> f32 {
    vectors.iter().map(|vector| vector.length()).fold(0.0, f32::max)
}

fn bone_bounds(mesh: &Mesh, bones: usize) -> Vec<Ball> {
    let mut moved = vec![Vec::new(); bones];
    for (position, influence) in mesh.positions.iter().zip(&mesh.influences) {
        moving(influence).for_each(|bone| moved[bone].push(*position));
    }
    moved.iter().map(|points| bounding_sphere(points)).collect()
}

/// The mean thickness of a closed shape round `middle`: that of a rod is its diameter, which is four times its volume over its
/// surface.
fn thickness(places: &[Vec3], triangles: &[u32], middle: Vec3) -> f32 {
    let parts = triangles.chunks_exact(3).map(|corners| {
        let [a, b, c] = [0, 1, 2].map(|k| places[corners[k] as usize] - middle);
        (a.dot(b.cross(c)) / 6.0, (b - a).cross(c - a).length() / 2.0)
    });
    let (volume, area) = parts.fold((0.0, 0.0), |(volume, area), part| (volume + part.0, area + part.1));
    4.0 * f32::abs(volume) / area.max(f32::MIN_POSITIVE)
}

/// A sphere around points, centred on their bounding box.
fn bounding_sphere(points: &[Vec3]) -> Ball {
    let Some(&first) = points.first() else { return (Vec3::ZERO, 0.0) };
    let (low, high) = points.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)));
    let middle = 0.5 * (low + high);
    (middle, points.iter().map(|p| p.distance(middle)).fold(0.0, f32::max))
}
