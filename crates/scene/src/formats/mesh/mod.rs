//! Triangle meshes, and the files they are read from: STL, OBJ and COLLADA (DAE).
//!
//! Own readers: every index is checked, memory stays within a small multiple of the file, and errors say where.

pub(crate) mod collada;
pub(crate) mod companions;
pub(crate) mod corners;
pub(crate) mod materials;
pub(crate) mod obj;
pub(crate) mod polygon;
pub mod shapes;
pub(crate) mod stl;

use companions::Companions;

use crate::Up;
use crate::error::SceneError;
use crate::source::{LARGEST_FILE, decode, extension, read_bytes, stem};
use crate::syntax_tree::fault::Fault;
use crate::texture::Paint;
use crate::texture::pictures::Pictures;
use glam::{DMat4, DVec3, Vec2, Vec3};
use std::path::Path;

/// Triangles with normals. Every index is that of a vertex; there are as many normals as positions, and as many
/// colours, texture coordinates and influences or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Name in the file; may be empty.
    pub name: String,
    /// Vertices.
    pub positions: Vec<Vec3>,
    /// A unit vector for each vertex.
    pub normals: Vec<Vec3>,
    /// Corners of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colour, sRGB with straight alpha, 0 to 1.
    pub color: Option<[f32; 4]>,
    /// Colours of the vertices, multiplied with it in linear light: sRGB with straight alpha; or none.
    pub colors: Vec<[f32; 4]>,
    /// For each vertex its point of the texture, from the upper left corner (0, 0) to the lower right one (1, 1);
    /// none without a texture.
    pub uvs: Vec<Vec2>,
    /// Texture and the like.
    pub paint: Paint,
    /// For skins: what moves each vertex.
    pub influences: Vec<Influence>,
}

/// The joints that move a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Indices in the list of the skin's joints.
    pub joints: [u16; 4],
    /// Shares; their sum is 1.
    pub weights: [f32; 4],
}

/// What a mesh file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Its parts, one for each colour.
    pub parts: Vec<Mesh>,
    /// The axis that points up in it, where the format says so.
    pub up: Option<Up>,
    /// What could not be taken over, one sentence each: pictures that cannot be read.
    pub warnings: Vec<String>,
}

impl Mesh {
    /// The mesh with every vertex moved by a matrix. A mirror image is turned right side out again.
    #[must_use]
    pub fn transformed(mut self, matrix: DMat4) -> Self {
        let turn = matrix.inverse().transpose();
        for position in &mut self.positions {
            *position = matrix.transform_point3(position.as_dvec3()).as_vec3();
        }
        for normal in &mut self.normals {
            let turned = turn.transform_vector3(normal.as_dvec3()).as_vec3();
            *normal = turned.try_normalize().unwrap_or(*normal);
        }
        if matrix.determinant() < 0.0 {
            self.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        self
    }

    /// The vertices as bones carry them: for each joint that the influences number, from the mesh's space to the world.
    pub fn bent(&self, bones: &[DMat4]) -> impl Iterator<Item = DVec3> {
        self.positions.iter().zip(&self.influences).map(|(place, influence)| {
            let shares = influence.joints.iter().zip(influence.weights).filter(|(_, share)| *share != 0.0);
            let carried = |bone: u16| bones[usize::from(bone)].transform_point3(place.as_dvec3());
            shares.map(|(&bone, share)| carried(bone) * f64::from(share)).sum()
        })
    }

    /// Least and largest coordinates; none without vertices.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(low, high), &point| (low.min(point), high.max(point))))
    }
}

impl MeshFile {
    /// The file's parts with `up` upward, where the file says which way is up in it.
    #[must_use]
    pub fn standing(self, up: Up) -> Self {
        let turn = match (self.up, up) {
            (Some(Up::Y), Up::Z) => DMat4::from_rotation_x(90_f64.to_radians()),
            (Some(Up::Z), Up::Y) => DMat4::from_rotation_x(-90_f64.to_radians()),
            _ => return self,
        };
        MeshFile { parts: self.parts.into_iter().map(|part| part.transformed(turn)).collect(), up: Some(up), ..self }
    }
}

/// Reads a mesh; the extension tells the format. Lengths are in the file's unit, those of COLLADA in metres. Pictures and
/// materials that it names are looked for beside it.
pub fn read_file(path: impl AsRef<Path>) -> Result<MeshFile, SceneError> {
    let mut pictures = Pictures::default();
    let file = read_with(path.as_ref(), &mut pictures)?;
    Ok(MeshFile { warnings: pictures.warnings, ..file })
}

/// Reads a mesh whose pictures count among those of a scene; what is wrong with them is told there.
pub(crate) fn read_with(path: &Path, pictures: &mut Pictures) -> Result<MeshFile, SceneError> {
    let origin = path.display().to_string();
    let extension = extension(path);
    if !["stl", "obj", "dae"].contains(&extension.as_str()) {
        return Err(SceneError::new(origin, "the format of this mesh is not known")
            .with_hint("meshes are read from .stl, .obj and .dae"));
    }
    let folder = path.parent();
    parts_of(read_bytes(path, LARGEST_FILE)?, &extension, &origin, &mut Companions::new(folder, pictures))
}

/// Reads a mesh from bytes; `extension` tells the format: `stl`, `obj` or `dae`. It comes without pictures.
pub fn read_mesh(bytes: Vec<u8>, extension: &str, origin: &str) -> Result<MeshFile, SceneError> {
    parts_of(bytes, extension, origin, &mut Companions::new(None, &mut Pictures::default()))
}

fn parts_of(
    bytes: Vec<u8>,
    extension: &str,
    origin: &str,
    companions: &mut Companions<'_>,
) -> Result<MeshFile, SceneError> {
    if let ("stl", Some(triangles)) = (extension, stl::binary_triangles(&bytes)) {
        let part = stl::read_binary(triangles, stem(origin)).map_err(|fault| fault.in_text(origin, ""))?;
        return Ok(MeshFile { parts: vec![part], ..MeshFile::default() });
    }
    let mut text = decode(bytes, origin)?;
    if extension == "dae" {
        text = super::xml::without_declaration(text);
    }
    let read = match extension {
        "stl" => stl::read_text(&text, stem(origin)),
        "obj" => obj::read(&text, stem(origin), companions),
        _ => collada::read(&text, companions),
    };
    let file = read.map_err(|fault| fault.in_text(origin, &text))?;
    match file.parts.iter().any(|part| !part.triangles.is_empty()) {
        true => Ok(file),
        false => Err(Fault::new(None, "there is no triangle in this file").in_text(origin, &text)),
    }
}

/// A coordinate as `f32`, if it is finite and its square is.
fn coordinate(value: f64) -> Option<f32> {
    (value.abs() <= 1e18).then_some(value as f32)
}

/// A point, if it is finite.
fn point(values: [f64; 3]) -> Option<Vec3> {
    Some(Vec3::new(coordinate(values[0])?, coordinate(values[1])?, coordinate(values[2])?))
}

/// A normal of a triangle, its length twice the area.
fn area_normal(a: Vec3, b: Vec3, c: Vec3) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|point| point.as_dvec3());
    (b - a).cross(c - a)
}
