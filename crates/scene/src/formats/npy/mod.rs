//! NPY, the array files of NumPy: versions 1 to 3, floats and integers of 4 and 8 bytes, either byte order, row-major.
//!
//! Source: NEP 1, *A Simple File Format for NumPy Arrays*.

mod read;
mod write;

pub(crate) use read::{MAX_WIDTH, NpyReader, Shape};
pub(crate) use write::{FLOAT, header, whole_rows, write_texts};
pub use write::{NpyWriter, write_npy};

use crate::Scene;
use crate::motion::Motion;
use std::io::{self, Write};

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Writes an array with a row for each frame: the coordinates of all joints, in the order of the columns of a CSV table.
pub(crate) fn write_motion(scene: &Scene, motion: &Motion, out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let width = skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum();
    let numbers =
        (0..motion.len()).flat_map(|frame| scene.pose_numbers(&motion.pose(skeleton, frame)).collect::<Vec<f64>>());
    write_npy(out, motion.len(), width, numbers)
}
