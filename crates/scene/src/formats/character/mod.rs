//! What the readers of characters (glTF, BVH) have in common.

pub(crate) mod align;
pub(crate) mod anatomy;
pub(crate) mod stance;
