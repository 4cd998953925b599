//! What a mesh file refers to: pictures and materials in files beside it.

use crate::source::{decode, percent_decoded, read_bytes};
use crate::texture::pictures::Pictures;
use crate::texture::{Image, Texture, Wrap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file of materials, bytes.
const LARGEST_FILE: u64 = 16 << 20;

/// The files beside a mesh file; none are known for a mesh that comes from memory.
pub(crate) struct Companions<'a> {
    folder: Option<&'a Path>,
    pictures: &'a mut Pictures,
}

impl<'a> Companions<'a> {
    pub fn new(folder: Option<&'a Path>, pictures: &'a mut Pictures) -> Self {
        Companions { folder, pictures }
    }

    /// A picture that goes on beyond its edges; a warning says why there is none.
    pub fn texture(&mut self, reference: &str) -> Option<Texture> {
        let image: Arc<Image> = self.pictures.open(&self.find(reference)?)?;
        Some(Texture { image, wrap: [Wrap::Repeat; 2], grain: Default::default() })
    }

    /// The text of a file; a missing one is no matter.
    pub fn text(&self, reference: &str) -> Option<String> {
        let path = self.find(reference).filter(|path| path.is_file())?;
        decode(read_bytes(&path, LARGEST_FILE).ok()?, &path.display().to_string()).ok()
    }

    /// Where a file is meant to be: as the reference says, or else beside the mesh; people move folders about.
    fn find(&self, reference: &str) -> Option<PathBuf> {
        let folder = self.folder?;
        let reference = reference.trim();
        let plain = reference.strip_prefix("file://").unwrap_or(reference).replace('\\', "/");
        let name = percent_decoded(&plain).into_owned();
        let beside = folder.join(Path::new(&name).file_name()?);
        let said = folder.join(name);
        Some(if !said.is_file() && beside.is_file() { beside } else { said })
    }
}
