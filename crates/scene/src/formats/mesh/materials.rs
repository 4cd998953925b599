//! What a mesh file names beside it: pictures, and MTL, the material files of OBJ with colour, opacity and texture.

use crate::files::Files;
use crate::references::{Folders, plain};
use crate::source::decode;
use crate::texture::{Cover, Image, Paint, Pictures, Texture, Wrap};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The parts of a material that a mesh needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Material {
    /// sRGB with straight alpha.
    pub color: Option<[f32; 4]>,
    pub paint: Paint,
}

/// The materials of a file by name. Unknown lines are ignored, as other programs do.
pub(crate) fn read(text: &str, companions: &mut Companions<'_>) -> HashMap<String, Material> {
    let mut materials: HashMap<String, Material> = HashMap::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        if word == "newmtl" {
            current = Some(rest.trim().to_owned());
        }
        let Some(material) = current.as_ref().map(|name| materials.entry(name.clone()).or_default()) else { continue };
        let numbers: Vec<f32> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let color = material.color.get_or_insert([1.0; 4]);
        match (word, numbers.as_slice()) {
            ("Kd", &[r, g, b, ..]) => color[..3].copy_from_slice(&[r, g, b].map(|value| value.clamp(0.0, 1.0))),
            ("d", &[opacity, ..]) => color[3] = opacity.clamp(0.0, 1.0),
            ("Tr", &[lack, ..]) => color[3] = 1.0 - lack.clamp(0.0, 1.0),
            ("map_Kd", _) => {
                // Options such as `-s 1 1 1` come before the name.
                let name = if rest.trim().starts_with('-') { rest.split_whitespace().next_back() } else { Some(rest) };
                material.paint.texture = name.and_then(|name| companions.texture(name));
            }
            _ => {}
        }
    }
    for material in materials.values_mut() {
        if let (Some(texture), Some(color)) = (&material.paint.texture, &mut material.color) {
            if color[..3] == [0.0; 3] {
                // Many exporters write black beside a texture, which would hide it.
                color[..3].fill(1.0);
            }
            if texture.image.is_translucent() {
                material.paint.cover = Cover::Mask(0.5);
            }
        }
    }
    materials
}

/// Largest material file, bytes.
const LARGEST_FILE: u64 = 16 << 20;

/// Access to the files beside a mesh file. A mesh from memory has none.
pub(crate) struct Companions<'a> {
    folder: Option<&'a Path>,
    pictures: &'a mut Pictures,
}

impl<'a> Companions<'a> {
    pub fn new(folder: Option<&'a Path>, pictures: &'a mut Pictures) -> Self {
        Companions { folder, pictures }
    }

    /// The folder of the mesh file.
    pub fn folder(&self) -> Option<&'a Path> {
        self.folder
    }

    /// Where they are read from.
    pub fn files(&self) -> Files {
        self.pictures.files.clone()
    }

    /// An image as a repeating texture. None if it cannot be read; a warning says why.
    pub fn texture(&mut self, reference: &str) -> Option<Texture> {
        let image: Arc<Image> = self.pictures.open(&self.find(reference)?)?;
        Some(Texture { image, wrap: [Wrap::Repeat; 2], grain: Default::default() })
    }

    /// The text of a file; none if it is missing.
    pub fn text(&self, reference: &str) -> Option<String> {
        let path = self.find(reference).filter(|path| self.pictures.files.is_file(path))?;
        decode(self.pictures.files.read(&path, LARGEST_FILE).ok()?, &path.display().to_string()).ok()
    }

    /// Path of a file: as the reference says, otherwise directly beside the mesh, since people move folders.
    fn find(&self, reference: &str) -> Option<PathBuf> {
        let folder = self.folder?;
        let reference = reference.trim();
        let reference = reference.strip_prefix("file://").unwrap_or(reference);
        let places = |name: &str| {
            let beside = Path::new(name).file_name().map(|name| folder.join(name));
            std::iter::once(folder.join(name)).chain(beside)
        };
        Some(Folders::of(&self.pictures.files).find(reference, places).unwrap_or_else(|| folder.join(plain(reference))))
    }
}
