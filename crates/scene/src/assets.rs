//! What a file brings along besides joints and goals.

use crate::mesh::Mesh;
use crate::motion::Motion;
use fabrik3d_ik::Isometry;
use glam::DMat4;
use std::path::PathBuf;

/// Surfaces, recorded motion, and what the reader had to leave out. Large and never changed, so scenes share it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assets {
    /// Meshes that surfaces and skins are made of.
    pub meshes: Vec<Mesh>,
    /// Rigid surfaces on joints, or standing in the world.
    pub surfaces: Vec<Surface>,
    /// Surfaces that joints deform.
    pub skins: Vec<Skin>,
    /// Recorded motions, in file order.
    pub motions: Vec<Motion>,
    /// The glTF file that all of it was read from, for motion to be added to; none for other formats.
    pub source: Option<PathBuf>,
    /// What could not be taken over, one sentence each: a mesh that is missing, a feature that is not supported.
    pub warnings: Vec<String>,
}

/// A mesh that moves with one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Index of the mesh.
    pub mesh: usize,
    /// Joint that carries it; none: it stands in the world.
    pub joint: Option<usize>,
    /// From the mesh's space to the joint's frame, or to the world.
    pub transform: DMat4,
    /// Colour that replaces the mesh's own, sRGB with straight alpha, 0 to 1.
    pub color: Option<[f32; 4]>,
}

impl Surface {
    /// From the mesh's space to the world, for the frames of all joints.
    pub fn model(&self, frames: &[Isometry]) -> DMat4 {
        self.joint.map_or(DMat4::IDENTITY, |joint| matrix(frames[joint])) * self.transform
    }
}

/// A mesh whose vertices follow several joints each.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Index of the mesh; it has influences.
    pub mesh: usize,
    /// The joints that its influences number.
    pub joints: Vec<usize>,
    /// For each of those, from the mesh's space to the joint's frame at rest.
    pub inverse_bind: Vec<DMat4>,
}

impl Skin {
    /// For each joint of the skin, from the mesh's space to the world, for the frames of all joints of the skeleton.
    pub fn bones(&self, frames: &[Isometry]) -> Vec<DMat4> {
        self.joints.iter().zip(&self.inverse_bind).map(|(&joint, bind)| matrix(frames[joint]) * *bind).collect()
    }
}

/// A frame as a matrix.
fn matrix(frame: Isometry) -> DMat4 {
    DMat4::from_rotation_translation(frame.rotation, frame.position)
}
