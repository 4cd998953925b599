//! glTF 2.0: characters with skins and clips.
//!
//! The skeleton is what skins name or clips move, and what lies between; without a skin, all nodes. Joints are unlimited balls whose frames have
//! z along the link. The matrices of nodes above, between and below joints are applied, whatever their scale. Leaf joints
//! become effectors, and so do the hips of a standing figure.
//!
//! The reader is the project's own: it checks every index, size and tree, and errors name the position in the file. The
//! crate `gltf` (1.4) refuses valid files of the Khronos validator (accessors without a buffer view, channels without a
//! node), reads nodes that contain themselves, and panics on one damaged file in a thousand.

pub(crate) mod bind_pose;
pub(crate) mod clips;
pub(crate) mod container;
pub(crate) mod data;
pub(crate) mod lists;
pub(crate) mod material;
pub(crate) mod mesh;
pub(crate) mod morphs;
pub(crate) mod nodes;
pub(crate) mod read;
pub(crate) mod rig;
pub(crate) mod skin;
pub(crate) mod store;
pub(crate) mod warnings;
pub(crate) mod write;
