//! Materials: colours and textures.

use super::data::{Data, Stored};
use super::lists::{count_of, index, index_of, require, word};
use crate::formats::mesh::materials::Material;
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use crate::texture::{Cover, Grain, Image, Pictures, Sides, Texture, Wrap};
use fabrik3d_ik::maths;
use glam::{Mat2, Vec2};
use std::collections::HashMap;
use std::sync::Arc;

/// Default of `alphaCutoff`.
const ALPHA_CUTOFF: f32 = 0.5;

/// The material model of glTF 2.0, and that of older exporters.
const METALLIC: &str = "pbrMetallicRoughness";
const SPECULAR: &str = "KHR_materials_pbrSpecularGlossiness";

/// Index of a set of texture coordinates, and their transform.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Coordinates {
    pub set: usize,
    turn: Mat2,
    shift: Vec2,
}

impl Coordinates {
    pub fn apply(&self, place: Vec2) -> Vec2 {
        self.turn * place + self.shift
    }
}

/// The materials of a document, read on first use.
pub(crate) struct Materials<'a> {
    data: &'a Data<'a>,
    known: HashMap<usize, (Material, Coordinates)>,
    images: HashMap<usize, Option<Arc<Image>>>,
    pub pictures: Pictures,
}

impl<'a> Materials<'a> {
    pub fn new(data: &'a Data<'a>) -> Self {
        let (known, images) = (HashMap::new(), HashMap::new());
        Materials { data, known, images, pictures: Pictures::of(data.files) }
    }

    /// The material of a primitive, and the texture coordinates that its texture uses.
    pub fn of(&mut self, primitive: &Item<'_>) -> Read<(Material, Coordinates)> {
        let Some(at) = index_of(primitive, "material", &self.data.lists.materials, "material")? else {
            return Ok(Default::default());
        };
        if let Some(known) = self.known.get(&at) {
            return Ok(known.clone());
        }
        let material = self.read(&self.data.lists.materials[at])?;
        self.known.insert(at, material.clone());
        Ok(material)
    }

    fn read(&mut self, item: &Item<'_>) -> Read<(Material, Coordinates)> {
        let specular = item.get("extensions").and_then(|extensions| extensions.get(SPECULAR));
        let (surface, factor, texture) = match (item.get(METALLIC), specular) {
            (None, Some(surface)) => (Some(surface), "diffuseFactor", "diffuseTexture"),
            (surface, _) => (surface, "baseColorFactor", "baseColorTexture"),
        };
        let number = |item: Option<&Item<'_>>, key: &str| -> Read<Option<f32>> {
            let value = item.and_then(|item| item.get(key)).map(|value| value.number()).transpose()?;
            Ok(value.map(|value| value.clamp(0.0, 1.0) as f32))
        };
        let (mut material, mut coordinates) = (Material::default(), Coordinates::default());
        let factor = surface.as_ref().and_then(|surface| surface.get(factor));
        material.color = factor.map(|factor| factor.numbers("four numbers, [r, g, b, a]")).transpose()?.map(encoded);
        let texture = surface.as_ref().and_then(|surface| surface.get(texture));
        if let Some((texture, own)) = texture.and_then(|texture| self.texture(&texture)) {
            material.paint.texture = Some(texture);
            coordinates = own;
            // Without a factor, the texture alone gives the colour.
            material.color.get_or_insert([1.0; 4]);
        }
        material.paint.roughness = number(surface.as_ref(), "roughnessFactor")?;
        material.paint.sides = match item.get("doubleSided").is_some_and(|both| both.node.describe() == "true") {
            true => Sides::Both,
            false => Sides::Front,
        };
        material.paint.cover = match word(item, "alphaMode")?.unwrap_or("OPAQUE") {
            "MASK" => Cover::Mask(number(Some(item), "alphaCutoff")?.unwrap_or(ALPHA_CUTOFF)),
            "BLEND" => Cover::Blend,
            _ => Cover::Whole,
        };
        if let (Cover::Whole, Some(color)) = (material.paint.cover, &mut material.color) {
            color[3] = 1.0;
        }
        Ok((material, coordinates))
    }

    /// The texture that a material refers to. Errors become warnings, since the material still has a colour.
    fn texture(&mut self, reference: &Item<'_>) -> Option<(Texture, Coordinates)> {
        self.read_texture(reference).unwrap_or_else(|fault| {
            self.pictures.refuse(&format!("of {}", reference.path), &fault.message);
            None
        })
    }

    fn read_texture(&mut self, reference: &Item<'_>) -> Read<Option<(Texture, Coordinates)>> {
        let lists = self.data.lists;
        let at = index(&require(reference, "index")?, &lists.textures, "texture")?;
        let texture = &lists.textures[at];
        let Some(source) = index_of(texture, "source", &lists.images, "image")? else {
            return Err(texture.fault("it is neither PNG nor JPEG"));
        };
        let Some(image) = self.image(source) else { return Ok(None) };
        let sampler = index_of(texture, "sampler", &lists.samplers, "sampler")?;
        let code = |key| sampler.map_or(Ok(None), |at| count_of(&lists.samplers[at], key));
        let wrap = |code: Option<usize>| match code {
            Some(33071) => Wrap::Clamp,
            Some(33648) => Wrap::Mirror,
            _ => Wrap::Repeat,
        };
        let wrap = [wrap(code("wrapS")?), wrap(code("wrapT")?)];
        let grain = if code("magFilter")? == Some(9728) { Grain::Squares } else { Grain::Smooth };
        Ok(Some((Texture { image, wrap, grain }, read_coordinates(reference)?)))
    }

    /// An image from a buffer view, a data URI or a file.
    fn image(&mut self, at: usize) -> Option<Arc<Image>> {
        if let Some(known) = self.images.get(&at) {
            return known.clone();
        }
        let item = &self.data.lists.images[at];
        let image = match self.data.picture(item) {
            Ok(Stored::Bytes(bytes)) => self.pictures.decode(&bytes, &name(item, at)),
            Ok(Stored::File(path)) => self.pictures.open(&path),
            Err(fault) => self.pictures.refuse(&name(item, at), &fault.message),
        };
        self.images.insert(at, image.clone());
        image
    }
}

