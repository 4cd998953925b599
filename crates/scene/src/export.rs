//! Motion for other programs.

use crate::Scene;
use crate::error::SceneError;
use crate::file_draft::write_file;
use crate::formats::bvh;
use crate::formats::csv::{motion_header, motion_row};
use crate::formats::gltf;
use crate::formats::gltf::write::Form;
use crate::formats::npy::write_npy;
use crate::motion::Motion;
use crate::source::{LARGEST_FILE, extension, read_bytes};
use fabrik3d_ik::{Coordinates, Joint, Pose, Skeleton};
use std::io::{self, Write};
use std::path::Path;

/// Most frames that are written; an hour at 240 a second is below it.
const MOST_FRAMES: usize = 1_000_000;

/// The formats that motion is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionFormat {
    /// A row for each frame: its time, then the coordinates of all joints, named in the header.
    Csv,
    /// `{"name", "frame_time", "joints": [names], "poses": [POSE, ..]}`.
    Json,
    /// A row of float64 for each frame: the coordinates of all joints, in the order of the CSV's header.
    Npy,
    /// The Biovision hierarchy.
    Bvh,
    /// glTF as JSON.
    Gltf,
    /// glTF in binary form.
    Glb,
}

impl MotionFormat {
    /// The format that a file's extension stands for.
    pub fn of(path: &Path) -> Option<Self> {
        match extension(path).as_str() {
            "csv" => Some(MotionFormat::Csv),
            "json" => Some(MotionFormat::Json),
            "npy" => Some(MotionFormat::Npy),
            "bvh" => Some(MotionFormat::Bvh),
            "gltf" => Some(MotionFormat::Gltf),
            "glb" => Some(MotionFormat::Glb),
            _ => None,
        }
    }
}

impl Scene {
    /// A motion of the scene's skeleton as BVH, for other programs, in degrees. The joints of a scene that was read from BVH
    /// have the channels of that file in their order, others turn by `Zrotation Xrotation Yrotation`.
    pub fn to_bvh(&self, motion: &Motion) -> String {
        bvh::write(self, motion)
    }

    /// A motion of the scene's skeleton as the bytes of a GLB: one node a joint and one key a frame, +Y up. There is no
    /// mesh in it; [`Scene::export`] adds motion to the file that a character came from.
    pub fn to_glb(&self, motion: &Motion) -> Vec<u8> {
        gltf::skeleton_only(self, motion, Form::Binary)
    }

    /// Writes a motion of the scene's skeleton; a single pose is a motion of one frame. Angles in tables are radians.
    pub fn write_motion(
        &self,
        motion: &Motion,
        format: MotionFormat,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let skeleton = &self.skeleton;
        let poses = || (0..motion.len()).map(|frame| motion.pose(skeleton, frame));
        match format {
            MotionFormat::Csv => {
                writeln!(out, "{}", motion_header(skeleton))?;
                for (frame, pose) in poses().enumerate() {
                    writeln!(out, "{}", motion_row(skeleton, frame as f64 * motion.frame_time, &pose))?;
                }
                Ok(())
            }
            MotionFormat::Json => write_json(motion, skeleton, poses(), out),
            MotionFormat::Npy => {
                let width = skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum();
                write_npy(
                    out,
                    motion.len(),
                    width,
                    poses().flat_map(|pose| pose_numbers(skeleton, &pose).collect::<Vec<f64>>()),
                )
            }
            MotionFormat::Bvh => out.write_all(self.to_bvh(motion).as_bytes()),
            MotionFormat::Gltf => out.write_all(&gltf::skeleton_only(self, motion, Form::Text)),
            MotionFormat::Glb => out.write_all(&self.to_glb(motion)),
        }
    }

    /// Writes a motion of the scene's skeleton to a file; the extension tells the format.
    ///
    /// With `original`, the glTF file that the scene was read from, the motion is added to that file's contents as one
    /// animation more, or in place of that of the same name, and the character keeps its skin. What is added is the first
    /// animation, the one that players start with, and the character stands as in its first frame where none is played.
    pub fn export(&self, motion: &Motion, path: &Path, original: Option<&Path>) -> Result<(), SceneError> {
        let origin = path.display().to_string();
        if motion.len() > MOST_FRAMES {
            let message = format!("a motion of {} frames is too long to be written", motion.len());
            return Err(SceneError::new(origin, message).with_hint("use fewer frames a second, or a part of it"));
        }
        let Some(format) = MotionFormat::of(path) else {
            return Err(SceneError::new(origin, "the format of this file is not known")
                .with_hint("motion is written to .csv, .json, .npy, .bvh, .gltf and .glb"));
        };
        let extended = match original {
            Some(original) if matches!(format, MotionFormat::Gltf | MotionFormat::Glb) => {
                let form = if format == MotionFormat::Glb { Form::Binary } else { Form::Text };
                let bytes = read_bytes(original, LARGEST_FILE)?;
                let folder = original.parent().unwrap_or(Path::new("."));
                Some(gltf::extended(self, motion, &bytes, &original.display().to_string(), folder, form)?)
            }
            _ => None,
        };
        let write = |out: &mut dyn Write| match extended {
            Some(bytes) => out.write_all(&bytes),
            None => self.write_motion(motion, format, out),
        };
        write_file(path, write).map_err(|error| SceneError::unwritable(path, &error))
    }
}

/// All coordinates of a pose, joint after joint: a row of an array.
pub fn pose_numbers<'a>(skeleton: &'a Skeleton, pose: &'a Pose) -> impl Iterator<Item = f64> + 'a {
    let of = |(joint, coordinates): (&'a Joint, &'a Coordinates)| coordinates.values(&joint.kind).iter().copied();
    skeleton.joints().iter().zip(pose).flat_map(of)
}

/// One pose a line, so that people can look at it too.
fn write_json(
    motion: &Motion,
    skeleton: &Skeleton,
    poses: impl Iterator<Item = Pose>,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    let (name, joints) = (serde_json::to_string(&motion.name)?, serde_json::to_string(&names)?);
    let frame_time = motion.frame_time;
    write!(out, "{{\"name\":{name},\"frame_time\":{frame_time:?},\"joints\":{joints},\"poses\":[")?;
    for (frame, pose) in poses.enumerate() {
        let kinds = skeleton.joints().iter().map(|joint| &joint.kind);
        let lists: Vec<&[f64]> = pose.iter().zip(kinds).map(|(coordinates, kind)| coordinates.values(kind)).collect();
        out.write_all(if frame == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &lists)?;
    }
    writeln!(out, "\n]}}")
}
