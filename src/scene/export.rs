//! Motion for other programs.

use super::gltf::{self, Form};
use super::source::{LARGEST_FILE, read_bytes};
use super::{Motion, Scene, SceneError, bvh};
use std::path::Path;

/// Most frames that are written; an hour at 240 a second is below it.
const MOST_FRAMES: usize = 1_000_000;

impl Scene {
    /// A motion of the scene's skeleton as BVH, for other programs: `Zrotation Xrotation Yrotation`, degrees.
    pub fn to_bvh(&self, motion: &Motion) -> String {
        bvh::write(self, motion)
    }

    /// A motion of the scene's skeleton as the bytes of a GLB: one node a joint and one key a frame, +Y up. There is no
    /// mesh in it; [`Scene::export`] adds motion to the file that a character came from.
    pub fn to_glb(&self, motion: &Motion) -> Vec<u8> {
        gltf::skeleton_only(self, motion, Form::Binary)
    }

    /// Writes a motion of the scene's skeleton; the extension tells the format: `.bvh`, `.gltf` or `.glb`. A single pose
    /// is a motion of one frame.
    ///
    /// With `original`, the glTF file that the scene was read from, the motion is added to that file's contents as one
    /// animation more, and the character keeps its skin; `path` then has the same extension as `original`.
    pub fn export(&self, motion: &Motion, path: &Path, original: Option<&Path>) -> Result<(), SceneError> {
        let origin = path.display().to_string();
        if motion.len() > MOST_FRAMES {
            let message = format!("a motion of {} frames is too long to be written", motion.len());
            return Err(SceneError::new(origin, message).with_hint("use fewer frames a second, or a part of it"));
        }
        let extension = |path: &Path| {
            path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
        };
        let form = match extension(path).as_str() {
            "bvh" => None,
            "gltf" => Some(Form::Text),
            "glb" => Some(Form::Binary),
            _ => {
                return Err(SceneError::new(origin, "the format of this file is not known")
                    .with_hint("motion is written to .bvh, .gltf and .glb"));
            }
        };
        let bytes = match (form, original) {
            (None, _) => self.to_bvh(motion).into_bytes(),
            (Some(form), None) => gltf::skeleton_only(self, motion, form),
            (Some(_), Some(original)) => {
                if extension(original) != extension(path) {
                    let message = format!("the extension must be that of {}", original.display());
                    return Err(SceneError::new(origin, message));
                }
                let bytes = read_bytes(original, LARGEST_FILE)?;
                let folder = original.parent().unwrap_or(Path::new("."));
                gltf::extended(self, motion, &bytes, &original.display().to_string(), folder)?
            }
        };
        std::fs::write(path, bytes).map_err(|error| SceneError::new(origin, format!("cannot be written: {error}")))
    }
}
