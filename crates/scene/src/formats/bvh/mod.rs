//! BVH (Biovision hierarchy): a skeleton and its recorded motion.
//!
//! The reader accepts channels in any order and number, keywords in any case, tabs, CRLF, braces on any line and several
//! roots. Every joint becomes an unlimited ball, every root a free joint. A joint below the root is free if its recorded
//! position changes. Every End Site becomes an effector, and so do the hips of a standing figure.
//!
//! A joint's rotations apply in the order of its channels: `Zrotation Xrotation Yrotation` is `Rz * Rx * Ry` on column
//! vectors (Meredith and Maddock, *Motion Capture File Formats Explained*, 2001).

pub(crate) mod hierarchy;
pub(crate) mod numbers;
pub(crate) mod read;
pub(crate) mod write;
