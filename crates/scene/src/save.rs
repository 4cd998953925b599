//! Writing a scene in its current state, and motion, for other programs.

use crate::Scene;
use crate::builder::{ChainSpec, SceneBuilder};
use crate::error::SceneError;
use crate::file_draft::write_file;
use crate::formats::scene_file::chains::{tidied, trailing_chains};
use crate::formats::table::FileFormat;
use crate::motion::MAX_FRAMES;
use crate::motion::Motion;
use fabrik3d_ik::{Pose, Skeleton};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Frame time of a single pose in a motion file, seconds.
const POSE_SECONDS: f64 = 1.0 / 30.0;

impl Scene {
    /// The scene with another start pose. Chains that are defined by points get new points; all other joints get new
    /// [`start`](Scene::start) coordinates.
    pub fn starting_at(&self, pose: &Pose) -> Scene {
        let mut scene = self.clone();
        scene.start = scene.skeleton.joints().iter().map(|joint| joint.kind.rest()).collect();
        let chains = trailing_chains(&scene);
        let mut at = scene.skeleton.len() - chains.iter().map(|chain| chain.points.len()).sum::<usize>();
        scene.start[..at].copy_from_slice(&pose[..at]);
        let frames = self.skeleton.frames(pose);
        let mut joints = scene.skeleton.joints().to_vec();
        for chain in chains {
            let mut builder = SceneBuilder::default();
            let places = &frames[at..at + chain.points.len()];
            builder.chain(ChainSpec { points: places.iter().map(|frame| tidied(frame.position)).collect(), ..chain });
            for made in builder.joints {
                joints[at].offset = made.offset;
                at += 1;
            }
        }
        // Moved joints still form a valid skeleton.
        if let Ok(skeleton) = Skeleton::new(joints) {
            scene.skeleton = skeleton.into();
        }
        scene
    }

    /// Writes the scene to a file and returns the path; the extension determines the format, TOML without one. `.toml` and
    /// `.json` hold scenes. `.glb`, `.gltf`, `.bvh`, `.csv` and `.npy` hold the start pose, glTF with the character's body
    /// if the scene was read from glTF. An existing file is replaced only when the new one is complete.
    pub fn save(&self, path: &Path) -> Result<PathBuf, SceneError> {
        let path = if path.extension().is_none() { path.with_extension("toml") } else { path.to_owned() };
        let format = FileFormat::for_writing(&path).ok_or_else(|| {
            let is_scene = |format: &FileFormat| format.scene_syntax().is_some();
            let scenes = FileFormat::list(is_scene, "or");
            let poses = FileFormat::list(|format| format.writes_motion() && !is_scene(format), "or");
            SceneError::new(path.display().to_string(), "scenes are not saved in this format")
                .with_hint(format!("save a scene as {scenes}, its pose as {poses}"))
        })?;
        match format.scene_syntax() {
            Some(syntax) => write_file(&path, |out| out.write_all(self.to_text(syntax).as_bytes()))
                .map_err(|error| SceneError::unwritable(&path, &error))?,
            None => {
                let pose = Motion::new("pose", POSE_SECONDS, vec![self.start.clone()]);
                self.export(&pose, &path, self.assets.source.as_deref())?;
            }
        }
        Ok(path)
    }

    /// A sentence about what a saved file would not hold: meshes and recorded motion. None if nothing would be lost.
    pub fn left_behind(&self, path: &Path) -> Option<String> {
        let format = FileFormat::of(path);
        let is_scene = path.extension().is_none() || format.is_some_and(FileFormat::saves_scenes);
        let keeps_all = self.assets.source.is_some() && format.is_some_and(|format| format.scene_syntax().is_none());
        let has_body = !(self.assets.surfaces.is_empty() && self.assets.skins.is_empty());
        let clips = match self.assets.motions.as_slice() {
            [] => None,
            [one] => Some(format!("the clip `{}`", one.name)),
            all => Some(format!("{} clips", all.len())),
        };
        let body = if self.assets.links.is_empty() { "the meshes" } else { "the shapes of the links" };
        let parts: Vec<String> = has_body.then(|| body.to_owned()).into_iter().chain(clips).collect();
        if parts.is_empty() || !is_scene || keeps_all {
            return None;
        }
        let one = parts.len() == 1 && !has_body && self.assets.motions.len() == 1;
        let (what, [verb, pronoun]) = (parts.join(" and "), if one { ["is", "it"] } else { ["are", "them"] });
        Some(match &self.assets.source {
            Some(_) => format!("{what} {verb} not saved in it; a .glb file keeps {pronoun} and the pose, without pins"),
            None => format!(
                "{what} {verb} not saved in it. To see the pose with {pronoun}, save it as .csv and open that as a motion of the robot's own file"
            ),
        })
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
