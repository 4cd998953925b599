//! Reading mesh files of every format.

use super::mesh::companions::Companions;
use super::table::{Content, FileFormat, MeshReader, Reader};
use crate::error::SceneError;
use crate::mesh::MeshFile;
use crate::source::{LARGEST_FILE, extension, read_bytes};
use crate::texture::pictures::Pictures;
use std::path::Path;

/// Reads a mesh file; its extension determines the format. Lengths are in the file's unit, those of COLLADA in metres.
/// Images and materials are looked up beside the file.
pub fn read_mesh_file(path: impl AsRef<Path>) -> Result<MeshFile, SceneError> {
    let mut pictures = Pictures::default();
    let file = read_with(path.as_ref(), &mut pictures)?;
    Ok(MeshFile { warnings: pictures.warnings, ..file })
}

/// Reads a mesh file and adds its images, and the warnings about them, to those of a scene.
pub(crate) fn read_with(path: &Path, pictures: &mut Pictures) -> Result<MeshFile, SceneError> {
    let origin = path.display().to_string();
    let read = reader(&extension(path), &origin)?;
    read(read_bytes(path, LARGEST_FILE)?, &origin, &mut Companions::new(path.parent(), pictures))
}

/// Reads a mesh from bytes. `extension` determines the format: `stl`, `obj` or `dae`. The mesh has no images.
pub fn read_mesh(bytes: Vec<u8>, extension: &str, origin: &str) -> Result<MeshFile, SceneError> {
    reader(extension, origin)?(bytes, origin, &mut Companions::new(None, &mut Pictures::default()))
}

fn reader(extension: &str, origin: &str) -> Result<MeshReader, SceneError> {
    match FileFormat::with_extension(extension).map(|format| format.read) {
        Some(Reader::Mesh(read)) => Ok(read),
        _ => {
            let known = FileFormat::list(|format| format.holds(Content::Mesh), "and");
            Err(SceneError::new(origin, "the format of this mesh is not known")
                .with_hint(format!("meshes are read from {known}")))
        }
    }
}
