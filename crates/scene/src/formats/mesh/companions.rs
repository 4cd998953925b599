//! Files beside a mesh file: images and materials.

use crate::source::{decode, percent_decoded, read_bytes};
use crate::texture::pictures::Pictures;
use crate::texture::{Image, Texture, Wrap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

    /// An image as a repeating texture. None if it cannot be read; a warning says why.
    pub fn texture(&mut self, reference: &str) -> Option<Texture> {
        let image: Arc<Image> = self.pictures.open(&self.find(reference)?)?;
        Some(Texture { image, wrap: [Wrap::Repeat; 2], grain: Default::default() })
    }

    /// The text of a file; none if it is missing.
    pub fn text(&self, reference: &str) -> Option<String> {
        let path = self.find(reference).filter(|path| path.is_file())?;
        decode(read_bytes(&path, LARGEST_FILE).ok()?, &path.display().to_string()).ok()
    }

    /// Path of a file: as the reference says, otherwise directly beside the mesh, since people move folders.
    fn find(&self, reference: &str) -> Option<PathBuf> {
        let folder = self.folder?;
        let reference = reference.trim();
        let plain = reference.strip_prefix("file://").unwrap_or(reference).replace('\\', "/");
        let name = percent_decoded(&plain).into_owned();
        let beside = folder.join(Path::new(&name).file_name()?);
        let named = folder.join(name);
        Some(if !named.is_file() && beside.is_file() { beside } else { named })
    }
}
