//! Writing motion for other programs.

use crate::Scene;
use crate::error::SceneError;
use crate::file_draft::write_file;
use crate::formats::bvh::write::write;
use crate::formats::gltf::store::Form;
use crate::formats::gltf::write::skeleton_only;
use crate::formats::table::FileFormat;
use crate::motion::Motion;
use std::io::{self, Write};
use std::path::Path;

/// Most frames that are written. An hour at 240 frames per second has fewer.
const MAX_FRAMES: usize = 1_000_000;

impl Scene {
    /// A motion of the scene's skeleton as BVH, angles in degrees. If the scene was read from BVH, its joints keep the
    /// channels of that file in their order; other joints have `Zrotation Xrotation Yrotation`.
    pub fn to_bvh(&self, motion: &Motion) -> String {
        write(self, motion)
    }

    /// A motion of the scene's skeleton as GLB: one node per joint, one key per frame, +Y up, no mesh. [`Scene::export`]
    /// adds a motion to the file that a character was read from.
    ///
    /// # Errors
    /// A joint is farther than 1e30 from its parent: glTF holds 32-bit floats.
    pub fn to_glb(&self, motion: &Motion) -> io::Result<Vec<u8>> {
        skeleton_only(self, motion, Form::Binary)
    }

    /// Writes a motion of the scene's skeleton to a file; the extension determines the format.
    ///
    /// `original` is the glTF file that the scene was read from. If the output is glTF too, the motion is added to the
    /// contents of that file, so the character keeps its skin. The motion becomes the first animation, which players start
    /// with, or replaces the one of the same name. The character rests in its first frame.
    pub fn export(&self, motion: &Motion, path: &Path, original: Option<&Path>) -> Result<(), SceneError> {
        let origin = path.display().to_string();
        if motion.len() > MAX_FRAMES {
            let message = format!("a motion of {} frames is too long to be written", motion.len());
            return Err(SceneError::new(origin, message).with_hint("use fewer frames per second, or a part of it"));
        }
        let format = FileFormat::for_writing(path);
        let Some((format, write)) = format.and_then(|format| Some((format, format.write_motion?))) else {
            let known = FileFormat::list(FileFormat::writes_motion, "and");
            return Err(SceneError::new(origin, "the format of this file is not known")
                .with_hint(format!("motion is written to {known}")));
        };
        let extended = original.map_or(Ok(None), |original| format.extended(self, motion, original))?;
        let write = |out: &mut dyn Write| match extended {
            Some(bytes) => out.write_all(&bytes),
            None => write(self, motion, out),
        };
        write_file(path, write).map_err(|error| SceneError::unwritable(path, &error))
    }
}
