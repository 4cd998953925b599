//! File formats: [`table`] lists them all, one module per format reads or writes it.

pub(crate) mod bvh;
pub(crate) mod case_line;
pub(crate) mod character;
pub mod csv;
pub(crate) mod gltf;
pub(crate) mod limits_file;
pub(crate) mod mesh;
pub(crate) mod mjcf;
pub mod npy;
pub mod npz;
pub(crate) mod pose_table;
pub(crate) mod robot;
pub(crate) mod scene_file;
pub(crate) mod table;
pub(crate) mod targets;
pub(crate) mod urdf;
pub(crate) mod xml;

use crate::error::SceneError;
use crate::mesh::MeshFile;
use crate::options::OpenOptions;
use crate::source::{decode, stem};
use crate::texture::Pictures;
use limits_file::LimitsFile;
use std::path::Path;

/// The bytes of a file that describes a scene, and what its reader needs besides.
pub(crate) struct SourceFile<'a> {
    pub bytes: Vec<u8>,
    /// Path of the file; files that it refers to are found relative to it.
    pub path: &'a Path,
    /// Name of the file in messages.
    pub origin: &'a str,
    pub options: &'a OpenOptions,
    /// The limits file beside it.
    pub limits: Option<&'a LimitsFile>,
    /// Reads the mesh files that the file refers to.
    pub read_mesh: fn(&Path, &mut Pictures) -> Result<MeshFile, SceneError>,
}

/// Nodes from the roots on in depth-first order: a node, then all below its first child, then the next child.
pub(crate) fn depth_first<'a>(
    roots: impl DoubleEndedIterator<Item = usize>,
    children: impl Fn(usize) -> &'a [usize],
) -> Vec<usize> {
    let mut order = Vec::new();
    let mut waiting: Vec<usize> = roots.rev().collect();
    while let Some(at) = waiting.pop() {
        order.push(at);
        waiting.extend(children(at).iter().rev());
    }
    order
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
