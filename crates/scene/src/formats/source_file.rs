//! A file on its way to a reader.

use crate::error::SceneError;
use crate::mesh::MeshFile;
use crate::options::OpenOptions;
use crate::source::{decode, stem};
use crate::texture::Pictures;
use std::path::Path;

/// The bytes of a file that describes a scene, and what its reader needs besides.
pub(crate) struct SourceFile<'a> {
    pub bytes: Vec<u8>,
    /// Path of the file; files that it refers to are found relative to it.
    pub path: &'a Path,
    /// Name of the file in messages.
    pub origin: &'a str,
    pub options: &'a OpenOptions,
    /// The joints whose kind the limits file beside it gives.
    pub listed: &'a [String],
    /// The parts of a body that the limits file names, each with the name of its joint.
    pub named: &'a [(&'static str, String)],
    /// Reads the mesh files that the file refers to.
    pub read_mesh: fn(&Path, &mut Pictures) -> Result<MeshFile, SceneError>,
}

impl SourceFile<'_> {
    /// Folder of the file.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Name of the scene if the file does not give one.
    pub fn name(&self) -> &str {
        stem(self.origin)
    }

    /// Takes the bytes as text.
    pub fn take_text(&mut self) -> Result<String, SceneError> {
        decode(std::mem::take(&mut self.bytes), self.origin)
    }
}
