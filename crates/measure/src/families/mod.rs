//! Families of problems on skeletons that have a solution by construction: the targets are the effector frames in a
//! random pose inside the limits, the witness.

mod bodies;
mod family;
mod loops;
mod parts;
mod robots;
mod serial;
mod trees;

pub use family::{FAMILIES, Family};
pub use parts::FamilyCase;