/// Name of an image inside the file.
fn name(item: &Item<'_>, at: usize) -> String {
    let name = word(item, "name").ok().flatten().filter(|name| !name.is_empty());
    name.map_or_else(|| format!("{at} of the file"), crate::printable::short)
}

/// The texture coordinates of a reference, with the transform of its extension.
fn read_coordinates(reference: &Item<'_>) -> Read<Coordinates> {
    let mut coordinates = Coordinates { set: count_of(reference, "texCoord")?.unwrap_or(0), ..Coordinates::default() };
    let transform = reference.get("extensions").and_then(|extensions| extensions.get("KHR_texture_transform"));
    let Some(transform) = transform else { return Ok(coordinates) };
    if let Some(set) = count_of(&transform, "texCoord")? {
        coordinates.set = set;
    }
    let pair = |key: &str, fallback: [f64; 2]| -> Read<Vec2> {
        let pair = transform.get(key).map_or(Ok(fallback), |pair| pair.numbers("two numbers"))?;
        Ok(Vec2::new(pair[0] as f32, pair[1] as f32))
    };
    let angle = transform.get("rotation").map_or(Ok(0.0), |angle| angle.number())?;
    let [sin, cos] = [maths::sin(angle), maths::cos(angle)].map(|part| part as f32);
    // The extension rotates from x toward -y, since its v axis points down.
    coordinates.turn = Mat2::from_cols_array(&[cos, -sin, sin, cos]) * Mat2::from_diagonal(pair("scale", [1.0; 2])?);
    coordinates.shift = pair("offset", [0.0; 2])?;
    Ok(coordinates)
}

/// Converts linear colour to sRGB; alpha stays.
pub(crate) fn encoded(linear: [f64; 4]) -> [f32; 4] {
    let [r, g, b, a] = linear.map(|value| value.clamp(0.0, 1.0));
    let encode = |linear: f64| {
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * maths::pow(linear, 1.0 / 2.4) - 0.055 }
    };
    [encode(r), encode(g), encode(b), a].map(|value| value as f32)
}
